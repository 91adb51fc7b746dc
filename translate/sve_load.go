package translate

import (
	"emu/cpu"
	"emu/decoder"
)

// SVE loads of consecutive elements, and prefetches. That an access
// is not temporal tells the host nothing that it could use.
var sveLoads = []groupRule{
	{decoder.ClassSVE, "mem_cld_ss", loadContiguous, false},
	{decoder.ClassSVE, "mem_cld_si", loadContiguous, false},
	{decoder.ClassSVE, "mem_cldnt_ss", loadSameSize, false},
	{decoder.ClassSVE, "mem_cldnt_si", loadSameSize, false},
	{decoder.ClassSVE, "mem_ldqr_ss", loadSameSize, false},
	{decoder.ClassSVE, "mem_ldqr_si", loadSameSize, false},
}

// dtype is the field of contiguous loads that loadElements decodes.
func dtype(i decoder.Inst) uint32 { return i.Bits(24, 21) }

// LD1B and its kind { <Zt>.<T> }, <Pg>/Z, [<Xn|SP>{, #imm, MUL VL}]; [<Xn|SP>, <Xm>{, LSL #amount}]
func loadContiguous(t *Translator, i decoder.Inst) {
	e := loadElements(dtype(i))
	t.SetV(i.Rd(), t.loadVector(e, t.contiguous(i, e.msize, e.bytes()), t.P(pg(i))))
}

// LDNT1B, LD1RQB and their kind { <Zt>.<T> }, <Pg>/Z, [<Xn|SP>{, #imm, MUL VL}]; [<Xn|SP>, <Xm>{, LSL #amount}].
// LD1RQ repeats 16 bytes, which are the vector here.
func loadSameSize(t *Translator, i decoder.Inst) {
	e := sameSize(msz(i))
	t.SetV(i.Rd(), t.loadVector(e, t.contiguous(i, e.msize, e.bytes()), t.P(pg(i))))
}

// Prefetches of what several addresses point to would cost more than they gain.
var svePrefetches = []groupRule{
	{decoder.ClassSVE, "mem_prfm_ss", prefetchContiguous, false},
	{decoder.ClassSVE, "mem_prfm_si", prefetchContiguous, false},
	{decoder.ClassSVE, "mem_32b_prfm_sv", prefetchNothing, false},
	{decoder.ClassSVE, "mem_32b_prfm_vi", prefetchNothing, false},
	{decoder.ClassSVE, "mem_64b_prfm_sv", prefetchNothing, false},
	{decoder.ClassSVE, "mem_64b_prfm_sv2", prefetchNothing, false},
	{decoder.ClassSVE, "mem_64b_prfm_vi", prefetchNothing, false},
}

// PRFB and its kind <prfop>, <Pg>, [<Xn|SP>{, #imm, MUL VL}]; [<Xn|SP>, <Xm>{, LSL #amount}]
func prefetchContiguous(t *Translator, i decoder.Inst) {
	a := t.at(i.Rn(), decoder.SignExtend(i.Bits(21, 16), 6)*cpu.VectorBytes)
	if !hasImmediate(i) {
		a = t.contiguous(i, msz(i), 0)
	}
	t.prefetch(i.SVEPrefetch(), a)
}
