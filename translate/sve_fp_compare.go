package translate

import (
	"emu/decoder"
	"emu/ir"
)

// SVE floating-point comparisons. They leave the condition flags alone, unlike those of
// integers.
func sveFloatCompares() [][]rule {
	return [][]rule{
		enc(compareFloats(compareF(ir.FOEQ)), decoder.FCMEQ_P_P_ZZ_),
		enc(compareFloats(compareF(ir.FUNE)), decoder.FCMNE_P_P_ZZ_),
		enc(compareFloats(compareF(ir.FOGE|ir.FSignal)), decoder.FCMGE_P_P_ZZ_),
		enc(compareFloats(compareF(ir.FOGT|ir.FSignal)), decoder.FCMGT_P_P_ZZ_),
		enc(compareFloats(compareF(ir.FUNO)), decoder.FCMUO_P_P_ZZ_),
		enc(compareFloats(compareAbs(ir.FOGE|ir.FSignal)), decoder.FACGE_P_P_ZZ_),
		enc(compareFloats(compareAbs(ir.FOGT|ir.FSignal)), decoder.FACGT_P_P_ZZ_),

		enc(compareFloatZero(ir.FOEQ), decoder.FCMEQ_P_P_Z0_),
		enc(compareFloatZero(ir.FUNE), decoder.FCMNE_P_P_Z0_),
		enc(compareFloatZero(ir.FOGE|ir.FSignal), decoder.FCMGE_P_P_Z0_),
		enc(compareFloatZero(ir.FOGT|ir.FSignal), decoder.FCMGT_P_P_Z0_),
		enc(compareFloatZero(ir.FOLE|ir.FSignal), decoder.FCMLE_P_P_Z0_),
		enc(compareFloatZero(ir.FOLT|ir.FSignal), decoder.FCMLT_P_P_Z0_),
	}
}

// setComparedFloats sets Pd to the lanes of a mask that Pg makes active.
func (t *Translator) setComparedFloats(i decoder.Inst, lanes ir.Value) {
	t.SetP(pd(i), t.And(t.Op1(ir.OpTopBits, lanes), t.P(pg(i))))
}

// compareFloats is <op> <Pd>.<T>, <Pg>/Z, <Zn>.<T>, <Zm>.<T>.
func compareFloats(k binary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		g, ty := pg(i), floatVec(elemSize(i))
		t.setComparedFloats(i, k(t, ty, t.zeroing(g, t.V(i.Rn(), ty)), t.zeroing(g, t.V(i.Rm(), ty))))
	}
}

// compareFloatZero is <op> <Pd>.<T>, <Pg>/Z, <Zn>.<T>, #0.0.
func compareFloatZero(c ir.FCond) translateFunc {
	k := compareZeroF(c)
	return func(t *Translator, i decoder.Inst) {
		ty := floatVec(elemSize(i))
		t.setComparedFloats(i, k(t, ty, t.zeroing(pg(i), t.V(i.Rn(), ty))))
	}
}
