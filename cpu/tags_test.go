package cpu

import (
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// tagged returns a Memory with room for tags, until the test ends.
func tagged(t *testing.T) *Memory {
	t.Helper()
	m := NewMemory()
	if err := m.EnableTags(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.DisableTags)
	return m
}

func wantTags(t *testing.T, m *Memory, what string, addr uint64, want ...byte) {
	t.Helper()
	if got := m.Tags(addr, uint64(len(want))); !slices.Equal(got, want) {
		t.Errorf("%s: tags %v, want %v", what, got, want)
	}
}

// Tags come with ProtMTE, zero, stay under mprotect, move with mremap, and go with the
// memory; a range of more than 64 KiB has whole pages of tags, which go back to the
// host, between parts of pages.
func TestTagsFollowMemory(t *testing.T) {
	m := tagged(t)
	const size = 40 * pageSize
	base := mustMap(t, m, 0, size, rw, anon)
	if n := m.SetTags(base, []byte{1}); n != 0 {
		t.Errorf("%d tags set without ProtMTE", n)
	}
	if e := m.Protect(base, size, rw|ProtMTE); e != 0 {
		t.Fatal(e)
	}
	wantTags(t, m, "new", base, 0, 0)
	for page := base; page < base+size; page += pageSize {
		if n := m.SetTags(page+pageSize-2*Granule, []byte{3, 0x14}); n != 2 {
			t.Fatalf("%d tags set", n)
		}
	}
	if e := m.Protect(base, size, unix.PROT_READ); e != 0 {
		t.Fatal(e)
	}
	last := base + size - 2*Granule
	wantTags(t, m, "after mprotect", last, 3, 4)
	to, e := m.Remap(base, size, size+pageSize, unix.MREMAP_MAYMOVE|unix.MREMAP_FIXED, mustMap(t, m, 0, size+pageSize, unix.PROT_NONE, anon))
	if e != 0 {
		t.Fatal(e)
	}
	wantTags(t, m, "moved", to+size-2*Granule, 3, 4, 0)
	mustMap(t, m, base, size, rw|ProtMTE, fixed)
	wantTags(t, m, "the old place", last, 0, 0)
	m.ZeroTags(to+pageSize, to+size)
	wantTags(t, m, "kept", to+pageSize-Granule, 4, 0)
	wantTags(t, m, "dropped", to+size-2*Granule, 0, 0)
	if e := m.Unmap(to, size+pageSize); e != 0 {
		t.Fatal(e)
	}
	wantTags(t, m, "unmapped", to)
	mustMap(t, m, to, size, rw|ProtMTE, fixed)
	wantTags(t, m, "mapped again", to+pageSize-Granule, 0, 0)
}

// The tags of shared memory are those of the object, wherever it is mapped, and stay as
// long as it does.
func TestSharedTags(t *testing.T) {
	m := tagged(t)
	memfd, err := unix.MemfdCreate("tags", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(memfd)
	unix.Ftruncate(memfd, 4*pageSize)
	shared := func(pages uint64, flags int, offset int64) uint64 {
		at, e := m.Map(0, pages*pageSize, rw|ProtMTE, unix.MAP_SHARED|flags, memfd, offset)
		if e != 0 {
			t.Fatal(e)
		}
		return at
	}
	whole, part := shared(4, 0, 0), shared(2, 0, pageSize)
	m.SetTags(whole+2*pageSize, []byte{1, 2})
	wantTags(t, m, "another mapping", part+pageSize, 1, 2, 0)
	if at, found := Mismatch(part+pageSize, Granule); !found || at != part+pageSize {
		t.Errorf("no mismatch with a shared tag")
	}
	if _, found := Mismatch(part+pageSize|1<<TagShift, Granule); found {
		t.Errorf("a shared tag does not match")
	}
	if e := m.Protect(part, pageSize, unix.PROT_READ); e != 0 { // splits it
		t.Fatal(e)
	}
	m.SetTags(part+2*pageSize-Granule, []byte{5})
	wantTags(t, m, "the other end", whole+3*pageSize-Granule, 5, 0)
	moved, e := m.Remap(part+pageSize, pageSize, 2*pageSize, unix.MREMAP_MAYMOVE, 0)
	if e != 0 {
		t.Fatal(e)
	}
	m.SetTags(whole+3*pageSize, []byte{7})
	wantTags(t, m, "moved and longer", moved+pageSize-Granule, 5, 7)
	m.ZeroTags(moved, moved+pageSize)
	wantTags(t, m, "MADV_DONTNEED", moved, 1, 2)
	m.Advised(moved, moved+pageSize, unix.MADV_REMOVE)
	wantTags(t, m, "MADV_REMOVE", whole+2*pageSize, 0, 0)
	m.Unmap(whole, 4*pageSize)
	m.Unmap(moved, 2*pageSize)
	wantTags(t, m, "mapped again", shared(1, 0, 3*pageSize), 7)

	a := shared(3, unix.MAP_ANONYMOUS, 0)
	b := shared(3, unix.MAP_ANONYMOUS, 0)
	m.SetTags(a+pageSize, []byte{9})
	wantTags(t, m, "another object", b+pageSize, 0)
	m.Unmap(a, pageSize)
	wantTags(t, m, "what is left of it", a+pageSize, 9)
	for _, at := range []uint64{a, b} { // now of one object
		m.ShareTags(at, Object{^uint64(0), 1})
	}
	m.Unmap(a, 3*pageSize)
	m.Unmap(b, 3*pageSize)
	for range 2 * mostStores { // objects that no mapping shows
		at := shared(1, unix.MAP_ANONYMOUS, 0)
		m.ShareTags(at, Object{^uint64(0), at})
		m.Unmap(at, pageSize)
	}
	if len(m.stores) > mostStores {
		t.Errorf("%d objects have tags, though no mapping shows them", len(m.stores))
	}
}

// A child finds no tags in memory that was wiped, and nothing where it was given nothing.
func TestForkedTags(t *testing.T) {
	m := tagged(t)
	base := mustMap(t, m, 0, 4*pageSize, rw|ProtMTE, anon)
	for page := base; page < base+4*pageSize; page += pageSize {
		m.SetTags(page, []byte{3})
	}
	m.Advised(base, base+3*pageSize, unix.MADV_WIPEONFORK)
	m.Advised(base+pageSize, base+2*pageSize, unix.MADV_KEEPONFORK)
	m.Advised(base+3*pageSize, base+4*pageSize, unix.MADV_DONTFORK)
	m.Forked(nil)
	wantTags(t, m, "wiped", base, 0)
	wantTags(t, m, "kept", base+pageSize, 3)
	wantTags(t, m, "wiped behind it", base+2*pageSize, 0)
	if r, ok := m.Find(base + 3*pageSize); ok {
		t.Errorf("the child has %v", r)
	}
	m.Unmap(base, 3*pageSize)
	hostMunmap(base+3*pageSize, pageSize)
}

// mmap and mprotect refuse tags for files that are not in memory.
func TestTaggable(t *testing.T) {
	m := tagged(t)
	memfd, err := unix.MemfdCreate("tags", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(memfd)
	unix.Ftruncate(memfd, pageSize)
	exe, err := unix.Open("/proc/self/exe", unix.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(exe)
	if _, e := m.Map(0, pageSize, rw|ProtMTE, unix.MAP_PRIVATE, memfd, 0); e != 0 {
		t.Errorf("memfd: %v", e)
	}
	if _, e := m.Map(0, pageSize, unix.PROT_READ|ProtMTE, unix.MAP_PRIVATE, exe, 0); e != unix.EINVAL {
		t.Errorf("file: %v", e)
	}
	at, e := m.Map(0, pageSize, unix.PROT_READ, unix.MAP_PRIVATE, exe, 0)
	if e != 0 {
		t.Fatal(e)
	}
	if e := m.Protect(at, pageSize, unix.PROT_READ|ProtMTE); e != unix.EINVAL {
		t.Errorf("mprotect of a file: %v", e)
	}
}

func TestMismatch(t *testing.T) {
	m := tagged(t)
	base := mustMap(t, m, 0, 2*pageSize, rw, anon)
	if e := m.Protect(base, pageSize, rw|ProtMTE); e != 0 {
		t.Fatal(e)
	}
	m.SetTags(base, []byte{5, 5, 6})
	m.SetTags(base+pageSize-Granule, []byte{5})
	five := uint64(0xa5) << TagShift
	for _, tt := range []struct{ addr, n, at uint64 }{
		{base | five, 32, 0},
		{base + 24 | five, 9, base + 32 | 5<<TagShift},
		{base + 33 | five, 1, base + 33 | 5<<TagShift},
		{base, 1, base},
		{base + pageSize - 8 | five, 16, 0}, // the next page has no tags
		{0x10 | five, 8, 0},
		{MaxAddr - 8 | five, 16, 0},
	} {
		at, found := Mismatch(tt.addr, tt.n)
		if at != tt.at || found != (tt.at != 0) {
			t.Errorf("%#x+%d: %#x %v, want %#x", tt.addr, tt.n, at, found, tt.at)
		}
	}
	s := &State{TagFaults: TagSync}
	if got, want := s.CheckTags(base, 1, true), base|1<<63; got != want {
		t.Errorf("write: %#x, want %#x", got, want)
	}
	s.Modes = ModeTCO
	if got := s.CheckTags(base, 1, false); got != 0 {
		t.Errorf("with PSTATE.TCO: %#x", got)
	}
	s = &State{TagFaults: TagSync | TagAsync}
	if got := s.CheckTags(base, 1, false); got != 0 || s.TagFault != 1 {
		t.Errorf("asynchronous: %#x, noted %d", got, s.TagFault)
	}
}

func TestChoosingTags(t *testing.T) {
	for _, tt := range []struct{ tag, offset, exclude, want uint64 }{
		{3, 0, 0, 3}, {3, 4, 0, 7}, {15, 1, 0, 0},
		{3, 0, 1 << 3, 4}, {3, 1, 1<<4 | 1<<5, 6}, {3, 2, 1<<4 | 1<<6, 7},
		{9, 5, 0xffff, 0}, {9, 0, 0xffff, 0}, {2, 15, 0xfffe, 0}, {7, 3, 0xff7f, 7},
	} {
		if got := NextTag(tt.tag, tt.offset, tt.exclude); got != tt.want {
			t.Errorf("%d steps from %d without %#x: %d, want %d", tt.offset, tt.tag, tt.exclude, got, tt.want)
		}
	}
	seen := uint64(0)
	for n := range uint64(64) {
		seen |= 1 << RandomTag(n, 0x8421)
	}
	if seen != 0x7bde || RandomTag(9, 0xffff) != 0 {
		t.Errorf("random tags %#x", seen)
	}
}
