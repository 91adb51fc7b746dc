package translate

import (
	"emu/decoder"
	"emu/ir"
)

// Advanced SIMD modified immediate: MOVI, MVNI, FMOV, ORR and BIC (vector,
// immediate).
func simdModifiedImm() [][]rule {
	return [][]rule{
		enc(moveImm,
			decoder.MOVI_asimdimm_L_sl, decoder.MOVI_asimdimm_L_hl, decoder.MOVI_asimdimm_M_sm,
			decoder.MOVI_asimdimm_N_b, decoder.MOVI_asimdimm_D2_d,
			decoder.FMOV_asimdimm_S_s, decoder.FMOV_asimdimm_D2_d),
		enc(moveImmLow, decoder.MOVI_asimdimm_D_ds),
		enc(moveImmHalf, decoder.FMOV_asimdimm_H_h),
		enc(moveNotImm, decoder.MVNI_asimdimm_L_sl, decoder.MVNI_asimdimm_L_hl, decoder.MVNI_asimdimm_M_sm),
		enc(orrImm, decoder.ORR_asimdimm_L_sl, decoder.ORR_asimdimm_L_hl),
		enc(bicImm, decoder.BIC_asimdimm_L_sl, decoder.BIC_asimdimm_L_hl),
	}
}

// modifiedImm is AdvSIMDExpandImm of the fields op, cmode and a:b:c:d:e:f:g:h.
func modifiedImm(i decoder.Inst) uint64 {
	return decoder.AdvSIMDExpandImm(i.Bit(29), i.Bits(15, 12), i.ModImm8())
}

// setImm writes a 64-bit pattern to both halves, or to the lower one for Q = 0.
func (t *Translator) setImm(i decoder.Inst, x uint64) {
	hi := x
	if !quad(i) {
		hi = 0
	}
	t.SetV(i.Rd(), t.Const128(ir.V2I64, x, hi))
}

func moveImm(t *Translator, i decoder.Inst) { t.setImm(i, modifiedImm(i)) }

// MOVI <Dd>, #<imm>
func moveImmLow(t *Translator, i decoder.Inst) {
	t.SetV(i.Rd(), t.Const128(ir.V2I64, modifiedImm(i), 0))
}

// FMOV <Vd>.<T>, #<imm>, T = 4H or 8H
func moveImmHalf(t *Translator, i decoder.Inst) {
	t.setImm(i, decoder.Replicate(decoder.VFPExpandImm(i.ModImm8(), 16), 16, 64))
}

func moveNotImm(t *Translator, i decoder.Inst) { t.setImm(i, ^modifiedImm(i)) }

func orrImm(t *Translator, i decoder.Inst) {
	x := modifiedImm(i)
	t.setQ(i, t.op2(ir.OpOr, ir.V2I64, t.V(i.Rd(), ir.V2I64), t.Const128(ir.V2I64, x, x)))
}

func bicImm(t *Translator, i decoder.Inst) {
	x := ^modifiedImm(i)
	t.setQ(i, t.op2(ir.OpAnd, ir.V2I64, t.V(i.Rd(), ir.V2I64), t.Const128(ir.V2I64, x, x)))
}
