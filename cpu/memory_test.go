package cpu

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	rw       = unix.PROT_READ | unix.PROT_WRITE
	rx       = unix.PROT_READ | unix.PROT_EXEC
	anon     = unix.MAP_PRIVATE | unix.MAP_ANONYMOUS
	fixed    = anon | unix.MAP_FIXED
	pageSize = PageSize
)

func mustMap(t *testing.T, m *Memory, addr, size uint64, prot, flags int) uint64 {
	t.Helper()
	at, errno := m.Map(addr, size, prot, flags, -1, 0)
	if errno != 0 {
		t.Fatalf("mmap(%#x, %#x): %v", addr, size, errno)
	}
	return at
}

func b(addr uint64) *byte { return *(**byte)(unsafe.Pointer(&addr)) }

// layout prints the regions relative to base, in pages.
func layout(m *Memory, base uint64) string {
	var out []string
	for _, r := range m.Regions() {
		out = append(out, fmt.Sprintf("%d-%d:%d", int64(r.Start-base)/pageSize, int64(r.End-base)/pageSize, r.Prot))
	}
	return strings.Join(out, " ")
}

func TestRegionsSplitAndMerge(t *testing.T) {
	m := NewMemory()
	base := mustMap(t, m, 0, 8*pageSize, rw, anon)
	for _, step := range []struct {
		name string
		do   func() unix.Errno
		want string
	}{
		{"protect the middle", func() unix.Errno { return m.Protect(base+2*pageSize, 2*pageSize, unix.PROT_READ) }, "0-2:3 2-4:1 4-8:3"},
		{"protect it back", func() unix.Errno { return m.Protect(base+2*pageSize, 2*pageSize, rw) }, "0-8:3"},
		{"punch a hole", func() unix.Errno { return m.Unmap(base+pageSize, pageSize) }, "0-1:3 2-8:3"},
		{"unmap nothing", func() unix.Errno { return m.Unmap(base+pageSize, pageSize) }, "0-1:3 2-8:3"},
		{"protect over the hole", func() unix.Errno { return m.Protect(base, 4*pageSize, unix.PROT_READ) }, "0-1:1 2-8:3"},
		{"fill the hole", func() unix.Errno {
			_, e := m.Map(base+pageSize, pageSize, unix.PROT_READ, fixed, -1, 0)
			return e
		}, "0-2:1 2-8:3"},
		{"replace across", func() unix.Errno { _, e := m.Map(base+pageSize, 3*pageSize, rx, fixed, -1, 0); return e }, "0-1:1 1-4:5 4-8:3"},
		{"unmap all", func() unix.Errno { return m.Unmap(base, 8*pageSize) }, ""},
	} {
		errno := step.do()
		if wantErr := step.name == "protect over the hole"; (errno != 0) != wantErr {
			t.Errorf("%s: errno %v", step.name, errno)
		}
		if got := layout(m, base); got != step.want {
			t.Errorf("%s: regions %q, want %q", step.name, got, step.want)
		}
	}
}

// What is not the guest's must survive MAP_FIXED, munmap and mprotect.
func TestForeignMemoryIsOutOfReach(t *testing.T) {
	m := NewMemory()
	own, err := unix.Mmap(-1, 0, 2*pageSize, rw, anon)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(own)
	own[0] = 42
	addr := uint64(uintptr(unsafe.Pointer(&own[0])))
	if _, errno := m.Map(addr, pageSize, rw, fixed, -1, 0); errno != unix.ENOMEM {
		t.Errorf("MAP_FIXED over the emulator: %v, want ENOMEM", errno)
	}
	if _, errno := m.Map(addr, pageSize, rw, anon|unix.MAP_FIXED_NOREPLACE, -1, 0); errno != unix.EEXIST {
		t.Errorf("MAP_FIXED_NOREPLACE over the emulator: %v, want EEXIST", errno)
	}
	if errno := m.Unmap(addr, pageSize); errno != 0 {
		t.Errorf("munmap of what the guest does not own: %v, want success", errno)
	}
	if errno := m.Protect(addr, pageSize, unix.PROT_NONE); errno != unix.ENOMEM {
		t.Errorf("mprotect of what the guest does not own: %v, want ENOMEM", errno)
	}
	if at := mustMap(t, m, addr, pageSize, rw, anon); at == addr {
		t.Error("a hint at the emulator's memory was honoured")
	}
	if own[0] != 42 {
		t.Error("the emulator's memory changed")
	}
}

func TestMapErrors(t *testing.T) {
	m := NewMemory()
	for _, tc := range []struct {
		addr, length uint64
		flags        int
		off          int64
		want         unix.Errno
	}{
		{0, 0, anon, 0, unix.EINVAL},
		{0, pageSize, anon, 1, unix.EINVAL},
		{123, pageSize, fixed, 0, unix.EINVAL},
		{1 << 47, pageSize, fixed, 0, unix.ENOMEM},
		{1<<64 - pageSize, 2 * pageSize, fixed, 0, unix.ENOMEM},
		{0, 1<<64 - 1, anon, 0, unix.ENOMEM},
		{0, pageSize, unix.MAP_ANONYMOUS, 0, unix.EINVAL},
	} {
		if _, errno := m.Map(tc.addr, tc.length, rw, tc.flags, -1, tc.off); errno != tc.want {
			t.Errorf("mmap(%#x, %#x, flags %#x, off %d): %v, want %v", tc.addr, tc.length, tc.flags, tc.off, errno, tc.want)
		}
	}
	if n := len(m.Regions()); n != 0 {
		t.Errorf("%d regions after failures only", n)
	}
}

func TestRemap(t *testing.T) {
	m := NewMemory()
	base := mustMap(t, m, 0, 5*pageSize, rw, anon)
	*b(base + 3*pageSize) = 7
	m.Protect(base+4*pageSize, pageSize, unix.PROT_READ) // in the way
	at, errno := m.Remap(base, 4*pageSize, 64*pageSize, unix.MREMAP_MAYMOVE, 0)
	if errno != 0 {
		t.Fatal(errno)
	}
	if *b(at + 3*pageSize) != 7 {
		t.Error("contents lost")
	}
	if !m.OK(at, 64*pageSize, rw) || at != base && m.OK(base, 1, 0) {
		t.Errorf("regions after the move: %+v", m.Regions())
	}
	if _, errno := m.Remap(at, 64*pageSize, 2*pageSize, 0, 0); errno != 0 || m.OK(at+2*pageSize, 1, 0) {
		t.Errorf("shrinking: %v, %+v", errno, m.Regions())
	}
	if _, errno := m.Remap(MaxAddr-pageSize, pageSize, 2*pageSize, unix.MREMAP_MAYMOVE, 0); errno != unix.EFAULT {
		t.Errorf("mremap of nothing: %v, want EFAULT", errno)
	}
}

func TestBrk(t *testing.T) {
	m := NewMemory()
	room := mustMap(t, m, 0, 16*pageSize, rw, anon)
	m.Unmap(room, 16*pageSize)
	m.SetBrk(room + 100)
	start := m.Brk(0)
	if start != room+pageSize {
		t.Fatalf("break starts at %#x, want %#x", start, room+pageSize)
	}
	if got := m.Brk(start + 5000); got != start+5000 {
		t.Fatalf("grew to %#x", got)
	}
	*b(start + 5000) = 1
	if got := m.Brk(start + 10); got != start+10 {
		t.Errorf("shrank to %#x", got)
	}
	if m.OK(start+pageSize, 1, 0) {
		t.Error("pages above the break stay mapped")
	}
	if got := m.Brk(start + 5000); *b(got - 1) != 0 {
		t.Error("regrown break is not zeroed")
	}
	if got := m.Brk(1 << 50); got != start+5000 {
		t.Errorf("an impossible break gave %#x", got)
	}
}

// A store to a page with translated code must be noticed once, and the page must
// be writable afterwards.
func TestGuardedCode(t *testing.T) {
	m := NewMemory()
	var dropped []uint64
	m.OnCodeChange(func(start, end uint64) { dropped = append(dropped, start) })
	at := mustMap(t, m, 0, 2*pageSize, rw|unix.PROT_EXEC, anon)
	*b(at) = 1
	dropped = nil
	m.GuardCode(at, at+4)
	if m.Unguard(at+pageSize, at+pageSize+1) {
		t.Error("a page that was not guarded was given back")
	}
	// The address of a fault at the top of the address space: this did not end.
	if top := ^uint64(15); m.Unguard(top, top+1) {
		t.Error("a page outside of the guest was given back")
	}
	if !m.Unguard(at+8, at+9) || len(dropped) != 1 || dropped[0] != at {
		t.Errorf("store not noticed: dropped %#x", dropped)
	}
	*b(at) = 2
	if m.Unguard(at, at+1) {
		t.Error("noticed twice")
	}
	m.GuardCode(at, at+4)
	m.Protect(at, pageSize, rw)
	*b(at) = 3 // the new protection replaces the guard
	if m.Unguard(at, at+1) {
		t.Error("mprotect left the guard in place")
	}
}

// Two threads fault at the same guard. The second one finds it gone, and must not
// take that for a fault of the guest, which lost Java's threads now and then.
func TestRepeatAfterAnotherThread(t *testing.T) {
	const mapErr, accErr = 1, 2
	m := NewMemory()
	at := mustMap(t, m, 0, 2*pageSize, rw|unix.PROT_EXEC, anon)
	m.Protect(at+pageSize, pageSize, unix.PROT_READ|unix.PROT_EXEC)
	m.GuardCode(at, at+2*pageSize)
	for n := range 2 {
		if !m.Repeat(at+8, accErr, true) {
			t.Errorf("store number %d to a page that was guarded is not repeated", n+1)
		}
	}
	for _, no := range []struct {
		addr, code uint64
		write      bool
	}{{at + pageSize, accErr, true}, {at, mapErr, true}, {at + 2*pageSize, accErr, true}, {^uint64(0), accErr, false}} {
		if m.Repeat(no.addr, no.code, no.write) {
			t.Errorf("a fault of the guest is repeated: %+v", no)
		}
	}
}

// Memory of a guest without FEAT_MTE may lie where tags would be: a vfork child that
// stored there died of SIGBUS.
func TestTrackedMemoryWhereTagsWouldBe(t *testing.T) {
	m := NewMemory()
	at := mustMap(t, m, TagBase+0x28c9000000, pageSize, rw, fixed)
	defer m.Unmap(at, pageSize)
	*b(at) = 1
	m.Track(0, 0)
	defer m.Untrack()
	if !m.Unguard(at, at+1) {
		t.Fatal("the first store to a tracked page cannot be repeated")
	}
	*b(at) = 2
	changed := ""
	m.Changes(func(addr uint64, now []byte) { changed += fmt.Sprintf("%#x: %v", addr-at, now) })
	if changed != "0x0: [2]" {
		t.Errorf("changes %q", changed)
	}
}

func TestFileRegions(t *testing.T) {
	m := NewMemory()
	path := filepath.Join(t.TempDir(), "lib")
	if err := os.WriteFile(path, make([]byte, 4*pageSize), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	at, errno := m.Map(0, 4*pageSize, rx, unix.MAP_PRIVATE, int(f.Fd()), 0)
	if errno != 0 {
		t.Fatal(errno)
	}
	m.Unmap(at+pageSize, pageSize)
	r, ok := m.Find(at + 3*pageSize)
	if !ok || r.Path != path || r.Offset != 2*pageSize || r.Ino == 0 {
		t.Errorf("region after the hole: %+v", r)
	}
}
