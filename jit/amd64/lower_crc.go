package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// The bit-reflected polynomial of CRC-32 and the quotient of x^64 by it, for
// Barrett reduction (Gopal et al., "Fast CRC Computation for Generic Polynomials
// Using PCLMULQDQ Instruction", Intel 2009).
const (
	crcPoly     = 0x1db710641
	crcQuotient = 0x1f7011641
)

// lowerCrc32: the host has instructions only for CRC-32C.
func lowerCrc32(c *compiler, v ir.Value, in ir.Inst) {
	n := uint8(c.f.ImmOf(in.C()))
	if !c.feat.Has(x64.PCLMUL) {
		viaGo(c, v, in)
		return
	}
	c.clobber()
	crc := c.useZ(in.A(), 32)
	data := c.useR(in.B())
	d := c.defR(v)
	x := c.tempX()
	// All data is as if the checksum so far were added to its first 32 bits.
	c.b.RR(x64.MOVQ, d, data)
	c.b.RR(x64.XORQ, d, crc)
	if n < 32 {
		c.b.RI(x64.SHLL, d, int32(32-n)) // as the last n bits of 32
	}
	if c.avx() {
		c.b.XR(x64.VMOVQXR, x, d)
	} else {
		c.b.XR(x64.MOVQXR, x, d)
	}
	k := c.b.Lit128(crcQuotient, crcPoly)
	if n == 64 {
		t := c.tempX()
		c.vsh(x64.PSRLQ, t, x, 32)
		c.barrett(x, k)
		c.v3(x64.PXOR, x, x, t)
	}
	c.barrett(x, k)
	if c.avx() {
		c.b.RX(x64.VMOVDX, d, x)
	} else {
		c.b.RX(x64.MOVDX, d, x)
	}
	if n < 32 {
		t := c.tempR()
		c.b.RR(x64.MOVL, t, crc)
		c.b.RI(x64.SHRL, t, int32(n))
		c.b.RR(x64.XORL, d, t)
	}
	c.zero(v, 32)
}

// barrett reduces the low 32 bits of x, reflected, to their checksum. k holds the
// quotient and the polynomial.
func (c *compiler) barrett(x x64.Xmm, k x64.Mem) {
	c.v3is(x64.PCLMULQDQ, x, x, inMem(k), 0x00)
	// Only the low 32 bits of the quotient count.
	c.vsh(x64.PSLLQ, x, x, 32)
	c.vsh(x64.PSRLQ, x, x, 32)
	c.v3is(x64.PCLMULQDQ, x, x, inMem(k), 0x10)
	c.vsh(x64.PSRLQ, x, x, 32)
}
