package translate

import (
	"emu/decoder"
	"emu/ir"
)

var bitfieldGroups = []groupRule{
	{decoder.ClassGeneral, "bitfield", bitfield, false},
	{decoder.ClassGeneral, "extract", extractRegister, false},
}

// SBFM, BFM, UBFM <Rd>, <Rn>, #immr, #imms. With imms >= immr the field
// imms:immr moves to bit 0 (SBFX, BFXIL, UBFX, the right shifts and extensions);
// otherwise the low imms+1 bits move up to bit width-immr (SBFIZ, BFI, LSL).
func bitfield(t *Translator, i decoder.Inst) {
	width := 32
	if is64(i) {
		width = 64
	}
	immr, imms := int(i.Bits(21, 16)), int(i.Bits(15, 10))
	n := t.R(is64(i), i.Rn())
	var lsb, to, size int
	if imms >= immr {
		lsb, size = immr, imms-immr+1
	} else {
		to, size = width-immr, imms+1
	}
	if i.Bits(30, 29) == 1 { // BFM
		if lsb > 0 {
			n = t.LShrI(n, lsb)
		}
		d := t.R(is64(i), i.Rd())
		t.SetR(i.Rd(), t.Op3(ir.OpBfi, d, n, t.I64(uint64(to<<8|size))))
		return
	}
	signed := i.Bits(30, 29) == 0
	var v ir.Value
	switch {
	case to > 0 && to+size == width: // LSL
		v = t.ShlI(n, to)
	case to > 0:
		v = t.ShlI(t.field(n, 0, size, signed), to)
	default:
		v = t.field(n, lsb, size, signed)
	}
	t.SetR(i.Rd(), v)
}

// field is the size bits of n from lsb on, extended to the type of n.
func (t *Translator) field(n ir.Value, lsb, size int, signed bool) ir.Value {
	ty := t.TypeOf(n)
	switch {
	case lsb+size == ty.Bits() && signed:
		return t.AShrI(n, lsb)
	case lsb+size == ty.Bits():
		return t.LShrI(n, lsb)
	case lsb == 0 && size == 32 && signed:
		return t.Sext(ty, t.Trunc(ir.I32, n))
	case lsb == 0 && size == 32:
		return t.Zext(ty, t.Trunc(ir.I32, n))
	case signed:
		return t.Op3(ir.OpSbfx, n, ir.Imm(lsb), ir.Imm(size))
	}
	return t.Op3(ir.OpUbfx, n, ir.Imm(lsb), ir.Imm(size))
}

// EXTR <Rd>, <Rn>, <Rm>, #lsb (ROR where Rn is Rm)
func extractRegister(t *Translator, i decoder.Inst) {
	lsb := int(i.Bits(15, 10))
	n, m := t.R(is64(i), i.Rn()), t.R(is64(i), i.Rm())
	switch {
	case i.Rn() == i.Rm():
		t.SetR(i.Rd(), t.RorI(n, lsb))
	case lsb == 0:
		t.SetR(i.Rd(), m)
	default:
		t.SetR(i.Rd(), t.Op3(ir.OpExtr, n, m, ir.Imm(lsb)))
	}
}
