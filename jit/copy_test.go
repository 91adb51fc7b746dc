//go:build linux && amd64

package jit

import (
	"bytes"
	"testing"
	"unsafe"

	"emu/cpu"

	"golang.org/x/sys/unix"
)

// CPYP, CPYM and CPYE of X2 bytes from X1 to X0, and BRK.
var copyWords = []uint32{0x1d010440, 0x1d410440, 0x1d810440, brk}

// longCopy is a copy within memory that starts at from and to, and what it has to leave.
type longCopy struct {
	b              *testBench
	mem, want      []byte
	at             uint64 // address of mem
	from, to, size int
}

// newLongCopy fills the memory behind the code with bytes that differ.
func newLongCopy(b *testBench, from, to, size int) *longCopy {
	const start, length = 1 << 20, 3 << 20
	l := &longCopy{b: b, at: b.base + start, from: from, to: to, size: size}
	l.mem = unsafe.Slice((*byte)(guestPointer(l.at)), length)
	for n := range l.mem {
		l.mem[n] = byte(n*7 + n>>8*13)
	}
	l.want = bytes.Clone(l.mem)
	copy(l.want[to:to+size], l.want[from:from+size])
	b.s.X[0], b.s.X[1], b.s.X[2] = l.at+uint64(to), l.at+uint64(from), uint64(size)
	return l
}

func (l *longCopy) check(t *testing.T) {
	t.Helper()
	if !bytes.Equal(l.mem, l.want) || l.b.s.X[2] != 0 {
		t.Errorf("%d bytes, %+d: memory right: %t, x2 %d", l.size, l.to-l.from, bytes.Equal(l.mem, l.want), l.b.s.X[2])
	}
}

// Copies that are long enough for the host's copy instruction do what memmove does, at all
// distances from each other.
func TestLongCopies(t *testing.T) {
	b := newTestBench(t)
	b.put(0, copyWords...)
	const from = 1 << 20
	for _, size := range []int{1000, 1535, 1536, 1537, 4095, 32767, 32768, 32769, 100001} {
		for _, distance := range []int{5, 63, 64, 65, 1600, 4096, 32767, 32768, 40000, 99999, 300000} {
			for _, to := range []int{from + distance, from - distance} {
				l := newLongCopy(b, from, to, size)
				b.until(t, 0)
				l.check(t)
			}
		}
	}
}

// A fault in the middle of a long copy leaves registers from which it goes on.
func TestLongCopyFaults(t *testing.T) {
	b := newTestBench(t)
	b.put(0, copyWords...)
	const from, page = 1 << 20, 4096
	for _, distance := range []int{-1600, -40000, 300000} {
		for _, bad := range []int{from, from + 33*page, from + distance&^(page-1) + 20*page} {
			l := newLongCopy(b, from+100, from+distance+100, 60*page)
			at := l.at + uint64(bad)
			if errno := b.e.mem.Protect(at, page, unix.PROT_NONE); errno != 0 {
				t.Fatal(errno)
			}
			b.s.PC = b.pc(0)
			exit := b.run.Run(b.s)
			if exit.Kind != cpu.ExitFault || exit.PC != b.pc(1) || exit.Arg[0]&^(page-1) != at || b.s.X[2] == 0 || b.s.X[0]-b.s.X[1] != uint64(distance) {
				t.Fatalf("%v at %#x, address %#x, x2 %d", exit.Kind, exit.PC-b.base, exit.Arg[0]-l.at, b.s.X[2])
			}
			if errno := b.e.mem.Protect(at, page, unix.PROT_READ|unix.PROT_WRITE); errno != 0 {
				t.Fatal(errno)
			}
			b.until(t, 1)
			l.check(t)
		}
	}
}
