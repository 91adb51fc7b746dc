package decoder

import (
	"fmt"
	"strings"
)

// The syntax column of the tables is GNU assembler text in which some words are
// operands (format_sve.go has those of SVE):
//
//	Xd Wn Bt Qt2 ...   a register of the given kind whose number is in Rd, Rn, Rt, Rt2;
//	                   31 is the zero register. Xs+1 is the next register.
//	Xn|sp              31 is the stack pointer
//	Xt?31              nothing if the number is 31
//	Rm.option          X or W as option says; Rt.b5 and Rn.imm5 likewise
//	Fd.size            a scalar SIMD&FP register of the lane size
//	Vd.size:Q          a vector register: lanes of that size, 64 or 128 bits by Q
//	Vd.2size           lanes twice as wide; without :Q the vector has 128 bits
//	Vn.h/Q, Vn.sz:2    half of the vector :Q gives; two lanes
//	Vm.s[H:L]          one lane, its number in the joined boxes
//	Vm4.h[H:L:M]       the same with a 4-bit register number
//	Vm.size[e]         the lane of "by element" instructions: Vm4.h[H:L:M], Vm.s[H:L], Vm.d[H]
//	Lt4.b[Q:S:size]    a list of four registers from Rt
//	#..., ?#...        an immediate, see immediate.go
//	Cond, Shift, ...   the names in the operands function
//
// Lane sizes: size (b h s d), sz (s d), hsz (h s), immh (its highest set bit), imm5
// (its lowest set bit), b h s d. An operand that yields no text takes its comma along.

// Disasm returns the instruction as GNU assembler text, such as
// "add x0, x1, #0x10"; pc is the address of the instruction, for the targets of
// branches. An unallocated word gives ".inst 0x........ ; undefined".
func (i Inst) Disasm(pc uint64) string {
	if i.Op == UNALLOCATED {
		return fmt.Sprintf(".inst 0x%08x ; undefined", i.Word)
	}
	mnemonic, ops := i.text(pc)
	if ops == "" {
		return mnemonic
	}
	return mnemonic + " " + ops
}

// Mnemonic returns the first word of Disasm.
func (i Inst) Mnemonic() string {
	mnemonic, _, _ := strings.Cut(i.Disasm(0), " ")
	return mnemonic
}

// Operands returns the operands of Disasm one by one: an address with its
// brackets, or a register list with its braces, is one operand.
func (i Inst) Operands(pc uint64) []string {
	if i.Op == UNALLOCATED {
		return nil
	}
	_, ops := i.text(pc)
	var out []string
	depth, start := 0, 0
	for n := 0; n < len(ops); n++ {
		switch ops[n] {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, ops[start:n])
				start = n + 2
			}
		}
	}
	if start < len(ops) {
		out = append(out, ops[start:])
	}
	return out
}

// text renders the row's syntax, or that of the first alias that applies.
func (i Inst) text(pc uint64) (mnemonic, ops string) {
	syntax := rows[i.Op].Syntax
	for _, a := range rows[i.Op].Aliases {
		if a.applies(i) {
			syntax = a.Syntax
			break
		}
	}
	mnemonic, rest, _ := strings.Cut(syntax, " ")
	if m, ok := strings.CutSuffix(mnemonic, "(2)"); ok {
		mnemonic = m
		if i.Bit(30) != 0 {
			mnemonic += "2"
		}
	}
	if m, ok := strings.CutSuffix(mnemonic, "(bt)"); ok {
		mnemonic = m + "bt"[i.Bit(30):][:1]
	}
	if m, ok := strings.CutSuffix(mnemonic, "(cond)"); ok {
		mnemonic = m + condNames[i.Word&15]
	}
	return mnemonic, i.render(rest, pc)
}

// render replaces the operand words of a syntax string.
func (i Inst) render(syntax string, pc uint64) string {
	var b []byte
	for n := 0; n < len(syntax); {
		if strings.IndexByte(", []{}!", syntax[n]) >= 0 {
			b = append(b, syntax[n])
			n++
			continue
		}
		end := n
		for end < len(syntax) && strings.IndexByte(", ]{}!", syntax[end]) < 0 {
			if syntax[end] == '[' { // an index belongs to its register
				end += strings.IndexByte(syntax[end:], ']')
			}
			end++
		}
		text := i.operand(syntax[n:end], pc)
		if text == "" {
			b = []byte(strings.TrimSuffix(string(b), ", "))
			if len(b) == 0 {
				for end < len(syntax) && (syntax[end] == ',' || syntax[end] == ' ') {
					end++
				}
			}
		}
		b = append(b, text...)
		n = end
	}
	return string(b)
}

func (i Inst) operand(word string, pc uint64) string {
	switch {
	case word[0] == '#' || word[0] == '?':
		return i.immediate(word)
	case word[0] < 'A' || word[0] > 'Z':
		return word
	case word[0] == 'L' && len(word) > 2 && word[2] >= '1' && word[2] <= '4':
		return i.list(word)
	case word[0] == 'V' && strings.IndexByte(word, '.') > 0:
		return i.vector(word)
	}
	if f := namedOperand(word); f != nil {
		return f(i, pc)
	}
	if word[0] == 'Z' || word[0] == 'P' {
		return i.sveRegister(word)
	}
	return i.register(word)
}

// field returns the value of the box, or of the joined boxes a:b:c. "size>>1"
// drops the box's lowest bit.
func (i Inst) field(names string) (value uint32, width uint) {
	for _, n := range strings.Split(names, ":") {
		n, half := strings.CutSuffix(n, ">>1")
		f, ok := rows[i.Op].field(n)
		if !ok {
			panic(fmt.Sprintf("BUG: %s has no field %q", i.Op, n))
		}
		v, w := i.Bits(uint(f.Hi), uint(f.Lo)), uint(f.Hi-f.Lo)+1
		if half {
			v, w = v>>1, w-1
		}
		value = value<<w | v
		width += w
	}
	return value, width
}

func (r *Row) field(name string) (Field, bool) {
	for _, f := range r.Fields() {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}

// number returns the register number that a letter (d, n, m, t, s, a, t2)
// stands for. The tagging instructions call the same boxes Xd, Xn, ..., and SVE
// has Vd, Vn, ... for scalar registers, and Zn for the lowest part of a vector.
func (i Inst) number(letter string) uint32 {
	for _, prefix := range []string{"R", "X", "V", "Z"} {
		if f, ok := rows[i.Op].field(prefix + letter); ok {
			n := i.Bits(uint(f.Hi), uint(f.Lo))
			if m, ok := rows[i.Op].field("M"); ok && letter == "m" && f.Hi-f.Lo == 3 {
				n |= i.Bits(uint(m.Hi), uint(m.Lo)) << 4
			}
			return n
		}
	}
	panic(fmt.Sprintf("BUG: %s has no register R%s", i.Op, letter))
}

// register renders a general-purpose or scalar register operand.
func (i Inst) register(word string) string {
	kind, rest := word[0], word[1:]
	rest, sp := strings.CutSuffix(rest, "|sp")
	rest, skip := strings.CutSuffix(rest, "?31")
	if !skip {
		rest, skip = strings.CutSuffix(rest, "?30")
		if skip && i.number(rest) == 30 {
			return ""
		}
	} else if i.number(strings.TrimSuffix(rest, "+1")) == 31 {
		return ""
	}
	rest, next := strings.CutSuffix(rest, "+1")
	letter, by, _ := strings.Cut(rest, ".")
	n := i.number(letter)
	if next && n != 31 { // SYSP and TLBIP write "xzr, xzr"
		n++
	}
	switch kind {
	case 'R':
		kind = 'W'
		v, _ := i.field(by)
		switch {
		case by == "option" && v&3 == 3, by == "b5" && v == 1, by == "imm5" && v&15 == 8,
			by == "size" && v == 3, by == "sf" && v == 1, by == "sz" && v == 1:
			kind = 'X'
		}
	case 'F':
		return fmt.Sprintf("%c%d", laneNames[i.lane(by)], n)
	case 'B', 'H', 'S', 'D', 'Q':
		return fmt.Sprintf("%c%d", kind|0x20, n)
	case 'X', 'W':
	default:
		panic(fmt.Sprintf("BUG: %s: unknown operand %q", i.Op, word))
	}
	switch {
	case n == 31 && sp && kind == 'X':
		return "sp"
	case n == 31 && sp:
		return "wsp"
	case n == 31:
		return string(kind|0x20) + "zr"
	}
	return fmt.Sprintf("%c%d", kind|0x20, n)
}

const laneNames = "bhsdq"

// lane returns log2 of the bytes of a lane.
func (i Inst) lane(spec string) uint {
	if n := strings.Index(laneNames, spec); n >= 0 && len(spec) == 1 {
		return uint(n)
	}
	if narrow, ok := strings.CutPrefix(spec, "2"); ok {
		return i.lane(narrow) + 1
	}
	if wide, ok := strings.CutSuffix(spec, "/2"); ok {
		return i.lane(wide) - 1
	}
	if wide, ok := strings.CutSuffix(spec, "/4"); ok {
		return i.lane(wide) - 2
	}
	switch spec {
	case "hsz":
		v, _ := i.field("sz")
		return uint(v) + 1
	case "tsz", "itsz", "imm13":
		return i.tszLane(spec)
	}
	v, _ := i.field(spec)
	switch spec {
	case "size":
		return uint(v)
	case "sz":
		return uint(v) + 2
	case "immh":
		n := uint(0)
		for v > 1 {
			v, n = v>>1, n+1
		}
		return n
	case "imm5":
		n := uint(0)
		for v&1 == 0 {
			v, n = v>>1, n+1
		}
		return n
	}
	panic(fmt.Sprintf("BUG: %s: unknown lane size %q", i.Op, spec))
}

// arrangement returns the text after the dot of a whole vector register.
func (i Inst) arrangement(spec string) string {
	if len(spec) <= 3 && spec[0] >= '1' && spec[0] <= '9' && strings.IndexByte(laneNames, spec[len(spec)-1]) >= 0 {
		return spec
	}
	bytes := uint(16)
	if base, ok := strings.CutSuffix(spec, ":2"); ok {
		l := i.lane(base)
		return fmt.Sprintf("2%c", laneNames[l])
	}
	if base, ok := strings.CutSuffix(spec, ":Q"); ok {
		bytes, spec = 8<<i.Bit(30), base
	} else if base, ok := strings.CutSuffix(spec, "/Q"); ok {
		bytes, spec = 4<<i.Bit(30), base
	}
	l := i.lane(spec)
	return fmt.Sprintf("%d%c", bytes>>l, laneNames[l])
}

// vector renders Vd.<arrangement> and Vm.<lane>[<index>].
func (i Inst) vector(word string) string {
	reg, spec, _ := strings.Cut(word[1:], ".")
	letter, narrow := strings.CutSuffix(reg, "4")
	n := i.number(letter)
	spec, index, isLane := strings.Cut(strings.TrimSuffix(spec, "]"), "[")
	if !isLane {
		return fmt.Sprintf("v%d.%s", n, i.arrangement(spec))
	}
	if index == "e" {
		l := i.lane(spec)
		index = [...]string{1: "H:L:M", 2: "H:L", 3: "H"}[l]
		narrow = l == 1
	}
	if narrow {
		n &= 15
	}
	return fmt.Sprintf("v%d.%s[%d]", n, i.laneText(spec), i.index(index, spec))
}

func (i Inst) laneText(spec string) string {
	if spec == "4b" || spec == "2h" {
		return spec
	}
	return laneNames[i.lane(spec):][:1]
}

func (i Inst) index(index, spec string) uint32 {
	switch index {
	case "1":
		return 1
	case "imm5":
		v, _ := i.field(index)
		return v >> (i.lane("imm5") + 1)
	case "imm4":
		v, _ := i.field(index)
		return v >> i.lane(spec)
	}
	v, _ := i.field(index)
	return v
}

// list renders a register list, consecutive modulo 32: Lt4.size:Q, Ln2.16b,
// Lt1.s[Q:S].
func (i Inst) list(word string) string {
	first := i.number(word[1:2])
	count := uint32(word[2] - '0')
	spec, index, isLane := strings.Cut(strings.TrimSuffix(word[4:], "]"), "[")
	var lanes string
	if isLane {
		lanes = i.laneText(spec)
	} else {
		lanes = i.arrangement(spec)
	}
	last := (first + count - 1) & 31
	var b strings.Builder
	b.WriteByte('{')
	if count > 2 && last > first {
		fmt.Fprintf(&b, "v%d.%s-v%d.%s", first, lanes, last, lanes)
	} else {
		for k := range count {
			if k > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "v%d.%s", (first+k)&31, lanes)
		}
	}
	b.WriteByte('}')
	if isLane {
		fmt.Fprintf(&b, "[%d]", i.index(index, spec))
	}
	return b.String()
}
