package translate

import (
	"emu/decoder"
	"emu/ir"
)

var condGroups = []groupRule{
	{decoder.ClassGeneral, "condsel", condSelect, false},
	{decoder.ClassGeneral, "condcmp_imm", condCompare, false},
	{decoder.ClassGeneral, "condcmp_reg", condCompare, false},
}

// cond is ConditionHolds of the Arm ARM as I1. Codes 14 and 15 always hold.
func (t *Translator) cond(code uint32) ir.Value {
	if code >= 14 {
		return t.Const(ir.I1, 1)
	}
	if c, ok := t.predicateCond(code); ok {
		return c
	}
	return t.Op2(ir.OpFlagCond, t.GetNZCV(), ir.Imm(int(code)))
}

// CSEL, CSINC, CSINV, CSNEG <Rd>, <Rn>, <Rm>, <cond>; CSET and CSETM are the
// inverted condition as a number.
func condSelect(t *Translator, i decoder.Inst) {
	if code := i.Bits(15, 12); i.Rn() == 31 && i.Rm() == 31 && code < 14 && i.Bit(30) != i.Bit(10) {
		v := t.cond(code ^ 1)
		if i.Bit(30) == 1 {
			v = t.Neg(t.Zext(intType(is64(i)), v))
		}
		t.SetR(i.Rd(), v)
		return
	}
	n, m := t.R(is64(i), i.Rn()), t.R(is64(i), i.Rm())
	switch i.Bit(30)<<1 | i.Bit(10) {
	case 1:
		m = t.AddI(m, 1)
	case 2:
		m = t.Not(m)
	case 3:
		m = t.Neg(m)
	}
	t.SetR(i.Rd(), t.Select(t.cond(i.Bits(15, 12)), n, m))
}

// CCMN, CCMP <Rn>, <Rm>|#imm5, #nzcv, <cond>
func condCompare(t *Translator, i decoder.Inst) {
	n := t.R(is64(i), i.Rn())
	var m ir.Value
	if i.Bit(11) == 1 {
		m = t.Like(n, uint64(i.Bits(20, 16)))
	} else {
		m = t.R(is64(i), i.Rm())
	}
	op := ir.OpAddF
	if i.Bit(30) == 1 {
		op = ir.OpSubF
	}
	otherwise := t.Const(ir.Flags, uint64(i.Bits(3, 0)))
	cond := t.cond(i.Bits(15, 12))
	t.SetNZCV(t.Select(cond, t.Op2(op, n, m), otherwise))
}
