package translate

import (
	"emu/decoder"
	"emu/ir"
)

// Advanced SIMD three same (integer and logical). The floating-point part is in
// simd_three_same_fp.go.
func simdThreeSame() [][]rule {
	return [][]rule{
		enc(same3(lanes2(ir.OpAdd)), decoder.ADD_asimdsame_only),
		enc(same3(lanes2(ir.OpSub)), decoder.SUB_asimdsame_only),
		enc(same3(lanes2(ir.OpMul)), decoder.MUL_asimdsame_only),
		enc(same3(lanes2(ir.OpPMul)), decoder.PMUL_asimdsame_only),
		enc(same3(lanes2(ir.OpSHAdd)), decoder.SHADD_asimdsame_only),
		enc(same3(lanes2(ir.OpUHAdd)), decoder.UHADD_asimdsame_only),
		enc(same3(lanes2(ir.OpSRHAdd)), decoder.SRHADD_asimdsame_only),
		enc(same3(lanes2(ir.OpURHAdd)), decoder.URHADD_asimdsame_only),
		enc(same3(lanes2(ir.OpSHSub)), decoder.SHSUB_asimdsame_only),
		enc(same3(lanes2(ir.OpUHSub)), decoder.UHSUB_asimdsame_only),
		enc(same3(lanes2(ir.OpSMax)), decoder.SMAX_asimdsame_only),
		enc(same3(lanes2(ir.OpSMin)), decoder.SMIN_asimdsame_only),
		enc(same3(lanes2(ir.OpUMax)), decoder.UMAX_asimdsame_only),
		enc(same3(lanes2(ir.OpUMin)), decoder.UMIN_asimdsame_only),
		enc(same3(lanes2(ir.OpSAbd)), decoder.SABD_asimdsame_only),
		enc(same3(lanes2(ir.OpUAbd)), decoder.UABD_asimdsame_only),
		enc(same3(lanes2(ir.OpSShlV)), decoder.SSHL_asimdsame_only),
		enc(same3(lanes2(ir.OpUShlV)), decoder.USHL_asimdsame_only),
		enc(same3(lanes2(ir.OpSRShlV)), decoder.SRSHL_asimdsame_only),
		enc(same3(lanes2(ir.OpURShlV)), decoder.URSHL_asimdsame_only),

		enc(same3(compare(ir.EQ)), decoder.CMEQ_asimdsame_only),
		enc(same3(compare(ir.SGT)), decoder.CMGT_asimdsame_only),
		enc(same3(compare(ir.SGE)), decoder.CMGE_asimdsame_only),
		enc(same3(compare(ir.UGT)), decoder.CMHI_asimdsame_only),
		enc(same3(compare(ir.UGE)), decoder.CMHS_asimdsame_only),
		enc(same3(testBits), decoder.CMTST_asimdsame_only),

		enc(same3Sat(lanes2(ir.OpSQAdd)), decoder.SQADD_asimdsame_only),
		enc(same3Sat(lanes2(ir.OpUQAdd)), decoder.UQADD_asimdsame_only),
		enc(same3Sat(lanes2(ir.OpSQSub)), decoder.SQSUB_asimdsame_only),
		enc(same3Sat(lanes2(ir.OpUQSub)), decoder.UQSUB_asimdsame_only),
		enc(same3Sat(lanes2(ir.OpSQShlV)), decoder.SQSHL_asimdsame_only),
		enc(same3Sat(lanes2(ir.OpUQShlV)), decoder.UQSHL_asimdsame_only),
		enc(same3Sat(lanes2(ir.OpSQRShlV)), decoder.SQRSHL_asimdsame_only),
		enc(same3Sat(lanes2(ir.OpUQRShlV)), decoder.UQRSHL_asimdsame_only),
		enc(same3Sat(lanes2(ir.OpSQDMulH)), decoder.SQDMULH_asimdsame_only),
		enc(same3Sat(lanes2(ir.OpSQRDMulH)), decoder.SQRDMULH_asimdsame_only),

		enc(same3Acc(multiplyAdd), decoder.MLA_asimdsame_only),
		enc(same3Acc(multiplySub), decoder.MLS_asimdsame_only),
		enc(same3Acc(accumulate(ir.OpSAbd)), decoder.SABA_asimdsame_only),
		enc(same3Acc(accumulate(ir.OpUAbd)), decoder.UABA_asimdsame_only),

		enc(same3Pair(ir.OpAddP), decoder.ADDP_asimdsame_only),
		enc(same3Pair(ir.OpSMaxP), decoder.SMAXP_asimdsame_only),
		enc(same3Pair(ir.OpSMinP), decoder.SMINP_asimdsame_only),
		enc(same3Pair(ir.OpUMaxP), decoder.UMAXP_asimdsame_only),
		enc(same3Pair(ir.OpUMinP), decoder.UMINP_asimdsame_only),

		enc(logical(lanes2(ir.OpAnd)), decoder.AND_asimdsame_only),
		enc(logical(lanes2(ir.OpAndNot)), decoder.BIC_asimdsame_only),
		enc(orrVector, decoder.ORR_asimdsame_only),
		enc(logical(lanes2(ir.OpOrNot)), decoder.ORN_asimdsame_only),
		enc(logical(lanes2(ir.OpXor)), decoder.EOR_asimdsame_only),
		enc(logicalAcc(bitSelect), decoder.BSL_asimdsame_only),
		enc(logicalAcc(bitInsertTrue), decoder.BIT_asimdsame_only),
		enc(logicalAcc(bitInsertFalse), decoder.BIF_asimdsame_only),
	}
}

// same3 is <op> <Vd>.<T>, <Vn>.<T>, <Vm>.<T>.
func same3(k binary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		t.setQ(i, k(t, ty, t.V(i.Rn(), ty), t.V(i.Rm(), ty)))
	}
}

// same3Sat is the same for operations that saturate: with zeroes in both upper
// halves they do not and give zero.
func same3Sat(k binary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		a, b := t.lowIf(i, t.V(i.Rn(), ty)), t.lowIf(i, t.V(i.Rm(), ty))
		t.SetV(i.Rd(), k(t, ty, a, b))
	}
}

// same3Acc is the same for operations that accumulate into Vd.
func same3Acc(k ternary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		t.setQ(i, k(t, ty, t.V(i.Rd(), ty), t.V(i.Rn(), ty), t.V(i.Rm(), ty)))
	}
}

// same3Pair is the pairwise form: the lanes of Vm:Vn are taken in pairs.
func same3Pair(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		a, b := t.V(i.Rn(), ty), t.V(i.Rm(), ty)
		if !quad(i) {
			a = t.op2(ir.OpVCombine, ty, a, b)
			b = a
		}
		t.setQ(i, t.op2(op, ty, a, b))
	}
}

// logical is <op> <Vd>.<T>, <Vn>.<T>, <Vm>.<T>, T = 8B or 16B, where size is
// part of the opcode.
func logical(k binary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		t.setQ(i, k(t, ir.V16I8, t.V(i.Rn(), ir.V16I8), t.V(i.Rm(), ir.V16I8)))
	}
}

func logicalAcc(k ternary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		d, n, m := t.V(i.Rd(), ir.V16I8), t.V(i.Rn(), ir.V16I8), t.V(i.Rm(), ir.V16I8)
		t.setQ(i, k(t, ir.V16I8, d, n, m))
	}
}

// ORR <Vd>.<T>, <Vn>.<T>, <Vm>.<T>, or MOV when both sources are the same.
func orrVector(t *Translator, i decoder.Inst) {
	v := t.V(i.Rn(), ir.V16I8)
	if i.Rn() != i.Rm() {
		v = t.op2(ir.OpOr, ir.V16I8, v, t.V(i.Rm(), ir.V16I8))
	}
	t.setQ(i, v)
}

func bitSelect(t *Translator, ty ir.Type, d, a, b ir.Value) ir.Value {
	return t.op3(ir.OpBsl, ty, d, a, b)
}

func bitInsertTrue(t *Translator, ty ir.Type, d, a, b ir.Value) ir.Value {
	return t.op3(ir.OpBsl, ty, b, a, d)
}

func bitInsertFalse(t *Translator, ty ir.Type, d, a, b ir.Value) ir.Value {
	return t.op3(ir.OpBsl, ty, b, d, a)
}

func compare(c ir.Cond) binary {
	return func(t *Translator, ty ir.Type, a, b ir.Value) ir.Value {
		return t.op3(ir.OpICmp, ty, a, b, ir.Imm(int(c)))
	}
}

// testBits is CMTST: all ones where the operands have a bit in common.
func testBits(t *Translator, ty ir.Type, a, b ir.Value) ir.Value {
	if a != b {
		a = t.op2(ir.OpAnd, ty, a, b)
	}
	return t.op3(ir.OpICmp, ty, a, t.zero(ty), ir.Imm(int(ir.NE)))
}

func multiplyAdd(t *Translator, ty ir.Type, d, a, b ir.Value) ir.Value {
	return t.op2(ir.OpAdd, ty, d, t.op2(ir.OpMul, ty, a, b))
}

func multiplySub(t *Translator, ty ir.Type, d, a, b ir.Value) ir.Value {
	return t.op2(ir.OpSub, ty, d, t.op2(ir.OpMul, ty, a, b))
}

// accumulate adds the result of op to the destination.
func accumulate(op ir.Op) ternary {
	return func(t *Translator, ty ir.Type, d, a, b ir.Value) ir.Value {
		return t.op2(ir.OpAdd, ty, d, t.op2(op, ty, a, b))
	}
}
