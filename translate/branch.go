package translate

import (
	"emu/cpu"
	"emu/decoder"
	"emu/ir"
)

var branchGroups = []groupRule{
	{decoder.ClassGeneral, "branch_imm", branchImm, false},
	{decoder.ClassGeneral, "condbranch", branchCond, false},
	{decoder.ClassGeneral, "compbranch", compareBranch, false},
	{decoder.ClassGeneral, "testbranch", testBranch, false},
}

func branchRules() []rule {
	return []rule{
		{decoder.BR_64_branch_reg, branchReg},
		{decoder.BLR_64_branch_reg, branchLinkReg},
		{decoder.RET_64R_branch_reg, branchRet},
		{decoder.SVC_EX_exception, supervisorCall},
		{decoder.BRK_EX_exception, breakpoint},
	}
}

// poll makes the current instruction a safe point. Every cycle of control flow has a
// backward branch, an indirect one, or a return that does not go to where its call
// came from: with only the other returns a function is left at a higher address each
// time that it comes back to it, and calls that go up come to an end. Calls that go
// down are safe points too. Backends look
// at what is pending at such returns, and at the targets of indirect branches, by themselves. Other safe
// points come before the branch has done anything: it is resumed by executing the branch again.
func (t *Translator) poll() { t.Poll(t.pc) }

// pollTo is poll for a direct branch.
// In a region it comes only where the branch leaves, and at the header of a loop.
func (t *Translator) pollTo(target uint64) {
	if target <= t.pc && !t.flow.capture {
		t.poll()
	}
}

// B <label>; BL <label>
func branchImm(t *Translator, i decoder.Inst) {
	target := t.pc + uint64(i.Imm26())
	if i.Bit(31) == 0 {
		t.pollTo(target)
		t.jump(target)
		return
	}
	if target <= t.pc && !t.flow.inlined {
		t.poll() // in regions as well: a recursion may take as long as a cycle
	}
	t.pushReturn()
	t.SetX(30, t.I64(t.next()))
	if t.flow.inlined {
		t.jump(target)
		return
	}
	t.Call(target, t.next())
}

// B.<cond> <label>; BC.<cond> <label>
func branchCond(t *Translator, i decoder.Inst) {
	target := t.pc + uint64(i.Imm19())
	t.pollTo(target)
	if i.Bits(3, 0) >= 14 {
		t.jump(target)
		return
	}
	t.jumpIf(t.cond(i.Bits(3, 0)), target, t.next())
}

// CBZ, CBNZ <Rt>, <label>
func compareBranch(t *Translator, i decoder.Inst) {
	t.branchZero(t.R(is64(i), i.Rt()), i.Bit(24) == 0, t.pc+uint64(i.Imm19()))
}

// TBZ, TBNZ <Rt>, #bit, <label>
func testBranch(t *Translator, i decoder.Inst) {
	bit := i.Bit(31)<<5 | i.Bits(23, 19)
	v := t.AndI(t.X(i.Rt()), 1<<bit)
	t.branchZero(v, i.Bit(24) == 0, t.pc+uint64(i.Imm14()))
}

// branchZero goes to target if v is zero (or if it is not), else on.
func (t *Translator) branchZero(v ir.Value, zero bool, target uint64) {
	t.pollTo(target)
	c := ir.NE
	if zero {
		c = ir.EQ
	}
	t.jumpIf(t.ICmp(c, v, t.Like(v, 0)), target, t.next())
}

// BR <Xn>
func branchReg(t *Translator, i decoder.Inst) {
	if t.flow.guess {
		t.guessed(t.X(i.Rn()))
		return
	}
	t.jumpOrCall(t.X(i.Rn()), t.flow.ret, t.branchType(t.pc, i))
}

// BLR <Xn>
func branchLinkReg(t *Translator, i decoder.Inst) {
	if t.flow.guess {
		t.guessed(t.X(i.Rn()))
		return
	}
	target := t.X(i.Rn())
	t.pushReturn()
	t.SetX(30, t.I64(t.next()))
	t.CallInd(target, t.next(), cpu.BranchCall)
}

// RET {<Xn>}
func branchRet(t *Translator, i decoder.Inst) {
	target := t.X(i.Rn())
	t.popReturn(target)
	if t.inlinedReturn(target) {
		return
	}
	t.Ret(target)
}

// SVC #imm
func supervisorCall(t *Translator, i decoder.Inst) {
	t.ExitArg(cpu.ExitSyscall, t.next(), t.I64(uint64(i.Imm16())))
}

// BRK #imm
func breakpoint(t *Translator, i decoder.Inst) {
	t.ExitArg(cpu.ExitBreakpoint, t.pc, t.I64(uint64(i.Imm16())))
}
