package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// lowerSQDMulH lowers SQDMULH and SQRDMULH. Only minimum times minimum
// saturates, and no other product gives what that wraps to, the minimum.
func lowerSQDMulH(c *compiler, v ir.Value, in ir.Inst) {
	round := in.Op() == ir.OpSQRDMulH
	w := c.laneOf(v)
	if w == 3 || w == 0 && !c.quiet() {
		viaGo(c, v, in)
		return
	}
	a, b := c.useX(in.A()), c.useX(in.B())
	d, t := c.defX(v), c.tempX()
	switch {
	case w == 0:
		c.doubledBytes(a, b, d, func(p x64.Xmm, _ int) {
			if round {
				c.v3m(x64.PADDW, p, p, c.splat(1, 1<<6))
			}
		})
		return
	case w == 2:
		c.doubledHigh32(round, d, a, b)
	case round:
		c.v3(x64.PMULHRSW, d, a, b)
	default:
		c.v3(x64.PMULHW, d, a, b)
		c.v3(x64.PMULLW, t, a, b)
		c.v3(x64.PADDW, d, d, d)
		c.vsh(x64.PSRLW, t, t, 15)
		c.v3(x64.POR, d, d, t)
	}
	c.capMinimum(w, d, t)
}

// doubledHigh32 emits the high halves of the doubled products of 32-bit lanes,
// wrapping. d is neither a nor b.
func (c *compiler) doubledHigh32(round bool, d, a, b x64.Xmm) {
	locks := c.x.Locks()
	t := c.tempX()
	c.products32(true, d, t, a, b)
	c.v3(x64.PADDQ, d, d, d)
	c.v3(x64.PADDQ, t, t, t)
	if round {
		half := c.splat(3, 1<<31)
		c.v3m(x64.PADDQ, d, d, half)
		c.v3m(x64.PADDQ, t, t, half)
	}
	c.highHalves(d, d, t)
	c.x.SetLocks(locks)
}

// products32 emits the 64-bit products of the even and odd 32-bit lanes.
func (c *compiler) products32(signed bool, even, odd, a, b x64.Xmm) {
	locks := c.x.Locks()
	t := c.tempX()
	op := x64.PMULUDQ
	if signed {
		op = x64.PMULDQ
	}
	c.v2i(x64.PSHUFD, odd, a, 0xf5)
	c.v2i(x64.PSHUFD, t, b, 0xf5)
	c.v3(op, odd, odd, t)
	c.v3(op, even, a, b)
	c.x.SetLocks(locks)
}

// highHalves emits the upper halves of even's 64-bit lanes in the even 32-bit
// lanes and odd's in the odd ones. d may be even.
func (c *compiler) highHalves(d, even, odd x64.Xmm) {
	c.v2i(x64.PSHUFD, d, even, 0xf5)
	c.v3i(x64.PBLENDW, d, d, odd, 0xcc)
}

// quiet reports whether saturation is not noted. A64's own instructions have no lanes of
// bytes, so that it has not to be noted of these.
func (c *compiler) quiet() bool { return !c.f.Insts[c.at].Op().Has(ir.SetsQC) }

// doubledBytes emits the upper bytes of the doubled products of bytes, after add has changed the
// products of a half, which have a bit to spare: not doubled they fit.
func (c *compiler) doubledBytes(a, b, d x64.Xmm, add func(p x64.Xmm, half int)) {
	locks := c.x.Locks()
	high, t := c.tempX(), c.tempX()
	for half, p := range [2]x64.Xmm{d, high} {
		c.bytesOf(p, a, half)
		c.bytesOf(t, b, half)
		c.v3(x64.PMULLW, p, p, t)
		add(p, half)
		c.vsh(x64.PSRAW, p, p, 7)
	}
	c.v3(x64.PACKSSWB, d, d, high)
	c.x.SetLocks(locks)
}

// bytesOf emits the bytes of a half of a, sign-extended.
func (c *compiler) bytesOf(d, a x64.Xmm, half int) {
	if half != 0 {
		c.vsh(x64.PSRLDQ, d, a, 8)
		a = d
	}
	c.v2(x64.PMOVSXBW, d, a)
}

// lowerSQDMulL: doubled product of the low halves; see lowerSQDMulH.
func lowerSQDMulL(c *compiler, v ir.Value, in ir.Inst) {
	w := c.laneOf(in.A())
	if w == 0 && !c.quiet() {
		viaGo(c, v, in)
		return
	}
	a, b := c.useX(in.A()), c.useX(in.B())
	d, t := c.defX(v), c.tempX()
	if w == 0 {
		c.v2(x64.PMOVSXBW, d, a)
		c.v2(x64.PMOVSXBW, t, b)
		c.v3(x64.PMULLW, d, d, t)
		c.v3(x64.PADDSW, d, d, d) // 2 to the 15 becomes one less
		return
	}
	if w == 1 {
		c.mulL16(true, false, d, a, b)
		c.v3(x64.PADDD, d, d, d)
	} else {
		c.v2(x64.PMOVZXDQ, d, a)
		c.v2(x64.PMOVZXDQ, t, b)
		c.v3(x64.PMULDQ, d, d, t)
		c.v3(x64.PADDQ, d, d, d)
	}
	c.capMinimum(w+1, d, t)
}

// lowerSQRDMlA lowers SQRDMLAH and SQRDMLSH: the high half of
// 2*(acc << (w-1) +- a*b) + rounding, all of it exact in lanes twice as wide.
func lowerSQRDMlA(c *compiler, v ir.Value, in ir.Inst) {
	sub := in.Op() == ir.OpSQRDMlSH
	w := c.laneOf(v)
	if w == 3 || w == 0 && !c.quiet() {
		viaGo(c, v, in)
		return
	}
	acc, a, b := c.useX(in.A()), c.useX(in.B()), c.useX(in.C())
	d := c.defX(v)
	if w == 0 {
		t := c.tempX()
		c.doubledBytes(a, b, d, func(p x64.Xmm, half int) {
			c.bytesOf(t, acc, half)
			c.vsh(x64.PSLLW, t, t, 7)
			if sub {
				c.v3(x64.PSUBW, t, t, p)
			} else {
				c.v3(x64.PADDW, t, t, p)
			}
			c.v3m(x64.PADDW, p, t, c.splat(1, 1<<6))
		})
		return
	}
	if w == 1 {
		c.roundedAccumulate16(sub, d, acc, a, b)
		return
	}
	c.roundedAccumulate32(sub, d, acc, a, b)
}

func (c *compiler) roundedAccumulate16(sub bool, d, acc, a, b x64.Xmm) {
	lo, hi, t, zero := c.tempX(), c.tempX(), c.tempX(), c.tempX()
	c.v3(x64.PMULHW, t, a, b)
	c.v3(x64.PMULLW, d, a, b)
	c.v3(x64.PUNPCKLWD, lo, d, t)
	c.v3(x64.PUNPCKHWD, hi, d, t)
	c.vzero(zero)
	half := c.splat(2, 1<<14)
	for _, p := range [2]struct {
		r  x64.Xmm
		up x64.Op
	}{{lo, x64.PUNPCKLWD}, {hi, x64.PUNPCKHWD}} {
		c.v3(p.up, t, zero, acc)
		c.vsh(x64.PSRAD, t, t, 1) // acc << 15
		if sub {
			c.v3(x64.PSUBD, t, t, p.r)
		} else {
			c.v3(x64.PADDD, t, t, p.r)
		}
		c.v3m(x64.PADDD, t, t, half)
		c.vsh(x64.PSRAD, p.r, t, 15)
	}
	c.v3(x64.PACKSSDW, d, lo, hi)
	low := c.splat(2, 0xffff)
	c.saturates(lo, func() { // against the low halves
		c.v3m(x64.PAND, lo, lo, low)
		c.v3m(x64.PAND, hi, hi, low)
		c.v3(x64.PACKUSDW, lo, lo, hi)
		c.v3(x64.PXOR, lo, lo, d)
	})
}

func (c *compiler) roundedAccumulate32(sub bool, d, acc, a, b x64.Xmm) {
	even, odd, t := c.tempX(), c.tempX(), c.tempX()
	c.products32(true, even, odd, a, b)
	// PMULDQ by -2^31 gives -acc << 31.
	shifted := c.splat(3, 1<<31)
	half := c.splat(3, 1<<30)
	for i, r := range [2]x64.Xmm{even, odd} {
		if i == 0 {
			c.v3m(x64.PMULDQ, t, acc, shifted)
		} else {
			c.v2i(x64.PSHUFD, t, acc, 0xf5)
			c.v3m(x64.PMULDQ, t, t, shifted)
		}
		if sub {
			c.v3(x64.PADDQ, t, t, r)
			c.vload(r, half)
			c.v3(x64.PSUBQ, r, r, t)
		} else {
			c.v3(x64.PSUBQ, r, r, t)
			c.v3m(x64.PADDQ, r, r, half)
		}
	}
	// The result is bits 62:31, and it fits if bits 63 and 62 are equal.
	high, wrapped := c.tempX(), c.tempX()
	c.highHalves(high, even, odd)
	c.v3(x64.PADDQ, even, even, even)
	c.v3(x64.PADDQ, odd, odd, odd)
	c.highHalves(wrapped, even, odd)
	c.v3(x64.PXOR, t, high, wrapped)
	c.vsh(x64.PSRAD, t, t, 31)
	c.vsh(x64.PSRAD, high, high, 31)
	c.v3m(x64.PXOR, high, high, c.splat(2, 1<<31-1))
	c.vselect(d, t, high, wrapped)
	c.saturates(t, nil)
}
