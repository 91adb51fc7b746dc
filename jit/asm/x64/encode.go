package x64

import (
	"encoding/binary"
	"math/bits"
)

// prefixWord maps the pp field to the legacy mandatory prefix.
const prefixWord = 0xf2f36600

func (c enc) digit() uint8 { return uint8(c>>digitShift) & 7 }

// rr encodes c with ModRM.rm a register. op carries the modifiers.
func (b *Buffer) rr(op Op, c enc, reg, v, rm uint8) {
	if c&schemeMask != 0 {
		b.vexRR(op, c, reg, v, rm)
		return
	}
	if (reg|rm) > 15 || op > opMask {
		legacyOperand(op)
	}
	rex := byte(c>>wShift&1)<<3 | reg>>3<<2 | rm>>3
	if (reg|rm) >= 4 && c.needsRex(reg, rm) {
		rex |= 0x40
	}
	x, n := c.head(rex)
	x |= uint64(0xc0|reg&7<<3|rm&7) << (n & 63)
	binary.LittleEndian.PutUint64(b.room()[:], x)
	b.commit(int(n+8) >> 3)
}

// rm encodes c with ModRM.rm in memory; tail immediate bytes will follow.
func (b *Buffer) rm(op Op, c enc, reg, v uint8, m Mem, tail uint8) {
	if c&schemeMask != 0 {
		b.vexRM(op, c, reg, v, m, tail)
		return
	}
	if reg > 15 || op > opMask {
		legacyOperand(op)
	}
	rex := byte(c>>wShift&1)<<3 | reg>>3<<2 | byte(m.Base)>>3&1
	if m.Scale != 0 {
		rex |= byte(m.Index) >> 3 << 1
	}
	if reg >= 4 && c&(0xf<<20) == gb {
		rex |= 0x40
	}
	x, n := c.head(rex)
	p := b.room()
	binary.LittleEndian.PutUint64(p[:], x)
	b.commit(modRM(p, int(n>>3), reg, &m, 0))
	if m.Label != 0 {
		b.refer(m.Label, len(b.B)-4, 4+tail, 4)
	}
}

// head returns the prefixes, escape bytes and opcode of a legacy instruction as
// a little-endian word, and their length in bits. rex 0 means no REX prefix.
func (c enc) head(rex byte) (x uint64, n uint) {
	if pp := c >> ppShift & ppMask; pp != 0 {
		x, n = prefixWord>>(8*pp)&0xff, 8
		if c&o16 != 0 {
			x, n = x<<8|0x66, 16
		}
	}
	if rex != 0 {
		x |= uint64(0x40|rex) << (n & 63)
		n += 8
	}
	if m := c >> mapShift & mapMask; m != 0 {
		esc, bits := uint64(0x0f), uint(8)
		if m == 2 {
			esc, bits = 0x380f, 16
		} else if m == 3 {
			esc, bits = 0x3a0f, 16
		}
		x |= esc << (n & 63)
		n += bits
	}
	return x | uint64(byte(c))<<(n&63), n + 8
}

func legacyOperand(op Op) {
	panic("BUG: x64: " + op.String() + " has no VEX encoding for this register or modifier")
}

// needsRex reports whether an 8-bit operand is one of SPL..DIL, which without
// REX would be AH..BH.
func (c enc) needsRex(reg, rm uint8) bool {
	return reg >= 4 && c&(0xf<<20) == gb || rm >= 4 && c&(0xf<<24) == rb
}

// modRM writes ModRM, SIB and displacement of a memory operand. scale is the
// log2 of the unit of an 8-bit displacement.
func modRM(p *[maxInst]byte, n int, reg uint8, m *Mem, scale uint) int {
	reg = reg & 7 << 3
	base := byte(m.Base) & 7
	if m.Base >= RIP {
		switch {
		case m.Base == RIP && m.Scale == 0:
			p[n&31] = reg | 5
		case m.Base == NoBase:
			// ModRM without SIB would be RIP-relative.
			p[n&31] = reg | 4
			n++
			p[n&31] = sib(m) | 5
		default:
			panic("BUG: x64: bad base register")
		}
		binary.LittleEndian.PutUint32(p[(n+1)&15:], uint32(m.Disp))
		return n + 5
	}
	if m.Label != 0 {
		panic("BUG: x64: label with a base register")
	}
	at := n
	if m.Scale != 0 || base == 4 {
		p[n&31] = reg | 4
		n++
		p[n&31] = sib(m) | base
	} else {
		p[n&31] = reg | base
	}
	n++
	if m.Disp == 0 && base != 5 {
		return n
	}
	if d := m.Disp >> (scale & 7); d == int32(int8(d)) && d<<(scale&7) == m.Disp {
		p[at&31] |= 0x40
		p[n&31] = byte(d)
		return n + 1
	}
	p[at&31] |= 0x80
	binary.LittleEndian.PutUint32(p[n&15:], uint32(m.Disp))
	return n + 4
}

// sib returns the scale and index bits of the SIB byte.
func sib(m *Mem) byte {
	if m.Scale == 0 {
		return 4 << 3
	}
	if m.Scale&(m.Scale-1) != 0 || m.Scale > 8 || m.Index == RSP || m.Index > R15 {
		panic("BUG: x64: bad index register or scale")
	}
	return byte(bits.TrailingZeros8(m.Scale))<<6 | byte(m.Index)&7<<3
}

// immForm chooses the encoding of c for imm and the immediate's size in bytes.
func (c enc) immForm(imm int32) (enc, uint8) {
	if c&immMask == ib {
		if imm < -128 || imm > 255 {
			panic("BUG: x64: immediate exceeds 8 bits")
		}
		if imm == 1 && c&s1 != 0 {
			return c + 0x10, 0
		}
		return c, 1
	}
	if c&s8 != 0 && imm == int32(int8(imm)) {
		return c | 2, 1
	}
	if c&(ppMask<<ppShift) == p66 {
		if imm < -32768 || imm > 65535 {
			panic("BUG: x64: immediate exceeds 16 bits")
		}
		return c, 2
	}
	return c, 4
}

// imm appends the low n bytes of v.
func (b *Buffer) imm(v int32, n uint8) {
	binary.LittleEndian.PutUint32(b.room()[:], uint32(v))
	b.commit(int(n))
}
