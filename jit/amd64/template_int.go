package amd64

import (
	"emu/cpu"
	"emu/decoder"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

// Templates of integers, in the order of the Arm ARM's index.
var templateIntRules = []templateRule{
	{decoder.ClassGeneral, "pcreladdr", templatePCRel, 0},
	{decoder.ClassGeneral, "addsub_imm", templateAddSubImm, templateSetsS | templateStack},
	{decoder.ClassGeneral, "log_imm", templateLogicalImm, templateSetsAnd},
	{decoder.ClassGeneral, "movewide", templateMoveWide, 0},
	{decoder.ClassGeneral, "bitfield", templateBitfield, 0},
	{decoder.ClassGeneral, "extract", templateExtract, 0},
	{decoder.ClassGeneral, "dp_2src", templateDP2, 0},
	{decoder.ClassGeneral, "dp_1src", templateDP1, 0},
	{decoder.ClassGeneral, "log_shift", templateLogicalShift, templateSetsAnd},
	{decoder.ClassGeneral, "addsub_shift", templateAddSubShift, templateSetsS},
	{decoder.ClassGeneral, "addsub_ext", templateAddSubExt, templateSetsS | templateStack},
	{decoder.ClassGeneral, "dp_3src", templateDP3, 0},
}

// templateOps are encodings without a group here.
var templateOps = map[decoder.Op]templateRow{
	decoder.NOP_HI_hints:      {fn: templateNothing},
	decoder.BTI_HB_hints:      {fn: templateNothing}, // who branched here has looked at it
	decoder.MRS_RS_systemmove: {fn: templateReadSysReg},
	decoder.PACIASP_HI_hints:  {templateSign(cpu.KeyIA), templateMemory},
	decoder.PACIBSP_HI_hints:  {templateSign(cpu.KeyIB), templateMemory},
	decoder.AUTIASP_HI_hints:  {templateAuthenticate(cpu.KeyIA), templateMemory},
	decoder.AUTIBSP_HI_hints:  {templateAuthenticate(cpu.KeyIB), templateMemory},
}

func templateNothing(*template, decoder.Inst) {}

// MRS <Xt>, TPIDR_EL0
func templateReadSysReg(t *template, i decoder.Inst) {
	const tpidr = 3<<14 | 3<<11 | 13<<7 | 2 // op0:op1:CRn:CRm:op2
	if i.Bits(20, 5) != tpidr {
		t.declined = true
		return
	}
	if rt := i.Rt(); rt != 31 {
		t.b.RM(x64.MOVQ, t.def(rt), state(offTPIDR))
		t.set(rt)
	}
}

// ADR <Xd>, <label>; ADRP <Xd>, <label>
func templatePCRel(t *template, i decoder.Inst) {
	rd := i.Rd()
	if rd == 31 {
		return
	}
	to := i.AdrTarget(t.pc)
	if i.Bit(31) == 1 {
		to += uint64(t.lowHalf(rd))
	}
	t.constant(rd, to)
}

// lowHalf passes over ADD Xd, Xd, #imm behind the current instruction and returns what it
// adds, 0 if there is none: compilers write addresses so.
func (t *template) lowHalf(rd uint32) int64 {
	const mask, addX = 0xffc00000, 0x91000000 // sf, op, S, sh
	if t.at+1 == t.n {
		return 0
	}
	next := t.insts[t.at+1]
	if next.Word&mask != addX || next.Rn() != rd || next.Rd() != rd {
		return 0
	}
	t.at++
	return int64(next.Imm12())
}

// AND, ORR, EOR, ANDS <Rd|SP>, <Rn>, #imm
func templateLogicalImm(t *template, i decoder.Inst) {
	wide := i.Word>>31 != 0
	imm, ok := decoder.DecodeBitMasks(i.Bit(22), i.Bits(15, 10), i.Bits(21, 16), wide)
	opc, rd, rn := i.Bits(30, 29), i.Rd(), i.Rn()
	if !ok || rd == 31 && opc != 3 && (opc != 0 || rn == 31 || !wide || imm&15 != 0) {
		t.declined = true // undefined, or to SP in a way that is rare
		return
	}
	if !wide {
		imm = uint64(uint32(imm))
	}
	if opc == 1 && rn == 31 { // MOV
		t.constant(rd, imm)
		return
	}
	n := t.x(rn, x64.RCX)
	op := [...]x64.Op{x64.ANDL, x64.ORL, x64.XORL, x64.ANDL}[opc]
	narrow := i
	if op == x64.ANDL && imm < 1<<31 {
		narrow.Word &^= 1 << 31 // the upper half is zero either way, and bit 31
	}
	short, small := int32(imm), !wide || narrow.Word>>31 == 0 || uint64(int64(int32(imm))) == imm
	switch {
	case opc == 3 && rd == 31 && small:
		t.b.RI(sizedOp(narrow, x64.TESTL), n, short)
	case opc == 3 && rd == 31:
		t.b.MovImm(x64.RDX, imm)
		t.b.RR(sizedOp(i, x64.TESTL), n, x64.RDX)
	case rd == 31: // SP
		if d := t.def(31); small {
			t.b.RR(x64.MOVQ, d, n)
			t.b.RI(sizedOp(narrow, op), d, short)
		} else {
			t.b.MovImm(x64.RDX, imm)
			t.b.RR(x64.ANDQ, x64.RDX, n)
			t.b.RR(x64.MOVQ, d, x64.RDX)
		}
	case small:
		t.operateImm(narrow, op, n, short)
	default:
		t.b.MovImm(x64.RDX, imm)
		t.operate(i, op, n, x64.RDX, true)
	}
	t.lose()
	if opc == 3 {
		t.flagsAre(host.LocFlagsAdd) // C and V are clear as the host's are
	}
}

// AND, BIC, ORR, ORN, EOR, EON, ANDS, BICS <Rd>, <Rn>, <Rm>{, shift #amount}
func templateLogicalShift(t *template, i decoder.Inst) {
	opc, rd, not := i.Bits(30, 29), i.Rd(), i.Bit(21) == 1
	if !shiftDefined(i) {
		t.declined = true
		return
	}
	if rd == 31 && opc != 3 {
		return
	}
	if opc == 1 && i.Rn() == 31 && i.Bits(15, 10) == 0 && i.Rm() != 31 { // MOV, MVN
		m := t.xsp(i.Rm())
		d := t.def(rd)
		t.move(i, d, m)
		if not {
			t.b.R(sizedOp(i, x64.NOTL), d)
		}
		t.set(rd)
		return
	}
	if opc == 1 && i.Rn() == 31 && i.Rm() == 31 {
		v := uint64(0)
		if not {
			v = ^v >> (32 * (1 - i.Word>>31))
		}
		t.constant(rd, v)
		return
	}
	n := t.x(i.Rn(), x64.RCX)
	m := t.shifted(i)
	if not {
		if m != x64.RDX {
			t.b.RR(x64.MOVQ, x64.RDX, m)
			m = x64.RDX
		}
		t.b.R(x64.NOTQ, x64.RDX)
	}
	op := [...]x64.Op{x64.ANDL, x64.ORL, x64.XORL, x64.ANDL}[opc]
	if rd == 31 {
		t.b.RR(sizedOp(i, x64.TESTL), n, m)
	} else {
		t.operate(i, op, n, m, true)
	}
	t.lose()
	if opc == 3 {
		t.flagsAre(host.LocFlagsAdd)
	}
}

// MOVN, MOVZ, MOVK <Rd>, #imm{, LSL #shift}
func templateMoveWide(t *template, i decoder.Inst) {
	by, rd := 16*i.Bits(22, 21), i.Rd()
	if rd == 31 {
		return
	}
	imm := uint64(i.Imm16()) << by
	mask := uint64(0xffff) << by
	wide := i.Word>>31 != 0
	switch {
	case i.Bits(30, 29) == 0: // MOVN
		imm = ^imm
	case i.Bits(30, 29) == 2: // MOVZ
	case t.known>>rd&1 != 0: // MOVK
		imm |= t.value[rd] &^ mask
	default:
		t.lose()
		n := t.xsp(rd)
		d := t.def(rd)
		if n != d {
			panic("BUG: amd64: a guest register in two places")
		}
		if keep := ^mask; wide {
			t.b.MovImm(x64.RDX, keep)
			t.b.RR(x64.ANDQ, d, x64.RDX)
			t.b.MovImm(x64.RDX, imm)
			t.b.RR(x64.ORQ, d, x64.RDX)
		} else {
			t.b.RI(x64.ANDL, d, int32(keep))
			t.b.RI(x64.ORL, d, int32(imm))
		}
		t.set(rd)
		return
	}
	if !wide {
		imm = uint64(uint32(imm))
	}
	t.constant(rd, imm)
}

// LSLV, LSRV, ASRV, RORV <Rd>, <Rn>, <Rm>: the host takes the amount modulo the width,
// too.
func templateDP2(t *template, i decoder.Inst) {
	kind, rd := i.Bits(15, 10), i.Rd()
	if kind < 8 || kind > 11 || rd == 31 {
		t.declined = true
		return
	}
	n, m := t.x(i.Rn(), x64.RDX), t.x(i.Rm(), x64.RCX)
	if kind < 11 && t.c.feat.Has(x64.BMI2) {
		t.b.RRR(sizedOp(i, [...]x64.Op{x64.SHLXL, x64.SHRXL, x64.SARXL}[kind-8]), t.def(rd), n, m)
		t.set(rd)
		return
	}
	t.lose()
	if m != x64.RCX {
		t.b.RR(x64.MOVQ, x64.RCX, m)
	}
	if n != x64.RDX {
		t.b.RR(x64.MOVQ, x64.RDX, n)
	}
	t.b.RC(sizedOp(i, [...]x64.Op{x64.SHLL, x64.SHRL, x64.SARL, x64.RORL}[kind-8]), x64.RDX)
	d := t.def(rd)
	t.move(i, d, x64.RDX)
	t.set(rd)
}

// REV, CLZ <Rd>, <Rn>
func templateDP1(t *template, i decoder.Inst) {
	op, rd := i.Bits(15, 10), i.Rd()
	rev := op == 2 && i.Word>>31 == 0 || op == 3
	if rd == 31 || !rev && (op != 4 || !t.c.feat.Has(x64.LZCNT)) {
		t.declined = true
		return
	}
	n := t.x(i.Rn(), x64.RCX)
	d := t.def(rd)
	if rev {
		t.move(i, d, n)
		t.b.R(sizedOp(i, x64.BSWAPL), d)
	} else {
		t.lose()
		t.b.RR(sizedOp(i, x64.LZCNTL), d, n)
	}
	t.set(rd)
}

// MADD, MSUB, SMADDL, SMSUBL, UMADDL, UMSUBL <Rd>, <Rn>, <Rm>, <Ra>; UMULH <Xd>, <Xn>, <Xm>
func templateDP3(t *template, i decoder.Inst) {
	kind, rd := i.Bits(23, 21), i.Rd()
	if rd == 31 || kind > 1 && kind < 5 || kind == 6 && !t.c.feat.Has(x64.BMI2) {
		t.declined = true
		return
	}
	n, m := t.x(i.Rn(), x64.RDX), t.x(i.Rm(), x64.RCX)
	if kind == 6 { // UMULH
		if n != x64.RDX {
			t.b.RR(x64.MOVQ, x64.RDX, n)
		}
		t.b.RRR(x64.MULXQ, t.def(rd), x64.RCX, m)
		t.set(rd)
		return
	}
	extend := [...]x64.Op{0: x64.MOVQ, 1: x64.MOVSLQ, 5: x64.MOVL}[kind]
	t.b.RR(extend, x64.RDX, n)
	if kind != 0 {
		t.b.RR(extend, x64.RCX, m)
		m = x64.RCX
	}
	t.lose()
	t.b.RR(sizedOp(i, x64.IMULL), x64.RDX, m)
	ra := i.Ra()
	t.locked = 0 // the operands are used
	switch {
	case i.Bit(15) == 0 && ra == 31:
	case i.Bit(15) == 0:
		t.b.RR(sizedOp(i, x64.ADDL), x64.RDX, t.xsp(ra))
	case ra == 31:
		t.b.R(sizedOp(i, x64.NEGL), x64.RDX)
	default:
		t.b.R(sizedOp(i, x64.NEGL), x64.RDX)
		t.b.RR(sizedOp(i, x64.ADDL), x64.RDX, t.xsp(ra))
	}
	d := t.def(rd)
	t.b.RR(x64.MOVQ, d, x64.RDX)
	t.set(rd)
}
