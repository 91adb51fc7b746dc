package translate

import (
	"emu/decoder"
	"emu/ir"
)

var logicalGroups = []groupRule{
	{decoder.ClassGeneral, "log_imm", logicalImm, false},
	{decoder.ClassGeneral, "log_shift", logicalShift, false},
}

// logicalOps are the operations by opc (bits 30:29) and N (bit 21).
var logicalOps = [4][2]ir.Op{
	{ir.OpAnd, ir.OpAndNot}, // AND, BIC
	{ir.OpOr, ir.OpOrNot},   // ORR, ORN
	{ir.OpXor, ir.OpXor},    // EOR, EON
	{ir.OpAnd, ir.OpAndNot}, // ANDS, BICS
}

// AND, ORR, EOR, ANDS <Rd|SP>, <Rn>, #imm
func logicalImm(t *Translator, i decoder.Inst) {
	imm, ok := decoder.DecodeBitMasks(i.Bit(22), i.Bits(15, 10), i.Bits(21, 16), is64(i))
	if !ok {
		t.undefined()
		return
	}
	opc, n := i.Bits(30, 29), t.R(is64(i), i.Rn())
	v := t.Op2(logicalOps[opc][0], n, t.Like(n, imm))
	if opc != 3 {
		t.SetRSP(i.Rd(), v)
		return
	}
	t.SetR(i.Rd(), v)
	t.SetNZCV(t.Op1(ir.OpNZ, v))
}

// AND, BIC, ORR, ORN, EOR, EON, ANDS, BICS <Rd>, <Rn>, <Rm>{, shift #amount}
func logicalShift(t *Translator, i decoder.Inst) {
	opc, not := i.Bits(30, 29), i.Bit(21)
	n, m := t.R(is64(i), i.Rn()), t.shifted(i)
	var v ir.Value
	switch {
	case opc == 1 && i.Rn() == 31 && not == 1: // MVN
		v = t.Not(m)
	case opc == 2 && not == 1: // EON
		v = t.Not(t.Xor(n, m))
	default:
		v = t.Op2(logicalOps[opc][not], n, m)
	}
	t.SetR(i.Rd(), v)
	if opc == 3 {
		t.SetNZCV(t.Op1(ir.OpNZ, v))
	}
}
