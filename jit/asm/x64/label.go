package x64

import "encoding/binary"

// Label is a position in a Buffer, known or yet to be bound. The zero Label is
// no label.
type Label int32

type label struct {
	pos   int32 // offset, or -1 while unbound
	chain int32 // index+1 of the last fixup waiting for it, 0 for none
	piece int32 // the cut that it was bound in (inCut), 0 if in none
}

// fixup is a displacement that waits for a label.
type fixup struct {
	at    int32 // offset of the displacement
	next  int32 // index+1 of the next fixup of the same label, 0 at the end
	label Label
	tail  uint8 // bytes from the displacement's start to the end of the instruction
	size  uint8 // 1 or 4
}

// NewLabel returns an unbound label.
func (b *Buffer) NewLabel() Label {
	b.labels = append(b.labels, label{pos: -1})
	return Label(len(b.labels))
}

// Bind makes l the current position and completes the branches to it.
func (b *Buffer) Bind(l Label) {
	p := &b.labels[l-1]
	if p.pos >= 0 {
		panic("BUG: x64: label bound twice")
	}
	p.pos, p.piece = int32(len(b.B)), b.inCut(l)
	for i := p.chain; i != 0; {
		f := &b.fixups[i-1]
		b.resolve(f, p.pos)
		b.open--
		i = f.next
	}
	p.chain = 0
}

// Here returns a label bound to the current position.
func (b *Buffer) Here() Label {
	l := b.NewLabel()
	b.Bind(l)
	return l
}

// Offset returns the position of l and whether it is bound.
func (b *Buffer) Offset(l Label) (int, bool) {
	p := b.labels[l-1].pos
	return int(p), p >= 0
}

// Used reports whether a branch to l, which is not bound yet, was emitted.
func (b *Buffer) Used(l Label) bool { return b.labels[l-1].chain != 0 }

// resolve writes the displacement of f. A 4-byte field may hold an addend.
func (b *Buffer) resolve(f *fixup, pos int32) {
	d := pos - f.at - int32(f.tail)
	if f.size == 4 {
		w := b.B[f.at:]
		binary.LittleEndian.PutUint32(w, binary.LittleEndian.Uint32(w)+uint32(d))
		return
	}
	if d != int32(int8(d)) {
		panic("BUG: x64: short branch out of reach")
	}
	b.B[f.at] = byte(d)
}

// refer makes the size-byte displacement at offset at refer to l; it holds the
// addend already and the instruction ends tail bytes after it starts.
func (b *Buffer) refer(l Label, at int, tail, size uint8) {
	f := fixup{at: int32(at), label: l, tail: tail, size: size}
	p := &b.labels[l-1]
	if p.pos >= 0 {
		b.resolve(&f, p.pos)
		if int(p.pos) < b.cuts.from {
			b.cuts.out = append(b.cuts.out, f.at)
		}
		return
	}
	f.next = p.chain
	b.fixups = append(b.fixups, f)
	p.chain = int32(len(b.fixups))
	b.open++
}

// literal is a constant waiting to be placed behind the code.
type literal struct {
	lo, hi uint64
	size   uint8 // 4, 8 or 16
	label  Label
}

// Lit32, Lit64 and Lit128 return a RIP-relative operand holding the given
// constant. Equal constants share a place until FlushLiterals.
func (b *Buffer) Lit32(v uint32) Mem { return b.literal(uint64(v), 0, 4) }

// Lit64 is described at Lit32.
func (b *Buffer) Lit64(v uint64) Mem { return b.literal(v, 0, 8) }

// Lit128 is described at Lit32; the operand is 16-byte aligned if the code is.
func (b *Buffer) Lit128(lo, hi uint64) Mem { return b.literal(lo, hi, 16) }

func (b *Buffer) literal(lo, hi uint64, size uint8) Mem {
	for i := range b.literals {
		p := &b.literals[i]
		if p.lo == lo && p.hi == hi && p.size == size {
			return AtLabel(p.label)
		}
	}
	l := b.NewLabel()
	b.literals = append(b.literals, literal{lo, hi, size, l})
	return AtLabel(l)
}

// FlushLiterals places the pending literals here, the largest first. Control
// flow must not reach this position.
func (b *Buffer) FlushLiterals() {
	if len(b.literals) == 0 {
		return
	}
	for _, size := range [...]uint8{16, 8, 4} {
		for i := range b.literals {
			p := &b.literals[i]
			if p.size != size {
				continue
			}
			b.alignData(int(size))
			b.Bind(p.label)
			switch size {
			case 4:
				b.Long(uint32(p.lo))
			case 8:
				b.Quad(p.lo)
			default:
				b.Quad(p.lo)
				b.Quad(p.hi)
			}
		}
	}
	b.literals = b.literals[:0]
}
