package translate

import (
	"emu/decoder"
	"emu/ir"
)

// Loads and stores of SIMD&FP registers: one register, pairs, literals, and the
// ordered forms of FEAT_LRCPC3. Bits 31:30 and, for one register, opc<1> (bit 23)
// give the size; a load clears the rest of the register.
var ldstSIMDGroups = []groupRule{
	{decoder.ClassFpsimd, "ldst_pos", ldstSIMDPos, false},
	{decoder.ClassFpsimd, "ldst_unscaled", ldstSIMDUnscaled, false},
	{decoder.ClassFpsimd, "ldst_immpre", ldstSIMDIndexed, false},
	{decoder.ClassFpsimd, "ldst_immpost", ldstSIMDIndexed, false},
	{decoder.ClassFpsimd, "ldst_regoff", ldstSIMDRegoff, false},
	{decoder.ClassFpsimd, "loadlit", ldrSIMDLiteral, false},
	{decoder.ClassFpsimd, "ldstpair_off", ldstSIMDPair, false},
	{decoder.ClassFpsimd, "ldstpair_pre", ldstSIMDPair, false},
	{decoder.ClassFpsimd, "ldstpair_post", ldstSIMDPair, false},
	{decoder.ClassFpsimd, "ldstnapair_offs", ldstSIMDPair, false},
	{decoder.ClassFpsimd, "ldapstl_simd", ldstSIMDOrdered, false},
}

// simdSize is log2 of the size of a single register in bytes, 0 to 4.
func simdSize(i decoder.Inst) uint32 { return i.Bit(23)<<2 | i.Bits(31, 30) }

// simdMemType is the type of an access of 1 << size bytes.
func simdMemType(size uint32) ir.Type {
	return [...]ir.Type{ir.I8, ir.F16, ir.F32, ir.F64, ir.V16I8}[size]
}

// simdPart reads the low part of a register as a value to store.
func (t *Translator) simdPart(n uint32, ty ir.Type) ir.Value {
	if ty == ir.I8 {
		return t.VGet(t.V(n, ir.V16I8), 0)
	}
	return t.V(n, ty)
}

// simdTransfer loads or stores Rt; opc<0> (bit 22) is set for loads.
func (t *Translator) simdTransfer(i decoder.Inst, a address) {
	ty := simdMemType(simdSize(i))
	if i.Bit(22) == 1 {
		t.SetV(i.Rt(), t.Load(ty, a.base, a.off))
		return
	}
	t.Store(t.simdPart(i.Rt(), ty), a.base, a.off)
}

// LDR, STR <V><t>, [<Xn|SP>{, #pimm}]
func ldstSIMDPos(t *Translator, i decoder.Inst) {
	t.simdTransfer(i, t.at(i.Rn(), int64(i.Imm12())<<simdSize(i)))
}

// LDUR, STUR <V><t>, [<Xn|SP>{, #simm}]
func ldstSIMDUnscaled(t *Translator, i decoder.Inst) {
	t.simdTransfer(i, t.at(i.Rn(), i.Imm9()))
}

// LDR, STR <V><t>, [<Xn|SP>, #simm]!; LDR, STR <V><t>, [<Xn|SP>], #simm
func ldstSIMDIndexed(t *Translator, i decoder.Inst) {
	off := int64(0)
	if i.Bit(11) == 1 { // pre-index
		off = i.Imm9()
	}
	a := t.at(i.Rn(), off)
	t.simdTransfer(i, a)
	t.SetXSP(i.Rn(), t.AddI(a.base, uint64(i.Imm9())))
}

// LDR, STR <V><t>, [<Xn|SP>, <Rm>{, extend {#amount}}]
func ldstSIMDRegoff(t *Translator, i decoder.Inst) {
	t.simdTransfer(i, t.atReg(i.Rn(), i.Rm(), i.Bits(15, 13), uint(i.Bit(12)*simdSize(i))))
}

// LDR <V><t>, <label>
func ldrSIMDLiteral(t *Translator, i decoder.Inst) {
	addr := t.I64(t.pc + uint64(i.Imm19()))
	t.SetV(i.Rt(), t.Load(simdMemType(2+i.Bits(31, 30)), addr, ir.Imm(0)))
}

// LDP, STP, LDNP, STNP <V><t>, <V><t2>, [<Xn|SP>{, #imm}]{!}; [<Xn|SP>], #imm
func ldstSIMDPair(t *Translator, i decoder.Inst) {
	size := 2 + i.Bits(31, 30)
	ty := simdMemType(size)
	imm := i.Imm7() << size
	index := i.Bits(24, 23) // 0 no allocate, 1 post-index, 2 offset, 3 pre-index
	off := imm
	if index == 1 {
		off = 0
	}
	a, b := t.at(i.Rn(), off), t.at(i.Rn(), off+1<<size)
	t.accessAll(a, 2<<size, i.Bit(22) == 0)
	if i.Bit(22) == 1 {
		v, w := t.Load(ty, a.base, a.off), t.Load(ty, b.base, b.off)
		t.SetV(i.Rt(), v)
		t.SetV(i.Rt2(), w)
	} else {
		t.Store(t.V(i.Rt(), ty), a.base, a.off)
		t.Store(t.V(i.Rt2(), ty), b.base, b.off)
	}
	if index&1 == 1 {
		t.SetXSP(i.Rn(), t.AddI(a.base, uint64(imm)))
	}
}

// LDAPUR, STLUR <V><t>, [<Xn|SP>{, #simm}]
func ldstSIMDOrdered(t *Translator, i decoder.Inst) {
	a := t.at(i.Rn(), i.Imm9())
	ty := simdMemType(simdSize(i))
	t.checkAlign(t.sum(a), ty.Bytes())
	if i.Bit(22) == 1 {
		t.SetV(i.Rt(), t.loadAcquireSIMD(ty, a))
		return
	}
	t.storeReleaseSIMD(t.simdPart(i.Rt(), ty), a)
}

// loadAcquireSIMD is a load-acquire of an integer, or for 128 bits a load with a
// barrier after it.
func (t *Translator) loadAcquireSIMD(ty ir.Type, a address) ir.Value {
	if ty.IsVec() {
		v := t.Load(ty, a.base, a.off)
		t.OpT(ir.OpFence, ir.Void, ir.Imm(ir.FenceLoads), ir.None, ir.None)
		return v
	}
	return t.Bitcast(ty, t.OpT(ir.OpLoadA, ty.IntOf(), a.base, a.off, ir.None))
}

// storeReleaseSIMD is the same for stores; a store-release stays before later
// load-acquires, so 128 bits have barriers on both sides.
func (t *Translator) storeReleaseSIMD(v ir.Value, a address) {
	ty := t.TypeOf(v)
	if ty.IsVec() {
		t.OpT(ir.OpFence, ir.Void, ir.Imm(ir.FenceAll), ir.None, ir.None)
		t.Store(v, a.base, a.off)
		t.OpT(ir.OpFence, ir.Void, ir.Imm(ir.FenceAll), ir.None, ir.None)
		return
	}
	t.OpT(ir.OpStoreR, ir.Void, t.Bitcast(ty.IntOf(), v), a.base, a.off)
}
