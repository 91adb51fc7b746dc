package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// Atomic read-modify-writes. Every host instruction that touches guest memory has
// its entry in the PC map; a fault finds registers as they were before.

// pointer returns the operand for the address in a register.
func (c *compiler) pointer(a ir.Value) x64.Mem { return c.address(a, ir.Imm(0)) }

// oldValue makes the result v, an old value from memory, known as narrow as it is.
func (c *compiler) oldValue(v ir.Value) {
	if t := c.f.TypeOf(v); t == ir.I32 {
		c.zero(v, 32)
	}
}

// unused reports whether nobody wants the result v.
func (c *compiler) unused(v ir.Value) bool { return c.vals[v].uses == 0 }

func lowerRmwAdd(c *compiler, v ir.Value, in ir.Inst) {
	t := c.f.TypeOf(v)
	if t == ir.V2I64 {
		viaGo(c, v, in)
		return
	}
	c.clobber()
	if c.unused(v) {
		m := c.pointer(in.A())
		if imm, ok := c.const32(in.B(), t); ok {
			c.mayFault()
			c.b.LockMI(exact(x64.ADDB, t), m, imm)
			return
		}
		r := c.useR(in.B())
		c.mayFault()
		c.b.LockMR(exact(x64.ADDB, t), m, r)
		return
	}
	m := c.pointer(in.A())
	r := c.defR(v)
	c.loadInto(r, in.B())
	c.mayFault()
	c.b.LockMR(exact(x64.XADDB, t), m, r)
	c.oldValue(v)
}

func lowerRmwSwp(c *compiler, v ir.Value, in ir.Inst) {
	t := c.f.TypeOf(v)
	if t == ir.V2I64 {
		c.pairLoop(v, in)
		return
	}
	m := c.pointer(in.A())
	r := c.defR(v)
	c.loadInto(r, in.B())
	c.mayFault()
	c.b.MR(exact(x64.XCHGB, t), m, r)
	c.oldValue(v)
}

// lowerRmwLogic: one locked instruction if the old value is not wanted, else a
// loop.
func lowerRmwLogic(c *compiler, v ir.Value, in ir.Inst) {
	t, op := c.f.TypeOf(v), in.Op()
	if t == ir.V2I64 {
		c.pairLoop(v, in)
		return
	}
	c.clobber()
	if c.unused(v) {
		m := c.pointer(in.A())
		r := c.tempR()
		c.loadInto(r, in.B())
		if op == ir.OpRmwClr {
			c.b.R(x64.NOTQ, r)
		}
		c.mayFault()
		c.b.LockMR(exact(logicOf(op), t), m, r)
		return
	}
	c.casLoop(v, in, func(n, b x64.Reg) {
		if op == ir.OpRmwClr {
			// not(not old or b) = old and not b
			c.b.R(x64.NOTQ, n)
			c.b.RR(x64.ORQ, n, b)
			c.b.R(x64.NOTQ, n)
			return
		}
		c.b.RR(logicOf(op)+3, n, b)
	})
}

// logicOf is the 8-bit host instruction of an atomic bitwise operation; Clr is an
// AND with the complement.
func logicOf(op ir.Op) x64.Op {
	switch op {
	case ir.OpRmwEor:
		return x64.XORB
	case ir.OpRmwSet:
		return x64.ORB
	}
	return x64.ANDB
}

// lowerRmwMinMax: a loop; values are compared at their own width.
func lowerRmwMinMax(c *compiler, v ir.Value, in ir.Inst) {
	t := c.f.TypeOf(v)
	if t == ir.V2I64 {
		viaGo(c, v, in)
		return
	}
	cc := x64.LT
	switch in.Op() {
	case ir.OpRmwSMax:
		cc = x64.GT
	case ir.OpRmwUMin:
		cc = x64.B
	case ir.OpRmwUMax:
		cc = x64.A
	}
	c.clobber()
	c.casLoop(v, in, func(n, b x64.Reg) {
		c.b.RR(exact(x64.CMPB, t), b, n)
		c.b.CMovRR(x64.CMOVQ, cc, n, b)
	})
}

// casLoop emits: read the old value, let step make the new one in n out of it and
// the operand b, exchange, again if another thread was faster.
func (c *compiler) casLoop(v ir.Value, in ir.Inst, step func(n, b x64.Reg)) {
	t := c.f.TypeOf(v)
	c.reserve(x64.RAX)
	m := c.pointer(in.A())
	b := c.useR(in.B())
	n := c.tempR()
	c.mayFault()
	c.loadR(x64.RAX, m, t)
	again := c.b.Here()
	c.b.RR(x64.MOVQ, n, x64.RAX)
	step(n, b)
	c.mayFault()
	c.b.LockMR(exact(x64.CMPXCHGB, t), m, n)
	c.b.Jcc(x64.NE, again)
	c.defIn(v, x64.RAX)
	c.oldValue(v)
}

func lowerCas(c *compiler, v ir.Value, in ir.Inst) {
	t := c.f.TypeOf(v)
	c.clobber()
	if t == ir.V2I64 {
		c.pairCas(v, in)
		return
	}
	c.useIn(in.B(), x64.RAX)
	m := c.pointer(in.A())
	n := c.useR(in.C())
	c.mayFault()
	c.b.LockMR(exact(x64.CMPXCHGB, t), m, n)
	c.defIn(v, x64.RAX)
}

// pairRegs reserves RDX:RAX (old value) and RCX:RBX (new value) for CMPXCHG16B.
func (c *compiler) pairRegs() {
	for _, r := range [...]x64.Reg{x64.RAX, x64.RDX, x64.RCX, x64.RBX} {
		c.reserve(r)
	}
}

// pairOut moves a vector to a pair of general registers.
func (c *compiler) pairOut(lo, hi x64.Reg, a ir.Value) {
	x := c.useX(a)
	c.b.RX(x64.MOVQXR, lo, x)
	c.b.RXI(x64.PEXTRQ, hi, x, 1)
}

// pairIn makes the result v of RDX:RAX.
func (c *compiler) pairIn(v ir.Value) {
	d := c.defX(v)
	c.b.XR(x64.MOVQXR, d, x64.RAX)
	c.b.XRI(x64.PINSRQ, d, x64.RDX, 1)
}

func (c *compiler) pairCas(v ir.Value, in ir.Inst) {
	c.pairRegs()
	m := c.pointer(in.A())
	c.pairOut(x64.RAX, x64.RDX, in.B())
	c.pairOut(x64.RBX, x64.RCX, in.C())
	c.mayFault()
	c.b.LockM(x64.CMPXCHG16B, m)
	c.pairIn(v)
}

// pairLoop: SWPP, LDCLRP and LDSETP.
func (c *compiler) pairLoop(v ir.Value, in ir.Inst) {
	c.clobber()
	c.pairRegs()
	m := c.pointer(in.A())
	lo, hi := c.tempR(), c.tempR()
	c.pairOut(lo, hi, in.B())
	if in.Op() == ir.OpRmwClr {
		c.b.R(x64.NOTQ, lo)
		c.b.R(x64.NOTQ, hi)
	}
	c.mayFault()
	c.b.RM(x64.MOVQ, x64.RAX, m)
	c.mayFault()
	c.b.RM(x64.MOVQ, x64.RDX, m.Add(8))
	again := c.b.Here()
	c.b.RR(x64.MOVQ, x64.RBX, lo)
	c.b.RR(x64.MOVQ, x64.RCX, hi)
	if in.Op() != ir.OpRmwSwp {
		op := logicOf(in.Op()) + 3
		c.b.RR(op, x64.RBX, x64.RAX)
		c.b.RR(op, x64.RCX, x64.RDX)
	}
	c.mayFault()
	c.b.LockM(x64.CMPXCHG16B, m)
	c.b.Jcc(x64.NE, again)
	c.pairIn(v)
}

// lowerLoadEx: a load that opens the monitor on what it read.
func lowerLoadEx(c *compiler, v ir.Value, in ir.Inst) {
	t := c.f.TypeOf(v)
	if t == ir.V2I64 {
		c.loadExPair(v, in)
		return
	}
	a := c.useR(in.A())
	d := c.defR(v)
	c.mayFault()
	c.loadR(d, x64.At(a, 0), t)
	c.zero(v, uint8(t.Bits()))
	c.b.MR(x64.MOVQ, state(offExclAddr), a)
	c.b.MR(x64.MOVQ, state(offExclVal), d)
	c.b.MI(x64.MOVQ, state(offExclSize), int32(t.Bytes()))
}

// loadExPair reads 16 bytes at once: CPUs with AVX guarantee it for aligned
// vector loads (Intel SDM volume 3, 9.1.1), others need CMPXCHG16B.
func (c *compiler) loadExPair(v ir.Value, in ir.Inst) {
	if c.feat.Has(x64.AVX) {
		a := c.useR(in.A())
		d := c.defX(v)
		c.mayFault()
		c.b.XM(x64.MOVDQA, d, x64.At(a, 0))
		c.b.MR(x64.MOVQ, state(offExclAddr), a)
		c.b.MX(x64.MOVUPS, state(offExclVal), d)
		c.b.MI(x64.MOVQ, state(offExclSize), 16)
		return
	}
	c.clobber()
	c.pairRegs()
	a := c.useR(in.A())
	for _, r := range [...]x64.Reg{x64.RAX, x64.RDX, x64.RCX, x64.RBX} {
		c.b.Zero(r)
	}
	c.mayFault()
	c.b.LockM(x64.CMPXCHG16B, x64.At(a, 0))
	c.b.MR(x64.MOVQ, state(offExclAddr), a)
	c.b.MR(x64.MOVQ, state(offExclVal), x64.RAX)
	c.b.MR(x64.MOVQ, state(offExclVal+8), x64.RDX)
	c.b.MI(x64.MOVQ, state(offExclSize), 16)
	c.pairIn(v)
}

// lowerStoreEx: the store happens if the monitor is open for this address and
// size and memory still holds what the load-exclusive read (Arm ARM B2.12: an
// implementation may fail a store-exclusive, and ABA is the price of CAS).
func lowerStoreEx(c *compiler, v ir.Value, in ir.Inst) {
	b := in.B()
	t := c.f.TypeOf(b)
	pair := t == ir.V2I64
	c.clobber()
	if pair {
		c.pairRegs()
	} else {
		c.reserve(x64.RAX)
	}
	a := c.useR(in.A())
	var n x64.Reg
	if pair {
		c.pairOut(x64.RBX, x64.RCX, b)
	} else {
		n = c.useR(b)
	}
	d := c.defR(v)
	fail := c.b.NewLabel()
	// The addresses are compared without their tags. (One with a tag faults below
	// and is served by the interpreter.)
	c.b.RM(x64.MOVQ, d, state(offExclAddr))
	c.b.RR(x64.XORQ, d, a)
	c.b.RI(x64.SHLQ, d, 8)
	c.b.MovImm(d, 1)
	c.b.JccNear(x64.NE, fail)
	c.b.MI(x64.CMPQ, state(offExclSize), int32(t.Bytes()))
	c.b.JccNear(x64.NE, fail)
	c.b.RM(x64.MOVQ, x64.RAX, state(offExclVal))
	if pair {
		c.b.RM(x64.MOVQ, x64.RDX, state(offExclVal+8))
		c.mayFault()
		c.b.LockM(x64.CMPXCHG16B, x64.At(a, 0))
	} else {
		c.mayFault()
		c.b.LockMR(exact(x64.CMPXCHGB, t), x64.At(a, 0), n)
	}
	c.b.SetR(x64.NE, d)
	c.b.Bind(fail)
	c.b.MI(x64.MOVQ, state(offExclSize), 0)
	c.zero(v, 8)
}

// lowerMonitor: what lowerLoadEx does behind the load.
func lowerMonitor(c *compiler, v ir.Value, in ir.Inst) {
	t := c.f.TypeOf(in.B())
	switch t {
	case ir.V2I64:
		c.b.MX(x64.MOVUPS, state(offExclVal), c.useX(in.B()))
	case ir.I64:
		c.b.MR(x64.MOVQ, state(offExclVal), c.useR(in.B()))
	default:
		c.b.MR(x64.MOVQ, state(offExclVal), c.useZ(in.B(), uint8(t.Bits())))
	}
	c.b.MR(x64.MOVQ, state(offExclAddr), c.useR(in.A()))
	c.b.MI(x64.MOVQ, state(offExclSize), int32(t.Bytes()))
}

func lowerClrEx(c *compiler, v ir.Value, in ir.Inst) {
	c.b.MI(x64.MOVQ, state(offExclSize), 0)
}
