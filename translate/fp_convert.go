package translate

import (
	"emu/decoder"
	"emu/ir"
)

// Floating-point conversions, scalar: between precisions, and to and from
// integers and fixed point in general registers.
func fpConvert() [][]rule {
	return [][]rule{
		enc(fcvt(ir.F64), decoder.FCVT_DS_floatdp1, decoder.FCVT_DH_floatdp1),
		enc(fcvt(ir.F32), decoder.FCVT_SD_floatdp1, decoder.FCVT_SH_floatdp1),
		enc(fcvt(ir.F16), decoder.FCVT_HS_floatdp1, decoder.FCVT_HD_floatdp1),
		enc(bfcvt, decoder.BFCVT_BS_floatdp1),

		enc(fcvtToInt(ir.OpFToSI, ir.RoundEven),
			decoder.FCVTNS_32H_float2int, decoder.FCVTNS_64H_float2int, decoder.FCVTNS_32S_float2int,
			decoder.FCVTNS_64S_float2int, decoder.FCVTNS_32D_float2int, decoder.FCVTNS_64D_float2int),
		enc(fcvtToInt(ir.OpFToSI, ir.RoundUp),
			decoder.FCVTPS_32H_float2int, decoder.FCVTPS_64H_float2int, decoder.FCVTPS_32S_float2int,
			decoder.FCVTPS_64S_float2int, decoder.FCVTPS_32D_float2int, decoder.FCVTPS_64D_float2int),
		enc(fcvtToInt(ir.OpFToSI, ir.RoundDown),
			decoder.FCVTMS_32H_float2int, decoder.FCVTMS_64H_float2int, decoder.FCVTMS_32S_float2int,
			decoder.FCVTMS_64S_float2int, decoder.FCVTMS_32D_float2int, decoder.FCVTMS_64D_float2int),
		enc(fcvtToInt(ir.OpFToSI, ir.RoundZero),
			decoder.FCVTZS_32H_float2int, decoder.FCVTZS_64H_float2int, decoder.FCVTZS_32S_float2int,
			decoder.FCVTZS_64S_float2int, decoder.FCVTZS_32D_float2int, decoder.FCVTZS_64D_float2int),
		enc(fcvtToInt(ir.OpFToSI, ir.RoundAway),
			decoder.FCVTAS_32H_float2int, decoder.FCVTAS_64H_float2int, decoder.FCVTAS_32S_float2int,
			decoder.FCVTAS_64S_float2int, decoder.FCVTAS_32D_float2int, decoder.FCVTAS_64D_float2int),
		enc(fcvtToInt(ir.OpFToUI, ir.RoundEven),
			decoder.FCVTNU_32H_float2int, decoder.FCVTNU_64H_float2int, decoder.FCVTNU_32S_float2int,
			decoder.FCVTNU_64S_float2int, decoder.FCVTNU_32D_float2int, decoder.FCVTNU_64D_float2int),
		enc(fcvtToInt(ir.OpFToUI, ir.RoundUp),
			decoder.FCVTPU_32H_float2int, decoder.FCVTPU_64H_float2int, decoder.FCVTPU_32S_float2int,
			decoder.FCVTPU_64S_float2int, decoder.FCVTPU_32D_float2int, decoder.FCVTPU_64D_float2int),
		enc(fcvtToInt(ir.OpFToUI, ir.RoundDown),
			decoder.FCVTMU_32H_float2int, decoder.FCVTMU_64H_float2int, decoder.FCVTMU_32S_float2int,
			decoder.FCVTMU_64S_float2int, decoder.FCVTMU_32D_float2int, decoder.FCVTMU_64D_float2int),
		enc(fcvtToInt(ir.OpFToUI, ir.RoundZero),
			decoder.FCVTZU_32H_float2int, decoder.FCVTZU_64H_float2int, decoder.FCVTZU_32S_float2int,
			decoder.FCVTZU_64S_float2int, decoder.FCVTZU_32D_float2int, decoder.FCVTZU_64D_float2int),
		enc(fcvtToInt(ir.OpFToUI, ir.RoundAway),
			decoder.FCVTAU_32H_float2int, decoder.FCVTAU_64H_float2int, decoder.FCVTAU_32S_float2int,
			decoder.FCVTAU_64S_float2int, decoder.FCVTAU_32D_float2int, decoder.FCVTAU_64D_float2int),
		enc(fcvtFromInt(ir.OpSIToF),
			decoder.SCVTF_H32_float2int, decoder.SCVTF_H64_float2int, decoder.SCVTF_S32_float2int,
			decoder.SCVTF_S64_float2int, decoder.SCVTF_D32_float2int, decoder.SCVTF_D64_float2int),
		enc(fcvtFromInt(ir.OpUIToF),
			decoder.UCVTF_H32_float2int, decoder.UCVTF_H64_float2int, decoder.UCVTF_S32_float2int,
			decoder.UCVTF_S64_float2int, decoder.UCVTF_D32_float2int, decoder.UCVTF_D64_float2int),
		enc(fjcvtzs, decoder.FJCVTZS_32D_float2int),

		enc(fcvtToFixed(ir.OpFToSI),
			decoder.FCVTZS_32H_float2fix, decoder.FCVTZS_64H_float2fix, decoder.FCVTZS_32S_float2fix,
			decoder.FCVTZS_64S_float2fix, decoder.FCVTZS_32D_float2fix, decoder.FCVTZS_64D_float2fix),
		enc(fcvtToFixed(ir.OpFToUI),
			decoder.FCVTZU_32H_float2fix, decoder.FCVTZU_64H_float2fix, decoder.FCVTZU_32S_float2fix,
			decoder.FCVTZU_64S_float2fix, decoder.FCVTZU_32D_float2fix, decoder.FCVTZU_64D_float2fix),
		enc(fcvtFromFixed(ir.OpSIToF),
			decoder.SCVTF_H32_float2fix, decoder.SCVTF_H64_float2fix, decoder.SCVTF_S32_float2fix,
			decoder.SCVTF_S64_float2fix, decoder.SCVTF_D32_float2fix, decoder.SCVTF_D64_float2fix),
		enc(fcvtFromFixed(ir.OpUIToF),
			decoder.UCVTF_H32_float2fix, decoder.UCVTF_H64_float2fix, decoder.UCVTF_S32_float2fix,
			decoder.UCVTF_S64_float2fix, decoder.UCVTF_D32_float2fix, decoder.UCVTF_D64_float2fix),
	}
}

// fcvt is FCVT <V><d>, <V><n>; ftype is the type of the source.
func fcvt(to ir.Type) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		t.setScalar(i, i.Rd(), t.op1(ir.OpFCvt, to, t.V(i.Rn(), fpType(i))))
	}
}

// BFCVT <Hd>, <Sn>
func bfcvt(t *Translator, i decoder.Inst) {
	t.setScalar(i, i.Rd(), t.op1(ir.OpBFCvt, ir.I16, t.V(i.Rn(), ir.F32)))
}

// generalType is the type of the general register, selected by sf (bit 31).
func generalType(i decoder.Inst) ir.Type { return ir.I32 + ir.Type(i.Bit(31)) }

// fractionBits is the number of fraction bits that the scale field gives.
func fractionBits(i decoder.Inst) ir.Value { return ir.Imm(int(64 - i.Bits(15, 10))) }

func (t *Translator) fpToGeneral(i decoder.Inst, op ir.Op, mode ir.Round, fbits ir.Value) {
	t.SetR(i.Rd(), t.op3(op, generalType(i), t.V(i.Rn(), fpType(i)), ir.Imm(int(mode)), fbits))
}

func (t *Translator) generalToFP(i decoder.Inst, op ir.Op, fbits ir.Value) {
	t.setScalar(i, i.Rd(), t.op2(op, fpType(i), t.R(i.Bit(31) == 1, i.Rn()), fbits))
}

// fcvtToInt is FCVTNS and alike <R><d>, <V><n>.
func fcvtToInt(op ir.Op, mode ir.Round) translateFunc {
	return func(t *Translator, i decoder.Inst) { t.fpToGeneral(i, op, mode, ir.Imm(0)) }
}

// fcvtToFixed is FCVTZS and FCVTZU <R><d>, <V><n>, #<fbits>.
func fcvtToFixed(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) { t.fpToGeneral(i, op, ir.RoundZero, fractionBits(i)) }
}

// fcvtFromInt is SCVTF and UCVTF <V><d>, <R><n>.
func fcvtFromInt(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) { t.generalToFP(i, op, ir.Imm(0)) }
}

// fcvtFromFixed is SCVTF and UCVTF <V><d>, <R><n>, #<fbits>.
func fcvtFromFixed(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) { t.generalToFP(i, op, fractionBits(i)) }
}

// FJCVTZS <Wd>, <Dn>: sets Z when the conversion was exact, clears N, C and V.
func fjcvtzs(t *Translator, i decoder.Inst) {
	n := t.V(i.Rn(), ir.F64)
	w := t.op1(ir.OpFJCvt, ir.I32, n)
	t.SetNZCV(t.op1(ir.OpFJCvtF, ir.Flags, n))
	t.SetR(i.Rd(), w)
}
