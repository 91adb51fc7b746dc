package place

import (
	"testing"
	"unsafe"
)

// A pool gives what it was given, each once, and refuses more than it keeps.
func TestPool(t *testing.T) {
	var p Pool
	if p.Get() != nil {
		t.Error("an empty pool gives something")
	}
	var mappings [mostKept + 1]byte
	put := make(map[unsafe.Pointer]bool)
	for k := range mappings {
		at := unsafe.Pointer(&mappings[k])
		if put[at] = p.Put(at); put[at] != (k < mostKept) {
			t.Errorf("mapping %d is kept: %v", k, put[at])
		}
	}
	for range mostKept {
		at := p.Get()
		if !put[at] {
			t.Errorf("%v comes twice, or was never given", at)
		}
		put[at] = false
	}
	if p.Get() != nil {
		t.Error("the pool gives more than it has")
	}
}
