package translate

import (
	"emu/decoder"
	"emu/ir"
)

// Floating-point complex arithmetic (FEAT_FCMA): even lanes hold real parts, odd
// lanes imaginary parts.
func simdComplex() [][]rule {
	return [][]rule{
		enc(complexAdd, decoder.FCADD_asimdsame2_C),
		enc(complexMultiplyAdd, decoder.FCMLA_asimdsame2_C),
		enc(complexMultiplyAddElement, decoder.FCMLA_asimdelem_C_H, decoder.FCMLA_asimdelem_C_S),
	}
}

// swapPairs exchanges the real and imaginary parts.
func (t *Translator) swapPairs(v ir.Value) ir.Value {
	ty := t.TypeOf(v)
	in := ty.IntOf()
	v = t.Bitcast(in, v)
	if in == ir.V2I64 {
		return t.Bitcast(ty, t.op3(ir.OpExt, in, v, v, ir.Imm(8)))
	}
	return t.Bitcast(ty, t.op2(ir.OpRev, in, v, ir.Imm(int(2*laneBits(ty)))))
}

// negateParts changes the sign of the real (even) or imaginary (odd) parts, or
// of both.
func (t *Translator) negateParts(v ir.Value, re, im bool) ir.Value {
	ty := t.TypeOf(v)
	if re && im {
		return fpNeg(t, ty, v)
	}
	esize := laneBits(ty)
	sign := uint64(1) << (esize - 1)
	lo, hi := sign, uint64(0) // the first two lanes
	if im {
		lo, hi = 0, sign
	}
	if esize < 64 {
		lo = decoder.Replicate(lo|hi<<esize, 2*esize, 64)
		hi = lo
	}
	in := ty.IntOf()
	return t.Bitcast(ty, t.op2(ir.OpXor, in, t.Bitcast(in, v), t.signsToChange(v, t.Const128(in, lo, hi))))
}

// FCADD <Vd>.<T>, <Vn>.<T>, <Vm>.<T>, #<rotate>: Vn plus Vm turned by 90 or 270
// degrees.
func complexAdd(t *Translator, i decoder.Inst) {
	ty := floatOf(intVec(elemSize(i)))
	n, m := t.lowIf(i, t.V(i.Rn(), ty)), t.lowIf(i, t.V(i.Rm(), ty))
	by90 := i.Bit(12) == 0
	t.setQ(i, t.op2(ir.OpFAdd, ty, n, t.negateParts(t.swapPairs(m), by90, !by90)))
}

// FCMLA <Vd>.<T>, <Vn>.<T>, <Vm>.<T>, #<rotate>
func complexMultiplyAdd(t *Translator, i decoder.Inst) {
	ty := floatOf(intVec(elemSize(i)))
	t.complexMultiplyAdd(i, t.lowIf(i, t.V(i.Rm(), ty)), i.Bits(12, 11))
}

// FCMLA <Vd>.<T>, <Vn>.<T>, <Vm>.<Ts>[<index>], #<rotate>
func complexMultiplyAddElement(t *Translator, i decoder.Inst) {
	ty := floatOf(intVec(elemSize(i)))
	pair, lane := ir.V2I64, int(i.Bit(11))
	if ty == ir.V8F16 {
		pair, lane = ir.V4I32, int(i.Bit(11)<<1|i.Bit(21))
	}
	m := t.op2(ir.OpVDupL, pair, t.V(i.Rm(), pair), ir.Imm(lane))
	t.complexMultiplyAdd(i, t.lowIf(i, t.Bitcast(ty, m)), i.Bits(14, 13))
}

// complexMultiplyAdd adds to Vd the real or imaginary parts of Vn times m turned
// by rot quarters.
func (t *Translator) complexMultiplyAdd(i decoder.Inst, m ir.Value, rot uint32) {
	ty := t.TypeOf(m)
	d := t.lowIf(i, t.V(i.Rd(), ty))
	a, b := t.turnedFactors(t.lowIf(i, t.V(i.Rn(), ty)), m, rot)
	t.setQ(i, t.op3(ir.OpFMA, ty, d, a, b))
}

// turnedFactors are the real or imaginary parts of n, each in both lanes of its pair, and what
// they are multiplied with: m turned by rot quarters.
func (t *Translator) turnedFactors(n, m ir.Value, rot uint32) (a, b ir.Value) {
	part := ir.OpTrn1
	if rot&1 == 1 {
		part = ir.OpTrn2
		m = t.swapPairs(m)
	}
	switch rot {
	case 1:
		m = t.negateParts(m, true, false)
	case 2:
		m = t.negateParts(m, true, true)
	case 3:
		m = t.negateParts(m, false, true)
	}
	return t.op2(part, t.TypeOf(n), n, n), m
}
