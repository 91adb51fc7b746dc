package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// lowerVDup: all lanes from a scalar.
func lowerVDup(c *compiler, v ir.Value, in ir.Inst) {
	a := in.A()
	w := c.laneOf(v)
	if k, ok := c.constI(a); ok {
		n := repeat(w, k)
		d := c.defX(v)
		if n == 0 {
			c.vzero(d)
			return
		}
		c.vload(d, c.b.Lit128(n, n))
		return
	}
	if c.f.TypeOf(a).InXMM() {
		x := c.useX(a)
		c.broadcast(w, c.overX(v, a, ir.None), x)
		return
	}
	r := c.useR(a)
	d := c.defX(v)
	switch {
	case c.evex():
		c.b.XR([4]x64.Op{x64.VPBROADCASTBR, x64.VPBROADCASTWR, x64.VPBROADCASTDR, x64.VPBROADCASTQR}[w], d, r)
		return
	case c.avx():
		c.b.XR([4]x64.Op{x64.VMOVDX, x64.VMOVDX, x64.VMOVDX, x64.VMOVQXR}[w], d, r)
	default:
		c.b.XR([4]x64.Op{x64.MOVDX, x64.MOVDX, x64.MOVDX, x64.MOVQXR}[w], d, r)
	}
	c.broadcast(w, d, d)
}

// broadcast copies lane 0 of a to all lanes of d.
func (c *compiler) broadcast(w int, d, a x64.Xmm) {
	switch {
	case c.avx2():
		c.b.XX([4]x64.Op{x64.VPBROADCASTB, x64.VPBROADCASTW, x64.VPBROADCASTD, x64.VPBROADCASTQ}[w], d, a)
	case w == 3:
		c.v2i(x64.PSHUFD, d, a, 0x44)
	case w == 2:
		c.v2i(x64.PSHUFD, d, a, 0)
	case w == 1:
		c.v2i(x64.PSHUFLW, d, a, 0)
		c.v2i(x64.PSHUFD, d, d, 0)
	default:
		c.v3m(x64.PSHUFB, d, a, c.b.Lit128(0, 0))
	}
}

// lowerVDupL: all lanes from one lane.
func lowerVDupL(c *compiler, v ir.Value, in ir.Inst) {
	a, n := in.A(), int(c.f.ImmOf(in.B()))
	w := c.laneOf(v)
	if w < 2 && (n != 0 || !c.avx2()) {
		c.binS(v, x64.PSHUFB, a, inMem(c.byteMap(func(i int) int { return n<<w | i&(1<<w-1) })))
		return
	}
	x := c.useX(a)
	d := c.overX(v, a, ir.None)
	switch {
	case n == 0:
		c.broadcast(w, d, x)
	case w == 2:
		c.v2i(x64.PSHUFD, d, x, uint8(n*0x55))
	default:
		c.v2i(x64.PSHUFD, d, x, 0xee)
	}
}

// lowerVSet: a scalar put into a lane.
func lowerVSet(c *compiler, v ir.Value, in ir.Inst) {
	a, b, n := in.A(), in.B(), int(c.f.ImmOf(in.C()))
	w := c.laneOf(v)
	if c.f.TypeOf(b).InXMM() {
		c.insertLane(v, w, a, b, n, 0)
		return
	}
	r := c.useR(b)
	if !c.avx() {
		op := [4]x64.Op{x64.PINSRB, x64.PINSRW, x64.PINSRD, x64.PINSRQ}[w]
		c.b.XRI(op, c.copyX(v, a), r, uint8(n))
		return
	}
	op := [4]x64.Op{x64.VPINSRB, x64.VPINSRW, x64.VPINSRD, x64.VPINSRQ}[w]
	x := c.useX(a)
	c.b.XXRI(op, c.overX(v, a, ir.None), x, r, uint8(n))
}

// lowerVInsL: a lane put into another vector's lane.
func lowerVInsL(c *compiler, v ir.Value, in ir.Inst) {
	k := int(c.f.ImmOf(in.C()))
	c.insertLane(v, c.laneOf(v), in.A(), in.B(), k>>4, k&15)
}

// insertLane lowers v = a with lane to replaced by lane from of b.
func (c *compiler) insertLane(v ir.Value, w int, a, b ir.Value, to, from int) {
	if w < 2 && to != from {
		c.insertNarrow(v, w, a, b, to, from)
		return
	}
	if w == 0 { // the byte stays in its place: a mask
		x, y := c.useX(a), c.useX(b)
		var m [2]uint64
		m[to/8] = 0xff << (to % 8 * 8)
		d := c.defX(v)
		mask := c.tempX()
		c.vload(mask, c.b.Lit128(m[0], m[1]))
		c.vselect(d, mask, y, x)
		return
	}
	y := c.useX(b)
	var x, d x64.Xmm
	if c.avx() {
		x = c.useX(a)
		d = c.overX(v, a, b)
	} else {
		d = c.copyX(v, a)
		x = d
	}
	switch {
	case w == 1:
		c.v3i(x64.PBLENDW, d, x, y, 1<<to)
	case w == 2 && to == from:
		c.v3i(x64.PBLENDW, d, x, y, 3<<(2*to))
	case w == 2:
		c.v3i(x64.INSERTPS, d, x, y, uint8(from<<6|to<<4))
	case to == from:
		c.v3i(x64.PBLENDW, d, x, y, 0x0f<<(4*to))
	case to == 1: // low half of a, low half of b
		c.v3(x64.PUNPCKLQDQ, d, x, y)
	case c.avx(): // high half of b, high half of a
		c.b.XXX(x64.VPUNPCKHQDQ, d, y, x)
	default: // replace the low half of a by the high half of b
		c.b.XX(x64.MOVHLPS, d, y)
	}
}

// insertNarrow moves a byte or 16-bit lane by way of a general register.
func (c *compiler) insertNarrow(v ir.Value, w int, a, b ir.Value, to, from int) {
	y := c.useX(b)
	r := c.tempR()
	out := [2]x64.Op{x64.PEXTRB, x64.PEXTRW}[w]
	into := [2]x64.Op{x64.PINSRB, x64.PINSRW}[w]
	if !c.avx() {
		c.b.RXI(out, r, y, uint8(from))
		c.b.XRI(into, c.copyX(v, a), r, uint8(to))
		return
	}
	c.b.RXI(vexOf(out), r, y, uint8(from))
	x := c.useX(a)
	c.b.XXRI(vexOf(into), c.overX(v, a, b), x, r, uint8(to))
}

// lowerVCombine: the low halves of both.
func lowerVCombine(c *compiler, v ir.Value, in ir.Inst) {
	if c.isZeroX(in.B()) {
		x := c.useX(in.A())
		c.v2(x64.MOVQX, c.overX(v, in.A(), ir.None), x)
		return
	}
	c.bin(v, x64.PUNPCKLQDQ, in.A(), in.B())
}
