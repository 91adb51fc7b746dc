package amd64

import "emu/jit/asm/x64"

// nanCode emits the shared routines that choose NaNs. They use the SSE forms, on
// X0 to X4; blends take their mask, sign bits, from X0. Operands are in
// State.HelperArg, the host's result in HelperRet.
type nanCode struct {
	c *compiler
	k fpKind
}

func (s nanCode) load(x x64.Xmm, m x64.Mem) { s.c.b.XM(x64.MOVUPS, x, m) }
func (s nanCode) move(x, y x64.Xmm)         { s.c.b.XX(x64.MOVAPS, x, y) }

// bits is a literal with a number in every lane.
func (s nanCode) bits(n *[4]uint64) x64.Mem { return s.c.splat(s.k.width(), n[s.k.width()]) }

// compare emits x = x op y in lane 0 of a scalar or in all lanes. Only quiet
// predicates are used: signalling NaNs have raised Invalid Operation already.
func (s nanCode) compare(x, y x64.Xmm, pred uint8) { s.c.b.XXI(fpCmp[s.k], x, y, pred) }

// unord emits x = mask of the lanes where y or z is a NaN.
func (s nanCode) unord(x, y, z x64.Xmm) {
	s.move(x, y)
	s.compare(x, z, cmpUnordQ)
}

// blend replaces lanes of x by y's where the sign of X0 is set.
func (s nanCode) blend(x, y x64.Xmm) {
	if s.k.double() {
		s.c.b.XX(x64.BLENDVPD, x, y)
		return
	}
	s.c.b.XX(x64.BLENDVPS, x, y)
}

// blendM is blend with a number.
func (s nanCode) blendM(x x64.Xmm, n *[4]uint64) {
	if s.k.double() {
		s.c.b.XM(x64.BLENDVPD, x, s.bits(n))
		return
	}
	s.c.b.XM(x64.BLENDVPS, x, s.bits(n))
}

// quietToSign moves the quiet bit of every lane of x to the sign.
func (s nanCode) quietToSign(x x64.Xmm) {
	if s.k.double() {
		s.c.b.XI(x64.PSLLQ, x, 12)
		return
	}
	s.c.b.XI(x64.PSLLD, x, 9)
}

// mend2 leaves in X3 the right result of an operation on two operands. The host's
// is the first NaN operand, made quiet, or its default NaN. Wrong are: the default
// NaN, which is negative, and the choice of a quiet first operand where the second
// signals.
func (s nanCode) mend2() {
	b := &s.c.b
	s.load(1, argMem16(0))
	s.load(2, argMem16(1))
	s.load(3, state(offHelperRet))
	s.unord(0, 3, 3)
	s.unord(4, 1, 2)
	b.XX(x64.ANDNPS, 4, 0)
	s.move(0, 4)
	s.blendM(3, &fpDefaultNaN)
	// Where the second is a signalling NaN and the first has the quiet bit set the
	// second is right: as a NaN the first is quiet then, and otherwise the host has
	// chosen the second anyway.
	s.move(0, 2)
	b.XX(x64.ANDNPS, 0, 1)
	s.quietToSign(0)
	s.unord(4, 2, 2)
	b.XX(x64.ANDPS, 0, 4)
	b.XM(x64.ORPS, 2, s.bits(&fpQuietBit))
	s.blend(3, 2)
}

// pick leaves in X4 the NaN that A64 chooses among n operands: the first
// signalling one, else the first; the default NaN where there is none.
func (s nanCode) pick(n int) {
	b := &s.c.b
	s.load(4, s.bits(&fpDefaultNaN))
	for i := n - 1; i >= 0; i-- {
		s.load(1, argMem16(i))
		s.unord(0, 1, 1)
		b.XM(x64.ORPS, 1, s.bits(&fpQuietBit))
		s.blend(4, 1)
	}
	for i := n - 1; i >= 0; i-- {
		s.load(1, argMem16(i))
		s.unord(2, 1, 1)
		s.move(0, 1)
		s.quietToSign(0)
		b.XX(x64.ANDNPS, 0, 2)
		b.XM(x64.ORPS, 1, s.bits(&fpQuietBit))
		s.blend(4, 1)
	}
}

// invalidProduct makes the lanes of X4 the default NaN where a quiet NaN is added
// to zero times infinity, and raises Invalid Operation there: the host does not
// care for the product then.
func (s nanCode) invalidProduct() {
	b := &s.c.b
	b.XX(x64.XORPS, 0, 0)
	for _, way := range [2][2]int{{1, 2}, {2, 1}} { // zero, infinite
		s.load(1, argMem16(way[0]))
		b.XX(x64.XORPS, 3, 3)
		s.compare(1, 3, cmpEqQ)
		s.load(2, argMem16(way[1]))
		s.load(3, s.bits(&fpInfinity))
		s.absolute(2)
		s.compare(2, 3, cmpEqQ)
		b.XX(x64.ANDPS, 1, 2)
		b.XX(x64.ORPS, 0, 1)
	}
	s.load(1, argMem16(0))
	s.unord(2, 1, 1)
	b.XX(x64.ANDPS, 0, 2)
	s.quietToSign(1)
	b.XI(x64.PSRAD, 1, 31)
	if s.k.double() {
		b.XXI(x64.PSHUFD, 1, 1, 0xf5) // the sign is in the upper half only
	}
	b.XX(x64.ANDPS, 0, 1)
	s.blendM(4, &fpDefaultNaN)
	// Infinity times zero where that is so, zero times zero elsewhere.
	b.XX(x64.ANDPS, 0, 3)
	b.XX(x64.XORPS, 1, 1)
	b.XX(fpMul[s.k], 0, 1)
}

// absolute clears the signs of x.
func (s nanCode) absolute(x x64.Xmm) {
	n := signBit(s.k.width()) - 1
	s.c.b.XM(x64.ANDPS, x, s.c.splat(s.k.width(), n))
}
