package translate

import (
	"emu/decoder"
	"emu/ir"
)

// SVE floating-point round to integral.
func sveFloatRounding() [][]rule {
	return [][]rule{
		enc(mergingUnaryF(roundF(ir.RoundEven, false)), decoder.FRINTN_Z_P_Z_),
		enc(mergingUnaryF(roundF(ir.RoundUp, false)), decoder.FRINTP_Z_P_Z_),
		enc(mergingUnaryF(roundF(ir.RoundDown, false)), decoder.FRINTM_Z_P_Z_),
		enc(mergingUnaryF(roundF(ir.RoundZero, false)), decoder.FRINTZ_Z_P_Z_),
		enc(mergingUnaryF(roundF(ir.RoundAway, false)), decoder.FRINTA_Z_P_Z_),
		enc(mergingUnaryF(roundF(ir.RoundFPCR, true)), decoder.FRINTX_Z_P_Z_),
		enc(mergingUnaryF(roundF(ir.RoundFPCR, false)), decoder.FRINTI_Z_P_Z_),
	}
}
