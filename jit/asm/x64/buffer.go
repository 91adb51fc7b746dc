package x64

import "encoding/binary"

// maxInst is the longest instruction (15 bytes) rounded up, so that the emit
// paths can store whole words.
const maxInst = 32

// Buffer collects one unit of code. The zero value is ready; Reset keeps the
// memory for the next unit, so a warm Buffer allocates nothing.
type Buffer struct {
	B      []byte  // the code so far
	Relocs []Reloc // references to addresses outside the buffer
	Locks  []int32 // offsets of LOCK prefixes

	labels   []label
	fixups   []fixup
	literals []literal
	open     int // branches and operands that refer to unbound labels
	cuts     cutter
}

// Reset empties b and invalidates its labels.
func (b *Buffer) Reset() {
	b.B = b.B[:0]
	b.Relocs = b.Relocs[:0]
	b.Locks = b.Locks[:0]
	b.labels = b.labels[:0]
	b.fixups = b.fixups[:0]
	b.literals = b.literals[:0]
	b.open = 0
	b.cuts.reset()
}

// Pos returns the offset of the next instruction.
func (b *Buffer) Pos() int { return len(b.B) }

// Finish places pending literals and checks that every label in use is bound.
func (b *Buffer) Finish() []byte {
	b.FlushLiterals()
	if b.open != 0 {
		panic("BUG: x64: unbound label in use")
	}
	return b.B
}

// room returns the next maxInst bytes; commit makes the first n of them code.
func (b *Buffer) room() *[maxInst]byte {
	n := len(b.B)
	if cap(b.B)-n < maxInst {
		b.grow()
	}
	return (*[maxInst]byte)(b.B[n : n+maxInst])
}

func (b *Buffer) commit(n int) { b.B = b.B[:len(b.B)+n] }

func (b *Buffer) grow() {
	c := make([]byte, len(b.B), 2*cap(b.B)+4096)
	copy(c, b.B)
	b.B = c
}

// Byte appends a raw byte.
func (b *Buffer) Byte(v byte) {
	b.room()[0] = v
	b.commit(1)
}

// Long appends a raw little-endian 32-bit word.
func (b *Buffer) Long(v uint32) {
	binary.LittleEndian.PutUint32(b.room()[:], v)
	b.commit(4)
}

// Quad appends a raw little-endian 64-bit word.
func (b *Buffer) Quad(v uint64) {
	binary.LittleEndian.PutUint64(b.room()[:], v)
	b.commit(8)
}

// nops are the recommended multi-byte NOPs (Intel SDM volume 2B, NOP) of 1 to 9
// bytes, the first byte lowest; the ninth of the longest is zero.
var nops = [10]uint64{
	1: 0x90,
	2: 0x9066,
	3: 0x001f0f,
	4: 0x00401f0f,
	5: 0x0000441f0f,
	6: 0x0000441f0f66,
	7: 0x00000000801f0f,
	8: 0x0000000000841f0f,
	9: 0x00000000841f0f66,
}

// Nop appends n bytes of NOPs in as few instructions as possible.
func (b *Buffer) Nop(n int) {
	for n > 0 {
		k := min(n, 9)
		p := b.room()
		binary.LittleEndian.PutUint64(p[:], nops[k])
		p[8] = 0
		b.commit(k)
		n -= k
	}
}

// Align pads with NOPs to a multiple of n, a power of two.
func (b *Buffer) Align(n int) { b.Nop(-len(b.B) & (n - 1)) }

// alignData pads with INT3, which nothing may execute, to a multiple of n.
func (b *Buffer) alignData(n int) {
	for len(b.B)&(n-1) != 0 {
		b.Byte(0xcc)
	}
}
