package cpu

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// Elements fault that lie in pages without memory, in those that may not be read, and in
// those of a file behind its end, or reach into one.
func TestFaults(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page")
	if err := os.WriteFile(path, make([]byte, PageSize), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m := NewMemory()
	private := unix.MAP_PRIVATE
	at, errno := m.Map(0, 6*PageSize, unix.PROT_READ|unix.PROT_WRITE, private|unix.MAP_ANONYMOUS, -1, 0)
	if errno != 0 {
		t.Fatal(errno)
	}
	defer m.Unmap(at, 6*PageSize)
	const fixed = unix.MAP_FIXED
	if _, errno := m.Map(at+PageSize, PageSize, unix.PROT_NONE, private|fixed|unix.MAP_ANONYMOUS, -1, 0); errno != 0 {
		t.Fatal(errno)
	}
	if _, errno := m.Map(at+2*PageSize, 2*PageSize, unix.PROT_READ, private|fixed, int(f.Fd()), 0); errno != 0 {
		t.Fatal(errno)
	}
	if errno := m.Unmap(at+5*PageSize, PageSize); errno != 0 {
		t.Fatal(errno)
	}
	for _, tt := range []struct {
		name              string
		page, off         int
		count, size, step int
		want              uint64
	}{
		{"all readable", 0, 0, 16, 1, 1, 0},
		{"PROT_NONE behind", 1, -4, 16, 1, 1, 0xfff0},
		{"one that reaches into it", 1, -6, 4, 4, 4, 0x1110},
		{"PROT_NONE in front", 2, -8, 2, 8, 8, 0x01},
		{"end of the file", 3, -3, 8, 1, 2, 0x5540},
		{"behind the file's end, memory behind", 4, -8, 4, 4, 4, 0x11},
		{"unmapped behind", 5, -1, 2, 1, 8, 0x100},
		{"one element", 5, 0, 1, 8, 16, 1},
	} {
		addr := at + uint64(tt.page)*PageSize + uint64(tt.off)
		for _, top := range []uint64{0, 0x5a << 56} {
			if got := new(State).Faults(addr|top, tt.count, tt.size, tt.step, false); got != tt.want {
				t.Errorf("%s, top byte %#x: %#x, want %#x", tt.name, top>>56, got, tt.want)
			}
		}
	}
	if got := new(State).Faults(1<<63, 1, 1, 1, false); got != 1 {
		t.Errorf("an address of the kernel can be read")
	}
}
