package translate

import (
	"emu/cpu"
	"emu/decoder"
	"emu/ir"
)

var systemGroups = []groupRule{
	{decoder.ClassSystem, "hints", hint, true},
	{decoder.ClassSystem, "systemmove", systemMove, false},
}

func systemRules() []rule {
	return []rule{
		{decoder.MSR_SI_pstate, msrImmediate},
		{decoder.YIELD_HI_hints, yield},
		{decoder.WFE_HI_hints, yield},
		{decoder.WFI_HI_hints, yield},
		{decoder.WFET_only_systeminstrswithreg, yield},
		{decoder.WFIT_only_systeminstrswithreg, yield},
		{decoder.DMB_BO_barriers, barrier},
		{decoder.DSB_BO_barriers, barrier},
		{decoder.DSB_BOn_barriers, barrierXS},
		{decoder.ISB_BI_barriers, instructionBarrier},
		{decoder.SB_only_barriers, speculationBarrier},
		{decoder.SYS_CR_systeminstrs, systemInstruction},
	}
}

// Hints without an effect here: NOP, SEV, SEVL, BTI, the pointer authentication
// hints of a processor without FEAT_PAuth, and those not allocated.
func hint(*Translator, decoder.Inst) {}

// YIELD, WFE, WFI, WFET, WFIT: other threads may run. Waking up at once is
// allowed for all of them (Arm ARM D1.6).
func yield(t *Translator, _ decoder.Inst) { t.Pause(t.next()) }

// DMB, DSB <option>: CRm[1:0] are the accesses, 0 meaning all of them.
func barrier(t *Translator, i decoder.Inst) {
	kind := int(i.Bits(9, 8))
	if kind == 0 {
		kind = ir.FenceAll
	}
	t.OpT(ir.OpFence, ir.Void, ir.Imm(kind), ir.None, ir.None)
}

// DSB <option>nXS
func barrierXS(t *Translator, _ decoder.Inst) {
	t.OpT(ir.OpFence, ir.Void, ir.Imm(ir.FenceAll), ir.None, ir.None)
}

// ISB: what follows is fetched anew, so the unit ends.
func instructionBarrier(t *Translator, _ decoder.Inst) {
	if t.opts.SyncOnISB {
		t.Exit(cpu.ExitSync, t.next())
		return
	}
	t.Jump(t.next())
}

// SB: nothing that it orders can be observed in the guest's state.
func speculationBarrier(*Translator, decoder.Inst) {}

// SYS operations at EL0: op1:CRn:CRm:op2.
const (
	sysICIVAU  = 3<<11 | 7<<7 | 5<<3 | 1
	sysDCZVA   = 3<<11 | 7<<7 | 4<<3 | 1
	sysDCCVAC  = 3<<11 | 7<<7 | 10<<3 | 1
	sysDCCVAU  = 3<<11 | 7<<7 | 11<<3 | 1
	sysDCCVAP  = 3<<11 | 7<<7 | 12<<3 | 1
	sysDCCVADP = 3<<11 | 7<<7 | 13<<3 | 1
	sysDCCIVAC = 3<<11 | 7<<7 | 14<<3 | 1

	// With FEAT_MTE: the tags of a block, and with zeroes for its data. The others are
	// those above for tags (op2 3) and for tags and data (op2 5).
	sysDCGVA      = 3<<11 | 7<<7 | 4<<3 | 3
	sysDCGZVA     = 3<<11 | 7<<7 | 4<<3 | 4
	sysDCTags     = 3 ^ 1
	sysDCTagsData = 5 ^ 1
)

// SYS #op1, Cn, Cm, #op2, <Xt>
func systemInstruction(t *Translator, i decoder.Inst) {
	addr := t.X(i.Rt())
	op := i.Bits(18, 5)
	if t.cpu.mte {
		if op == sysDCGVA || op == sysDCGZVA {
			t.tagBlock(addr, op == sysDCGZVA)
			return
		}
		op = withoutTags(op)
	}
	if t.cpu.gcs && t.gcsOperation(op, i.Rt()) {
		return
	}
	switch op {
	case sysICIVAU:
		t.ExitArg(cpu.ExitSync, t.next(), addr)
	case sysDCZVA:
		t.Op3(ir.OpSet64, t.AndI(addr, ^uint64(blockSize-1)), t.I64(0), ir.Imm(0))
	case sysDCCVAC, sysDCCVAU, sysDCCVAP, sysDCCVADP, sysDCCIVAC:
		// The host's caches are coherent; what remains is the fault where there
		// is no memory to clean.
		t.Builder.Load(ir.I8, t.plain(addr), ir.Imm(0))
	default:
		t.undefined()
	}
}
