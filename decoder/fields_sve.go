package decoder

import "math/bits"

// The functions here read the immediates of SVE, whose boxes sit at different places in
// different encodings: they go by the names in the encoding diagram.

// box returns the value of a box that the encoding must have.
func (i Inst) box(name string) uint32 {
	v, _ := i.field(name)
	return v
}

// tszLane returns log2 of the bytes of an element whose size is the highest bit of
// tszh:tszl ("tsz"), the lowest bit of tsz ("itsz"), or that of the pattern of a mask
// ("imm13"), where the smallest ones count as bytes.
func (i Inst) tszLane(spec string) uint {
	switch spec {
	case "tsz":
		v, _ := i.field("tszh:tszl")
		return uint(bits.Len32(v)) - 1
	case "imm13":
		v := i.box("imm13")
		return uint(max(bits.Len32(v>>12<<6|^v&63), 4)) - 4
	}
	esize, _ := i.TszIndex()
	return uint(bits.Len(esize)) - 4
}

// TszIndex splits the size and index of DUP (indexed), DUPQ and PSEL into the element size
// in bits, which is the lowest set bit, and the element number above it.
func (i Inst) TszIndex() (esize, index uint) {
	names := "i1:tszh:tszl"
	if _, ok := rows[i.Op].field("tsz"); ok {
		names = "i1:tsz"
		if _, ok := rows[i.Op].field("imm2"); ok {
			names = "imm2:tsz"
		}
	}
	v, _ := i.field(names)
	n := uint(bits.TrailingZeros32(v))
	return 8 << n, uint(v) >> (n + 1)
}

// TszEsize is the element size in bits that the highest set bit of tszh:tszl tells: the
// narrower one of shifts that widen or narrow.
func (i Inst) TszEsize() uint { return 8 << i.tszLane("tsz") }

// TszLeftShift is the amount of a left shift by immediate, 0..esize-1.
func (i Inst) TszLeftShift() uint {
	v, _ := i.field("tszh:tszl:imm3")
	return uint(v) - i.TszEsize()
}

// TszRightShift is the amount of a right shift by immediate, 1..esize.
func (i Inst) TszRightShift() uint {
	v, _ := i.field("tszh:tszl:imm3")
	return 2*i.TszEsize() - uint(v)
}

// Imm13 is the 64-bit mask of AND, ORR, EOR and DUPM (immediate).
func (i Inst) Imm13() uint64 {
	v := i.box("imm13")
	mask, _ := DecodeBitMasks(v>>12, v&63, v>>6&63, true)
	return mask
}

// UnsignedImm8 is imm8 of ADD (immediate) and its kind, times 256 if sh is set.
func (i Inst) UnsignedImm8() uint64 { return uint64(i.box("imm8")) << (8 * i.box("sh")) }

// SignedImm8 is the signed imm8 of CPY and DUP (immediate), times 256 if sh is set.
func (i Inst) SignedImm8() int64 { return SignExtend(i.box("imm8"), 8) << (8 * i.box("sh")) }
