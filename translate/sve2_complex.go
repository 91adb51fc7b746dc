package translate

import (
	"emu/decoder"
	"emu/ir"
)

// SVE2 complex arithmetic of integers: even lanes hold real parts, odd lanes imaginary parts.
func sve2Complex() [][]rule {
	return [][]rule{
		enc(complexAddInt(ir.OpAdd, ir.OpSub), decoder.CADD_Z_ZZ_),
		enc(complexAddInt(ir.OpSQAdd.Quiet(), ir.OpSQSub.Quiet()), decoder.SQCADD_Z_ZZ_),
		enc(complexVectors(multiplyAdd, multiplySub), decoder.CMLA_Z_ZZZ_),
		enc(complexVectors(roundingDoublingAdd, roundingDoublingSub), decoder.SQRDCMLAH_Z_ZZZ_),
		enc(complexElement(multiplyAdd, multiplySub), decoder.CMLA_Z_ZZZI_H, decoder.CMLA_Z_ZZZI_S),
		enc(complexElement(roundingDoublingAdd, roundingDoublingSub),
			decoder.SQRDCMLAH_Z_ZZZI_H, decoder.SQRDCMLAH_Z_ZZZI_S),
		enc(complexDotVectors, decoder.CDOT_Z_ZZZ_),
		enc(complexDotElement, decoder.CDOT_Z_ZZZI_S, decoder.CDOT_Z_ZZZI_D),
	}
}

// evenLanes is a mask of the even lanes of ty.
func (t *Translator) evenLanes(ty ir.Type) ir.Value {
	if ty == ir.V2I64 {
		return t.Const128(ty, ^uint64(0), 0)
	}
	return t.Bitcast(ty, t.splat(ty.Wider(), 1<<laneBits(ty)-1))
}

// evenOdd has the even lanes of one vector and the odd lanes of another.
func (t *Translator) evenOdd(ty ir.Type, even, odd ir.Value) ir.Value {
	return t.op3(ir.OpBsl, ty, t.evenLanes(ty), even, odd)
}

// complexAddInt is CADD, SQCADD <Zdn>.<T>, <Zdn>.<T>, <Zm>.<T>, <const>: Zdn plus Zm turned by
// 90 or 270 degrees.
func complexAddInt(add, sub ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		d, m := t.V(i.Rd(), ty), t.swapPairs(t.V(i.Rn(), ty)) // the field of Zn holds Zm here
		sum, diff := t.op2(add, ty, d, m), t.op2(sub, ty, d, m)
		if i.Bit(10) == 0 { // by 90
			t.SetV(i.Rd(), t.evenOdd(ty, diff, sum))
		} else {
			t.SetV(i.Rd(), t.evenOdd(ty, sum, diff))
		}
	}
}

// complexVectors is <op> <Zda>.<T>, <Zn>.<T>, <Zm>.<T>, <const>.
func complexVectors(add, sub ternary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		t.complexProduct(i, add, sub, t.V(i.Rm(), ty))
	}
}

// complexElement is <op> <Zda>.<T>, <Zn>.<T>, <Zm>.<T>[<imm>], <const>: the element is a pair. The
// field of the size says how wide that is.
func complexElement(add, sub ternary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		pair := intVec(elemSize(i))
		t.complexProduct(i, add, sub, t.Bitcast(pair.Narrower(), elementM(t, i, pair)))
	}
}

// complexProduct adds to Zda the real or the imaginary parts of Zn times m turned by quarters.
func (t *Translator) complexProduct(i decoder.Inst, add, sub ternary, m ir.Value) {
	ty, rot := t.TypeOf(m), i.Bits(11, 10)
	d, n := t.V(i.Rd(), ty), t.V(i.Rn(), ty)
	part := ir.OpTrn1
	if rot&1 == 1 {
		part, m = ir.OpTrn2, t.swapPairs(m)
	}
	n = t.op2(part, ty, n, n)
	var v ir.Value
	switch rot {
	case 0:
		v = add(t, ty, d, n, m)
	case 1:
		v = t.evenOdd(ty, sub(t, ty, d, n, m), add(t, ty, d, n, m))
	case 2:
		v = sub(t, ty, d, n, m)
	case 3:
		v = t.evenOdd(ty, add(t, ty, d, n, m), sub(t, ty, d, n, m))
	}
	t.SetV(i.Rd(), v)
}

// CDOT <Zda>.<T>, <Zn>.<Tb>, <Zm>.<Tb>, <const>
func complexDotVectors(t *Translator, i decoder.Inst) {
	ty := intVec(elemSize(i))
	t.complexDot(i, ty, t.V(i.Rm(), ty))
}

// CDOT <Zda>.<T>, <Zn>.<Tb>, <Zm>.<Tb>[<imm>], <const>: the element is two complex numbers.
func complexDotElement(t *Translator, i decoder.Inst) {
	ty := intVec(elemSize(i))
	t.complexDot(i, ty, elementM(t, i, ty))
}

// complexDot adds to each lane of Zda the real part (rotated by 0 or 180) or the imaginary
// part of the products of two complex numbers of Zn and m. With 0 and 270 the products of
// Zn's imaginary parts are taken away.
func (t *Translator) complexDot(i decoder.Inst, ty ir.Type, m ir.Value) {
	rot := i.Bits(11, 10)
	dot, small := lanes3(ir.OpSDot), ir.V16I8
	if ty == ir.V2I64 {
		dot, small = dotHalfwords(ir.OpSMulL, ir.OpSAddLP), ir.V8I16
	}
	d, n := t.V(i.Rd(), ty), t.V(i.Rn(), small)
	m = t.Bitcast(small, m)
	if rot&1 == 1 {
		m = t.swapPairs(m)
	}
	if rot == 1 || rot == 2 {
		t.SetV(i.Rd(), dot(t, ty, d, n, m))
		return
	}
	re := t.evenLanes(small)
	d = dot(t, ty, d, t.And(n, re), m)
	t.SetV(i.Rd(), t.Sub(d, dot(t, ty, t.zero(ty), t.AndNot(n, re), m)))
}
