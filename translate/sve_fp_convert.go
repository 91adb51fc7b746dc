package translate

import (
	"emu/decoder"
	"emu/ir"
)

// SVE floating-point conversions. Elements are as wide as the wider of the two types; the
// narrower one is in their low bits, or for SVE2's top forms in their high bits. Half precision
// is that of IEEE whatever FPCR.AHP says (FPConvertSVE).
func sveFloatConverts() [][]rule {
	return [][]rule{
		enc(narrowing(narrowHalf), decoder.FCVT_Z_P_Z_S2H),
		enc(narrowing(narrowSingle), decoder.FCVT_Z_P_Z_D2S),
		enc(narrowing(narrowOdd), decoder.FCVTX_Z_P_Z_D2S),
		enc(narrowingTop(narrowHalf), decoder.FCVTNT_Z_P_Z_S2H),
		enc(narrowingTop(narrowSingle), decoder.FCVTNT_Z_P_Z_D2S),
		enc(narrowingTop(narrowOdd), decoder.FCVTXNT_Z_P_Z_D2S),
		enc(widening(ir.OpUzp1, ir.V8F16), decoder.FCVT_Z_P_Z_H2S),
		enc(widening(ir.OpUzp1, ir.V4F32), decoder.FCVT_Z_P_Z_S2D),
		enc(widening(ir.OpUzp2, ir.V8F16), decoder.FCVTLT_Z_P_Z_H2S),
		enc(widening(ir.OpUzp2, ir.V4F32), decoder.FCVTLT_Z_P_Z_S2D),
		enc(byLane(ir.V2F64, ir.V8F16, convertIEEE), decoder.FCVT_Z_P_Z_D2H),
		enc(byLane(ir.V8F16, ir.V2F64, convertIEEE), decoder.FCVT_Z_P_Z_H2D),

		enc(floatToInt(ir.OpFToSI), decoder.FCVTZS_Z_P_Z_FP162H, decoder.FCVTZS_Z_P_Z_S2W, decoder.FCVTZS_Z_P_Z_D2X),
		enc(floatToInt(ir.OpFToUI), decoder.FCVTZU_Z_P_Z_FP162H, decoder.FCVTZU_Z_P_Z_S2W, decoder.FCVTZU_Z_P_Z_D2X),
		enc(byLane(ir.V8F16, ir.V4I32, truncated(ir.OpFToSI, ir.I32)), decoder.FCVTZS_Z_P_Z_FP162W),
		enc(byLane(ir.V8F16, ir.V4I32, truncated(ir.OpFToUI, ir.I32)), decoder.FCVTZU_Z_P_Z_FP162W),
		enc(byLane(ir.V8F16, ir.V2I64, truncated(ir.OpFToSI, ir.I64)), decoder.FCVTZS_Z_P_Z_FP162X),
		enc(byLane(ir.V8F16, ir.V2I64, truncated(ir.OpFToUI, ir.I64)), decoder.FCVTZU_Z_P_Z_FP162X),
		enc(byLane(ir.V4F32, ir.V2I64, truncated(ir.OpFToSI, ir.I64)), decoder.FCVTZS_Z_P_Z_S2X),
		enc(byLane(ir.V4F32, ir.V2I64, truncated(ir.OpFToUI, ir.I64)), decoder.FCVTZU_Z_P_Z_S2X),
		enc(byLane(ir.V2F64, ir.V2I64, truncatedWord(ir.OpFToSI, ir.OpSext)), decoder.FCVTZS_Z_P_Z_D2W),
		enc(byLane(ir.V2F64, ir.V2I64, truncatedWord(ir.OpFToUI, ir.OpZext)), decoder.FCVTZU_Z_P_Z_D2W),

		enc(intToFloat(ir.OpSIToF), decoder.SCVTF_Z_P_Z_H2FP16, decoder.SCVTF_Z_P_Z_W2S, decoder.SCVTF_Z_P_Z_X2D),
		enc(intToFloat(ir.OpUIToF), decoder.UCVTF_Z_P_Z_H2FP16, decoder.UCVTF_Z_P_Z_W2S, decoder.UCVTF_Z_P_Z_X2D),
		enc(wordsToDouble(ir.OpVSext), decoder.SCVTF_Z_P_Z_W2D),
		enc(wordsToDouble(ir.OpVZext), decoder.UCVTF_Z_P_Z_W2D),
		enc(byLane(ir.V4I32, ir.V8F16, rounded(ir.OpSIToF, ir.F16)), decoder.SCVTF_Z_P_Z_W2FP16),
		enc(byLane(ir.V4I32, ir.V8F16, rounded(ir.OpUIToF, ir.F16)), decoder.UCVTF_Z_P_Z_W2FP16),
		enc(byLane(ir.V2I64, ir.V8F16, rounded(ir.OpSIToF, ir.F16)), decoder.SCVTF_Z_P_Z_X2FP16),
		enc(byLane(ir.V2I64, ir.V8F16, rounded(ir.OpUIToF, ir.F16)), decoder.UCVTF_Z_P_Z_X2FP16),
		enc(byLane(ir.V2I64, ir.V4F32, rounded(ir.OpSIToF, ir.F32)), decoder.SCVTF_Z_P_Z_X2S),
		enc(byLane(ir.V2I64, ir.V4F32, rounded(ir.OpUIToF, ir.F32)), decoder.UCVTF_Z_P_Z_X2S),
	}
}

// narrower is a conversion to lanes of half the width, in the low half of the result.
type narrower struct {
	op       ir.Op
	from, to ir.Type
}

var (
	narrowHalf   = narrower{ir.OpFCvtIEEE, ir.V4F32, ir.V8F16}
	narrowSingle = narrower{ir.OpFCvt, ir.V2F64, ir.V4F32}
	narrowOdd    = narrower{ir.OpFCvtXN, ir.V2F64, ir.V4F32}
	narrowBFloat = narrower{ir.OpBFCvt, ir.V4F32, ir.V8I16}
)

// results are those of the active lanes of Zn, in the low bits of lanes of integers as wide as
// Zn's.
func (k *narrower) results(t *Translator, i decoder.Inst) ir.Value {
	v := t.op1(k.op, k.to, t.zeroing(pg(i), t.V(i.Rn(), k.from)))
	return t.op1(ir.OpVZext, k.from.IntOf(), t.Bitcast(k.to.IntOf(), v))
}

// narrowing is <op> <Zd>.<Tb>, <Pg>/M, <Zn>.<T>.
func narrowing(k narrower) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		v := k.results(t, i)
		t.SetV(i.Rd(), t.merge(pg(i), v, t.V(i.Rd(), t.TypeOf(v))))
	}
}

// narrowingTop is <op>NT <Zd>.<Tb>, <Pg>/M, <Zn>.<T>: the even elements of Zd stay.
func narrowingTop(k narrower) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		v := k.results(t, i)
		ty, half := t.TypeOf(v), k.to.IntOf()
		old := t.V(i.Rd(), ty)
		v = t.Bitcast(ty, t.op2(ir.OpTrn1, half, t.Bitcast(half, old), t.Bitcast(half, v)))
		t.SetV(i.Rd(), t.merge(pg(i), v, old))
	}
}

// widening is <op> <Zd>.<T>, <Pg>/M, <Zn>.<Tb>: of the even elements of type ty, or the odd ones.
func widening(part ir.Op, ty ir.Type) translateFunc {
	op := ir.OpFCvt
	if ty == ir.V8F16 {
		op = ir.OpFCvtIEEE
	}
	return func(t *Translator, i decoder.Inst) {
		g, to := pg(i), ty.Wider()
		v := t.Bitcast(ty, t.zeroing(g, t.V(i.Rn(), to.IntOf())))
		v = t.op1(op, to, t.op2(part, ty, v, t.zero(ty)))
		t.SetV(i.Rd(), t.merge(g, v, t.V(i.Rd(), to)))
	}
}

// laneConversion emits the conversion of a scalar to the lane of a vector of type to.
type laneConversion func(t *Translator, to ir.Type, x ir.Value) ir.Value

// byLane is <op> <Zd>.<T>, <Pg>/M, <Zn>.<Tb> with a scalar conversion for each element: what
// the types do not have in common would round twice, or raise other exceptions.
func byLane(from, to ir.Type, k laneConversion) translateFunc {
	element := from.IntOf()
	if laneBits(to) > laneBits(from) {
		element = to.IntOf()
	}
	return func(t *Translator, i decoder.Inst) {
		t.mergeUnary(i, element, func(t *Translator, _ ir.Type, a ir.Value) ir.Value {
			v := t.eachLane(a, from, to, func(x ir.Value) ir.Value { return k(t, to, x) })
			return t.Bitcast(element, v)
		}, idleZero)
	}
}

func convertIEEE(t *Translator, to ir.Type, x ir.Value) ir.Value {
	return t.op1(ir.OpFCvtIEEE, to.Lane(), x)
}

// truncated is FCVTZS and FCVTZU.
func truncated(op ir.Op, to ir.Type) laneConversion {
	return func(t *Translator, _ ir.Type, x ir.Value) ir.Value {
		return t.op3(op, to, x, ir.Imm(int(ir.RoundZero)), ir.Imm(0))
	}
}

// truncatedWord is the same to 32 bits, extended to 64.
func truncatedWord(op, extend ir.Op) laneConversion {
	return func(t *Translator, to ir.Type, x ir.Value) ir.Value {
		return t.op1(extend, ir.I64, truncated(op, ir.I32)(t, to, x))
	}
}

// rounded is SCVTF and UCVTF.
func rounded(op ir.Op, to ir.Type) laneConversion {
	return func(t *Translator, _ ir.Type, x ir.Value) ir.Value { return t.op2(op, to, x, ir.Imm(0)) }
}

// floatToInt is <op> <Zd>.<T>, <Pg>/M, <Zn>.<T>; bits 18:17 are the size.
func floatToInt(op ir.Op) translateFunc {
	k := toInt(op, ir.RoundZero)
	return func(t *Translator, i decoder.Inst) {
		t.mergeUnary(i, floatVec(i.Bits(18, 17)), func(t *Translator, ty ir.Type, a ir.Value) ir.Value {
			return t.Bitcast(ty, k(t, ty, a))
		}, idleZero)
	}
}

// intToFloat is <op> <Zd>.<T>, <Pg>/M, <Zn>.<T>; bits 18:17 are the size.
func intToFloat(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		t.mergeUnary(i, floatVec(i.Bits(18, 17)), fromInt(op), idleZero)
	}
}

// wordsToDouble is <op> <Zd>.D, <Pg>/M, <Zn>.S, which is exact: inactive lanes are quiet. Extended
// to 64 bits all numbers are signed.
func wordsToDouble(extend ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		words := t.op1(ir.OpVTrunc, ir.V4I32, t.V(i.Rn(), ir.V2I64))
		v := t.op2(ir.OpSIToF, ir.V2F64, t.op1(extend, ir.V2I64, words), ir.Imm(0))
		t.SetV(i.Rd(), t.merge(pg(i), v, t.V(i.Rd(), ir.V2F64)))
	}
}
