package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

// flagState says what the host's flags stand for: nothing (v is None), the NZCV
// of a Flags value, or the truth of an I1 value.
type flagState struct {
	v    ir.Value
	kind host.LocKind // of Flags: how NZCV maps to the host's flags
	cc   x64.Cond     // of I1: the condition that is true with it
	bool bool
}

// resultFlags says that SF and ZF reflect a value (CF and OF are unknown unless
// logic is set, then they are 0).
type resultFlags struct {
	v     ir.Value
	bits  int
	logic bool
}

// Bits of packed flags (cpu.State.NZCV).
const (
	bitN, bitZ, bitC, bitV = 15, 14, 8, 0
)

// clobber makes the host's flags free to change. It is the first thing in a
// lowering function that changes them.
func (c *compiler) clobber() { c.clobberIf(0) }

// clobberUsed is clobber for an instruction that has picked up what it needs of
// the flags already: its own operands do not count.
func (c *compiler) clobberUsed() {
	used := int32(0)
	if c.fl.v != ir.None {
		used = c.usesNow(c.fl.v)
	}
	c.clobberIf(used)
}

func (c *compiler) clobberIf(used int32) {
	v := c.fl.v
	c.flOf.v = ir.None
	if v == ir.None {
		return
	}
	p := &c.vals[v]
	if (p.uses > used || p.pend > 0) && p.onlyFlags() {
		locks := c.g.Locks()
		if u, ok := c.lastCondition(v); ok {
			c.force(u)
		} else {
			c.pack()
		}
		c.g.SetLocks(locks) // what this computed is no operand
	}
	c.fl.v = ir.None
}

// onlyFlags reports whether a value that the host's flags stand for is nowhere else.
func (p *val) onlyFlags() bool { return p.reg < 0 && p.slot < 0 && p.lazy == 0 }

// lastCondition returns the put-off condition that is all the flags v are still
// needed for: cheaper to compute than v is to pack.
func (c *compiler) lastCondition(v ir.Value) (ir.Value, bool) {
	p := &c.vals[v]
	if c.fl.bool || p.pend > 0 || p.uses != 1 || p.user == ir.None {
		return 0, false
	}
	in, ok := c.waiting(p.user)
	return p.user, ok && in.Op() == ir.OpFlagCond && c.root(in.A()) == v
}

// setFlags says that the host's flags are the Flags value v now.
func (c *compiler) setFlags(v ir.Value, kind host.LocKind) {
	c.fl, c.flAt = flagState{v: v, kind: kind}, c.b.Pos()
	c.vals[v].form = formHere
	c.recipeStale = true
}

// setBool says that the I1 value v is true when cc holds.
func (c *compiler) setBool(v ir.Value, cc x64.Cond) {
	c.fl, c.flAt = flagState{v: v, cc: cc, bool: true}, c.b.Pos()
	c.vals[v].form = formHere
}

// pack copies what the host's flags stand for to a general register. They stay
// valid.
func (c *compiler) pack() {
	v := c.fl.v
	switch {
	case c.fl.bool:
		r := c.defR(v)
		c.b.SetR(c.fl.cc, r)
		c.b.RR(x64.MOVZBL, r, r)
		c.zero(v, 1)
		return
	case c.fl.kind == host.LocFlagsFCmp:
		c.packFCmp(v)
		return
	case c.fl.kind == host.LocFlagsSub:
		c.b.Op(x64.CMC)
		c.fl.kind = host.LocFlagsAdd
	}
	if c.makeRoom(x64.RAX) {
		switch c.f.Insts[c.at].Op() {
		case ir.OpContinue, ir.OpBreak, ir.OpYield:
			// LAHF and SETO keep the rest of RAX: where flags travel around a loop each iteration would wait for the
			// one before.
			c.b.MovImm(x64.RAX, 0)
		}
		c.lahf()
		c.bindR(v, x64.RAX)
		return
	}
	r := c.tempR()
	c.b.RR(x64.MOVQ, r, x64.RAX)
	c.lahf()
	c.b.RR(x64.XCHGQ, r, x64.RAX)
	c.bindR(v, r)
}

// lahf packs the flags into AX, in the form of State.NZCV.
func (c *compiler) lahf() {
	c.b.Op(x64.LAHF)
	c.b.SetR(x64.O, x64.RAX)
}

// makeRoom frees r if that costs no more than a move.
func (c *compiler) makeRoom(r x64.Reg) bool {
	n := uint8(r)
	if c.g.Locked(n) {
		return false
	}
	if c.g.Owner(n) == ir.None {
		return true
	}
	if _, ok := c.g.Pick(1 << n); !ok {
		return false
	}
	locks := c.g.Locks()
	c.reserve(r)
	c.g.SetLocks(locks)
	return true
}

// packFCmp packs the flags of UCOMISx: greater C, less N, equal ZC, unordered CV.
func (c *compiler) packFCmp(v ir.Value) {
	r, t := c.defR(v), c.tempR()
	c.b.MovImm(r, 1<<bitC)
	for _, k := range [...]struct {
		cc x64.Cond
		is uint64
	}{{x64.B, 1 << bitN}, {x64.EQ, 1<<bitZ | 1<<bitC}, {x64.P, 1<<bitC | 1<<bitV}} {
		c.b.MovImm(t, k.is)
		c.b.CMovRR(x64.CMOVL, k.cc, r, t)
	}
	c.zero(v, 16)
}

// condOf maps the A64 conditions of host flags that are like an addition's
// (carry = C) or a subtraction's (carry = not C). HI and LS of the former have no
// host condition.
var condOf = [2][14]x64.Cond{
	{x64.EQ, x64.NE, x64.B, x64.AE, x64.S, x64.NS, x64.O, x64.NO, noCond, noCond, x64.GE, x64.LT, x64.GT, x64.LE},
	{x64.EQ, x64.NE, x64.AE, x64.B, x64.S, x64.NS, x64.O, x64.NO, x64.A, x64.BE, x64.GE, x64.LT, x64.GT, x64.LE},
}

// fcmpCond is the same after UCOMISx, where only these need one condition.
var fcmpCond = [14]x64.Cond{noCond, noCond, noCond, noCond, noCond, noCond, x64.P, x64.NP, noCond, noCond, x64.AE, x64.B, x64.A, x64.BE}

const noCond x64.Cond = 0xff

// cond makes the host's flags tell whether the I1 value v is true and returns the
// condition that says so. Between it and the user of the condition nothing may
// change the flags; operands that may need computing have to be in registers
// before. Registers may be taken.
func (c *compiler) cond(v ir.Value) x64.Cond {
	v = c.root(v)
	if v.IsConst() {
		return c.always(c.constBits(v)&1 != 0)
	}
	if in, ok := c.waiting(v); ok {
		switch in.Op() {
		case ir.OpFlagCond:
			return c.flagCond(in.A(), int(c.f.ImmOf(in.B())))
		case ir.OpTrunc:
			if cc, ok := c.bitTest(in.A()); ok {
				return cc
			}
		}
	}
	if c.fl.v == v {
		return c.fl.cc
	}
	r := c.useR(v)
	if c.fl.v == v {
		return c.fl.cc
	}
	c.clobberUsed()
	c.b.RI(x64.TESTB, r, 1)
	return x64.NE
}

// always returns a condition that is true or false for sure.
func (c *compiler) always(yes bool) x64.Cond {
	c.clobberUsed()
	c.b.Op(x64.STC)
	if yes {
		return x64.C
	}
	return x64.NC
}

// bitTest tests bit 0 of an integer, or bit n if it is a put-off shift.
func (c *compiler) bitTest(a ir.Value) (x64.Cond, bool) {
	n := uint64(0)
	if in, ok := c.waiting(a); ok && in.Op() == ir.OpLShr {
		n, _ = c.constI(in.B())
		a = in.A()
	}
	bits := uint64(c.f.TypeOf(a).Bits())
	n &= bits - 1
	r := c.useR(a)
	c.clobberUsed()
	switch {
	case n < 8:
		c.b.RI(x64.TESTB, r, int32(int8(1<<n)))
		return x64.NE, true
	case n == bits-1 && bits == 64:
		c.b.RR(x64.TESTQ, r, r)
		return x64.S, true
	case n == bits-1 && bits == 32:
		c.b.RR(x64.TESTL, r, r)
		return x64.S, true
	case n < 32:
		c.b.RI(x64.BTL, r, int32(n))
	default:
		c.b.RI(x64.BTQ, r, int32(n))
	}
	return x64.C, true
}

// flagCond is cond for A64 condition n of a Flags value.
func (c *compiler) flagCond(f ir.Value, n int) x64.Cond {
	f = c.root(f)
	if n >= 14 {
		return c.always(true)
	}
	if f.IsConst() {
		k, _ := c.f.ConstOf(f)
		return c.always(host.Holds(uint32(k.Lo), n))
	}
	if c.isLazy(f) {
		c.relive(f)
	}
	if c.fl.v == f && !c.fl.bool {
		table := &fcmpCond
		if c.fl.kind != host.LocFlagsFCmp {
			table = &condOf[c.fl.kind-host.LocFlagsAdd]
		}
		if cc := table[n]; cc != noCond {
			return cc
		}
		if c.fl.kind == host.LocFlagsFCmp {
			return c.fcmpCondition(f, n)
		}
		if c.fl.kind == host.LocFlagsAdd { // HI, LS: C and not Z
			c.b.Op(x64.CMC)
			c.fl.kind = host.LocFlagsSub
			c.recipeStale = true
			return condOf[1][n]
		}
	}
	return c.packedCond(f, n)
}

// packedCond is flagCond for flags in a general register. It does not return the
// host's flags to f, so that other conditions of f test the register again.
func (c *compiler) packedCond(f ir.Value, n int) x64.Cond {
	r := c.useR(f)
	switch n >> 1 {
	case 0, 1, 2, 3:
		bit := [...]int32{bitZ, bitC, bitN, bitV}[n>>1]
		c.dropFlags()
		c.b.RI(x64.BTL, r, bit)
		return x64.C ^ x64.Cond(n&1)
	case 4: // C and not Z
		t := c.tempR()
		c.dropFlags()
		c.b.RR(x64.MOVL, t, r)
		c.b.RI(x64.ANDL, t, 1<<bitC|1<<bitZ)
		c.b.RI(x64.CMPL, t, 1<<bitC)
		return x64.EQ ^ x64.Cond(n&1)
	}
	// Bit 0 of t is N xor V, bit 14 is Z.
	t, u := c.tempR(), c.tempR()
	c.dropFlags()
	c.b.RR(x64.MOVZWL, t, r)
	c.b.RR(x64.MOVL, u, t)
	c.b.RI(x64.SHRL, t, bitN)
	c.b.RR(x64.XORL, t, u)
	mask := int32(1)
	if n>>1 == 6 {
		mask |= 1 << bitZ
	}
	c.b.RI(x64.TESTL, t, mask)
	return x64.EQ ^ x64.Cond(n&1)
}

// dropFlags is clobberUsed in the middle of a lowering that has its operands
// already: what is still wanted of the flags is packed.
func (c *compiler) dropFlags() { c.clobberUsed() }

// carry puts the C flag of f into the host's carry, inverted if sub.
func (c *compiler) carry(f ir.Value, sub bool) {
	f = c.root(f)
	if f.IsConst() {
		k, _ := c.f.ConstOf(f)
		c.clobberUsed()
		if (k.Lo>>1&1 != 0) != sub {
			c.b.Op(x64.STC)
		} else {
			c.b.Op(x64.CLC)
		}
		return
	}
	if c.isLazy(f) {
		c.relive(f)
	}
	inverted := false
	if c.fl.v == f && !c.fl.bool && c.fl.kind != host.LocFlagsFCmp {
		inverted = c.fl.kind == host.LocFlagsSub
		if p := &c.vals[f]; p.uses > c.usesNow(f) || p.pend > 0 {
			if p.reg < 0 && p.slot < 0 && p.lazy == 0 {
				c.pack() // may turn the carry around
				inverted = c.fl.kind == host.LocFlagsSub
			}
		}
	} else {
		r := c.useR(f)
		c.clobberUsed()
		c.b.RI(x64.BTL, r, bitC)
	}
	if inverted != sub {
		c.b.Op(x64.CMC)
	}
	c.fl.v, c.flOf.v = ir.None, ir.None
}
