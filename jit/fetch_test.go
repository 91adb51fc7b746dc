//go:build linux && amd64

package jit

import (
	"testing"

	"emu/cpu"

	"golang.org/x/sys/unix"
)

// Code in page 0 is read and guarded like that of other pages: 0 stood for none.
func TestFetchFromPageZero(t *testing.T) {
	m := cpu.NewMemory()
	const prot, flags = unix.PROT_READ | unix.PROT_WRITE | unix.PROT_EXEC, unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_FIXED
	if _, errno := m.Map(0, cpu.PageSize, prot, flags, -1, 0); errno != 0 {
		t.Skip("needs vm.mmap_min_addr=0, or root: ", errno)
	}
	defer m.Unmap(0, cpu.PageSize)
	*(*uint32)(guestPointer(0)) = 0xd503201f
	f := fetcher{mem: m}
	if w, ok := f.word(0); !ok || w != 0xd503201f {
		t.Errorf("read %#x, %v", w, ok)
	}
	if !m.Unguard(0, 4) {
		t.Error("the page was not guarded")
	}
	if !holds(0, []byte{0x1f, 0x20, 0x03, 0xd5}) || holds(0, []byte{0}) {
		t.Error("it is not seen to hold what was written")
	}
}
