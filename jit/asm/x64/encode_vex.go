package x64

import "fmt"

// vexRR encodes c in VEX, or in EVEX if the operands or modifiers ask for it.
func (b *Buffer) vexRR(op Op, c enc, reg, v, rm uint8) {
	if c&schemeMask == evex || (reg|v|rm) > 15 || op&opEVEX != 0 {
		p := b.room()
		evexPrefix(p, op, c, reg, v, rm>>3&1, rm>>4)
		p[4] = byte(c)
		p[5] = 0xc0 | reg&7<<3 | rm&7
		b.commit(6)
		return
	}
	p := b.room()
	n := vexPrefix(p, op, c, reg, v, rm>>3)
	p[n&31] = byte(c)
	p[(n+1)&31] = 0xc0 | reg&7<<3 | rm&7
	b.commit(n + 2)
}

// vexRM is vexRR with ModRM.rm in memory.
func (b *Buffer) vexRM(op Op, c enc, reg, v uint8, m Mem, tail uint8) {
	bx := byte(m.Base) >> 3 & 1
	if m.Scale != 0 {
		bx |= byte(m.Index) >> 3 << 1
	}
	p := b.room()
	if c&schemeMask == evex || (reg|v) > 15 || op&opEVEX != 0 {
		if op&opRound != 0 {
			panic("BUG: x64: static rounding of a memory operand")
		}
		evexPrefix(p, op, c, reg, v, bx&1, bx>>1)
		p[4] = byte(c)
		b.commit(modRM(p, 5, reg, &m, c.dispScale(op)))
	} else {
		n := vexPrefix(p, op, c, reg, v, bx)
		p[n&31] = byte(c)
		b.commit(modRM(p, n+1, reg, &m, 0))
	}
	if m.Label != 0 {
		b.refer(m.Label, len(b.B)-4, 4+tail, 4)
	}
}

// vectorLen returns the length field of c widened by op's modifiers.
func (c enc) vectorLen(op Op) byte {
	if op&(opY|opZ) == 0 {
		return byte(c >> lenShift & lenMask)
	}
	if c&(vl|yy) == 0 {
		panic(fmt.Sprintf("BUG: x64: %s has no wider form", op))
	}
	if op&opZ != 0 {
		return 2
	}
	return 1
}

// dispScale returns log2 of the unit of an EVEX 8-bit displacement (Intel SDM
// volume 2, table 2-34: N of each tuple type).
func (c enc) dispScale(op Op) uint {
	n := uint(c>>scaleShift) & 7
	if c&vl != 0 {
		n += uint(c.vectorLen(op))
	}
	return n
}

// vexPrefix writes the 2- or 3-byte VEX prefix. bx holds B in bit 0, X in bit 1.
//
//	C5: [R̅ v̅v̅v̅v̅ L pp]
//	C4: [R̅ X̅ B̅ mmmmm] [W v̅v̅v̅v̅ L pp]
func vexPrefix(p *[maxInst]byte, op Op, c enc, reg, v, bx byte) int {
	vlp := (^v&15)<<3 | c.vectorLen(op)<<2 | byte(c>>ppShift&ppMask)
	r := ^reg & 8 << 4
	if bx == 0 && c&(w1|mapMask<<mapShift) == m0F {
		p[0], p[1] = 0xc5, r|vlp
		return 2
	}
	p[0] = 0xc4
	p[1] = r | (^bx&2)<<5 | (^bx&1)<<5 | byte(c>>mapShift&mapMask)
	p[2] = byte(c>>wShift&1)<<7 | vlp
	return 3
}

// evexPrefix writes the 4-byte EVEX prefix; b and x extend ModRM.rm or SIB.
//
//	62: [R̅ X̅ B̅ R̅' 0 mmm] [W v̅v̅v̅v̅ 1 pp] [z L'L b V̅' aaa]
func evexPrefix(p *[maxInst]byte, op Op, c enc, reg, v, b, x byte) {
	w := byte(c >> wShift & 1)
	if c&schemeMask == vex {
		if c&ev0 == 0 {
			panic(fmt.Sprintf("BUG: x64: %s has no EVEX encoding", op))
		}
		w = byte(c >> 19 & 1)
	}
	if op&(7<<maskShift) != 0 && (c&nok != 0 || c&regClass == gR) {
		panic(fmt.Sprintf("BUG: x64: %s takes no write mask", op))
	}
	length := c.vectorLen(op)
	if op&opRound != 0 {
		if c&vl != 0 && op&opZ == 0 {
			panic(fmt.Sprintf("BUG: x64: static rounding of %s at less than 512 bits", op))
		}
		length = byte(op>>modeShift) & 3
	}
	p[0] = 0x62
	p[1] = (^reg&8)<<4 | (^x&1)<<6 | (^b&1)<<5 | (^reg & 16) | byte(c>>mapShift&mapMask)
	p[2] = w<<7 | (^v&15)<<3 | 4 | byte(c>>ppShift&ppMask)
	p[3] = byte(op&opZero>>8) | length<<5 | byte(op&opRound>>12) | (^v&16)>>1 | byte(op>>maskShift)&7
}
