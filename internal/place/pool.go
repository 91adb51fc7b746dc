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
	kept []unsafe.Pointer
}

// Get returns a mapping with what was last in it, nil if there is none.
func (p *Pool) Get() (at unsafe.Pointer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.kept); n > 0 {
		at, p.kept = p.kept[n-1], p.kept[:n-1]
	}
	return at
}

// Put gives a mapping that nobody uses any more to the pool. It reports whether the pool has room for it, or else
// it is to be unmapped.
func (p *Pool) Put(at unsafe.Pointer) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.kept) == mostKept {
		return false
	}
	p.kept = append(p.kept, at)
	return true
}
