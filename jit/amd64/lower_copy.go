package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// lowerCopy copies with REP MOVSB where that is fast (ERMS, Intel SDM vol. 1, 7.3.9.3), 16
// bytes at a time elsewhere. The direction flag is clear, as the host's ABI has it.
func lowerCopy(c *compiler, v ir.Value, in ir.Inst) {
	c.clobber()
	c.useIn(in.A(), x64.RDI)
	c.useIn(in.B(), x64.RSI)
	c.useIn(in.C(), x64.RCX)
	if c.feat.Has(x64.ERMS) {
		c.mayFault()
		c.b.Op(x64.MOVSB_REP)
		return
	}
	x := c.tempX()
	again, end := c.b.NewLabel(), c.b.NewLabel()
	c.b.RR(x64.TESTQ, x64.RCX, x64.RCX)
	c.b.Jcc(x64.EQ, end)
	c.b.Bind(again)
	c.mayFault()
	c.b.XM(x64.MOVUPS, x, x64.At(x64.RSI, 0))
	c.mayFault()
	c.b.MX(x64.MOVUPS, x64.At(x64.RDI, 0), x)
	c.b.RI(x64.ADDQ, x64.RSI, 16)
	c.b.RI(x64.ADDQ, x64.RDI, 16)
	c.b.RI(x64.SUBQ, x64.RCX, 16)
	c.b.Jcc(x64.NE, again)
	c.b.Bind(end)
}

// lowerCopy64 copies 64 bytes by way of registers, of 32 bytes each where the host has such:
// of accesses that are not aligned fewer cross a line then.
func lowerCopy64(c *compiler, v ir.Value, in ir.Inst) {
	to, from := c.useR(in.A()), c.useR(in.B())
	off := int32(c.f.ImmOf(in.C()))
	op, size := x64.MOVUPS, int32(16)
	if c.feat.Has(x64.AVX) {
		op, size = x64.VMOVUPS.Y(), 32
	}
	var xs []x64.Xmm
	for k := int32(0); k < 64; k += size {
		x := c.tempX()
		c.mayFault()
		c.b.XM(op, x, x64.At(from, off+k))
		xs = append(xs, x)
	}
	for k, x := range xs {
		c.mayFault()
		c.b.MX(op, x64.At(to, off+int32(k)*size), x)
	}
	if size == 32 { // what follows is not encoded by VEX throughout
		c.b.Op(x64.VZEROUPPER)
	}
}
