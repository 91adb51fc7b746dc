package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// SHA-512 (FIPS 180-4, 6.4.2) on 64-bit lanes: rotations and three-way logic,
// which AVX-512 has and the others put together.

// rotate64 rotates 64-bit lanes right. d is not a.
func (c *compiler) rotate64(d, a x64.Xmm, n uint8) {
	if c.evex() {
		c.b.XXI(x64.VPRORQ, d, a, n)
		return
	}
	locks := c.x.Locks()
	t := c.tempX()
	c.vsh(x64.PSRLQ, t, a, n)
	c.vsh(x64.PSLLQ, d, a, 64-n)
	c.v3(x64.POR, d, d, t)
	c.x.SetLocks(locks)
}

// xor3 emits d = d ^ a ^ b.
func (c *compiler) xor3(d, a, b x64.Xmm) {
	if c.evex() {
		c.tern(d, a, inReg(b), 0x96)
		return
	}
	c.v3(x64.PXOR, d, d, a)
	c.v3(x64.PXOR, d, d, b)
}

// sigma emits the exclusive or of a rotated right by p, by q, and by r - or
// shifted right by r. d is not a.
func (c *compiler) sigma(d, a x64.Xmm, p, q, r uint8, shift bool) {
	locks := c.x.Locks()
	t, u := c.tempX(), c.tempX()
	c.rotate64(d, a, p)
	c.rotate64(t, a, q)
	if shift {
		c.vsh(x64.PSRLQ, u, a, r)
	} else {
		c.rotate64(u, a, r)
	}
	c.xor3(d, t, u)
	c.x.SetLocks(locks)
}

// choose emits d = s ? a : b bit by bit. d is none of them.
func (c *compiler) choose(d, s, a, b x64.Xmm) {
	if c.evex() {
		c.vmov(d, s)
		c.tern(d, a, inReg(b), 0xca)
		return
	}
	c.v3(x64.PXOR, d, a, b)
	c.v3(x64.PAND, d, d, s)
	c.v3(x64.PXOR, d, d, b)
}

// majority emits what at least two of a, b and e have set. d is none of them.
func (c *compiler) majority(d, a, b, e x64.Xmm) {
	if c.evex() {
		c.vmov(d, a)
		c.tern(d, b, inReg(e), 0xe8)
		return
	}
	locks := c.x.Locks()
	t := c.tempX()
	c.v3(x64.POR, d, a, b)
	c.v3(x64.PAND, d, d, e)
	c.v3(x64.PAND, t, a, b)
	c.v3(x64.POR, d, d, t)
	c.x.SetLocks(locks)
}

// lowerSHA512H: two rounds' part for e..h. The first operand has the sums of
// words, constants and state, the second f and g, the third d and e; the upper
// lane is done first. Each step works on the lower lane of its registers.
func lowerSHA512H(c *compiler, v ir.Value, in ir.Inst) {
	w, x, y := c.useX(in.A()), c.useX(in.B()), c.useX(in.C())
	d := c.defX(v)
	y1, x1, up, s := c.tempX(), c.tempX(), c.tempX(), c.tempX()
	c.v2i(x64.PSHUFD, y1, y, 0xee)
	c.v2i(x64.PSHUFD, x1, x, 0xee)
	c.v2i(x64.PSHUFD, up, w, 0xee)
	c.sigma(s, y1, 14, 18, 41, false)
	c.v3(x64.PADDQ, up, up, s)
	c.choose(s, y1, x, x1)
	c.v3(x64.PADDQ, up, up, s)
	c.v3(x64.PADDQ, x1, up, y)
	c.sigma(s, x1, 14, 18, 41, false)
	c.v3(x64.PADDQ, d, w, s)
	c.choose(s, x1, y1, x)
	c.v3(x64.PADDQ, d, d, s)
	c.v3(x64.PUNPCKLQDQ, d, d, up)
}

// lowerSHA512H2: two rounds' part for a..d. The first operand has what
// SHA512H gave, the second c, the third a and b.
func lowerSHA512H2(c *compiler, v ir.Value, in ir.Inst) {
	w, x, y := c.useX(in.A()), c.useX(in.B()), c.useX(in.C())
	d := c.defX(v)
	y1, up, s := c.tempX(), c.tempX(), c.tempX()
	c.v2i(x64.PSHUFD, y1, y, 0xee)
	c.v2i(x64.PSHUFD, up, w, 0xee)
	c.sigma(s, y, 28, 34, 39, false)
	c.v3(x64.PADDQ, up, up, s)
	c.majority(s, x, y1, y)
	c.v3(x64.PADDQ, up, up, s)
	c.sigma(s, up, 28, 34, 39, false)
	c.v3(x64.PADDQ, d, w, s)
	c.majority(s, up, y, y1)
	c.v3(x64.PADDQ, d, d, s)
	c.v3(x64.PUNPCKLQDQ, d, d, up)
}

// lowerSHA512SU0: words and sigma 0 of the words after them.
func lowerSHA512SU0(c *compiler, v ir.Value, in ir.Inst) {
	a, b := c.useX(in.A()), c.useX(in.B())
	d, t := c.defX(v), c.tempX()
	c.v3i(x64.PALIGNR, t, b, a, 8)
	c.sigma(d, t, 1, 8, 7, true)
	c.v3(x64.PADDQ, d, d, a)
}

// lowerSHA512SU1: the sum of two words and sigma 1 of a third.
func lowerSHA512SU1(c *compiler, v ir.Value, in ir.Inst) {
	a, b, w := c.useX(in.A()), c.useX(in.B()), c.useX(in.C())
	d := c.defX(v)
	c.sigma(d, b, 19, 61, 6, true)
	c.v3(x64.PADDQ, d, d, a)
	c.v3(x64.PADDQ, d, d, w)
}
