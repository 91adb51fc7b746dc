package translate

import (
	"emu/decoder"
	"emu/ir"
)

// Advanced SIMD permute, extract and table look-up.
func simdPermute() [][]rule {
	return [][]rule{
		enc(zipLow, decoder.ZIP1_asimdperm_only),
		enc(zipHigh, decoder.ZIP2_asimdperm_only),
		enc(unzip(ir.OpUzp1), decoder.UZP1_asimdperm_only),
		enc(unzip(ir.OpUzp2), decoder.UZP2_asimdperm_only),
		enc(same3(lanes2(ir.OpTrn1)), decoder.TRN1_asimdperm_only),
		enc(same3(lanes2(ir.OpTrn2)), decoder.TRN2_asimdperm_only),
		enc(extract, decoder.EXT_asimdext_only),
		enc(tableLookup,
			decoder.TBL_asimdtbl_L1_1, decoder.TBL_asimdtbl_L2_2, decoder.TBL_asimdtbl_L3_3, decoder.TBL_asimdtbl_L4_4),
		enc(tableExtend,
			decoder.TBX_asimdtbl_L1_1, decoder.TBX_asimdtbl_L2_2, decoder.TBX_asimdtbl_L3_3, decoder.TBX_asimdtbl_L4_4),
	}
}

// ZIP1 <Vd>.<T>, <Vn>.<T>, <Vm>.<T>
func zipLow(t *Translator, i decoder.Inst) {
	ty := intVec(elemSize(i))
	t.setQ(i, t.op2(ir.OpZip1, ty, t.V(i.Rn(), ty), t.V(i.Rm(), ty)))
}

// ZIP2 <Vd>.<T>, <Vn>.<T>, <Vm>.<T>: for 64-bit vectors, the upper half of what
// interleaving all of both gives.
func zipHigh(t *Translator, i decoder.Inst) {
	ty := intVec(elemSize(i))
	a, b := t.V(i.Rn(), ty), t.V(i.Rm(), ty)
	if quad(i) {
		t.SetV(i.Rd(), t.op2(ir.OpZip2, ty, a, b))
		return
	}
	t.SetV(i.Rd(), t.op1(ir.OpVHigh, ty, t.op2(ir.OpZip1, ty, a, b)))
}

// unzip is UZP1 and UZP2 <Vd>.<T>, <Vn>.<T>, <Vm>.<T>. For two lanes they equal
// ZIP1 and ZIP2.
func unzip(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		a, b := t.V(i.Rn(), ty), t.V(i.Rm(), ty)
		switch {
		case quad(i):
			t.SetV(i.Rd(), t.op2(op, ty, a, b))
		case ty == ir.V4I32 && op == ir.OpUzp1:
			zipLow(t, i)
		case ty == ir.V4I32:
			zipHigh(t, i)
		default:
			t.SetV(i.Rd(), t.op2(op, ty, t.op2(ir.OpVCombine, ty, a, b), t.zero(ty)))
		}
	}
}

// EXT <Vd>.<T>, <Vn>.<T>, <Vm>.<T>, #<index>
func extract(t *Translator, i decoder.Inst) {
	a, b := t.V(i.Rn(), ir.V16I8), t.V(i.Rm(), ir.V16I8)
	index := ir.Imm(int(i.Bits(14, 11)))
	if !quad(i) {
		a = t.op2(ir.OpVCombine, ir.V16I8, a, b)
		b = a
	}
	t.setQ(i, t.op3(ir.OpExt, ir.V16I8, a, b, index))
}

// lookup finds bytes in the table of n registers from first on: a look-up in each with the
// index moved down; those out of range give zero. An index that wraps around below zero is
// out of range too.
func (t *Translator) lookup(first, n uint32, index ir.Value) ir.Value {
	v := t.op2(ir.OpTbl, ir.V16I8, t.V(first, ir.V16I8), index)
	for k := uint32(1); k < n; k++ {
		idx := t.op2(ir.OpSub, ir.V16I8, index, t.splat(ir.V16I8, uint64(16*k)))
		part := t.op2(ir.OpTbl, ir.V16I8, t.V((first+k)&31, ir.V16I8), idx)
		v = t.op2(ir.OpOr, ir.V16I8, v, part)
	}
	return v
}

// tableRegisters is how many registers the table of TBL and TBX has.
func tableRegisters(i decoder.Inst) uint32 { return i.Bits(14, 13) + 1 }

// TBL <Vd>.<Ta>, { <Vn>.16B, ... }, <Vm>.<Ta>
func tableLookup(t *Translator, i decoder.Inst) {
	t.setQ(i, t.lookup(i.Rn(), tableRegisters(i), t.V(i.Rm(), ir.V16I8)))
}

// TBX <Vd>.<Ta>, { <Vn>.16B, ... }, <Vm>.<Ta>: where the index is out of range
// the byte of Vd stays.
func tableExtend(t *Translator, i decoder.Inst) {
	index := t.V(i.Rm(), ir.V16I8)
	limit := t.splat(ir.V16I8, uint64(16*tableRegisters(i)))
	inside := t.op3(ir.OpICmp, ir.V16I8, index, limit, ir.Imm(int(ir.ULT)))
	t.setQ(i, t.op3(ir.OpBsl, ir.V16I8, inside, t.lookup(i.Rn(), tableRegisters(i), index), t.V(i.Rd(), ir.V16I8)))
}
