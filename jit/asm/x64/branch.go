package x64

import (
	"encoding/binary"
	"fmt"
)

// Jmp jumps to l.
func (b *Buffer) Jmp(l Label) {
	if b.backward(l, 0xeb) {
		return
	}
	b.JmpNear(l)
}

// JmpNear jumps to l in the 5-byte form.
func (b *Buffer) JmpNear(l Label) {
	b.near1(0xe9)
	b.refer(l, len(b.B)-4, 4, 4)
}

// JmpShort jumps to l, which must be within 127 bytes.
func (b *Buffer) JmpShort(l Label) { b.short(l, 0xeb) }

// Jcc jumps to l if c holds.
func (b *Buffer) Jcc(c Cond, l Label) {
	if b.backward(l, 0x70|byte(c)) {
		return
	}
	b.JccNear(c, l)
}

// JccNear jumps to l if c holds, in the 6-byte form.
func (b *Buffer) JccNear(c Cond, l Label) {
	b.near2(0x80 | byte(c))
	b.refer(l, len(b.B)-4, 4, 4)
}

// JccShort jumps to l, which must be within 127 bytes, if c holds.
func (b *Buffer) JccShort(c Cond, l Label) { b.short(l, 0x70|byte(c)) }

// Jrcxz jumps to l, which must be within 127 bytes, if RCX is zero. Flags are
// neither read nor written.
func (b *Buffer) Jrcxz(l Label) { b.short(l, 0xe3) }

// Call calls l.
func (b *Buffer) Call(l Label) {
	b.near1(0xe8)
	b.refer(l, len(b.B)-4, 4, 4)
}

// Ret returns.
func (b *Buffer) Ret() { b.Byte(0xc3) }

// RetI returns and drops n bytes of the stack.
func (b *Buffer) RetI(n uint16) {
	p := b.room()
	p[0] = 0xc2
	binary.LittleEndian.PutUint16(p[1:], n)
	b.commit(3)
}

// JmpOpen, JccOpen and CallOpen are branches with a 4-byte aligned displacement to
// a place that Land names later. They return the displacement's offset.
func (b *Buffer) JmpOpen() int {
	b.alignDisp(1)
	b.near1(0xe9)
	return len(b.B) - 4
}

// JccOpen is described at JmpOpen.
func (b *Buffer) JccOpen(c Cond) int {
	b.alignDisp(2)
	b.near2(0x80 | byte(c))
	return len(b.B) - 4
}

// CallOpen is described at JmpOpen.
func (b *Buffer) CallOpen() int {
	b.alignDisp(1)
	b.near1(0xe8)
	return len(b.B) - 4
}

// Land makes the open branch whose displacement is at offset disp lead here.
func (b *Buffer) Land(disp int) {
	binary.LittleEndian.PutUint32(b.B[disp:], uint32(len(b.B)-disp-4))
}

// alignDisp pads so that a displacement after n more bytes is 4-byte aligned.
func (b *Buffer) alignDisp(n int) { b.Nop(-(len(b.B) + n) & 3) }

// Rel32 returns the displacement that makes the branch whose displacement is at
// address disp reach target, and false if it is out of reach.
func Rel32(disp, target uint64) (int32, bool) {
	d := int64(target - disp - 4)
	return int32(d), d == int64(int32(d))
}

// Reloc is a rel32 field that refers to an absolute address.
type Reloc struct {
	Off    int32 // offset of the field; the instruction ends after it
	Target uint64
}

// Apply writes the displacement into code, which will run at base.
func (r Reloc) Apply(code []byte, base uint64) error {
	at := base + uint64(r.Off)
	d, ok := Rel32(at, r.Target)
	if !ok {
		return fmt.Errorf("x64: target %#x is out of reach of the branch at %#x", r.Target, at)
	}
	binary.LittleEndian.PutUint32(code[r.Off:], uint32(d))
	return nil
}

// JmpAddr jumps to an absolute address, CallAddr calls one and JccAddr jumps to
// one if c holds; the displacement is left to Relocs. All return its offset.
func (b *Buffer) JmpAddr(target uint64) int {
	b.near1(0xe9)
	return b.reloc(target)
}

// CallAddr is described at JmpAddr.
func (b *Buffer) CallAddr(target uint64) int {
	b.near1(0xe8)
	return b.reloc(target)
}

// JccAddr is described at JmpAddr.
func (b *Buffer) JccAddr(c Cond, target uint64) int {
	b.near2(0x80 | byte(c))
	return b.reloc(target)
}

// JmpAddrPatch is JmpAddr with the displacement 4-byte aligned.
func (b *Buffer) JmpAddrPatch(target uint64) int {
	b.alignDisp(1)
	return b.JmpAddr(target)
}

// JccAddrPatch is JccAddr with the displacement 4-byte aligned.
func (b *Buffer) JccAddrPatch(c Cond, target uint64) int {
	b.alignDisp(2)
	return b.JccAddr(c, target)
}

// CallAddrPatch is CallAddr with the displacement 4-byte aligned.
func (b *Buffer) CallAddrPatch(target uint64) int {
	b.alignDisp(1)
	return b.CallAddr(target)
}

func (b *Buffer) reloc(target uint64) int {
	at := len(b.B) - 4
	b.Relocs = append(b.Relocs, Reloc{int32(at), target})
	return at
}

// backward emits a two-byte branch if l is bound and in reach.
func (b *Buffer) backward(l Label, op byte) bool {
	pos := b.labels[l-1].pos
	if pos < 0 || int(pos) < b.cuts.from { // what is cut out goes far away
		return false
	}
	d := int(pos) - len(b.B) - 2
	if d < -128 {
		return false
	}
	p := b.room()
	p[0], p[1] = op, byte(d)
	b.commit(2)
	return true
}

func (b *Buffer) short(l Label, op byte) {
	p := b.room()
	p[0], p[1] = op, 0
	b.commit(2)
	b.refer(l, len(b.B)-1, 1, 1)
}

func (b *Buffer) near1(op byte) {
	p := b.room()
	p[0] = op
	binary.LittleEndian.PutUint32(p[1:], 0)
	b.commit(5)
}

func (b *Buffer) near2(op byte) {
	p := b.room()
	p[0], p[1] = 0x0f, op
	binary.LittleEndian.PutUint32(p[2:], 0)
	b.commit(6)
}
