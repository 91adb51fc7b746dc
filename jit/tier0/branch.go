package tier0

import (
	"emu/cpu"
	"emu/decoder"
)

var branchRules = []rule{
	{decoder.ClassGeneral, "branch_imm", branchImm, true},
	{decoder.ClassGeneral, "condbranch", branchCond, true},
	{decoder.ClassGeneral, "compbranch", compareBranch, true},
	{decoder.ClassGeneral, "testbranch", testBranch, true},
	{decoder.ClassGeneral, "branch_reg", branchReg, true},
}

// opRules are encodings without a group here.
var opRules = []opRule{
	{decoder.NOP_HI_hints, nop},
	{decoder.BTI_HB_hints, nop}, // who branched here has looked at it
	{decoder.MRS_RS_systemmove, readSysReg},
	{decoder.PACIASP_HI_hints, sign(cpu.KeyIA)},
	{decoder.PACIBSP_HI_hints, sign(cpu.KeyIB)},
	{decoder.AUTIASP_HI_hints, authenticate(cpu.KeyIA)},
	{decoder.AUTIBSP_HI_hints, authenticate(cpu.KeyIB)},
}

func nop(*Machine, *cpu.State, decoder.Inst) {}

// tpidr is op0:op1:CRn:CRm:op2 of TPIDR_EL0, as in bits 20:5 of MRS.
const tpidr = 3<<14 | 3<<11 | 13<<7 | 2

// MRS <Xt>, TPIDR_EL0
func readSysReg(m *Machine, s *cpu.State, i decoder.Inst) {
	if i.Bits(20, 5) != tpidr {
		m.declined = true
		return
	}
	setX(s, i.Rt(), s.TPIDR)
}

// jump makes the block lead to the instruction off bytes from the current one.
func (m *Machine) jump(off int64) {
	m.next = m.pc + uint64(off)
	if off <= 0 {
		m.Branch = Backward
	}
}

// B <label>; BL <label>
func branchImm(m *Machine, s *cpu.State, i decoder.Inst) {
	m.jump(i.Imm26())
	if i.Bit(31) == 1 {
		s.X[30] = m.pc + 4
		m.Branch = Call
	}
}

// B.<cond> <label>; BC.<cond> <label>
func branchCond(m *Machine, s *cpu.State, i decoder.Inst) {
	if holds(s.NZCV, i.Bits(3, 0)) {
		m.jump(i.Imm19())
	}
}

// CBZ, CBNZ <Rt>, <label>
func compareBranch(m *Machine, s *cpu.State, i decoder.Inst) {
	if (sized(i, x(s, i.Rt())) == 0) == (i.Bit(24) == 0) {
		m.jump(i.Imm19())
	}
}

// TBZ, TBNZ <Rt>, #bit, <label>
func testBranch(m *Machine, s *cpu.State, i decoder.Inst) {
	if uint32(x(s, i.Rt())>>(i.Bit(31)<<5|i.Bits(23, 19)))&1 == i.Bit(24) {
		m.jump(i.Imm14())
	}
}

// Bits 24:21 of branches to a register.
const (
	opBLR = 1
	opRET = 2
)

// BR, BLR, RET <Xn>
func branchReg(m *Machine, s *cpu.State, i decoder.Inst) {
	op, target, kind := i.Bits(24, 21), x(s, i.Rn()), cpu.BranchNone
	if op < opRET {
		kind = cpu.BranchBy(i.Rn(), op == opBLR, m.Targets != nil && m.Targets.Guarded(m.pc))
	}
	if op > opRET || m.Targets != nil && !m.Targets.Lands(target, kind) {
		m.declined = true
		return
	}
	switch op {
	case opBLR:
		s.X[30] = m.pc + 4
	case opRET:
		popReturn(s, target)
	}
	m.next, m.Branch, m.Kind = target, Indirect, kind
}
