package tests

import (
	"strings"
	"syscall"
	"testing"
)

// What an arm64 kernel reports for each exception (arch/arm64/mm/fault.c,
// traps.c), with the syndrome and the address in the frame of the handler. The first lines are a bug that was: a jump to where no code is ended
// emu instead of the guest.
const wantFaults = `call of null: signal 11 code 1, address right, pc is the address, syndrome 82000007
call of a misaligned address: signal 7 code 1, address right, pc is the address, syndrome 8a000000
call of data: signal 11 code 2, address right, pc is the address, syndrome 8200000f and the address
call into the kernel: signal 11 code 1, address right, pc is the address, syndrome 82000004 and the address
load from null: signal 11 code 1, address right, pc apart, syndrome 92000007 and the address
store to code: signal 11 code 2, address right, pc apart, syndrome 9200004f and the address
misaligned exclusive: signal 7 code 1, address right, pc apart, syndrome 92000021 and the address
misaligned atomic: signal 7 code 1, address right, pc apart, syndrome 92000021 and the address
misaligned acquire: signal 7 code 1, address right, pc apart, syndrome 92000021 and the address
misaligned release: signal 7 code 1, address right, pc apart, syndrome 92000061 and the address
misaligned stack: signal 7 code 1, address right, pc apart, syndrome 9a000000
load from the kernel: signal 11 code 1, address right, pc apart, syndrome 92000004 and the address
dc cvau of null: signal 11 code 1, address right, pc apart, syndrome 92000147
udf: signal 4 code 1, address right, pc is the address, syndrome 0
hvc: signal 4 code 1, address right, pc is the address, syndrome 0
brk: signal 5 code 1, address right, pc is the address, syndrome 0
pair: signal 11, base 8
exclusives of null: signal 11 at the load, syndrome 92000007, x0 right
exclusives of code: signal 11 at the store, syndrome 9200004f, x0 right
compare and swap that differs: signal 0, right
`

func TestFaults(t *testing.T) {
	emu, guest := emuPath(t), build(t, "guest/faults/faults.c", arm64, "-O1")
	for _, tier := range []string{"interp", "interp2", "1", "2", "auto"} {
		if got := run(t, "", emu, "-tier="+tier, "-hot=1", guest); got.stdout != wantFaults {
			t.Errorf("-tier=%s: got\n%s\nwant\n%s", tier, got.stdout, wantFaults)
		}
	}
}

// TestCopyLoops interrupts the loops of memcpy, most of whose iterations tier 2 does 64 bytes at a time: memory and
// registers are those of the iteration and the instruction. Under qemu-aarch64 they are, too.
func TestCopyLoops(t *testing.T) {
	emu, guest := emuPath(t), build(t, "guest/faults/copy.c", arm64, "-O1")
	for _, how := range []struct{ flag, host, rounds string }{
		{"-tier=interp", "native", "5"}, {"-tier=1", "native", "500"}, {"-tier=2", "native", "2000"}, {"-hot=1000", "native", "2000"},
		{"-tier=2", "native,-avx512f", "1000"}, {"-tier=2", "v2", "500"},
	} {
		got := run(t, "", emu, "-code-cache=off", how.flag, "-host="+how.host, guest, how.rounds)
		if got.stdout != "0 wrong\n" {
			t.Errorf("%s on %s: %s%s", how.flag, how.host, got.stdout, got.stderr)
		}
		t.Logf("%s on %s: %s", how.flag, how.host, got.stderr)
	}
}

// TestBadFrames is a bug that was: of a frame that rt_sigreturn(2) refuses nothing was restored, and
// si_code was SEGV_MAPERR. The kernel's own tests of signals look at si_code.
func TestBadFrames(t *testing.T) {
	var want string
	for _, way := range []string{"5", "9", "10", "40", "80", "200", "53564500", "12345678"} {
		want += way + ": code 2 at sp 1, pc 1 sp 1 x19 1234 pstate 0, SIGUSR1 blocked 0\n"
	}
	emu, guest := emuPath(t), build(t, "guest/signals/badframe.c", arm64, "-O1")
	for _, tier := range []string{"interp", "1", "2", "auto"} {
		if got := run(t, "", emu, "-tier="+tier, guest); got.stdout != want {
			t.Errorf("-tier=%s: got\n%swant\n%s%s", tier, got.stdout, want, got.stderr)
		}
	}
}

// TestUndefinedInstructionIsSaid: a program that dies of an instruction that emu does not
// have is told which. One with a handler is not disturbed: libraries find out so what a
// processor can do, and emu's warnings were among their output.
func TestUndefinedInstructionIsSaid(t *testing.T) {
	emu, guest := emuPath(t), build(t, "guest/faults/undefined.c", arm64, "-O1")
	if got, want := run(t, "", emu, guest, "handler"), (result{stdout: "handled\n"}); got != want {
		t.Errorf("under a handler: got %v, %q and %q", got, got.stdout, got.stderr)
	}
	if got := run(t, "", emu, guest); got.signal != syscall.SIGILL || !strings.Contains(got.stderr, "word=0xd4000002") {
		t.Errorf("got %v and %q", got, got.stderr)
	}
}

// Wherever a loop with every register in use is interrupted, by a fault at a random
// iteration or by a timer, a handler sees the registers of that iteration and instruction.
func TestRegistersInLoops(t *testing.T) {
	emu, guest := emuPath(t), build(t, "guest/faults/loop.c", arm64, "-O1")
	for _, how := range []struct{ flag, rounds, most string }{
		{"-tier=interp", "5", "2000"}, {"-tier=interp2", "5", "2000"}, {"-cold=100", "20", "20000"},
		{"-tier=1", "20", "100000"}, {"-tier=2", "20", "100000"}, {"-hot=1", "20", "100000"}, {"-hot=1000", "20", "100000"},
	} {
		got := run(t, "", emu, "-code-cache=off", how.flag, guest, how.rounds, how.most)
		if want := how.rounds + " faults, 0 wrong\n"; got.stdout != want {
			t.Errorf("%s: %s%s, want %s", how.flag, got.stdout, got.stderr, want)
		}
		t.Logf("%s: %s", how.flag, got.stderr)
	}
}
