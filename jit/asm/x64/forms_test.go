package x64

import (
	"fmt"
	"strings"
)

// sample is an emitted instruction and the text a disassembler must show for it.
type sample struct {
	op     Op
	method string
	code   []byte
	want   string // Intel syntax as objdump prints it, without operand sizes
	signed string // the same with a negative immediate shown as such
}

// form is one encoding of a row and the order its operands are written in:
// G ModRM.reg, E ModRM.rm, H VEX.vvvv, L imm8 register, I immediate, C CL.
type form struct {
	op    Op
	row   *row
	enc   enc
	order string
}

// forms lists every encoding in the tables.
func forms() []form {
	var fs []form
	for fam, rows := range families {
		for i := range rows {
			r := &rows[i]
			op := Op(fam<<famShift | i)
			for col, c := range [...]enc{r.rm, r.mr, r.mi} {
				if c != 0 {
					fs = append(fs, form{op, r, c, c.order(col)})
				}
			}
		}
	}
	return fs
}

// order returns the operand order of a form in column col (0 rm, 1 mr, 2 mi).
func (c enc) order(col int) string {
	s := ""
	has := func(mask enc) bool { return c&mask != 0 }
	e := has(rmClass) || has(mm)
	switch {
	case col == 1 || c&vlast != 0 && !has(vClass):
		s = pick(e, "E") + pick(has(regClass), "G")
	case c&vlast != 0:
		s = "GEH"
	default:
		s = pick(has(regClass), "G") + pick(has(vClass), "H") + pick(e, "E")
	}
	switch c & immMask {
	case ib, iz:
		s += "I"
	case cl:
		s += "C"
	}
	return s + pick(c&is4 != 0, "L")
}

func pick(b bool, s string) string {
	if b {
		return s
	}
	return ""
}

// inst chooses concrete operands for a form.
type inst struct {
	reg, v, rm, l uint8
	mem           *Mem // instead of rm
	imm           int32
	mod           Op
}

var regNames = [4][16]string{
	{"al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil", "r8b", "r9b", "r10b", "r11b", "r12b", "r13b", "r14b", "r15b"},
	{"ax", "cx", "dx", "bx", "sp", "bp", "si", "di", "r8w", "r9w", "r10w", "r11w", "r12w", "r13w", "r14w", "r15w"},
	{"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "r8d", "r9d", "r10d", "r11d", "r12d", "r13d", "r14d", "r15d"},
	{"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"},
}

// evexNames are the mnemonics that change with the encoding.
var evexNames = map[string]string{
	"vmovdqa": "vmovdqa32", "vmovdqu": "vmovdqu32", "vpand": "vpandd", "vpandn": "vpandnd", "vpor": "vpord", "vpxor": "vpxord",
}

// implicitX0 are the instructions that read X0 besides their operands.
var implicitX0 = map[string]bool{"pblendvb": true, "blendvps": true, "blendvpd": true, "sha256rnds2": true}

// emit emits f with the operands of in and states what a disassembler must say.
func (f form) emit(in inst) sample {
	var a operands
	var method strings.Builder
	var text []string
	a.imm = in.imm
	op := f.op | in.mod
	isEVEX := f.enc&schemeMask == evex || in.mod&opEVEX != 0
	vec := func(n uint8) string {
		isEVEX = isEVEX || n > 15
		width := f.length(in.mod)
		if strings.HasSuffix(f.row.name, "i128") && len(text) == strings.IndexByte(f.order, 'E') {
			width = 0
		}
		return [...]string{"xmm", "ymm", "zmm"}[width] + fmt.Sprint(n)
	}
	operand := func(class enc, n uint8) {
		switch class & 3 {
		case isR:
			method.WriteByte('R')
			a.r = append(a.r, Reg(n))
			text = append(text, regNames[class>>2&3][n])
		case isX:
			method.WriteByte('X')
			a.x = append(a.x, Xmm(n))
			text = append(text, vec(n))
		case isK:
			method.WriteByte('K')
			a.k = append(a.k, K(n))
			text = append(text, fmt.Sprint("k", n))
		}
	}
	for _, role := range f.order {
		switch role {
		case 'G':
			operand(f.enc>>20&15, in.reg)
		case 'H':
			operand(f.enc>>28&15, in.v)
		case 'L':
			operand(isX, in.l)
		case 'E':
			if in.mem == nil {
				operand(f.enc>>24&15, in.rm)
				break
			}
			method.WriteByte('M')
			a.m = *in.mem
			text = append(text, memText(a.m))
		case 'I':
			method.WriteByte('I')
			text = append(text, f.immText(in.imm))
		case 'C':
			method.WriteByte('C')
			text = append(text, "cl")
		}
	}
	if k := in.mod >> maskShift & 7; k != 0 {
		text[0] += fmt.Sprintf("{k%d}", k) + pick(in.mod&opZero != 0, "{z}")
	}
	call, ok := methods[method.String()]
	if !ok {
		panic(fmt.Sprintf("no method %s for %s", method.String(), op))
	}
	var b Buffer
	call(&b, op, &a)
	name := f.row.name
	if n, ok := evexNames[name]; ok && isEVEX {
		name = n
	}
	if implicitX0[name] {
		text = append(text, "xmm0")
	}
	line := func() string { return strings.TrimSpace(name + " " + strings.Join(text, ",")) }
	s := sample{op: op, method: method.String(), code: b.B, want: line()}
	if in.imm < 0 {
		text[len(text)-1] = fmt.Sprintf("-%#x", -in.imm)
	}
	s.signed = line()
	return s
}

func (f form) length(mod Op) int {
	switch {
	case mod&opZ != 0:
		return 2
	case mod&opY != 0, f.enc&l1 != 0:
		return 1
	}
	return 0
}

// immText shows an immediate as extended to the operand size.
func (f form) immText(imm int32) string {
	v := uint64(int64(imm))
	switch width := f.enc >> 26 & 3; {
	case f.enc&rmClass != eR && f.enc&mm == 0 && f.row.name == "push":
	case f.enc&immMask == ib || width == 0:
		v &= 0xff
	case width == 1:
		v &= 0xffff
	case width == 2:
		v &= 0xffffffff
	}
	return fmt.Sprintf("%#x", v)
}

// memText shows m as objdump does.
func memText(m Mem) string {
	var s strings.Builder
	disp := func(show bool) {
		switch {
		case m.Base == RIP:
			fmt.Fprintf(&s, "+%#x", uint64(m.Disp))
		case m.Disp < 0:
			fmt.Fprintf(&s, "-%#x", -int64(m.Disp))
		case m.Disp > 0 || show:
			fmt.Fprintf(&s, "+%#x", m.Disp)
		}
	}
	if m.Base == NoBase && m.Scale == 0 {
		return fmt.Sprintf("ds:%#x", uint64(m.Disp))
	}
	s.WriteByte('[')
	if m.Base != NoBase {
		s.WriteString(m.Base.String())
	}
	if m.Scale != 0 {
		fmt.Fprintf(&s, "%s%s*%d", pick(m.Base != NoBase, "+"), m.Index, m.Scale)
	}
	disp(m.Base == NoBase || m.Base&7 == RBP)
	return s.String() + "]"
}
