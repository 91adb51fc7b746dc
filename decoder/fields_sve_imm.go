package decoder

import "math/bits"

// Imm13 is the 64-bit mask of AND, ORR, EOR and DUPM (immediate).
func (i Inst) Imm13() uint64 {
	v := i.box("imm13")
	mask, _ := DecodeBitMasks(v>>12, v&63, v>>6&63, true)
	return mask
}

// SVEMoveMaskPreferred reports whether DUPM is printed as MOV: its mask is not one that DUP
// (immediate) makes, a signed byte or 256 times one.
func (i Inst) SVEMoveMaskPreferred() bool {
	esize := i.ElementSize("Zd")
	v := int64(i.Imm13()) << (64 - esize) >> (64 - esize)
	fits := func(v int64) bool { return v == int64(int8(v)) }
	return esize > 8 && !fits(v) && !(v&0xff == 0 && fits(v>>8))
}

// UnsignedImm8 is imm8 of ADD (immediate) and its kind, times 256 if sh is set.
func (i Inst) UnsignedImm8() uint64 { return uint64(i.box("imm8")) << (8 * i.box("sh")) }

// SignedImm8 is the signed imm8 of CPY and DUP (immediate), times 256 if sh is set.
func (i Inst) SignedImm8() int64 { return SignExtend(i.box("imm8"), 8) << (8 * i.box("sh")) }

// FPConst is the constant operand of floating-point operations with an immediate, which i1
// selects: 0.5 or 1.0 of FADD, FSUB and FSUBR, 0.5 or 2.0 of FMUL, 0.0 or 1.0 of the others.
func (i Inst) FPConst() float64 {
	second := i.box("i1")
	switch i.Bits(18, 16) {
	case 0, 1, 3:
		return [2]float64{0.5, 1}[second]
	case 2:
		return [2]float64{0.5, 2}[second]
	}
	return [2]float64{0, 1}[second]
}

// Rotation is the angle of a complex operation in degrees.
func (i Inst) Rotation() uint32 {
	rot, width := i.field("rot")
	if width == 1 { // of additions
		return 90 + 180*rot
	}
	return 90 * rot
}

// SVEPrefetch is prfop of the prefetches of SVE as the 5 bits that Prefetch and PRFM take:
// there is no PLI.
func (i Inst) SVEPrefetch() uint32 {
	op := i.box("prfop")
	return op&8<<1 | op&7
}

// DecodePredCount is the number of elements that pattern selects out of a vector's, 0 for a
// pattern that has no meaning. Arm ARM, aarch64/functions/sve/DecodePredCount.
func DecodePredCount(pattern uint32, elements uint) uint {
	fixed := uint(0)
	switch {
	case pattern == 0: // POW2
		return 1 << (bits.Len(elements) - 1)
	case pattern <= 8: // VL1 to VL8
		fixed = uint(pattern)
	case pattern <= 13: // VL16 to VL256
		fixed = 16 << (pattern - 9)
	case pattern == 29: // MUL4
		return elements - elements%4
	case pattern == 30: // MUL3
		return elements - elements%3
	case pattern == 31: // ALL
		return elements
	}
	if fixed > elements {
		return 0
	}
	return fixed
}
