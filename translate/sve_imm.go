package translate

import (
	"emu/decoder"
	"emu/ir"
)

// SVE integer arithmetic and logic with an immediate.
func sveImmediates() [][]rule {
	return [][]rule{
		enc(withUnsigned(lanes2(ir.OpAdd)), decoder.ADD_Z_ZI_),
		enc(withUnsigned(lanes2(ir.OpSub)), decoder.SUB_Z_ZI_),
		enc(withUnsigned(reversed(lanes2(ir.OpSub))), decoder.SUBR_Z_ZI_),
		enc(withUnsigned(addUnsigned), decoder.SQADD_Z_ZI_),
		enc(withUnsigned(subUnsigned), decoder.SQSUB_Z_ZI_),
		enc(withUnsigned(lanes2(ir.OpUQAdd.Quiet())), decoder.UQADD_Z_ZI_),
		enc(withUnsigned(lanes2(ir.OpUQSub.Quiet())), decoder.UQSUB_Z_ZI_),
		enc(withImm8(lanes2(ir.OpUMax)), decoder.UMAX_Z_ZI_),
		enc(withImm8(lanes2(ir.OpUMin)), decoder.UMIN_Z_ZI_),
		enc(withSigned(lanes2(ir.OpSMax)), decoder.SMAX_Z_ZI_),
		enc(withSigned(lanes2(ir.OpSMin)), decoder.SMIN_Z_ZI_),
		enc(withSigned(lanes2(ir.OpMul)), decoder.MUL_Z_ZI_),

		enc(withMask(lanes2(ir.OpAnd)), decoder.AND_Z_ZI_),
		enc(withMask(lanes2(ir.OpOr)), decoder.ORR_Z_ZI_),
		enc(withMask(lanes2(ir.OpXor)), decoder.EOR_Z_ZI_),
		enc(dupMask, decoder.DUPM_Z_I_),
	}
}

// withNumber is <op> <Zdn>.<T>, <Zdn>.<T>, #<imm>.
func (t *Translator) withNumber(i decoder.Inst, k binary, imm uint64) {
	ty := intVec(elemSize(i))
	t.SetV(i.Rd(), k(t, ty, t.V(i.Rd(), ty), t.splat(ty, imm)))
}

// withUnsigned is <op> <Zdn>.<T>, <Zdn>.<T>, #<imm>{, LSL #8}.
func withUnsigned(k binary) translateFunc {
	return func(t *Translator, i decoder.Inst) { t.withNumber(i, k, i.UnsignedImm8()) }
}

// withImm8 is <op> <Zdn>.<T>, <Zdn>.<T>, #<imm>, 0 to 255.
func withImm8(k binary) translateFunc {
	return func(t *Translator, i decoder.Inst) { t.withNumber(i, k, uint64(i.Bits(12, 5))) }
}

// withSigned is <op> <Zdn>.<T>, <Zdn>.<T>, #<imm>, -128 to 127.
func withSigned(k binary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		t.withNumber(i, k, uint64(decoder.SignExtend(i.Bits(12, 5), 8)))
	}
}

// addUnsigned is the sum of a, signed, and b, a number without sign, with signed saturation.
func addUnsigned(t *Translator, ty ir.Type, a, b ir.Value) ir.Value {
	op := ir.OpSUQAdd.Quiet()
	if t.isPositive(b) {
		op = ir.OpSQAdd.Quiet()
	}
	return t.op2(op, ty, a, b)
}

// subUnsigned is the difference: the complement of the sum of the complement of a and b.
func subUnsigned(t *Translator, ty ir.Type, a, b ir.Value) ir.Value {
	if t.isPositive(b) {
		return t.op2(ir.OpSQSub.Quiet(), ty, a, b)
	}
	return t.op1(ir.OpNot, ty, addUnsigned(t, ty, t.op1(ir.OpNot, ty, a), b))
}

// isPositive reports whether a constant's lanes, all equal, are not negative as signed numbers.
func (t *Translator) isPositive(b ir.Value) bool {
	c, ok := t.ConstOf(b)
	return ok && int64(c.Lo) >= 0
}

// mask13 is the mask of a logical immediate in both halves.
func (t *Translator) mask13(i decoder.Inst) ir.Value {
	x := i.Imm13()
	return t.Const128(ir.V2I64, x, x)
}

// withMask is <op> <Zdn>.<T>, <Zdn>.<T>, #<const>.
func withMask(k binary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		t.SetV(i.Rd(), k(t, ir.V2I64, t.V(i.Rd(), ir.V2I64), t.mask13(i)))
	}
}

// DUPM <Zd>.<T>, #<const>
func dupMask(t *Translator, i decoder.Inst) { t.SetV(i.Rd(), t.mask13(i)) }
