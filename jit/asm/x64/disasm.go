package x64

import (
	"fmt"
	"strings"

	"golang.org/x/arch/x86/x86asm"
)

// Disasm returns one line per instruction of code running at base: address,
// bytes and Intel syntax. Instructions that the decoder does not know (AVX512-FP16,
// GFNI, ADX and few others) are shown whole as .byte when their length can be told.
func Disasm(code []byte, base uint64) []string {
	var lines []string
	for pos := 0; pos < len(code); {
		text, n := disasmOne(code[pos:], base+uint64(pos))
		lines = append(lines, fmt.Sprintf("%#x\t%-24x\t%s", base+uint64(pos), code[pos:pos+n], text))
		pos += n
	}
	return lines
}

// ripRelative restores the base register that x86asm leaves out under VEX and EVEX.
var ripRelative = strings.NewReplacer("[0x", "[rip+0x", "[-0x", "[rip-0x")

func disasmOne(code []byte, pc uint64) (string, int) {
	if at, m := opcodeMap(code); isVEX(code[0]) && m == 1 && len(code) > at && code[at] == 0x77 {
		return "vzeroupper", at + 1 // x86asm reads a ModRM byte behind it
	}
	fp16 := len(code) > 1 && code[0] == 0x62 && code[1]&7 > 3 // x86asm would show map 5 as map 1
	if inst, err := x86asm.Decode(code, 64); err == nil && inst.Op != 0 && !fp16 {
		text := x86asm.IntelSyntax(inst, pc, nil)
		if at, _ := opcodeMap(code); isVEX(code[0]) && at+1 < inst.Len && code[at+1]&0xc7 == 5 && !strings.Contains(text, "rip") {
			text = ripRelative.Replace(text)
		}
		return text, inst.Len
	}
	n := min(max(opaqueLen(code), 1), len(code))
	var s strings.Builder
	s.WriteString(".byte")
	for i, c := range code[:n] {
		if i > 0 {
			s.WriteByte(',')
		}
		fmt.Fprintf(&s, " %#02x", c)
	}
	return s.String(), n
}

// opaqueLen returns the length of the instruction at the start of code if it is
// in VEX, in EVEX or in one of the 0F maps, else 0.
func opaqueLen(code []byte) int {
	at, m := opcodeMap(code)
	if m == 0 || len(code) <= at {
		return 0
	}
	if len(code) < at+2 {
		return 0
	}
	n := at + 2
	mod, rm := code[at+1]>>6, code[at+1]&7
	if mod != 3 && rm == 4 {
		if len(code) <= n {
			return 0
		}
		if mod == 0 && code[n]&7 == 5 {
			n += 4
		}
		n++
	}
	switch {
	case mod == 1:
		n++
	case mod == 2, mod == 0 && rm == 5:
		n += 4
	}
	if m == 3 || m == 1 && hasImm8(code[at]) {
		n++
	}
	return n
}

// isVEX reports whether first starts a VEX or EVEX prefix in 64-bit mode.
func isVEX(first byte) bool { return first == 0xc4 || first == 0xc5 || first == 0x62 }

// opcodeMap returns the offset of the opcode and the number of its map, 0 if it
// is in none of those that opaqueLen covers.
func opcodeMap(code []byte) (at int, m byte) {
	if len(code) < 3 {
		return 0, 0
	}
	switch code[0] {
	case 0xc5:
		return 2, 1
	case 0xc4:
		return 3, code[1] & 31
	case 0x62:
		return 4, code[1] & 7
	}
	for at < len(code) && (code[at] == 0x66 || code[at] == 0xf2 || code[at] == 0xf3) {
		at++
	}
	if at < len(code) && code[at]&0xf0 == 0x40 { // REX
		at++
	}
	if at+1 >= len(code) || code[at] != 0x0f {
		return 0, 0
	}
	switch code[at+1] {
	case 0x38:
		return at + 2, 2
	case 0x3a:
		return at + 2, 3
	}
	return at + 1, 1
}

// hasImm8 reports whether opcode op of map 0F has an immediate.
func hasImm8(op byte) bool {
	return op >= 0x70 && op <= 0x73 || op == 0xc2 || op >= 0xc4 && op <= 0xc6
}
