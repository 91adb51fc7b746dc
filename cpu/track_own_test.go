package cpu

import (
	"fmt"
	"testing"

	"golang.org/x/sys/unix"
)

// Of pages that are not protected the kernel tells which were written since a fork: here, where there was none, all that
// are present, and what is mapped or protected anew. What was
// written before the process forks still counts afterwards, where it is another's as well.
func TestOwnPages(t *testing.T) {
	proc, err := unix.Open("/proc", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Skip("needs /proc mounted: ", err)
	}
	defer unix.Close(proc)
	m := NewMemory()
	at := mustMap(t, m, 0, 6*pageSize, rw, anon)
	defer m.Unmap(at, 6*pageSize)
	*b(at), *b(at + pageSize), *b(at + 5*pageSize) = 1, 2, 3
	m.Track(0, 0, proc)
	defer m.Untrack()
	*b(at + 3*pageSize) = 4 // does not fault
	if e := m.Protect(at+5*pageSize, pageSize, unix.PROT_READ); e != 0 {
		t.Fatal(e)
	}
	changes := func() (s string) {
		m.Changes(func(addr uint64, now []byte) { s += fmt.Sprintf("%d:%d %d ", (addr-at)/pageSize, len(now), now[0]) })
		return s
	}
	const want = "0:4096 1 1:4096 2 3:4096 4 5:4096 3 "
	if got := changes(); got != want {
		t.Errorf("changes %q, want %q", got, want)
	}
	m.TrackedForks()
	if len(m.track.written) != 4 || !m.track.written[at+3*pageSize] {
		t.Errorf("noted for the fork are %v", m.track.written)
	}
	if got := changes(); got != want {
		t.Errorf("after a fork changes %q, want %q", got, want)
	}
	if m.Unguard(at, at+6*pageSize) {
		t.Error("pages were protected")
	}
}
