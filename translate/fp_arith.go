package translate

import (
	"emu/decoder"
	"emu/ir"
)

// Floating-point data-processing, scalar: one and two sources. Results clear the
// rest of the register, unless FPCR.NEP is set (fp_alternate.go).
func fpArith() [][]rule {
	return [][]rule{
		enc(fp2(lanes2(ir.OpFAdd)), decoder.FADD_H_floatdp2, decoder.FADD_S_floatdp2, decoder.FADD_D_floatdp2),
		enc(fp2(lanes2(ir.OpFSub)), decoder.FSUB_H_floatdp2, decoder.FSUB_S_floatdp2, decoder.FSUB_D_floatdp2),
		enc(fp2(lanes2(ir.OpFMul)), decoder.FMUL_H_floatdp2, decoder.FMUL_S_floatdp2, decoder.FMUL_D_floatdp2),
		enc(fp2(multiplyNegate), decoder.FNMUL_H_floatdp2, decoder.FNMUL_S_floatdp2, decoder.FNMUL_D_floatdp2),
		enc(fp2(lanes2(ir.OpFDiv)), decoder.FDIV_H_floatdp2, decoder.FDIV_S_floatdp2, decoder.FDIV_D_floatdp2),
		enc(fp2(lanes2(ir.OpFMax)), decoder.FMAX_H_floatdp2, decoder.FMAX_S_floatdp2, decoder.FMAX_D_floatdp2),
		enc(fp2(lanes2(ir.OpFMin)), decoder.FMIN_H_floatdp2, decoder.FMIN_S_floatdp2, decoder.FMIN_D_floatdp2),
		enc(fp2(lanes2(ir.OpFMaxNM)), decoder.FMAXNM_H_floatdp2, decoder.FMAXNM_S_floatdp2, decoder.FMAXNM_D_floatdp2),
		enc(fp2(lanes2(ir.OpFMinNM)), decoder.FMINNM_H_floatdp2, decoder.FMINNM_S_floatdp2, decoder.FMINNM_D_floatdp2),

		enc(fp1(fpAbs), decoder.FABS_H_floatdp1, decoder.FABS_S_floatdp1, decoder.FABS_D_floatdp1),
		enc(fp1(fpNeg), decoder.FNEG_H_floatdp1, decoder.FNEG_S_floatdp1, decoder.FNEG_D_floatdp1),
		enc(fp1(lanes1(ir.OpFSqrt)), decoder.FSQRT_H_floatdp1, decoder.FSQRT_S_floatdp1, decoder.FSQRT_D_floatdp1),
	}
}

// fpType is the type that the ftype field selects: 00 single, 01 double, 11 half.
func fpType(i decoder.Inst) ir.Type {
	switch i.Bits(23, 22) {
	case 0:
		return ir.F32
	case 1:
		return ir.F64
	}
	return ir.F16
}

// fp1 is <op> <V><d>, <V><n>.
func fp1(k unary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := fpType(i)
		t.setScalar(i, i.Rd(), k(t, ty, t.V(i.Rn(), ty)))
	}
}

// fp2 is <op> <V><d>, <V><n>, <V><m>.
func fp2(k binary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := fpType(i)
		t.setScalar(i, i.Rn(), k(t, ty, t.V(i.Rn(), ty), t.V(i.Rm(), ty)))
	}
}

// multiplyNegate is FNMUL: the sign of a NaN result changes too.
func multiplyNegate(t *Translator, ty ir.Type, a, b ir.Value) ir.Value {
	return fpNeg(t, ty, t.op2(ir.OpFMul, ty, a, b))
}
