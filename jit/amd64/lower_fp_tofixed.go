package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// toFixedScalar truncates a double * 2^fbits. The multiplication must not overflow:
// what is not in range for sure, compared as an integer, is left to cold code.
func (c *compiler) toFixedScalar(v ir.Value, in ir.Inst, s toInt) {
	c.clobber()
	a := c.useX(in.A())
	r := c.defR(v)
	c.zero(v, uint8(s.t.Bits()))
	spare := c.tempR()
	t := c.tempX()
	limit := s.t.Bits() - 1
	q := toInt{k: kF64, wide: s.wide}
	if s.unsigned && s.wide == 0 {
		limit, q.wide = 32, 1
	}
	c.b.RX(x64.MOVQXR, r, a)
	if !s.unsigned {
		c.b.RI(x64.SHLQ, r, 1)
		c.b.RI(x64.SHRQ, r, 1)
	}
	c.b.MovImm(spare, power(3, limit-s.fbits))
	c.b.RR(x64.CMPQ, r, spare) // the sign counts as above
	inRange := c.b.NewLabel()
	back := c.arm(x64.AE, func() {
		if s.unsigned {
			c.fixedBeyondU(&s, r, spare, a, t, inRange)
			return
		}
		c.fixedBeyond(&s, r, a, inRange)
	})
	c.b.Bind(inRange)
	c.v3m(x64.MULSD, t, a, c.b.Lit128(power(3, s.fbits), 0))
	c.cvtR(&q, 0, r, t)
	c.b.Bind(back)
}

// fixedBeyond is cold code of toFixedScalar for magnitudes of 2^31 or 2^63 and more, and
// NaNs. What is truncated to the most negative number goes on at inRange.
func (c *compiler) fixedBeyond(s *toInt, r x64.Reg, a x64.Xmm, inRange x64.Label) {
	nan, above, done := c.b.NewLabel(), c.b.NewLabel(), c.b.NewLabel()
	c.compareZero(kF64, a)
	c.b.JccShort(x64.P, nan)
	c.b.JccShort(x64.A, above)
	least, in := power(3, 63-s.fbits)|signBit(3), x64.Cond(x64.AE)
	if s.wide == 0 {
		least, in = power(3, 31-s.fbits)|1<<(52-31)|signBit(3), x64.A // one less
	}
	c.v2s(x64.UCOMISD, a, inMem(c.b.Lit128(least, 0)))
	c.b.JccNear(in, inRange)
	c.b.MovImm(r, 1<<(s.t.Bits()-1))
	c.b.JmpShort(done)
	c.b.Bind(nan)
	c.b.MovImm(r, 0)
	c.b.JmpShort(done)
	c.b.Bind(above)
	c.b.MovImm(r, 1<<(s.t.Bits()-1)-1)
	c.b.Bind(done)
	c.raiseInvalid()
}

// fixedBeyondU is the same for unsigned results: negative numbers, NaNs, and what is not
// below 2^32 or 2^63.
func (c *compiler) fixedBeyondU(s *toInt, r, spare x64.Reg, a, t x64.Xmm, inRange x64.Label) {
	low, done := c.b.NewLabel(), c.b.NewLabel()
	c.v2s(x64.UCOMISD, a, inMem(c.b.Lit128(power(3, -s.fbits)|signBit(3), 0)))
	c.b.JccShort(x64.BE, low)
	c.v2s(x64.UCOMISD, a, inMem(c.b.Lit128(power(3, 32+31*s.wide-s.fbits), 0)))
	c.b.JccNear(x64.B, inRange)
	c.highUint(kF64, s.wide, r, spare, a, t, s.fbits)
	c.b.JmpShort(done)
	c.b.Bind(low)
	c.raiseInvalid()
	c.b.MovImm(r, 0)
	c.b.Bind(done)
}
