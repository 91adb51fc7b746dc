package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

var (
	fpMin   = fpOps{x64.MINSS, x64.MINSD, x64.MINPS, x64.MINPD, x64.VMINSH, x64.VMINPH}
	fpMax   = fpOps{x64.MAXSS, x64.MAXSD, x64.MAXPS, x64.MAXPD, x64.VMAXSH, x64.VMAXPH}
	fpRange = fpOps{x64.VRANGESS, x64.VRANGESD, x64.VRANGEPS, x64.VRANGEPD}
)

// Immediates of VRANGE: the sign of the result is the chosen operand's.
const (
	rangeMin = 0x4
	rangeMax = 0x5
)

// fpMinMax lowers FMIN, FMAX, FMINNM (num) and FMAXNM. VRANGE knows that -0 is
// less than +0, and what it does with NaNs is IEEE 754-2008's minNum, which A64
// has in the NM forms. MIN gives its second operand for equal ones and for NaNs:
// of both orders the smaller zero is the one with either sign set.
func fpMinMax(greater, num bool) lowerFn {
	return func(c *compiler, v ir.Value, in ir.Inst) {
		k := kindOf(c.f.TypeOf(v))
		if c.elsewhere(v, in, k, c.fp16(), c.native(k), func() { c.halfMinMax(v, in, greater) }) {
			return
		}
		ranges := c.evex() && !k.half()
		if !ranges || !num || c.dn() {
			c.clobber()
		}
		a, b := c.useX(in.A()), c.srcX(in.B())
		d := c.defX(v)
		c.upperZero(v, in.A(), in.B())
		switch {
		case ranges && num:
			c.vrange(k, d, a, b, greater)
			if c.dn() {
				c.mendNaN(in, k, d, inReg(a), b)
			}
		case ranges && !k.scalar():
			c.vrange(k, d, a, b, greater)
			cc := c.unordered(k, a, b)
			f := c.newFP(fpPick2, in, k, d, inReg(a), b)
			f.keep = true
			if c.dn() {
				f.routine = fpDefault2
			}
			c.b.Bind(c.branchFP(cc, f).back)
		default:
			// MIN raises Invalid Operation for quiet NaNs too: look for them first.
			var t x64.Xmm
			if !ranges {
				t = c.tempX()
			}
			cc := c.unordered(k, a, b)
			f := c.newFP(fpGo, in, k, d, inReg(a), b)
			switch {
			case k.half():
			case num && greater:
				f.routine = fpMaximumNM
			case num:
				f.routine = fpMinimumNM
			case k.scalar():
				f.routine, f.sum, f.keep = fpNaN2, true, true
				if c.dn() {
					f.routine = fpDefault
				}
			case greater:
				f.routine = fpMaximum
			default:
				f.routine = fpMinimum
			}
			p := c.branchFP(cc, f)
			if ranges {
				c.vrange(k, d, a, b, greater)
			} else {
				c.minmaxBoth(k, d, t, a, b, greater)
			}
			c.b.Bind(p.back)
		}
	}
}

func (c *compiler) vrange(k fpKind, d, a x64.Xmm, b vsrc, greater bool) {
	imm := uint8(rangeMin)
	if greater {
		imm = rangeMax
	}
	if b.mem {
		c.b.XXMI(fpRange[k], d, a, b.m, imm)
		return
	}
	c.b.XXXI(fpRange[k], d, a, b.x, imm)
}

// minmaxBoth emits d = the smaller or larger of a and b, which are no NaNs.
func (c *compiler) minmaxBoth(k fpKind, d, t, a x64.Xmm, b vsrc, greater bool) {
	ops, join := &fpMin, x64.ORPS
	if greater {
		ops, join = &fpMax, x64.ANDPS
	}
	c.f3(ops, k, d, a, b)
	if b.mem {
		c.vload(t, b.m)
	} else {
		c.vmov(t, b.x)
	}
	c.f3(ops, k, t, t, inReg(a))
	c.v3(join, d, d, t)
}

// number emits X1 = the smaller or larger of the lanes of X1 and X2, zero where one is a
// NaN, and stores it as the host's result.
func (s nanCode) number(greater bool) {
	op, join := fpMin[s.k], x64.Op(x64.ORPS)
	if greater {
		op, join = fpMax[s.k], x64.ANDPS
	}
	b := &s.c.b
	s.unord(0, 1, 2)
	s.move(3, 0)
	b.XX(x64.ANDNPS, 3, 1)
	b.XX(x64.ANDNPS, 0, 2)
	s.move(1, 3)
	b.XX(op, 1, 0)
	b.XX(op, 0, 3)
	b.XX(join, 1, 0)
	b.MX(x64.MOVUPS, state(offHelperRet), 1)
}

// minmax leaves FMIN's or FMAX's result in X3.
func (s nanCode) minmax(greater bool) {
	s.load(1, argMem16(0))
	s.load(2, argMem16(1))
	s.number(greater)
	s.pick(2)
	s.load(1, argMem16(0))
	s.load(2, argMem16(1))
	s.unord(0, 1, 2)
	s.blendNaN()
}

// minmaxNM leaves FMINNM's or FMAXNM's result in X3.
func (s nanCode) minmaxNM(greater bool) {
	b := &s.c.b
	s.load(1, argMem16(0))
	s.load(2, argMem16(1))
	s.unord(3, 1, 1)
	s.unord(4, 2, 2)
	s.move(0, 3)
	s.blend(1, 2)
	s.move(0, 4)
	s.load(3, argMem16(0))
	s.blend(2, 3)
	s.number(greater)
	s.pick(2)
	// A NaN comes out where both are, and where one signals.
	s.load(1, argMem16(0))
	s.unord(2, 1, 1)
	s.move(0, 1)
	s.quietToSign(0)
	b.XX(x64.ANDNPS, 0, 2)
	s.load(3, argMem16(1))
	s.unord(1, 3, 3)
	b.XX(x64.ANDPS, 2, 1)
	b.XX(x64.ORPS, 2, 0)
	s.move(0, 3)
	s.quietToSign(0)
	b.XX(x64.ANDNPS, 0, 1)
	b.XX(x64.ORPS, 0, 2)
	s.blendNaN()
}

// blendNaN makes X3 the host's result with the NaNs in X4, or the default NaN, where the
// sign of X0 is set.
func (s nanCode) blendNaN() {
	s.load(3, state(offHelperRet))
	if s.c.dn() {
		s.blendM(3, &fpDefaultNaN)
		return
	}
	s.blend(3, 4)
}
