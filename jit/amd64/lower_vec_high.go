package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// High halves of products, and what general registers do to the lanes of a vector.

// lowerVMulH lowers SMULH and UMULH.
func lowerVMulH(c *compiler, v ir.Value, in ir.Inst) {
	w, signed := c.laneOf(v), in.Op() == ir.OpSMulH
	switch {
	case w == 1 && signed:
		c.bin(v, x64.PMULHW, in.A(), in.B())
		return
	case w == 1:
		c.bin(v, x64.PMULHUW, in.A(), in.B())
		return
	case w == 3:
		c.mulHigh64(v, in, signed)
		return
	}
	a, b := c.useX(in.A()), c.useX(in.B())
	d, t := c.defX(v), c.tempX()
	if w == 0 {
		c.mulHigh8(signed, d, t, a, b)
		return
	}
	c.products32(signed, d, t, a, b)
	c.highHalves(d, d, t)
}

// mulHigh8: of a product of 16-bit lanes that hold a byte each, PMULHW gives what is wanted if one of
// the bytes is the upper one of its lane. The others' product is whole, in both bytes.
func (c *compiler) mulHigh8(signed bool, d, t, a, b x64.Xmm) {
	u := c.tempX()
	high, down := x64.PMULHUW, x64.PSRLW
	if signed {
		high, down = x64.PMULHW, x64.PSRAW
	}
	c.vsh(x64.PSLLW, t, a, 8)
	c.vsh(x64.PSLLW, d, b, 8)
	c.vsh(down, d, d, 8)
	c.v3(high, d, d, t)
	c.vsh(down, t, a, 8)
	c.vsh(down, u, b, 8)
	c.v3(x64.PMULLW, t, t, u)
	if c.evex() {
		c.vload(u, c.splat(1, 0xff))
		c.tern(d, t, inReg(u), 0xe4) // u ? d : t
		return
	}
	low := c.splat(1, 0xff)
	if signed {
		c.v3m(x64.PAND, d, d, low)
	}
	c.vsh(x64.PSRLW, t, t, 8)
	c.vsh(x64.PSLLW, t, t, 8)
	c.v3(x64.POR, d, d, t)
}

// mulHigh64 multiplies in general registers.
func (c *compiler) mulHigh64(v ir.Value, in ir.Inst, signed bool) {
	op := x64.MULQ
	if signed {
		op = x64.IMULQ
	}
	c.clobber()
	c.reserve(x64.RAX)
	c.reserve(x64.RDX)
	a, b := c.useX(in.A()), c.useX(in.B())
	d, r := c.defX(v), c.tempR()
	for lane := range uint8(2) {
		c.laneToR(x64.RAX, a, 3, lane)
		c.laneToR(r, b, 3, lane)
		c.b.R(op, r)
		c.laneFromR(d, x64.RDX, 3, lane)
	}
}

// lanesInR lowers an operation on lanes of 32 and 64 bits that general registers have, in
// BMI2.
func lanesInR(op32, op64 x64.Op) lowerFn {
	return func(c *compiler, v ir.Value, in ir.Inst) {
		w := c.laneOf(v)
		if w < 2 || !c.feat.Has(x64.BMI2) {
			viaGo(c, v, in)
			return
		}
		op := op32
		if w == 3 {
			op = op64
		}
		a, b := c.useX(in.A()), c.useX(in.B())
		d, x, y := c.defX(v), c.tempR(), c.tempR()
		for lane := range uint8(16 >> w) {
			c.laneToR(x, a, w, lane)
			c.laneToR(y, b, w, lane)
			c.b.RRR(op, x, x, y)
			c.laneFromR(d, x, w, lane)
		}
	}
}

// laneToR moves a lane of 32 or 64 bits to a general register.
func (c *compiler) laneToR(r x64.Reg, x x64.Xmm, w int, lane uint8) {
	move, extract := x64.MOVDX, x64.PEXTRD
	if w == 3 {
		move, extract = x64.MOVQXR, x64.PEXTRQ
	}
	if c.avx() {
		move, extract = vexOf(move), vexOf(extract)
	}
	if lane == 0 {
		c.b.RX(move, r, x)
		return
	}
	c.b.RXI(extract, r, x, lane)
}

// laneFromR moves a general register to a lane of 32 or 64 bits of d. Lane 0 comes first: it
// clears the others.
func (c *compiler) laneFromR(d x64.Xmm, r x64.Reg, w int, lane uint8) {
	move, insert := x64.MOVDX, x64.PINSRD
	if w == 3 {
		move, insert = x64.MOVQXR, x64.PINSRQ
	}
	switch {
	case lane == 0 && c.avx():
		c.b.XR(vexOf(move), d, r)
	case lane == 0:
		c.b.XR(move, d, r)
	case c.avx():
		c.b.XXRI(vexOf(insert), d, d, r, lane)
	default:
		c.b.XRI(insert, d, r, lane)
	}
}
