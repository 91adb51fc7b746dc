package translate

import (
	"emu/decoder"
	"emu/ir"
)

// Floating-point round to integral, scalar. FRINTX raises Inexact; FRINT32X and
// alike round to what fits the integer type.
func fpRound() [][]rule {
	return [][]rule{
		enc(fp1(roundF(ir.RoundEven, false)), decoder.FRINTN_H_floatdp1, decoder.FRINTN_S_floatdp1, decoder.FRINTN_D_floatdp1),
		enc(fp1(roundF(ir.RoundUp, false)), decoder.FRINTP_H_floatdp1, decoder.FRINTP_S_floatdp1, decoder.FRINTP_D_floatdp1),
		enc(fp1(roundF(ir.RoundDown, false)), decoder.FRINTM_H_floatdp1, decoder.FRINTM_S_floatdp1, decoder.FRINTM_D_floatdp1),
		enc(fp1(roundF(ir.RoundZero, false)), decoder.FRINTZ_H_floatdp1, decoder.FRINTZ_S_floatdp1, decoder.FRINTZ_D_floatdp1),
		enc(fp1(roundF(ir.RoundAway, false)), decoder.FRINTA_H_floatdp1, decoder.FRINTA_S_floatdp1, decoder.FRINTA_D_floatdp1),
		enc(fp1(roundF(ir.RoundFPCR, true)), decoder.FRINTX_H_floatdp1, decoder.FRINTX_S_floatdp1, decoder.FRINTX_D_floatdp1),
		enc(fp1(roundF(ir.RoundFPCR, false)), decoder.FRINTI_H_floatdp1, decoder.FRINTI_S_floatdp1, decoder.FRINTI_D_floatdp1),
		enc(fp1(roundSized(ir.OpFRound32, ir.RoundZero)), decoder.FRINT32Z_S_floatdp1, decoder.FRINT32Z_D_floatdp1),
		enc(fp1(roundSized(ir.OpFRound32, ir.RoundFPCR)), decoder.FRINT32X_S_floatdp1, decoder.FRINT32X_D_floatdp1),
		enc(fp1(roundSized(ir.OpFRound64, ir.RoundZero)), decoder.FRINT64Z_S_floatdp1, decoder.FRINT64Z_D_floatdp1),
		enc(fp1(roundSized(ir.OpFRound64, ir.RoundFPCR)), decoder.FRINT64X_S_floatdp1, decoder.FRINT64X_D_floatdp1),
	}
}
