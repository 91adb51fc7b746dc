package amd64

import (
	"math/bits"

	"emu/ir"
	"emu/jit/asm/x64"
)

// shift returns the lowering of a shift: op by an immediate or CL, opx the BMI2
// form that leaves the flags alone. Host and IR both take the amount modulo the
// width.
func shift(op, opx x64.Op) lowerFn {
	return func(c *compiler, v ir.Value, in ir.Inst) { c.shift(op, opx, v, in) }
}

func (c *compiler) shift(op, opx x64.Op, v ir.Value, in ir.Inst) {
	t := c.f.TypeOf(v)
	k, isConst := c.constI(in.B())
	switch {
	case t.Bits() < 32 && (op != x64.SHLL || !isConst):
		viaGo(c, v, in)
	case isConst:
		c.shiftConst(op, opx, v, in.A(), uint8(k)&uint8(t.Bits()-1), t)
	case c.feat.Has(x64.BMI2):
		n := c.useR(in.B())
		a := c.useR(in.A())
		c.b.RRR(wide(opx, t), c.overR(v, in.A(), in.B()), a, n)
		c.done(v)
	default:
		c.clobber()
		c.useIn(in.B(), x64.RCX)
		c.b.RC(wide(op, t), c.copyR(v, in.A()))
		c.done(v)
	}
}

// shiftConst shifts by 0 <= n < width.
func (c *compiler) shiftConst(op, opx x64.Op, v, a ir.Value, n uint8, t ir.Type) {
	if op == x64.SHLL && n >= 1 && n <= 3 && (c.flagsLive() || !c.canTake(a)) {
		ra := c.useR(a)
		m := x64.Mem{Base: x64.NoBase, Index: ra, Scale: 1 << n}
		if n == 1 {
			m = x64.AtIndex(ra, ra, 1, 0)
		}
		c.b.RM(wide(x64.LEAL, t), c.overR(v, a, ir.None), m)
		c.done(v)
		return
	}
	if c.flagsLive() && c.feat.Has(x64.BMI2) && opx != 0 {
		k := c.tempR()
		c.b.MovImm(k, uint64(n))
		ra := c.useR(a)
		c.b.RRR(wide(opx, t), c.overR(v, a, ir.None), ra, k)
		c.done(v)
		return
	}
	c.clobber()
	d := c.copyR(v, a)
	if n != 0 {
		c.b.RI(wide(op, t), d, int32(n))
	} else if t == ir.I32 {
		c.b.RR(x64.MOVL, d, d)
	}
	c.done(v)
	if op == x64.SHRL && t == ir.I64 {
		c.zero(v, 64-n)
	}
}

func lowerShl(c *compiler, v ir.Value, in ir.Inst) {
	if k, ok := c.constI(in.B()); ok && k >= 1 && k <= 3 && c.f.TypeOf(v) == ir.I64 && c.indexes(v) && c.later(v) {
		return
	}
	c.shift(x64.SHLL, x64.SHLXL, v, in)
}

func lowerLShr(c *compiler, v ir.Value, in ir.Inst) {
	p := &c.vals[v]
	if p.user != ir.None && c.f.Insts[p.user].Op() == ir.OpTrunc && c.f.Types[p.user] == ir.I1 &&
		c.f.TypeOf(v).Bits() >= 32 && c.root(in.B()).IsConst() && c.later(v) {
		return // a bit test
	}
	c.shift(x64.SHRL, x64.SHRXL, v, in)
}

func lowerRor(c *compiler, v ir.Value, in ir.Inst) {
	t := c.f.TypeOf(v)
	if t.Bits() < 32 {
		viaGo(c, v, in)
		return
	}
	k, ok := c.constI(in.B())
	if ok {
		c.ror(v, in.A(), uint8(k)&uint8(t.Bits()-1), t)
		return
	}
	c.clobber()
	c.useIn(in.B(), x64.RCX)
	c.b.RC(wide(x64.RORL, t), c.copyR(v, in.A()))
	c.done(v)
}

// ror rotates right by 0 <= n < width.
func (c *compiler) ror(v, a ir.Value, n uint8, t ir.Type) {
	if c.feat.Has(x64.BMI2) {
		ra := c.useR(a)
		c.b.RRI(wide(x64.RORXL, t), c.overR(v, a, ir.None), ra, int32(n))
		c.done(v)
		return
	}
	c.shiftConst(x64.RORL, 0, v, a, n, t)
}

// lowerClz: LZCNT, or BSR of twice the value plus one.
func lowerClz(c *compiler, v ir.Value, in ir.Inst) {
	t := c.f.TypeOf(v)
	if t.Bits() < 32 {
		viaGo(c, v, in)
		return
	}
	if r, ok := c.waiting(in.A()); ok && r.Op() == ir.OpRBit {
		c.ctz(v, r.A(), t)
		return
	}
	c.clobber()
	a := c.useR(in.A())
	c.clz(c.overClz(v, in.A()), a, t)
	c.zero(v, 8)
}

// overClz gives v a register for a count of zeros of a. LZCNT and TZCNT depend on
// their destination on older CPUs: taking the operand's own costs nothing more.
func (c *compiler) overClz(v, a ir.Value) x64.Reg {
	if !c.feat.Has(x64.LZCNT | x64.BMI1) {
		return c.defR(v)
	}
	return c.overR(v, a, ir.None)
}

// clz counts the leading zeros of a into d, which differs from a without LZCNT.
func (c *compiler) clz(d, a x64.Reg, t ir.Type) {
	if c.feat.Has(x64.LZCNT) {
		c.b.RR(wide(x64.LZCNTL, t), d, a)
		return
	}
	// BSR leaves its destination alone (ZF set) for zero: width*2-1 becomes width.
	n := t.Bits()
	k := c.tempR()
	c.b.MovImm(k, uint64(2*n-1))
	c.b.RR(wide(x64.BSRL, t), d, a)
	c.b.CMovRR(x64.CMOVL, x64.EQ, d, k)
	c.b.RI(x64.XORL, d, int32(n-1))
}

// lowerCls: the leading zeros of a ^ (a >> width-1), less one.
func lowerCls(c *compiler, v ir.Value, in ir.Inst) {
	t := c.f.TypeOf(v)
	if t.Bits() < 32 {
		viaGo(c, v, in)
		return
	}
	c.clobber()
	a := c.useR(in.A())
	s, d := c.tempR(), c.defR(v)
	c.b.RR(x64.MOVQ, s, a)
	c.b.RI(wide(x64.SARL, t), s, int32(t.Bits()-1))
	c.b.RR(wide(x64.XORL, t), s, a)
	c.clz(d, s, t)
	c.b.RI(x64.SUBL, d, 1)
	c.zero(v, 8)
}

func lowerCtz(c *compiler, v ir.Value, in ir.Inst) {
	t := c.f.TypeOf(v)
	if t.Bits() < 32 {
		viaGo(c, v, in)
		return
	}
	c.ctz(v, in.A(), t)
}

func (c *compiler) ctz(v, x ir.Value, t ir.Type) {
	c.clobber()
	a := c.useR(x)
	c.zero(v, 8)
	if c.feat.Has(x64.BMI1) {
		c.b.RR(wide(x64.TZCNTL, t), c.overClz(v, x), a)
		return
	}
	k, d := c.tempR(), c.defR(v)
	c.b.MovImm(k, uint64(t.Bits()))
	c.b.RR(wide(x64.BSFL, t), d, a)
	c.b.CMovRR(x64.CMOVL, x64.EQ, d, k)
}

func lowerPopcnt(c *compiler, v ir.Value, in ir.Inst) {
	t := c.f.TypeOf(v)
	if t.Bits() < 32 {
		viaGo(c, v, in)
		return
	}
	c.clobber()
	a := c.useR(in.A())
	c.b.RR(wide(x64.POPCNTL, t), c.overR(v, in.A(), ir.None), a)
	c.zero(v, 8)
}

// lowerRBit reverses the bytes, then the bits in each. CLZ of it counts trailing
// zeros.
func lowerRBit(c *compiler, v ir.Value, in ir.Inst) {
	t := c.f.TypeOf(v)
	if t.Bits() < 32 {
		viaGo(c, v, in)
		return
	}
	if p := &c.vals[v]; p.user != ir.None && c.f.Insts[p.user].Op() == ir.OpClz && c.later(v) {
		return
	}
	c.clobber()
	d := c.copyR(v, in.A())
	k, s := c.tempR(), c.tempR()
	c.b.R(wide(x64.BSWAPL, t), d)
	for _, step := range [...]struct {
		mask uint64
		n    int32
	}{{0x0f0f0f0f0f0f0f0f, 4}, {0x3333333333333333, 2}, {0x5555555555555555, 1}} {
		m := step.mask
		if t == ir.I32 {
			m &= 1<<32 - 1
		}
		c.b.MovImm(k, m)
		c.b.RR(wide(x64.MOVL, t), s, d)
		c.b.RI(wide(x64.SHRL, t), s, step.n)
		c.b.RR(wide(x64.ANDL, t), s, k)
		c.b.RR(wide(x64.ANDL, t), d, k)
		c.b.RI(wide(x64.SHLL, t), d, step.n)
		c.b.RR(wide(x64.ORL, t), d, s)
	}
	c.done(v)
}

// lowerRev: bytes within containers of 16, 32 or 64 bits.
func lowerRev(c *compiler, v ir.Value, in ir.Inst) {
	t := c.f.TypeOf(v)
	n := int(c.f.ImmOf(in.B()))
	switch {
	case t.Bits() < 32:
		viaGo(c, v, in)
	case n == t.Bits():
		c.b.R(wide(x64.BSWAPL, t), c.copyR(v, in.A()))
		c.done(v)
	case n == t.Bits()/2:
		c.clobber()
		d := c.copyR(v, in.A())
		c.b.R(wide(x64.BSWAPL, t), d)
		c.b.RI(wide(x64.RORL, t), d, int32(n))
		c.done(v)
	case n == 16:
		c.clobber()
		d := c.copyR(v, in.A())
		k, s := c.tempR(), c.tempR()
		c.b.MovImm(k, 0x00ff00ff00ff00ff)
		c.b.RR(x64.MOVQ, s, d)
		c.b.RI(x64.SHRQ, s, 8)
		c.b.RR(x64.ANDQ, s, k)
		c.b.RR(x64.ANDQ, d, k)
		c.b.RI(x64.SHLQ, d, 8)
		c.b.RR(x64.ORQ, d, s)
	default:
		viaGo(c, v, in)
	}
}

// lowerExtr: SHRD, or a rotation.
func lowerExtr(c *compiler, v ir.Value, in ir.Inst) {
	t := c.f.TypeOf(v)
	n := uint8(c.f.ImmOf(in.C()))
	switch {
	case t.Bits() < 32 || int(n) >= t.Bits():
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

func lowerUbfx(c *compiler, v ir.Value, in ir.Inst) {
	t := c.f.TypeOf(v)
	lsb, width := uint8(c.f.ImmOf(in.B())), uint8(c.f.ImmOf(in.C()))
	size := uint8(t.Bits())
	a := in.A()
	if size < 32 || lsb+width > size || width == 0 {
		viaGo(c, v, in)
		return
	}
	switch {
	case width == size:
		c.alias(v, a)
		c.keepWidth(v, a)
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
		case width == 8 || width == 16 || width == 32:
			c.extend(d, d, width)
		case width < 32:
			c.b.RI(x64.ANDL, d, 1<<width-1)
		default:
			c.b.RI(x64.SHLQ, d, int32(64-width))
			c.b.RI(x64.SHRQ, d, int32(64-width))
		}
	}
	c.zero(v, min(width, c.zbits(v)))
}

func lowerSbfx(c *compiler, v ir.Value, in ir.Inst) {
	t := c.f.TypeOf(v)
	lsb, width := uint8(c.f.ImmOf(in.B())), uint8(c.f.ImmOf(in.C()))
	size := uint8(t.Bits())
	a := in.A()
	if size < 32 || lsb+width > size || width == 0 {
		viaGo(c, v, in)
		return
	}
	switch {
	case width == size:
		c.alias(v, a)
		c.keepWidth(v, a)
		return
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
	if size < 32 || lsb+width > size || width == 0 {
		viaGo(c, v, in)
		return
	}
	if width == size {
		c.alias(v, in.B())
		c.keepWidth(v, in.B())
		return
	}
	c.clobber()
	b := c.useR(in.B())
	s := c.tempR()
	// The field in place, the rest zero: shift it up against the top, then down,
	// unless there is nothing above it anyway.
	c.b.RR(wide(x64.MOVL, t), s, b)
	up, down := size-width, size-width-lsb
	if c.zbits(in.B()) <= width {
		up, down = lsb, 0
	}
	if up != 0 {
		c.b.RI(wide(x64.SHLL, t), s, int32(up))
	}
	if down != 0 {
		c.b.RI(wide(x64.SHRL, t), s, int32(down))
	}
	d := c.copyR(v, in.A())
	mask := ^((uint64(1)<<width - 1) << lsb)
	switch {
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
	c.done(v)
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

func lowerCrc32C(c *compiler, v ir.Value, in ir.Inst) {
	op := x64.CRC32B
	switch c.f.ImmOf(in.C()) {
	case 8:
	case 16:
		op = x64.CRC32W
	case 32:
		op = x64.CRC32L
	case 64:
		op = x64.CRC32Q
	default:
		viaGo(c, v, in)
		return
	}
	b := c.useR(in.B())
	d := c.copyR(v, in.A())
	c.b.RR(op, d, b)
	c.zero(v, 32)
}
