package translate

import (
	"emu/decoder"
	"emu/ir"
)

// SVE accelerators of exponentials and of sines and cosines.
func sveFloatTrig() [][]rule {
	return [][]rule{
		enc(expA, decoder.FEXPA_Z_Z_),
		enc(trigSelect, decoder.FTSSEL_Z_ZZ_),
		enc(trigMultiply, decoder.FTSMUL_Z_ZZ_),
		enc(trigMultiplyAdd, decoder.FTMAD_Z_ZZI_),
	}
}

// FEXPA <Zd>.<T>, <Zn>.<T>
func expA(t *Translator, i decoder.Inst) {
	ty := floatVec(elemSize(i))
	t.SetV(i.Rd(), t.op1(ir.OpFExpA, ty, t.V(i.Rn(), ty.IntOf())))
}

// laneBit is all ones in the lanes of an integer vector that have bit n set.
func (t *Translator) laneBit(v ir.Value, n int) ir.Value {
	top := int(laneBits(t.TypeOf(v))) - 1
	return t.AShrI(t.ShlI(v, top-n), top)
}

// FTSSEL <Zd>.<T>, <Zn>.<T>, <Zm>.<T>: Zn or, if bit 0 of Zm is set, 1.0; negative if bit 1 is
// (FPTrigSSel).
func trigSelect(t *Translator, i decoder.Inst) {
	ty := floatVec(elemSize(i))
	in := ty.IntOf()
	m := t.V(i.Rm(), in)
	v := t.op3(ir.OpBsl, in, t.laneBit(m, 0), t.splat(in, oneOf(ty)), t.V(i.Rn(), in))
	signs := t.And(t.ShlI(m, int(laneBits(ty))-2), t.splat(in, signOf(ty)))
	t.SetV(i.Rd(), t.Xor(v, t.signsToChange(t.Bitcast(ty, v), signs)))
}

// FTSMUL <Zd>.<T>, <Zn>.<T>, <Zm>.<T>: the square of Zn, with bit 0 of Zm for the sign unless it
// is a NaN (FPTrigSMul).
func trigMultiply(t *Translator, i decoder.Inst) {
	ty := floatVec(elemSize(i))
	in := ty.IntOf()
	n := t.V(i.Rn(), ty)
	v := t.op2(ir.OpFMul, ty, n, n)
	// Squares are positive, but for NaNs.
	signs := t.AndNot(t.ShlI(t.V(i.Rm(), in), int(laneBits(ty))-1), t.isNaN(v))
	t.SetV(i.Rd(), t.Or(t.Bitcast(in, v), signs))
}

// FTMAD <Zdn>.<T>, <Zdn>.<T>, <Zm>.<T>, #<imm>: a coefficient of the polynomial for the sine or,
// if Zm is negative, the cosine, plus Zdn times the magnitude of Zm (FPTrigMAdd).
func trigMultiplyAdd(t *Translator, i decoder.Inst) {
	size := elemSize(i)
	ty := floatVec(size)
	in := ty.IntOf()
	m := t.V(i.Rn(), ty)
	coefficients := &trigCoefficients[size-1]
	sine, cosine := t.splat(in, coefficients[i.Bits(18, 16)]), t.splat(in, coefficients[8+i.Bits(18, 16)])
	negative := t.laneBit(t.Bitcast(in, m), int(laneBits(ty))-1)
	addend := t.Bitcast(ty, t.op3(ir.OpBsl, in, negative, cosine, sine))
	t.SetV(i.Rd(), t.op3(ir.OpFMA, ty, addend, t.V(i.Rd(), ty), fpAbs(t, ty, m)))
}

// trigCoefficients are FPTrigMAddCoefficient of the Arm ARM, for half, single and double precision.
var trigCoefficients = [3][16]uint64{
	{0x3c00, 0xb155, 0x2030, 0, 0, 0, 0, 0, 0x3c00, 0xb800, 0x293a, 0, 0, 0, 0, 0},
	{
		0x3f800000, 0xbe2aaaab, 0x3c088886, 0xb95008b9, 0x36369d6d, 0, 0, 0,
		0x3f800000, 0xbf000000, 0x3d2aaaa6, 0xbab60705, 0x37cd37cc, 0, 0, 0,
	},
	{
		0x3ff0000000000000, 0xbfc5555555555543, 0x3f8111111110f30c, 0xbf2a01a019b92fc6,
		0x3ec71de351f3d22b, 0xbe5ae5e2b60f7b91, 0x3de5d8408868552f, 0,
		0x3ff0000000000000, 0xbfe0000000000000, 0x3fa5555555555536, 0xbf56c16c16c13a0b,
		0x3efa01a019b1e8d8, 0xbe927e4f7282f468, 0x3e21ee96d2641b13, 0xbda8f76380fbb401,
	},
}
