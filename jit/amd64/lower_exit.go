package amd64

import (
	"math/bits"

	"emu/cpu"
	"emu/ir"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

// entry emits what comes before the first instruction: the execution counter.
func (c *compiler) entry() {
	if !c.opt.Count {
		return
	}
	// SUB [RIP+counter], 1: the field is followed by the 8-bit immediate.
	c.b.MI(x64.SUBL, x64.Mem{Base: x64.RIP}, 1)
	c.code.Relocs = append(c.code.Relocs, host.Reloc{Off: int32(c.b.Pos()) - 5, Tail: 5, Target: host.Counter})
	c.hot = c.b.NewLabel()
	if c.hotNear {
		c.b.JccShort(x64.EQ, c.hot)
	} else {
		c.b.JccNear(x64.EQ, c.hot)
	}
	c.hotAt = c.b.Pos()
}

// exitTo emits a patchable direct branch to guest address pc. All state is stored, and
// the pins are in their registers.
func (c *compiler) exitTo(pc uint64, kind host.ExitSiteKind, cc x64.Cond) {
	var patch int
	switch kind {
	case host.SiteCond:
		patch = c.b.JccOpen(cc)
	case host.SiteCall:
		// The call's own opcode is what may fault, behind the padding.
		c.b.Nop(-(c.b.Pos() + 1) & 3)
		c.mayOverflow(directCall(pc))
		patch = c.b.CallOpen()
	default:
		patch = c.b.JmpOpen()
	}
	c.code.Exits = append(c.code.Exits, host.ExitSite{Patch: int32(patch), Target: pc, Kind: kind})
}

func lowerJump(c *compiler, v ir.Value, in ir.Inst) {
	c.flush()
	c.goHome()
	c.exitTo(c.f.ImmOf(in.A()), host.SiteJump, 0)
}

func lowerJumpIf(c *compiler, v ir.Value, in ir.Inst) {
	taken, next := c.f.ImmOf(in.B()), c.f.ImmOf(in.C())
	if k := c.root(in.A()); k.IsConst() {
		if c.constBits(k)&1 == 0 {
			taken = next
		}
		c.flush()
		c.goHome()
		c.exitTo(taken, host.SiteJump, 0)
		return
	}
	c.flush()
	cc := c.cond(in.A())
	c.goHome()
	c.exitTo(taken, host.SiteCond, cc)
	c.exitTo(next, host.SiteJump, 0)
}

// lookup emits the search of a branch of type t for the guest pc in RAX in the jump cache; the host
// address is at the operand that it returns if ZF is set. An entry has 16 bytes and the index is
// pc>>2, so that the index bits of the pc times 4 are the entry's offset.
func (c *compiler) lookup(t cpu.BranchType) x64.Mem {
	c.b.RM(x64.MOVQ, x64.RDX, state(offJumpCache))
	c.b.RR(x64.MOVL, x64.RCX, x64.RAX)
	c.b.RI(x64.ANDL, x64.RCX, (host.JumpCacheEntries-1)<<2)
	m := x64.AtIndex(x64.RDX, x64.RCX, 4, 16*int32(t))
	c.b.RM(x64.CMPQ, x64.RAX, m)
	return m.Add(8)
}

// target flushes, brings the pins home and puts the guest pc v in RAX, with RCX and RDX
// free.
func (c *compiler) target(v ir.Value) {
	c.flush()
	c.fl.v = ir.None
	c.useIn(v, x64.RAX)
	c.reserve(x64.RCX)
	c.reserve(x64.RDX)
	c.goHome(x64.RAX)
}

// note stores the target in RAX where the profile of indirect branches is. RCX and RDX
// are lost. The number of the note is the upper bits of a multiple of the counter.
func (c *compiler) note() {
	if c.opt.Note == 0 || !c.opt.Count {
		return
	}
	here := func(to host.Stub, tail uint8) {
		c.code.Relocs = append(c.code.Relocs, host.Reloc{Off: int32(c.b.Pos()) - int32(tail), Tail: tail, Target: to})
	}
	const stride = 8 * host.NoteSites
	c.b.RMI(x64.IMULL, x64.RCX, x64.Mem{Base: x64.RIP}, int32(1<<32/host.TargetNotes/c.opt.Note))
	here(host.Counter, 8) // the immediate follows the field
	c.b.RI(x64.SHRL, x64.RCX, int32(32-bits.Len(host.TargetNotes*stride-1)))
	c.b.RI(x64.ANDL, x64.RCX, -stride)
	c.b.RM(x64.LEAQ, x64.RDX, x64.Mem{Base: x64.RIP})
	here(host.Targets, 4)
	c.b.MR(x64.MOVQ, x64.AtIndex(x64.RDX, x64.RCX, 1, 0), x64.RAX)
}

func lowerJumpInd(c *compiler, v ir.Value, in ir.Inst) {
	c.jumpTo(in.A(), cpu.BranchType(c.f.ImmOf(in.B())))
}

// jumpTo goes on at the guest pc v by a branch of type t.
func (c *compiler) jumpTo(v ir.Value, t cpu.BranchType) {
	c.target(v)
	c.note()
	m := c.lookup(t)
	c.b.JccAddr(x64.NE, uint64(host.Miss(t)))
	c.b.M(x64.JMP, m)
}

// lowerCall: with pairing the native stack gets the guest's return pc and then,
// by CALL, the host's return address; lowerRet compares and uses them.
func lowerCall(c *compiler, v ir.Value, in ir.Inst) {
	pc, ret := c.f.ImmOf(in.A()), c.f.ImmOf(in.B())
	linked := c.links(ret)
	c.flush()
	c.goHome()
	if !c.opt.Pairing {
		c.exitTo(pc, host.SiteJump, 0)
		return
	}
	c.pushReturn(ret, linked, x64.RAX, directCall(pc))
	c.exitTo(pc, host.SiteCall, 0)
	c.afterReturn(ret)
}

// callee is what a call leads to: where its guest pc is, and the type of an indirect one.
type callee struct {
	at     host.Loc
	branch cpu.BranchType
}

func directCall(pc uint64) callee { return callee{at: host.Loc{Kind: host.LocConst, Lo: pc}} }

// indirectCall is to the guest pc in RAX.
func indirectCall(t cpu.BranchType) callee {
	return callee{host.Loc{Kind: host.LocGPR, Index: uint16(x64.RAX)}, t}
}

// links reports whether X30 is to be the constant ret, as calls have it: once the pins are
// home, its register is.
func (c *compiler) links(ret uint64) bool {
	v, ok := c.pending(link)
	return ok && v.IsConst() && c.constBits(v) == ret
}

// pushReturn pushes a guest return pc, which X30's pin has if linked is set; scratch may
// be changed. The push may run off the native stack, and the guest then goes on at the
// callee.
func (c *compiler) pushReturn(ret uint64, linked bool, scratch x64.Reg, to callee) {
	if linked {
		scratch = linkPin
	} else {
		c.b.MovImm(scratch, ret)
	}
	c.mayOverflow(to)
	c.b.R(x64.PUSH, scratch)
}

// afterReturn is where a paired return arrives: the guest's return pc is still on
// the native stack.
func (c *compiler) afterReturn(ret uint64) {
	c.b.RM(x64.LEAQ, rStack, x64.At(rStack, 8))
	c.exitTo(ret, host.SiteRet, 0)
}

func lowerCallInd(c *compiler, v ir.Value, in ir.Inst) {
	kind := cpu.BranchType(c.f.ImmOf(in.C()))
	if !c.opt.Pairing {
		c.jumpTo(in.A(), kind)
		return
	}
	ret := c.f.ImmOf(in.B())
	linked := c.links(ret)
	c.target(in.A())
	c.note()
	to := indirectCall(kind)
	c.pushReturn(ret, linked, x64.RCX, to)
	m := c.lookup(kind)
	p := c.newCold(coldMissCall)
	p.to = to
	c.b.JccNear(x64.NE, p.from)
	c.mayOverflow(to)
	c.b.M(x64.CALL, m)
	c.b.Bind(p.back)
	c.afterReturn(ret)
}

func lowerRet(c *compiler, v ir.Value, in ir.Inst) {
	if !c.opt.Pairing {
		c.jumpTo(in.A(), cpu.BranchNone)
		return
	}
	c.flush()
	c.fl.v = ir.None
	c.useIn(in.A(), x64.RAX)
	c.goHome(x64.RAX)
	c.b.RM(x64.CMPQ, x64.RAX, x64.At(rStack, 8))
	c.b.JccAddr(x64.NE, uint64(host.StubIndirect))
	c.b.Ret()
}

func lowerExit(c *compiler, v ir.Value, in ir.Inst) {
	c.flush()
	kind := cpu.ExitKind(c.f.ImmOf(in.A()))
	c.storePC(c.f.ImmOf(in.B()))
	c.goHome()
	if kind == cpu.ExitBranch {
		c.b.MI(x64.MOVQ, state(offExitFrom), 0) // nothing to link
	}
	c.leave(kind)
}

func lowerExitArg(c *compiler, v ir.Value, in ir.Inst) {
	c.flush()
	t := c.f.TypeOf(in.C())
	switch {
	case t == ir.Flags || t == ir.I1:
		panic("BUG: amd64: flags or truth value as the argument of an exit")
	case t.InXMM():
		c.b.MX(x64.MOVUPS, state(offExitArg), c.useX(in.C()))
	case t == ir.I64:
		c.b.MR(x64.MOVQ, state(offExitArg), c.useR(in.C()))
	default:
		c.b.MR(x64.MOVQ, state(offExitArg), c.useZ(in.C(), uint8(t.Bits())))
	}
	next := c.f.ImmOf(in.B())
	c.storePC(next)
	c.goHome()
	kind := cpu.ExitKind(c.f.ImmOf(in.A()))
	if kind == cpu.ExitSyscall {
		c.b.CallAddr(uint64(host.StubSyscall))
		c.exitTo(next, host.SiteJump, 0)
		return
	}
	c.leave(kind)
}

// lowerReturn ends a fixture: its value goes to the exit's argument.
func lowerReturn(c *compiler, v ir.Value, in ir.Inst) {
	c.args = c.f.Operands(int(v), c.args[:0])
	c.flush()
	for n, a := range c.args {
		if n == 2 {
			break // ExitArg has room for two values of 16 bytes
		}
		c.storeValue(state(offExitArg+16*uintptr(n)), a)
	}
	c.storePC(c.pc)
	c.goHome()
	c.leave(cpu.ExitHalt)
}

// lowerPoll looks at State.Pending. When the host's flags are wanted later a
// compare would cost packing them; JRCXZ needs none.
func lowerPoll(c *compiler, v ir.Value, in ir.Inst) {
	if c.continues(v) {
		c.poll = in // lowerContinue's branch is the poll's
		return
	}
	// What the exit behind it stores anyway, the cold code need not, and flags are packed
	// while the host has them.
	switch c.leavesBy(v) {
	case ir.OpNop:
	case ir.OpJumpIf:
		c.flushRegs(pinned.set) // it may want the host's flags
	default:
		c.flush()
	}
	if c.flagsLive() && c.fl.kind != host.LocFlagsFCmp && c.makeRoom(x64.RCX) {
		c.g.Lock(uint8(x64.RCX))
		p := c.pollCold(in)
		c.b.RM(x64.MOVL, x64.RCX, state(offPending))
		c.b.Jrcxz(p.back)
		c.b.JmpNear(p.from)
		c.b.Bind(p.back)
		return
	}
	c.clobber()
	p := c.pollCold(in)
	c.comparePending()
	c.b.JccNear(x64.NE, p.from)
	c.b.Bind(p.back)
}

// comparePending sets ZF if nothing is pending.
func (c *compiler) comparePending() { c.b.MI(x64.CMPL, state(offPending), 0) }

// continues reports whether a CONTINUE follows v.
func (c *compiler) continues(v ir.Value) bool {
	for v++; c.f.Insts[v].Op() == ir.OpNop || c.f.Insts[v].Op() == ir.OpArgExt; v++ {
	}
	return c.f.Insts[v].Op() == ir.OpContinue
}

// lowerPause waits as YIELD does; where State.Pauses was zero the thread leaves.
func lowerPause(c *compiler, v ir.Value, in ir.Inst) {
	c.clobber()
	p := c.pollCold(in)
	p.exit = cpu.ExitYield
	c.b.MI(x64.SUBL, state(offPauses), 1)
	c.b.JccNear(x64.B, p.from)
	c.b.Op(x64.PAUSE)
	c.b.Bind(p.back)
}

// leavesBy is the exit from the unit that only pure operations stand in front of, behind v;
// OpNop if something else comes.
func (c *compiler) leavesBy(v ir.Value) ir.Op {
	for _, in := range c.f.Insts[v+1:] {
		op := in.Op()
		switch op {
		case ir.OpJump, ir.OpJumpIf, ir.OpJumpInd, ir.OpCall, ir.OpCallInd, ir.OpRet:
			return op
		}
		if c.flags[op]&ir.Pure == 0 {
			break
		}
	}
	return ir.OpNop
}

func (c *compiler) pollCold(in ir.Inst) *coldCode {
	c.writeRecipe()
	p := c.newCold(coldSide)
	p.exit = cpu.ExitPoll
	p.pc, p.recipe = c.f.ImmOf(in.A()), c.recipe
	return p
}
