package amd64

import (
	"emu/ir"
	"emu/jit/host"
)

// Lives of values: their roots, their uses, and when they end; computations that are put off.

// root resolves a value that shares another one's place. It may be a constant.
func (c *compiler) root(v ir.Value) ir.Value {
	if v.IsSSA() {
		return c.vals[v].root
	}
	return v
}

// alias makes v share the place of a.
func (c *compiler) alias(v, a ir.Value) {
	r := c.ready(a)
	p := &c.vals[v]
	p.root, p.form = r, formHere
	if r.IsSSA() {
		q := &c.vals[r]
		q.uses += p.uses
		if p.user != ir.None && (q.user == ir.None || p.user > q.user) {
			q.user = p.user
			c.usedUntil(r)
		}
	}
}

// ready returns the root of v, computed if it had been put off.
func (c *compiler) ready(v ir.Value) ir.Value {
	if v = c.root(v); v.IsSSA() && c.vals[v].form == formLater {
		c.force(v)
		v = c.root(v)
	}
	return v
}

// dies reports whether the current instruction is the last to need v.
func (c *compiler) dies(v ir.Value) bool {
	v = c.root(v)
	if !v.IsSSA() {
		return false
	}
	p := &c.vals[v]
	if left := p.uses - c.usesNow(v); left > 0 && (p.kept == 0 || left > c.keptByFlags(v)) {
		return false
	}
	return p.pend == 0 || p.pend == 1 && c.replaced(v) >= 0
}

// replaced returns the guest register that v waits for if the instruction after
// the current one SETs it to the current one's result, -1 otherwise: X0 in
// ADD X0, X0, #1. Then v is not needed after the current instruction, provided
// that nothing can look at the guest's registers in between.
func (c *compiler) replaced(v ir.Value) int {
	if c.now || c.f.Insts[c.at].Op().Has(observes|ir.FPStatus|ir.SetsQC) {
		return -1
	}
	after := func(n ir.Value) ir.Value {
		for n++; c.vals[n].early; n++ {
		}
		return n
	}
	r := c.at
	next := after(r)
	in := c.f.Insts[next]
	if in.Op() == ir.OpZext && in.A() == r {
		r, next = next, after(next) // of a W register
		in = c.f.Insts[next]
	}
	g := int(host.GuestX)
	switch in.Op() {
	case ir.OpSetX:
	case ir.OpSetV:
		g = int(host.GuestV)
	default:
		return -1
	}
	if in.B() != r || c.vals[next].form == formSkip {
		return -1
	}
	g += int(c.f.ImmOf(in.A()))
	if w, ok := c.pending(g); !ok || w != v {
		return -1
	}
	return g
}

// consume takes the dying operand a out of its register, for the current
// instruction to change it.
func (c *compiler) consume(a ir.Value) {
	if c.vals[a].kept > 0 {
		c.unset(int(host.GuestNZCV))
	}
	if c.vals[a].pend > 0 {
		c.unset(c.replaced(a))
	}
	c.unbind(a)
}

// usesNow counts the operands of the current instruction that are v.
func (c *compiler) usesNow(v ir.Value) (n int32) {
	for _, a := range c.cur {
		if a == v {
			n++
		}
	}
	return n
}

// release ends one use of v.
func (c *compiler) release(v ir.Value) {
	if v = c.root(v); !v.IsSSA() {
		return
	}
	p := &c.vals[v]
	p.uses--
	if p.uses > 0 {
		return
	}
	if p.uses < 0 {
		panic("BUG: amd64: more uses than counted")
	}
	if p.form == formLater {
		p.form = formNone
		c.releaseOperands(c.f.Insts[v])
		return
	}
	if p.pend == 0 {
		c.drop(v)
	}
}

func (c *compiler) releaseOperands(in ir.Inst) {
	if a := in.A(); a.IsSSA() {
		c.release(a)
	}
	if b := in.B(); b.IsSSA() {
		c.release(b)
	}
	if x := in.C(); x.IsSSA() {
		c.release(x)
	}
}

// drop frees everything that holds the dead value v.
func (c *compiler) drop(v ir.Value) {
	p := &c.vals[v]
	c.unbind(v)
	if p.slot >= 0 {
		c.slots[p.slot] = ir.None
		p.slot = -1
	}
	if c.fl.v == v {
		c.fl.v = ir.None
	}
	p.form = formNone
	if p.unchecked {
		c.forgetUnchecked(v)
	}
	if p.lazy != 0 {
		c.endLazy(v)
	}
}

// later puts off computing v until its only user asks for it. It reports whether
// that is possible; else the caller has to compute it now.
func (c *compiler) later(v ir.Value) bool {
	if !c.mayWait(v) {
		return false
	}
	c.vals[v].form = formLater
	return true
}

// laterOften is later for what costs a user that folds it nothing, so that several may: up
// to foldUses. One that cannot fold it computes it for those behind.
func (c *compiler) laterOften(v ir.Value) bool {
	p := &c.vals[v]
	if c.now || c.opt.NoFold || p.uses < 1 || p.uses > foldUses || p.user == ir.None || c.vals[p.user].region != p.region {
		return false
	}
	p.form = formLater
	return true
}

// foldUses bounds how long laterOften keeps operands alive.
const foldUses = 4

// mayWait reports whether later can put off v.
func (c *compiler) mayWait(v ir.Value) bool {
	p := &c.vals[v]
	return !c.now && !c.opt.NoFold && p.uses == 1 && p.user != ir.None && c.vals[p.user].region == p.region
}

// waiting returns the instruction of a value that was put off.
func (c *compiler) waiting(v ir.Value) (in ir.Inst, ok bool) {
	if v = c.root(v); v.IsSSA() && c.vals[v].form == formLater {
		return c.f.Insts[v], true
	}
	return 0, false
}

// force computes v now if it was put off. It may change the host's flags if v's
// lowering does; conditions and addresses do not.
func (c *compiler) force(v ir.Value) {
	if c.vals[v].form != formLater {
		return
	}
	at, cur, now := c.at, c.cur, c.now
	in := c.f.Insts[v]
	c.vals[v].form = formNone
	c.at, c.now = v, true
	c.setCur(in)
	c.lower[in.Op()](c, v, in)
	c.releaseOperands(in)
	c.at, c.cur, c.now = at, cur, now
}
