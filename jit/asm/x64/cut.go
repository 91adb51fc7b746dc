package x64

import "encoding/binary"

// Cuts. Code that is hardly ever executed is emitted where control flow has it and
// moved away when it is complete, so that it does not lie between code that is hot:
//
//	b.BeginCut()
//	...              // emits the code
//	p := b.EndCut()
//	...
//	b.Paste(l, p)    // puts it here, where l is then
//
// Labels bound in it move along, and branches across its borders are right when
// both sides are in place. A cut holds no other one.

// Piece is code that was cut out of a Buffer and waits to be pasted.
type Piece struct {
	from             int   // offset that it was emitted at
	number           int32 // from 1 on
	code, labels     [2]int32
	fix              [2]int32
	relocs, outwards [2]int32
	locks            [2]int32
}

// cutter is a Buffer's state of cuts. Pieces are ranges of its slices.
type cutter struct {
	from   int // offset of the open cut, 0 if there is none
	count  int32
	labels int // lengths of the Buffer's slices when it began
	fixups int
	relocs int
	locks  int
	code   []byte
	fix    []fixup // of labels that were not bound within the piece
	moved  []Reloc
	locked []int32 // offsets of LOCK prefixes
	out    []int32 // displacements of branches to labels bound in front of the piece
	outs   int     // length of out when the open cut began
}

func (c *cutter) reset() {
	c.from, c.count, c.code, c.fix, c.moved, c.locked, c.out = 0, 0, c.code[:0], c.fix[:0], c.moved[:0], c.locked[:0], c.out[:0]
}

// BeginCut starts a cut here. The Buffer must not be empty.
func (b *Buffer) BeginCut() {
	c := &b.cuts
	if c.from != 0 || len(b.B) == 0 {
		panic("BUG: x64: a cut in a cut, or at the start")
	}
	c.count++
	c.from, c.labels, c.fixups, c.relocs, c.locks, c.outs = len(b.B), len(b.labels), len(b.fixups), len(b.Relocs), len(b.Locks), len(c.out)
}

// EndCut takes what was emitted since BeginCut out of b.
func (b *Buffer) EndCut() Piece {
	c := &b.cuts
	p := Piece{
		from:     c.from,
		number:   c.count,
		code:     [2]int32{int32(len(c.code)), int32(len(c.code) + len(b.B) - c.from)},
		relocs:   [2]int32{int32(len(c.moved)), int32(len(c.moved) + len(b.Relocs) - c.relocs)},
		locks:    [2]int32{int32(len(c.locked)), int32(len(c.locked) + len(b.Locks) - c.locks)},
		outwards: [2]int32{int32(c.outs), int32(len(c.out))},
		labels:   [2]int32{int32(c.labels), int32(len(b.labels))},
	}
	c.code = append(c.code, b.B[c.from:]...)
	c.moved = append(c.moved, b.Relocs[c.relocs:]...)
	c.locked = append(c.locked, b.Locks[c.locks:]...)
	p.fix[0] = int32(len(c.fix))
	for n := len(b.fixups) - 1; n >= c.fixups; n-- { // chains have the newest first
		f := b.fixups[n]
		if l := &b.labels[f.label-1]; l.pos < 0 {
			if l.chain != int32(n+1) {
				panic("BUG: x64: a cut's branches are not the last ones to their labels")
			}
			l.chain = f.next
			b.open--
			c.fix = append(c.fix, f)
		}
	}
	p.fix[1] = int32(len(c.fix))
	b.B, b.fixups, b.Relocs, b.Locks = b.B[:c.from], b.fixups[:c.fixups], b.Relocs[:c.relocs], b.Locks[:c.locks]
	c.from = 0
	return p
}

// Paste puts p here, binds l to its start and returns by how much its offsets have
// grown, a multiple of 4.
func (b *Buffer) Paste(l Label, p Piece) (by int) {
	c := &b.cuts
	for (len(b.B)-p.from)&3 != 0 {
		b.Byte(0xcc) // nothing falls into a piece
	}
	b.Bind(l)
	by = len(b.B) - p.from
	b.B = append(b.B, c.code[p.code[0]:p.code[1]]...)
	for n := p.labels[0]; n < p.labels[1]; n++ {
		if l := &b.labels[n]; l.piece == p.number { // others are bound behind it
			l.pos += int32(by)
		}
	}
	for _, f := range c.fix[p.fix[0]:p.fix[1]] {
		b.refer(f.label, int(f.at)+by, f.tail, f.size)
	}
	for _, r := range c.moved[p.relocs[0]:p.relocs[1]] {
		b.Relocs = append(b.Relocs, Reloc{r.Off + int32(by), r.Target})
	}
	for _, at := range c.locked[p.locks[0]:p.locks[1]] {
		b.Locks = append(b.Locks, at+int32(by))
	}
	for _, at := range c.out[p.outwards[0]:p.outwards[1]] {
		w := b.B[int(at)+by:]
		binary.LittleEndian.PutUint32(w, binary.LittleEndian.Uint32(w)-uint32(by))
	}
	return by
}

// inCut is the number of the open cut, 0 if there is none. Labels from before it cannot
// be bound in it: hot code would have to refer to where it is not.
func (b *Buffer) inCut(l Label) int32 {
	if b.cuts.from == 0 {
		return 0
	}
	if int(l) <= b.cuts.labels {
		panic("BUG: x64: a cut binds a label from before")
	}
	return b.cuts.count
}
