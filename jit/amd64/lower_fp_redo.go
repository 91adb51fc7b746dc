package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

// fpMend is an operation that cold code does again. Places are as at the test.
type fpMend struct {
	redo fpRoutine
	kind fpKind
	neg  [3]bool
	args [3]host.Loc
	n    int
	reg  int8  // of the result, -1 = none
	slot int16 // that holds it as well, -1 = none
	last bool  // of those of a test
}

func (c *compiler) mendOf(u *unchecked) fpMend {
	p := &c.vals[u.v]
	m := fpMend{redo: u.redo, kind: u.kind, neg: u.neg, reg: p.reg, slot: p.slot}
	for ; m.n < len(u.args) && u.args[m.n] != ir.None; m.n++ {
		m.args[m.n] = c.locate(u.args[m.n])
	}
	return m
}

// emitMends emits the cold code of a test.
func emitMends(c *compiler, p *coldCode) {
	back := p.back
	for n := int(p.site); ; n++ {
		m := c.fp.mends[n]
		c.b.MR(x64.MOVQ, saveR(x64.RAX), x64.RAX)
		for k, l := range m.args[:m.n] {
			c.copyLoc(argMem16(k), l)
			if m.neg[k] {
				c.flipSigns(argMem16(k), m.kind)
			}
		}
		ret := c.b.NewLabel()
		c.b.RM(x64.LEAQ, x64.RAX, x64.AtLabel(ret))
		c.b.JmpNear(c.sharedFP(m.redo, m.kind))
		c.b.Bind(ret)
		if m.reg >= 0 {
			c.b.XM(x64.MOVUPS, x64.Xmm(m.reg), state(offHelperRet))
		}
		if m.slot >= 0 { // RAX is saved already
			c.copyWords(slotMem(m.slot), state(offHelperRet))
			c.b.RM(x64.MOVQ, x64.RAX, saveR(x64.RAX))
		}
		if m.last {
			break
		}
	}
	c.b.JmpNear(back)
}

// copyLoc stores what is at l, a float or vector, to m. It uses RAX.
func (c *compiler) copyLoc(m x64.Mem, l host.Loc) {
	switch l.Kind {
	case host.LocXMM:
		c.b.MX(x64.MOVUPS, m, x64.Xmm(l.Index))
	case host.LocSpill:
		c.copyWords(m, slotMem(int16(l.Index)))
	case host.LocConst, host.LocConst128:
		for off, n := range [2]uint64{l.Lo, l.Hi} {
			c.b.MovImm(x64.RAX, n)
			c.b.MR(x64.MOVQ, m.Add(int32(8*off)), x64.RAX)
		}
	default:
		panic("BUG: amd64: a float operand is of no known kind")
	}
}

// copyWords copies 16 bytes by way of RAX.
func (c *compiler) copyWords(to, from x64.Mem) {
	for off := int32(0); off < 16; off += 8 {
		c.b.RM(x64.MOVQ, x64.RAX, from.Add(off))
		c.b.MR(x64.MOVQ, to.Add(off), x64.RAX)
	}
}

// redo emits the operation of a shared routine on the operands in State.HelperArg; its
// result goes to HelperRet.
func (s nanCode) redo(r fpRoutine) {
	b := &s.c.b
	s.load(1, argMem16(0))
	if r != fpRedoSqrt {
		s.load(2, argMem16(1))
	}
	switch r {
	case fpRedoAdd:
		b.XX(fpAdd[s.k], 1, 2)
	case fpRedoSub:
		b.XX(fpSub[s.k], 1, 2)
	case fpRedoMul:
		b.XX(fpMul[s.k], 1, 2)
	case fpRedoDiv:
		b.XX(fpDiv[s.k], 1, 2)
	case fpRedoSqrt:
		b.XX(fpSqrt[s.k], 1, 1)
	default:
		s.load(3, argMem16(2))
		b.XXX(fmaOps[0][s.k], 1, 2, 3)
	}
	b.MX(x64.MOVUPS, state(offHelperRet), 1)
}
