package translate

import (
	"emu/decoder"
	"emu/ir"
)

var sveReplicates = []groupRule{{decoder.ClassSVE, "mem_ld_dup", loadReplicate, false}}

// LD1RB and its kind { <Zt>.<T> }, <Pg>/Z, [<Xn|SP>{, #imm}]: the active elements are all
// the one in memory, which is read if there are any.
func loadReplicate(t *Translator, i decoder.Inst) {
	e := loadElements(i.Bits(24, 23)<<2 | i.Bits(14, 13))
	a := t.at(i.Rn(), int64(i.Bits(21, 16))<<e.msize)
	n := 1 << e.msize
	ty := intVec(e.size)
	p := t.P(pg(i))
	if t.isAllTrue(p, e.size) {
		v := t.Load(partType(n), a.base, a.off)
		if e.size == e.msize {
			t.SetV(i.Rd(), t.VDup(v))
			return
		}
		v = t.extendElements(e, t.Bitcast(intVec(e.msize), t.VFrom(v)))
		t.SetV(i.Rd(), t.op2(ir.OpVDupL, ty, v, ir.Imm(0)))
		return
	}
	some := t.ICmp(ir.NE, t.elements(p, e.size), ir.Imm(0))
	v := t.LoadP(intVec(e.msize), t.sum(a), t.Neg(t.Zext(ir.I64, some)), n)
	v = t.op2(ir.OpVDupL, ty, t.extendElements(e, v), ir.Imm(0))
	t.SetV(i.Rd(), t.zeroing(pg(i), v))
}
