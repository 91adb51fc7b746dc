package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// Conversions from integers round in MXCSR's mode. Fractions are scaled by an
// exact power of two afterwards: nothing is small enough to become denormal.

var (
	fromInt32 = fpOps{kF32: x64.CVTSI2SSL, kF64: x64.CVTSI2SDL, kF16: x64.VCVTSI2SHL}
	fromInt64 = fpOps{kF32: x64.CVTSI2SSQ, kF64: x64.CVTSI2SDQ, kF16: x64.VCVTSI2SHQ}
	fromUint  = fpOps{kF32: x64.VCVTUSI2SSQ, kF64: x64.VCVTUSI2SDQ, kF16: x64.VCVTUSI2SHQ}
)

func lowerSIToF(c *compiler, v ir.Value, in ir.Inst) { c.fromInt(v, in, false) }
func lowerUIToF(c *compiler, v ir.Value, in ir.Inst) { c.fromInt(v, in, true) }

func (c *compiler) fromInt(v ir.Value, in ir.Inst, unsigned bool) {
	k := kindOf(c.f.TypeOf(v))
	fbits := int(c.f.ImmOf(in.B()))
	from := c.f.TypeOf(in.A())
	switch half := k.half() && (!c.fp16() || fbits != 0) && c.halfAsSingle(); {
	case half && from.IsVec():
		c.halfFromIntVector(v, in, fbits, unsigned)
		return
	case half && from.Bits() >= 32:
		c.halfFromInt(v, in, fbits, unsigned)
		return
	case !c.native(k) && !c.flushes(k), k.half() && fbits != 0, !from.IsVec() && from.Bits() < 32:
		viaGo(c, v, in)
		return
	case !k.scalar():
		c.fromIntVector(v, in, k, fbits, unsigned)
		return
	}
	check := unsigned && from == ir.I64 && !c.evex()
	if check {
		c.clobber()
	}
	var r, spare x64.Reg
	op := fromInt64[k]
	switch {
	case from == ir.I64:
		r = c.useR(in.A())
		if unsigned && !check {
			op = fromUint[k]
		}
	case unsigned:
		r = c.useZ(in.A(), 32)
	default:
		r = c.useR(in.A())
		op = fromInt32[k]
	}
	d := c.defX(v)
	c.zero(v, uint8(k.bits()))
	if check {
		spare = c.tempR()
	}
	c.vzero(d) // what is above the result, and no dependence on d
	if check {
		c.b.RR(x64.TESTQ, r, r)
		p := c.newCold(coldSlow)
		p.emit, p.reg, p.reg2, p.site = emitHighUint, r, spare, int32(k)
		p.x[0] = d
		c.b.JccNear(x64.S, p.from)
		c.cvtX(op, d, r)
		c.b.Bind(p.back)
	} else {
		c.cvtX(op, d, r)
	}
	if fbits != 0 {
		c.v3m(fpMul[k], d, d, c.b.Lit128(power(k.width(), -fbits), 0))
	}
}

// bits is the size of a scalar.
func (k fpKind) bits() int { return 8 << k.width() }

// cvtX emits the conversion of r to lane 0 of d, which is zero.
func (c *compiler) cvtX(op x64.Op, d x64.Xmm, r x64.Reg) {
	switch {
	case op.Needs().Has(x64.AVX):
		c.b.XXR(op, d, d, r)
	case c.avx():
		c.b.XXR(vexOf(op), d, d, r)
	default:
		c.b.XR(op, d, r)
	}
}

// emitHighUint converts a number of 2^63 or more: half of it, its last bit
// sticky, doubled.
func emitHighUint(c *compiler, p *coldCode) {
	k, d, r, t, back := fpKind(p.site), p.x[0], p.reg, p.reg2, p.back
	even := c.b.NewLabel()
	c.b.RR(x64.MOVQ, t, r)
	c.b.RI(x64.SHRQ, t, 1)
	c.b.JccShort(x64.NC, even)
	c.b.RI(x64.ORQ, t, 1)
	c.b.Bind(even)
	c.cvtX(fromInt64[k], d, t)
	c.v3(fpAdd[k], d, d, d)
	c.b.JmpNear(back)
}

func (c *compiler) fromIntVector(v ir.Value, in ir.Inst, k fpKind, fbits int, unsigned bool) {
	a := c.useX(in.A())
	d := c.defX(v)
	switch {
	case k == kV8F16 && unsigned:
		c.b.XX(x64.VCVTUW2PH, d, a)
	case k == kV8F16:
		c.b.XX(x64.VCVTW2PH, d, a)
	case k == kV4F32 && !unsigned:
		c.v2(x64.CVTDQ2PS, d, a)
	case k == kV4F32 && c.evex():
		c.b.XX(x64.VCVTUDQ2PS, d, a)
	case k == kV4F32:
		// Both halves are exact, the sum rounds once.
		t := c.tempX()
		c.vsh(x64.PSRLD, d, a, 16)
		c.v2(x64.CVTDQ2PS, d, d)
		c.v3m(x64.MULPS, d, d, c.splat(2, power(2, 16)))
		c.v3m(x64.PAND, t, a, c.splat(2, 0xffff))
		c.v2(x64.CVTDQ2PS, t, t)
		c.v3(x64.ADDPS, d, d, t)
	case c.evex() && unsigned:
		c.b.XX(x64.VCVTUQQ2PD, d, a)
	case c.evex():
		c.b.XX(x64.VCVTQQ2PD, d, a)
	case unsigned:
		// 2^84 + high half and 2^52 + low half, without 2^84 + 2^52.
		t := c.tempX()
		c.vsh(x64.PSRLQ, d, a, 32)
		c.v3m(x64.POR, d, d, c.splat(3, power(3, 84)))
		c.v3m(x64.SUBPD, d, d, c.splat(3, power(3, 84)|1<<20))
		c.v3m(x64.PAND, t, a, c.splat(3, 1<<32-1))
		c.v3m(x64.POR, t, t, c.splat(3, power(3, 52)))
		c.v3(x64.ADDPD, d, d, t)
		c.v3m(x64.PAND, d, d, c.splat(3, signBit(3)-1)) // the exact sum zero is negative when rounding down
	default:
		r := c.tempR()
		t := c.tempX()
		c.vzero(d)
		c.vzero(t)
		c.b.RX(x64.MOVQXR, r, a)
		c.cvtX(x64.CVTSI2SDQ, d, r)
		c.b.RXI(x64.PEXTRQ, r, a, 1)
		c.cvtX(x64.CVTSI2SDQ, t, r)
		c.v3(x64.UNPCKLPD, d, d, t)
	}
	if fbits != 0 {
		c.v3m(fpMul[k], d, d, c.splat(k.width(), power(k.width(), -fbits)))
	}
}
