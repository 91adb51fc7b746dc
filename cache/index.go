package cache

import "sync/atomic"

// index finds blocks by key: a hash table with chains through the blocks. Only the
// holder of the cache's lock writes it. Readers take no lock; a block that was
// removed keeps its link, so that a reader who stands on it finds the rest.
type index struct {
	buckets atomic.Pointer[[]atomic.Pointer[Block]] // a power of two of them
	n       int
}

// minBuckets suits a small program; the table grows with the number of blocks.
const minBuckets = 2048

// hash keeps the buckets of neighbours side by side, which saves cache misses:
// execution mostly stays near where it was.
func (k Key) hash(buckets int) uint64 {
	return (k.PC>>3 ^ k.PC>>20 ^ uint64(k.Mode)>>22) & uint64(buckets-1)
}

func (x *index) find(k Key) *Block {
	t := *x.buckets.Load()
	for b := t[k.hash(len(t))].Load(); b != nil; b = b.chain.Load() {
		if b.Key == k {
			return b
		}
	}
	return nil
}

func (x *index) add(b *Block) {
	t := *x.buckets.Load()
	if x.n >= len(t) {
		x.grow(4 * len(t))
		t = *x.buckets.Load()
	}
	x.n++
	put(t, b)
}

func put(t []atomic.Pointer[Block], b *Block) {
	at := &t[b.Key.hash(len(t))]
	b.chain.Store(at.Load())
	at.Store(b)
}

// remove takes b out if it is in.
func (x *index) remove(b *Block) {
	t := *x.buckets.Load()
	for at := &t[b.Key.hash(len(t))]; ; {
		switch next := at.Load(); next {
		case nil:
			return
		case b:
			at.Store(b.chain.Load())
			x.n--
			return
		default:
			at = &next.chain
		}
	}
}

// grow makes a table of n buckets. A reader that is in a chain meanwhile may be led
// into another one and miss its block.
func (x *index) grow(n int) {
	to := make([]atomic.Pointer[Block], n)
	if from := x.buckets.Load(); from != nil {
		for i := range *from {
			for b := (*from)[i].Load(); b != nil; {
				next := b.chain.Load()
				put(to, b)
				b = next
			}
		}
	}
	x.buckets.Store(&to)
}

// pageIndex finds the blocks with code from a guest page. It remembers the page it
// was asked for last: blocks of one page are mostly made one after the other.
type pageIndex struct {
	lists map[uint64]*pageList
	last  *pageList
}

type pageList struct {
	page   uint64
	blocks []*Block
}

func newPageIndex() pageIndex { return pageIndex{lists: make(map[uint64]*pageList)} }

func (x *pageIndex) add(page uint64, b *Block) {
	l := x.last
	if l == nil || l.page != page {
		if l = x.lists[page]; l == nil {
			l = &pageList{page: page, blocks: make([]*Block, 0, 16)}
			x.lists[page] = l
		}
		x.last = l
	}
	l.blocks = append(l.blocks, b)
}

// remove takes b out of page, once if it is in more than once.
func (x *pageIndex) remove(page uint64, b *Block) {
	l := x.lists[page]
	if l == nil {
		return
	}
	for i, other := range l.blocks {
		if other == b {
			last := len(l.blocks) - 1
			l.blocks[i], l.blocks[last] = l.blocks[last], nil
			l.blocks = l.blocks[:last]
			break
		}
	}
	if len(l.blocks) == 0 {
		delete(x.lists, page)
		x.last = nil
	}
}
