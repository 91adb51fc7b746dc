package jit

import (
	"os"
)

// Processes tally in an image which of its units they have run. The next one has those first that most of them run: a
// process comes by with fewer chunks if what it needs is not spread over all that others need as well.

const (
	// usesAlways is how many processes tally; of later ones one in usesSample does.
	usesAlways = 64
	usesSample = 8
	// usesEnough is how many tell how often a unit is run.
	usesEnough = 8
	// usesSparse is the share, in eighths, of the units which come to a process that it runs where no other order is worth its while.
	usesSparse = 7
	// usesMost is when it is known well enough. The tally has 16 bits.
	usesMost = 1 << 14
)

// imageUses is the tally of an image: how many processes there were, in two halves, and how many of them ran each unit.
type imageUses []uint16

const usesHead = 2

// ranks is how many there are.
const ranks = 5

func (t imageUses) processes() uint32 {
	if len(t) < usesHead {
		return usesMost // damaged: nobody tallies
	}
	return uint32(t[0]) | uint32(t[1])<<16
}

// rank says how many of the processes run u, from 0 for few to 4 for at least half of them. ok is false if it is not known.
func (t imageUses) rank(u int) (rank uint32, ok bool) {
	n := t.processes()
	if n < usesEnough || usesHead+u >= len(t) {
		return 0, false
	}
	ran := uint32(t[usesHead+u])
	for _, share := range [...]uint32{32, 8, 4, 2} {
		if ran*share >= n {
			rank++
		}
	}
	return rank, true
}

// saveUses tallies what this process ran. It comes before what it ran is counted (saveCounts).
func (e *Engine) saveUses() {
	e.stores.mu.Lock()
	defer e.stores.mu.Unlock()
	for st, i := range e.stores.images {
		n := i.uses.processes()
		if i.at == nil || n >= usesMost || n >= usesAlways && os.Getpid()%usesSample != 0 {
			continue
		}
		var ran []uint32
		loaded := e.cache.ImageUses(i.at, func(u int) { ran = append(ran, uint32(u)) })
		i.sparse = 8*len(ran) < usesSparse*loaded
		st.ChangeImage(usesSection, func(section []byte) { // or the next image is in the order of this one
			t := imageUses(rows[uint16](section))
			n := t.processes() + 1
			for _, u := range ran {
				if at := usesHead + int(u); at < len(t) {
					t[at]++
				}
			}
			t[0], t[1] = uint16(n), uint16(n>>16)
		})
	}
}

// ranks are those of the units of an image: as often as they were run since it was made, or as it has them if that is not
// known. Regions are not counted: they are run as often as one of the units that lead there.
func (i *codeImage) ranks() []uint8 {
	if i == nil || i.at == nil {
		return nil
	}
	units := i.tables.Units[:len(i.tables.Units)-1]
	list := make([]uint8, len(units))
	for u := range units {
		t := &units[u]
		rank, ok := i.uses.rank(u)
		if !ok || t.Limit == 0 {
			rank = min(t.Rank, ranks-1)
		}
		list[u] = uint8(rank)
	}
	if i.uses.processes() < usesEnough {
		return list
	}
	edges := uint32(len(i.tables.Edges))
	for u := range units {
		first, end := units[u].Edges, i.tables.Units[u+1].Edges
		if units[u].Limit != 0 || first > end || end > edges { // what was not loaded may be damaged
			continue
		}
		for _, e := range i.tables.Edges[first:end] {
			if int(e.From) < len(units) && units[e.From].Limit != 0 {
				list[u] = max(list[u], list[e.From])
			}
		}
	}
	return list
}

// known is how many processes the order of the image is by.
func (m *imageMaker) known() uint64 {
	i := m.before
	if i == nil || i.at == nil {
		return 0
	}
	if n := i.uses.processes(); n >= usesEnough {
		return i.head[0].Known + uint64(n)
	}
	return i.head[0].Known
}

// reorder reports whether enough processes have tallied since an image was made to put its units in order, four times as
// many as knew of that order, and this one has not run nearly all that came to it.
func (i *codeImage) reorder() bool {
	n := i.uses.processes()
	return i.at != nil && i.sparse && n < usesMost && uint64(n) >= 2*usesEnough+3*i.head[0].Known
}
