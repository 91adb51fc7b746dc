package cpu

import (
	"testing"

	"golang.org/x/sys/unix"
)

// After Empty nothing is mapped, what was there can be mapped again by anybody, and a break and a layout are set
// as for a new address space.
func TestEmpty(t *testing.T) {
	m := NewMemory()
	m.OnCompany(func() {})
	at := mustMap(t, m, 0, 3*pageSize, rw, anon)
	if e := m.Protect(at+pageSize, pageSize, unix.PROT_READ); e != 0 {
		t.Fatal(e)
	}
	low := mustMap(t, m, 0x1234_0000_0000, pageSize, rx, fixed)
	m.SetBrk(low + 0x100000)
	m.Brk(low + 0x110000)
	room := m.Room(4 * pageSize)
	m.Track(room, 4*pageSize)
	shrunk := m.shrunk.Load()

	m.Empty()
	if list := m.Regions(); len(list) != 0 || m.Brk(0) != 0 || m.Size() != 0 {
		t.Errorf("left are %v", list)
	}
	if m.shrunk.Load() == shrunk {
		t.Error("addresses that were the guest's are still thought to be")
	}
	for _, addr := range []uint64{at, low, low + 0x100000, room} {
		got, e := hostMmap(addr, pageSize, unix.PROT_NONE, fixed|unix.MAP_FIXED_NOREPLACE, -1, 0)
		if e != 0 || got != addr {
			t.Errorf("%#x is not free: %v", addr, e)
		}
		hostMunmap(addr, pageSize)
	}
	m.SetLayout(NewLayout(0, false, 0))
	if again := mustMap(t, m, 0, 3*pageSize, rw, anon); again < at {
		t.Errorf("mapped at %#x, want %#x or above", again, at)
	}
	if m.Unguard(0, MaxAddr) {
		t.Error("memory is tracked")
	}
	m.Empty()
}
