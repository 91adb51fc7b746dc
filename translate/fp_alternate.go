package translate

import (
	"emu/decoder"
	"emu/internal/softfp"
	"emu/ir"
)

// What FEAT_AFP changes besides the arithmetic: with FPCR.AH = 1 a change of sign
// leaves NaNs alone (FPNeg, FPAbs), and with FPCR.NEP = 1 scalar results leave the
// rest of a vector as it is (IsMerging). Units are translated for the value of FPCR
// that they run under (SetFPCR).

func (t *Translator) alternate() bool { return t.fpcr&softfp.AH != 0 }

// setScalar writes a scalar result, or lane 0 of a vector, to Vd. The rest of the
// register becomes zero, or with FPCR.NEP that of register from: of the destination
// for operations on one operand, of the addend where there is one, of the second
// operand of a comparison, and else of the first operand (Arm ARM C5.2.8, FPCR.NEP).
func (t *Translator) setScalar(i decoder.Inst, from uint32, v ir.Value) {
	if t.fpcr&softfp.NEP == 0 {
		t.SetV(i.Rd(), v)
		return
	}
	ty := t.TypeOf(v)
	if ty.IsVec() {
		v = t.VGet(v, 0)
		ty = t.TypeOf(v)
	}
	vec := ty.VecOf()
	t.SetV(i.Rd(), t.op3(ir.OpVSet, vec, t.V(from, vec), v, ir.Imm(0)))
}

// fpNeg is FPNeg on a scalar or on all lanes.
func fpNeg(t *Translator, ty ir.Type, a ir.Value) ir.Value {
	if !t.alternate() {
		return t.op1(ir.OpFNeg, ty, a)
	}
	return t.numbersOnly(ty, a, ir.OpXor)
}

// fpAbs is FPAbs.
func fpAbs(t *Translator, ty ir.Type, a ir.Value) ir.Value {
	if !t.alternate() {
		return t.op1(ir.OpFAbs, ty, a)
	}
	return t.numbersOnly(ty, a, ir.OpAndNot)
}

// numbersOnly applies op to the sign bits of what is not a NaN.
func (t *Translator) numbersOnly(ty ir.Type, a ir.Value, op ir.Op) ir.Value {
	if !ty.IsVec() {
		vec := ty.VecOf()
		return t.VGet(t.numbersOnly(vec, t.op1(ir.OpVFrom, vec, a), op), 0)
	}
	in := ty.IntOf()
	signs := t.signsToChange(a, t.splat(in, 1<<(laneBits(ty)-1)))
	return t.Bitcast(ty, t.op2(op, in, t.Bitcast(in, a), signs))
}

// signsToChange is the part of the sign bits that a change of sign concerns: with
// FPCR.AH those of lanes of v that are no NaNs.
func (t *Translator) signsToChange(v, signs ir.Value) ir.Value {
	if !t.alternate() {
		return signs
	}
	return t.AndNot(signs, t.isNaN(v))
}

// isNaN is a mask of the lanes of v that are NaNs.
func (t *Translator) isNaN(v ir.Value) ir.Value {
	ty := t.TypeOf(v)
	in, sign := ty.IntOf(), uint64(1)<<(laneBits(ty)-1)
	magnitude := t.op2(ir.OpAnd, in, t.Bitcast(in, v), t.splat(in, sign-1))
	return t.op3(ir.OpICmp, in, magnitude, t.splat(in, infinityOf(ty)), ir.Imm(int(ir.SGT)))
}

// infinityOf is the bit pattern of infinity in a lane of ty.
func infinityOf(ty ir.Type) uint64 {
	switch ty.Lane() {
	case ir.F16:
		return 0x7c00
	case ir.F32:
		return 0x7f80_0000
	}
	return 0x7ff0_0000_0000_0000
}
