package translate

// placeInfo is what scan finds out about a place.
type placeInfo struct {
	place
	guestInst
	seen   bool  // guestInst is valid
	leader bool  // a block starts here
	block  int32 // which one, leaves if none does or it is not part of the region
}

// placeTable finds places: a hash table with linear probing that keeps its memory
// from region to region.
type placeTable struct {
	list  []placeInfo
	slots []int32 // index in list + 1; 0 is empty
}

func (t *placeTable) reset() {
	t.list = t.list[:0]
	clear(t.slots)
}

// slot is where p is, or would be.
func (t *placeTable) slot(p place) *int32 {
	h := (p.pc>>2 ^ p.ret<<20) * 0x9e3779b97f4a7c15 >> 32 // Knuth, TAOCP 6.4
	for mask := uint64(len(t.slots) - 1); ; h++ {
		s := &t.slots[h&mask]
		if *s == 0 || t.list[*s-1].place == p {
			return s
		}
	}
}

// find returns what is known of p, nil if nothing is.
func (t *placeTable) find(p place) *placeInfo {
	if n := *t.slot(p); n != 0 {
		return &t.list[n-1]
	}
	return nil
}

// at is find that adds p. The result is valid until the next place is added.
func (t *placeTable) at(p place) *placeInfo {
	if 2*len(t.list) >= len(t.slots) {
		t.grow()
	}
	s := t.slot(p)
	if *s == 0 {
		t.list = append(t.list, placeInfo{place: p, block: leaves})
		*s = int32(len(t.list))
	}
	return &t.list[*s-1]
}

func (t *placeTable) grow() {
	const first = 1024
	t.slots = make([]int32, max(first, 2*len(t.slots)))
	for n := range t.list {
		*t.slot(t.list[n].place) = int32(n + 1)
	}
}
