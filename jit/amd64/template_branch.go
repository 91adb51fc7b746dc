package amd64

import (
	"emu/cpu"
	"emu/decoder"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

// Templates of branches: the end of a block, or where it goes on. Safe points are where the
// translation has them (translate.Translator.poll).
var templateBranchRules = []templateRule{
	{decoder.ClassGeneral, "branch_imm", templateBranchImm, templateEnds},
	{decoder.ClassGeneral, "condbranch", templateBranchCond, templateEnds | templateCond | templateReads},
	{decoder.ClassGeneral, "compbranch", templateCompareBranch, templateEnds | templateCond},
	{decoder.ClassGeneral, "testbranch", templateTestBranch, templateEnds | templateCond},
	{decoder.ClassGeneral, "branch_reg", templateBranchReg, templateEnds},
}

// exit leaves for guest address pc.
func (t *template) exit(pc uint64) { t.c.exitTo(pc, host.SiteJump, 0) }

// exits leaves for target if cc holds, else for the next instruction, unless the block goes on
// at either. All registers and flags are where units have them.
func (t *template) exits(cc x64.Cond, target uint64) {
	c := t.c
	next, on := t.goesOn()
	if on && next == target {
		cc, target = cc.Invert(), t.pc+4
	}
	c.exitTo(target, host.SiteCond, cc)
	if !on {
		t.exit(t.pc + 4)
		return
	}
	c.code.Exits[len(c.code.Exits)-1].Site = uint16(1 + (t.pc-t.f.PC)/4)
}

// poll is a safe point in front of the current instruction.
func (t *template) poll() {
	p := t.side()
	p.exit, p.pc = cpu.ExitPoll, t.pc
	t.b.MI(x64.CMPL, state(offPending), 0)
	t.b.JccNear(x64.NE, p.from)
	t.lose()
}

// pollTo is poll for a direct branch.
func (t *template) pollTo(target uint64) {
	if target <= t.pc {
		t.poll()
	}
}

// B <label>; BL <label>
func templateBranchImm(t *template, i decoder.Inst) {
	target := t.pc + uint64(i.Imm26())
	t.pollTo(target)
	if i.Bit(31) == 0 {
		if _, on := t.goesOn(); !on {
			t.exit(target)
		}
		return
	}
	t.link()
	t.pushReturn(directCall(target))
	t.c.exitTo(target, host.SiteCall, 0)
	t.c.afterReturn(t.pc + 4)
}

// link sets X30 to where the call that the current instruction is returns to.
func (t *template) link() { t.constant(30, t.pc+4) }

// pushReturn pushes X30, which link has set. The push may run off the native stack, and
// the guest then goes on at the callee.
func (t *template) pushReturn(to callee) {
	t.c.mayOverflow(to)
	t.b.R(x64.PUSH, t.xsp(30))
}

// B.<cond> <label>; BC.<cond> <label>
func templateBranchCond(t *template, i decoder.Inst) {
	target := t.pc + uint64(i.Imm19())
	if i.Bits(3, 0) >= 14 {
		t.declined = true // rare
		return
	}
	t.pollTo(target)
	t.exits(t.cond(i.Bits(3, 0)), target)
}

// CBZ, CBNZ <Rt>, <label>
func templateCompareBranch(t *template, i decoder.Inst) {
	target := t.pc + uint64(i.Imm19())
	t.pollTo(target)
	r := t.x(i.Rt(), x64.RCX)
	t.b.RR(sizedOp(i, x64.TESTL), r, r)
	t.lose()
	t.exits(x64.EQ^x64.Cond(i.Bit(24)), target)
}

// TBZ, TBNZ <Rt>, #bit, <label>
func templateTestBranch(t *template, i decoder.Inst) {
	target := t.pc + uint64(i.Imm14())
	bit := int32(i.Bit(31)<<5 | i.Bits(23, 19))
	t.pollTo(target)
	r := t.x(i.Rt(), x64.RCX)
	cc := x64.EQ
	switch {
	case bit < 8:
		t.b.RI(x64.TESTB, r, int32(int8(1<<bit)))
	case bit < 31:
		t.b.RI(x64.TESTL, r, 1<<bit)
	case bit == 31:
		t.b.RR(x64.TESTL, r, r)
		cc = x64.NS
	case bit == 63:
		t.b.RR(x64.TESTQ, r, r)
		cc = x64.NS
	default:
		t.b.RI(x64.BTQ, r, bit)
		cc = x64.NC
	}
	t.lose()
	t.exits(cc^x64.Cond(i.Bit(24)), target)
}

// BR, BLR, RET <Xn>
func templateBranchReg(t *template, i decoder.Inst) {
	kind, rn := i.Bits(24, 21), i.Rn()
	if kind > 2 || rn == 31 {
		t.declined = true
		return
	}
	t.b.RR(x64.MOVQ, x64.RAX, t.xsp(rn))
	c := t.c
	branch := cpu.BranchBy(rn, kind == 1, c.opt.Guarded)
	switch kind {
	case 0: // BR
		c.note()
		m := c.lookup(branch)
		t.b.JccAddr(x64.NE, uint64(host.Miss(branch)))
		t.b.M(x64.JMP, m)
	case 1: // BLR
		t.link()
		c.note()
		to := indirectCall(branch)
		t.pushReturn(to)
		m := c.lookup(branch)
		p := c.newCold(coldMissCall)
		p.to = to
		t.b.JccNear(x64.NE, p.from)
		c.mayOverflow(to)
		t.b.M(x64.CALL, m)
		t.b.Bind(p.back)
		c.afterReturn(t.pc + 4)
	default: // RET
		t.b.RM(x64.CMPQ, x64.RAX, x64.At(rStack, 8))
		t.b.JccAddr(x64.NE, uint64(host.StubIndirect))
		t.b.Ret()
	}
}
