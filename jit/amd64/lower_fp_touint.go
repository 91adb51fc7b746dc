package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// toUintBaseline converts to unsigned by way of the signed 64-bit conversion.
// Exceptions allow that only for what is in its range and the result's: that is
// checked first.
func (c *compiler) toUintBaseline(v ir.Value, in ir.Inst, s toInt) {
	c.clobber()
	a := s.operand(c, in.A())
	r := c.defR(v)
	c.zero(v, uint8(s.t.Bits()))
	x := c.scaled(a, &s)
	way, direct := c.direct(s.mode)
	direct = direct && way == 0
	spare := c.tempR()
	t, u := c.tempX(), c.tempX()
	limit := power(s.k.width(), 32+31*s.wide)
	switch {
	case direct:
	case s.mode == ir.RoundAway:
		x = c.tempX()
		c.roundedAway(s.k, x, a, t)
	default:
		c.round(s.k, t, x, hostRound[s.mode]|roundQuiet)
		x = t
	}
	c.v2s(fpUcom[s.k], x, inMem(c.splatK(s.k, &fpMinusOne)))
	low := c.arm(x64.BE, func() { // -1 or less, or a NaN
		c.raiseInvalid()
		c.b.MovImm(r, 0)
	})
	c.vload(u, c.splatBits(s.k, limit))
	c.v2(fpUcom[s.k], u, x)
	high := c.arm(x64.BE, func() { c.highUint(s.k, s.wide, r, spare, x, u, 0) })
	q := toInt{k: s.k, wide: 1}
	c.cvtR(&q, 0, r, x)
	if !direct {
		c.cvtR(&q, 0, spare, a)
	}
	c.b.Bind(low)
	c.b.Bind(high)
}

// highUint is cold code that converts x * 2^fbits where that is not below 2^32 or, for
// 64-bit results, 2^63. spare and u are scratch.
func (c *compiler) highUint(k fpKind, wide int, r, spare x64.Reg, x, u x64.Xmm, fbits int) {
	w := k.width()
	if wide == 0 {
		c.raiseInvalid()
		c.b.MovImm(r, 1<<32-1)
		return
	}
	beyond, done := c.b.NewLabel(), c.b.NewLabel()
	c.v2s(fpUcom[k], x, inMem(c.splatBits(k, power(w, 64-fbits))))
	c.b.JccShort(x64.AE, beyond)
	// The difference is exact, and integral as x is.
	c.v3m(fpSub[k], u, x, c.splatBits(k, power(w, 63-fbits)))
	if fbits != 0 {
		c.v3m(fpMul[k], u, u, c.splatBits(k, power(w, fbits)))
	}
	c.cvtR(&toInt{k: k, wide: 1}, 0, r, u)
	c.b.MovImm(spare, 1<<63)
	c.b.RR(x64.XORQ, r, spare)
	c.b.JmpShort(done)
	c.b.Bind(beyond)
	c.raiseInvalid()
	c.b.MovImm(r, ^uint64(0))
	c.b.Bind(done)
}
