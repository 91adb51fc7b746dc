package translate

import (
	"emu/decoder"
	"emu/ir"
)

// Advanced SIMD copy and scalar copy.
func simdCopy() [][]rule {
	return [][]rule{
		enc(dupElement, decoder.DUP_asimdins_DV_v),
		enc(dupGeneral, decoder.DUP_asimdins_DR_r),
		enc(dupScalar, decoder.DUP_asisdone_only),
		enc(insertGeneral, decoder.INS_asimdins_IR_r),
		enc(insertElement, decoder.INS_asimdins_IV_v),
		enc(moveSigned(ir.I32), decoder.SMOV_asimdins_W_w),
		enc(moveSigned(ir.I64), decoder.SMOV_asimdins_X_x),
		enc(moveUnsigned, decoder.UMOV_asimdins_W_w, decoder.UMOV_asimdins_X_x),
	}
}

// laneOf is the vector type and the lane that imm5 selects.
func laneOf(i decoder.Inst) (ty ir.Type, lane int) {
	esize, index := i.ElementIndex5()
	return vecOfBits(esize), int(index)
}

// DUP <Vd>.<T>, <Vn>.<Ts>[<index>]
func dupElement(t *Translator, i decoder.Inst) {
	ty, lane := laneOf(i)
	t.setQ(i, t.op2(ir.OpVDupL, ty, t.V(i.Rn(), ty), ir.Imm(lane)))
}

// DUP <Vd>.<T>, <R><n>
func dupGeneral(t *Translator, i decoder.Inst) {
	ty, _ := laneOf(i)
	t.setQ(i, t.VDup(t.narrowX(i.Rn(), ty.Lane())))
}

// narrowX is the low part of general register n.
func (t *Translator) narrowX(n uint32, ty ir.Type) ir.Value { return t.Trunc(ty, t.X(n)) }

// DUP <V><d>, <Vn>.<T>[<index>], that is MOV (scalar). Scalars of float type stay
// in the host's vector registers.
func dupScalar(t *Translator, i decoder.Inst) {
	ty, lane := laneOf(i)
	if ty != ir.V16I8 {
		ty = floatOf(ty)
	}
	t.SetV(i.Rd(), t.VGet(t.V(i.Rn(), ty), lane))
}

// INS <Vd>.<Ts>[<index>], <R><n>
func insertGeneral(t *Translator, i decoder.Inst) {
	ty, lane := laneOf(i)
	x := t.narrowX(i.Rn(), ty.Lane())
	t.SetV(i.Rd(), t.op3(ir.OpVSet, ty, t.V(i.Rd(), ty), x, ir.Imm(lane)))
}

// INS <Vd>.<Ts>[<index1>], <Vn>.<Ts>[<index2>]
func insertElement(t *Translator, i decoder.Inst) {
	ty, to := laneOf(i)
	from := int(i.Bits(14, 11)) * ty.Lanes() / 16
	t.SetV(i.Rd(), t.op3(ir.OpVInsL, ty, t.V(i.Rd(), ty), t.V(i.Rn(), ty), ir.Imm(to<<4+from)))
}

// moveSigned is SMOV <Rd>, <Vn>.<Ts>[<index>].
func moveSigned(to ir.Type) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty, lane := laneOf(i)
		t.SetR(i.Rd(), t.Sext(to, t.VGet(t.V(i.Rn(), ty), lane)))
	}
}

// UMOV <Rd>, <Vn>.<Ts>[<index>]
func moveUnsigned(t *Translator, i decoder.Inst) {
	ty, lane := laneOf(i)
	t.SetR(i.Rd(), t.VGet(t.V(i.Rn(), ty), lane))
}
