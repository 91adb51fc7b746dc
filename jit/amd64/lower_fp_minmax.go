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
			if !num && k.scalar() && !k.half() {
				f.routine, f.sum, f.keep = fpNaN2, true, true
				if c.dn() {
					f.routine = fpDefault
				}
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
