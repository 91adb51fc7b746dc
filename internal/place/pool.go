package place

import (
	"sync"
	"unsafe"
)

// mostKept is how many mappings a Pool keeps: as many as threads that end at about the same time.
const mostKept = 16

// Pool keeps mappings of one size that somebody gives back. What threads have for themselves is mapped, made present page by
// page and unmapped, of which the other processors are told, in a third of the time that a thread takes to begin
// and end. The zero Pool is empty.
type Pool struct {
	mu   sync.Mutex
	kept [mostKept]unsafe.Pointer // no slice: a young child of a fork does not allocate
	n    int                      // how many they are
}

// Get returns a mapping with what was last in it, nil if there is none.
func (p *Pool) Get() (at unsafe.Pointer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.n > 0 {
		p.n--
		at = p.kept[p.n]
	}
	return at
}

// Put gives a mapping that nobody uses any more to the pool. It reports whether the pool has room for it, or else
// it is to be unmapped.
func (p *Pool) Put(at unsafe.Pointer) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.n == mostKept {
		return false
	}
	p.kept[p.n] = at
	p.n++
	return true
}
