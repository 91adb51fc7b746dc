package translate

import (
	"emu/decoder"
	"emu/ir"
)

// FMOV: register, immediate, and to and from general registers.
func fpMove() [][]rule {
	return [][]rule{
		enc(fmov, decoder.FMOV_H_floatdp1, decoder.FMOV_S_floatdp1, decoder.FMOV_D_floatdp1),
		enc(fmovImm, decoder.FMOV_H_floatimm, decoder.FMOV_S_floatimm, decoder.FMOV_D_floatimm),
		enc(fmovToGeneral,
			decoder.FMOV_32H_float2int, decoder.FMOV_64H_float2int, decoder.FMOV_32S_float2int, decoder.FMOV_64D_float2int),
		enc(fmovFromGeneral,
			decoder.FMOV_H32_float2int, decoder.FMOV_H64_float2int, decoder.FMOV_S32_float2int, decoder.FMOV_D64_float2int),
		enc(fmovUpperToGeneral, decoder.FMOV_64VX_float2int),
		enc(fmovUpperFromGeneral, decoder.FMOV_V64I_float2int),
	}
}

// FMOV <V><d>, <V><n>
func fmov(t *Translator, i decoder.Inst) { t.SetV(i.Rd(), t.V(i.Rn(), fpType(i))) }

// FMOV <V><d>, #<imm>
func fmovImm(t *Translator, i decoder.Inst) {
	ty := fpType(i)
	t.SetV(i.Rd(), t.Const(ty, decoder.VFPExpandImm(i.Bits(20, 13), uint(ty.Bits()))))
}

// FMOV <R><d>, <V><n>
func fmovToGeneral(t *Translator, i decoder.Inst) {
	ty := fpType(i)
	t.SetR(i.Rd(), t.Bitcast(ty.IntOf(), t.V(i.Rn(), ty)))
}

// FMOV <V><d>, <R><n>
func fmovFromGeneral(t *Translator, i decoder.Inst) {
	ty := fpType(i)
	t.SetV(i.Rd(), t.Bitcast(ty, t.narrowX(i.Rn(), ty.IntOf())))
}

// FMOV <Xd>, <Vn>.D[1]
func fmovUpperToGeneral(t *Translator, i decoder.Inst) {
	t.SetX(i.Rd(), t.VGet(t.V(i.Rn(), ir.V2I64), 1))
}

// FMOV <Vd>.D[1], <Xn>
func fmovUpperFromGeneral(t *Translator, i decoder.Inst) {
	d := t.V(i.Rd(), ir.V2I64)
	t.SetV(i.Rd(), t.op3(ir.OpVSet, ir.V2I64, d, t.X(i.Rn()), ir.Imm(1)))
}
