package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// evens is the PSHUFB control that gathers the even lanes, twice.
func (c *compiler) evens(w int) x64.Mem {
	return c.byteMap(func(i int) int { return unzipByte(w, i&7, 0) })
}

// lowerAddP: pairwise sums.
func lowerAddP(c *compiler, v ir.Value, in ir.Inst) {
	w := c.laneOf(v)
	switch w {
	case 1:
		c.bin(v, x64.PHADDW, in.A(), in.B())
		return
	case 2:
		c.bin(v, x64.PHADDD, in.A(), in.B())
		return
	}
	a, b := c.useX(in.A()), c.useX(in.B())
	d, t := c.defX(v), c.tempX()
	if w == 3 {
		c.v3(x64.PUNPCKHQDQ, t, a, b)
		c.v3(x64.PUNPCKLQDQ, d, a, b)
		c.v3(x64.PADDQ, d, d, t)
		return
	}
	one := c.splat(0, 1)
	c.v3m(x64.PMADDUBSW, d, a, one) // 16-bit sums
	if a == b {
		c.v3m(x64.PSHUFB, d, d, c.evens(0))
		return
	}
	low := c.splat(1, 0x00ff)
	c.v3m(x64.PAND, d, d, low)
	c.v3m(x64.PMADDUBSW, t, b, one)
	c.v3m(x64.PAND, t, t, low)
	c.v3(x64.PACKUSWB, d, d, t)
}

// pairwise lowers minima and maxima of adjacent lanes.
func pairwise(ops *laneOps) lowerFn {
	return func(c *compiler, v ir.Value, in ir.Inst) {
		w := c.laneOf(v)
		a, b := c.useX(in.A()), c.useX(in.B())
		d, t := c.defX(v), c.tempX()
		if a == b && w < 2 {
			c.vsh(shrOps[w+1], d, a, uint8(8<<w))
			c.v3(ops[w], d, d, a)
			c.v3m(x64.PSHUFB, d, d, c.evens(w))
			return
		}
		u := c.tempX()
		c.unzip(w, 0, t, a, b)
		c.unzip(w, 1, u, a, b)
		c.vminmax(ops, w, d, t, inReg(u))
	}
}

// toScalar gives v the low lane of x.
func (c *compiler) toScalar(v ir.Value, x x64.Xmm) {
	n := c.f.TypeOf(v).Bits()
	r := c.defR(v)
	switch {
	case n == 64 && c.avx():
		c.b.RX(x64.VMOVQXR, r, x)
	case n == 64:
		c.b.RX(x64.MOVQXR, r, x)
	case c.avx():
		c.b.RX(x64.VMOVDX, r, x)
		c.zero(v, 32)
	default:
		c.b.RX(x64.MOVDX, r, x)
		c.zero(v, 32)
	}
}

// lowerAddV: the sum of all lanes.
func lowerAddV(c *compiler, v ir.Value, in ir.Inst) {
	w := c.laneOf(in.A())
	a := c.useX(in.A())
	d, t := c.tempX(), c.tempX()
	switch w {
	case 0:
		c.vzero(t)
		c.v3(x64.PSADBW, d, a, t)
		c.v2i(x64.PSHUFD, t, d, 0xee)
		c.v3(x64.PADDD, d, d, t)
	case 3:
		c.v2i(x64.PSHUFD, t, a, 0xee)
		c.v3(x64.PADDQ, d, a, t)
	default:
		if w == 1 {
			c.v3m(x64.PMADDWD, d, a, c.splat(1, 1)) // modulo 2^16 is all that counts
			a = d
		}
		c.v2i(x64.PSHUFD, t, a, 0xee)
		c.v3(x64.PADDD, d, a, t)
		c.v2i(x64.PSHUFD, t, d, 0x55)
		c.v3(x64.PADDD, d, d, t)
	}
	c.toScalar(v, d)
}

// lowerMinMaxV: PHMINPOSUW finds the unsigned minimum of 16-bit lanes; the other
// orders are mapped to that one by an exclusive or.
func lowerMinMaxV(c *compiler, v ir.Value, in ir.Inst) {
	w := c.laneOf(in.A())
	ops, flip := &uminOps, uint64(0)
	switch in.Op() {
	case ir.OpUMaxV:
		ops, flip = &umaxOps, ^uint64(0)
	case ir.OpSMinV:
		ops, flip = &sminOps, signBit(w)
	case ir.OpSMaxV:
		ops, flip = &smaxOps, ^signBit(w)
	}
	a := c.useX(in.A())
	d, t := c.tempX(), c.tempX()
	if w >= 2 {
		c.v2i(x64.PSHUFD, t, a, 0xee)
		c.vminmax(ops, w, d, a, inReg(t))
		if w == 2 {
			c.v2i(x64.PSHUFD, t, d, 0x55)
			c.v3(ops[w], d, d, t)
		}
		c.toScalar(v, d)
		return
	}
	if flip != 0 {
		c.v3m(x64.PXOR, d, a, c.splat(w, flip))
		a = d
	}
	if w == 0 { // the upper bytes become zero, the lower ones the minimum
		c.vsh(x64.PSRLW, t, a, 8)
		c.v3(x64.PMINUB, d, t, a)
		a = d
	}
	c.v2(x64.PHMINPOSUW, d, a)
	if flip != 0 {
		c.v3m(x64.PXOR, d, d, c.splat(w, flip))
	}
	c.toScalar(v, d)
}
