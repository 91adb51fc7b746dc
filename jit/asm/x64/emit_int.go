package x64

import "encoding/binary"

// Op emits an instruction without explicit operands.
func (b *Buffer) Op(op Op) {
	c := op.row().rm
	if c == 0 || c&(regShape|mm) != 0 {
		op.noForm("operand-free")
	}
	p := b.room()
	if c&schemeMask != 0 {
		n := vexPrefix(p, op, c, 0, 0, 0)
		p[n&31] = byte(c)
		b.commit(n + 1)
		return
	}
	x, n := c.head(byte(c>>wShift&1) << 3)
	if c&fixed != 0 {
		x |= uint64(0xc0|c.digit()<<3|byte(c>>scaleShift)&7) << n
		n += 8
	}
	binary.LittleEndian.PutUint64(p[:], x)
	b.commit(int(n >> 3))
}

// R emits a one-operand instruction on a register: NEGQ, MULQ, PUSH, BSWAPQ, JMP, CALL.
func (b *Buffer) R(op Op, r Reg) {
	row := op.row()
	c := row.rm
	if c&regShape == plusR|eR {
		x, n := c.head(byte(c>>wShift&1)<<3 | byte(r)>>3)
		binary.LittleEndian.PutUint64(b.room()[:], x+uint64(r&7)<<(n-8))
		b.commit(int(n >> 3))
		return
	}
	if c&regShape != eR {
		if c = row.mr; c&regShape != eR {
			op.noForm("R")
		}
	}
	b.rr(op, c, c.digit(), 0, uint8(r))
}

// M emits a one-operand instruction on memory.
func (b *Buffer) M(op Op, m Mem) {
	r := op.row()
	c := r.rm
	if c&memShape != mm || c&plusR != 0 {
		if c = r.mr; c&memShape != mm {
			op.noForm("M")
		}
	}
	b.rm(op, c, c.digit(), 0, m, 0)
}

// RR emits op dst, src.
func (b *Buffer) RR(op Op, dst, src Reg) {
	r := op.row()
	if c := r.rm; c&regShape == gR|eR {
		b.rr(op, c, uint8(dst), 0, uint8(src))
	} else if c := r.mr; c&regShape == gR|eR {
		b.rr(op, c, uint8(src), 0, uint8(dst))
	} else if c := r.mi; c&regShape == hR|eR {
		b.rr(op, c, c.digit(), uint8(dst), uint8(src))
	} else {
		op.noForm("RR")
	}
}

// RM emits op dst, [m].
func (b *Buffer) RM(op Op, dst Reg, m Mem) {
	r := op.row()
	if c := r.rm; c&memShape == gR|mm {
		b.rm(op, c, uint8(dst), 0, m, 0)
	} else if c := r.mi; c&memShape == hR|mm {
		b.rm(op, c, c.digit(), uint8(dst), m, 0)
	} else {
		op.noForm("RM")
	}
}

// MR emits op [m], src: stores, read-modify-writes, TEST, XCHG.
func (b *Buffer) MR(op Op, m Mem, src Reg) {
	c := op.row().mr
	if c&memShape != gR|mm {
		op.noForm("MR")
	}
	b.rm(op, c, uint8(src), 0, m, 0)
}

// RI emits op dst, imm in the shortest form that keeps op's meaning, flags included.
func (b *Buffer) RI(op Op, dst Reg, imm int32) {
	c := op.row().mi
	if c&(regShape&^immMask) != eR || c&immMask == 0 {
		op.noForm("RI")
	}
	c, n := c.immForm(imm)
	b.rr(op, c, c.digit(), 0, uint8(dst))
	b.imm(imm, n)
}

// MI emits op [m], imm in the shortest form.
func (b *Buffer) MI(op Op, m Mem, imm int32) {
	c := op.row().mi
	if c&(memShape&^immMask) != mm || c&immMask == 0 {
		op.noForm("MI")
	}
	c, n := c.immForm(imm)
	b.rm(op, c, c.digit(), 0, m, n)
	b.imm(imm, n)
}

// I emits op imm: PUSH.
func (b *Buffer) I(op Op, imm int32) {
	c := op.row().mi
	if c == 0 || c&(regShape&^immMask) != 0 {
		op.noForm("I")
	}
	c, n := c.immForm(imm)
	b.room()[0] = byte(c)
	b.commit(1)
	b.imm(imm, n)
}

// RC emits a shift of dst by CL.
func (b *Buffer) RC(op Op, dst Reg) {
	c := op.row().mr
	if c&regShape != eR|cl {
		op.noForm("RC")
	}
	b.rr(op, c, c.digit(), 0, uint8(dst))
}

// MC emits a shift of [m] by CL.
func (b *Buffer) MC(op Op, m Mem) {
	c := op.row().mr
	if c&memShape != mm|cl {
		op.noForm("MC")
	}
	b.rm(op, c, c.digit(), 0, m, 0)
}

// RRC emits a double shift (SHLD, SHRD) by CL.
func (b *Buffer) RRC(op Op, dst, src Reg) {
	c := op.row().mr
	if c&regShape != gR|eR|cl {
		op.noForm("RRC")
	}
	b.rr(op, c, uint8(src), 0, uint8(dst))
}

// MRC is RRC on memory.
func (b *Buffer) MRC(op Op, m Mem, src Reg) {
	c := op.row().mr
	if c&memShape != gR|mm|cl {
		op.noForm("MRC")
	}
	b.rm(op, c, uint8(src), 0, m, 0)
}

// RRI emits op dst, src, imm: IMUL, RORX, and SHLD and SHRD.
func (b *Buffer) RRI(op Op, dst, src Reg, imm int32) {
	c := op.row().mi
	if c&(regShape&^immMask) != gR|eR || c&immMask == 0 {
		op.noForm("RRI")
	}
	c, n := c.immForm(imm)
	if c&vlast != 0 {
		dst, src = src, dst
	}
	b.rr(op, c, uint8(dst), 0, uint8(src))
	b.imm(imm, n)
}

// RMI emits op dst, [m], imm: IMUL, RORX.
func (b *Buffer) RMI(op Op, dst Reg, m Mem, imm int32) {
	c := op.row().mi
	if c&(memShape&^immMask) != gR|mm || c&immMask == 0 || c&vlast != 0 {
		op.noForm("RMI")
	}
	c, n := c.immForm(imm)
	b.rm(op, c, uint8(dst), 0, m, n)
	b.imm(imm, n)
}

// MRI emits op [m], src, imm: SHLD and SHRD.
func (b *Buffer) MRI(op Op, m Mem, src Reg, imm int32) {
	c := op.row().mi
	if c&memShape != gR|mm|ib || c&vlast == 0 {
		op.noForm("MRI")
	}
	b.rm(op, c, uint8(src), 0, m, 1)
	b.imm(imm, 1)
}

// RRR emits op dst, s1, s2: ANDN, SHLX, PDEP, and MULX (high, low, src).
func (b *Buffer) RRR(op Op, dst, s1, s2 Reg) {
	c := op.row().rm
	if c&regShape != gR|hR|eR {
		op.noForm("RRR")
	}
	if c&vlast != 0 {
		s1, s2 = s2, s1
	}
	b.rr(op, c, uint8(dst), uint8(s1), uint8(s2))
}

// RRM emits op dst, s1, [m] for instructions whose last operand may be memory: ANDN, PDEP, MULX.
func (b *Buffer) RRM(op Op, dst, s1 Reg, m Mem) {
	c := op.row().rm
	if c&memShape != gR|hR|mm || c&vlast != 0 {
		op.noForm("RRM")
	}
	b.rm(op, c, uint8(dst), uint8(s1), m, 0)
}

// RMR emits op dst, [m], s2 for instructions whose middle operand may be memory: SHLX, BEXTR.
func (b *Buffer) RMR(op Op, dst Reg, m Mem, s2 Reg) {
	c := op.row().rm
	if c&memShape != gR|hR|mm || c&vlast == 0 {
		op.noForm("RMR")
	}
	b.rm(op, c, uint8(dst), uint8(s2), m, 0)
}

// LockMR is MR with a LOCK prefix.
func (b *Buffer) LockMR(op Op, m Mem, src Reg) {
	if op.row().mr&lk == 0 {
		op.noForm("LOCK MR")
	}
	b.lock()
	b.MR(op, m, src)
}

// LockMI is MI with a LOCK prefix.
func (b *Buffer) LockMI(op Op, m Mem, imm int32) {
	if op.row().mi&lk == 0 {
		op.noForm("LOCK MI")
	}
	b.lock()
	b.MI(op, m, imm)
}

// LockM is M with a LOCK prefix: CMPXCHG16B, INCQ, NEGQ.
func (b *Buffer) LockM(op Op, m Mem) {
	if op.row().rm&lk == 0 {
		op.noForm("LOCK M")
	}
	b.lock()
	b.M(op, m)
}

func (b *Buffer) lock() {
	b.Locks = append(b.Locks, int32(len(b.B)))
	b.Byte(0xf0)
}

// Segment prefixes for Prefix.
const (
	FS byte = 0x64
	GS byte = 0x65
)

// Prefix puts a segment prefix before the next instruction.
func (b *Buffer) Prefix(seg byte) { b.Byte(seg) }

// SetR sets the low 8 bits of dst to c as 0 or 1; the other bits stay.
func (b *Buffer) SetR(c Cond, dst Reg) {
	b.rr(SETCC, SETCC.row().mi+enc(c), 0, 0, uint8(dst))
}

// SetM stores c as a byte 0 or 1.
func (b *Buffer) SetM(c Cond, m Mem) {
	b.rm(SETCC, SETCC.row().mi+enc(c), 0, 0, m, 0)
}

// CMovRR emits op (CMOVW, CMOVL, CMOVQ) dst, src under c. CMOVL clears the high
// half of dst even when c is false.
func (b *Buffer) CMovRR(op Op, c Cond, dst, src Reg) {
	e := op.row().mi
	if e&regShape != gR|eR {
		op.noForm("CMovRR")
	}
	b.rr(op, e+enc(c), uint8(dst), 0, uint8(src))
}

// CMovRM is CMovRR from memory, which is read whether c holds or not.
func (b *Buffer) CMovRM(op Op, c Cond, dst Reg, m Mem) {
	e := op.row().mi
	if e&memShape != gR|mm {
		op.noForm("CMovRM")
	}
	b.rm(op, e+enc(c), uint8(dst), 0, m, 0)
}

// MovImm sets all 64 bits of dst to v in the shortest form that keeps the flags.
func (b *Buffer) MovImm(dst Reg, v uint64) {
	p := b.room()
	lo, hi := byte(dst)&7, byte(dst)>>3
	if v == uint64(uint32(v)) {
		n := 0
		if hi != 0 {
			p[0] = 0x41
			n = 1
		}
		p[n] = 0xb8 | lo
		binary.LittleEndian.PutUint32(p[n+1:], uint32(v))
		b.commit(n + 5)
		return
	}
	p[0] = 0x48 | hi
	if v == uint64(int64(int32(v))) {
		p[1], p[2] = 0xc7, 0xc0|lo
		binary.LittleEndian.PutUint32(p[3:], uint32(v))
		b.commit(7)
		return
	}
	p[1] = 0xb8 | lo
	binary.LittleEndian.PutUint64(p[2:], v)
	b.commit(10)
}

// MovImmFlags is MovImm that may change the flags: zero becomes XOR.
func (b *Buffer) MovImmFlags(dst Reg, v uint64) {
	if v == 0 {
		b.RR(XORL, dst, dst)
		return
	}
	b.MovImm(dst, v)
}

// Zero clears dst and changes the flags.
func (b *Buffer) Zero(dst Reg) { b.RR(XORL, dst, dst) }
