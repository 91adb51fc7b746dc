package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// interleave lowers ZIP1 and ZIP2.
func interleave(ops laneOps) lowerFn {
	return func(c *compiler, v ir.Value, in ir.Inst) {
		c.bin(v, ops[c.laneOf(v)], in.A(), in.B())
	}
}

// lowerUzp: the even (UZP1) or odd (UZP2) lanes of both. A UZP1 does the UZP2 of
// the same vectors that follows it, as LD2 and LD4 have them: each vector sorted
// into even and odd lanes, then the halves joined.
func lowerUzp(c *compiler, v ir.Value, in ir.Inst) {
	if c.lowered(v) || c.multipliesParts(v, in) && c.later(v) {
		return
	}
	w := c.laneOf(v)
	odd := 0
	if in.Op() == ir.OpUzp2 {
		odd = 1
	}
	switch {
	case w == 3:
		c.bin(v, [2]x64.Op{x64.PUNPCKLQDQ, x64.PUNPCKHQDQ}[odd], in.A(), in.B())
		return
	case c.root(in.A()) == c.root(in.B()):
		c.binS(v, x64.PSHUFB, in.A(), inMem(c.byteMap(func(i int) int { return unzipByte(w, i&7, odd) })))
		return
	case c.isZeroX(in.B()):
		c.binS(v, x64.PSHUFB, in.A(), inMem(c.byteMap(func(i int) int {
			if i >= 8 {
				return -1
			}
			return unzipByte(w, i, odd)
		})))
		return
	}
	a, b := c.useX(in.A()), c.useX(in.B())
	odds, pair := c.ahead(v, func(u ir.Inst) bool {
		return u.Op() == ir.OpUzp2 && c.laneOf(u.A()) == w && c.root(u.A()) == c.root(in.A()) && c.root(u.B()) == c.root(in.B())
	})
	if odd == 1 || !pair || w == 2 {
		c.unzip(w, odd, c.defX(v), a, b)
		return
	}
	d, e, t := c.defX(v), c.defX(odds), c.tempX()
	sort := c.byteMap(func(i int) int { return unzipByte(w, i&7, i>>3) })
	c.v3m(x64.PSHUFB, d, a, sort)
	c.v3m(x64.PSHUFB, t, b, sort)
	c.v3(x64.PUNPCKHQDQ, e, d, t)
	c.v3(x64.PUNPCKLQDQ, d, d, t)
}

// unzipByte is the byte of a vector that becomes byte i of its even or odd lanes.
func unzipByte(w, i, odd int) int {
	lane, at := i>>w, i&(1<<w-1)
	return (2*lane+odd)<<w + at
}

// unzip emits UZP1 or UZP2. d is neither a nor b.
func (c *compiler) unzip(w, odd int, d, a, b x64.Xmm) {
	locks := c.x.Locks()
	switch {
	case w == 3:
		c.v3([2]x64.Op{x64.PUNPCKLQDQ, x64.PUNPCKHQDQ}[odd], d, a, b)
	case w == 2:
		c.v3i(x64.SHUFPS, d, a, b, [2]uint8{0x88, 0xdd}[odd])
	case odd == 1:
		t := c.tempX()
		c.vsh(shrOps[w+1], d, a, uint8(8<<w))
		c.vsh(shrOps[w+1], t, b, uint8(8<<w))
		c.v3([2]x64.Op{x64.PACKUSWB, x64.PACKUSDW}[w], d, d, t)
	default:
		t := c.tempX()
		low := c.splat(w+1, 1<<(8<<w)-1)
		c.v3m(x64.PAND, d, a, low)
		c.v3m(x64.PAND, t, b, low)
		c.v3([2]x64.Op{x64.PACKUSWB, x64.PACKUSDW}[w], d, d, t)
	}
	c.x.SetLocks(locks)
}

// lowerTrn: the even (TRN1) or odd (TRN2) lanes of both, interleaved.
func lowerTrn(c *compiler, v ir.Value, in ir.Inst) {
	w := c.laneOf(v)
	odd := in.Op() == ir.OpTrn2
	if w == 3 {
		op := x64.PUNPCKLQDQ
		if odd {
			op = x64.PUNPCKHQDQ
		}
		c.bin(v, op, in.A(), in.B())
		return
	}
	a, b := c.useX(in.A()), c.useX(in.B())
	d := c.defX(v)
	// Move one source's lanes beside those of the other and merge.
	n := uint8(8 << w)
	move, keep, moved := shlOps[w+1], a, b
	if odd {
		move, keep, moved = shrOps[w+1], b, a
	}
	c.vsh(move, d, moved, n)
	if w > 0 {
		mask := [3]uint8{1: 0xaa, 2: 0xcc}[w] // 16-bit lanes that come from b
		if odd {
			c.v3i(x64.PBLENDW, d, d, keep, mask)
		} else {
			c.v3i(x64.PBLENDW, d, d, keep, ^mask)
		}
		return
	}
	m := c.splat(1, 0x00ff)
	if odd {
		m = c.splat(1, 0xff00)
	}
	if c.evex() {
		c.tern(d, keep, inMem(m), 0xf8) // d | keep & m: the moved lanes left zeros
		return
	}
	t := c.tempX()
	c.v3m(x64.PAND, t, keep, m)
	c.v3(x64.POR, d, d, t)
}

// lowerExt: 16 bytes out of second:first.
func lowerExt(c *compiler, v ir.Value, in ir.Inst) {
	n := uint8(c.f.ImmOf(in.C()))
	a, b := in.A(), in.B()
	switch {
	case n == 0:
		c.same(v, a)
		return
	case c.isZeroX(b) && c.avx():
		x := c.useX(a)
		c.vsh(x64.PSRLDQ, c.overX(v, a, ir.None), x, n)
		return
	case c.root(a) == c.root(b) && n&3 == 0:
		x := c.useX(a)
		var imm uint8
		for i := range uint8(4) {
			imm |= (i + n/4) & 3 << (2 * i)
		}
		c.v2i(x64.PSHUFD, c.overX(v, a, ir.None), x, imm)
		return
	case !c.avx():
		x := c.useX(a)
		c.b.XXI(x64.PALIGNR, c.copyX(v, b), x, n)
		return
	}
	y := c.useX(b)
	x := c.srcX(a)
	c.v3is(x64.PALIGNR, c.overX(v, a, b), y, x, n)
}

// lowerTbl: PSHUFB gives zero for an index with bit 7 set, and ignores bits 4
// to 6. A saturating addition of 0x70 sets bit 7 for every index above 15.
func lowerTbl(c *compiler, v ir.Value, in ir.Inst) {
	if lo, hi, ok := c.constX(in.B()); ok {
		q := [2]uint64{lo, hi}
		c.binS(v, x64.PSHUFB, in.A(), inMem(c.byteMap(func(i int) int {
			if n := int(q[i/8] >> (i % 8 * 8) & 0xff); n < 16 {
				return n
			}
			return -1
		})))
		return
	}
	table, index := c.useX(in.A()), c.useX(in.B())
	d := c.defX(v)
	if c.avx() {
		c.v3m(x64.PADDUSB, d, index, c.splat(0, 0x70))
		c.v3(x64.PSHUFB, d, table, d)
		return
	}
	t := c.tempX()
	c.v3m(x64.PADDUSB, t, index, c.splat(0, 0x70))
	c.v3(x64.PSHUFB, d, table, t)
}

// lowerBsl: one VPTERNLOG over the operand that ends here, whichever it is.
func lowerBsl(c *compiler, v ir.Value, in ir.Inst) {
	m, yes, no := in.A(), in.B(), in.C()
	if lo, hi, ok := c.constX(m); ok {
		c.blend(v, [2]uint64{lo, hi}, yes, no)
		return
	}
	if c.evex() {
		switch {
		case c.canTake(yes) && !c.canTake(m):
			x := c.useX(m)
			s := c.srcX(no)
			c.tern(c.copyX(v, yes), x, s, 0xe2) // a ? d : b
		case c.canTake(no) && !c.canTake(m):
			x := c.useX(m)
			s := c.srcX(yes)
			c.tern(c.copyX(v, no), x, s, 0xb8) // a ? b : d
		default:
			x := c.useX(yes)
			s := c.srcX(no)
			c.tern(c.copyX(v, m), x, s, 0xca) // d ? a : b
		}
		return
	}
	x := c.useX(m)
	y, z := c.srcX(yes), c.srcX(no)
	d, t := c.defX(v), c.tempX()
	c.v3s(x64.PAND, t, x, y)
	c.v3s(x64.PANDN, d, x, z)
	c.v3(x64.POR, d, d, t)
}

// blend lowers v = mask ? yes : no for a constant mask.
func (c *compiler) blend(v ir.Value, mask [2]uint64, yes, no ir.Value) {
	if imm, ok := blendLanes(mask); ok {
		y := c.useX(yes)
		if !c.avx() {
			d := c.copyX(v, no)
			c.v3i(x64.PBLENDW, d, d, y, imm)
			return
		}
		x := c.useX(no)
		c.v3i(x64.PBLENDW, c.overX(v, no, yes), x, y, imm)
		return
	}
	m := inMem(c.b.Lit128(mask[0], mask[1]))
	switch {
	case c.evex() && c.canTake(no) && !c.canTake(yes):
		x := c.useX(yes)
		c.tern(c.copyX(v, no), x, m, 0xd8) // b ? a : d
	case c.evex():
		x := c.useX(no)
		c.tern(c.copyX(v, yes), x, m, 0xe4) // b ? d : a
	default:
		y, z := c.useX(yes), c.useX(no)
		d, t := c.defX(v), c.tempX()
		c.v3m(x64.PAND, t, y, m.m)
		c.v3m(x64.PAND, d, z, c.b.Lit128(^mask[0], ^mask[1]))
		c.v3(x64.POR, d, d, t)
	}
}

// blendLanes returns the immediate of PBLENDW for a mask of whole 16-bit lanes.
func blendLanes(mask [2]uint64) (imm uint8, ok bool) {
	for lane := range 8 {
		switch uint16(mask[lane/4] >> (lane % 4 * 16)) {
		case 0xffff:
			imm |= 1 << lane
		case 0:
		default:
			return 0, false
		}
	}
	return imm, true
}
