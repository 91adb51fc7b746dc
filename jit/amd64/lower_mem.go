package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// addresses reports whether v's user is a memory instruction that uses v as (part
// of) its address.
func (c *compiler) addresses(v ir.Value) bool {
	p := &c.vals[v]
	if p.user == ir.None {
		return false
	}
	u := c.f.Insts[p.user]
	switch u.Op() {
	case ir.OpLoad, ir.OpLoadS, ir.OpLoadA, ir.OpPrefetch:
		return u.A() == v || u.B() == v
	case ir.OpStore, ir.OpStoreR:
		return u.A() != v
	case ir.OpLoadP:
		return u.A() == v && u.B() != v
	case ir.OpStoreP:
		return u.B() == v && u.C() != v
	}
	return false
}

// indexes reports whether v is a summand of an address.
func (c *compiler) indexes(v ir.Value) bool {
	if c.addresses(v) {
		return true
	}
	p := &c.vals[v]
	return p.user != ir.None && c.f.Insts[p.user].Op() == ir.OpAdd && c.addresses(p.user)
}

// address builds the operand for base + offset out of at most two registers, a
// scale and a displacement, following sums and shifts that were put off.
func (c *compiler) address(base, off ir.Value) x64.Mem {
	var s sum
	c.addTerm(&s, base, 2)
	c.addTerm(&s, off, 2)
	m := x64.Mem{Base: x64.NoBase, Disp: int32(s.disp)}
	if s.disp != int64(m.Disp) {
		// Too far for a displacement: one more summand.
		r := c.tempR()
		c.b.MovImm(r, uint64(s.disp))
		m.Disp = 0
		m.Base = r
	}
	for i := range s.n {
		r, scale := s.reg[i], s.scale[i]
		switch {
		case scale == 1 && m.Base == x64.NoBase:
			m.Base = r
		case m.Scale == 0:
			m.Index, m.Scale = r, scale
		case m.Base == x64.NoBase: // two scaled summands
			t := c.tempR()
			c.b.RM(x64.LEAQ, t, x64.Mem{Base: x64.NoBase, Index: r, Scale: scale})
			m.Base = t
		default: // a third summand: LEA leaves the flags alone
			t := c.tempR()
			c.b.RM(x64.LEAQ, t, m)
			m = x64.Mem{Base: t, Index: r, Scale: scale}
		}
	}
	if m.Base == x64.NoBase && m.Scale == 1 {
		m.Base, m.Scale, m.Index = m.Index, 0, 0
	}
	return m
}

// sum is an address in pieces.
type sum struct {
	reg   [4]x64.Reg
	scale [4]uint8
	n     int
	disp  int64
}

// addTerm adds v to the sum; depth limits how far it looks into what was put off.
func (c *compiler) addTerm(s *sum, v ir.Value, depth int) {
	if k, ok := c.constI(v); ok {
		s.disp += int64(k)
		return
	}
	scale := uint8(1)
	if in, ok := c.waiting(v); ok && depth > 0 {
		switch in.Op() {
		case ir.OpAdd:
			c.addTerm(s, in.A(), depth-1)
			c.addTerm(s, in.B(), depth-1)
			return
		case ir.OpShl:
			if k, ok := c.constI(in.B()); ok {
				scale = 1 << k
				v = in.A()
			}
		}
	}
	s.reg[s.n], s.scale[s.n] = c.useR(v), scale
	s.n++
}

// loadR loads an integer, zero-extended, into dst.
func (c *compiler) loadR(dst x64.Reg, m x64.Mem, t ir.Type) {
	switch t {
	case ir.I8:
		c.b.RM(x64.MOVZBL, dst, m)
	case ir.I16:
		c.b.RM(x64.MOVZWL, dst, m)
	case ir.I32:
		c.b.RM(x64.MOVL, dst, m)
	default:
		c.b.RM(x64.MOVQ, dst, m)
	}
}

// lowerLoad: LOAD, and LOADA, since x86 loads are acquiring and STORER waits for
// its store.
func lowerLoad(c *compiler, v ir.Value, in ir.Inst) {
	t := c.f.TypeOf(v)
	m := c.address(in.A(), in.B())
	if s, ok := c.signed(v); ok {
		c.absorb(s)
		c.vals[v].form = formHere
		c.loadS(s, in, m, t.Bits())
		return
	}
	if t.InXMM() {
		if c.loadLanesOver(v, m) {
			return
		}
		if t.Bits() == 16 { // by way of a general register
			d, r := c.defX(v), c.tempR()
			c.zero(v, 16)
			c.mayFault()
			c.b.RM(x64.MOVZWL, r, m)
			c.b.XR(x64.MOVDX, d, r)
			return
		}
		if !c.loadOver(v) {
			c.defX(v)
			c.mayFault()
		}
		c.zero(v, uint8(t.Bits()))
		c.loadX(x64.Xmm(c.vals[v].reg), m, t)
		return
	}
	if !c.loadOver(v) {
		c.overR(v, in.A(), in.B())
		c.mayFault()
	}
	c.loadR(x64.Reg(c.vals[v].reg), m, t)
	c.zero(v, uint8(t.Bits()))
}

// loadOver gives the loaded value v the register of what its guest register holds
// until then, if the instruction after the load SETs it: a load that faults leaves
// its register alone. It includes mayFault.
func (c *compiler) loadOver(v ir.Value) bool {
	w, ok := c.overwritten(v)
	if !ok {
		return false
	}
	r := c.vals[w].reg
	if c.vals[v].inX && c.wanted[1]>>r&1 != 0 && c.hintOf(v) != r {
		return false // what comes later goes there, and not over v, whose test for NaNs may need it
	}
	c.mayFault()
	c.unset(c.setNext(v))
	if c.vals[v].inX {
		c.bindX(v, x64.Xmm(r))
	} else {
		c.bindR(v, x64.Reg(r))
	}
	return true
}

// overwritten returns the value in a register of v's class that only waits for the
// guest register that is SET to v next.
func (c *compiler) overwritten(v ir.Value) (ir.Value, bool) {
	g := c.setNext(v)
	if g < 0 || !c.scoped.some && !isPin(g) {
		return 0, false
	}
	w, ok := c.pending(g)
	if !ok || !w.IsSSA() {
		return 0, false
	}
	p := &c.vals[w]
	if p.uses > 0 || p.pend != 1 {
		return 0, false
	}
	if p.lazy != 0 && p.reg < 0 {
		w = c.lazies[p.lazy].a
		if !w.IsSSA() {
			return 0, false
		}
		if p = &c.vals[w]; p.uses != 1 || p.pend > 0 {
			return 0, false
		}
	}
	return w, p.reg >= 0 && p.inX == c.vals[v].inX
}

// setNext returns the guest register that one of the SETs right behind the current
// instruction sets to v, -1 if none does.
func (c *compiler) setNext(v ir.Value) int {
	if c.now || int(v)+1 >= len(c.f.Insts) {
		return -1
	}
	in := c.f.Insts[v+1]
	if in.Op() == ir.OpZext && in.A() == v && int(v)+2 < len(c.f.Insts) && c.vals[v+1].form != formSkip {
		v++ // a W register
		in = c.f.Insts[v+1]
	}
	if in.Op() == ir.OpVFrom && in.A() == v && int(v)+2 < len(c.f.Insts) && c.onlySet(v+1) {
		v++ // a scalar in a V register
	}
	for n := v + 1; int(n) < len(c.f.Insts); n++ {
		g, set, ok := c.guestOf(c.f.Insts[n])
		if !ok || !set {
			break
		}
		if c.f.Insts[n].B() == v && c.vals[n].form != formSkip {
			return g
		}
	}
	return -1
}

// takeOver frees the register of what only waits for the guest register that is SET
// to the current instruction's result v next, so that v may have it: around loops it
// is where v has to go. Nothing can look at the guest's registers in between.
func (c *compiler) takeOver(v ir.Value) {
	if v != c.at || c.f.Insts[v].Op().Has(observes) {
		return
	}
	if w, ok := c.overwritten(v); ok && !c.fileOf(w).Locked(uint8(c.vals[w].reg)) {
		c.unset(c.setNext(v))
	}
}

func lowerLoadS(c *compiler, v ir.Value, in ir.Inst) {
	c.loadS(v, in, c.address(in.A(), in.B()), int(c.f.ImmOf(in.C())))
}

// signed returns the sign extension that is all that is done with the value that a load
// gives: the offsets in tables of switches are extended with zeros first, and then with
// the sign.
func (c *compiler) signed(v ir.Value) (ir.Value, bool) {
	const near = 8 // the register is taken from the load on
	s := c.vals[v].user
	return s, c.mayWait(v) && c.f.Insts[s].Op() == ir.OpSext && c.f.TypeOf(v) != ir.I1 && s <= v+near && !c.vals[s].early
}

// loadS loads n bits with their sign into v, in being the load.
func (c *compiler) loadS(v ir.Value, in ir.Inst, m x64.Mem, n int) {
	t := c.f.TypeOf(v)
	if v != c.at || !c.loadOver(v) {
		c.overR(v, in.A(), in.B())
		c.mayFault()
	}
	d := x64.Reg(c.vals[v].reg)
	switch {
	case n == 8 && t == ir.I64:
		c.b.RM(x64.MOVSBQ, d, m)
	case n == 8:
		c.b.RM(x64.MOVSBL, d, m)
	case n == 16 && t == ir.I64:
		c.b.RM(x64.MOVSWQ, d, m)
	case n == 16:
		c.b.RM(x64.MOVSWL, d, m)
	case n == 32 && t == ir.I64:
		c.b.RM(x64.MOVSLQ, d, m)
	default:
		c.loadR(d, m, t)
	}
	c.done(v)
}

func lowerStore(c *compiler, v ir.Value, in ir.Inst) {
	a := in.A()
	t := c.f.TypeOf(a)
	if t.InXMM() {
		c.storeXAt(a, in, t)
		return
	}
	if imm, ok := c.const32(a, t); ok {
		m := c.address(in.B(), in.C())
		c.mayFault()
		c.b.MI(exact(x64.MOVB, t), m, imm)
		return
	}
	r := c.useR(a)
	m := c.address(in.B(), in.C())
	c.mayFault()
	c.b.MR(exact(x64.MOVB, t), m, r)
}

func (c *compiler) storeXAt(a ir.Value, in ir.Inst, t ir.Type) {
	x := c.useX(a)
	m := c.address(in.B(), in.C())
	c.mayFault()
	c.storeX(m, x, t)
}

// lowerStoreR: XCHG is a store and a full barrier. Vectors take a store and the
// barrier apart.
func lowerStoreR(c *compiler, v ir.Value, in ir.Inst) {
	a := in.A()
	t := c.f.TypeOf(a)
	if t.InXMM() {
		c.clobber()
		c.storeXAt(a, in, t)
		c.barrier()
		return
	}
	m := c.address(in.B(), in.C())
	r := c.tempR()
	c.loadInto(r, a)
	c.mayFault()
	c.b.MR(exact(x64.XCHGB, t), m, r)
}

// barrier orders all earlier stores before all later loads: a locked operation on
// the native stack is cheaper than MFENCE and, between plain accesses, as strong.
func (c *compiler) barrier() {
	c.b.LockMI(x64.ORL, x64.At(rStack, 0), 0)
}

// lowerFence: x86 reorders stores before loads only, so only the full barrier
// needs an instruction.
func lowerFence(c *compiler, v ir.Value, in ir.Inst) {
	if c.f.ImmOf(in.A()) == ir.FenceAll {
		c.clobber()
		c.barrier()
	}
}

// prefetches are the host's instructions for PREFETCH, by its number.
var prefetches = [...]x64.Op{x64.PREFETCHT0, x64.PREFETCHT1, x64.PREFETCHT2, x64.PREFETCHNTA}

func lowerPrefetch(c *compiler, v ir.Value, in ir.Inst) {
	c.b.M(prefetches[c.f.ImmOf(in.C())&3], c.address(in.A(), in.B()))
}
