package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// dotProduct lowers SDOT, UDOT and USDOT; ua and ub tell which factor is
// unsigned.
func dotProduct(ua, ub bool) lowerFn {
	return func(c *compiler, v ir.Value, in ir.Inst) {
		a, b := c.useX(in.B()), c.useX(in.C())
		if acc := c.root(in.A()); acc == c.root(in.B()) || acc == c.root(in.C()) {
			d := c.defX(v) // the sum must not overwrite a factor
			c.vmov(d, c.useX(acc))
			c.dot(d, a, b, ua, ub)
			return
		}
		c.dot(c.copyX(v, in.A()), a, b, ua, ub)
	}
}

// matrixMultiply lowers SMMLA, UMMLA and USMMLA: each row of the first matrix
// times each of the two columns, as two dot products of four bytes each.
func matrixMultiply(ua, ub bool) lowerFn {
	return func(c *compiler, v ir.Value, in ir.Inst) {
		acc, a, b := c.useX(in.A()), c.useX(in.B()), c.useX(in.C())
		d, t, column := c.defX(v), c.tempX(), c.tempX()
		for i, r := range [2]x64.Xmm{d, t} {
			c.v2i(x64.PSHUFD, column, b, [2]uint8{0x44, 0xee}[i])
			c.vzero(r)
			c.dot(r, a, column, ua, ub)
		}
		c.v3(x64.PHADDD, d, d, t)
		c.v2i(x64.PSHUFD, d, d, 0xd8)
		c.v3(x64.PADDD, d, d, acc)
	}
}

// dot adds the dot products of groups of four bytes to d. VPDPBUSD multiplies
// unsigned by signed bytes; others are moved by 128, which is made up for.
func (c *compiler) dot(d, a, b x64.Xmm, ua, ub bool) {
	locks := c.x.Locks()
	defer c.x.SetLocks(locks)
	if !c.feat.Has(x64.EVEX128 | x64.AVX512VNNI) {
		c.dotHalves(d, a, b, ua, ub)
		return
	}
	if ua && !ub {
		c.b.XXX(x64.VPDPBUSD, d, a, b)
		return
	}
	t, excess := c.tempX(), c.tempX()
	bias := c.splat(0, 0x80)
	c.vzero(excess)
	if ua { // a * (b - 128), and a * -128 too many
		c.v3m(x64.PXOR, t, b, bias)
		c.b.XXX(x64.VPDPBUSD, d, a, t)
		c.b.XXM(x64.VPDPBUSD, excess, a, bias)
	} else { // (a + 128) * b, and 128 * b too many
		c.v3m(x64.PXOR, t, a, bias)
		c.b.XXX(x64.VPDPBUSD, d, t, b)
		c.vload(t, bias)
		c.b.XXX(x64.VPDPBUSD, excess, t, b)
	}
	c.v3(x64.PSUBD, d, d, excess)
}

// dotHalves multiplies the even and the odd bytes as 16-bit lanes.
func (c *compiler) dotHalves(d, a, b x64.Xmm, ua, ub bool) {
	even, odd := c.tempX(), c.tempX()
	t := c.tempX()
	c.evenBytes(even, a, ua)
	c.evenBytes(t, b, ub)
	c.v3(x64.PMADDWD, even, even, t)
	c.oddBytes(odd, a, ua)
	c.oddBytes(t, b, ub)
	c.v3(x64.PMADDWD, odd, odd, t)
	c.v3(x64.PADDD, d, d, even)
	c.v3(x64.PADDD, d, d, odd)
}

func (c *compiler) evenBytes(d, a x64.Xmm, unsigned bool) {
	if unsigned {
		c.v3m(x64.PAND, d, a, c.splat(1, 0x00ff))
		return
	}
	c.vsh(x64.PSLLW, d, a, 8)
	c.vsh(x64.PSRAW, d, d, 8)
}

func (c *compiler) oddBytes(d, a x64.Xmm, unsigned bool) {
	op := x64.PSRAW
	if unsigned {
		op = x64.PSRLW
	}
	c.vsh(op, d, a, 8)
}
