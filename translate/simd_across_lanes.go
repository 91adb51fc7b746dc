package translate

import (
	"emu/decoder"
	"emu/ir"
)

// Advanced SIMD across lanes.
func simdAcrossLanes() [][]rule {
	return [][]rule{
		enc(addAcross, decoder.ADDV_asimdall_only),
		enc(addLongAcross(ir.OpSAddLP), decoder.SADDLV_asimdall_only),
		enc(addLongAcross(ir.OpUAddLP), decoder.UADDLV_asimdall_only),
		enc(extremeAcross(ir.OpSMaxV), decoder.SMAXV_asimdall_only),
		enc(extremeAcross(ir.OpSMinV), decoder.SMINV_asimdall_only),
		enc(extremeAcross(ir.OpUMaxV), decoder.UMAXV_asimdall_only),
		enc(extremeAcross(ir.OpUMinV), decoder.UMINV_asimdall_only),
		enc(reduceHalf(ir.OpFMax), decoder.FMAXV_asimdall_only_H),
		enc(reduceHalf(ir.OpFMin), decoder.FMINV_asimdall_only_H),
		enc(reduceHalf(ir.OpFMaxNM), decoder.FMAXNMV_asimdall_only_H),
		enc(reduceHalf(ir.OpFMinNM), decoder.FMINNMV_asimdall_only_H),
		enc(reduceSingle(ir.OpFMax), decoder.FMAXV_asimdall_only_SD),
		enc(reduceSingle(ir.OpFMin), decoder.FMINV_asimdall_only_SD),
		enc(reduceSingle(ir.OpFMaxNM), decoder.FMAXNMV_asimdall_only_SD),
		enc(reduceSingle(ir.OpFMinNM), decoder.FMINNMV_asimdall_only_SD),
	}
}

// ADDV <V><d>, <Vn>.<T>
func addAcross(t *Translator, i decoder.Inst) {
	ty := intVec(elemSize(i))
	t.SetV(i.Rd(), t.op1(ir.OpAddV, ty.Lane(), t.lowIf(i, t.V(i.Rn(), ty))))
}

// addLongAcross is SADDLV and UADDLV <V><d>, <Vn>.<T>. The sum of all lanes fits
// the double width, so it does not matter when they are widened.
func addLongAcross(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		pairs := t.op1(op, ty.Wider(), t.lowIf(i, t.V(i.Rn(), ty)))
		t.SetV(i.Rd(), t.op1(ir.OpAddV, ty.Wider().Lane(), pairs))
	}
}

// extremeAcross is SMAXV and alike <V><d>, <Vn>.<T>. In 64-bit forms the lanes
// count twice.
func extremeAcross(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		v := t.V(i.Rn(), ty)
		if !quad(i) {
			v = t.op2(ir.OpVCombine, ty, v, v)
		}
		t.SetV(i.Rd(), t.op1(op, ty.Lane(), v))
	}
}

// reduceHalf is FMAXV and alike <V><d>, <Vn>.<T>, T = 4H or 8H. The architecture
// reduces in pairs of halves (Reduce), which decides the NaN that wins: the
// lower half is the first operand at every level.
func reduceHalf(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		v := t.V(i.Rn(), ir.V8F16)
		if !quad(i) {
			v = t.op2(ir.OpVCombine, ir.V8F16, v, v)
		}
		v = t.foldPairs(op, v)
		if quad(i) {
			v = t.foldPairs(op, v)
		}
		t.SetV(i.Rd(), t.op2(op, ir.F16, t.VGet(v, 0), t.VGet(v, 1)))
	}
}

// reduceSingle is the same with T = 4S.
func reduceSingle(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		v := t.foldPairs(op, t.V(i.Rn(), ir.V4F32))
		t.SetV(i.Rd(), t.op2(op, ir.F32, t.VGet(v, 0), t.VGet(v, 1)))
	}
}

// foldPairs combines adjacent lanes; the results repeat in the upper half.
func (t *Translator) foldPairs(op ir.Op, v ir.Value) ir.Value {
	ty := t.TypeOf(v)
	return t.op2(op, ty, t.op2(ir.OpUzp1, ty, v, v), t.op2(ir.OpUzp2, ty, v, v))
}
