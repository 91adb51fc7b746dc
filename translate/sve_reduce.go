package translate

import (
	"emu/decoder"
	"emu/ir"
)

// SVE reductions of integer vectors. Inactive lanes count as what changes nothing.
func sveReductions() [][]rule {
	return [][]rule{
		enc(addActive(ir.OpSAddLP, ir.OpSext), decoder.SADDV_R_P_Z_),
		enc(addActive(ir.OpUAddLP, ir.OpZext), decoder.UADDV_R_P_Z_),
		enc(extremeActive(ir.OpSMaxV, func(top uint64) uint64 { return top }), decoder.SMAXV_R_P_Z_),
		enc(extremeActive(ir.OpSMinV, func(top uint64) uint64 { return top - 1 }), decoder.SMINV_R_P_Z_),
		enc(extremeActive(ir.OpUMaxV, func(uint64) uint64 { return 0 }), decoder.UMAXV_R_P_Z_),
		enc(extremeActive(ir.OpUMinV, func(uint64) uint64 { return ^uint64(0) }), decoder.UMINV_R_P_Z_),
		enc(logicActive(ir.OpAnd, ^uint64(0)), decoder.ANDV_R_P_Z_),
		enc(logicActive(ir.OpOr, 0), decoder.ORV_R_P_Z_),
		enc(logicActive(ir.OpXor, 0), decoder.EORV_R_P_Z_),
	}
}

// addActive is SADDV, UADDV <Dd>, <Pg>, <Zn>.<T>. The sum of all lanes fits twice their
// width, as far as 64 bits go.
func addActive(addPairs, extend ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		v := t.zeroing(pg(i), t.V(i.Rn(), ty))
		if ty != ir.V2I64 {
			ty = ty.Wider()
			v = t.op1(addPairs, ty, v)
		}
		sum := t.op1(ir.OpAddV, ty.Lane(), v)
		if ty != ir.V2I64 {
			sum = t.op1(extend, ir.I64, sum)
		}
		t.SetV(i.Rd(), sum)
	}
}

// extremeActive is SMAXV and its kind <V><d>, <Pg>, <Zn>.<T>. What inactive lanes count as
// follows from the top bit of a lane.
func extremeActive(op ir.Op, neutral func(top uint64) uint64) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		v := t.otherwise(pg(i), t.V(i.Rn(), ty), neutral(1<<(laneBits(ty)-1)))
		t.SetV(i.Rd(), t.op1(op, ty.Lane(), v))
	}
}

// logicActive is ANDV, ORV, EORV <V><d>, <Pg>, <Zn>.<T>: halves are combined until one lane
// is left.
func logicActive(op ir.Op, neutral uint64) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		v := t.Bitcast(ir.V2I64, t.otherwise(pg(i), t.V(i.Rn(), ty), neutral))
		x := t.Op2(op, t.VGet(v, 0), t.VGet(v, 1))
		for n := uint(32); n >= laneBits(ty); n /= 2 {
			x = t.Op2(op, x, t.LShrI(x, int(n)))
		}
		t.SetV(i.Rd(), t.Trunc(ty.Lane(), x))
	}
}
