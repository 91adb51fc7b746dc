package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// Results: the registers that they get.

// defR gives v, a result, a fresh register.
func (c *compiler) defR(v ir.Value) x64.Reg {
	c.takeOver(v)
	r, ok := c.hint(v)
	if !ok {
		r, ok = c.userWants(v)
	}
	if !ok {
		r, ok = c.g.Pick(c.fixedWhile(v) | c.wanted[0])
	}
	if ok {
		c.g.Lock(r)
	} else {
		r = uint8(c.tempR())
	}
	c.bindR(v, x64.Reg(r))
	return x64.Reg(r)
}

// userWants returns the register that v's user needs it in, if that is free.
func (c *compiler) userWants(v ir.Value) (r uint8, ok bool) {
	u := c.vals[v].user
	if u == ir.None {
		return 0, false
	}
	in := c.f.Insts[u]
	switch in.Op() {
	case ir.OpMulHiU:
		if c.feat.Has(x64.BMI2) {
			r, ok = uint8(x64.RDX), true // where either operand can be
			break
		}
		fallthrough
	case ir.OpRet, ir.OpJumpInd, ir.OpCallInd, ir.OpSDiv, ir.OpUDiv, ir.OpSRem, ir.OpURem, ir.OpMulHiS:
		r, ok = uint8(x64.RAX), in.A() == v
	case ir.OpCas:
		r, ok = uint8(x64.RAX), in.B() == v
	}
	return r, ok && c.g.Owner(r) == ir.None && !c.g.Locked(r)
}

// defX gives v, a result, a fresh vector register.
func (c *compiler) defX(v ir.Value) x64.Xmm {
	c.takeOver(v)
	r, ok := c.hint(v)
	if !ok {
		r = uint8(c.tempX())
	}
	c.bindX(v, x64.Xmm(r))
	return x64.Xmm(r)
}

// defIn gives v the reserved register r.
func (c *compiler) defIn(v ir.Value, r x64.Reg) { c.bindR(v, r) }

// take hands the register of a, which the current instruction uses last, to v.
func (c *compiler) take(v, a ir.Value) {
	r := c.vals[a].reg
	c.consume(a)
	if c.vals[v].inX {
		c.bindX(v, x64.Xmm(r))
		return
	}
	c.bindR(v, x64.Reg(r))
}

// canTake reports whether a's register may become a result.
func (c *compiler) canTake(a ir.Value) bool {
	a = c.root(a)
	return a.IsSSA() && c.vals[a].reg >= 0 && c.dies(a)
}

// copyR gives v a register that holds a, for the current instruction to change.
func (c *compiler) copyR(v, a ir.Value) x64.Reg {
	a = c.ready(a)
	if a.IsConst() {
		r := c.defR(v)
		c.b.MovImm(r, c.constBits(a))
		return r
	}
	s := c.useR(a)
	if c.dies(a) {
		if r := c.hintOf(v); r >= 0 && c.wanted[0]>>r&1 != 0 { // it goes around a loop
			if r, ok := c.better(v); ok {
				c.bindR(v, r)
				c.moveR(r, s, c.f.TypeOf(v))
				return r
			}
		}
		c.take(v, a)
		return s
	}
	r := c.defR(v)
	c.moveR(r, s, c.f.TypeOf(v))
	return r
}

// better returns the register that the result v had better be in, if that can be had: what only waits for the
// guest register that is SET to v next leaves it.
func (c *compiler) better(v ir.Value) (x64.Reg, bool) {
	if c.hintOf(v) < 0 {
		return 0, false
	}
	c.takeOver(v)
	r, ok := c.hint(v)
	return x64.Reg(r), ok
}

// scratchR returns a scratch register that holds a, for the current instruction
// to change: a's own if this is its last use.
func (c *compiler) scratchR(a ir.Value) x64.Reg {
	a = c.ready(a)
	if a.IsConst() {
		return c.useR(a)
	}
	s := c.useR(a)
	if c.dies(a) {
		c.consume(a)
		return s
	}
	r := c.tempR()
	c.b.RR(x64.MOVQ, r, s)
	return r
}

// copyX is copyR for vector registers.
func (c *compiler) copyX(v, a ir.Value) x64.Xmm {
	a = c.root(a)
	if a.IsConst() {
		r := c.defX(v)
		c.loadConstX(r, a)
		return r
	}
	s := c.useX(a)
	if c.dies(a) {
		c.take(v, a)
		return s
	}
	r := c.defX(v)
	c.b.XX(x64.MOVAPS, r, s)
	return r
}

// overR gives v a register for one instruction that reads all of its operands
// before it writes: a's or b's if they end here. Both have to be in registers.
func (c *compiler) overR(v, a, b ir.Value) x64.Reg {
	if r, ok := c.better(v); ok {
		c.bindR(v, r)
		return r
	}
	for _, o := range [2]ir.Value{a, b} {
		if o != ir.None && c.canTake(o) && !c.vals[c.root(o)].inX {
			o = c.root(o)
			r := c.vals[o].reg
			c.take(v, o)
			return x64.Reg(r)
		}
	}
	return c.defR(v)
}

// overX is overR for vector registers. With AVX no register is copied for an operation, so that v has the one
// that it is wanted in, if that is free.
func (c *compiler) overX(v, a, b ir.Value) x64.Xmm {
	if c.avx() {
		c.takeOver(v)
		if r, ok := c.hint(v); ok {
			c.bindX(v, x64.Xmm(r))
			return x64.Xmm(r)
		}
	}
	for _, o := range [2]ir.Value{a, b} {
		if o != ir.None && c.canTake(o) && c.vals[c.root(o)].inX {
			o = c.root(o)
			r := c.vals[o].reg
			c.take(v, o)
			return x64.Xmm(r)
		}
	}
	return c.defX(v)
}

// asideX copies a, in vector register r, which ends with the current instruction, out of the way if r is
// where its result v is wanted: on the loop's way back nothing is to be moved then. It is for results whose
// tests need the operands, which overX cannot take. It returns where a is; r keeps its contents until v is written.
func (c *compiler) asideX(v, a ir.Value, r x64.Xmm) x64.Xmm {
	a = c.root(a)
	if c.hintOf(v) != int8(r) || !a.IsSSA() || c.vals[a].reg != int8(r) || !c.dies(a) || !c.avx() {
		return r
	}
	t, ok := c.x.Pick(c.wanted[1])
	if !ok {
		return r
	}
	c.vmov(x64.Xmm(t), r)
	c.unbind(a)
	c.bindX(a, x64.Xmm(t))
	c.x.SetLocks(c.x.Locks() &^ (1 << r))
	return x64.Xmm(t)
}
