package amd64

import (
	"math/bits"

	"emu/ir"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

// logic returns the lowering of a commutative bitwise operation.
func logic(op x64.Op) lowerFn {
	return func(c *compiler, v ir.Value, in ir.Inst) { c.logic(op, v, in) }
}

func (c *compiler) logic(op x64.Op, v ir.Value, in ir.Inst) {
	t := c.f.TypeOf(v)
	a, b := in.A(), in.B()
	if c.root(a).IsConst() || !c.canTake(a) && c.canTake(b) {
		a, b = b, a
	}
	known := max(c.zbits(a), c.zbits(b))
	if op == x64.ANDL {
		known = min(c.zbits(a), c.zbits(b))
	}
	c.arith(op, v, ir.None, a, b, t, 0)
	c.within(v, known)
	c.flOf = resultFlags{v, t.Bits(), true}
}

func lowerAnd(c *compiler, v ir.Value, in ir.Inst) {
	t := c.f.TypeOf(v)
	p := &c.vals[v]
	if p.user != ir.None {
		// TST, or a test for zero: its user needs no result.
		u := c.f.Insts[p.user]
		if (u.Op() == ir.OpNZ || u.Op() == ir.OpICmp && c.testsZero(u, v)) && c.later(v) {
			return
		}
	}
	a, b := in.A(), in.B()
	if c.root(a).IsConst() {
		a, b = b, a
	}
	k, ok := c.constI(b)
	switch {
	case !ok:
	case k == 0xff || k == 0xffff || k == 0xffffffff && t == ir.I64:
		r := c.useR(a)
		n := uint8(8)
		if k == 0xffff {
			n = 16
		} else if k == 0xffffffff {
			n = 32
		}
		c.extend(c.overR(v, a, ir.None), r, n)
		c.zero(v, n)
		return
	case t == ir.I64 && k < 1<<31:
		// A 32-bit AND clears the upper half as well.
		c.arith(x64.ANDL, v, ir.None, a, b, ir.I32, 0)
		c.within(v, uint8(bits.Len64(k)))
		c.flOf = resultFlags{v, 64, true}
		return
	}
	c.logic(x64.ANDL, v, in)
}

// testsZero reports whether u compares v with zero for equality.
func (c *compiler) testsZero(u ir.Inst, v ir.Value) bool {
	k, ok := c.constI(u.B())
	cc := ir.Cond(c.f.ImmOf(u.C()))
	return u.A() == v && ok && k == 0 && (cc == ir.EQ || cc == ir.NE)
}

// test sets SF and ZF for the value a, CF = OF = 0.
func (c *compiler) test(a ir.Value, t ir.Type) {
	if c.flOf.v == c.root(a) && c.flOf.logic && c.flOf.bits == t.Bits() && c.fl.v == ir.None {
		return
	}
	in, ok := c.waiting(a)
	if !ok || in.Op() != ir.OpAnd {
		c.clobber()
		r := c.useR(a)
		c.b.RR(exact(x64.TESTB, t), r, r)
		return
	}
	c.testBoth(in.A(), in.B(), t)
}

// testBoth sets SF and ZF for x & y, CF = OF = 0.
func (c *compiler) testBoth(x, y ir.Value, t ir.Type) {
	if c.root(x) == c.root(y) {
		c.test(x, t)
		return
	}
	c.clobber()
	if c.root(x).IsConst() {
		x, y = y, x
	}
	if imm, ok := c.const32(y, t); ok {
		r := c.useR(x)
		if imm >= 0 && t == ir.I64 { // SF is 0 either way
			c.b.RI(x64.TESTL, r, imm)
			return
		}
		c.b.RI(exact(x64.TESTB, t), r, imm)
		return
	}
	ry := c.useR(y)
	c.b.RR(exact(x64.TESTB, t), c.useR(x), ry)
}

func lowerNZ(c *compiler, v ir.Value, in ir.Inst) {
	x, y := in.A(), in.A()
	if and, ok := c.waiting(x); ok && and.Op() == ir.OpAnd {
		x, y = and.A(), and.B()
	}
	c.ready(x)
	c.ready(y)
	c.keepLazy(v, host.ComputeAnd, c.f.TypeOf(in.A()).Bits(), x, y)
}

func lowerAndNot(c *compiler, v ir.Value, in ir.Inst) {
	t, a, b := c.f.TypeOf(v), in.A(), in.B()
	c.clobber()
	if k, ok := c.constI(b); ok {
		k = ^k
		if imm := int32(k); t != ir.I64 || int64(imm) == int64(k) {
			d := c.copyR(v, a)
			c.b.RI(wide(x64.ANDL, t), d, imm)
			c.done(v)
			return
		}
	}
	if c.feat.Has(x64.BMI1) {
		ra, rb := c.useR(a), c.useR(b)
		c.b.RRR(wide(x64.ANDNL, t), c.overR(v, a, b), rb, ra)
		c.done(v)
		c.flOf = resultFlags{v, t.Bits(), true}
		return
	}
	c.notThen(x64.ANDL, v, a, b, t)
}

// notThen emits v = a op not b.
func (c *compiler) notThen(op x64.Op, v, a, b ir.Value, t ir.Type) {
	ra, rb := c.useR(a), c.useR(b)
	d := c.defR(v)
	c.moveR(d, rb, t)
	c.b.R(wide(x64.NOTL, t), d)
	c.b.RR(wide(op, t), d, ra)
	c.done(v)
}

func lowerOrNot(c *compiler, v ir.Value, in ir.Inst) {
	t, a, b := c.f.TypeOf(v), in.A(), in.B()
	if k, ok := c.constI(a); ok && k == 0 { // MVN
		c.b.R(wide(x64.NOTL, t), c.copyR(v, b))
		c.done(v)
		return
	}
	c.clobber()
	c.notThen(x64.ORL, v, a, b, t)
}

func lowerNot(c *compiler, v ir.Value, in ir.Inst) {
	c.b.R(wide(x64.NOTL, c.f.TypeOf(v)), c.copyR(v, in.A()))
	c.done(v)
}
