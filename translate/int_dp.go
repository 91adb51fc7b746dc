package translate

import (
	"emu/decoder"
	"emu/ir"
)

// Data processing with one, two and three register sources.

var dpGroups = []groupRule{
	{decoder.ClassGeneral, "dp_3src", multiply, false},
	{decoder.ClassGeneral, "minmax_imm", minMaxImm, false},
}

func dpRules() []rule {
	return []rule{
		{decoder.UDIV_32_dp_2src, binaryR(ir.OpUDiv)},
		{decoder.UDIV_64_dp_2src, binaryR(ir.OpUDiv)},
		{decoder.SDIV_32_dp_2src, binaryR(ir.OpSDiv)},
		{decoder.SDIV_64_dp_2src, binaryR(ir.OpSDiv)},
		{decoder.LSLV_32_dp_2src, shiftV(ir.OpShl)},
		{decoder.LSLV_64_dp_2src, shiftV(ir.OpShl)},
		{decoder.LSRV_32_dp_2src, shiftV(ir.OpLShr)},
		{decoder.LSRV_64_dp_2src, shiftV(ir.OpLShr)},
		{decoder.ASRV_32_dp_2src, shiftV(ir.OpAShr)},
		{decoder.ASRV_64_dp_2src, shiftV(ir.OpAShr)},
		{decoder.RORV_32_dp_2src, shiftV(ir.OpRor)},
		{decoder.RORV_64_dp_2src, shiftV(ir.OpRor)},
		{decoder.SMAX_32_dp_2src, binaryR(ir.OpSMax)},
		{decoder.SMAX_64_dp_2src, binaryR(ir.OpSMax)},
		{decoder.SMIN_32_dp_2src, binaryR(ir.OpSMin)},
		{decoder.SMIN_64_dp_2src, binaryR(ir.OpSMin)},
		{decoder.UMAX_32_dp_2src, binaryR(ir.OpUMax)},
		{decoder.UMAX_64_dp_2src, binaryR(ir.OpUMax)},
		{decoder.UMIN_32_dp_2src, binaryR(ir.OpUMin)},
		{decoder.UMIN_64_dp_2src, binaryR(ir.OpUMin)},
		{decoder.CRC32B_32C_dp_2src, crc32(ir.OpCrc32)},
		{decoder.CRC32H_32C_dp_2src, crc32(ir.OpCrc32)},
		{decoder.CRC32W_32C_dp_2src, crc32(ir.OpCrc32)},
		{decoder.CRC32X_64C_dp_2src, crc32(ir.OpCrc32)},
		{decoder.CRC32CB_32C_dp_2src, crc32(ir.OpCrc32C)},
		{decoder.CRC32CH_32C_dp_2src, crc32(ir.OpCrc32C)},
		{decoder.CRC32CW_32C_dp_2src, crc32(ir.OpCrc32C)},
		{decoder.CRC32CX_64C_dp_2src, crc32(ir.OpCrc32C)},

		{decoder.RBIT_32_dp_1src, unaryR(ir.OpRBit)},
		{decoder.RBIT_64_dp_1src, unaryR(ir.OpRBit)},
		{decoder.REV16_32_dp_1src, reverse(16)},
		{decoder.REV16_64_dp_1src, reverse(16)},
		{decoder.REV_32_dp_1src, reverse(32)},
		{decoder.REV32_64_dp_1src, reverse(32)},
		{decoder.REV_64_dp_1src, reverse(64)},
		{decoder.CLZ_32_dp_1src, unaryR(ir.OpClz)},
		{decoder.CLZ_64_dp_1src, unaryR(ir.OpClz)},
		{decoder.CLS_32_dp_1src, unaryR(ir.OpCls)},
		{decoder.CLS_64_dp_1src, unaryR(ir.OpCls)},
		{decoder.CTZ_32_dp_1src, unaryR(ir.OpCtz)},
		{decoder.CTZ_64_dp_1src, unaryR(ir.OpCtz)},
		{decoder.CNT_32_dp_1src, unaryR(ir.OpPopcnt)},
		{decoder.CNT_64_dp_1src, unaryR(ir.OpPopcnt)},
		{decoder.ABS_32_dp_1src, unaryR(ir.OpAbs)},
		{decoder.ABS_64_dp_1src, unaryR(ir.OpAbs)},
	}
}

// <op> <Rd>, <Rn>
func unaryR(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		t.SetR(i.Rd(), t.Op1(op, t.R(is64(i), i.Rn())))
	}
}

// REV, REV16, REV32 <Rd>, <Rn>: reverses bytes in containers of n bits.
func reverse(n int) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		t.SetR(i.Rd(), t.Op2(ir.OpRev, t.R(is64(i), i.Rn()), ir.Imm(n)))
	}
}

// <op> <Rd>, <Rn>, <Rm>
func binaryR(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		t.SetR(i.Rd(), t.Op2(op, t.R(is64(i), i.Rn()), t.R(is64(i), i.Rm())))
	}
}

// LSLV, LSRV, ASRV, RORV <Rd>, <Rn>, <Rm>: the amount counts modulo the width,
// as in the IR.
func shiftV(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		t.SetR(i.Rd(), t.Op2(op, t.R(is64(i), i.Rn()), t.X(i.Rm())))
	}
}

// CRC32{C}{B|H|W|X} <Wd>, <Wn>, <Rm>
func crc32(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		bits := ir.Imm(8 << i.Bits(11, 10))
		t.SetW(i.Rd(), t.Op3(op, t.W(i.Rn()), t.X(i.Rm()), bits))
	}
}

// SMAX, UMAX, SMIN, UMIN <Rd>, <Rn>, #imm
func minMaxImm(t *Translator, i decoder.Inst) {
	op := [4]ir.Op{ir.OpSMax, ir.OpUMax, ir.OpSMin, ir.OpUMin}[i.Bits(19, 18)]
	imm := uint64(i.Bits(17, 10))
	if i.Bit(18) == 0 {
		imm = uint64(int64(int8(imm)))
	}
	n := t.R(is64(i), i.Rn())
	t.SetR(i.Rd(), t.Op2(op, n, t.Like(n, imm)))
}

// MADD, MSUB, SMADDL, SMSUBL, UMADDL, UMSUBL <Rd>, <Rn>, <Rm>, <Ra>;
// SMULH, UMULH <Xd>, <Xn>, <Xm>
func multiply(t *Translator, i decoder.Inst) {
	var product, a ir.Value
	switch i.Bits(23, 21) {
	case 0:
		product, a = t.Mul(t.R(is64(i), i.Rn()), t.R(is64(i), i.Rm())), t.R(is64(i), i.Ra())
	case 1:
		product, a = t.Op2(ir.OpMulLS, t.W(i.Rn()), t.W(i.Rm())), t.X(i.Ra())
	case 5:
		product, a = t.Op2(ir.OpMulLU, t.W(i.Rn()), t.W(i.Rm())), t.X(i.Ra())
	case 2:
		t.SetX(i.Rd(), t.Op2(ir.OpMulHiS, t.X(i.Rn()), t.X(i.Rm())))
		return
	case 6:
		t.SetX(i.Rd(), t.Op2(ir.OpMulHiU, t.X(i.Rn()), t.X(i.Rm())))
		return
	}
	switch {
	case i.Bit(15) == 0:
		product = t.Add(product, a)
	case i.Ra() == 31:
		product = t.Neg(product)
	default:
		product = t.Sub(a, product)
	}
	t.SetR(i.Rd(), product)
}
