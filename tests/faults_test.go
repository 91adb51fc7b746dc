package tests

import "testing"

// What an arm64 kernel reports for each exception (arch/arm64/mm/fault.c,
// traps.c). The first lines are a bug that was: a jump to where no code is ended
// emu instead of the guest.
const wantFaults = `call of null: signal 11 code 1, address right, pc is the address
call of a misaligned address: signal 7 code 1, address right, pc is the address
call of data: signal 11 code 2, address right, pc is the address
call into the kernel: signal 11 code 1, address right, pc is the address
load from null: signal 11 code 1, address right, pc apart
store to code: signal 11 code 2, address right, pc apart
misaligned exclusive: signal 7 code 1, address right, pc apart
misaligned atomic: signal 7 code 1, address right, pc apart
misaligned acquire: signal 7 code 1, address right, pc apart
dc cvau of null: signal 11 code 1, address right, pc apart
udf: signal 4 code 1, address right, pc is the address
hvc: signal 4 code 1, address right, pc is the address
brk: signal 5 code 1, address right, pc is the address
pair: signal 11, base 8
`

func TestFaults(t *testing.T) {
	emu, guest := emuPath(t), build(t, "guest/faults/faults.c", arm64, "-O1")
	for _, tier := range []string{"interp", "1", "2", "auto"} {
		if got := run(t, "", emu, "-tier="+tier, "-hot=1", guest); got.stdout != wantFaults {
			t.Errorf("-tier=%s: got\n%s\nwant\n%s", tier, got.stdout, wantFaults)
		}
	}
}
