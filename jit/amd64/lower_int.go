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

// partner finds an instruction op with the operands of in shortly after v, to be
// done together with it.
func (c *compiler) partner(v ir.Value, op ir.Op, in ir.Inst) (ir.Value, bool) {
	if c.now || c.opt.NoFold || c.f.TypeOf(in.A()).Bits() < 32 {
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
	slot, inSlot := c.inSlot(b)
	if !isImm && !inSlot {
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
	case inSlot:
		c.b.RM(op, d, slot)
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
	if t == ir.I64 && c.addresses(v) && c.later(v) {
		return
	}
	c.add(v, a, b, t)
}

// add emits v = a + b without regard for flags.
func (c *compiler) add(v, a, b ir.Value, t ir.Type) {
	if c.root(a).IsConst() {
		a, b = b, a
	}
	c.ready(a)
	c.ready(b)
	if !c.flagsLive() && (c.canTake(a) || c.canTake(b)) {
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

func lowerSub(c *compiler, v ir.Value, in ir.Inst) {
	t, a, b := c.f.TypeOf(v), in.A(), in.B()
	if f, ok := c.partner(v, ir.OpSubF, in); ok {
		c.absorb(f)
		c.sub(v, f, a, b, t)
		return
	}
	if imm, ok := c.const32(b, t); ok && imm != -1<<31 && (c.flagsLive() || !c.canTake(a)) && !c.root(a).IsConst() {
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
		c.ready(a)
		c.ready(b)
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
		if m, ok := c.inSlot(b); ok {
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
	if t.Bits() < 32 {
		viaGo(c, v, in)
		return
	}
	c.ready(in.A())
	c.ready(in.B())
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
	if t.Bits() < 32 {
		viaGo(c, v, in)
		return
	}
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
	c.arith(op, v, ir.None, a, b, t, 0)
	if t.Bits() >= 32 {
		c.flOf = resultFlags{v, t.Bits(), true}
	}
}

func lowerAnd(c *compiler, v ir.Value, in ir.Inst) {
	t := c.f.TypeOf(v)
	p := &c.vals[v]
	if p.user != ir.None {
		// TST, or a test for zero: its user needs no result.
		u := c.f.Insts[p.user]
		if (u.Op() == ir.OpNZ || u.Op() == ir.OpICmp && c.testsZero(u, v)) && t.Bits() >= 32 && c.later(v) {
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
		c.flOf = resultFlags{v, t.Bits(), t.Bits() >= 32}
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

func lowerNeg(c *compiler, v ir.Value, in ir.Inst) {
	c.clobber()
	c.b.R(wide(x64.NEGL, c.f.TypeOf(v)), c.copyR(v, in.A()))
	c.done(v)
}

func lowerAbs(c *compiler, v ir.Value, in ir.Inst) {
	t := c.f.TypeOf(v)
	if t.Bits() < 32 {
		viaGo(c, v, in)
		return
	}
	c.clobber()
	a := c.useR(in.A())
	d := c.defR(v)
	c.moveR(d, a, t)
	c.b.R(wide(x64.NEGL, t), d)
	c.b.CMovRR(wide(x64.CMOVL, t), x64.S, d, a)
	c.done(v)
}

func minmax(cc x64.Cond) lowerFn {
	return func(c *compiler, v ir.Value, in ir.Inst) {
		t := c.f.TypeOf(v)
		if t.Bits() < 32 {
			viaGo(c, v, in)
			return
		}
		c.clobber()
		b := c.useR(in.B())
		d := c.copyR(v, in.A())
		c.b.RR(wide(x64.CMPL, t), b, d)
		c.b.CMovRR(wide(x64.CMOVL, t), cc, d, b)
		c.done(v)
	}
}

// icmpCond maps ir.Cond.
var icmpCond = [...]x64.Cond{
	ir.EQ: x64.EQ, ir.NE: x64.NE,
	ir.ULT: x64.B, ir.ULE: x64.BE, ir.UGT: x64.A, ir.UGE: x64.AE,
	ir.SLT: x64.LT, ir.SLE: x64.LE, ir.SGT: x64.GT, ir.SGE: x64.GE,
}

// swapped maps a condition to that of exchanged operands.
var swapped = [...]ir.Cond{
	ir.EQ: ir.EQ, ir.NE: ir.NE,
	ir.ULT: ir.UGT, ir.ULE: ir.UGE, ir.UGT: ir.ULT, ir.UGE: ir.ULE,
	ir.SLT: ir.SGT, ir.SLE: ir.SGE, ir.SGT: ir.SLT, ir.SGE: ir.SLE,
}

func lowerICmp(c *compiler, v ir.Value, in ir.Inst) {
	a, b, cc := in.A(), in.B(), ir.Cond(c.f.ImmOf(in.C()))
	t := c.f.TypeOf(a)
	if t == ir.I1 {
		viaGo(c, v, in)
		return
	}
	if c.root(a).IsConst() {
		a, b, cc = b, a, swapped[cc]
	}
	if k, ok := c.constI(b); ok && k == 0 && (cc == ir.EQ || cc == ir.NE) {
		c.test(a, t)
	} else {
		c.compare(a, b, t)
	}
	c.setBool(v, icmpCond[cc])
}

// lowerSelect: CMOV, or SETcc for 1 and 0.
func lowerSelect(c *compiler, v ir.Value, in ir.Inst) {
	t := c.f.TypeOf(v)
	a, b := in.B(), in.C()
	if t.InXMM() {
		c.selectX(v, in)
		return
	}
	if t == ir.I1 && c.selectBool(v, in) || t == ir.Flags && c.selectLazy(v, in) {
		return
	}
	if t == ir.Flags {
		// A value in the host's flags has to leave them before the condition comes.
		c.toReg(a)
		c.toReg(b)
	}
	ka, oka := c.constI(a)
	kb, okb := c.constI(b)
	if oka && okb && t != ir.Flags && t != ir.I1 && (ka == 1 && kb == 0 || ka == 0 && kb == 1) {
		cc := c.cond(in.A())
		if ka == 0 {
			cc = cc.Invert()
		}
		r := c.defR(v)
		c.b.SetR(cc, r)
		c.b.RR(x64.MOVZBL, r, r)
		c.zero(v, 8)
		return
	}
	c.ready(a)
	c.ready(b)
	ra := c.useR(a)
	rb := c.useR(b)
	if c.dies(a) && !c.root(a).IsConst() && !c.canTake(b) && c.root(a) != c.root(in.A()) {
		// Keep the true value and move the other one over it when false.
		cc := c.cond(in.A())
		c.take(v, c.root(a))
		c.b.CMovRR(x64.CMOVQ, cc.Invert(), ra, rb)
		return
	}
	cc := c.cond(in.A())
	var d x64.Reg
	if c.root(b).IsConst() {
		d = rb // a scratch register that holds the constant
		c.bindR(v, d)
	} else {
		d = c.copyQ(v, b)
	}
	c.b.CMovRR(x64.CMOVQ, cc, d, ra)
}

// selectBool lowers the SELECT v of truth values of which one is known: an AND or OR
// of the condition, perhaps inverted, and the other one. It reports whether that is so.
func (c *compiler) selectBool(v ir.Value, in ir.Inst) bool {
	known, ok := c.constI(in.C())
	x, invert := in.B(), known != 0
	if !ok {
		if known, ok = c.constI(in.B()); !ok {
			return false
		}
		x, invert = in.C(), known == 0
	}
	if _, ok := c.constI(x); ok {
		return false
	}
	if c.fl.v == c.root(x) {
		c.useR(x) // it has to leave the host's flags before the condition comes
	}
	cc := c.cond(in.A())
	if invert {
		cc = cc.Invert()
	}
	t := c.tempR()
	c.b.SetR(cc, t)
	cc = c.cond(x)
	d := c.defR(v)
	c.b.SetR(cc, d)
	c.dropFlags()
	if known != 0 {
		c.b.RR(x64.ORB, d, t)
	} else {
		c.b.RR(x64.ANDB, d, t)
	}
	c.setBool(v, x64.NE)
	return true
}

// copyQ is copyR of all 64 bits, whatever the type.
func (c *compiler) copyQ(v, a ir.Value) x64.Reg {
	a = c.root(a)
	s := c.useR(a)
	if c.dies(a) {
		c.take(v, a)
		return s
	}
	r := c.defR(v)
	c.b.RR(x64.MOVQ, r, s)
	return r
}

// toReg packs a Flags operand that is in the host's flags.
func (c *compiler) toReg(a ir.Value) {
	if a = c.root(a); a.IsSSA() {
		c.useR(a)
	}
}

// selectX branches around a move: the host has no conditional vector move.
func (c *compiler) selectX(v ir.Value, in ir.Inst) {
	a := c.useX(in.B())
	b := c.useX(in.C())
	d := c.defX(v)
	c.keepUpper(v, in.B(), in.C())
	cc := c.cond(in.A())
	c.b.XX(x64.MOVAPS, d, a)
	skip := c.b.NewLabel()
	c.b.JccShort(cc, skip)
	c.b.XX(x64.MOVAPS, d, b)
	c.b.Bind(skip)
}
