package translate

import (
	"emu/decoder"
	"emu/ir"
)

var pairGroups = []groupRule{
	{decoder.ClassGeneral, "ldstpair_off", ldstPair, false},
	{decoder.ClassGeneral, "ldstpair_pre", ldstPair, false},
	{decoder.ClassGeneral, "ldstpair_post", ldstPair, false},
	{decoder.ClassGeneral, "ldstnapair_offs", ldstPair, false},
}

// LDP, STP, LDPSW, LDNP, STNP <Rt>, <Rt2>, [<Xn|SP>{, #imm}]{!}; [<Xn|SP>], #imm
func ldstPair(t *Translator, i decoder.Inst) {
	size := uint32(2)
	if i.Bit(31) == 1 {
		size = 3
	}
	off := i.Imm7() << size
	index := i.Bits(24, 23) // 0 no allocate, 1 post-index, 2 offset, 3 pre-index
	first := off
	if index == 1 {
		first = 0
	}
	a, b := t.at(i.Rn(), first), t.at(i.Rn(), first+1<<size)
	ty := memType(size)
	t.accessAll(a, 2<<size, i.Bit(22) == 0)
	switch {
	case i.Bit(30) == 0 && t.cpu.lse2:
		t.atomicPair(i, size == 3, a)
	case i.Bit(22) == 0:
		t.Store(t.Trunc(ty, t.X(i.Rt())), a.base, a.off)
		t.Store(t.Trunc(ty, t.X(i.Rt2())), b.base, b.off)
	case i.Bit(30) == 1: // LDPSW
		v, w := t.LoadS(ir.I64, 32, a.base, a.off), t.LoadS(ir.I64, 32, b.base, b.off)
		t.SetX(i.Rt(), v)
		t.SetX(i.Rt2(), w)
	default:
		v, w := t.Load(ty, a.base, a.off), t.Load(ty, b.base, b.off)
		t.SetR(i.Rt(), v)
		t.SetR(i.Rt2(), w)
	}
	if index&1 == 1 {
		t.SetXSP(i.Rn(), t.AddI(a.base, uint64(off)))
	}
}

// atomicPair is LDP or STP as one access, which FEAT_LSE2 makes single-copy atomic
// within 16 aligned bytes. So are the host's vector moves, if it has AVX (Intel
// SDM volume 3, 9.1.1; AMD64 APM volume 2, 7.3.2).
func (t *Translator) atomicPair(i decoder.Inst, wide bool, a address) {
	if i.Bit(22) == 0 {
		t.Store(t.pair(wide, i.Rt(), i.Rt2()), a.base, a.off)
		return
	}
	t.setPair(i.Rt(), i.Rt2(), t.Load(pairType(wide), a.base, a.off))
}
