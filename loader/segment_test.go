package loader

import (
	"bytes"
	"debug/elf"
	"strings"
	"testing"

	"emu/cpu"

	"golang.org/x/sys/unix"
)

const (
	rx = uint64(elf.PF_R | elf.PF_X)
	rw = uint64(elf.PF_R | elf.PF_W)
)

// Where segments share pages the later one has them, file, bss and protection: fixed programs with
// such segments were refused.
func TestOverlappingSegments(t *testing.T) {
	for _, c := range []struct {
		name string
		segs [2][6]uint64
		want string // of each quarter of the four pages: f a byte of the file, 0 zero
		prot string // of each page
	}{
		{"inside", [2][6]uint64{{ptLoad, rx, 0x1000, free, 0x2000, 0x2000}, {ptLoad, rw, 0x1000, free + 0x1000, 0x800, 0x1000}}, "ffffff00", "xw"},
		{"bss below", [2][6]uint64{{ptLoad, rw, 0x1000, free, 0x400, 0x4000}, {ptLoad, rx, 0x1000, free + 0x2000, 0x1000, 0x1000}}, "f0000000ffff0000", "wwxw"},
		{"bss above", [2][6]uint64{{ptLoad, rx, 0x1000, free + 0x1000, 0x2000, 0x2000}, {ptLoad, rw, 0x1000, free, 0x400, 0x2000}}, "f0000000ffff", "wwx"},
		{"the same page", [2][6]uint64{{ptLoad, rx, 0x1000, free, 0x1800, 0x1800}, {ptLoad, rw, 0x2800, free + 0x1800, 0x400, 0x800}}, "fffffff0", "xw"},
		{"bss alone", [2][6]uint64{{ptLoad, rx, 0x1000, free, 0x2000, 0x2000}, {ptLoad, rw, 0, free + 0x1800, 0, 0x800}}, "ffff0000", "xw"},
	} {
		m := cpu.NewMemory()
		if _, err := load(t, m, program(elf.ET_EXEC, free, c.segs[0], c.segs[1])); err != nil {
			t.Errorf("%s: %v", c.name, err)
			unload(m)
			continue
		}
		for i, want := range c.want {
			at := free + 0x400*uint64(i)
			b := byte(0)
			if want == 'f' {
				b = 0xcc
			}
			if !bytes.Equal(guest(at, at+0x400), bytes.Repeat([]byte{b}, 0x400)) {
				t.Errorf("%s: quarter %d of the pages is not %c", c.name, i, want)
			}
		}
		for i, want := range c.prot {
			prot := map[rune]int{'x': unix.PROT_READ | unix.PROT_EXEC, 'w': unix.PROT_READ | unix.PROT_WRITE}[want]
			if r, _ := m.Find(free + cpu.PageSize*uint64(i)); r.Prot != prot {
				t.Errorf("%s: protection %d of page %d, want %d", c.name, r.Prot, i, prot)
			}
		}
		unload(m)
	}
}

// The emulator is blamed for what it has taken, and for nothing else: it was when memory was short.
func TestWhySegmentsAreNotMapped(t *testing.T) {
	data := program(elf.ET_EXEC, free, [6]uint64{ptLoad, rw, 0x1000, free, 0x1000, 0x8000})
	m := cpu.NewMemory()
	defer unload(m)
	m.SetLimits(cpu.Limits{AddressSpace: 0x4000})
	const short = "guest: segment 0 at 0x100000000: mapping 28672 bytes at 0x100001000: cannot allocate memory"
	if _, err := load(t, m, data); err == nil || err.Error() != short {
		t.Errorf("error %v, want %s", err, short)
	}
	unload(m)

	m.SetLimits(cpu.Limits{})
	var own uint64 = free + 0x3000
	const size, flags = 0x2000, unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_FIXED_NOREPLACE
	if _, _, errno := unix.Syscall6(unix.SYS_MMAP, uintptr(own), size, unix.PROT_NONE, flags, ^uintptr(0), 0); errno != 0 {
		t.Fatal(errno)
	}
	defer unix.Syscall(unix.SYS_MUNMAP, uintptr(own), size, 0)
	const taken = "the addresses 0x100001000-0x100008000 are needed, and 0x100003000-0x100005000 are the emulator's own"
	if _, err := load(t, m, data); err == nil || !strings.Contains(err.Error(), taken) {
		t.Errorf("error %v, want one with %q", err, taken)
	}
}
