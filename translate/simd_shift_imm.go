package translate

import (
	"emu/decoder"
	"emu/ir"
)

// Advanced SIMD shift by immediate.
func simdShiftImm() [][]rule {
	return [][]rule{
		enc(shiftImm(shiftRight(ir.OpAShr)), decoder.SSHR_asimdshf_R),
		enc(shiftImm(shiftRight(ir.OpLShr)), decoder.USHR_asimdshf_R),
		enc(shiftImm(shiftRight(ir.OpSRShr)), decoder.SRSHR_asimdshf_R),
		enc(shiftImm(shiftRight(ir.OpURShr)), decoder.URSHR_asimdshf_R),
		enc(shiftImm(shiftRightAcc(ir.OpAShr)), decoder.SSRA_asimdshf_R),
		enc(shiftImm(shiftRightAcc(ir.OpLShr)), decoder.USRA_asimdshf_R),
		enc(shiftImm(shiftRightAcc(ir.OpSRShr)), decoder.SRSRA_asimdshf_R),
		enc(shiftImm(shiftRightAcc(ir.OpURShr)), decoder.URSRA_asimdshf_R),
		enc(shiftImm(shiftLeft), decoder.SHL_asimdshf_R),
		enc(shiftImm(shiftRightInsert), decoder.SRI_asimdshf_R),
		enc(shiftImm(shiftLeftInsert), decoder.SLI_asimdshf_R),

		enc(shiftImmSat(saturateLeft(ir.OpSQShlV)), decoder.SQSHL_asimdshf_R),
		enc(shiftImmSat(saturateLeft(ir.OpUQShlV)), decoder.UQSHL_asimdshf_R),
		enc(shiftImmSat(saturateLeftUnsigned), decoder.SQSHLU_asimdshf_R),

		enc(shiftNarrow(ir.OpLShr, ir.OpVTrunc), decoder.SHRN_asimdshf_N),
		enc(shiftNarrow(ir.OpURShr, ir.OpVTrunc), decoder.RSHRN_asimdshf_N),
		enc(shiftNarrow(ir.OpAShr, ir.OpSQXtN), decoder.SQSHRN_asimdshf_N),
		enc(shiftNarrow(ir.OpSRShr, ir.OpSQXtN), decoder.SQRSHRN_asimdshf_N),
		enc(shiftNarrow(ir.OpLShr, ir.OpUQXtN), decoder.UQSHRN_asimdshf_N),
		enc(shiftNarrow(ir.OpURShr, ir.OpUQXtN), decoder.UQRSHRN_asimdshf_N),
		enc(shiftNarrow(ir.OpAShr, ir.OpSQXtUN), decoder.SQSHRUN_asimdshf_N),
		enc(shiftNarrow(ir.OpSRShr, ir.OpSQXtUN), decoder.SQRSHRUN_asimdshf_N),

		enc(shiftLong(ir.OpVSext), decoder.SSHLL_asimdshf_L),
		enc(shiftLong(ir.OpVZext), decoder.USHLL_asimdshf_L),

		enc(fixedVector(fixedFromInt(ir.OpSIToF)), decoder.SCVTF_asimdshf_C),
		enc(fixedVector(fixedFromInt(ir.OpUIToF)), decoder.UCVTF_asimdshf_C),
		enc(fixedVector(fixedToInt(ir.OpFToSI)), decoder.FCVTZS_asimdshf_C),
		enc(fixedVector(fixedToInt(ir.OpFToUI)), decoder.FCVTZU_asimdshf_C),
	}
}

// shifted computes a lane-wise shift of a by n into or over d.
type shifted func(t *Translator, i decoder.Inst, ty ir.Type, a ir.Value) ir.Value

// shiftVec is the vector type that immh:immb selects.
func shiftVec(i decoder.Inst) ir.Type { return vecOfBits(i.ShiftEsize()) }

// shiftImm is <op> <Vd>.<T>, <Vn>.<T>, #<shift>.
func shiftImm(k shifted) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := shiftVec(i)
		t.setQ(i, k(t, i, ty, t.V(i.Rn(), ty)))
	}
}

// shiftImmSat is the same for shifts that saturate.
func shiftImmSat(k shifted) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := shiftVec(i)
		t.SetV(i.Rd(), k(t, i, ty, t.lowIf(i, t.V(i.Rn(), ty))))
	}
}

func shiftRight(op ir.Op) shifted {
	return func(t *Translator, i decoder.Inst, ty ir.Type, a ir.Value) ir.Value {
		return t.op2(op, ty, a, ir.Imm(int(i.RightShift())))
	}
}

func shiftRightAcc(op ir.Op) shifted {
	return func(t *Translator, i decoder.Inst, ty ir.Type, a ir.Value) ir.Value {
		return t.op2(ir.OpAdd, ty, t.V(i.Rd(), ty), shiftRight(op)(t, i, ty, a))
	}
}

func shiftLeft(t *Translator, i decoder.Inst, ty ir.Type, a ir.Value) ir.Value {
	return t.op2(ir.OpShl, ty, a, ir.Imm(int(i.LeftShift())))
}

// SRI: the bits that the shift would fill with zeroes stay as they are in Vd.
func shiftRightInsert(t *Translator, i decoder.Inst, ty ir.Type, a ir.Value) ir.Value {
	n, width := i.RightShift(), laneBits(ty)
	keep := ^uint64(0) << (width - n)
	return t.insert(i, ty, shiftRight(ir.OpLShr)(t, i, ty, a), keep)
}

// SLI, likewise.
func shiftLeftInsert(t *Translator, i decoder.Inst, ty ir.Type, a ir.Value) ir.Value {
	return t.insert(i, ty, shiftLeft(t, i, ty, a), 1<<i.LeftShift()-1)
}

// insert merges v with the bits of Vd's lanes that keep names; they are zero in v.
func (t *Translator) insert(i decoder.Inst, ty ir.Type, v ir.Value, keep uint64) ir.Value {
	kept := t.op2(ir.OpAnd, ty, t.V(i.Rd(), ty), t.splat(ty, keep))
	return t.op2(ir.OpOr, ty, kept, v)
}

func saturateLeft(op ir.Op) shifted {
	return func(t *Translator, i decoder.Inst, ty ir.Type, a ir.Value) ir.Value {
		return t.op2(op, ty, a, t.splat(ty, uint64(i.LeftShift())))
	}
}

func saturateLeftUnsigned(t *Translator, i decoder.Inst, ty ir.Type, a ir.Value) ir.Value {
	return t.op2(ir.OpSQShlU, ty, a, ir.Imm(int(i.LeftShift())))
}

// shiftNarrow is <op>{2} <Vd>.<Tb>, <Vn>.<Ta>, #<shift>.
func shiftNarrow(shift, narrow ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := shiftVec(i)
		ta := ty.Wider()
		v := t.op2(shift, ta, t.V(i.Rn(), ta), ir.Imm(int(i.RightShift())))
		t.setNarrow(i, t.op1(narrow, ty, v))
	}
}

// shiftLong is SSHLL{2} and USHLL{2} <Vd>.<Ta>, <Vn>.<Tb>, #<shift>, and SXTL and
// UXTL for a shift by 0.
func shiftLong(ext ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := shiftVec(i)
		ta := ty.Wider()
		v := t.op1(ext, ta, t.half(i, i.Rn(), ty))
		t.SetV(i.Rd(), t.op2(ir.OpShl, ta, v, ir.Imm(int(i.LeftShift()))))
	}
}

// fixedVector is <op> <Vd>.<T>, <Vn>.<T>, #<fbits>: conversions to and from
// fixed point. Zero converts to zero.
func fixedVector(k shifted) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := shiftVec(i)
		t.SetV(i.Rd(), k(t, i, ty, t.lowIf(i, t.V(i.Rn(), ty))))
	}
}

func fixedFromInt(op ir.Op) shifted {
	return func(t *Translator, i decoder.Inst, ty ir.Type, a ir.Value) ir.Value {
		return t.op2(op, floatOf(ty), a, ir.Imm(int(i.RightShift())))
	}
}

func fixedToInt(op ir.Op) shifted {
	return func(t *Translator, i decoder.Inst, ty ir.Type, a ir.Value) ir.Value {
		fbits := ir.Imm(int(i.RightShift()))
		return t.op3(op, ty, t.Bitcast(floatOf(ty), a), ir.Imm(int(ir.RoundZero)), fbits)
	}
}
