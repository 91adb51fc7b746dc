package translate

import (
	"emu/cpu"
	"emu/decoder"
	"emu/ir"
)

// The instructions of FEAT_MTE. Their own accesses are not checked. Where the tags of
// memory lie is told in package cpu: a byte for each granule, and another for each
// page, whose bit 0 is set if the page has tags. To other pages zero is written, which is
// what is there. Those of shared memory are where a table says.
//
// Choosing a tag depends on the tags that the thread excludes (GCR_EL1.Exclude) and is
// a call out of generated code; the rest is plain instructions.
func tagRules() []rule {
	return []rule{
		{decoder.ADDG_64_addsub_immtags, addTag},
		{decoder.SUBG_64_addsub_immtags, addTag},
		{decoder.IRG_64I_dp_2src, insertRandomTag},
		{decoder.GMI_64G_dp_2src, tagMaskInsert},
		{decoder.SUBP_64S_dp_2src, subtractPointer},
		{decoder.SUBPS_64S_dp_2src, subtractPointer},
		{decoder.LDG_64Loffset_ldsttags, loadTag},
		{decoder.STG_64Soffset_ldsttags, storeTags(1, false)},
		{decoder.STG_64Spre_ldsttags, storeTags(1, false)},
		{decoder.STG_64Spost_ldsttags, storeTags(1, false)},
		{decoder.STZG_64Soffset_ldsttags, storeTags(1, true)},
		{decoder.STZG_64Spre_ldsttags, storeTags(1, true)},
		{decoder.STZG_64Spost_ldsttags, storeTags(1, true)},
		{decoder.ST2G_64Soffset_ldsttags, storeTags(2, false)},
		{decoder.ST2G_64Spre_ldsttags, storeTags(2, false)},
		{decoder.ST2G_64Spost_ldsttags, storeTags(2, false)},
		{decoder.STZ2G_64Soffset_ldsttags, storeTags(2, true)},
		{decoder.STZ2G_64Spre_ldsttags, storeTags(2, true)},
		{decoder.STZ2G_64Spost_ldsttags, storeTags(2, true)},
		{decoder.STGP_64_ldstpair_off, storePairTag},
		{decoder.STGP_64_ldstpair_pre, storePairTag},
		{decoder.STGP_64_ldstpair_post, storePairTag},
	}
}

// withTag is an address with a tag in bits 59:56.
func (t *Translator) withTag(addr, tag ir.Value) ir.Value {
	return t.Or(t.AndI(addr, ^uint64(cpu.TagMask)), tag)
}

// hasTags reports whether the processor has the instructions; they are undefined if
// not.
func (t *Translator) hasTags() bool {
	if !t.cpu.mte {
		t.undefined()
	}
	return t.cpu.mte
}

// ADDG, SUBG <Xd|SP>, <Xn|SP>, #uimm6, #uimm4
func addTag(t *Translator, i decoder.Inst) {
	if !t.hasTags() {
		return
	}
	addr, off := t.XSP(i.Rn()), uint64(i.Bits(21, 16))*cpu.Granule
	tag := t.OpT(ir.OpHelper, ir.I64, ir.Imm(int(ir.HelperNextTag)), addr, ir.Imm(int(i.Bits(13, 10))))
	if i.Bit(30) == 1 {
		off = -off
	}
	t.SetXSP(i.Rd(), t.withTag(t.AddI(addr, off), tag))
}

// IRG <Xd|SP>, <Xn|SP>{, <Xm>}
func insertRandomTag(t *Translator, i decoder.Inst) {
	if !t.hasTags() {
		return
	}
	addr := t.XSP(i.Rn())
	tag := t.OpT(ir.OpHelper, ir.I64, ir.Imm(int(ir.HelperRandomTag)), ir.Imm(0), t.X(i.Rm()))
	t.SetXSP(i.Rd(), t.withTag(addr, tag))
}

// GMI <Xd>, <Xn|SP>, <Xm>
func tagMaskInsert(t *Translator, i decoder.Inst) {
	if !t.hasTags() {
		return
	}
	bit := t.Shl(t.I64(1), t.logicalTag(t.XSP(i.Rn())))
	t.SetX(i.Rd(), t.Or(t.X(i.Rm()), bit))
}

// SUBP{S} <Xd>, <Xn|SP>, <Xm|SP>
func subtractPointer(t *Translator, i decoder.Inst) {
	if !t.hasTags() {
		return
	}
	pointer := func(n uint32) ir.Value {
		return t.Op3(ir.OpSbfx, t.XSP(n), ir.Imm(0), ir.Imm(tagShift))
	}
	a, b := pointer(i.Rn()), pointer(i.Rm())
	t.SetX(i.Rd(), t.Sub(a, b))
	if i.Bit(29) == 1 {
		t.SetNZCV(t.Op2(ir.OpSubF, a, b))
	}
}

// tagAddress is the address of a load or store of tags, and what is written back to
// the base, ir.None if nothing is.
func (t *Translator) tagAddress(i decoder.Inst, off int64, pre, post bool) (addr, base ir.Value) {
	n := t.XSP(i.Rn())
	sum := t.AddI(n, uint64(off))
	switch {
	case post:
		return n, sum
	case pre:
		return sum, sum
	}
	return sum, ir.None
}

// LDG <Xt>, [<Xn|SP>{, #simm}]
func loadTag(t *Translator, i decoder.Inst) {
	if !t.hasTags() {
		return
	}
	addr, _ := t.tagAddress(i, i.Imm9()*cpu.Granule, false, false)
	t.Builder.Load(ir.I8, t.plain(addr), ir.Imm(0)) // the page must be readable
	tag := t.Builder.Load(ir.I8, t.tagPlace(addr, t.pageMark(addr)), ir.Imm(0))
	t.SetX(i.Rt(), t.withTag(t.X(i.Rt()), t.ShlI(t.Zext(ir.I64, tag), cpu.TagShift)))
}

// STG, STZG, ST2G, STZ2G <Xt|SP>, [<Xn|SP>{, #simm}]{!}; [<Xn|SP>], #simm
func storeTags(granules uint64, zero bool) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		if !t.hasTags() {
			return
		}
		tag := t.logicalTag(t.XSP(i.Rt()))
		index := i.Bits(11, 10)
		addr, base := t.tagAddress(i, i.Imm9()*cpu.Granule, index == 3, index == 1)
		t.checkAlign(addr, cpu.Granule)
		for n := range granules {
			at := t.AddI(addr, n*cpu.Granule)
			if zero {
				t.Builder.Store(t.zero(ir.V16I8), t.plain(at), ir.Imm(0))
			} else {
				t.probeWrite(at)
			}
		}
		for n := range granules {
			t.storeTag(t.AddI(addr, n*cpu.Granule), tag)
		}
		if base != ir.None {
			t.SetXSP(i.Rn(), base)
		}
	}
}

// probeWrite faults where the byte at addr cannot be written, which it leaves alone.
func (t *Translator) probeWrite(addr ir.Value) {
	t.Builder.Op2(ir.OpRmwSet, t.plain(addr), t.Const(ir.I8, 0))
}

// storeTag sets the tag of an address's granule, if its page has tags.
func (t *Translator) storeTag(addr, tag ir.Value) {
	mark := t.pageMark(addr)
	t.Builder.Store(t.Trunc(ir.I8, t.And(tag, t.pageMask(mark))), t.tagPlace(addr, mark), ir.Imm(0))
}

// page is the number of an address's page.
func (t *Translator) page(addr ir.Value) ir.Value {
	return t.Op3(ir.OpUbfx, addr, ir.Imm(12), ir.Imm(35))
}

// pageMark says whether the page of an address has tags, and whether they are shared.
func (t *Translator) pageMark(addr ir.Value) ir.Value {
	return t.Zext(ir.I64, t.Builder.Load(ir.I8, t.page(addr), t.I64(cpu.PageBase)))
}

// pageMask is all ones if the page with a mark has tags, zero if not.
func (t *Translator) pageMask(mark ir.Value) ir.Value { return t.Neg(t.AndI(mark, 1)) }

// tagPlace is where the tag of an address's granule is, on a page with that mark.
func (t *Translator) tagPlace(addr, mark ir.Value) ir.Value {
	t.If(t.ICmp(ir.UGT, mark, ir.Imm(1)))
	tags := t.Builder.Load(ir.I64, t.ShlI(t.page(addr), 3), t.I64(cpu.StoreBase))
	t.Yield(t.Add(tags, t.Op3(ir.OpUbfx, addr, ir.Imm(4), ir.Imm(8))))
	t.Else()
	t.Yield(t.Add(t.granule(addr), t.I64(cpu.TagBase)))
	return t.End()
}

// STGP <Xt>, <Xt2>, [<Xn|SP>{, #imm}]{!}; [<Xn|SP>], #imm
func storePairTag(t *Translator, i decoder.Inst) {
	if !t.hasTags() {
		return
	}
	index := i.Bits(24, 23)
	addr, base := t.tagAddress(i, i.Imm7()*cpu.Granule, index == 3, index == 1)
	t.checkAlign(addr, cpu.Granule)
	t.Builder.Store(t.pair(true, i.Rt(), i.Rt2()), t.plain(addr), ir.Imm(0))
	t.storeTag(addr, t.logicalTag(addr))
	if base != ir.None {
		t.SetXSP(i.Rn(), base)
	}
}

// tagBlock is DC GVA, and DC GZVA, which zeroes the block of 64 bytes, too.
func (t *Translator) tagBlock(addr ir.Value, zero bool) {
	if zero {
		t.Builder.Op3(ir.OpSet64, t.plain(t.AndI(addr, ^uint64(blockSize-1))), t.I64(0), ir.Imm(0))
	} else {
		t.probeWrite(addr)
	}
	block := t.AndI(addr, ^uint64(blockSize-1))
	tags := t.Mul(t.logicalTag(addr), t.I64(0x01010101))
	mark := t.pageMark(addr)
	t.Builder.Store(t.Trunc(ir.I32, t.And(tags, t.pageMask(mark))), t.tagPlace(block, mark), ir.Imm(0))
}

// withoutTags is the cache maintenance of data (SYS's op1:CRn:CRm:op2) in the place of
// that of tags, or of both: nothing is cached of either.
func withoutTags(op uint32) uint32 {
	for _, tags := range []uint32{sysDCTags, sysDCTagsData} {
		switch op ^ tags {
		case sysDCCVAC, sysDCCVAP, sysDCCVADP, sysDCCIVAC:
			return op ^ tags
		}
	}
	return op
}

// setTags is SETGP, SETGM and SETGE: the main instruction does all, as for SET.
// Sizes and addresses are multiples of 16.
func (t *Translator) setTags(prologue bool, d, n, s uint32) {
	size := t.X(n)
	if prologue {
		// A size beyond the largest becomes the largest that is a multiple.
		most := t.I64(maxForward)
		size = t.Select(t.ICmp(ir.UGT, size, most), t.I64(maxForward&^(cpu.Granule-1)), size)
	}
	some := t.Zext(ir.I64, t.ICmp(ir.NE, size, ir.Imm(0)))
	bits := t.Or(size, t.And(t.X(d), t.Neg(some)))
	t.If(t.ICmp(ir.NE, t.AndI(bits, cpu.Granule-1), ir.Imm(0)))
	t.ExitArg(cpu.ExitAlign, t.pc, t.X(d))
	t.End()
	if prologue {
		t.SetX(n, size)
		t.SetNZCV(t.Const(ir.Flags, flagsForward))
		return
	}
	v := t.VDup(t.Trunc(ir.I8, t.X(s)))
	t.LoopRegs(ir.RegSet{X: 1<<d | 1<<n})
	t.poll()
	t.If(t.ICmp(ir.EQ, t.X(n), ir.Imm(0)))
	t.Break(0)
	t.End()
	addr := t.X(d)
	t.Builder.Store(v, t.plain(addr), ir.Imm(0))
	t.storeTag(addr, t.logicalTag(addr))
	t.SetX(d, t.AddI(addr, cpu.Granule))
	t.SetX(n, t.SubI(t.X(n), cpu.Granule))
	t.Continue(0)
	t.End()
}
