package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// loadX loads a float or vector from memory; the upper bits of scalars become
// zero. The caller has recorded that the instruction emitted here may fault if it
// may.
func (c *compiler) loadX(dst x64.Xmm, m x64.Mem, t ir.Type) {
	switch t.Bits() {
	case 16:
		r := c.tempR()
		c.b.RM(x64.MOVZWL, r, m)
		c.b.XR(x64.MOVDX, dst, r)
	case 32:
		c.b.XM(x64.MOVSS, dst, m)
	case 64:
		c.b.XM(x64.MOVQX, dst, m)
	default:
		c.b.XM(x64.MOVUPS, dst, m)
	}
}

// storeX stores a float or vector.
func (c *compiler) storeX(m x64.Mem, src x64.Xmm, t ir.Type) {
	switch t.Bits() {
	case 16:
		c.b.MXI(x64.PEXTRW, m, src, 0)
	case 32:
		c.b.MX(x64.MOVSS, m, src)
	case 64:
		c.b.MX(x64.MOVQX, m, src)
	default:
		c.b.MX(x64.MOVUPS, m, src)
	}
}

// loadConstLow makes dst hold a scalar constant.
func (c *compiler) loadConstLow(dst x64.Xmm, bits uint64) {
	if bits == 0 {
		c.b.XX(x64.XORPS, dst, dst)
		return
	}
	c.b.XM(x64.MOVQX, dst, c.b.Lit64(bits))
}

// lowerBitcast: bits change class only between integers and floats.
func lowerBitcast(c *compiler, v ir.Value, in ir.Inst) {
	a := in.A()
	to, from := c.f.TypeOf(v), c.f.TypeOf(a)
	switch {
	case to.InXMM() == from.InXMM():
		c.alias(v, a)
		c.keepWidth(v, a)
	case to.InXMM():
		c.toX(c.defX(v), a, to.Bits())
		c.zero(v, uint8(to.Bits()))
	default:
		x := c.useX(a)
		c.fromX(v, x, to.Bits())
	}
}

// keepWidth gives v a place of its own if it is an alias of a constant of another
// type: the type of a constant says how it is loaded.
func (c *compiler) keepWidth(v, a ir.Value) {
	r := c.root(v)
	if !r.IsConst() {
		return
	}
	c.vals[v].root = v
	if !c.vals[v].inX {
		c.b.MovImm(c.defR(v), c.constBits(r))
		return
	}
	c.loadConstX(c.defX(v), r)
}

// toX moves the low n bits of the integer a to a vector register and clears the
// rest.
func (c *compiler) toX(dst x64.Xmm, a ir.Value, n int) {
	if k, ok := c.constI(a); ok {
		c.loadConstLow(dst, k&(1<<n-1))
		return
	}
	switch n {
	case 8, 16:
		c.b.XR(x64.MOVDX, dst, c.useZ(a, uint8(n)))
	case 32:
		c.b.XR(x64.MOVDX, dst, c.useR(a))
	default:
		c.b.XR(x64.MOVQXR, dst, c.useR(a))
	}
}

// fromX gives the result v the low n bits of a vector register.
func (c *compiler) fromX(v ir.Value, x x64.Xmm, n int) {
	if n == 64 {
		c.b.RX(x64.MOVQXR, c.defR(v), x)
		return
	}
	c.b.RX(x64.MOVDX, c.defR(v), x)
	c.zero(v, 32)
}
