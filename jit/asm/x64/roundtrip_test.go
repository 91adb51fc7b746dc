package x64

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"emu/tests/need"

	"golang.org/x/arch/x86/x86asm"
)

// regCases mix low, high and REX-sensitive registers: reg, v, rm, l.
var regCases = [...]inst{
	{reg: 0, v: 1, rm: 2, l: 3},
	{reg: 1, v: 15, rm: 8, l: 9},
	{reg: 9, v: 4, rm: 5, l: 15},
	{reg: 15, v: 8, rm: 4, l: 0},
	{reg: 4, v: 0, rm: 12, l: 7},
	{reg: 6, v: 7, rm: 13, l: 8},
	{reg: 7, v: 11, rm: 6, l: 5},
}

var evexRegCases = [...]inst{
	{reg: 16, v: 1, rm: 2},
	{reg: 3, v: 31, rm: 4},
	{reg: 1, v: 9, rm: 17},
	{reg: 25, v: 18, rm: 30},
	{reg: 8, v: 24, rm: 12},
}

var memCases = [...]Mem{
	At(RAX, 0), At(RSP, 8), At(RBP, 0), At(R12, -128), At(R13, 0), At(RDI, 127), At(R9, 128), At(RBX, -0x12345678), At(RCX, 64), At(RSI, 0x1f0),
	AtIndex(RAX, RBX, 1, 0), AtIndex(RBP, R9, 4, 16), AtIndex(R13, RAX, 8, 0), AtIndex(R8, R12, 2, 0x1000), AtIndex(RSP, RBP, 4, -4),
	AtIndex(NoBase, R14, 8, 0x20), AtAbs(0x7f001234), {Base: RIP, Disp: 0x1234},
}

// samples emits every form of every row with many operands.
func samples(t *testing.T) []sample {
	var out []sample
	for _, f := range forms() {
		switch f.row.name {
		case "set", "cmov":
			continue // their opcode is completed by a condition: TestConditions
		}
		out = append(out, f.samples()...)
	}
	t.Logf("%d forms, %d instructions", len(forms()), len(out))
	return out
}

func (f form) samples() []sample {
	var out []sample
	c := f.enc
	imms := []int32{0x42}
	if c&rmClass&^eR == 0 && c&immMask != 0 && c&regClass != gX && c&regClass != gK {
		imms = []int32{0x42, 7, -3, 1}
		if c&(s1) != 0 || c&m0F != 0 || c&schemeMask != 0 {
			imms = []int32{0x42, 7, 1}
		} else if c&immMask == iz {
			imms = append(imms, 0x7f, 0x80, -0x81, 0x7fff)
			if c>>26&3 >= 2 {
				imms = append(imms, 0x12345678, -0x12345678)
			}
		}
	}
	vector := c&vl != 0
	canEVEX := c&schemeMask == evex || c&ev0 != 0
	for _, imm := range imms {
		if c&rmClass != 0 || !strings.Contains(f.order, "E") {
			for _, in := range regCases {
				in.imm = imm
				out = append(out, f.emit(f.fit(in)))
				if vector && f.sameLength() {
					in.mod = opY
					out = append(out, f.emit(f.fit(in)))
				}
			}
		}
		if c&rmClass != 0 && canEVEX {
			for _, in := range evexRegCases {
				in.imm = imm
				out = append(out, f.emit(f.fit(in)))
				if vector && f.sameLength() {
					in.mod = opZ
					out = append(out, f.emit(f.fit(in)))
				}
				if vector && c&nok == 0 && c&regClass == gX {
					in.mod = Op(0).Mask(K3)
					out = append(out, f.emit(f.fit(in)))
					in.mod = Op(0).MaskZ(K7)
					out = append(out, f.emit(f.fit(in)))
				}
			}
		}
		if c&mm == 0 {
			continue
		}
		for i := range memCases {
			in := regCases[i%len(regCases)]
			in.mem, in.imm = &memCases[i], imm
			out = append(out, f.emit(f.fit(in)))
			if canEVEX {
				in = evexRegCases[i%len(evexRegCases)]
				in.mem, in.imm = &memCases[i], imm
				out = append(out, f.emit(f.fit(in)))
				if vector && f.sameLength() {
					in.mod = opZ
					out = append(out, f.emit(f.fit(in)))
				}
			}
		}
	}
	return out
}

// sameLength reports whether all vector operands of f have the same width.
func (f form) sameLength() bool {
	return f.enc&(3<<scaleShift) == 0 && f.enc>>46&1 != 0 && !strings.HasPrefix(f.row.name, "vcvt") && f.row.needs&AVX512FP16 == 0 && f.row.name != "vphminposuw"
}

// fit reduces register numbers to what the operand classes of f can hold.
func (f form) fit(in inst) inst {
	lim := func(n uint8, class enc) uint8 {
		switch class & 3 {
		case isR:
			return n & 15
		case isK:
			return n & 7
		}
		return n
	}
	in.reg, in.v, in.rm = lim(in.reg, f.enc>>20), lim(in.v, f.enc>>28), lim(in.rm, f.enc>>24)
	return in
}

var (
	ptrRE   = regexp.MustCompile(`\b[A-Za-z]+ ?(PTR|ptr) `)
	scaleRE = regexp.MustCompile(`([1248])\*(r\w+)`)
	spaceRE = regexp.MustCompile(`\s+`)
)

// objdump disassembles code and returns the text at each offset.
func objdump(t *testing.T, code []byte) map[int]string {
	path := need.Tool(t, "objdump", "binutils")
	file := filepath.Join(t.TempDir(), "code")
	if err := os.WriteFile(file, code, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(path, "-D", "-w", "-b", "binary", "-mi386:x86-64", "-Mintel", "--no-show-raw-insn", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	text := make(map[int]string)
	for line := range strings.Lines(string(out)) {
		addr, s, ok := strings.Cut(line, ":\t")
		if !ok {
			continue
		}
		pos, err := strconv.ParseInt(strings.TrimSpace(addr), 16, 64)
		if err != nil {
			continue
		}
		s, _, _ = strings.Cut(s, " #")
		s = ptrRE.ReplaceAllString(objdumpSpelling.Replace(s), "")
		text[int(pos)] = strings.TrimSpace(spaceRE.ReplaceAllString(s, " "))
	}
	return text
}

// compareObjdump checks that objdump reads back what each sample means.
func compareObjdump(t *testing.T, all []sample) {
	t.Helper()
	var code bytes.Buffer
	for _, s := range all {
		code.Write(s.code)
	}
	text := objdump(t, code.Bytes())
	pos, bad := 0, 0
	seen := make(map[Op]bool)
	for _, s := range all {
		_, next := text[pos+len(s.code)]
		last := pos+len(s.code) == code.Len()
		if got := canonical(text[pos]); got != s.want || !next && !last {
			if bad++; !seen[s.op] && len(seen) < 40 {
				seen[s.op] = true
				t.Errorf("%s %s: % x\n got %s\nwant %s", s.op, s.method, s.code, got, s.want)
			}
		}
		pos += len(s.code)
	}
	if bad > 0 {
		t.Errorf("%d of %d instructions differ", bad, len(all))
	}
}

// canonical undoes spellings of objdump that differ from the mnemonic alone.
func canonical(s string) string {
	s = strings.ReplaceAll(s, ",{", "{")         // static rounding, after a comma in newer versions
	if r, ok := strings.CutSuffix(s, ",1"); ok { // shifts by one
		return r + ",0x1"
	}
	return s
}

// objdumpSpelling undoes spellings that name operands which are not written.
var objdumpSpelling = strings.NewReplacer(
	"rep movs BYTE PTR es:[rdi],BYTE PTR ds:[rsi]", "rep movsb", "rep movs QWORD PTR es:[rdi],QWORD PTR ds:[rsi]", "rep movsq",
	"rep stos BYTE PTR es:[rdi],al", "rep stosb", "rep stos QWORD PTR es:[rdi],rax", "rep stosq", "pushf", "pushfq", "popf", "popfq")

// TestObjdump reads every form back through objdump.
func TestObjdump(t *testing.T) { compareObjdump(t, samples(t)) }

// x86asmSpelling removes what x86asm writes differently without saying less.
var x86asmSpelling = strings.NewReplacer("+0x0]", "]", "*1]", "]", "*1+", "+", " {", "{", "+0xedcba988]", "-0x12345678]", ",ptr ", ",",
	"ds:0x7f001234", "[0x7f001234]", "[rip+", "[", " 0xffffffff", " 0x", "_xmm", "", "data16 ", "",
	"movsb [rdi],[rsi]", "movsb", "movsq [rdi],[rsi]", "movsq", "stosb [rdi]", "stosb", "stosq [rdi]", "stosq")

// x86asmUnknown are the mnemonics outside EVEX that x86asm v0.32 cannot decode.
var x86asmUnknown = map[string]bool{
	"adcx": true, "adox": true, "endbr64": true, "rdrand": true,
	"gf2p8mulb": true, "gf2p8affineqb": true, "gf2p8affineinvqb": true,
}

// TestX86asm reads every legacy and VEX form back through x/arch's decoder. EVEX
// is left to objdump: x86asm misreads operand widths, masks and FP16 there.
func TestX86asm(t *testing.T) {
	seen := make(map[string]bool)
	n := 0
	for _, s := range samples(t) {
		if s.code[0] == 0x62 || x86asmUnknown[s.op.String()] {
			continue
		}
		n++
		inst, err := x86asm.Decode(s.code, 64)
		got := "error"
		if err == nil {
			got = x86asm.IntelSyntax(inst, 0, nil)
			got = ptrRE.ReplaceAllString(got, "")
			got = scaleRE.ReplaceAllString(got, "$2*$1")
			got = x86asmSpelling.Replace(strings.ReplaceAll(got, ", ", ","))
		}
		want, signed := x86asmSpelling.Replace(s.want), x86asmSpelling.Replace(s.signed)
		if implicitX0[s.op.String()] && !strings.HasSuffix(got, "xmm0") {
			want = strings.TrimSuffix(want, ",xmm0")
		}
		if (got != want && got != signed || inst.Len != len(s.code)) && !seen[s.op.String()] {
			seen[s.op.String()] = true
			t.Errorf("%s %s: % x\n got %s\nwant %s", s.op, s.method, s.code, got, want)
		}
	}
	t.Logf("%d instructions compared", n)
}

// TestAddressing tries every base with every index, scale and displacement size.
func TestAddressing(t *testing.T) {
	var all []sample
	add := func(m Mem) {
		for _, f := range []struct {
			op   Op
			want string
			emit func(b *Buffer)
		}{
			{MOVQ, "mov r10,", func(b *Buffer) { b.RM(MOVQ, R10, m) }},
			{VPADDD, "vpaddd xmm9,xmm1,", func(b *Buffer) { b.XXM(VPADDD, X9, X1, m) }},
			{VADDSD, "vaddsd xmm17,xmm1,", func(b *Buffer) { b.XXM(VADDSD, X17, X1, m) }},
		} {
			var b Buffer
			f.emit(&b)
			all = append(all, sample{op: f.op, method: "M", code: b.B, want: f.want + memText(m)})
		}
	}
	for _, disp := range []int32{0, 8, -1024, 1016, 1024, 127, -129, -1 << 31, 1<<31 - 1} {
		for base := RAX; base <= NoBase; base++ {
			if base != NoBase || disp != 0 {
				add(At(base, disp))
			}
			for index := RAX; index <= R15 && base != RIP; index++ {
				if index == RSP {
					continue
				}
				scale := uint8(1) << (uint8(base^index) & 3)
				if base == NoBase && scale == 1 {
					scale = 2
				}
				add(AtIndex(base, index, scale, disp))
			}
		}
	}
	compareObjdump(t, all)
}
