package translate

import (
	"emu/decoder"
	"emu/ir"
)

// Loads and stores of one general register. All forms have size in bits 31:30
// and opc in bits 23:22. LDTR and STTR are plain accesses at EL0.

var loadStoreGroups = []groupRule{
	{decoder.ClassGeneral, "ldst_pos", ldstPos, false},
	{decoder.ClassGeneral, "ldst_unscaled", ldstUnscaled, false},
	{decoder.ClassGeneral, "ldst_unpriv", ldstUnscaled, false},
	{decoder.ClassGeneral, "ldst_immpre", ldstIndexed, false},
	{decoder.ClassGeneral, "ldst_immpost", ldstIndexed, false},
	{decoder.ClassGeneral, "ldst_regoff", ldstRegoff, false},
	{decoder.ClassGeneral, "loadlit", loadLiteral, false},
}

// Prefetches are hints, and never fault. Those of code and of ranges do nothing, and so do
// all where addresses have a top byte that the host's would take for theirs.
func prefetchRules() []rule {
	return []rule{
		{decoder.PRFM_P_ldst_pos, prefetchPos},
		{decoder.PRFM_P_ldst_regoff, prefetchRegoff},
		{decoder.PRFM_P_loadlit, prefetchNothing},
		{decoder.PRFUM_P_ldst_unscaled, prefetchUnscaled},
		{decoder.RPRFM_R_ldst_regoff, prefetchNothing},
	}
}

func prefetchNothing(*Translator, decoder.Inst) {}

// PRFM <prfop>, [<Xn|SP>{, #pimm}]
func prefetchPos(t *Translator, i decoder.Inst) {
	t.prefetch(i.Rt(), t.at(i.Rn(), int64(i.Imm12())<<3))
}

// PRFUM <prfop>, [<Xn|SP>{, #simm}]
func prefetchUnscaled(t *Translator, i decoder.Inst) {
	t.prefetch(i.Rt(), t.at(i.Rn(), i.Imm9()))
}

// PRFM <prfop>, [<Xn|SP>, <Rm>{, extend {#amount}}]
func prefetchRegoff(t *Translator, i decoder.Inst) {
	t.prefetch(i.Rt(), t.atReg(i.Rn(), i.Rm(), i.Bits(15, 13), uint(3*i.Bit(12))))
}

func (t *Translator) prefetch(prfop uint32, a address) {
	level, ok := decoder.Prefetch(prfop)
	if ok && t.tags == tagsFault {
		t.OpT(ir.OpPrefetch, ir.Void, a.base, a.off, ir.Imm(int(level)))
	}
}

// memType is the integer type of an access of 1 << size bytes.
func memType(size uint32) ir.Type { return ir.I8 + ir.Type(size) }

// LDR*, STR* <Rt>, [<Xn|SP>{, #pimm}]
func ldstPos(t *Translator, i decoder.Inst) {
	t.transfer(i, t.at(i.Rn(), int64(i.Imm12())<<i.Bits(31, 30)))
}

// LDUR*, STUR*, LDTR*, STTR* <Rt>, [<Xn|SP>{, #simm}]
func ldstUnscaled(t *Translator, i decoder.Inst) {
	t.transfer(i, t.at(i.Rn(), i.Imm9()))
}

// LDR*, STR* <Rt>, [<Xn|SP>, #simm]!; LDR*, STR* <Rt>, [<Xn|SP>], #simm. Where
// the base is also the register transferred (CONSTRAINED UNPREDICTABLE), a store
// stores the old base and a load leaves the new one.
func ldstIndexed(t *Translator, i decoder.Inst) {
	pre, post := i.Imm9(), int64(0)
	if i.Bit(11) == 0 {
		pre, post = 0, i.Imm9()
	}
	a := t.at(i.Rn(), pre)
	t.transfer(i, a)
	t.SetXSP(i.Rn(), t.AddI(a.base, uint64(pre+post))) // in the base's place, which nothing needs then
}

// LDR*, STR* <Rt>, [<Xn|SP>, <Rm>{, extend {#amount}}]
func ldstRegoff(t *Translator, i decoder.Inst) {
	shift := uint(i.Bit(12) * i.Bits(31, 30))
	t.transfer(i, t.atReg(i.Rn(), i.Rm(), i.Bits(15, 13), shift))
}

// transfer loads or stores Rt as size and opc say: opc 0 stores, 1 loads and
// zero-extends, 2 and 3 sign-extend to 64 and 32 bits.
func (t *Translator) transfer(i decoder.Inst, a address) {
	size := i.Bits(31, 30)
	switch i.Bits(23, 22) {
	case 0:
		t.Store(t.Trunc(memType(size), t.X(i.Rt())), a.base, a.off)
	case 1:
		t.SetR(i.Rt(), t.Load(memType(size), a.base, a.off))
	case 2:
		t.SetX(i.Rt(), t.LoadS(ir.I64, 8<<size, a.base, a.off))
	case 3:
		t.SetW(i.Rt(), t.LoadS(ir.I32, 8<<size, a.base, a.off))
	}
}

// LDR <Rt>, <label>; LDRSW <Xt>, <label>
func loadLiteral(t *Translator, i decoder.Inst) {
	addr := t.I64(t.pc + uint64(i.Imm19()))
	switch i.Bits(31, 30) {
	case 0:
		t.SetR(i.Rt(), t.Load(ir.I32, addr, ir.Imm(0)))
	case 1:
		t.SetX(i.Rt(), t.Load(ir.I64, addr, ir.Imm(0)))
	case 2:
		t.SetX(i.Rt(), t.LoadS(ir.I64, 32, addr, ir.Imm(0)))
	}
}
