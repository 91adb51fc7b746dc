package amd64

import (
	"emu/internal/softfp"
	"emu/ir"
	"emu/jit/asm/x64"
)

// Half precision on hosts without AVX512-FP16, by way of single precision (F16C).
// Every half is a single, and the result of one operation on singles, rounded again
// to a half, is right for sums, products, quotients and roots, because a single has
// more than twice as many bits and two (Figueroa, "When is Double Rounding
// Innocuous?", 1995); in the directed modes it is right for all. A fused sum can have
// far more bits than a single: see oddSum. Denormal halves are normal singles, so
// FPCR.FZ, which does not concern halves, does not either. NaNs are left to Go.

// halfAsSingle reports whether operations on half precision become such on single
// precision.
func (c *compiler) halfAsSingle() bool {
	return c.native(kF32) && !c.fz16() && c.feat.Has(x64.F16C|x64.AVX)
}

// halfOp is an operation that is being lowered: its operands as singles, those of a
// vector in two parts.
type halfOp struct {
	c     *compiler
	v     ir.Value
	in    ir.Inst
	k     fpKind // of the halves
	sk    fpKind // of the singles
	parts int
	src   []vsrc // the halves
	d     x64.Xmm
	w     [2][3]x64.Xmm
	t, u  x64.Xmm // scratch
}

// newHalf widens the operands of in. Its result, if that is in a vector register, is d.
func (c *compiler) newHalf(v ir.Value, in ir.Inst) *halfOp {
	h := &halfOp{c: c, v: v, in: in, k: kindOf(c.f.TypeOf(in.A())), sk: kF32, parts: 1}
	if !h.k.scalar() {
		h.sk, h.parts = kV4F32, 2
	}
	c.clobber()
	info := in.Op().Info().Args
	var args []ir.Value
	for n := range info {
		if info[n] != '#' {
			args = append(args, in.Arg(n))
			h.src = append(h.src, inReg(c.useX(in.Arg(n))))
		}
	}
	if c.f.TypeOf(v).InXMM() {
		h.d = c.defX(v)
	}
	for n, s := range h.src {
		for part := range h.parts {
			h.w[part][n] = c.tempX()
		}
		h.widen(n, s.x, c.zbits(args[n]) <= 16)
	}
	h.t, h.u = c.tempX(), c.tempX()
	return h
}

// widen converts operand n; alone tells that nothing is above a scalar.
func (h *halfOp) widen(n int, s x64.Xmm, alone bool) {
	b, w := &h.c.b, h.w[0][n]
	switch {
	case h.parts == 2:
		b.XXX(x64.VPUNPCKHQDQ, h.w[1][n], s, s)
		b.XX(x64.VCVTPH2PS, h.w[1][n], h.w[1][n])
		b.XX(x64.VCVTPH2PS, w, s)
	case alone:
		b.XX(x64.VCVTPH2PS, w, s)
	default: // the instruction converts, and raises exceptions for, four of them
		h.c.vzero(w)
		b.XXXI(x64.VPBLENDW, w, w, s, 1)
		b.XX(x64.VCVTPH2PS, w, w)
	}
}

// each calls do with the operands of every part.
func (h *halfOp) each(do func(w *[3]x64.Xmm)) {
	for part := range h.parts {
		do(&h.w[part])
	}
}

// above branches to Go if the magnitude of one of the first n singles of the parts is
// above limit, a number's bits. NaNs are above all numbers.
func (h *halfOp) above(limit uint64, n int) x64.Label {
	c, first := h.c, true
	for part := range h.parts {
		for k := range n {
			x := h.t
			if !first {
				x = h.u
			}
			c.v3m(x64.PAND, x, h.w[part][k], c.splat(2, signBit(2)-1))
			if !first {
				c.v3(x64.PMAXSD, h.t, h.t, h.u)
			}
			first = false
		}
	}
	c.v3m(x64.PCMPGTD, h.t, h.t, c.splat(2, limit))
	c.v2(x64.PTEST, h.t, h.t)
	return h.toGo(x64.NE)
}

// nan branches to Go if a result, which is where the first operand was, is a NaN.
func (h *halfOp) nan() x64.Label {
	return h.toGo(h.c.unordered(h.sk, h.w[0][0], inReg(h.w[h.parts-1][0])))
}

// toGo branches to Go if cc holds, and returns the label of the way back.
func (h *halfOp) toGo(cc x64.Cond) x64.Label {
	return h.c.branchFP(cc, h.c.newFP(fpGo, h.in, h.k, h.d, h.src...)).back
}

// narrow rounds the results to halves.
func (h *halfOp) narrow() {
	b := &h.c.b
	b.XXI(x64.VCVTPS2PH, h.d, h.w[0][0], roundMXCSR)
	if h.parts == 2 {
		b.XXI(x64.VCVTPS2PH, h.w[1][0], h.w[1][0], roundMXCSR)
		b.XXX(x64.VPUNPCKLQDQ, h.d, h.d, h.w[1][0])
	}
}

// finish narrows the results, binds the ways back from Go and, for an operation
// that can underflow, does what mendTiny does.
func (h *halfOp) finish(tiny bool, back ...x64.Label) {
	c := h.c
	h.narrow()
	for _, l := range back {
		c.b.Bind(l)
	}
	if tiny && c.watched() {
		c.tinyInt(h.in, h.k, h.d, [3]bool{}, h.src...)
	}
	if h.parts == 1 {
		c.scalarAlone(h.v)
	}
}

// halfArith lowers operations of two operands.
func (c *compiler) halfArith(v ir.Value, in ir.Inst, ops *fpOps) {
	h := c.newHalf(v, in)
	h.each(func(w *[3]x64.Xmm) { c.f3(ops, h.sk, w[0], w[0], inReg(w[1])) })
	h.finish(ops == &fpMul || ops == &fpDiv, h.nan())
}

func (c *compiler) halfSqrt(v ir.Value, in ir.Inst) {
	h := c.newHalf(v, in)
	h.each(func(w *[3]x64.Xmm) {
		if h.sk == kF32 {
			c.f3(&fpSqrt, h.sk, w[0], w[0], inReg(w[0]))
			return
		}
		c.v2(fpSqrt[h.sk], w[0], w[0])
	})
	h.finish(false, h.nan())
}

// halfMulX is FMULX: infinities, which may meet a zero, are left to Go.
func (c *compiler) halfMulX(v ir.Value, in ir.Inst) {
	h := c.newHalf(v, in)
	back := h.above(fpInfinity[2]-1, 2)
	h.each(func(w *[3]x64.Xmm) { c.f3(&fpMul, h.sk, w[0], w[0], inReg(w[1])) })
	h.finish(true, back)
}

func (c *compiler) halfMinMax(v ir.Value, in ir.Inst, greater bool) {
	h := c.newHalf(v, in)
	back := h.above(fpInfinity[2], 2)
	h.each(func(w *[3]x64.Xmm) {
		if c.evex() {
			c.vrange(h.sk, w[0], w[0], inReg(w[1]), greater)
			return
		}
		c.minmaxBoth(h.sk, h.t, h.u, w[0], inReg(w[1]), greater)
		c.vmov(w[0], h.t)
	})
	h.finish(false, back)
}

// halfFMA: first + second * third.
func (c *compiler) halfFMA(v ir.Value, in ir.Inst) {
	h := c.newHalf(v, in)
	directed := h.directed()
	h.each(h.sum)
	back := h.above(fpInfinity[2]-1, 1) // would be invalid in oddSum
	h.each(func(w *[3]x64.Xmm) { c.oddSum(h.sk, w, h.t, h.u) })
	h.finish(true, back, directed)
}

// halfStep is FRECPS, first - a*b, and FRSQRTS, (first - a*b) / 2. There is nothing
// tiny and inexact near to an integer. Infinity times zero is zero here.
func (c *compiler) halfStep(v ir.Value, in ir.Inst, first uint64, halve bool) {
	h := c.newHalf(v, in)
	for part := range h.parts {
		h.w[part][2] = c.tempX() // before the branch: it may spill
	}
	directed := h.directed()
	back := h.above(fpInfinity[2]-1, 2)
	minus, number := c.splat(2, signBit(2)), c.splatBits(h.sk, first)
	h.each(func(w *[3]x64.Xmm) {
		c.v3m(x64.PXOR, w[2], w[0], minus)
		c.vload(w[0], number)
		h.sum(w)
		c.oddSum(h.sk, w, h.t, h.u)
		if halve {
			c.v3m(fpMul[h.sk], w[0], w[0], c.splatK(h.sk, &fpHalf))
		}
	})
	h.finish(false, back, directed)
}

// directed branches to Go if FPCR does not ask for rounding to nearest, as oddSum needs it.
func (h *halfOp) directed() x64.Label {
	h.c.testDirected()
	return h.toGo(x64.NE)
}

// testDirected tests that the rounding mode is another one than to nearest: NE.
func (c *compiler) testDirected() { c.b.MI(x64.TESTL, state(offFPCR), softfp.RModeMask) }

// sum makes of an addend and two factors the sum of the addend and the product, the
// product, which is exact, and the addend.
func (h *halfOp) sum(w *[3]x64.Xmm) {
	c := h.c
	c.f3(&fpMul, h.sk, w[1], w[1], inReg(w[2]))
	c.f3(&fpAdd, h.sk, w[2], w[1], inReg(w[0]))
	w[0], w[2] = w[2], w[0]
}

// oddSum makes w[0], the sum of w[1] and w[2] rounded to nearest, one that is rounded
// to odd; it uses up the others. A sum that comes to lie on the middle between two numbers of
// a narrower format would be rounded wrong a second time if the first rounding had not
// left a trace. Its error is exact (Knuth's TwoSum), and tells whether the last bit has
// to stand for more (Boldo and Melquiond, "Emulation of FMA and Correctly Rounded Sums:
// Proved Algorithms Using Rounding to Odd", 2008). The steps of TwoSum are inexact only
// if the sum is. Infinities and NaNs stay, but raise Invalid Operation.
func (c *compiler) oddSum(k fpKind, w *[3]x64.Xmm, t, u x64.Xmm) {
	s, p, a := w[0], w[1], w[2]
	c.f3(&fpSub, k, t, s, inReg(p))
	c.f3(&fpSub, k, u, s, inReg(t))
	c.f3(&fpSub, k, p, p, inReg(u))
	c.f3(&fpSub, k, a, a, inReg(t))
	c.f3(&fpAdd, k, a, a, inReg(p)) // the error
	c.v3(x64.PXOR, u, s, a)
	c.vsh(x64.PSRAD, u, u, 31)
	c.v3m(x64.PAND, a, a, c.splat(2, signBit(2)-1))
	c.vzero(t)
	c.v3i(fpCmp[k], t, t, a, cmpLtS)
	c.v3(x64.PAND, u, u, t)
	c.v3(x64.PADDD, s, s, u) // one less where it was rounded away from zero
	c.vsh(x64.PSRLD, t, t, 31)
	c.v3(x64.POR, s, s, t)
}

// halfCmp is lowerFCmp.
func (c *compiler) halfCmp(v ir.Value, in ir.Inst, pred uint8) {
	h := c.newHalf(v, in)
	h.each(func(w *[3]x64.Xmm) { c.v3i(fpCmp[h.sk], w[0], w[0], w[1], pred) })
	if h.parts == 1 {
		c.b.RX(x64.MOVDX, c.defR(v), h.w[0][0])
		return
	}
	c.v3(x64.PACKSSDW, h.d, h.w[0][0], h.w[1][0])
}

// halfRound is lowerFRound. To nearest with ties away is truncation after the
// addition of a half, which is exact.
func (c *compiler) halfRound(v ir.Value, in ir.Inst, mode ir.Round, exact bool) {
	h := c.newHalf(v, in)
	h.each(func(w *[3]x64.Xmm) { h.round(w[0], mode, exact) })
	if c.dn() {
		h.finish(false, h.nan())
		return
	}
	h.finish(false)
}

// round rounds x to integral.
func (h *halfOp) round(x x64.Xmm, mode ir.Round, exact bool) {
	c := h.c
	imm := hostRound[mode]
	if mode == ir.RoundAway {
		imm = hostRound[ir.RoundZero]
		c.v3m(x64.PAND, h.t, x, c.splat(2, signBit(2)))
		c.v3m(x64.POR, h.t, h.t, c.splatK(h.sk, &fpHalf))
		c.f3(&fpAdd, h.sk, x, x, inReg(h.t))
	}
	if !exact {
		imm |= roundQuiet
	}
	c.round(h.sk, x, x, imm)
}
