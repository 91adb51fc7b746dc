package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

// wide gives the 64-bit form of an instruction whose 32-bit form is op if t is
// I64. Narrower types use the 32-bit form: their upper bits mean nothing.
func wide(op x64.Op, t ir.Type) x64.Op {
	if t != ir.I64 {
		return op
	}
	if op >= x64.ANDNL && op <= x64.MULXL {
		return op + (x64.ANDNQ - x64.ANDNL)
	}
	return op + 1
}

// exact gives the form of an instruction whose 8-bit form is op for the width of
// t. Those of 16, 32 and 64 bits follow it in the assembler's table.
func exact(op x64.Op, t ir.Type) x64.Op {
	switch t {
	case ir.I8, ir.I1:
		return op
	case ir.I16:
		return op + 1
	case ir.I32:
		return op + 2
	}
	return op + 3
}

// done notes what is known of the upper bits of a result computed at the width
// of its type by a 32- or 64-bit instruction.
func (c *compiler) done(v ir.Value) {
	if c.f.TypeOf(v) == ir.I32 {
		c.zero(v, 32)
	}
}

// flagsLive reports whether the host's flags hold something that would have to
// be packed.
func (c *compiler) flagsLive() bool {
	if c.fl.v == ir.None {
		return false
	}
	p := &c.vals[c.fl.v]
	return (p.uses > 0 || p.pend > 0) && p.reg < 0 && p.slot < 0 && p.lazy == 0
}

// flagsWanted reports whether the host's flags hold something that will be used, so that
// an instruction that leaves them alone had better be chosen.
func (c *compiler) flagsWanted() bool {
	return c.flagsLive() || c.fl.v != ir.None && c.vals[c.fl.v].uses > 0
}

// partner finds an instruction op with the operands of in shortly after v, to be
// done together with it.
func (c *compiler) partner(v ir.Value, op ir.Op, in ir.Inst) (ir.Value, bool) {
	if c.now || c.opt.NoFold {
		return 0, false
	}
	last := min(int(v)+8, len(c.f.Insts)-1)
	for j := v + 1; int(j) <= last && c.vals[j].region == c.vals[v].region; j++ {
		o := c.f.Insts[j]
		if o.Op() != op || c.vals[j].form != formNone || c.vals[j].early {
			continue
		}
		if o.A() == in.A() && o.B() == in.B() && o.C() == in.C() ||
			op.Has(ir.Commutes) && o.A() == in.B() && o.B() == in.A() && o.C() == in.C() {
			return j, true
		}
	}
	return 0, false
}

// absorb ends the uses of instruction j, which is done together with the current
// one; its own turn will do nothing.
func (c *compiler) absorb(j ir.Value) {
	in := c.f.Insts[j]
	for k := range 3 {
		if a := c.root(in.Arg(k)); a.IsSSA() {
			c.vals[a].uses--
		}
	}
	c.vals[j].early = true
}

// arith emits v = a op b with a two-operand instruction that changes the flags,
// which become those of f if that is not None. v may be None too.
func (c *compiler) arith(op x64.Op, v, f, a, b ir.Value, t ir.Type, kind host.LocKind) {
	c.clobber()
	c.ready(a)
	c.ready(b)
	over := c.dies(a) // the result takes its place
	op = wide(op, t)
	imm, isImm := c.const32(b, t)
	var rb, d x64.Reg
	m, inMemory := c.inMemory(b)
	if !isImm && !inMemory {
		rb = c.useR(b)
	}
	if v != ir.None {
		d = c.copyR(v, a)
		if t == ir.I32 {
			c.zero(v, 32)
		}
	} else {
		d = c.scratchR(a)
	}
	switch {
	case isImm:
		c.b.RI(op, d, imm)
	case inMemory:
		c.b.RM(op, d, m)
	default:
		c.b.RR(op, d, rb)
	}
	if f == ir.None {
		return
	}
	c.setFlags(f, kind)
	sub := kind == host.LocFlagsSub
	switch {
	case !over:
		c.keepLazy(f, pick(sub, host.ComputeSub, host.ComputeAdd), t.Bits(), a, b)
	case c.root(a) != c.root(b):
		c.keepLazy(f, pick(sub, host.ComputeSubOf, host.ComputeAddOf), t.Bits(), v, b)
	}
}

func pick(first bool, a, b host.Compute) host.Compute {
	if first {
		return a
	}
	return b
}

func lowerAdd(c *compiler, v ir.Value, in ir.Inst) {
	t, a, b := c.f.TypeOf(v), in.A(), in.B()
	if f, ok := c.partner(v, ir.OpAddF, in); ok {
		c.absorb(f)
		c.arith(x64.ADDL, v, f, a, b, t, host.LocFlagsAdd)
		return
	}
	if t == ir.I64 && c.addresses(v) {
		if _, ok := c.const32(b, t); ok && c.laterOften(v) || c.later(v) {
			return
		}
	}
	if c.undone(v, in) && c.later(v) {
		return
	}
	c.add(v, a, b, t)
}

// undone reports whether v = a op b is there for the flags of its reverse only, which are made
// of v and b, or a if op is ADD (opt.Remat): those are kept as of the other one and that.
func (c *compiler) undone(v ir.Value, in ir.Inst) bool {
	p := &c.vals[v]
	if p.user == ir.None {
		return false
	}
	u := c.f.Insts[p.user]
	if u.A() != v || u.Op() != ir.OpSubF && u.Op() != ir.OpAddF {
		return false
	}
	_, ok := c.reverses(in, u.Op(), u.B())
	return ok
}

// reverses returns x if in is x + b and op SUBF, or x - b and ADDF.
func (c *compiler) reverses(in ir.Inst, op ir.Op, b ir.Value) (x ir.Value, ok bool) {
	x, y := c.root(in.A()), c.root(in.B())
	b = c.root(b)
	switch {
	case op == ir.OpSubF && in.Op() != ir.OpAdd, op == ir.OpAddF && in.Op() != ir.OpSub:
		return ir.None, false
	case y == b:
	case x == b && op == ir.OpSubF:
		x = y
	default:
		return ir.None, false
	}
	return x, x.IsSSA() && x != b
}

// undo returns what the operation was done to that undone has put off as v.
func (c *compiler) undo(v ir.Value, op ir.Op, b ir.Value) (x ir.Value, ok bool) {
	in, ok := c.waiting(v)
	if !ok {
		return ir.None, false
	}
	if x, ok = c.reverses(in, op, b); ok {
		x = c.ready(x)
	}
	return x, ok && x.IsSSA()
}

// add emits v = a + b without regard for flags.
func (c *compiler) add(v, a, b ir.Value, t ir.Type) {
	if c.root(a).IsConst() {
		a, b = b, a
	}
	for _, o := range [2][2]ir.Value{{a, b}, {b, a}} {
		if in, ok := c.waiting(o[1]); ok && in.Op() == ir.OpShl {
			c.addScaled(v, o[0], o[1], t)
			return
		}
	}
	c.ready(a)
	c.ready(b)
	if !c.flagsWanted() && (c.canTake(a) || c.canTake(b)) && !c.movesOn(v, a, b) {
		if !c.canTake(a) {
			a, b = b, a
		}
		c.arith(x64.ADDL, v, ir.None, a, b, t, 0)
		return
	}
	ra := c.useR(a)
	m := x64.Mem{Base: ra}
	if imm, ok := c.const32(b, t); ok {
		m.Disp = imm
	} else {
		m.Index, m.Scale = c.useR(b), 1
	}
	c.b.RM(wide(x64.LEAL, t), c.overR(v, a, b), m)
	c.done(v)
}

// movesOn reports whether v had better be in a register that neither a nor b is in.
func (c *compiler) movesOn(v, a, b ir.Value) bool {
	r := c.hintOf(v)
	for _, o := range [2]ir.Value{c.root(a), c.root(b)} {
		if o.IsSSA() && c.vals[o].reg == r {
			return false
		}
	}
	_, ok := c.better(v)
	return ok
}

// isSummand reports whether v is there for an addition that LEA does.
func (c *compiler) isSummand(v ir.Value) bool {
	user := c.vals[v].user
	if user == ir.None {
		return false
	}
	in := c.f.Insts[user]
	if in.Op() != ir.OpAdd || c.f.TypeOf(user).IsVec() || c.undone(user, in) {
		return false
	}
	_, ok := c.partner(user, ir.OpAddF, in)
	return !ok
}

// addScaled emits v = a + s, a shift that was put off.
func (c *compiler) addScaled(v, a, s ir.Value, t ir.Type) {
	shift, ends := c.f.Insts[c.root(s)], c.dies(s)
	k, _ := c.constI(shift.B())
	c.ready(a)
	x := c.root(shift.A())
	m := x64.Mem{Base: x64.NoBase, Index: c.useR(x), Scale: 1 << k}
	if imm, ok := c.const32(a, t); ok {
		m.Disp = imm
	} else {
		m.Base = c.useR(a)
	}
	if ends {
		c.cur[0], c.cur[1] = c.root(a), x
	}
	c.b.RM(wide(x64.LEAL, t), c.overR(v, x, a), m)
	c.done(v)
}

func lowerSub(c *compiler, v ir.Value, in ir.Inst) {
	t, a, b := c.f.TypeOf(v), in.A(), in.B()
	if f, ok := c.partner(v, ir.OpSubF, in); ok {
		c.absorb(f)
		c.sub(v, f, a, b, t)
		return
	}
	if c.undone(v, in) && c.later(v) {
		return
	}
	if imm, ok := c.const32(b, t); ok && imm != -1<<31 && (c.flagsWanted() || !c.canTake(a)) && !c.root(a).IsConst() {
		ra := c.useR(a)
		c.b.RM(wide(x64.LEAL, t), c.overR(v, a, ir.None), x64.At(ra, -imm))
		c.done(v)
		return
	}
	c.sub(v, ir.None, a, b, t)
}

// sub emits v = a - b with flags f; either may be None.
func (c *compiler) sub(v, f, a, b ir.Value, t ir.Type) {
	if k, ok := c.constI(a); ok && k == 0 && v != ir.None {
		c.clobber()
		c.ready(b)
		over := c.dies(b)
		d := c.copyR(v, b)
		c.b.R(wide(x64.NEGL, t), d)
		c.done(v)
		if f == ir.None {
			return
		}
		c.setFlags(f, host.LocFlagsSub)
		if !over {
			c.keepLazy(f, host.ComputeSub, t.Bits(), a, b)
		}
		return
	}
	if v == ir.None {
		c.ready(b)
		if r, ok := c.undo(a, ir.OpSubF, b); ok {
			c.keepLazy(f, host.ComputeSubOf, t.Bits(), r, b)
			return
		}
		c.ready(a)
		c.keepLazy(f, host.ComputeSub, t.Bits(), a, b)
		return
	}
	c.arith(x64.SUBL, v, f, a, b, t, host.LocFlagsSub)
}

// compare sets the host's flags as of a - b at the width of t.
func (c *compiler) compare(a, b ir.Value, t ir.Type) {
	c.clobber()
	imm, ok := c.const32(b, t)
	if !ok {
		if m, ok := c.inMemory(b); ok {
			c.b.RM(exact(x64.CMPB, t), c.useR(a), m)
			return
		}
		rb := c.useR(b)
		c.b.RR(exact(x64.CMPB, t), c.useR(a), rb)
		return
	}
	ra := c.useR(a)
	if imm == 0 {
		c.b.RR(exact(x64.TESTB, t), ra, ra)
		return
	}
	c.b.RI(exact(x64.CMPB, t), ra, imm)
}

func lowerAddF(c *compiler, v ir.Value, in ir.Inst) {
	t := c.f.TypeOf(in.A())
	if s, ok := c.partner(v, ir.OpAdd, in); ok {
		c.absorb(s)
		c.arith(x64.ADDL, s, v, in.A(), in.B(), t, host.LocFlagsAdd)
		return
	}
	c.ready(in.B())
	if r, ok := c.undo(in.A(), ir.OpAddF, in.B()); ok {
		c.keepLazy(v, host.ComputeAddOf, t.Bits(), r, in.B())
		return
	}
	c.ready(in.A())
	c.keepLazy(v, host.ComputeAdd, t.Bits(), in.A(), in.B())
}

func lowerSubF(c *compiler, v ir.Value, in ir.Inst) {
	t := c.f.TypeOf(in.A())
	if s, ok := c.partner(v, ir.OpSub, in); ok {
		c.absorb(s)
		c.sub(s, v, in.A(), in.B(), t)
		return
	}
	c.sub(ir.None, v, in.A(), in.B(), t)
}

// carryPair gives the other result of ADC, SBC, ADCF and SBCF.
var carryPair = [...]ir.Op{ir.OpAdcF, ir.OpSbcF, ir.OpAdc, ir.OpSbc}

// lowerAdc: ADC, SBC and their flags. A64's carry of a subtraction is the
// opposite of the host's.
func lowerAdc(c *compiler, v ir.Value, in ir.Inst) {
	t, op := c.f.TypeOf(in.A()), in.Op()
	sub := op == ir.OpSbc || op == ir.OpSbcF
	sum, flags := v, ir.None
	wantsFlags := op == ir.OpAdcF || op == ir.OpSbcF
	other := ir.None
	if j, ok := c.partner(v, carryPair[op-ir.OpAdc], in); ok {
		c.absorb(j)
		other = j
	}
	if wantsFlags {
		sum, flags = other, v
	} else {
		flags = other
	}
	x, kind := x64.ADCL, host.LocFlagsAdd
	if sub {
		x, kind = x64.SBBL, host.LocFlagsSub
	}
	x = wide(x, t)
	a, b := in.A(), in.B()
	c.ready(a)
	c.ready(b)
	imm, isImm := c.const32(b, t)
	var rb, d x64.Reg
	if !isImm {
		rb = c.useR(b)
	}
	if sum != ir.None {
		d = c.copyR(sum, a)
		if t == ir.I32 {
			c.zero(sum, 32)
		}
	} else {
		d = c.scratchR(a)
	}
	c.carry(in.C(), sub)
	if isImm {
		c.b.RI(x, d, imm)
	} else {
		c.b.RR(x, d, rb)
	}
	if flags != ir.None {
		c.setFlags(flags, kind)
	}
}

func lowerNeg(c *compiler, v ir.Value, in ir.Inst) {
	c.clobber()
	c.b.R(wide(x64.NEGL, c.f.TypeOf(v)), c.copyR(v, in.A()))
	c.done(v)
}

func lowerAbs(c *compiler, v ir.Value, in ir.Inst) {
	t := c.f.TypeOf(v)
	c.clobber()
	a := c.useR(in.A())
	d := c.defR(v)
	c.moveR(d, a, t)
	c.b.R(wide(x64.NEGL, t), d)
	c.b.CMovRR(wide(x64.CMOVL, t), x64.S, d, a)
	c.done(v)
}
