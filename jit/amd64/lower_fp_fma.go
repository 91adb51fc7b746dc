package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// fmaOps are the fused operations d = ±s1*s2 ± d by what is negated: bit 0 the
// addend, bit 1 the product.
var fmaOps = [4]fpOps{
	{x64.VFMADD231SS, x64.VFMADD231SD, x64.VFMADD231PS, x64.VFMADD231PD, x64.VFMADD231SH, x64.VFMADD231PH},
	{x64.VFMSUB231SS, x64.VFMSUB231SD, x64.VFMSUB231PS, x64.VFMSUB231PD, x64.VFMSUB231SH, x64.VFMSUB231PH},
	{x64.VFNMADD231SS, x64.VFNMADD231SD, x64.VFNMADD231PS, x64.VFNMADD231PD, x64.VFNMADD231SH, x64.VFNMADD231PH},
	{x64.VFNMSUB231SS, x64.VFNMSUB231SD, x64.VFNMSUB231PS, x64.VFNMSUB231PD, x64.VFNMSUB231SH, x64.VFNMSUB231PH},
}

// nativeFMA reports whether the host multiplies and adds with one rounding.
// Hosts older than x86-64-v3 cannot, and go through Go.
func (c *compiler) nativeFMA(k fpKind) bool {
	return c.native(k) && c.feat.Has(x64.FMA|x64.AVX)
}

// lowerFMA: first + second * third. Negations of the operands are part of the
// instruction; cold code applies them to NaNs.
func lowerFMA(c *compiler, v ir.Value, in ir.Inst) {
	k := kindOf(c.f.TypeOf(v))
	flushes := c.flushes(k) && c.feat.Has(x64.FMA|x64.AVX)
	if c.elsewhere(v, in, k, c.fp16(), flushes || c.nativeFMA(k), func() { c.halfFMA(v, in) }) {
		return
	}
	c.clobber()
	args := [3]ir.Value{in.A(), in.B(), in.C()}
	var neg [3]bool
	for i, a := range args {
		if w, ok := c.waiting(a); ok && w.Op() == ir.OpFNeg {
			args[i], neg[i] = w.A(), true
		}
	}
	was := c.useX(args[0])
	a := c.asideX(v, args[0], was)
	n, m := c.useX(args[1]), c.srcX(args[2])
	d := c.defX(v)
	c.upperZero(v, args[0], args[1], args[2])
	form := 0
	if neg[0] {
		form |= 1
	}
	if neg[1] != neg[2] {
		form |= 2
	}
	if flushes {
		c.beginFlushing()
	}
	if a == was || d != was {
		c.vmov(d, a)
	}
	if m.mem {
		c.b.XXM(fmaOps[form][k], d, n, m.m)
	} else {
		c.b.XXX(fmaOps[form][k], d, n, m.x)
	}
	if flushes {
		c.mendFlushed(in, k, d, neg, inReg(a), inReg(n), m)
		return
	}
	if c.testLater(v, in.Op(), k, neg, args[:]...) {
		return
	}
	c.mendTiny(in, k, d, neg, inReg(a), inReg(n), m)
}

// lowerFMLAL: halves become singles without loss, and are multiplied and added with
// one rounding. A sum of a single and a product of halves that is tiny is exact, so
// only NaNs are left to Go.
func lowerFMLAL(c *compiler, v ir.Value, in ir.Inst) {
	const k = kV4F32
	if !c.nativeFMA(k) || !c.feat.Has(x64.F16C) || c.fz16() {
		viaGo(c, v, in)
		return
	}
	c.clobber()
	a, n, m := c.useX(in.A()), c.useX(in.B()), c.useX(in.C())
	d, t, u := c.defX(v), c.tempX(), c.tempX()
	c.b.XX(x64.VCVTPH2PS, t, n)
	c.b.XX(x64.VCVTPH2PS, u, m)
	c.vmov(d, a)
	c.b.XXX(fmaOps[0][k], d, t, u)
	cc := c.unordered(k, d, inReg(d))
	f := c.newFP(fpGo, in, k, d, inReg(a), inReg(n), inReg(m))
	c.b.Bind(c.branchFP(cc, f).back)
}
