package amd64

import (
	"math/bits"

	"emu/ir"
	"emu/jit/asm/x64"
)

// Bit fields, and changes of width.

// lowerExtr: SHRD, or a rotation.
func lowerExtr(c *compiler, v ir.Value, in ir.Inst) {
	t := c.f.TypeOf(v)
	n := uint8(c.f.ImmOf(in.C()))
	switch {
	case int(n) >= t.Bits():
		viaGo(c, v, in)
	case c.root(in.A()) == c.root(in.B()):
		c.ror(v, in.A(), n, t)
	default:
		c.clobber()
		hi := c.useR(in.A())
		d := c.copyR(v, in.B())
		if n != 0 {
			c.b.RRI(wide(x64.SHRDL, t), d, hi, int32(n))
		} else if t == ir.I32 {
			c.b.RR(x64.MOVL, d, d)
		}
		c.done(v)
	}
}

// field returns the operands of UBFX and SBFX. ok is false if nothing is left to do: the
// field is all of the operand, or has been served through Go.
func (c *compiler) field(v ir.Value, in ir.Inst) (lsb, width uint8, ok bool) {
	lsb, width = uint8(c.f.ImmOf(in.B())), uint8(c.f.ImmOf(in.C()))
	size := uint8(c.f.TypeOf(v).Bits())
	switch {
	case lsb+width > size || width == 0:
		viaGo(c, v, in)
	case width == size:
		c.alias(v, in.A())
		c.keepWidth(v, in.A())
	default:
		ok = true
	}
	return lsb, width, ok
}

func lowerUbfx(c *compiler, v ir.Value, in ir.Inst) {
	t, a := c.f.TypeOf(v), in.A()
	lsb, width, ok := c.field(v, in)
	if !ok {
		return
	}
	size := uint8(t.Bits())
	known := c.zbits(a)
	rest := min(known, size) - min(known, lsb) // bits from lsb on that may be set
	switch {
	case lsb == 0 && known <= width:
		c.alias(v, a)
		return
	case lsb+width == size:
		c.shiftConst(x64.SHRL, x64.SHRXL, v, a, lsb, t)
	case lsb == 0 && (width == 8 || width == 16 || width == 32):
		r := c.useR(a)
		c.extend(c.overR(v, a, ir.None), r, width)
	case lsb == 0 && width < 32:
		c.clobber()
		c.b.RI(x64.ANDL, c.copyR(v, a), 1<<width-1)
	case lsb == 0:
		c.clobber()
		d := c.copyR(v, a)
		c.b.RI(x64.SHLQ, d, int32(64-width))
		c.b.RI(x64.SHRQ, d, int32(64-width))
	default:
		c.clobber()
		d := c.copyR(v, a)
		c.b.RI(wide(x64.SHRL, t), d, int32(lsb))
		switch {
		case rest <= width: // nothing is above
		case width == 8 || width == 16 || width == 32:
			c.extend(d, d, width)
		case width < 32:
			c.b.RI(x64.ANDL, d, 1<<width-1)
		default:
			c.b.RI(x64.SHLQ, d, int32(64-width))
			c.b.RI(x64.SHRQ, d, int32(64-width))
		}
	}
	c.within(v, min(width, rest))
}

func lowerSbfx(c *compiler, v ir.Value, in ir.Inst) {
	t, a := c.f.TypeOf(v), in.A()
	lsb, width, ok := c.field(v, in)
	if !ok {
		return
	}
	size := uint8(t.Bits())
	switch {
	case lsb == 0 && (width == 8 || width == 16 || width == 32):
		r := c.useR(a)
		c.extendS(c.overR(v, a, ir.None), r, int(width), t)
	default:
		c.clobber()
		d := c.copyR(v, a)
		if up := size - lsb - width; up != 0 {
			c.b.RI(wide(x64.SHLL, t), d, int32(up))
		}
		c.b.RI(wide(x64.SARL, t), d, int32(size-width))
	}
	c.done(v)
}

// lowerBfi inserts the low width bits of b at lsb of a.
func lowerBfi(c *compiler, v ir.Value, in ir.Inst) {
	t := c.f.TypeOf(v)
	k := c.f.ImmOf(in.C())
	lsb, width := uint8(k>>8), uint8(k)
	size := uint8(t.Bits())
	if lsb+width > size || width == 0 {
		viaGo(c, v, in)
		return
	}
	if width == size {
		c.alias(v, in.B())
		c.keepWidth(v, in.B())
		return
	}
	c.clobber()
	above, field := c.zbits(in.A()), min(width, c.zbits(in.B()))
	// The field in place, the rest zero: shift it up against the top, then down,
	// unless there is nothing above it anyway.
	up, down := size-width, size-width-lsb
	if c.zbits(in.B()) <= width {
		up, down = lsb, 0
	}
	place := func(r x64.Reg) {
		if up != 0 {
			c.b.RI(wide(x64.SHLL, t), r, int32(up))
		}
		if down != 0 {
			c.b.RI(wide(x64.SHRL, t), r, int32(down))
		}
	}
	if k, ok := c.constI(in.A()); ok && k == 0 {
		place(c.copyR(v, in.B()))
		c.zero(v, lsb+field)
		return
	}
	var s x64.Reg
	if c.root(in.A()) != c.root(in.B()) {
		s = c.scratchR(in.B())
	} else {
		b := c.useR(in.B())
		s = c.tempR()
		c.b.RR(x64.MOVQ, s, b)
	}
	place(s)
	d := c.copyR(v, in.A())
	mask := ^((uint64(1)<<width - 1) << lsb)
	switch {
	case above <= lsb: // nothing is there
	case t == ir.I32:
		c.b.RI(x64.ANDL, d, int32(uint32(mask)))
	case uint64(int64(int32(mask))) == mask:
		c.b.RI(x64.ANDQ, d, int32(mask))
	case bits.OnesCount64(^mask) == 1:
		c.b.RI(x64.BTRQ, d, int32(lsb))
	default:
		m := c.tempR()
		c.b.MovImm(m, mask)
		c.b.RR(x64.ANDQ, d, m)
	}
	c.b.RR(wide(x64.ORL, t), d, s)
	c.zero(v, min(max(above, lsb+field), size))
}

func lowerTrunc(c *compiler, v ir.Value, in ir.Inst) {
	if c.f.TypeOf(v) == ir.I1 && c.later(v) {
		return
	}
	c.alias(v, in.A())
	c.truncConst(v)
}

// truncConst gives an alias of a constant a register of its own with the bits of
// the narrower type.
func (c *compiler) truncConst(v ir.Value) {
	r := c.root(v)
	if !r.IsConst() {
		return
	}
	n := c.f.TypeOf(v).Bits()
	c.vals[v].root = v
	c.b.MovImm(c.defR(v), c.constBits(r)&(1<<n-1))
	c.zero(v, uint8(n))
}

// lowerZext: nothing at all if the upper bits are known to be zero.
func lowerZext(c *compiler, v ir.Value, in ir.Inst) {
	a := in.A()
	from := uint8(c.f.TypeOf(a).Bits())
	if k, ok := c.constI(a); ok {
		c.b.MovImm(c.defR(v), k)
		return
	}
	c.ready(a)
	if from == 1 && c.fl.v == c.root(a) {
		c.useR(a) // SETcc and a zero extension
	}
	if c.zbits(a) <= from {
		c.alias(v, a)
		return
	}
	if from == 1 {
		c.clobber()
		c.b.RI(x64.ANDL, c.copyR(v, a), 1)
		c.zero(v, 1)
		return
	}
	r := c.useR(a)
	if ra := c.root(a); c.vals[ra].slot < 0 && c.f.TypeOf(ra).Bits() <= int(from) {
		// Nobody relies on the upper bits: clear them once for all.
		c.extend(r, r, from)
		c.zero(ra, from)
		c.alias(v, a)
		return
	}
	c.extend(c.overR(v, a, ir.None), r, from)
	c.zero(v, from)
}

func lowerSext(c *compiler, v ir.Value, in ir.Inst) {
	a, t := in.A(), c.f.TypeOf(v)
	from := c.f.TypeOf(a).Bits()
	if from == 1 {
		c.clobberBool(a)
		d := c.copyR(v, a)
		c.b.RI(x64.ANDL, d, 1)
		c.b.R(wide(x64.NEGL, t), d)
		c.done(v)
		return
	}
	if c.ready(a); int(c.zbits(a)) < from { // it is not negative
		c.alias(v, a)
		return
	}
	r := c.useR(a)
	d := c.overR(v, a, ir.None)
	c.extendS(d, r, from, t)
	c.done(v)
}

// clobberBool frees the host's flags and leaves the I1 value a in a register if
// it was in them.
func (c *compiler) clobberBool(a ir.Value) {
	if a = c.ready(a); a.IsSSA() && c.fl.v == a {
		c.useR(a)
	}
	c.clobber()
}
