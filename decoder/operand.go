package decoder

import (
	"fmt"
	"strings"
)

var condNames = [16]string{"eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le", "al", "nv"}

// namedOperand returns the renderer of an operand that is neither a register
// nor an immediate, or nil. A suffix after a dot or star is part of the name's
// family, as in Label.imm19 and MemExt*3.
func namedOperand(word string) func(Inst, uint64) string {
	switch word {
	case "Cond":
		return func(i Inst, _ uint64) string { return condNames[i.Bits(15, 12)] }
	case "InvCond":
		return func(i Inst, _ uint64) string { return condNames[i.Bits(15, 12)^1] }
	case "Shift":
		return Inst.shiftOperand
	case "Ext":
		return Inst.extendOperand
	case "MemLsl":
		return func(i Inst, _ uint64) string { return memExtend(3, i.Bit(12), 0) }
	case "Lsl12":
		return func(i Inst, _ uint64) string { return optionalLsl(12 * i.Bit(22)) }
	case "Hw":
		return func(i Inst, _ uint64) string { return optionalLsl(16 * i.Bits(22, 21)) }
	case "ModLsl":
		return Inst.modifiedLsl
	case "ModMsl":
		return func(i Inst, _ uint64) string { return fmt.Sprintf("msl #%d", 8<<i.Bit(12)) }
	case "Prfop":
		return Inst.prefetchOperand
	case "Rprfop":
		return Inst.rangePrefetchOperand
	case "Barrier":
		return func(i Inst, _ uint64) string { return barrierName(i.Bits(11, 8)) }
	case "BarrierNxs":
		return func(i Inst, _ uint64) string { return barrierName(i.Bits(11, 10)<<2|3) + "nxs" }
	case "Isb":
		return Inst.isbOperand
	case "Bti":
		return func(i Inst, _ uint64) string { return [...]string{"", "c", "j", "jc"}[i.Bits(7, 6)] }
	case "Sysreg":
		return func(i Inst, _ uint64) string { return i.SysReg().String() }
	case "Sysop":
		return func(i Inst, _ uint64) string { op, _ := i.SysOp(); return op.Name }
	case "SysXt":
		return Inst.sysRegisterOperand
	case "Pstate":
		return Inst.pstateOperand
	case "Svcr":
		return func(i Inst, _ uint64) string { return [...]string{"", "sm", "za", ""}[i.Bits(10, 9)] }
	case "C.CRn":
		return func(i Inst, _ uint64) string { return fmt.Sprintf("C%d", i.Bits(15, 12)) }
	case "C.CRm":
		return func(i Inst, _ uint64) string { return fmt.Sprintf("C%d", i.Bits(11, 8)) }
	case "Label.imm26", "Label.imm19", "Label.imm14":
		return func(i Inst, pc uint64) string {
			target, _ := i.BranchTarget(pc)
			return fmt.Sprintf("%#x", target)
		}
	case "Label.adr", "Label.adrp":
		return func(i Inst, pc uint64) string { return fmt.Sprintf("%#x", i.AdrTarget(pc)) }
	}
	if amount, ok := strings.CutPrefix(word, "MemExt*"); ok {
		return func(i Inst, _ uint64) string { return memExtend(i.Bits(15, 13), i.Bit(12), constant(amount)) }
	}
	return sveOperand(word)
}

var shiftNames = [4]string{"lsl", "lsr", "asr", "ror"}

func (i Inst) shiftOperand(uint64) string {
	kind, amount := i.Bits(23, 22), i.Bits(15, 10)
	if kind == 0 {
		return optionalLsl(amount)
	}
	return fmt.Sprintf("%s #%d", shiftNames[kind], amount)
}

func optionalLsl(amount uint32) string {
	if amount == 0 {
		return ""
	}
	return fmt.Sprintf("lsl #%d", amount)
}

var extendNames = [8]string{"uxtb", "uxth", "uxtw", "uxtx", "sxtb", "sxth", "sxtw", "sxtx"}

// extendOperand is the extension of ADD and SUB (extended register). The
// extension that changes nothing is written LSL where a register is SP.
func (i Inst) extendOperand(uint64) string {
	option, amount := i.Bits(15, 13), i.Bits(12, 10)
	whole := uint32(2)
	if i.is64() {
		whole = 3
	}
	setsFlags := i.Bit(29) != 0
	if option == whole && (i.Rn() == 31 || !setsFlags && i.Rd() == 31) {
		return optionalLsl(amount)
	}
	if amount == 0 {
		return extendNames[option]
	}
	return fmt.Sprintf("%s #%d", extendNames[option], amount)
}

// memExtend is the extension of a register offset; s = 1 scales it by 1<<log.
func memExtend(option, s uint32, log int64) string {
	name := extendNames[option]
	if option == 3 {
		if s == 0 {
			return ""
		}
		name = "lsl"
	}
	if s == 0 {
		return name
	}
	return fmt.Sprintf("%s #%d", name, log)
}

// modifiedLsl is the shift of an 8-bit immediate to a byte of its lane.
func (i Inst) modifiedLsl(uint64) string {
	if i.Bit(15) != 0 { // halfwords
		return optionalLsl(8 * i.Bit(13))
	}
	return optionalLsl(8 * i.Bits(14, 13))
}

func (i Inst) prefetchOperand(uint64) string {
	rt := i.Rt()
	kind, level := rt>>3, rt>>1&3
	if kind == 3 || level == 3 {
		return fmt.Sprintf("#0x%02x", rt)
	}
	return prefetchName(rt)
}

// prefetchName is the name of a prefetch operation that is not reserved.
func prefetchName(prfop uint32) string {
	kind, level, policy := prfop>>3, prfop>>1&3, prfop&1
	return fmt.Sprintf("%sl%d%s", [3]string{"pld", "pli", "pst"}[kind], level+1, [2]string{"keep", "strm"}[policy])
}

// rangePrefetchOperand is the 6-bit operation option<2>:option<0>:S:Rt<2:0> of RPRFM.
func (i Inst) rangePrefetchOperand(uint64) string {
	op := i.Bit(15)<<5 | i.Bit(13)<<4 | i.Bit(12)<<3 | i.Bits(2, 0)
	if name := map[uint32]string{0: "pldkeep", 1: "pstkeep", 4: "pldstrm", 5: "pststrm"}[op]; name != "" {
		return name
	}
	return fmt.Sprintf("#0x%02x", op)
}

func barrierName(crm uint32) string {
	domain := [4]string{"osh", "nsh", "ish", "sy"}[crm>>2]
	if crm>>2 == 3 {
		domain = ""
	}
	switch {
	case crm == 15:
		return "sy"
	case crm&3 == 0:
		return fmt.Sprintf("#0x%02x", crm)
	}
	return domain + [4]string{1: "ld", 2: "st", 3: ""}[crm&3]
}

func (i Inst) isbOperand(uint64) string {
	if i.Bits(11, 8) == 15 {
		return ""
	}
	return fmt.Sprintf("#%#x", i.Bits(11, 8))
}

func (i Inst) sysRegisterOperand(uint64) string {
	if op, _ := i.SysOp(); !op.Register {
		return ""
	}
	return i.register("Xt")
}

// pstateOperand is the PSTATE field op1:op2 of MSR (immediate); ALLINT and PM
// share theirs and differ in CRm.
func (i Inst) pstateOperand(uint64) string {
	switch i.Bits(18, 16)<<3 | i.Bits(7, 5) {
	case 0o03:
		return "uao"
	case 0o04:
		return "pan"
	case 0o05:
		return "spsel"
	case 0o10:
		if i.Bits(11, 9) == 1 {
			return "pm"
		}
		return "allint"
	case 0o31:
		return "ssbs"
	case 0o32:
		return "dit"
	case 0o33:
		return [4]string{"", "svcrsm", "svcrza", "svcrsmza"}[i.Bits(10, 9)]
	case 0o34:
		return "tco"
	case 0o36:
		return "daifset"
	case 0o37:
		return "daifclr"
	}
	panic("BUG: MSR (immediate) of an unknown field was decoded")
}
