package translate

import (
	"emu/decoder"
	"emu/ir"
)

var moveGroups = []groupRule{
	{decoder.ClassGeneral, "movewide", moveWide, false},
	{decoder.ClassGeneral, "pcreladdr", pcRel, false},
}

// MOVN, MOVZ, MOVK <Rd>, #imm{, LSL #shift}
func moveWide(t *Translator, i decoder.Inst) {
	shift := 16 * i.Bits(22, 21)
	imm := uint64(i.Imm16()) << shift
	switch i.Bits(30, 29) {
	case 0: // MOVN
		imm = ^imm
	case 3: // MOVK
		d := t.R(is64(i), i.Rd())
		field := t.Like(d, uint64(i.Imm16()))
		t.SetR(i.Rd(), t.Op3(ir.OpBfi, d, field, t.I64(uint64(shift<<8|16))))
		return
	}
	if !is64(i) {
		imm &= 1<<32 - 1
	}
	t.SetX(i.Rd(), t.I64(imm))
}

// ADR <Xd>, <label>; ADRP <Xd>, <label>
func pcRel(t *Translator, i decoder.Inst) {
	t.SetX(i.Rd(), t.I64(i.AdrTarget(t.pc)))
}
