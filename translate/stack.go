package translate

import (
	"strings"

	"emu/cpu"
	"emu/decoder"
	"emu/ir"
)

// SP alignment (Arm ARM D1.4.8; Linux sets SCTLR_EL1.SA0). An access with SP as its base
// faults where SP is not a multiple of 16. Programs keep it one, so the accesses are not
// checked: what writes SP is, unless the new value is the old one and a multiple of 16,
// as it is in nearly all functions. Where SP gets misaligned the unit leaves for one of
// a mode of its own (cpu.State.CodeMode), in which the accesses fault.

const stackAlign = 16

// usesStack reports whether the instruction accesses memory with SP as the base.
func usesStack(i decoder.Inst) bool {
	const sp = 31
	return i.Rn() == sp && strings.Contains(decoder.RowOf(i.Op).Syntax, "[Xn|sp") && !strings.HasPrefix(i.Op.String(), "PRF")
}

// checkStack raises the SP alignment fault, in units of that mode.
func (t *Translator) checkStack(i decoder.Inst) {
	if !t.askew || !usesStack(i) {
		return
	}
	sp := t.XSP(31)
	t.If(t.ICmp(ir.NE, t.AndI(sp, stackAlign-1), ir.Imm(0)))
	t.ExitArg(cpu.ExitAlign, t.pc, sp)
	t.End()
}

// setSP sets SP. What follows the instruction is for leaveStack to say.
func (t *Translator) setSP(v ir.Value) {
	old := t.Known(31)
	t.Builder.SetX(31, v)
	t.stackSet = t.askew || !t.sameAlignment(old, v)
}

// sameAlignment reports whether SP is aligned for certain, if it was before.
func (t *Translator) sameAlignment(old, v ir.Value) bool {
	if c, ok := t.ConstOf(v); ok {
		return c.Lo%stackAlign == 0
	}
	if in := t.Insts[v]; in.Op() == ir.OpAnd {
		c, ok := t.ConstOf(in.B())
		return ok && c.Lo%stackAlign == 0
	}
	return old != ir.None && t.stackRoot(old) == t.stackRoot(v)
}

// stackRoot is the value from which v differs by a constant multiple of 16.
func (t *Translator) stackRoot(v ir.Value) ir.Value {
	for v.IsSSA() {
		in := t.Insts[v]
		if in.Op() != ir.OpAdd && in.Op() != ir.OpSub {
			break
		}
		c, ok := t.ConstOf(in.B())
		if !ok || c.Lo%stackAlign != 0 {
			break
		}
		v = in.A()
	}
	return v
}

// leaveStack goes on in another mode behind an instruction that has changed whether SP
// is aligned.
func (t *Translator) leaveStack() {
	if !t.stackSet || t.Terminated() {
		return
	}
	leave := ir.NE
	if t.askew {
		leave = ir.EQ
	}
	t.If(t.ICmp(leave, t.AndI(t.XSP(31), stackAlign-1), ir.Imm(0)))
	t.Exit(cpu.ExitMode, t.next())
	t.End()
}
