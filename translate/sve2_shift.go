package translate

import (
	"emu/decoder"
	"emu/ir"
)

// SVE2 shifts by immediate of lanes as wide as the result.
func sve2Shifts() [][]rule {
	return [][]rule{
		enc(shiftAccumulate(ir.OpAShr), decoder.SSRA_Z_ZI_),
		enc(shiftAccumulate(ir.OpLShr), decoder.USRA_Z_ZI_),
		enc(shiftAccumulate(ir.OpSRShr), decoder.SRSRA_Z_ZI_),
		enc(shiftAccumulate(ir.OpURShr), decoder.URSRA_Z_ZI_),
		enc(shiftRightInto, decoder.SRI_Z_ZZI_),
		enc(shiftLeftInto, decoder.SLI_Z_ZZI_),

		enc(mergingRight(shiftAll(ir.OpSRShr)), decoder.SRSHR_Z_P_ZI_),
		enc(mergingRight(shiftAll(ir.OpURShr)), decoder.URSHR_Z_P_ZI_),
		enc(mergingLeft(saturatingShift(ir.OpSQShlV.Quiet())), decoder.SQSHL_Z_P_ZI_),
		enc(mergingLeft(saturatingShift(ir.OpUQShlV.Quiet())), decoder.UQSHL_Z_P_ZI_),
		enc(mergingLeft(shiftAll(ir.OpSQShlU.Quiet())), decoder.SQSHLU_Z_P_ZI_),
	}
}

// tszVec is the vector type that tszh:tszl selects.
func tszVec(i decoder.Inst) ir.Type { return vecOfBits(i.TszEsize()) }

// shiftAccumulate is SSRA and its kind <Zda>.<T>, <Zn>.<T>, #<const>.
func shiftAccumulate(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := tszVec(i)
		v := t.op2(op, ty, t.V(i.Rn(), ty), ir.Imm(int(i.TszRightShift())))
		t.SetV(i.Rd(), t.Add(t.V(i.Rd(), ty), v))
	}
}

// SRI <Zd>.<T>, <Zn>.<T>, #<const>
func shiftRightInto(t *Translator, i decoder.Inst) {
	ty, n := tszVec(i), i.TszRightShift()
	v := t.LShrI(t.V(i.Rn(), ty), int(n))
	t.SetV(i.Rd(), t.insert(i, ty, v, ^uint64(0)<<(laneBits(ty)-n)))
}

// SLI <Zd>.<T>, <Zn>.<T>, #<const>
func shiftLeftInto(t *Translator, i decoder.Inst) {
	ty, n := tszVec(i), i.TszLeftShift()
	v := t.ShlI(t.V(i.Rn(), ty), int(n))
	t.SetV(i.Rd(), t.insert(i, ty, v, 1<<n-1))
}

// saturatingShift is a left shift of all lanes by the same amount.
func saturatingShift(op ir.Op) immediate {
	return func(t *Translator, ty ir.Type, a ir.Value, n uint) ir.Value {
		return t.op2(op, ty, a, t.splat(ty, uint64(n)))
	}
}
