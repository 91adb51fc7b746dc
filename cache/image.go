package cache

import (
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"emu/ir"
	"emu/jit/host"

	"golang.org/x/sys/unix"
)

// An image is the code of many units of one file of guest code as another process has laid it
// out, its units linked to each other. It comes into code memory a chunk at a time, without a
// Block for each unit: most units are only ever reached from others. Those that
// fault, whose counter runs out or that are linked with other code are adopted: they get a Block. An image lies behind the regions
// and is never evicted.
type Image struct {
	ImageTables
	base     uintptr // of the code
	counters uintptr // of the first unit's
	lo, hi   uint64  // guest code

	loaded  []atomic.Bool // chunks
	set     [][]uint32    // by chunk, what the counters were last set to, but for adopted units; guarded by the cache's lock, as are those below
	gone    []bool        // units that nothing leads to any more
	touched []bool        // pieces of populateImage bytes of the code that have been asked for
	heirs   map[int]*Block
	whole   *Block // stands for all units, in exits that lead to heirs

	mu     sync.Mutex // a leaf: nobody waits for anything with it
	blocks map[int]*Block
}

// An image begins with a jump to each stub: its code goes to those, whose distance is the same wherever it lies, so that
// a chunk has no field for each exit that would have to be written once it is copied.
const (
	stubJump = 8
	// ImageCode is where the units of an image begin, as offsets in it count.
	ImageCode = (int(host.Counter)*stubJump + host.LoopAlign - 1) &^ (host.LoopAlign - 1)
)

// ImageStub is the offset in an image of its jump to s.
func ImageStub(s host.Stub) uint32 { return uint32(s) * stubJump }

// NewImage reserves code memory for an image, whose first unit by pc is at lo and whose guest
// code ends at hi. It returns nil if there is no room, or if the chunks overlap.
func (c *Cache) NewImage(t ImageTables, lo, hi uint64, stubs *[host.NumStubs]uintptr) *Image {
	n := len(t.Units) - 1
	if len(t.Starts) != ImageChunks(n)+1 || !slices.IsSorted(t.Starts) || int(t.Starts[0]) < ImageCode {
		return nil
	}
	counters := uintptr(ImageCounters(t.Units))
	c.mu.Lock()
	defer c.mu.Unlock()
	base := c.arena.reserve(counters + uintptr(n)*counterBytes)
	if base == 0 {
		return nil
	}
	chunks := ImageChunks(n)
	i := &Image{ImageTables: t, base: base, counters: base + counters, lo: lo, hi: hi, loaded: make([]atomic.Bool, chunks),
		set: make([][]uint32, chunks), gone: make([]bool, n), blocks: make(map[int]*Block), touched: make([]bool, counters/populateImage+1),
		heirs: make(map[int]*Block), whole: &Block{Addr: base}}
	for s := range host.Counter {
		const jmp, length = 0xe9, 5
		at := base + uintptr(ImageStub(s))
		bytes(at, length)[0] = jmp
		setDisp(at+1, stubs[s])
	}
	list := append([]*Image(nil), c.allImages()...)
	list = append(list, i)
	c.images.Store(&list)
	return i
}

// ImageCounters is where the counters of an image of units begin.
func ImageCounters(units []ImageUnit) uint32 {
	return (units[len(units)-1].Off + counterPage - 1) &^ (counterPage - 1)
}

// allImages are the images in the order of their addresses.
func (c *Cache) allImages() []*Image {
	if p := c.images.Load(); p != nil {
		return *p
	}
	return nil
}

// reserve takes room for an image, which is never given back. The lock is held.
func (a *arena) reserve(n uintptr) uintptr {
	at := (a.imageNext + codePage - 1) &^ (codePage - 1)
	if n >= hugePage {
		at = (at + hugePage - 1) &^ (hugePage - 1)
	}
	if at+n > a.imageEnd {
		return 0
	}
	a.imageNext = at + n
	if n >= hugePage {
		unix.Syscall(unix.SYS_MADVISE, at, n&^(hugePage-1), unix.MADV_HUGEPAGE)
	}
	return at
}

// Find returns the unit for k.
func (i *Image) Find(k Key) (u int, ok bool) {
	key, ok := ImageKey(k, i.lo)
	if !ok || k.PC >= i.hi {
		return 0, false
	}
	at, ok := i.from(key)
	if !ok || int(i.ByPC[at].Unit) >= len(i.gone) {
		return 0, false
	}
	return int(i.ByPC[at].Unit), true
}

// Chunk returns the units of a chunk.
func (i *Image) Chunk(n int) (from, to int) {
	return n * ImageChunkUnits, min((n+1)*ImageChunkUnits, len(i.gone))
}

// Address is where an offset in the image is in code memory.
func (i *Image) Address(off uint32) uintptr { return i.base + uintptr(off) }

// Loaded reports whether the chunk of a unit is in code memory.
func (i *Image) Loaded(u int) bool { return i.loaded[u/ImageChunkUnits].Load() }

// Retire makes units unreachable that there are newer ones of. It is called before
// any chunk is loaded.
func (i *Image) Retire(u int) { i.gone[u] = true }

// LoadImage brings a chunk into code memory: set are the values of the counters of its units, retired is not 0 for
// those that nothing is to lead to, outs are its exits that lead out. It returns false if guest code in lo..hi, of which it was compared, has
// changed since generation gen, or if the chunk is there.
func (c *Cache) LoadImage(i *Image, chunk int, code []byte, relocs []Reloc, set []uint32, retired []byte, outs []ImageOut, lo, hi, gen uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i.loaded[chunk].Load() || c.changedSince(gen, func(s ir.Span) bool { return s.Start < hi && s.End > lo }) {
		return false
	}
	from, to := i.Chunk(chunk)
	first := uintptr(i.Units[from].Off)
	dst := bytes(i.base+first, len(code))
	i.touch(first, first+uintptr(len(code)))
	copy(dst, code)
	c.relocate(i.base+first, dst, relocs, 0)
	for k, n := range set {
		atomic.StoreUint32(word(i.counters+uintptr(from+k)*counterBytes), n)
	}
	for k, mark := range retired {
		i.gone[from+k] = i.gone[from+k] || mark != 0
	}
	i.set[chunk] = set
	i.loaded[chunk].Store(true)
	for u := from; u < to; u++ {
		c.linkUnit(i, u, from, to)
		if b := &i.Units[u]; !i.gone[u] {
			c.stats.Blocks++
			c.stats.GuestBytes += uint64(b.Guest)
			c.stats.HostBytes += uint64(b.Len)
		}
	}
	for _, o := range outs {
		if t := int(o.To); o.To != NoUnit && i.Loaded(t) {
			c.linkEdge(i, i.Edges[o.Edge], t, i.heir(t))
		}
	}
	return true
}

// touch makes the memory from..to of the code present, and what else its pieces have: other chunks come there mostly. One
// system call costs less than a page fault for each page, and much less in a virtual machine that shadows page tables.
func (i *Image) touch(from, to uintptr) {
	for piece := from / populateImage; piece*populateImage < to; piece++ {
		if !i.touched[piece] {
			i.touched[piece] = true
			makePresent(i.base+piece*populateImage, populateImage)
		}
	}
}

// ImageAt returns the unit of an image whose code holds a host address.
func (c *Cache) ImageAt(addr uintptr) (i *Image, u int, ok bool) {
	if addr < c.arena.imageStart || addr >= c.arena.imageEnd {
		return nil, 0, false
	}
	for _, i := range c.allImages() {
		if addr < i.base || addr >= i.counters {
			continue
		}
		off := uint32(addr - i.base)
		n := sort.Search(len(i.loaded), func(k int) bool { return i.Starts[k+1] > off })
		if n == len(i.loaded) || !i.loaded[n].Load() {
			return nil, 0, false
		}
		from, to := i.Chunk(n)
		u = from + sort.Search(to-from-1, func(k int) bool { return i.Units[from+k+1].Off > off })
		return i, u, off-i.Units[u].Off < i.Units[u].Len
	}
	return nil, 0, false
}

// ImageUnit returns the unit for k of an image that is loaded and not gone.
func (c *Cache) ImageUnit(k Key) (i *Image, u int, ok bool) {
	if c.images.Load() == nil {
		return nil, 0, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.imageUnit(k)
}

func (c *Cache) imageUnit(k Key) (i *Image, u int, ok bool) {
	for _, i := range c.allImages() {
		if u, ok := i.Find(k); ok && i.Loaded(u) && !i.gone[u] && i.Units[u].PC == k.PC && i.Units[u].Mode == k.Mode {
			return i, u, true
		}
	}
	return nil, 0, false
}

// adopted returns the Block of the image's unit at addr, nil if it has none.
func (c *Cache) adopted(addr uintptr) *Block {
	i, u, ok := c.ImageAt(addr)
	if !ok {
		return nil
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.blocks[u]
}

// Adopt gives a loaded unit of an image a Block: b, or the one that it has. If nothing leads there any more
// the Block is one of what was removed.
func (c *Cache) Adopt(i *Image, u int, b *Block) *Block {
	c.mu.Lock()
	defer c.mu.Unlock()
	i.mu.Lock()
	old := i.blocks[u]
	i.mu.Unlock()
	if old != nil {
		return old
	}
	t := &i.Units[u]
	b.image, b.unit = i, u
	b.Addr, b.Len = i.base+uintptr(t.Off), t.Len
	for k := range b.Exits {
		b.Exits[k].from = b
	}
	if t.Limit != 0 {
		b.counter = i.counters + uintptr(u)*counterBytes
		b.set = i.set[u/ImageChunkUnits][u%ImageChunkUnits]
		b.Count = b.set
	}
	switch {
	case i.gone[u]:
		b.dead.Store(true)
	case c.blocks.find(b.Key) != nil: // it was made before there was an image of it
		c.retire(i, u)
		b.dead.Store(true)
	default:
		c.blocks.add(b)
		for p := range b.pages {
			c.pages.add(p, b)
		}
		c.stats.MetaBytes += b.metadata()
	}
	i.mu.Lock()
	i.blocks[u] = b
	i.mu.Unlock()
	return b
}

// invalidateImages removes the units of images that have guest code in [start, end) and were not
// adopted. The lock is held.
func (c *Cache) invalidateImages(start, end uint64) {
	for _, i := range c.allImages() {
		if end <= i.lo || start >= i.hi {
			continue
		}
		for chunk := range i.loaded {
			if !i.loaded[chunk].Load() {
				continue // its guest code is compared when it is
			}
			from, to := i.Chunk(chunk)
			for u := from; u < to; u++ {
				if t := &i.Units[u]; t.Lo < end && t.Hi > start && !i.gone[u] && i.blocks[u] == nil {
					c.retire(i, u)
					c.dropped.Store(true)
					c.stats.Invalidated++
				}
			}
		}
	}
}

// takeExecutions is TakeExecutions for i.
func (i *Image) takeExecutions(least uint64, yield func(pc, n uint64)) {
	for k := range i.loaded {
		from, to := i.Chunk(k)
		if !i.loaded[k].Load() {
			continue
		}
		for u := from; u < to; u++ {
			if i.Units[u].Limit == 0 {
				continue
			}
			if b := i.blocks[u]; b != nil {
				b.takeExecutions(least, yield)
			} else if n := i.executions(u); n >= least {
				i.set[k][u-from] -= uint32(n)
				yield(i.Units[u].PC, n)
			}
		}
	}
}

// executions is how often u ran, which was not adopted.
func (i *Image) executions(u int) uint64 {
	if i.Units[u].Limit == 0 {
		return 0
	}
	set := i.set[u/ImageChunkUnits][u%ImageChunkUnits]
	return uint64(set - atomic.LoadUint32(word(i.counters+uintptr(u)*counterBytes)))
}
