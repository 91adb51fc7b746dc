package translate

import (
	"emu/cpu"
	"emu/decoder"
	"emu/ir"
)

// The guarded control stack (FEAT_GCS; Arm ARM D11). A thread that has asked for it runs
// units of a mode of their own (cpu.State.CodeMode), in which calls push the return
// address to the shadow stack that GCSPR_EL0 points to, and returns compare it with
// theirs. Entries are accessed through the view of shadow stacks (package cpu), and only
// there: an address outside of their part of the address space leaves with ExitShadow.
//
// What is done for EL0 only is here: GCSPUSHX, GCSPOPX and GCSPOPCX are UNDEFINED. So is
// GCSPUSHM without GCSCRE0_EL1.PUSHMEn, by way of a trap to EL1.

func gcsRules() []rule {
	return []rule{
		{decoder.CHKFEAT_HI_hints, checkFeature},
		{decoder.SYSL_RC_systeminstrs, systemInstructionL},
		{decoder.GCSSTR_64_ldst_gcs, storeGCS},
		{decoder.GCSSTTR_64_ldst_gcs, storeGCS},
	}
}

// Operations of SYS and SYSL.
const (
	sysGCSPUSHM = 3<<11 | 7<<7 | 7<<3
	sysGCSPOPM  = 3<<11 | 7<<7 | 7<<3 | 1
	sysGCSSS1   = 3<<11 | 7<<7 | 7<<3 | 2
	sysGCSSS2   = 3<<11 | 7<<7 | 7<<3 | 3
)

// Tokens in the low bits of entries.
const (
	gcsValid      = 1     // of a cap, in bits 11:0
	gcsInProgress = 5     // of a stack that is being switched to, in bits 2:0
	gcsToken      = 7     // these
	gcsCapToken   = 0xfff // those of a cap
)

// entry is the address of the view of the entry at addr, which has no top byte.
func (t *Translator) entry(addr ir.Value, write bool) ir.Value {
	place := addr
	if write {
		place = t.OrI(addr, 1)
	}
	t.If(t.ICmp(ir.NE, t.LShrI(addr, cpu.ShadowBits), t.I64(cpu.ShadowBase>>cpu.ShadowBits)))
	t.ExitArg(cpu.ExitShadow, t.pc, place)
	t.End()
	return t.OrI(addr, cpu.ShadowView)
}

func (t *Translator) loadEntry(addr ir.Value) ir.Value {
	return t.Builder.Load(ir.I64, t.entry(addr, false), ir.Imm(0))
}

func (t *Translator) storeEntry(v, addr ir.Value) {
	t.Builder.Store(v, t.entry(addr, true), ir.Imm(0))
}

func (t *Translator) gcspr() ir.Value     { return t.sysReg(ir.SysGCSPR) }
func (t *Translator) setGCSPR(v ir.Value) { writeSys(ir.SysGCSPR)(t, v) }

// gcsException raises a GCS exception if cond is true.
func (t *Translator) gcsException(cond ir.Value) {
	t.If(cond)
	t.Exit(cpu.ExitGCS, t.pc)
	t.End()
}

// without leaves with undefined, or else with a GCS exception, where the thread may not
// do what a bit of cpu.State.GCSMode stands for.
func (t *Translator) without(mode uint64, undefined bool) {
	t.If(t.ICmp(ir.EQ, t.AndI(t.sysReg(ir.SysGCSMode), mode), ir.Imm(0)))
	if undefined {
		t.undefined()
	} else {
		t.Exit(cpu.ExitGCS, t.pc)
	}
	t.End()
}

// push is AddGCSRecord of the Arm ARM.
func (t *Translator) push(v ir.Value) {
	at := t.AddI(t.gcspr(), ^uint64(7))
	t.storeEntry(v, at)
	t.setGCSPR(at)
}

// pushReturn pushes the return address of a call.
func (t *Translator) pushReturn() {
	if t.gcs {
		t.push(t.I64(t.next()))
	}
}

// popReturn is LoadCheckGCSRecord: what is popped has to be the target of a return.
func (t *Translator) popReturn(target ir.Value) {
	if !t.gcs {
		return
	}
	at := t.gcspr()
	t.gcsException(t.ICmp(ir.NE, t.loadEntry(at), target))
	t.setGCSPR(t.AddI(at, 8))
}

// CHKFEAT X16: clears the bits of what is enabled.
func checkFeature(t *Translator, _ decoder.Inst) {
	const gcs = 1 << 0
	if t.gcs {
		t.SetX(16, t.AndI(t.X(16), ^uint64(gcs)))
	}
}

// gcsOperation translates GCSPUSHM and GCSSS1. It reports whether op is one of them.
func (t *Translator) gcsOperation(op, rt uint32) bool {
	switch op {
	case sysGCSPUSHM:
		t.without(cpu.GCSPush, true)
		if t.gcs {
			t.push(t.X(rt))
		}
	case sysGCSSS1:
		if t.gcs {
			t.switchStack(t.X(rt))
		}
	default:
		return false
	}
	return true
}

// GCSSS1 <Xt>: the cap of the stack to be switched to becomes a token with the address of
// the old one's last entry.
func (t *Translator) switchStack(incoming ir.Value) {
	valid := t.OrI(t.AndI(incoming, ^uint64(gcsCapToken)), gcsValid)
	token := t.OrI(t.AndI(t.gcspr(), ^uint64(gcsToken)), gcsInProgress)
	t.checkAlign(incoming, 8)
	found := t.Builder.Op3(ir.OpCas, t.entry(t.plain(incoming), true), valid, token)
	t.gcsException(t.ICmp(ir.NE, found, valid))
	t.setGCSPR(t.AndI(incoming, ^uint64(gcsToken)))
}

// SYSL <Xt>, #op1, Cn, Cm, #op2: GCSPOPM and GCSSS2, which leave Xt alone while there is
// no guarded control stack.
func systemInstructionL(t *Translator, i decoder.Inst) {
	op := i.Bits(18, 5)
	switch {
	case !t.cpu.gcs || op != sysGCSPOPM && op != sysGCSSS2:
		t.undefined()
	case !t.gcs:
	case op == sysGCSPOPM:
		at := t.gcspr()
		v := t.loadEntry(at)
		t.gcsException(t.ICmp(ir.NE, t.AndI(v, 3), ir.Imm(0)))
		t.setGCSPR(t.AddI(at, 8))
		t.SetX(i.Rt(), v)
	default:
		t.SetX(i.Rt(), t.finishSwitch())
	}
}

// GCSSS2 <Xt>: the old stack gets a cap, whose address is the result.
func (t *Translator) finishSwitch() ir.Value {
	at := t.gcspr()
	v := t.loadEntry(at)
	t.gcsException(t.ICmp(ir.NE, t.AndI(v, gcsToken), t.I64(gcsInProgress)))
	old := t.AddI(t.AndI(v, ^uint64(gcsToken)), ^uint64(7))
	t.storeEntry(t.OrI(t.AndI(old, ^uint64(gcsCapToken)), gcsValid), t.plain(old))
	t.setGCSPR(t.AddI(at, 8))
	return old
}

// GCSSTR, GCSSTTR <Xt>, [<Xn|SP>]
func storeGCS(t *Translator, i decoder.Inst) {
	t.without(cpu.GCSWrite, false)
	addr := t.plain(t.XSP(i.Rn()))
	t.checkAlign(addr, 8)
	t.storeEntry(t.X(i.Rt()), addr)
}
