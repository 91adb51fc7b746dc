package cpu

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// highestByHand is where a mapping of size bytes belongs: the highest hole below the base
// in which it fits, aligned to huge pages if possible when it can be made of them.
func highestByHand(m *Memory, size uint64) uint64 {
	units := []uint64{pageSize}
	if size%hugePage == 0 {
		units = []uint64{hugePage, pageSize}
	}
	for _, unit := range units {
		end := m.layout.Base
		for _, r := range slices.Backward(append([]Region{{End: lowest}}, m.Regions()...)) {
			if r.End < end && r.End+size <= end {
				if at := (end - size) &^ (unit - 1); at >= r.End {
					return at
				}
			}
			end = min(m.layout.Base, r.guarded())
		}
	}
	return 0
}

// TestHighestHole maps and unmaps at random: each mapping whose address is left open goes into the
// highest hole, whatever is remembered of earlier searches.
func TestHighestHole(t *testing.T) {
	m := NewMemory()
	m.SetLayout(NewLayout(0, false, 12345<<20))
	rng := rand.New(rand.NewPCG(1, 2))
	for step := range 3000 {
		regions := m.Regions()
		size := (1 + rng.Uint64N(6)) * pageSize
		if rng.IntN(20) == 0 {
			size = hugePage * (1 + rng.Uint64N(2))
		}
		some := func() Region { return regions[rng.IntN(len(regions))] }
		switch n := rng.IntN(10); {
		case n < 5 || len(regions) < 5:
			flags := anon
			if rng.IntN(30) == 0 {
				flags |= unix.MAP_GROWSDOWN
			}
			want := highestByHand(m, size)
			if at := mustMap(t, m, 0, size, 1+rng.IntN(3), flags); at != want {
				t.Fatalf("step %d: mmap of %#x bytes at %#x, want %#x of\n%s", step, size, at, want, layout(m, m.layout.Base))
			}
		case n < 8:
			r := some()
			off := rng.Uint64N((r.End-r.Start)/pageSize) * pageSize
			if e := m.Unmap(r.Start+off, size); e != 0 {
				t.Fatal(e)
			}
		case n < 9:
			r := some()
			mustMap(t, m, r.Start-min(size, r.Start-lowest)/pageSize*pageSize, size, rw, fixed)
		default:
			r := some()
			if _, e := m.Remap(r.Start, r.End-r.Start, r.End-r.Start+size, unix.MREMAP_MAYMOVE, 0); e != 0 && e != unix.EFAULT {
				t.Fatal(e)
			}
		}
	}
	unmapAll(t, m)
}

func unmapAll(t *testing.T, m *Memory) {
	t.Helper()
	for _, r := range m.Regions() {
		if e := m.Unmap(r.Start, r.End-r.Start); e != 0 {
			t.Error(e)
		}
	}
}

// TestBottomUp is ADDR_COMPAT_LAYOUT: mappings go upwards into the first hole.
func TestBottomUp(t *testing.T) {
	m := NewMemory()
	m.SetLayout(NewLayout(8<<20, true, 0))
	defer unmapAll(t, m)
	first := mustMap(t, m, 0, 3*pageSize, rw, anon)
	second := mustMap(t, m, 0, pageSize, rw, anon)
	third := mustMap(t, m, 0, 2*hugePage, rw, anon)
	m.Unmap(first+pageSize, pageSize)
	hole := mustMap(t, m, 0, pageSize, unix.PROT_READ, anon)
	for name, got := range map[string][2]uint64{
		"first": {first, unmappedBase}, "second": {second, first + 3*pageSize}, "huge": {third, unmappedBase + hugePage}, "hole": {hole, first + pageSize},
	} {
		if got[0] != got[1] {
			t.Errorf("%s mapping at %#x, want %#x", name, got[0], got[1])
		}
	}
}

// TestObstacles has memory of emu's own where the guest's would go: it is found, survives, and
// the guest's goes below.
func TestObstacles(t *testing.T) {
	for name, do := range map[string]func(m *Memory, size uint64) (uint64, unix.Errno){
		"mmap": func(m *Memory, size uint64) (uint64, unix.Errno) { return m.Map(0, size, rw, anon, -1, 0) },
		"mremap": func(m *Memory, size uint64) (uint64, unix.Errno) {
			at, _ := m.Map(1<<30, pageSize, rw, anon, -1, 0)
			m.Map(at+pageSize, pageSize, unix.PROT_READ, anon, -1, 0)
			return m.Remap(at, pageSize, size, unix.MREMAP_MAYMOVE, 0)
		},
		"hint": func(m *Memory, size uint64) (uint64, unix.Errno) {
			return m.Map(m.layout.Base-4*pageSize, size, rw, anon, -1, 0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := NewMemory()
			m.SetLayout(NewLayout(0, false, 777<<20))
			defer unmapAll(t, m)
			own := m.layout.Base - 4*pageSize
			if _, e := hostMmap(own, pageSize, rw, anon|unix.MAP_FIXED_NOREPLACE, -1, 0); e != 0 {
				t.Fatal(e)
			}
			defer hostMunmap(own, pageSize)
			*b(own) = 42
			at, e := do(m, 5*pageSize)
			if want := own - 5*pageSize; e != 0 || at != want {
				t.Errorf("%#x, %v, want %#x", at, e, want)
			}
			if *b(own) != 42 {
				t.Error("the obstacle was replaced")
			}
			if at, want := mustMap(t, m, 0, 3*pageSize, unix.PROT_READ, anon), own+pageSize; at != want {
				t.Errorf("what fits above the obstacle is at %#x, want %#x", at, want)
			}
		})
	}
}

// TestHints maps at addresses that the guest would like.
func TestHints(t *testing.T) {
	m := NewMemory()
	m.SetLayout(NewLayout(0, false, 222<<20))
	defer unmapAll(t, m)
	const hint = 0x1234_5678_9000
	taken := mustMap(t, m, hint+16*pageSize, pageSize, rw, anon)
	stack := mustMap(t, m, hint+stackGap+64*pageSize, pageSize, rw, anon|unix.MAP_GROWSDOWN)
	for _, c := range []struct {
		name             string
		hint, size, want uint64 // want 0: elsewhere
	}{
		{"vacant", hint, pageSize, hint},
		{"within a page", hint + 4*pageSize + 5, pageSize, hint + 4*pageSize},
		{"taken", taken, pageSize, 0},
		{"too large", hint + 8*pageSize, 9 * pageSize, 0},
		{"in the gap below a stack", stack - 8*pageSize, pageSize, 0},
		{"below vm.mmap_min_addr", pageSize, pageSize, lowest},
		{"beyond the end", MaxAddr - pageSize, 2 * pageSize, 0},
	} {
		want := c.want
		if want == 0 {
			want = highestByHand(m, c.size)
		}
		if at := mustMap(t, m, c.hint, c.size, unix.PROT_READ, anon); at != want {
			t.Errorf("%s: %#x, want %#x", c.name, at, want)
		}
	}
}

// TestMapAtOnce has threads map at the same time.
func TestMapAtOnce(t *testing.T) {
	m := NewMemory()
	m.SetLayout(NewLayout(0, false, 333<<20))
	var wg sync.WaitGroup
	var mu sync.Mutex
	seen := map[uint64]bool{}
	for range 8 {
		wg.Go(func() {
			for range 500 {
				at, e := m.Map(0, pageSize, rw, anon, -1, 0)
				mu.Lock()
				if e != 0 || seen[at] {
					t.Errorf("mmap: %#x, %v", at, e)
				}
				seen[at] = true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if r := m.Regions(); len(r) != 1 || r[0].End-r[0].Start != 4000*pageSize {
		t.Errorf("%s: not 4,000 pages without a hole", layout(m, m.layout.Base))
	}
	unmapAll(t, m)
}

// TestRoom reserves memory that a child of vfork maps.
func TestRoom(t *testing.T) {
	m := NewMemory()
	m.SetLayout(NewLayout(0, false, 444<<20))
	defer unmapAll(t, m)
	const size = 64 * pageSize
	room := m.Room(size)
	if want := m.layout.Base - size; room != want {
		t.Fatalf("room at %#x, want %#x", room, want)
	}
	if at := mustMap(t, m, 0, pageSize, rw, anon); at != room-pageSize {
		t.Errorf("a mapping beside a room at %#x, want %#x", at, room-pageSize)
	}
	m.DropRoom(room, size)
	if at := mustMap(t, m, 0, pageSize, rw, anon); at != m.layout.Base-pageSize {
		t.Errorf("a mapping after the room at %#x, want %#x", at, m.layout.Base-pageSize)
	}
	room = m.Room(size)
	m.Track(room, size) // as the child does
	if at := mustMap(t, m, 0, pageSize, rw, anon); at != room+size-pageSize {
		t.Errorf("memory of a child of vfork at %#x, want %#x", at, room+size-pageSize)
	}
	m.Untrack()
	if at := mustMap(t, m, 0, 8*size, unix.PROT_READ, anon); at >= room {
		t.Errorf("memory at %#x is too large for the room at %#x", at, room)
	}
}

// TestLayouts checks that stack and mappings keep apart and within their part of the address
// space, whatever chance says.
func TestLayouts(t *testing.T) {
	for _, stack := range []uint64{0, 8 << 20, 1 << 30, 1 << 46, 1<<64 - 1} {
		for _, random := range []uint64{0, 1, stackRandom - 1, stackRandom*mmapRandom - 1, 1<<64 - 1} {
			down, up := NewLayout(stack, false, random), NewLayout(stack, true, random)
			if down.StackTop > stackEnd || down.StackTop-down.Base < min(stack, stackEnd/2)+stackGap || down.Base%pageSize != 0 || down.Base < 1<<40 {
				t.Errorf("stack %#x, random %#x: %+v", stack, random, down)
			}
			if up.Base < unmappedBase || up.Base >= 0x5500_0000_0000 || up.StackTop != down.StackTop {
				t.Errorf("stack %#x, random %#x, bottom-up: %+v", stack, random, up)
			}
		}
	}
}

// BenchmarkMapUnmap maps and unmaps a page below 2,000 and 30,000 mappings.
func BenchmarkMapUnmap(b *testing.B) {
	for _, n := range []int{2000, 30000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			m := NewMemory()
			var low, top uint64
			for i := range n {
				low, _ = m.Map(0, pageSize, 1+2*(i&1), anon, -1, 0)
				top = max(top, low+pageSize)
			}
			for b.Loop() {
				at, _ := m.Map(0, pageSize, rw|unix.PROT_EXEC, anon, -1, 0)
				m.Unmap(at, pageSize)
			}
			m.Unmap(low, top-low)
		})
	}
}
