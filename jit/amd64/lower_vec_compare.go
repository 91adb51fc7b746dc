package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// Orders that are compared another way: with equality, by their opposite, as the
// minimum or maximum that is the first operand where they hold.
var (
	orEqual  = [...]ir.Cond{ir.ULT: ir.ULE, ir.UGT: ir.UGE}
	opposite = [...]ir.Cond{ir.ULT: ir.UGE, ir.UGT: ir.ULE}
	boundOps = [...]*laneOps{ir.ULE: &uminOps, ir.UGE: &umaxOps, ir.SLE: &sminOps, ir.SGE: &smaxOps}
)

// lowerVICmp makes masks of lanes. The host compares for equality and signed
// greater; the other orders are a minimum or maximum that equals one side.
func lowerVICmp(c *compiler, v ir.Value, in ir.Inst) {
	a, b, cc := in.A(), in.B(), ir.Cond(c.f.ImmOf(in.C()))
	w := c.laneOf(a)
	if c.root(a).IsConst() {
		a, b, cc = b, a, swapped[cc]
	}
	if c.isZeroX(b) {
		switch cc {
		case ir.UGT:
			cc = ir.NE
		case ir.SLT:
			if w > 0 && c.oneShift(shiftRightS, w) { // the sign everywhere
				if !c.avx() {
					d := c.copyX(v, a)
					c.vshift(shiftRightS, w, d, d, 8<<w-1)
					return
				}
				x := c.useX(a)
				c.vshift(shiftRightS, w, c.overX(v, a, ir.None), x, 8<<w-1)
				return
			}
		case ir.SGE:
			c.binS(v, gtOps[w], a, inMem(c.ones()))
			return
		}
	}
	switch cc {
	case ir.EQ:
		c.bin(v, eqOps[w], a, b)
		return
	case ir.SGT:
		c.bin(v, gtOps[w], a, b)
		return
	case ir.SLT:
		c.bin(v, gtOps[w], b, a)
		return
	}
	x := c.useX(a)
	s := c.srcX(b)
	d := c.defX(v)
	if cc == ir.NE {
		c.v3s(eqOps[w], d, x, s)
		c.v3m(x64.PXOR, d, d, c.ones())
		return
	}
	if w == 3 && !c.evex() {
		c.order64(cc, d, x, s)
		return
	}
	// a < b is not a >= b; with a constant b it is a <= b - 1 instead.
	not := false
	switch cc {
	case ir.ULT, ir.UGT:
		if m, ok := c.nudged(b, w, cc); ok {
			s = inMem(m)
			cc = orEqual[cc]
			break
		}
		cc = opposite[cc]
		not = true
	}
	c.vminmax(boundOps[cc], w, d, x, s)
	c.v3(eqOps[w], d, d, x)
	if not {
		c.v3m(x64.PXOR, d, d, c.ones())
	}
}

// nudged is the constant vector b with every lane one smaller (ULT) or larger
// (UGT), if none wraps around.
func (c *compiler) nudged(b ir.Value, w int, cc ir.Cond) (m x64.Mem, ok bool) {
	lo, hi, ok := c.constX(b)
	if !ok {
		return m, false
	}
	q := [2]uint64{lo, hi}
	bits := 8 << w
	mask := ^uint64(0) >> (64 - bits)
	for i := range q {
		var r uint64
		for at := 0; at < 64; at += bits {
			x := q[i] >> at & mask
			switch {
			case cc == ir.ULT && x != 0:
				x--
			case cc == ir.UGT && x != mask:
				x++
			default:
				return m, false
			}
			r |= x << at
		}
		q[i] = r
	}
	return c.b.Lit128(q[0], q[1]), true
}

// order64 compares 64-bit lanes without AVX-512. d is neither x nor s.
func (c *compiler) order64(cc ir.Cond, d, x x64.Xmm, s vsrc) {
	y := s.x
	if s.mem {
		y = c.tempX()
		c.vload(y, s.m)
	}
	switch cc {
	case ir.UGT:
		c.greater64(d, x, y, true)
		return
	case ir.ULT:
		c.greater64(d, y, x, true)
		return
	case ir.UGE, ir.SGE:
		c.greater64(d, y, x, cc == ir.UGE)
	default:
		c.greater64(d, x, y, cc == ir.ULE)
	}
	c.v3m(x64.PXOR, d, d, c.ones())
}
