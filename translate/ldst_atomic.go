package translate

import (
	"emu/decoder"
	"emu/ir"
)

// Atomic memory operations (FEAT_LSE, FEAT_LSE128). The IR's are sequentially
// consistent, so the acquire and release bits make no difference.

var atomicGroups = []groupRule{
	{decoder.ClassGeneral, "memop", atomic, false},
	{decoder.ClassGeneral, "comswap", compareSwap, false},
	{decoder.ClassGeneral, "comswappr", compareSwapPair, false},
}

func pairAtomicRules() []rule {
	return []rule{
		{decoder.SWPP_128_memop_128, swapPair},
		{decoder.SWPPL_128_memop_128, swapPair},
		{decoder.SWPPA_128_memop_128, swapPair},
		{decoder.SWPPAL_128_memop_128, swapPair},
		{decoder.LDCLRP_128_memop_128, atomicPair(ir.OpAndNot)},
		{decoder.LDCLRPL_128_memop_128, atomicPair(ir.OpAndNot)},
		{decoder.LDCLRPA_128_memop_128, atomicPair(ir.OpAndNot)},
		{decoder.LDCLRPAL_128_memop_128, atomicPair(ir.OpAndNot)},
		{decoder.LDSETP_128_memop_128, atomicPair(ir.OpOr)},
		{decoder.LDSETPL_128_memop_128, atomicPair(ir.OpOr)},
		{decoder.LDSETPA_128_memop_128, atomicPair(ir.OpOr)},
		{decoder.LDSETPAL_128_memop_128, atomicPair(ir.OpOr)},
	}
}

// atomicOps are the operations by opc, bits 14:12.
var atomicOps = [8]ir.Op{
	ir.OpRmwAdd, ir.OpRmwClr, ir.OpRmwEor, ir.OpRmwSet,
	ir.OpRmwSMax, ir.OpRmwSMin, ir.OpRmwUMax, ir.OpRmwUMin,
}

// LDADD, LDCLR, LDEOR, LDSET, LDSMAX, LDSMIN, LDUMAX, LDUMIN, SWP <Rs>, <Rt>, [<Xn|SP>]
func atomic(t *Translator, i decoder.Inst) {
	op := atomicOps[i.Bits(14, 12)]
	if i.Bit(15) == 1 {
		op = ir.OpRmwSwp
	}
	ty := memType(i.Bits(31, 30))
	addr, v := t.XSP(i.Rn()), t.Trunc(ty, t.X(i.Rs()))
	t.checkAtomic(addr, ty.Bytes())
	t.SetR(i.Rt(), t.Op2(op, addr, v))
}

// CAS{B|H} <Rs>, <Rt>, [<Xn|SP>]
func compareSwap(t *Translator, i decoder.Inst) {
	ty := memType(i.Bits(31, 30))
	addr := t.XSP(i.Rn())
	expected, v := t.Trunc(ty, t.X(i.Rs())), t.Trunc(ty, t.X(i.Rt()))
	t.checkAtomic(addr, ty.Bytes())
	t.SetR(i.Rs(), t.Op3(ir.OpCas, addr, expected, v))
}

// CASP <Rs>, <R(s+1)>, <Rt>, <R(t+1)>, [<Xn|SP>]
func compareSwapPair(t *Translator, i decoder.Inst) {
	wide := i.Bit(30) == 1
	addr := t.XSP(i.Rn())
	expected, v := t.pair(wide, i.Rs(), i.Rs()+1), t.pair(wide, i.Rt(), i.Rt()+1)
	t.checkAtomic(addr, pairType(wide).Bytes())
	t.setPair(i.Rs(), i.Rs()+1, t.Op3(ir.OpCas, addr, expected, v))
}

// SWPP <Xt1>, <Xt2>, [<Xn|SP>]
func swapPair(t *Translator, i decoder.Inst) {
	addr, v := t.XSP(i.Rn()), t.pair(true, i.Rt(), i.Rm())
	t.checkAtomic(addr, 16)
	t.setPair(i.Rt(), i.Rm(), t.Op2(ir.OpRmwSwp, addr, v))
}

// LDCLRP, LDSETP <Xt1>, <Xt2>, [<Xn|SP>]: a loop around compare-and-swap. The
// first read need not be one access: where it is torn, the swap fails.
func atomicPair(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		addr, v := t.XSP(i.Rn()), t.pair(true, i.Rt(), i.Rm())
		t.checkAtomic(addr, 16)
		t.LoopRegs(ir.RegSet{}, t.Load(ir.V2I64, addr, ir.Imm(0)))
		old := t.Arg(0)
		found := t.Op3(ir.OpCas, addr, old, t.Op2(op, old, v))
		differ := t.Xor(found, old)
		same := t.ICmp(ir.EQ, t.Or(t.VGet(differ, 0), t.VGet(differ, 1)), ir.Imm(0))
		t.If(same)
		t.Break(0, found)
		t.End()
		t.Continue(0, found)
		t.setPair(i.Rt(), i.Rm(), t.End())
	}
}
