package translate

import (
	"emu/decoder"
	"emu/ir"
)

// Read-check-write atomics of 64 bits (FEAT_THE; Arm ARM, shared pseudocode
// MemAtomicRCW and RCWCheck). They are made for translation tables, but defined at EL0
// like any other atomic. Which changes they allow is up to EL1, and under Linux is:
//
//   - TCR2_EL1.PnCH is 0, so there are no protected descriptors: the checks of all
//     forms are off. RCWCLR, RCWSET, RCWSWP and RCWCAS are LDCLR, LDSET, SWP and CAS that
//     say in the flags that they have written: C, or N and C where RCWCAS found
//     something else.
//   - The checks of the RCWS forms remain: bit 0 does not change, and where it is set
//     nothing else may change but the bits in RCWSMASK_EL1. Linux never writes this
//     register, whose value at reset is UNKNOWN; here it is zero. Where the checks fail
//     nothing is written and all flags are clear.
//
// The forms of 128 bits are UNDEFINED unless TCR2_EL1.D128 is set (IsD128Enabled),
// which Linux never does.

var rcwGroups = []groupRule{
	{decoder.ClassGeneral, "rcwcomswap", rcwCompareSwap, false},
}

// rcwRules are the rules of RCWCLR, RCWSET and RCWSWP, which are among the encodings
// of the other atomics: without and with acquire and release, hard and soft.
func rcwRules() (rules []rule) {
	for _, form := range []struct {
		op   ir.Op
		next func(t *Translator, old, v ir.Value) ir.Value
		ops  []decoder.Op
	}{
		{ir.OpRmwClr, (*Translator).AndNot, []decoder.Op{
			decoder.RCWCLR_64_memop, decoder.RCWCLRL_64_memop, decoder.RCWCLRA_64_memop, decoder.RCWCLRAL_64_memop,
			decoder.RCWSCLR_64_memop, decoder.RCWSCLRL_64_memop, decoder.RCWSCLRA_64_memop, decoder.RCWSCLRAL_64_memop,
		}},
		{ir.OpRmwSet, (*Translator).Or, []decoder.Op{
			decoder.RCWSET_64_memop, decoder.RCWSETL_64_memop, decoder.RCWSETA_64_memop, decoder.RCWSETAL_64_memop,
			decoder.RCWSSET_64_memop, decoder.RCWSSETL_64_memop, decoder.RCWSSETA_64_memop, decoder.RCWSSETAL_64_memop,
		}},
		{ir.OpRmwSwp, func(_ *Translator, _, v ir.Value) ir.Value { return v }, []decoder.Op{
			decoder.RCWSWP_64_memop, decoder.RCWSWPL_64_memop, decoder.RCWSWPA_64_memop, decoder.RCWSWPAL_64_memop,
			decoder.RCWSSWP_64_memop, decoder.RCWSSWPL_64_memop, decoder.RCWSSWPA_64_memop, decoder.RCWSSWPAL_64_memop,
		}},
	} {
		hard, soft := rcwHard(form.op), rcwSoft(form.next)
		for _, op := range form.ops {
			fn := hard
			if decoder.RowOf(op).Value>>30&1 == 1 {
				fn = soft
			}
			rules = append(rules, rule{op, fn})
		}
	}
	return rules
}

// readsChecksWrites reports whether the processor has the instructions; they are
// undefined if not.
func (t *Translator) readsChecksWrites() bool {
	if !t.cpu.the {
		t.undefined()
	}
	return t.cpu.the
}

// RCWCLR, RCWSET, RCWSWP <Xs>, <Xt>, [<Xn|SP>]
func rcwHard(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		if !t.readsChecksWrites() {
			return
		}
		addr, v := t.XSP(i.Rn()), t.X(i.Rs())
		t.checkAtomic(addr, 8)
		old := t.Op2(op, addr, v)
		t.setPacked(t.I64(1 << bitC))
		t.SetX(i.Rt(), old)
	}
}

// RCWSCLR, RCWSSET, RCWSSWP <Xs>, <Xt>, [<Xn|SP>]: a loop around compare-and-swap, which
// writes what is there where the checks fail, so that memory without write permission
// faults all the same.
func rcwSoft(next func(t *Translator, old, v ir.Value) ir.Value) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		if !t.readsChecksWrites() {
			return
		}
		addr, v := t.XSP(i.Rn()), t.X(i.Rs())
		t.checkAtomic(addr, 8)
		t.LoopRegs(ir.RegSet{}, t.Load(ir.I64, addr, ir.Imm(0)))
		old := t.Arg(0)
		now := next(t, old, v)
		found := t.Op3(ir.OpCas, addr, old, t.Select(t.rcwsAllows(old, now), now, old))
		t.If(t.ICmp(ir.EQ, found, old))
		t.Break(0, found)
		t.End()
		t.Continue(0, found)
		old = t.End()
		t.setPacked(t.ShlI(t.Zext(ir.I64, t.rcwsAllows(old, next(t, old, v))), bitC))
		t.SetX(i.Rt(), old)
	}
}

// RCWCAS, RCWSCAS <Xs>, <Xt>, [<Xn|SP>]: bit 30 is the soft form.
func rcwCompareSwap(t *Translator, i decoder.Inst) {
	if !t.readsChecksWrites() {
		return
	}
	addr, expected, v := t.XSP(i.Rn()), t.X(i.Rs()), t.X(i.Rt())
	t.checkAtomic(addr, 8)
	written := t.I64(1 << bitC)
	if i.Bit(30) == 1 {
		allowed := t.rcwsAllows(expected, v)
		v = t.Select(allowed, v, expected)
		written = t.ShlI(t.Zext(ir.I64, allowed), bitC)
	}
	old := t.Op3(ir.OpCas, addr, expected, v)
	t.setPacked(t.Select(t.ICmp(ir.EQ, old, expected), written, t.I64(1<<bitN|1<<bitC)))
	t.SetX(i.Rs(), old)
}

// rcwsAllows reports whether the RCWS checks let now replace old.
func (t *Translator) rcwsAllows(old, now ir.Value) ir.Value {
	const valid = 1 // bit 0 of a descriptor
	fixed := t.OrI(t.Neg(t.AndI(old, valid)), valid)
	return t.ICmp(ir.EQ, t.And(t.Xor(old, now), fixed), ir.Imm(0))
}
