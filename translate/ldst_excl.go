package translate

import (
	"emu/decoder"
	"emu/ir"
)

// Exclusives, and the ordered loads and stores (LDAR, STLR, LDAPR, LDAPUR ...).
// What alignment they ask for depends on FEAT_LSE2 (Arm ARM, shared pseudocode
// AArch64.UnalignedAccessFaults).

var exclusiveGroups = []groupRule{
	{decoder.ClassGeneral, "ldstexclr", exclusive, false},
	{decoder.ClassGeneral, "ldstexclp", exclusivePair, false},
}

func exclusiveRules() []rule {
	return []rule{
		{decoder.CLREX_BN_barriers, clearExclusive},
		{decoder.LDAPRB_32L_memop, loadAcquire},
		{decoder.LDAPRH_32L_memop, loadAcquire},
		{decoder.LDAPR_32L_memop, loadAcquire},
		{decoder.LDAPR_64L_memop, loadAcquire},
	}
}

var orderedGroups = []groupRule{
	{decoder.ClassGeneral, "ldstord", ordered, false},
	{decoder.ClassGeneral, "ldapstl_unscaled", orderedUnscaled, false},
	{decoder.ClassGeneral, "ldapstl_writeback", orderedWriteback, false},
	{decoder.ClassGeneral, "ldiappstilp", orderedPair, false},
}

// LDXR, LDAXR{B|H} <Rt>, [<Xn|SP>]; STXR, STLXR{B|H} <Ws>, <Rt>, [<Xn|SP>]. The
// IR's exclusives are acquire and release anyhow.
func exclusive(t *Translator, i decoder.Inst) {
	ty := memType(i.Bits(31, 30))
	addr := t.XSP(i.Rn())
	if i.Bit(22) == 1 {
		t.checkAtomic(addr, ty.Bytes())
		t.SetR(i.Rt(), t.OpT(ir.OpLoadEx, ty, addr, ir.None, ir.None))
		return
	}
	v := t.Trunc(ty, t.X(i.Rt()))
	t.checkAtomic(addr, ty.Bytes())
	t.SetW(i.Rs(), t.Op2(ir.OpStoreEx, addr, v))
}

// LDXP, LDAXP <Rt>, <Rt2>, [<Xn|SP>]; STXP, STLXP <Ws>, <Rt>, <Rt2>, [<Xn|SP>]
func exclusivePair(t *Translator, i decoder.Inst) {
	wide := i.Bit(30) == 1
	addr := t.XSP(i.Rn())
	if i.Bit(22) == 1 {
		ty := pairType(wide)
		t.checkAtomic(addr, ty.Bytes())
		t.setPair(i.Rt(), i.Rt2(), t.OpT(ir.OpLoadEx, ty, addr, ir.None, ir.None))
		return
	}
	v := t.pair(wide, i.Rt(), i.Rt2())
	t.checkAtomic(addr, t.TypeOf(v).Bytes())
	t.SetW(i.Rs(), t.Op2(ir.OpStoreEx, addr, v))
}

// pairType is the type in which two registers travel as one: the first is the
// low half, at the lower address.
func pairType(wide bool) ir.Type {
	if wide {
		return ir.V2I64
	}
	return ir.I64
}

// pair joins two registers.
func (t *Translator) pair(wide bool, lo, hi uint32) ir.Value {
	if !wide {
		low := t.Zext(ir.I64, t.W(lo))
		return t.Op3(ir.OpBfi, low, t.X(hi), t.I64(32<<8|32))
	}
	return t.Op3(ir.OpVSet, t.VFrom(t.X(lo)), t.X(hi), ir.Imm(1))
}

// setPair splits what pair joined.
func (t *Translator) setPair(lo, hi uint32, v ir.Value) {
	if t.TypeOf(v) == ir.I64 {
		h := t.LShrI(v, 32)
		t.SetW(lo, t.Trunc(ir.I32, v))
		t.SetX(hi, h)
		return
	}
	l, h := t.VGet(v, 0), t.VGet(v, 1)
	t.SetX(lo, l)
	t.SetX(hi, h)
}

// CLREX
func clearExclusive(t *Translator, _ decoder.Inst) {
	t.OpT(ir.OpClrEx, ir.Void, ir.None, ir.None, ir.None)
}

// LDAR, LDLAR{B|H} <Rt>, [<Xn|SP>]; STLR, STLLR{B|H} <Rt>, [<Xn|SP>]. LDLAR and
// STLLR order less; nothing cheaper exists for them.
func ordered(t *Translator, i decoder.Inst) {
	if i.Bit(22) == 1 {
		loadAcquire(t, i)
		return
	}
	t.storeRelease(i, t.at(i.Rn(), 0))
}

// LDAR*, LDAPR* <Rt>, [<Xn|SP>]
func loadAcquire(t *Translator, i decoder.Inst) {
	a := t.at(i.Rn(), 0)
	ty := memType(i.Bits(31, 30))
	t.checkAtomic(a.base, ty.Bytes())
	t.SetR(i.Rt(), t.OpT(ir.OpLoadA, ty, a.base, a.off, ir.None))
}

func (t *Translator) storeRelease(i decoder.Inst, a address) {
	ty := memType(i.Bits(31, 30))
	v := t.Trunc(ty, t.X(i.Rt()))
	t.checkAtomic(t.sum(a), ty.Bytes())
	t.Op3(ir.OpStoreR, v, a.base, a.off)
}

// LDAPUR*, STLUR* <Rt>, [<Xn|SP>{, #simm}]
func orderedUnscaled(t *Translator, i decoder.Inst) {
	a := t.at(i.Rn(), i.Imm9())
	opc, size := i.Bits(23, 22), i.Bits(31, 30)
	if opc == 0 {
		t.storeRelease(i, a)
		return
	}
	ty := memType(size)
	t.checkAtomic(t.sum(a), ty.Bytes())
	v := t.OpT(ir.OpLoadA, ty, a.base, a.off, ir.None)
	switch opc {
	case 1:
		t.SetR(i.Rt(), v)
	case 2:
		t.SetX(i.Rt(), t.Sext(ir.I64, v))
	case 3:
		t.SetW(i.Rt(), t.Sext(ir.I32, v))
	}
}

// LDAPR <Rt>, [<Xn|SP>], #size; STLR <Rt>, [<Xn|SP>, #-size]!
func orderedWriteback(t *Translator, i decoder.Inst) {
	n := int64(1) << i.Bits(31, 30)
	if i.Bit(22) == 1 {
		base := t.AddI(t.XSP(i.Rn()), uint64(n))
		loadAcquire(t, i)
		t.SetXSP(i.Rn(), base)
		return
	}
	a := t.at(i.Rn(), -n)
	t.storeRelease(i, a)
	t.SetXSP(i.Rn(), t.sum(a))
}

// LDIAPP <Rt>, <Rt2>, [<Xn|SP>]{, #size}; STILP <Rt>, <Rt2>, [<Xn|SP>{, #-size}]!:
// two accesses, ordered in that order (STILP: both after what came before).
func orderedPair(t *Translator, i decoder.Inst) {
	size, rt2 := i.Bits(31, 30), i.Rm() // Rt2 is in bits 20:16 here
	ty, n := memType(size), int64(1)<<size
	writeback := i.Bit(12) == 0
	if i.Bit(22) == 1 {
		a, b := t.at(i.Rn(), 0), t.at(i.Rn(), n)
		t.checkAlign(a.base, int(n))
		t.accessAll(a, int(2*n), false)
		v := t.OpT(ir.OpLoadA, ty, a.base, a.off, ir.None)
		w := t.OpT(ir.OpLoadA, ty, b.base, b.off, ir.None)
		if writeback {
			t.SetXSP(i.Rn(), t.AddI(a.base, uint64(2*n)))
		}
		t.SetR(i.Rt(), v)
		t.SetR(rt2, w)
		return
	}
	var off int64
	if writeback {
		off = -2 * n
	}
	a, b := t.at(i.Rn(), off), t.at(i.Rn(), off+n)
	v, w := t.Trunc(ty, t.X(i.Rt())), t.Trunc(ty, t.X(rt2))
	t.checkAlign(t.sum(a), int(n))
	t.accessAll(a, int(2*n), true)
	t.Op3(ir.OpStoreR, v, a.base, a.off)
	t.Op3(ir.OpStoreR, w, b.base, b.off)
	if writeback {
		t.SetXSP(i.Rn(), t.sum(a))
	}
}
