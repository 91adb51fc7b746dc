package syscalls

import (
	"encoding/binary"
	"slices"
	"testing"
)

// dirents makes a buffer as getdents64 fills it.
func dirents(names ...string) (b []byte) {
	for _, name := range names {
		entry := make([]byte, (19+len(name)+1+7)&^7)
		binary.LittleEndian.PutUint16(entry[16:], uint16(len(entry)))
		copy(entry[19:], name)
		b = append(b, entry...)
	}
	return b
}

// TestFilterDirents removes entries, also of a buffer that another thread of the guest
// writes to meanwhile: a length beyond the buffer's end was a panic.
func TestFilterDirents(t *testing.T) {
	odd := func(number int) bool { return number%2 == 1 }
	if got, want := filterDirents(dirents(".", "1", "2", "x", "12"), odd), dirents(".", "1", "x"); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, size := range []uint16{0, 1, 19, 49, 0xffff} {
		b := dirents("2", "4")
		binary.LittleEndian.PutUint16(b[24+16:], size)
		if got := filterDirents(slices.Clone(b), odd); !slices.Equal(got, b[24:]) {
			t.Errorf("with a length of %d: got %q, want %q", size, got, b[24:])
		}
	}
}
