package translate

import (
	"emu/cpu"
	"emu/decoder"
	"emu/ir"
)

// Pointer authentication (FEAT_PAuth2, with FEAT_FPAC as FEAT_FPACCOMBINE: the
// combined branches and loads fault too). Addresses have 48 bits, and the top
// byte of user addresses is ignored; a64crypto.PointerAuth is the same in Go.
//
// The code of the IMPLEMENTATION DEFINED algorithm (FEAT_PACIMP) is a few plain
// instructions, because compilers sign the return address in most functions; that
// of QARMA is a call out of generated code.

// apKey is a key of cpu.State.APKeys.
type apKey int

const (
	keyIA apKey = cpu.KeyIA
	keyIB apKey = cpu.KeyIB
	keyDA apKey = cpu.KeyDA
	keyDB apKey = cpu.KeyDB
	keyGA apKey = cpu.KeyGA
)

func pauthRules() []rule {
	return []rule{
		{decoder.PACIA_64P_dp_1src, pacReg(keyIA)},
		{decoder.PACIB_64P_dp_1src, pacReg(keyIB)},
		{decoder.PACDA_64P_dp_1src, pacReg(keyDA)},
		{decoder.PACDB_64P_dp_1src, pacReg(keyDB)},
		{decoder.PACIZA_64Z_dp_1src, pacZero(keyIA)},
		{decoder.PACIZB_64Z_dp_1src, pacZero(keyIB)},
		{decoder.PACDZA_64Z_dp_1src, pacZero(keyDA)},
		{decoder.PACDZB_64Z_dp_1src, pacZero(keyDB)},
		{decoder.AUTIA_64P_dp_1src, autReg(keyIA)},
		{decoder.AUTIB_64P_dp_1src, autReg(keyIB)},
		{decoder.AUTDA_64P_dp_1src, autReg(keyDA)},
		{decoder.AUTDB_64P_dp_1src, autReg(keyDB)},
		{decoder.AUTIZA_64Z_dp_1src, autZero(keyIA)},
		{decoder.AUTIZB_64Z_dp_1src, autZero(keyIB)},
		{decoder.AUTDZA_64Z_dp_1src, autZero(keyDA)},
		{decoder.AUTDZB_64Z_dp_1src, autZero(keyDB)},
		{decoder.XPACI_64Z_dp_1src, xpac},
		{decoder.XPACD_64Z_dp_1src, xpac},
		{decoder.PACGA_64P_dp_2src, pacGeneric},

		{decoder.PACIASP_HI_hints, pacHint(keyIA, 30, spModifier)},
		{decoder.PACIBSP_HI_hints, pacHint(keyIB, 30, spModifier)},
		{decoder.PACIAZ_HI_hints, pacHint(keyIA, 30, zeroModifier)},
		{decoder.PACIBZ_HI_hints, pacHint(keyIB, 30, zeroModifier)},
		{decoder.PACIA1716_HI_hints, pacHint(keyIA, 17, x16Modifier)},
		{decoder.PACIB1716_HI_hints, pacHint(keyIB, 17, x16Modifier)},
		{decoder.AUTIASP_HI_hints, autHint(keyIA, 30, spModifier)},
		{decoder.AUTIBSP_HI_hints, autHint(keyIB, 30, spModifier)},
		{decoder.AUTIAZ_HI_hints, autHint(keyIA, 30, zeroModifier)},
		{decoder.AUTIBZ_HI_hints, autHint(keyIB, 30, zeroModifier)},
		{decoder.AUTIA1716_HI_hints, autHint(keyIA, 17, x16Modifier)},
		{decoder.AUTIB1716_HI_hints, autHint(keyIB, 17, x16Modifier)},
		{decoder.XPACLRI_HI_hints, xpacLR},

		{decoder.BRAA_64P_branch_reg, branchAuth},
		{decoder.BRAB_64P_branch_reg, branchAuth},
		{decoder.BRAAZ_64_branch_reg, branchAuth},
		{decoder.BRABZ_64_branch_reg, branchAuth},
		{decoder.BLRAA_64P_branch_reg, branchLinkAuth},
		{decoder.BLRAB_64P_branch_reg, branchLinkAuth},
		{decoder.BLRAAZ_64_branch_reg, branchLinkAuth},
		{decoder.BLRABZ_64_branch_reg, branchLinkAuth},
		{decoder.RETAA_64E_branch_reg, retAuth},
		{decoder.RETAB_64E_branch_reg, retAuth},
		{decoder.LDRAA_64_ldst_pac, loadAuth},
		{decoder.LDRAA_64W_ldst_pac, loadAuth},
		{decoder.LDRAB_64_ldst_pac, loadAuth},
		{decoder.LDRAB_64W_ldst_pac, loadAuth},
	}
}

// The places of a code: bits 54:48 and, where bit 55 is set and the top byte is
// part of the address, bits 63:56.
const (
	pacLow  = 0x7f << 48
	pacHigh = 0xff << 56
)

// canonical is ptr without a code, and the mask of where its code is.
func (t *Translator) canonical(ptr ir.Value) (original, mask ir.Value) {
	upper := t.AShrI(t.ShlI(ptr, 8), 63) // all ones where bit 55 is set
	mask = t.OrI(t.AndI(upper, pacHigh), pacLow)
	return t.Or(t.AndNot(ptr, mask), t.And(upper, mask)), mask
}

// pac is ComputePAC of the Arm ARM: 64 bits of code for data under a modifier.
func (t *Translator) pac(data, modifier ir.Value, key apKey) ir.Value {
	helper := func(id ir.HelperID) ir.Value {
		return t.OpT(ir.OpHelper, ir.I64, ir.Imm(int(id)+int(key)), data, modifier)
	}
	switch alg := t.cpu.auth; {
	case alg.QARMA3:
		return helper(ir.HelperQARMA3)
	case !alg.Fast:
		return helper(ir.HelperQARMA5)
	}
	x := t.Xor(data, t.sysReg(ir.SysAPKeys+2*ir.SysReg(key)))
	y := t.Xor(modifier, t.sysReg(ir.SysAPKeys+2*ir.SysReg(key)+1))
	return t.Xor(t.Mul(x, y), t.Op2(ir.OpMulHiU, x, y))
}

func (t *Translator) sysReg(r ir.SysReg) ir.Value { return t.Op1(ir.OpGetSys, ir.Imm(int(r))) }

// enabled is all ones unless prctl(PR_PAC_SET_ENABLED_KEYS) has switched the key
// off, which makes its instructions leave pointers as they are.
func (t *Translator) enabled(key apKey) ir.Value { return t.sysReg(ir.SysPACEnabled + ir.SysReg(key)) }

// sign is AddPAC.
func (t *Translator) sign(ptr, modifier ir.Value, key apKey) ir.Value {
	original, mask := t.canonical(ptr)
	code := t.And(t.pac(original, modifier, key), t.And(mask, t.enabled(key)))
	return t.Xor(ptr, code)
}

// authenticate is Auth: the pointer without its code. A wrong code faults, or
// without FEAT_FPAC gives a pointer that does when it is used.
// Precondition: no scope is open, so that the check dominates what follows.
func (t *Translator) authenticate(ptr, modifier ir.Value, key apKey) ir.Value {
	original, mask := t.canonical(ptr)
	enabled := t.enabled(key)
	code := t.And(t.pac(original, modifier, key), t.And(mask, enabled))
	result := t.Xor(ptr, code)
	if t.cpu.fpac {
		wrong := t.And(t.Xor(result, original), enabled)
		t.If(t.ICmp(ir.NE, wrong, ir.Imm(0)))
		t.ExitArg(cpu.ExitPAC, t.pc, ptr)
		t.End()
	}
	return result
}

// PACIA, PACIB, PACDA, PACDB <Xd>, <Xn|SP>
func pacReg(key apKey) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		t.SetX(i.Rd(), t.sign(t.X(i.Rd()), t.XSP(i.Rn()), key))
	}
}

// PACIZA, PACIZB, PACDZA, PACDZB <Xd>
func pacZero(key apKey) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		t.SetX(i.Rd(), t.sign(t.X(i.Rd()), ir.Imm(0), key))
	}
}

// AUTIA, AUTIB, AUTDA, AUTDB <Xd>, <Xn|SP>
func autReg(key apKey) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		t.SetX(i.Rd(), t.authenticate(t.X(i.Rd()), t.XSP(i.Rn()), key))
	}
}

// AUTIZA, AUTIZB, AUTDZA, AUTDZB <Xd>
func autZero(key apKey) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		t.SetX(i.Rd(), t.authenticate(t.X(i.Rd()), ir.Imm(0), key))
	}
}

// XPACI, XPACD <Xd>
func xpac(t *Translator, i decoder.Inst) {
	original, _ := t.canonical(t.X(i.Rd()))
	t.SetX(i.Rd(), original)
}

// XPACLRI
func xpacLR(t *Translator, _ decoder.Inst) {
	original, _ := t.canonical(t.X(30))
	t.SetX(30, original)
}

// PACGA <Xd>, <Xn>, <Xm|SP>
func pacGeneric(t *Translator, i decoder.Inst) {
	t.SetX(i.Rd(), t.AndI(t.pac(t.X(i.Rn()), t.XSP(i.Rm()), keyGA), 0xffffffff<<32))
}

// The modifiers of the forms in the hint space.
func spModifier(t *Translator) ir.Value  { return t.XSP(31) }
func x16Modifier(t *Translator) ir.Value { return t.X(16) }
func zeroModifier(*Translator) ir.Value  { return ir.Imm(0) }

// PACIASP, PACIAZ, PACIA1716 and those of key B
func pacHint(key apKey, reg uint32, modifier func(*Translator) ir.Value) translateFunc {
	return func(t *Translator, _ decoder.Inst) {
		t.SetX(reg, t.sign(t.X(reg), modifier(t), key))
	}
}

// AUTIASP, AUTIAZ, AUTIA1716 and those of key B
func autHint(key apKey, reg uint32, modifier func(*Translator) ir.Value) translateFunc {
	return func(t *Translator, _ decoder.Inst) {
		t.SetX(reg, t.authenticate(t.X(reg), modifier(t), key))
	}
}

// branchTarget authenticates the target of BRAA and BLRAA (bit 24: with Xm|SP as
// the modifier, otherwise zero; bit 10: key B).
func (t *Translator) branchTarget(i decoder.Inst) ir.Value {
	modifier := ir.Imm(0)
	if i.Bit(24) == 1 {
		modifier = t.XSP(i.Rd()) // bits 4:0 are Xm here
	}
	return t.authenticate(t.X(i.Rn()), modifier, keyIA+apKey(i.Bit(10)))
}

// BRAA, BRAB <Xn>, <Xm|SP>; BRAAZ, BRABZ <Xn>
func branchAuth(t *Translator, i decoder.Inst) {
	t.JumpInd(t.branchTarget(i), t.branchType(t.pc, i))
}

// BLRAA, BLRAB <Xn>, <Xm|SP>; BLRAAZ, BLRABZ <Xn>
func branchLinkAuth(t *Translator, i decoder.Inst) {
	target := t.branchTarget(i)
	t.pushReturn()
	t.SetX(30, t.I64(t.next()))
	t.CallInd(target, t.next(), cpu.BranchCall)
}

// RETAA, RETAB
func retAuth(t *Translator, i decoder.Inst) {
	target := t.authenticate(t.X(30), t.XSP(31), keyIA+apKey(i.Bit(10)))
	t.popReturn(target)
	t.Ret(target)
}

// LDRAA, LDRAB <Xt>, [<Xn|SP>{, #simm}]{!}: bit 23 is key B, bit 11 writes back.
func loadAuth(t *Translator, i decoder.Inst) {
	off := int64(int32(i.Bit(22)<<31|i.Bits(20, 12)<<22)>>22) * 8
	base := t.authenticate(t.XSP(i.Rn()), ir.Imm(0), keyDA+apKey(i.Bit(23)))
	v := t.Load(ir.I64, base, t.I64(uint64(off)))
	if i.Bit(11) == 1 {
		t.SetXSP(i.Rn(), t.AddI(base, uint64(off)))
		if i.Rn() == i.Rt() && i.Rt() != 31 {
			return // CONSTRAINED UNPREDICTABLE, as in ldstIndexed
		}
	}
	t.SetX(i.Rt(), v)
}

// pauthFields tells of FEAT_PAuth: one field for addresses and one for PACGA, in
// the place of the algorithm.
func (c *CPU) pauthFields() []idField {
	const pauth2, fpacCombine = 3, 5
	level := uint64(pauth2)
	if c.fpac {
		level = fpacCombine
	}
	switch alg := c.auth; {
	case alg.QARMA3:
		return []idField{{idAA64ISAR2, 12, level}, {idAA64ISAR2, 8, 1}}
	case alg.Fast:
		return []idField{{idAA64ISAR1, 8, level}, {idAA64ISAR1, 28, 1}}
	}
	return []idField{{idAA64ISAR1, 4, level}, {idAA64ISAR1, 24, 1}}
}
