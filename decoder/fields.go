package decoder

import "math/bits"

// The functions here have the names and the meaning of the Arm ARM's pseudocode
// (chapter J1), with the operands as they stand in the instruction word.

// DecodeBitMasks expands the N:imms:immr immediate of AND, ORR, EOR and their kind,
// which is the pseudocode's wmask; with is64 false the mask has 32 bits. ok is false
// for reserved values, an element of all ones among them. The pseudocode's tmask is
// that of bitfield moves, whose immr and imms say more plainly what they move.
// Arm ARM, aarch64/instrs/integer/bitmasks.
func DecodeBitMasks(n, imms, immr uint32, is64 bool) (mask uint64, ok bool) {
	length := bits.Len32(n<<6|^imms&0x3f) - 1
	if length < 1 || n != 0 && !is64 {
		return 0, false
	}
	levels := uint32(1)<<length - 1
	if imms&levels == levels {
		return 0, false
	}
	s, r := imms&levels, immr&levels
	esize := uint(1) << length
	width := uint(64)
	if !is64 {
		width = 32
	}
	ones := func(n uint32) uint64 { return 1<<n - 1 } // n = 64 gives all ones
	element := ones(s + 1)
	if r != 0 {
		element = (element>>r | element<<(uint32(esize)-r)) & ones(uint32(esize))
	}
	return Replicate(element, esize, width), true
}

// Replicate fills width bits (at most 64) with copies of the low esize bits of x.
// Preconditions: esize is a power of two and x has no higher bits.
func Replicate(x uint64, esize, width uint) uint64 {
	for ; esize < width; esize *= 2 {
		x |= x << esize
	}
	return x
}

// VFPExpandImm expands the 8-bit immediate of FMOV to a floating-point number of
// 16, 32 or 64 bits.
func VFPExpandImm(imm8 uint32, size uint) uint64 {
	var e uint // exponent bits
	switch size {
	case 16:
		e = 5
	case 32:
		e = 8
	case 64:
		e = 11
	default:
		panic("BUG: VFPExpandImm of a size that is not 16, 32 or 64")
	}
	f := size - e - 1
	sign := uint64(imm8 >> 7)
	b := uint64(imm8 >> 6 & 1)
	exp := (b^1)<<(e-1) | (Replicate(b, 1, 64)&(1<<(e-3)-1))<<2 | uint64(imm8>>4&3)
	frac := uint64(imm8&15) << (f - 4)
	return sign<<(size-1) | exp<<f | frac
}

// AdvSIMDExpandImm expands the modified immediate of MOVI, MVNI, ORR, BIC and
// FMOV (vector) to 64 bits. MVNI and BIC use the inverse of the result. The
// half-precision FMOV has a bit of its own and takes VFPExpandImm instead.
func AdvSIMDExpandImm(op, cmode, imm8 uint32) uint64 {
	x := uint64(imm8)
	switch cmode >> 1 {
	case 0, 1, 2, 3:
		return Replicate(x<<(8*(cmode>>1)), 32, 64)
	case 4, 5:
		return Replicate(x<<(8*(cmode>>1&1)), 16, 64)
	case 6:
		if cmode&1 == 0 {
			return Replicate(x<<8|0xff, 32, 64)
		}
		return Replicate(x<<16|0xffff, 32, 64)
	}
	switch {
	case cmode&1 == 0 && op == 0:
		return Replicate(x, 8, 64)
	case cmode&1 == 0:
		var v uint64
		for b := range 8 {
			if x>>b&1 != 0 {
				v |= 0xff << (8 * b)
			}
		}
		return v
	case op == 0:
		return Replicate(VFPExpandImm(imm8, 32), 32, 64)
	default:
		return VFPExpandImm(imm8, 64)
	}
}

// ModImm8 is the 8-bit immediate a:b:c:d:e:f:g:h of the Advanced SIMD modified
// immediate group, bits 18:16 and 9:5.
func (i Inst) ModImm8() uint32 { return i.Bits(18, 16)<<5 | i.Bits(9, 5) }

// MoveWidePreferred reports whether a single MOVZ or MOVN can make the logical
// immediate, in which case ORR (immediate) is not printed as MOV. (The Arm ARM's
// function of this name misses some values that MOVN makes; assemblers do not.)
func MoveWidePreferred(is64 bool, n, imms, immr uint32) bool {
	width := uint32(32)
	if is64 {
		width = 64
	}
	// The element must be as wide as the register.
	if is64 && n != 1 || !is64 && (n != 0 || imms&0x20 != 0) {
		return false
	}
	// Rotating right by immr puts the imms+1 ones at bit -immr, and the zeros
	// above them at bit imms+1-immr; neither may span a halfword boundary.
	ones := imms + 1
	zeros := width - ones
	return -immr&15+ones <= 16 || (ones-immr)&15+zeros <= 16
}

// SignExtend returns the low n bits of x as a signed number.
func SignExtend(x uint32, n uint) int64 { return int64(int32(x<<(32-n)) >> (32 - n)) }

// Prefetch decodes prfop of PRFM: the level of cache, counted from 0, or 3 for data that is
// used once (STRM). ok is false for instructions (PLI) and reserved values, which ask for
// nothing.
func Prefetch(prfop uint32) (level uint32, ok bool) {
	kind, target := prfop>>3, prfop>>1&3
	switch {
	case kind != 0 && kind != 2 || target == 3: // PLD and PST
		return 0, false
	case prfop&1 == 1:
		return 3, true
	}
	return target, true
}

// AdrOffset is the signed offset immhi:immlo of ADR in bytes, and of ADRP in pages.
func (i Inst) AdrOffset() int64 { return SignExtend(i.Bits(23, 5)<<2|i.Bits(30, 29), 21) }

// AdrTarget is the address that ADR makes at pc, or ADRP (bit 31), of a page.
func (i Inst) AdrTarget(pc uint64) uint64 {
	if i.Bit(31) == 1 {
		return pc&^0xfff + uint64(i.AdrOffset())<<12
	}
	return pc + uint64(i.AdrOffset())
}

// BranchTarget returns the destination of a direct branch, call, or literal load
// at pc; ok is false for other instructions.
func (i Inst) BranchTarget(pc uint64) (target uint64, ok bool) {
	switch rows[i.Op].Group {
	case "branch_imm":
		return pc + uint64(i.Imm26()), true
	case "condbranch", "compbranch", "loadlit":
		return pc + uint64(i.Imm19()), true
	case "testbranch":
		return pc + uint64(i.Imm14()), true
	}
	return 0, false
}

// A shift immediate immh:immb tells the element size by the highest set bit of
// immh (Arm ARM, Advanced SIMD shift by immediate).

// ShiftEsize is the element size in bits of a shift by immediate: the source's
// for SSHLL and USHLL, the destination's for narrowing shifts.
// Preconditions: immh is not 0.
func (i Inst) ShiftEsize() uint { return 8 << (bits.Len32(i.Bits(22, 19)) - 1) }

// LeftShift is the amount of a left shift by immediate, 0..esize-1.
func (i Inst) LeftShift() uint { return uint(i.Bits(22, 16)) - i.ShiftEsize() }

// RightShift is the amount of a right shift by immediate, 1..esize, and the
// number of fraction bits of the fixed-point conversions that share the format.
func (i Inst) RightShift() uint { return 2*i.ShiftEsize() - uint(i.Bits(22, 16)) }

// ElementIndex5 splits imm5 of DUP, INS, SMOV and UMOV into the element size in
// bits and the element number. Preconditions: imm5<3:0> is not 0.
func (i Inst) ElementIndex5() (esize, index uint) {
	imm5 := i.Bits(20, 16)
	n := uint(bits.TrailingZeros32(imm5))
	return 8 << n, uint(imm5 >> (n + 1))
}
