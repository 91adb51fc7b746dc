package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// Shifts of each lane by the signed low byte of the other operand's lane: left,
// or right for negative amounts; and by all of it, unsigned, as the host does. AVX2 shifts 32 and 64-bit lanes by amounts of
// their own, AVX-512 16-bit lanes too; narrower lanes are widened. Without AVX2
// the whole vector is shifted once for each lane.

// laneShift says which of those shifts it is.
type laneShift struct{ signed, round, sat bool }

// The variable shifts by lane width; VPSRAVQ needs AVX-512.
var (
	sllvOps = [4]x64.Op{0, x64.VPSLLVW, x64.VPSLLVD, x64.VPSLLVQ}
	srlvOps = [4]x64.Op{0, x64.VPSRLVW, x64.VPSRLVD, x64.VPSRLVQ}
	sravOps = [4]x64.Op{0, x64.VPSRAVW, x64.VPSRAVD, x64.VPSRAVQ}
)

func shiftLanes(k laneShift) lowerFn {
	return func(c *compiler, v ir.Value, in ir.Inst) {
		w := c.laneOf(v)
		if n, ok := c.splatAmount(in.B(), w); ok && k.sat && !k.round {
			c.saturatingShift(k, v, in.A(), n)
			return
		}
		a, b := c.useX(in.A()), c.useX(in.B())
		d := c.defX(v)
		qc := d
		if k.sat {
			qc = c.tempX()
			c.vzero(qc)
		}
		wide := max(w, 2)
		if c.evex() {
			wide = max(w, 1)
		}
		if wide == w {
			c.shiftLanes(k, w, w, d, a, b, qc)
		} else {
			c.widened(w, wide, k.signed, true, d, a, b, func(r, x, y x64.Xmm) { c.shiftLanes(k, w, wide, r, x, y, qc) })
		}
		if k.sat {
			c.saturates(qc, nil)
		}
	}
}

// splatAmount returns a constant amount that is the same in all lanes and not
// negative nor too large.
func (c *compiler) splatAmount(b ir.Value, w int) (n int, ok bool) {
	lo, hi, ok := c.constX(b)
	if !ok || lo != hi || repeat(w, lo) != lo {
		return 0, false
	}
	n = int(int8(lo))
	return n, n >= 0 && n < 8<<w
}

// shiftLanesBy lowers SHLV, LSHRV and ASHRV.
func shiftLanesBy(k shiftKind) lowerFn {
	return func(c *compiler, v ir.Value, in ir.Inst) {
		w := c.laneOf(v)
		wide := max(w, 2)
		if c.evex() {
			wide = max(w, 1)
		}
		a, b := c.useX(in.A()), c.useX(in.B())
		d := c.defX(v)
		if wide == w {
			c.shiftEach(k, w, d, a, b)
			return
		}
		c.widened(w, wide, k == shiftRightS, false, d, a, b, func(r, x, y x64.Xmm) { c.shiftEach(k, wide, r, x, y) })
	}
}

// widened computes with lanes of width w in lanes of width wide, a part of the
// vector at a time: r of x and y, which are sign-extended if so said.
func (c *compiler) widened(w, wide int, signedA, signedB bool, d, a, b x64.Xmm, part func(r, x, y x64.Xmm)) {
	ext := func(signed bool) x64.Op {
		if signed {
			return [3][3]x64.Op{{0, x64.PMOVSXBW, x64.PMOVSXBD}, {0, 0, x64.PMOVSXWD}}[w][wide]
		}
		return [3][3]x64.Op{{0, x64.PMOVZXBW, x64.PMOVZXBD}, {0, 0, x64.PMOVZXWD}}[w][wide]
	}
	x, y := c.tempX(), c.tempX()
	parts := 1 << (wide - w)
	low := c.splat(wide, 1<<(8<<w)-1)
	var done [2]x64.Xmm // halves of the result
	for i := range parts {
		if at := uint8(i * 16 / parts); at == 0 {
			c.v2(ext(signedA), x, a)
			c.v2(ext(signedB), y, b)
		} else {
			c.vsh(x64.PSRLDQ, x, a, at)
			c.v2(ext(signedA), x, x)
			c.vsh(x64.PSRLDQ, y, b, at)
			c.v2(ext(signedB), y, y)
		}
		r := d
		if i > 0 {
			r = c.tempX()
		}
		part(r, x, y)
		c.v3m(x64.PAND, r, r, low)
		half := i * 2 / parts
		if parts == 4 && i&1 == 1 {
			c.v3(x64.PACKUSDW, done[half], done[half], r)
			c.x.SetLocks(c.x.Locks() &^ (1 << r))
			continue
		}
		done[half] = r
	}
	pack := x64.PACKUSWB
	if w == 1 {
		pack = x64.PACKUSDW
	}
	c.v3(pack, d, done[0], done[1])
}

// shiftLanes emits the shift of lanes that are w wide and extended to wide. It
// ors what saturated into qc. d is a register of its own.
func (c *compiler) shiftLanes(k laneShift, w, wide int, d, x, b, qc x64.Xmm) {
	locks := c.x.Locks()
	bits := 8 << wide
	neg, n, t := c.tempX(), c.tempX(), c.tempX()
	if k.signed || k.sat {
		c.vsh(shlOps[wide], t, b, uint8(bits-8))
		c.negatives(wide, neg, t)
	}
	// Negative amounts are 128 and more as a byte: the left shift gives 0.
	amount := c.splat(wide, 0xff)
	c.v3m(x64.PAND, n, b, amount)
	if k.sat {
		c.saturatingLeft(k, w, wide, d, x, n, neg, qc)
	} else {
		c.shiftEach(shiftLeft, wide, d, x, n)
	}
	// The complement of a negative amount is one less than the distance to the
	// right. The last step is done apart since it may round. Amounts that are not
	// negative give 0, or the sign, which neg clears.
	c.v3m(x64.PXOR, n, n, amount)
	right := shiftRightU
	if k.signed {
		right = shiftRightS
	}
	c.shiftEach(right, wide, t, x, n)
	if k.round {
		c.vshift(right, wide, n, t, 1)
		c.v3(subOps[wide], t, t, n)
	} else {
		c.vshift(right, wide, t, t, 1)
	}
	if k.signed {
		c.v3(x64.PAND, t, t, neg)
	}
	c.v3(x64.POR, d, d, t)
	c.x.SetLocks(locks)
}

// shiftEach emits shifts of lanes of 16 (AVX-512), 32 or 64 bits by amounts of
// their own; those of the width and more give 0 or the sign. d is none of the
// operands.
func (c *compiler) shiftEach(k shiftKind, w int, d, x, n x64.Xmm) {
	locks := c.x.Locks()
	defer c.x.SetLocks(locks)
	if k == shiftRightS && w == 3 && !c.evex() {
		s := c.tempX()
		c.negatives(w, s, x)
		c.v3(x64.PXOR, d, x, s)
		if c.avx2() {
			c.b.XXX(x64.VPSRLVQ, d, d, n)
		} else {
			t := c.tempX()
			c.vmov(t, d)
			c.shiftTwo(x64.PSRLQ, d, t, n)
		}
		c.v3(x64.PXOR, d, d, s)
		return
	}
	op := [3]*laneOps{&shlOps, &shrOps, &sarOps}[k][w]
	switch {
	case c.avx2():
		c.b.XXX([3]*[4]x64.Op{&sllvOps, &srlvOps, &sravOps}[k][w], d, x, n)
	case w == 3:
		c.shiftTwo(op, d, x, n)
	default:
		c.shiftFour(op, d, x, n)
	}
}

// shiftTwo shifts each 64-bit lane by its amount: a shift by a vector register
// shifts all lanes by its low 64 bits.
func (c *compiler) shiftTwo(op x64.Op, d, x, n x64.Xmm) {
	t := c.tempX()
	c.vsh(x64.PSRLDQ, t, n, 8)
	c.v3(op, d, x, t)
	c.v3(op, t, x, n)
	c.v3i(x64.PBLENDW, d, d, t, 0x0f)
}

// shiftFour does so for 32-bit lanes.
func (c *compiler) shiftFour(op x64.Op, d, x, n x64.Xmm) {
	t, u := c.tempX(), c.tempX()
	c.v2(x64.PMOVZXDQ, t, n)
	c.v3(op, d, x, t)
	for lane := 1; lane < 4; lane++ {
		c.vsh(x64.PSRLDQ, t, n, uint8(4*lane))
		c.v2(x64.PMOVZXDQ, t, t)
		c.v3(op, u, x, t)
		c.v3i(x64.PBLENDW, d, d, u, 3<<(2*lane))
	}
}

// saturatingLeft emits the left shift by n where neg is clear; it saturates if
// shifting back does not restore the operand. Narrower lanes are moved to the
// top first, so that they overflow where they should.
func (c *compiler) saturatingLeft(k laneShift, w, wide int, d, x, n, neg, qc x64.Xmm) {
	locks := c.x.Locks()
	up := uint8(8<<wide - 8<<w)
	if up > 0 {
		t := c.tempX()
		c.vsh(shlOps[wide], t, x, up)
		x = t
	}
	c.shiftEach(shiftLeft, wide, d, x, n)
	over := c.tempX()
	if k.signed {
		c.shiftEach(shiftRightS, wide, over, d, n)
	} else {
		c.shiftEach(shiftRightU, wide, over, d, n)
	}
	c.v3(eqOps[wide], over, over, x)
	c.v3(x64.POR, over, over, neg)
	c.v3m(x64.PXOR, over, over, c.ones())
	c.v3(x64.POR, qc, qc, over)
	if k.signed {
		s := c.tempX()
		c.negatives(wide, s, x)
		c.v3m(x64.PXOR, s, s, c.splat(wide, signBit(wide)-1))
		c.merge(d, s, over)
	} else {
		c.v3(x64.POR, d, d, over)
	}
	if up > 0 {
		c.vsh(shrOps[wide], d, d, up)
	}
	c.x.SetLocks(locks)
}

// saturatingShift lowers a saturating left shift by one amount for all lanes:
// lanes are cut to what does not overflow, and those that were cut get ones
// below, if they are not negative.
func (c *compiler) saturatingShift(k laneShift, v, av ir.Value, n int) {
	w := c.laneOf(v)
	a := c.useX(av)
	d, t, u := c.defX(v), c.tempX(), c.tempX()
	if !k.signed {
		c.vminmax(&uminOps, w, t, a, inMem(c.splat(w, ^uint64(0)>>(64-8<<w)>>n)))
		c.v3(eqOps[w], u, t, a)
		c.v3m(x64.PXOR, u, u, c.ones())
		c.vshift(shiftLeft, w, d, t, n)
		c.v3(x64.POR, d, d, u)
		c.saturates(u, nil)
		return
	}
	top := (signBit(w) - 1) >> n
	c.vminmax(&sminOps, w, u, a, inMem(c.splat(w, top)))
	c.vminmax(&smaxOps, w, t, u, inMem(c.splat(w, ^top)))
	c.vload(u, c.splat(w, top))
	c.vmov(d, a)
	c.v3(gtOps[w], d, d, u)
	c.v3m(x64.PAND, d, d, c.splat(w, 1<<n-1))
	c.vshift(shiftLeft, w, u, t, n)
	c.v3(x64.POR, d, d, u)
	c.saturates(t, func() { c.v3(x64.PXOR, t, t, a) })
}

// lowerSQShlU: negative lanes become zero, the others saturate as unsigned.
func lowerSQShlU(c *compiler, v ir.Value, in ir.Inst) {
	w, n := c.laneOf(v), int(c.f.ImmOf(in.B()))
	a := c.useX(in.A())
	d, t, u := c.defX(v), c.tempX(), c.tempX()
	c.vzero(u)
	c.vminmax(&smaxOps, w, t, a, inReg(u))
	c.vminmax(&uminOps, w, u, t, inMem(c.splat(w, ^uint64(0)>>(64-8<<w)>>n)))
	c.v3(eqOps[w], t, t, u)
	c.v3m(x64.PXOR, t, t, c.ones())
	c.vshift(shiftLeft, w, d, u, n)
	c.v3(x64.POR, d, d, t)
	c.saturates(u, func() { c.v3(x64.PXOR, u, u, a) })
}
