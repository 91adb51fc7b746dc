package jit

import (
	"encoding/binary"

	"emu/cache"
	"emu/cache/store"
)

// Units of an image come to have newer records behind it: regions, mostly. Whoever opens the image has to know which, and
// would look at the head of each record again: for a compiler's image of 100,000 units at 10,000 others, a tenth of
// the time of a short compilation. So who finds many notes in the image what they mean.

// imageMarks are up to which place records were looked at, then a byte for each unit: whether there is a newer record.
type imageMarks []byte

const (
	marksHead = 8
	// marksSoon is how many records one process looks at in vain rather than write.
	marksSoon = 256
)

// seen is where those records begin that nobody has looked at.
func (m imageMarks) seen() int64 { return int64(binary.LittleEndian.Uint64(m)) }

// of are the marks of units.
func (m imageMarks) of(from, to int) []byte { return m[marksHead+from : marksHead+to] }

// retire takes units out of an image that was just opened of which there are newer records than it has.
func (i *codeImage) retire() {
	end := i.store.End()
	looked := 0
	var found []int
	i.store.Since(max(i.covered, i.marks.seen()), func(r store.Record) bool {
		looked++
		if u, ok := i.at.Find(cache.Key{PC: r.PC, Mode: r.Mode &^ regionMode}); ok {
			i.at.Retire(u)
			found = append(found, u)
		}
		return true
	})
	if looked < marksSoon {
		return
	}
	i.store.ChangeImage(marksSection, func(section []byte) { // or the next process looks as well
		m := imageMarks(section)
		for _, u := range found {
			m[marksHead+u] = 1
		}
		if m.seen() < end {
			binary.LittleEndian.PutUint64(m, uint64(end))
		}
	})
}
