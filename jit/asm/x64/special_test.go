package x64

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestConditions covers the instructions whose opcode holds a condition.
func TestConditions(t *testing.T) {
	var all []sample
	add := func(op Op, emit func(b *Buffer), want string) {
		var b Buffer
		emit(&b)
		all = append(all, sample{op: op, method: "cond", code: b.B, want: want})
	}
	for c := O; c <= GT; c++ {
		for _, r := range []Reg{RAX, RSP, RDI, R8, R15} {
			add(SETCC, func(b *Buffer) { b.SetR(c, r) }, fmt.Sprintf("set%s %s", c, regNames[0][r]))
			for w, op := range []Op{CMOVW, CMOVL, CMOVQ} {
				add(op, func(b *Buffer) { b.CMovRR(op, c, r, R9) }, fmt.Sprintf("cmov%s %s,%s", c, regNames[w+1][r], regNames[w+1][R9]))
				add(op, func(b *Buffer) { b.CMovRM(op, c, r, At(RBX, 8)) }, fmt.Sprintf("cmov%s %s,[rbx+0x8]", c, regNames[w+1][r]))
			}
		}
		add(SETCC, func(b *Buffer) { b.SetM(c, AtIndex(R8, R9, 2, 1)) }, fmt.Sprintf("set%s [r8+r9*2+0x1]", c))
		if c.Invert().Invert() != c || c.Invert() == c {
			t.Errorf("Invert of %s", c)
		}
	}
	compareObjdump(t, all)
}

// TestMovImm covers the limits of the three forms.
func TestMovImm(t *testing.T) {
	var all []sample
	for _, v := range []uint64{0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 1 << 32, 0x123456789abcdef0, 1 << 63, ^uint64(0), ^uint64(0x7fffffff), ^uint64(0x80000000)} {
		for _, r := range []Reg{RAX, RSP, R8, R15} {
			var b Buffer
			b.MovImm(r, v)
			want, size := fmt.Sprintf("mov %s,%#x", regNames[3][r], v), 7
			switch {
			case v>>32 == 0:
				want, size = fmt.Sprintf("mov %s,%#x", regNames[2][r], v), 5+int(r>>3)
			case v < ^uint64(0x7fffffff):
				want, size = "movabs"+want[3:], 10
			}
			if len(b.B) != size {
				t.Errorf("MovImm(%s, %#x) takes %d bytes, want %d", r, v, len(b.B), size)
			}
			all = append(all, sample{op: MOVQ, method: "MovImm", code: b.B, want: want})
		}
	}
	compareObjdump(t, all)
	var b Buffer
	b.MovImmFlags(R9, 0)
	b.MovImmFlags(R9, 1)
	b.Zero(RDX)
	checkListing(t, b.B, "xor r9d, r9d\nmov r9d, 0x1\nxor edx, edx\n")
}

// TestShortestImmediate states sizes, which the round trip does not see.
func TestShortestImmediate(t *testing.T) {
	for _, c := range []struct {
		op   Op
		imm  int32
		size int
	}{
		{ADDQ, 127, 4}, {ADDQ, -128, 4}, {ADDQ, 128, 7}, {ADDQ, -129, 7}, {ADDL, 1, 3}, {ADDW, 1, 4}, {ADDW, 300, 5}, {ADDB, 255, 3},
		{SHLQ, 1, 3}, {SHLQ, 2, 4}, {SHLB, 1, 2}, {BTQ, 1, 5}, {TESTL, 1, 6}, {MOVQ, -1, 7},
	} {
		var b Buffer
		b.RI(c.op, RCX, c.imm)
		if len(b.B) != c.size {
			t.Errorf("%s rcx, %d takes %d bytes, want %d", c.op, c.imm, len(b.B), c.size)
		}
	}
}

func TestLock(t *testing.T) {
	var all []sample
	for _, f := range forms() {
		if f.enc&lk == 0 {
			continue
		}
		m := At(RDI, 8)
		s := f.emit(f.fit(inst{reg: 3, mem: &m, imm: 5}))
		var b Buffer
		switch s.method {
		case "M":
			b.LockM(f.op, m)
		case "MR":
			b.LockMR(f.op, m, RBX)
		case "MI":
			b.LockMI(f.op, m, 5)
		case "RM":
			continue
		default:
			t.Fatalf("%s: lockable %s", f.op, s.method)
		}
		s.code, s.want = b.B, "lock "+s.want
		all = append(all, s)
	}
	compareObjdump(t, all)
	m := At(RAX, 0)
	mustPanic(t, "cmp ", func() { new(Buffer).LockMR(CMPQ, m, RAX) })
	mustPanic(t, "mov ", func() { new(Buffer).LockMI(MOVQ, m, 1) })
	mustPanic(t, "mul ", func() { new(Buffer).LockM(MULQ, m) })
}

func TestSegmentPrefix(t *testing.T) {
	var b Buffer
	b.Prefix(GS)
	b.RM(MOVQ, RAX, AtAbs(0x28))
	b.Prefix(FS)
	b.MR(MOVL, At(RCX, 4), R9)
	compareObjdump(t, []sample{{op: MOVQ, method: "RM", code: b.B[:9], want: "mov rax,gs:0x28"}, {op: MOVL, method: "MR", code: b.B[9:], want: "mov fs:[rcx+0x4],r9d"}})
}

func TestRounding(t *testing.T) {
	var all []sample
	add := func(want string, op Op, emit func(b *Buffer)) {
		var b Buffer
		emit(&b)
		all = append(all, sample{op: op, method: "round", code: b.B, want: want})
	}
	for r, name := range []string{"{rn-sae}", "{rd-sae}", "{ru-sae}", "{rz-sae}"} {
		r := Round(r)
		for _, op := range []Op{VADDSD, VDIVSS, VSQRTSD, VCVTSD2SS, VFMADD231SD, VFNMSUB213SS, VSCALEFSD, VADDSH} {
			add(fmt.Sprintf("%s xmm1,xmm2,xmm3%s", op, name), op, func(b *Buffer) { b.XXX(op.Round(r), X1, X2, X3) })
		}
		for _, op := range []Op{VCVTSD2SIQ, VCVTSS2SIQ, VCVTSD2USIQ, VCVTSS2USIQ} {
			add(fmt.Sprintf("%s r9,xmm17%s", op, name), op, func(b *Buffer) { b.RX(op.Round(r), R9, X17) })
		}
		for _, op := range []Op{VCVTSI2SDQ, VCVTUSI2SSQ} {
			add(fmt.Sprintf("%s xmm1,xmm2,rcx%s", op, name), op, func(b *Buffer) { b.XXR(op.Round(r), X1, X2, RCX) })
		}
		add("vaddsd xmm1{k2}{z},xmm2,xmm3"+name, VADDSD, func(b *Buffer) { b.XXX(VADDSD.MaskZ(K2).Round(r), X1, X2, X3) })
	}
	add("vmaxsd xmm1,xmm2,xmm3{sae}", VMAXSD, func(b *Buffer) { b.XXX(VMAXSD.SAE(), X1, X2, X3) })
	add("vcvttsd2si rax,xmm3{sae}", VCVTTSD2SIQ, func(b *Buffer) { b.RX(VCVTTSD2SIQ.SAE(), RAX, X3) })
	add("vucomisd xmm1,xmm3{sae}", VUCOMISD, func(b *Buffer) { b.XX(VUCOMISD.SAE(), X1, X3) })
	add("vrndscalesd xmm1,xmm2,xmm3{sae},0x4", VRNDSCALESD, func(b *Buffer) { b.XXXI(VRNDSCALESD.SAE(), X1, X2, X3, 4) })
	add("vcmpsd k1,xmm2,xmm3{sae},0x42", VCMPSDK, func(b *Buffer) { b.KXXI(VCMPSDK.SAE(), K1, X2, X3, 0x42) })
	add("vaddpd zmm1,zmm2,zmm3{ru-sae}", VADDPD, func(b *Buffer) { b.XXX(VADDPD.Zmm().Round(RoundUp), X1, X2, X3) })
	compareObjdump(t, all)
}

func TestAlign(t *testing.T) {
	for pad := range 20 {
		var b Buffer
		b.Nop(pad)
		b.Align(16)
		if b.Pos()%16 != 0 || b.Pos() >= pad+16 {
			t.Errorf("Align from %d to %d", pad, b.Pos())
		}
	}
}

func TestMistakes(t *testing.T) {
	m := At(RAX, 0)
	for want, f := range map[string]func(b *Buffer){
		"addsd (op":            func(b *Buffer) { b.RR(ADDSD, RAX, RAX) },
		"has no XXX form":      func(b *Buffer) { b.XXX(ADDSD, X0, X1, X2) },
		"no VEX encoding":      func(b *Buffer) { b.XX(ADDSD, X0, X16) },
		"no EVEX encoding":     func(b *Buffer) { b.XX(VRCPPS, X0, X16) },
		"no wider form":        func(b *Buffer) { b.XXX(VADDSD.Y(), X0, X1, X2) },
		"K0 is not":            func(b *Buffer) { VADDSD.Mask(K0) },
		"no write mask":        func(b *Buffer) { b.XX(VUCOMISD.Mask(K1), X0, X1) },
		"rounding of a memory": func(b *Buffer) { b.XXM(VADDSD.Round(RoundUp), X0, X1, m) },
		"less than 512 bits":   func(b *Buffer) { b.XXX(VADDPD.Round(RoundUp), X0, X1, X2) },
		"bad index":            func(b *Buffer) { b.RM(MOVQ, RAX, AtIndex(RAX, RSP, 1, 0)) },
		"or scale":             func(b *Buffer) { b.RM(MOVQ, RAX, AtIndex(RAX, RCX, 3, 0)) },
		"bad base":             func(b *Buffer) { b.RM(MOVQ, RAX, At(20, 0)) },
		"label with a base":    func(b *Buffer) { b.RM(MOVQ, RAX, Mem{Base: RAX, Label: b.Here()}) },
		"exceeds 8 bits":       func(b *Buffer) { b.RI(ADDB, RAX, 256) },
		"exceeds 16 bits":      func(b *Buffer) { b.RI(ADDW, RAX, 65536) },
		"displacement overf":   func(b *Buffer) { At(RAX, 1<<31-1).Add(1) },
		"no operand-free":      func(b *Buffer) { b.Op(ADDQ) },
		"vpsraq (op":           func(b *Buffer) { b.XXMI(VPSRAQ, X0, X1, m, 1) },
	} {
		mustPanic(t, want, func() { f(new(Buffer)) })
	}
}

// TestNoOtherForm calls every method on every row that has no such form.
func TestNoOtherForm(t *testing.T) {
	has := make(map[Op]map[string]bool)
	for _, f := range forms() {
		if has[f.op] == nil {
			has[f.op] = make(map[string]bool)
		}
		if f.op == SETCC || f.row.name == "cmov" {
			continue // only SetR, SetM and CMovRR complete their opcode
		}
		m := memCases[0]
		if f.enc&rmClass != 0 || f.enc&mm == 0 {
			has[f.op][f.emit(f.fit(regCases[0])).method] = true
		}
		if f.enc&mm != 0 {
			in := regCases[0]
			in.mem = &m
			has[f.op][f.emit(f.fit(in)).method] = true
		}
	}
	a := operands{r: []Reg{1, 2, 3}, x: []Xmm{1, 2, 3, 4}, k: []K{1, 2, 3}, m: At(RAX, 8), imm: 5}
	emits := func(op Op, call func(*Buffer, Op, *operands)) (ok bool) {
		defer func() {
			if r := recover(); r != nil {
				ok = !strings.HasPrefix(fmt.Sprint(r), "BUG: x64: ")
			}
		}()
		call(new(Buffer), op, &a)
		return true
	}
	for op, own := range has {
		for name, call := range methods {
			if got := emits(op, call); got != own[name] {
				t.Errorf("%s (op %#x): method %q accepted %v, in the table %v", op, uint32(op), name, got, own[name])
			}
		}
	}
}

// TestDisasmCoversEverything: lines are whole instructions even where the
// decoder knows nothing, and random bytes do not stop it.
func TestDisasmCoversEverything(t *testing.T) {
	for _, s := range samples(t) {
		if _, n := disasmOne(append(s.code, 0x90, 0x90, 0x90), 0); n != len(s.code) {
			t.Fatalf("%s: % x is %d bytes, Disasm takes %d", s.want, s.code, len(s.code), n)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 10000 {
		code := make([]byte, r.IntN(20))
		for i := range code {
			code[i] = byte(r.Uint32())
		}
		Disasm(code, 0x1000)
	}
}

// TestDisasmText pins the format of a line and the repairs of x86asm's text.
func TestDisasmText(t *testing.T) {
	var b Buffer
	b.RM(MOVQ, RAX, Mem{Base: RIP, Disp: 0x10})
	b.XXM(VADDSD, X1, X2, Mem{Base: RIP, Disp: 0x10})
	b.XXX(VADDSH, X1, X2, X3)
	b.RR(ADCXQ, RAX, RBX)
	b.Op(VZEROUPPER)
	b.RR(SUBQ, RBX, RAX)
	checkListing(t, b.B, `mov rax, qword ptr [rip+0x10]
vaddsd xmm1, xmm2, qword ptr [rip+0x10]
.byte 0x62, 0xf5, 0x6e, 0x08, 0x58, 0xcb
.byte 0x66, 0x48, 0x0f, 0x38, 0xf6, 0xc3
vzeroupper
sub rbx, rax
`)
	if got, want := Disasm([]byte{0x90}, 0x1000)[0], "0x1000\t90                      \tnop"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
