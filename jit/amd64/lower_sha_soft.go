package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// SHA-1 and SHA-256 (FIPS 180-4, 6.1.2 and 6.2.2) on hosts without instructions for them:
// four rounds on the words of the state in general registers, the schedule in vectors.

// wordMem is word i of what toWords has stored as n.
func wordMem(n, i int) x64.Mem { return argMem16(n).Add(int32(4 * i)) }

// loadWords loads the four words stored as n.
func (c *compiler) loadWords(n int) (r [4]x64.Reg) {
	for i := range r {
		r[i] = c.tempR()
		c.b.RM(x64.MOVL, r[i], wordMem(n, i))
	}
	return r
}

// fromWords emits d = the vector of r, by way of the memory for n.
func (c *compiler) fromWords(d x64.Xmm, n int, r [4]x64.Reg) {
	for i := range r {
		c.b.MR(x64.MOVL, wordMem(n, i), r[i])
	}
	c.vload(d, argMem16(n))
}

// sigmaR emits t = x rotated right by p, by q and by r, p < q < r, all of them combined by
// exclusive or.
func (c *compiler) sigmaR(t, x x64.Reg, p, q, r int32) {
	c.b.RR(x64.MOVL, t, x)
	c.b.RI(x64.RORL, t, r-q)
	c.b.RR(x64.XORL, t, x)
	c.b.RI(x64.RORL, t, q-p)
	c.b.RR(x64.XORL, t, x)
	c.b.RI(x64.RORL, t, p)
}

// chooseR emits t = x ? y : z bit by bit.
func (c *compiler) chooseR(t, x, y, z x64.Reg) {
	c.b.RR(x64.MOVL, t, y)
	c.b.RR(x64.XORL, t, z)
	c.b.RR(x64.ANDL, t, x)
	c.b.RR(x64.XORL, t, z)
}

// majorityR emits t = what at least two of x, y and z have set. u is scratch.
func (c *compiler) majorityR(t, u, x, y, z x64.Reg) {
	c.b.RR(x64.MOVL, t, x)
	c.b.RR(x64.MOVL, u, x)
	c.b.RR(x64.ORL, t, y)
	c.b.RR(x64.ANDL, u, y)
	c.b.RR(x64.ANDL, t, z)
	c.b.RR(x64.ORL, t, u)
}

// softSHA256 does four rounds and returns a to d and e to h.
func (c *compiler) softSHA256(abcd, efgh, words ir.Value) (x, y [4]x64.Reg) {
	c.clobber()
	for n, v := range [3]ir.Value{abcd, efgh, words} {
		c.b.MX(x64.MOVUPS, argMem16(n), c.useX(v))
	}
	x, y = c.loadWords(0), c.loadWords(1)
	t, u := c.tempR(), c.tempR()
	for i := range 4 {
		h := y[3]
		c.b.RM(x64.ADDL, h, wordMem(2, i))
		c.chooseR(t, y[0], y[1], y[2])
		c.b.RR(x64.ADDL, h, t)
		c.sigmaR(t, y[0], 6, 11, 25)
		c.b.RR(x64.ADDL, h, t)
		c.b.RR(x64.ADDL, x[3], h)
		c.sigmaR(t, x[0], 2, 13, 22)
		c.b.RR(x64.ADDL, h, t)
		c.majorityR(t, u, x[0], x[1], x[2])
		c.b.RR(x64.ADDL, h, t)
		x, y = [4]x64.Reg{h, x[0], x[1], x[2]}, [4]x64.Reg{x[3], y[0], y[1], y[2]}
	}
	return x, y
}

// softSHA1 is SHA1C, SHA1P or SHA1M.
func (c *compiler) softSHA1(v ir.Value, in ir.Inst) {
	c.clobber()
	c.b.MX(x64.MOVUPS, argMem16(0), c.useX(in.A()))
	c.b.MX(x64.MOVUPS, argMem16(1), c.useX(in.C()))
	from := c.useR(in.B())
	e, t, u := c.tempR(), c.tempR(), c.tempR()
	c.b.RR(x64.MOVL, e, from)
	x := c.loadWords(0)
	for i := range 4 {
		c.b.RM(x64.ADDL, e, wordMem(1, i))
		c.b.RR(x64.MOVL, t, x[0])
		c.b.RI(x64.ROLL, t, 5)
		c.b.RR(x64.ADDL, e, t)
		switch in.Op() {
		case ir.OpSHA1C:
			c.chooseR(t, x[1], x[2], x[3])
		case ir.OpSHA1P:
			c.b.RR(x64.MOVL, t, x[1])
			c.b.RR(x64.XORL, t, x[2])
			c.b.RR(x64.XORL, t, x[3])
		default:
			c.majorityR(t, u, x[1], x[2], x[3])
		}
		c.b.RR(x64.ADDL, e, t)
		c.b.RI(x64.ROLL, x[1], 30)
		x, e = [4]x64.Reg{e, x[0], x[1], x[2]}, x[3]
	}
	c.fromWords(c.defX(v), 0, x)
}

// sigma32 emits d = a's lanes rotated right by p and by q, and shifted by r, all of them
// combined by exclusive or. d is not a.
func (c *compiler) sigma32(d, a x64.Xmm, p, q, r uint8) {
	locks := c.x.Locks()
	t := c.tempX()
	c.vsh(x64.PSRLD, d, a, r)
	for _, n := range [2]uint8{p, q} {
		c.vsh(x64.PSRLD, t, a, n)
		c.v3(x64.PXOR, d, d, t)
		c.vsh(x64.PSLLD, t, a, 32-n)
		c.v3(x64.PXOR, d, d, t)
	}
	c.x.SetLocks(locks)
}

// softSHA256SU0: words and sigma 0 of the words after them.
func (c *compiler) softSHA256SU0(v ir.Value, in ir.Inst) {
	a, b := c.useX(in.A()), c.useX(in.B())
	d, t := c.defX(v), c.tempX()
	c.v3i(x64.PALIGNR, t, b, a, 4)
	c.sigma32(d, t, 7, 18, 3)
	c.v3(x64.PADDD, d, d, a)
}

// softSHA256SU1: the sum of two words and sigma 1 of a third, which for the upper two
// words is a result.
func (c *compiler) softSHA256SU1(v ir.Value, in ir.Inst) {
	a, b, w := c.useX(in.A()), c.useX(in.B()), c.useX(in.C())
	d, t, s := c.defX(v), c.tempX(), c.tempX()
	c.v3i(x64.PALIGNR, d, w, b, 4)
	c.v3(x64.PADDD, d, d, a)
	c.v2i(x64.PSHUFD, t, w, 0xee)
	c.sigma32(s, t, 17, 19, 10)
	c.v2(x64.MOVQX, s, s)
	c.v3(x64.PADDD, d, d, s)
	c.sigma32(s, d, 17, 19, 10)
	c.vsh(x64.PSLLDQ, s, s, 8)
	c.v3(x64.PADDD, d, d, s)
}
