// Package cache keeps generated code: where it lies in memory, which guest pc it
// belongs to, how blocks are linked, and when they have to go.
package cache

import (
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"emu/internal/place"

	"golang.org/x/sys/unix"
)

// Code memory is one private mapping that stays readable, writable and
// executable. Two views of one file would be shared with forked children, which
// would then write each other's code. It is divided into regions that are filled
// in turn; when all are full the oldest is evicted whole.
const (
	DefaultSize   = 128 << 20             // bytes
	MinSize       = numRegions * 64 << 10 // bytes
	numRegions    = 8
	stubBytes     = 4096 // engine stubs at the start, never evicted
	codePage      = 4096 // of a region's index by address
	populate      = 64 << 10
	populateFirst = 16 << 10 // most of the code of short programs comes from images
	populateImage = 16 << 10
	hugePage      = 2 << 20
	imageShare    = 2 // of the size there is another one for images

	codeProt  = unix.PROT_READ | unix.PROT_WRITE | unix.PROT_EXEC
	codeFlags = unix.MAP_PRIVATE | unix.MAP_NORESERVE
)

type region struct {
	start, next, end uintptr  // of the code
	limit            uintptr  // end of the region
	touched          uintptr  // memory below it, but for the first counters, has been asked for
	counters         uintptr  // the next free counter
	countersEnd      uintptr  // end of its page
	blocks           []*Block // in address order
	starts           []uint32 // their offsets from start
	pages            []uint32 // of blocks: the first that begins in each page of the region, or later
}

// arena is guarded by the cache's lock, and the lists of blocks in its regions by one
// of their own besides.
type arena struct {
	base  uintptr
	size  uintptr
	notes uintptr // behind the code, see Cache.Notes

	imageStart, imageNext, imageEnd uintptr // room for images, behind the notes

	stubEnd uintptr
	lists   sync.Mutex
	regions [numRegions]region
	cur     int
}

func newArena(size int) (*arena, error) {
	size = max(size, MinSize) &^ (numRegions*4096 - 1)
	images := size / imageShare
	p, err := place.Map(place.Code, uintptr(size)+noteBytes+uintptr(images), codeProt, codeFlags)
	if err != nil {
		return nil, fmt.Errorf("code cache of %d bytes: %w (is executable memory forbidden here?)", size, err)
	}
	a := &arena{base: uintptr(p), size: uintptr(size), notes: uintptr(p) + uintptr(size)}
	a.stubEnd = a.base
	a.imageStart = a.notes + noteBytes
	a.imageEnd = a.imageStart + uintptr(images)
	a.divide()
	a.useHugePages()
	return a, nil
}

// useHugePages has code, notes and images in huge pages where page faults are slow, however few of their pages are written.
func (a *arena) useHugePages() {
	if place.SlowFaults {
		unix.Syscall(unix.SYS_MADVISE, a.base, a.imageEnd-a.base, unix.MADV_HUGEPAGE)
	}
}

// divide makes empty regions of memory that holds zeros.
func (a *arena) divide() {
	a.imageNext, a.cur = a.imageStart, 0
	step := a.size / numRegions
	for i := range a.regions {
		r := &a.regions[i]
		*r = region{start: a.base + uintptr(i)*step, limit: a.base + uintptr(i+1)*step}
		if i == 0 {
			r.start += stubBytes
		}
		r.start += counterPage
		r.empty()
	}
}

// clear drops all but the stubs. The memory is mapped anew, as what large programs have in huge pages small ones
// have not.
func (a *arena) clear() {
	a.lists.Lock()
	defer a.lists.Unlock()
	start := a.base + stubBytes
	if _, err := place.Map(start, a.imageEnd-start, codeProt, codeFlags|unix.MAP_FIXED); err != nil {
		release(start, a.imageEnd)
	}
	a.divide()
	a.useHugePages()
}

// evict empties the current region.
func (a *arena) evict() {
	a.lists.Lock()
	defer a.lists.Unlock()
	a.regions[a.cur].empty()
}

// alloc returns room for n bytes at a multiple of align in the current region, 0 if it is full.
func (a *arena) alloc(n int, align uintptr) uintptr {
	r := &a.regions[a.cur]
	at := (r.next + align - 1) &^ (align - 1)
	if at+uintptr(n) > r.end {
		return 0
	}
	r.next = at + uintptr(n)
	if r.next > r.touched {
		r.touched = a.touch(r.touched, r.next, r.end)
	}
	return at
}

// touch makes the memory from..to present, and some more up to limit: one system
// call costs less than a page fault for each page. It returns up to where it is.
// A program with much code gets huge pages: it misses in the TLB else.
func (a *arena) touch(from, to, limit uintptr) uintptr {
	from &^= codePage - 1
	step := uintptr(populate)
	if from < a.base+populate {
		step = populateFirst
	}
	end := min((to+step-1)&^(step-1), limit)
	if huge := from &^ (hugePage - 1); from == huge && huge >= a.base+hugePage && huge+hugePage <= limit {
		unix.Syscall(unix.SYS_MADVISE, huge, hugePage, unix.MADV_HUGEPAGE)
	}
	makePresent(from, end-from)
	return end
}

// makePresent has n bytes of memory mapped. Kernels before 5.14 refuse, and the pages come
// as they are written.
func makePresent(at, n uintptr) {
	start, end := at&^(codePage-1), (at+n+codePage-1)&^(codePage-1)
	unix.Syscall(unix.SYS_MADVISE, start, end-start, unix.MADV_POPULATE_WRITE)
}

// add enters b, which lies behind all other blocks of the current region.
func (a *arena) add(b *Block) {
	r := &a.regions[a.cur]
	a.lists.Lock()
	defer a.lists.Unlock()
	r.add(b)
}

// add enters b, which lies behind all other blocks of r.
func (r *region) add(b *Block) {
	for uintptr(len(r.pages)) <= (b.Addr-r.start)/codePage {
		r.pages = append(r.pages, uint32(len(r.blocks)))
	}
	if n := len(r.blocks); n == cap(r.blocks) { // append would grow them by a quarter, and leave four times of it as garbage
		r.blocks, r.starts = slices.Grow(r.blocks, n+1), slices.Grow(r.starts, n+1)
	}
	r.blocks = append(r.blocks, b)
	r.starts = append(r.starts, uint32(b.Addr-r.start))
}

// find returns the block whose code holds the host address.
func (a *arena) find(addr uintptr) *Block {
	if addr < a.base || addr >= a.base+a.size {
		return nil
	}
	r := &a.regions[(addr-a.base)/(a.size/numRegions)]
	a.lists.Lock()
	defer a.lists.Unlock()
	if addr < r.start || len(r.blocks) == 0 {
		return nil
	}
	// The last block that begins at addr or before begins in its page, or is the
	// last of those before.
	offset := addr - r.start
	page := offset / codePage
	low, high := 0, len(r.blocks)
	if page < uintptr(len(r.pages)) {
		low = max(int(r.pages[page])-1, 0)
	} else {
		low = high - 1
	}
	if page+1 < uintptr(len(r.pages)) {
		high = int(r.pages[page+1])
	}
	for high-low > 1 {
		if mid := (low + high) / 2; uintptr(r.starts[mid]) <= offset {
			low = mid
		} else {
			high = mid
		}
	}
	if b := r.blocks[low]; b.Addr <= addr && addr < b.Addr+uintptr(b.Len) {
		return b
	}
	return nil
}

// bytes is the code memory [addr, addr+n).
func bytes(addr uintptr, n int) []byte {
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&addr))), n)
}
