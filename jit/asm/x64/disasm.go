package x64

import (
	"fmt"
	"strings"

	"golang.org/x/arch/x86/x86asm"
)

// Disasm returns one line per instruction of code running at base: address,
// bytes and Intel syntax. Bytes that the decoder does not know (EVEX, and some
// VEX maps) are shown whole as .byte when their length can be told.
func Disasm(code []byte, base uint64) []string {
	var lines []string
	for pos := 0; pos < len(code); {
		text, n := disasmOne(code[pos:], base+uint64(pos))
		lines = append(lines, fmt.Sprintf("%#x\t%-24x\t%s", base+uint64(pos), code[pos:pos+n], text))
		pos += n
	}
	return lines
}

func disasmOne(code []byte, pc uint64) (string, int) {
	if inst, err := x86asm.Decode(code, 64); err == nil && inst.Len > 0 {
		return x86asm.IntelSyntax(inst, pc, nil), inst.Len
	}
	n := min(max(vexLen(code), 1), len(code))
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

// vexLen returns the length of the VEX or EVEX instruction at the start of code,
// or 0 if there is none.
func vexLen(code []byte) int {
	if len(code) < 4 {
		return 0
	}
	var at int // offset of the opcode
	m := byte(1)
	switch code[0] {
	case 0xc5:
		at = 2
	case 0xc4:
		at, m = 3, code[1]&31
	case 0x62:
		at, m = 4, code[1]&7
	default:
		return 0
	}
	if len(code) < at+2 {
		return 0
	}
	if m == 1 && code[at] == 0x77 { // VZEROUPPER has no ModRM
		return at + 1
	}
	modrm := code[at+1]
	n := at + 2
	mod, rm := modrm>>6, modrm&7
	if mod != 3 && rm == 4 {
		if len(code) < n+1 {
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

// hasImm8 reports whether opcode op of map 0F has an immediate under VEX.
func hasImm8(op byte) bool {
	return op >= 0x70 && op <= 0x73 || op == 0xc2 || op >= 0xc4 && op <= 0xc6
}
