package translate

import (
	"emu/decoder"
	"emu/ir"
)

// Floating-point data-processing (3 source): Ra + Rn*Rm rounded once. Where the
// product is subtracted, the sign of the first factor changes (and so does that
// of a NaN in it), as in the Arm ARM's FPMulAdd(FPNeg(...)).
func fpMulAdd() [][]rule {
	return [][]rule{
		enc(fp3(false, false), decoder.FMADD_H_floatdp3, decoder.FMADD_S_floatdp3, decoder.FMADD_D_floatdp3),
		enc(fp3(false, true), decoder.FMSUB_H_floatdp3, decoder.FMSUB_S_floatdp3, decoder.FMSUB_D_floatdp3),
		enc(fp3(true, true), decoder.FNMADD_H_floatdp3, decoder.FNMADD_S_floatdp3, decoder.FNMADD_D_floatdp3),
		enc(fp3(true, false), decoder.FNMSUB_H_floatdp3, decoder.FNMSUB_S_floatdp3, decoder.FNMSUB_D_floatdp3),
	}
}

// fp3 is <op> <V><d>, <V><n>, <V><m>, <V><a>.
func fp3(negateAddend, negateProduct bool) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := fpType(i)
		a, n := t.V(i.Ra(), ty), t.V(i.Rn(), ty)
		if negateAddend {
			a = fpNeg(t, ty, a)
		}
		if negateProduct {
			n = fpNeg(t, ty, n)
		}
		t.setScalar(i, i.Ra(), t.op3(ir.OpFMA, ty, a, n, t.V(i.Rm(), ty)))
	}
}
