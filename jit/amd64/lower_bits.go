package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// lowerClz: LZCNT, or BSR of twice the value plus one.
func lowerClz(c *compiler, v ir.Value, in ir.Inst) {
	t := c.f.TypeOf(v)
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
	c.clobber()
	a := c.useR(in.A())
	c.b.RR(wide(x64.POPCNTL, t), c.overR(v, in.A(), ir.None), a)
	c.zero(v, 8)
}

// lowerRBit reverses the bytes, then the bits in each. CLZ of it counts trailing
// zeros.
func lowerRBit(c *compiler, v ir.Value, in ir.Inst) {
	t := c.f.TypeOf(v)
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
