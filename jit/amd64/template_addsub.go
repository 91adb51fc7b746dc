package amd64

import (
	"emu/cpu"
	"emu/decoder"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

// Templates of additions and subtractions, and their operands.

// operate sets Rd to a op b, or only the host's flags if Rd is 31. RDX may be lost.
func (t *template) operate(i decoder.Inst, op x64.Op, a, b x64.Reg, commutes bool) {
	op = sizedOp(i, op)
	rd := i.Rd()
	if rd == 31 {
		t.b.RR(x64.MOVQ, x64.RDX, a)
		t.b.RR(op, x64.RDX, b)
		return
	}
	d := t.def(rd)
	switch {
	case d == a:
		t.b.RR(op, d, b)
	case d == b && commutes:
		t.b.RR(op, d, a)
	case d == b:
		t.b.RR(x64.MOVQ, x64.RDX, a)
		t.b.RR(op, x64.RDX, b)
		t.b.RR(x64.MOVQ, d, x64.RDX)
	default:
		t.b.RR(x64.MOVQ, d, a)
		t.b.RR(op, d, b)
	}
	t.set(rd)
}

// operateImm is operate with an immediate operand.
func (t *template) operateImm(i decoder.Inst, op x64.Op, a x64.Reg, imm int32) {
	op = sizedOp(i, op)
	rd := i.Rd()
	d := x64.RDX
	if rd != 31 {
		d = t.def(rd)
	}
	if d != a {
		t.b.RR(x64.MOVQ, d, a)
	}
	t.b.RI(op, d, imm)
	if rd != 31 {
		t.set(rd)
	}
}

// ADD{S}, SUB{S} <Rd|SP>, <Rn|SP>, #imm{, LSL #12}
func templateAddSubImm(t *template, i decoder.Inst) {
	imm := int32(i.Imm12() << (12 * i.Bit(22)))
	rd, rn := i.Rd(), i.Rn()
	if i.Bits(30, 29) == 0 && t.addKnown(rd, rn, uint64(imm), i.Word>>31 != 0) {
		return
	}
	n := t.xsp(rn)
	if i.Bit(29) == 1 {
		switch {
		case i.Bit(30) == 0:
			t.operateImm(i, x64.ADDL, n, imm)
			t.flagsAre(host.LocFlagsAdd)
		case rd == 31:
			t.b.RI(sizedOp(i, x64.CMPL), n, imm)
			t.flagsAre(host.LocFlagsSub)
		default:
			t.operateImm(i, x64.SUBL, n, imm)
			t.flagsAre(host.LocFlagsSub)
		}
		return
	}
	if i.Bit(30) == 1 {
		imm = -imm
	}
	wide := i.Word>>31 != 0
	d := t.def(rd)
	switch {
	case imm == 0:
		t.move(i, d, n)
	case wide:
		t.b.RM(x64.LEAQ, d, x64.At(n, imm))
	default:
		t.b.RM(x64.LEAL, d, x64.At(n, imm))
	}
	t.set(rd)
	if rd == 31 && (rn != 31 || !wide || imm%16 != 0) {
		t.checkStack()
	}
}

// addKnown sets Rd to the sum of Rn and imm if Rn is known: a constant, unless it is a large
// one, of which LEA is shorter.
func (t *template) addKnown(rd, rn uint32, imm uint64, wide bool) bool {
	if !wide || rd == 31 || t.known>>rn&1 == 0 {
		return false
	}
	v := t.value[rn] + imm
	if v>>32 == 0 {
		t.constant(rd, v)
		return true
	}
	n := t.xsp(rn)
	t.b.RM(x64.LEAQ, t.def(rd), x64.At(n, int32(imm)))
	t.setTo(rd, v)
	return true
}

// checkStack leaves behind the current instruction if SP is misaligned: what follows is
// compiled in another mode then (see translate.Translator.SetMode).
func (t *template) checkStack() {
	t.lose()
	sp := t.xsp(31)
	p := t.side()
	p.exit, p.pc = cpu.ExitMode, t.pc+4
	t.b.RI(x64.TESTB, sp, 15)
	t.b.JccNear(x64.NE, p.from)
}

// ADD{S}, SUB{S} <Rd>, <Rn>, <Rm>{, LSL|LSR|ASR #amount}
func templateAddSubShift(t *template, i decoder.Inst) {
	by := i.Bits(15, 10)
	if !shiftDefined(i) || i.Bits(23, 22) == 3 {
		t.declined = true
		return
	}
	n := t.x(i.Rn(), x64.RCX)
	if i.Bits(30, 29) == 0 && i.Bits(23, 22) == 0 && by <= 3 && i.Rm() != 31 && i.Rd() != 31 {
		t.addScaled(i, n, t.xsp(i.Rm()), by)
		return
	}
	m := t.shifted(i)
	t.addSub(i, n, m)
}

// addScaled sets Rd to n + m<<by, and leaves the host's flags.
func (t *template) addScaled(i decoder.Inst, n, m x64.Reg, by uint32) {
	op := x64.LEAL
	if i.Word>>31 != 0 {
		op = x64.LEAQ
	}
	t.b.RM(op, t.def(i.Rd()), x64.AtIndex(n, m, 1<<by, 0))
	t.set(i.Rd())
}

// addSub sets Rd to n + m or n - m, with flags if bit 29 is set. Rd is not SP.
func (t *template) addSub(i decoder.Inst, n, m x64.Reg) {
	sets, sub := i.Bit(29) == 1, i.Bit(30) == 1
	switch {
	case !sets && i.Rd() == 31:
		return
	case !sets:
		t.lose()
	case sub && i.Rd() == 31:
		t.b.RR(sizedOp(i, x64.CMPL), n, m)
		t.flagsAre(host.LocFlagsSub)
		return
	}
	kind := host.LocFlagsAdd
	if sub {
		kind = host.LocFlagsSub
		t.operate(i, x64.SUBL, n, m, false)
	} else {
		if m == x64.RDX && i.Rd() == 31 {
			n, m = m, n
		}
		t.operate(i, x64.ADDL, n, m, true)
	}
	if sets {
		t.flagsAre(kind)
	}
}

// shiftDefined reports whether the amount in imm6 is less than the width.
func shiftDefined(i decoder.Inst) bool { return i.Word>>31 != 0 || i.Bit(15) == 0 }

// shifted is ShiftReg of the Arm ARM: Rm as bits 23:22 and imm6 say. It is RDX if there
// is something to do.
func (t *template) shifted(i decoder.Inst) x64.Reg {
	m, by := t.x(i.Rm(), x64.RDX), i.Bits(15, 10)
	if by == 0 || i.Rm() == 31 {
		return m
	}
	t.lose()
	t.b.RR(x64.MOVQ, x64.RDX, m)
	t.b.RI(sizedOp(i, [...]x64.Op{x64.SHLL, x64.SHRL, x64.SARL, x64.RORL}[i.Bits(23, 22)]), x64.RDX, int32(by))
	return x64.RDX
}

// ADD{S}, SUB{S} <Rd|SP>, <Rn|SP>, <Rm>{, extend {#amount}}
func templateAddSubExt(t *template, i decoder.Inst) {
	option, by := i.Bits(15, 13), i.Bits(12, 10)
	if by > 4 {
		t.declined = true // undefined
		return
	}
	n := t.xsp(i.Rn())
	m := t.extended(i.Rm(), option)
	sets, rd := i.Bit(29) == 1, i.Rd()
	if !sets && i.Bit(30) == 0 && by <= 3 {
		t.addScaled(i, n, m, by)
	} else {
		if by > 0 {
			if m != x64.RDX {
				t.b.RR(x64.MOVQ, x64.RDX, m)
				m = x64.RDX
			}
			t.lose()
			t.b.RI(x64.SHLQ, x64.RDX, int32(by))
		}
		if !sets && rd == 31 {
			t.lose()
			sp := t.def(31)
			op := x64.ADDL
			if i.Bit(30) == 1 {
				op = x64.SUBL
			}
			if n != sp {
				t.b.RR(x64.MOVQ, sp, n)
			}
			t.b.RR(sizedOp(i, op), sp, m)
		} else {
			t.addSub(i, n, m)
		}
	}
	if !sets && rd == 31 {
		t.checkStack()
	}
}

// extended returns a register that holds Rm extended as option says: RDX if there is
// something to do. The host's flags stay.
func (t *template) extended(rm, option uint32) x64.Reg {
	m := t.x(rm, x64.RDX)
	switch option {
	case 0:
		t.b.RR(x64.MOVZBL, x64.RDX, m)
	case 1:
		t.b.RR(x64.MOVZWL, x64.RDX, m)
	case 2:
		t.b.RR(x64.MOVL, x64.RDX, m)
	case 4:
		t.b.RR(x64.MOVSBQ, x64.RDX, m)
	case 5:
		t.b.RR(x64.MOVSWQ, x64.RDX, m)
	case 6:
		t.b.RR(x64.MOVSLQ, x64.RDX, m)
	default:
		return m
	}
	return x64.RDX
}
