package amd64

import (
	"emu/cpu"
	"emu/ir"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

// coldCode is code that is hardly ever reached. It is emitted behind the unit's
// last instruction, so what it needs to know has to be noted here: registers as
// they are where the hot code branches to it.
type coldCode struct {
	kind   coldKind
	from   x64.Label    // where the cold code begins
	back   x64.Label    // where the hot code goes on
	site   int32        // coldSlow: index in a list of emit's
	pc     uint64       // guest pc to leave with
	recipe uint32       // coldSide, or coldSlow that may fault: where the pending values are
	exit   cpu.ExitKind // coldSide
	op     ir.Op
	t      ir.Type
	reg    x64.Reg
	reg2   x64.Reg
	at     host.Loc // coldSide: the argument
	to     callee   // coldMissCall
	hasArg bool
	emit   func(c *compiler, p *coldCode) // coldSlow
	x      [4]x64.Xmm                     // coldSlow: registers for emit
	m      x64.Mem                        // coldSlow: memory for emit
	size   int                            // coldSlow: bytes of it
}

type coldKind uint8

const (
	coldSide     coldKind = iota // a side exit or poll: something to store first
	coldDivide                   // a divisor that the host would trap on
	coldMissCall                 // an indirect call missed in the jump cache
	coldSlow                     // the slow path of an operation: emit
)

// newCold adds a piece of cold code. It may be filled in until the next newCold.
func (c *compiler) newCold(k coldKind) *coldCode {
	c.cold = append(c.cold, coldCode{kind: k, from: c.b.NewLabel(), back: c.b.NewLabel()})
	return &c.cold[len(c.cold)-1]
}

// emitCold emits all cold code.
func (c *compiler) emitCold() {
	c.emitHot()
	if len(c.cold) > 0 {
		c.g.Reset()
		c.x.Reset()
	}
	for i := 0; i < len(c.cold); i++ {
		p := &c.cold[i]
		c.b.Bind(p.from)
		switch p.kind {
		case coldSide:
			c.emitSide(p)
		case coldDivide:
			c.emitDivide(p)
		case coldMissCall:
			c.mayOverflow(p.to)
			c.b.CallAddr(uint64(host.Miss(p.to.branch)))
			c.b.JmpNear(p.back)
		case coldSlow:
			p.emit(c, p)
		}
		c.g.UnlockAll()
	}
	c.emitExits()
}

// leave jumps to the dispatcher with an exit kind; PC and the argument are stored.
func (c *compiler) leave(k cpu.ExitKind) {
	c.b.MI(x64.MOVL, state(offExit), int32(k))
	c.b.JmpAddr(uint64(host.StubExit))
}

func (c *compiler) storePC(pc uint64) { c.storeConst(state(offPC), pc) }

// emitHot emits where the entry leads whose counter ran out.
func (c *compiler) emitHot() {
	if c.hot == 0 {
		return
	}
	c.b.Bind(c.hot)
	c.b.CallAddr(uint64(host.StubHot)) // does not return
}

// emitExits emits where direct branches lead that are not linked yet. Every unit has
// some, and they lie between those that run: they are kept short. The engine knows where
// each goes.
func (c *compiler) emitExits() {
	for i := range c.code.Exits {
		e := &c.code.Exits[i]
		e.Cold = int32(c.b.Pos())
		c.b.Land(int(e.Patch))
		c.b.CallAddr(uint64(host.StubBranch)) // does not return
		e.End = int32(c.b.Pos())
	}
}

// storeReg stores guest register g, which is in register r.
func (c *compiler) storeReg(g host.Guest, k host.LocKind, r uint8) {
	m := guestMem(int(g))
	switch {
	case k == host.LocXMM:
		c.b.MX(x64.MOVUPS, m, x64.Xmm(r))
	case g == host.GuestNZCV:
		c.b.MR(x64.MOVW, m, x64.Reg(r))
	default:
		c.b.MR(x64.MOVQ, m, x64.Reg(r))
	}
}

// storeFrom stores guest register g, which is at l. It uses RAX for what is not
// in a register.
func (c *compiler) storeFrom(g host.Guest, l host.Loc) {
	m := guestMem(int(g))
	op := x64.MOVQ
	if g == host.GuestNZCV {
		op = x64.MOVW
	}
	switch l.Kind {
	case host.LocGPR, host.LocXMM:
		c.storeReg(g, l.Kind, uint8(l.Index))
		return
	case host.LocXMMLow:
		c.storeLowOf(m, x64.Xmm(l.Index), l.Bits)
		return
	case host.LocXMMLane:
		c.storeLaneOf(m, x64.Xmm(l.Index), l.Bits)
		return
	case host.LocSpillLane:
		c.b.RM(x64.MOVQ, x64.RAX, slotMem(int16(l.Index)).Add(int32(l.Bits/8)))
	case host.LocSpillLow:
		if l.Bits == 32 {
			c.b.RM(x64.MOVL, x64.RAX, slotMem(int16(l.Index)))
		} else {
			c.b.RM(x64.MOVQ, x64.RAX, slotMem(int16(l.Index)))
		}
		c.b.MI(x64.MOVQ, m.Add(8), 0)
	case host.LocSpill:
		c.b.RM(x64.MOVQ, x64.RAX, slotMem(int16(l.Index)))
		if g >= host.GuestV && g < host.GuestNZCV {
			c.b.MR(op, m, x64.RAX)
			c.b.RM(x64.MOVQ, x64.RAX, slotMem(int16(l.Index)).Add(8))
			m = m.Add(8)
		}
	case host.LocConst128:
		c.b.MovImm(x64.RAX, l.Lo)
		c.b.MR(op, m, x64.RAX)
		c.b.MovImm(x64.RAX, l.Hi)
		m = m.Add(8)
	case host.LocConst:
		c.b.MovImm(x64.RAX, l.Lo)
	case host.LocCompute:
		c.storeComputed(l)
		return
	case host.LocFlagsSub, host.LocFlagsAdd, host.LocFlagsFCmp:
		c.packCold(l.Kind)
		return
	default:
		panic("BUG: amd64: a pending value is of no known kind")
	}
	c.b.MR(op, m, x64.RAX)
}
