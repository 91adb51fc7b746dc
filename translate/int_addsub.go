package translate

import (
	"emu/decoder"
	"emu/ir"
)

var addSubGroups = []groupRule{
	{decoder.ClassGeneral, "addsub_imm", addSubImm, false},
	{decoder.ClassGeneral, "addsub_shift", addSubShift, false},
	{decoder.ClassGeneral, "addsub_ext", addSubExt, false},
	{decoder.ClassGeneral, "addsub_carry", addSubCarry, false},
}

// is64 is the sf bit of data processing instructions.
func is64(i decoder.Inst) bool { return i.Bit(31) == 1 }

// intType is the type of general registers of that size.
func intType(is64 bool) ir.Type {
	if is64 {
		return ir.I64
	}
	return ir.I32
}

// ADD{S}, SUB{S} <Rd|SP>, <Rn|SP>, #imm{, LSL #12}
func addSubImm(t *Translator, i decoder.Inst) {
	imm := uint64(i.Imm12()) << (12 * i.Bit(22))
	n := t.RSP(is64(i), i.Rn())
	t.addSub(i, n, t.Like(n, imm), i.Bit(29) == 0)
}

// ADD{S}, SUB{S} <Rd>, <Rn>, <Rm>{, LSL|LSR|ASR #amount}
func addSubShift(t *Translator, i decoder.Inst) {
	t.addSub(i, t.R(is64(i), i.Rn()), t.shifted(i), false)
}

// ADD{S}, SUB{S} <Rd|SP>, <Rn|SP>, <Rm>{, extend {#amount}}
func addSubExt(t *Translator, i decoder.Inst) {
	amount := i.Bits(12, 10)
	if amount > 4 {
		t.undefined()
		return
	}
	var m ir.Value
	if is64(i) {
		m = t.extend(i.Rm(), i.Bits(15, 13), uint(amount))
	} else {
		m = t.extend32(i.Rm(), i.Bits(15, 13), int(amount))
	}
	t.addSub(i, t.RSP(is64(i), i.Rn()), m, i.Bit(29) == 0)
}

// extend32 is extend for 32-bit operations, where UXTW, UXTX, SXTW and SXTX are
// the register itself.
func (t *Translator) extend32(rm, option uint32, shift int) ir.Value {
	v := t.W(rm)
	if bits := 8 << (option & 3); bits < 32 {
		op := ir.OpUbfx
		if option&4 != 0 {
			op = ir.OpSbfx
		}
		v = t.Op3(op, v, ir.Imm(0), ir.Imm(bits))
	}
	return t.ShlI(v, shift)
}

// addSub emits n + m or n - m as bit 30 says, with flags if bit 29 is set. With
// toSP register 31 of the destination is SP.
func (t *Translator) addSub(i decoder.Inst, n, m ir.Value, toSP bool) {
	op, flags := ir.OpAdd, ir.OpAddF
	if i.Bit(30) == 1 {
		op, flags = ir.OpSub, ir.OpSubF
	}
	setFlags := i.Bit(29) == 1
	if i.Rd() != 31 || toSP {
		var v ir.Value
		if c, ok := t.ConstOf(n); ok && c.Lo == 0 && op == ir.OpSub { // NEG
			v = t.Neg(m)
		} else {
			v = t.Op2(op, n, m)
		}
		if toSP {
			t.SetRSP(i.Rd(), v)
		} else {
			t.SetR(i.Rd(), v)
		}
	}
	if setFlags {
		t.SetNZCV(t.Op2(flags, n, m))
	}
}

// shifted is the last operand of the shifted register forms: Rm shifted by imm6.
// The caller has excluded ROR where it does not exist.
func (t *Translator) shifted(i decoder.Inst) ir.Value {
	m, amount := t.R(is64(i), i.Rm()), int(i.Bits(15, 10))
	switch i.Bits(23, 22) {
	case 0:
		return t.ShlI(m, amount)
	case 1:
		return t.LShrI(m, amount)
	case 2:
		return t.AShrI(m, amount)
	default:
		return t.RorI(m, amount)
	}
}

// ADC{S}, SBC{S} <Rd>, <Rn>, <Rm>
func addSubCarry(t *Translator, i decoder.Inst) {
	n, m, c := t.R(is64(i), i.Rn()), t.R(is64(i), i.Rm()), t.GetNZCV()
	op, flags := ir.OpAdc, ir.OpAdcF
	if i.Bit(30) == 1 {
		op, flags = ir.OpSbc, ir.OpSbcF
	}
	if i.Rd() != 31 {
		t.SetR(i.Rd(), t.Op3(op, n, m, c))
	}
	if i.Bit(29) == 1 {
		t.SetNZCV(t.Op3(flags, n, m, c))
	}
}
