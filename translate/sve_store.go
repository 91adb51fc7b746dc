package translate

import "emu/decoder"

// SVE stores of consecutive elements.
var sveStores = []groupRule{
	{decoder.ClassSVE, "mem_cst_ss", storeContiguous, false},
	{decoder.ClassSVE, "mem_cst_si", storeContiguous, false},
	{decoder.ClassSVE, "mem_cstnt_ss", storeSameSize, false},
	{decoder.ClassSVE, "mem_cstnt_si", storeSameSize, false},
}

// ST1B and its kind { <Zt>.<T> }, <Pg>, [<Xn|SP>{, #imm, MUL VL}]; [<Xn|SP>, <Xm>{, LSL #amount}]
func storeContiguous(t *Translator, i decoder.Inst) {
	t.storeConsecutive(i, memElements{msz(i), i.Bits(22, 21), false})
}

// STNT1B and its kind { <Zt>.<T> }, <Pg>, [<Xn|SP>{, #imm, MUL VL}]; [<Xn|SP>, <Xm>{, LSL #amount}]
func storeSameSize(t *Translator, i decoder.Inst) { t.storeConsecutive(i, sameSize(msz(i))) }

func (t *Translator) storeConsecutive(i decoder.Inst, e memElements) {
	t.storeVector(e, t.contiguous(i, e.msize, e.bytes()), t.P(pg(i)), t.V(i.Rd(), intVec(e.size)))
}
