package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

// Lazy values. Most condition flags are overwritten before anybody reads them, and
// most scalars in V registers are never read as vectors, but until then a fault
// or an exit may have to tell them. So they are kept as an operation and its
// operands, which stay alive as long as the value: a recipe names both, cold code
// and recovery do the operation, and hot code only where it really needs the
// result (Probst, Krall, Scholz, "Register Liveness Analysis for Optimizing
// Dynamic Binary Translation", 2002, has the idea for flags).
//
// A lazy value may be in a register or the host's flags as well.

// lazyVal is how a lazy value is made.
type lazyVal struct {
	op   host.Compute
	bits uint8
	a, b ir.Value // roots or constants; b may be None
	// ComputeSelect: the lazy flags a where condition bits of the lazy flags b holds,
	// the constant flags other else. b may be a truth value too, and bits are 1 or 0, NE
	// or EQ, then.
	other uint64
}

// keepLazy notes that v is a op b at the width of n bits and keeps a and b alive
// as long as v.
func (c *compiler) keepLazy(v ir.Value, op host.Compute, n int, a, b ir.Value) {
	if len(c.lazies) > 1<<16-1 {
		return
	}
	p := &c.vals[v]
	l := lazyVal{op: op, bits: uint8(n), a: c.root(a), b: b}
	if b != ir.None {
		l.b = c.root(b)
	}
	c.lazies = append(c.lazies, l)
	p.lazy, p.form = uint16(len(c.lazies)-1), formHere
	for _, o := range [2]ir.Value{l.a, l.b} {
		if o.IsSSA() {
			q := &c.vals[o]
			q.uses++
			q.kept++
		}
	}
	c.usedUntil(v)
	c.recipeStale = true
}

// usedUntil makes the operands of the lazy value v be needed until v is.
func (c *compiler) usedUntil(v ir.Value) {
	p := &c.vals[v]
	if p.lazy == 0 || p.user == ir.None {
		return
	}
	l := &c.lazies[p.lazy]
	for _, o := range [2]ir.Value{l.a, l.b} {
		if o.IsSSA() {
			if q := &c.vals[o]; q.user == ir.None || p.user > q.user {
				q.user = p.user
				c.usedUntil(o)
			}
		}
	}
}

// endLazy lets go of the operands of v, which is dead.
func (c *compiler) endLazy(v ir.Value) {
	l := c.lazies[c.vals[v].lazy]
	c.vals[v].lazy = 0
	for _, o := range [2]ir.Value{l.a, l.b} {
		if o.IsSSA() {
			c.vals[o].kept--
			c.release(o)
		}
	}
}

// keptByFlags counts how often the pending flags keep v alive if nothing but the
// guest's NZCV needs them and the current instruction's SETs replace that.
func (c *compiler) keptByFlags(v ir.Value) (n int32) {
	w, ok := c.pending(int(host.GuestNZCV))
	if !ok || !w.IsSSA() {
		return 0
	}
	p := &c.vals[w]
	if p.lazy == 0 || p.uses > 0 || p.pend != 1 || !c.setsFlags() {
		return 0
	}
	l := &c.lazies[p.lazy]
	return int32(b2i(l.a == v) + b2i(l.b == v))
}

// setsFlags reports whether the guest's NZCV is SET after the current instruction
// before anything can look at it.
func (c *compiler) setsFlags() bool {
	if c.now || c.f.Insts[c.at].Op().Has(observes|ir.FPStatus|ir.SetsQC) {
		return false
	}
	for n := c.at + 1; int(n) < len(c.f.Insts); n++ {
		switch op := c.f.Insts[n].Op(); {
		case c.vals[n].early, op == ir.OpNop, op == ir.OpSetX:
		case op == ir.OpSetNZCV:
			return c.vals[n].form != formSkip
		default:
			return false
		}
	}
	return false
}

// onlySet reports whether all that is done with v is a SET.
func (c *compiler) onlySet(v ir.Value) bool {
	p := &c.vals[v]
	return p.uses == 1 && p.user != ir.None && c.f.Insts[p.user].Op() == ir.OpSetV
}

// isLazy reports whether the lazy value v has to be made before it can be used.
func (c *compiler) isLazy(v ir.Value) bool {
	p := &c.vals[v]
	return p.lazy != 0 && p.reg < 0 && p.slot < 0 && c.fl.v != v
}

// widthOf is the integer type of n bits.
func widthOf(n uint8) ir.Type {
	switch n {
	case 8:
		return ir.I8
	case 16:
		return ir.I16
	case 32:
		return ir.I32
	}
	return ir.I64
}

// relive does the operation of the lazy flags v, which become the host's.
func (c *compiler) relive(v ir.Value) {
	l := c.lazies[c.vals[v].lazy]
	t := widthOf(l.bits)
	kind := host.LocFlagsSub
	locks, xlocks := c.g.Locks(), c.x.Locks()
	switch l.op {
	case host.ComputeSub:
		c.compare(l.a, l.b, t)
	case host.ComputeSubOf:
		c.clobber()
		d := c.tempR()
		if imm, ok := c.const32(l.b, t); ok {
			c.b.RM(wide(x64.LEAL, t), d, x64.At(c.useR(l.a), imm))
			c.b.RI(exact(x64.CMPB, t), d, imm)
			break
		}
		a, b := c.useR(l.a), c.useR(l.b)
		c.b.RM(wide(x64.LEAL, t), d, x64.AtIndex(a, b, 1, 0))
		c.b.RR(exact(x64.CMPB, t), d, b)
	case host.ComputeAdd, host.ComputeAddOf:
		kind = host.LocFlagsAdd
		c.clobber()
		d := c.tempR()
		a := c.useR(l.a)
		c.moveR(d, a, t)
		imm, isImm := c.const32(l.b, t)
		var b x64.Reg
		if !isImm {
			b = c.useR(l.b)
		}
		ops := []x64.Op{x64.ADDL}
		if l.op == host.ComputeAddOf {
			ops = []x64.Op{x64.SUBL, x64.ADDL}
		}
		for _, op := range ops {
			if isImm {
				c.b.RI(wide(op, t), d, imm)
			} else {
				c.b.RR(wide(op, t), d, b)
			}
		}
	case host.ComputeAnd:
		kind = host.LocFlagsAdd
		c.testBoth(l.a, l.b, t)
	case host.ComputeFCmp:
		kind = host.LocFlagsFCmp
		c.clobber()
		k := kF64
		if l.bits == 32 {
			k = kF32
		}
		a := c.useX(l.a)
		c.v2s(fpUcom[k], a, inReg(c.useX(l.b)))
	case host.ComputeSelect:
		c.reliveSelect(v, l)
		return
	case host.ComputeLane:
		c.reliveLane(v, l)
		return
	default:
		panic("BUG: amd64: lazy flags of no known operation")
	}
	c.g.SetLocks(locks) // one of the operands may be in RAX, where flags are packed
	c.x.SetLocks(xlocks)
	c.setFlags(v, kind)
}

// reliveSelect does the operation of lazy flags that are one of two: packed, in a
// register.
func (c *compiler) reliveSelect(v ir.Value, l lazyVal) {
	c.clobber() // for whatever instruction it is, whose own condition may be in the host's flags
	a := c.useR(l.a)
	d := c.tempR()
	c.b.MovImm(d, l.other)
	var cc x64.Cond
	if c.f.Types[l.b] == ir.Flags {
		cc = c.flagCond(l.b, int(l.bits))
	} else if cc = c.cond(l.b); l.bits == 0 {
		cc = cc.Invert()
	}
	c.b.CMovRR(x64.CMOVL, cc, d, a)
	c.bindR(v, d)
}

// selectLazy makes the SELECT v of flags a lazy value if it is as CCMP makes them: of
// lazy flags and a constant.
func (c *compiler) selectLazy(v ir.Value, in ir.Inst) bool {
	a, k := c.root(in.B()), c.root(in.C())
	n := uint64(1) // NE
	if a.IsConst() {
		a, k, n = k, a, 0
	}
	b := c.root(in.A())
	if !k.IsConst() || !b.IsSSA() || !c.computed(a) {
		return false
	}
	if cond, ok := c.waiting(b); ok && cond.Op() == ir.OpFlagCond && c.computed(c.root(cond.A())) {
		b, n = c.root(cond.A()), c.f.ImmOf(cond.B())^(1-n)
		if c.lazies[c.vals[b].lazy].op == host.ComputeFCmp {
			return false
		}
	} else if b = c.ready(b); !b.IsSSA() {
		return false
	} else {
		c.useR(b) // not in the host's flags
	}
	c.keepLazy(v, host.ComputeSelect, int(n), a, b)
	if c.vals[v].lazy == 0 {
		return false
	}
	c.lazies[c.vals[v].lazy].other = c.constBits(k)
	return true
}

// computed reports whether v is a lazy value.
func (c *compiler) computed(v ir.Value) bool { return v.IsSSA() && c.vals[v].lazy != 0 }

// reliveX does the operation of a lazy value in a vector register: zeros above a
// scalar.
func (c *compiler) reliveX(v ir.Value) x64.Xmm {
	l := c.lazies[c.vals[v].lazy]
	s := c.useX(l.a)
	r := c.tempX()
	c.zeroAbove(r, s, l.bits)
	c.bindX(v, r)
	c.zero(v, l.bits)
	return r
}

// zeroAbove makes d the low n bits, 32 or 64, of s.
func (c *compiler) zeroAbove(d, s x64.Xmm, n uint8) {
	switch {
	case n == 64:
		c.v2(x64.MOVQX, d, s)
	case c.avx():
		c.b.XXXI(x64.VINSERTPS, d, s, s, 0x0e)
	default:
		c.b.XXI(x64.INSERTPS, d, s, 0x0e)
	}
}

// locateLazy says how to make the lazy value v.
func (c *compiler) locateLazy(v ir.Value) host.Loc {
	l := &c.lazies[c.vals[v].lazy]
	if l.op == host.ComputeLow || l.op == host.ComputeLane {
		a := c.locate(l.a)
		a.Bits = l.bits
		lane := l.op == host.ComputeLane
		switch {
		case a.Kind == host.LocXMM && lane:
			a.Kind = host.LocXMMLane
		case a.Kind == host.LocSpill && lane:
			a.Kind = host.LocSpillLane
		case a.Kind == host.LocXMM:
			a.Kind = host.LocXMMLow
		case a.Kind == host.LocSpill:
			a.Kind = host.LocSpillLow
		default:
			panic("BUG: amd64: a lazy scalar is neither in a vector register nor in a slot")
		}
		return a
	}
	if l.op == host.ComputeSelect {
		s := host.Select{A: c.locateLazy(l.a), Other: l.other}
		if c.f.Types[l.b] == ir.Flags {
			s.Of = c.locateLazy(l.b)
		} else {
			s.Of = host.Loc{Kind: host.LocCompute, Op: host.ComputeAnd, Bits: 8, A: operand(c.locate(l.b)), B: host.Operand{Kind: host.LocConst, Const: 1}}
		}
		c.selects = append(c.selects, s)
		return host.Loc{Kind: host.LocCompute, Op: l.op, Bits: l.bits, Select: &c.selects[len(c.selects)-1]}
	}
	to := host.Loc{Kind: host.LocCompute, Op: l.op, Bits: l.bits, A: operand(c.locate(l.a))}
	if l.b != ir.None {
		to.B = operand(c.locate(l.b))
	}
	return to
}

func operand(l host.Loc) host.Operand {
	return host.Operand{Kind: l.Kind, Index: l.Index, Const: l.Lo}
}

// storeLow stores a lazy scalar to a V register.
func (c *compiler) storeLow(m x64.Mem, v ir.Value) {
	l := c.lazies[c.vals[v].lazy]
	c.storeLowOf(m, c.useX(l.a), l.bits)
}

func (c *compiler) storeLowOf(m x64.Mem, s x64.Xmm, n uint8) {
	if n == 32 {
		c.b.MX(x64.MOVSS, m, s)
		c.b.MI(x64.MOVL, m.Add(4), 0)
	} else {
		c.b.MX(x64.MOVQX, m, s)
	}
	c.b.MI(x64.MOVQ, m.Add(8), 0)
}
