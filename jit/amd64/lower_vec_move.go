package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
	"emu/jit/host"
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

// lowerVGet: a lane as a scalar; lane 0 of floats is the vector itself. A VFROM
// or SHA-1 update that is the only user takes the lane itself.
func lowerVGet(c *compiler, v ir.Value, in ir.Inst) {
	a, t := in.A(), c.f.TypeOf(v)
	n := int(c.f.ImmOf(in.B()))
	if t.InXMM() && n == 0 && !c.root(a).IsConst() {
		c.alias(v, a)
		return
	}
	if c.movesLane(v, n) && !c.root(a).IsConst() && c.later(v) {
		return
	}
	if t.InXMM() {
		c.shiftDown(v, a, n*t.Bits()/8)
		if n == 128/t.Bits()-1 {
			c.zero(v, uint8(t.Bits()))
		}
		return
	}
	if c.onlyTravels(v) && !c.root(a).IsConst() {
		c.keepLazy(v, host.ComputeLane, 64*n, a, ir.None)
		return
	}
	w := laneIndex(t)
	x := c.useX(a)
	if n == 0 && w >= 2 {
		c.toScalar(v, x)
		return
	}
	op := [4]x64.Op{x64.PEXTRB, x64.PEXTRW, x64.PEXTRD, x64.PEXTRQ}[w]
	if c.avx() {
		op = vexOf(op)
	}
	c.b.RXI(op, c.defR(v), x, uint8(n))
	c.zero(v, uint8(t.Bits()))
}

// movesLane reports whether the only user of v, lane n of a vector, can take it
// from there.
func (c *compiler) movesLane(v ir.Value, n int) bool {
	u := c.vals[v].user
	if !u.IsSSA() {
		return false
	}
	switch in := c.f.Insts[u]; in.Op() {
	case ir.OpVFrom:
		return true
	case ir.OpSHA1C, ir.OpSHA1P, ir.OpSHA1M:
		return n == 0 && in.B() == v && c.feat.Has(x64.SHA)
	}
	return false
}

// shiftDown lowers v = a shifted right by whole bytes.
func (c *compiler) shiftDown(v, a ir.Value, bytes int) {
	if !c.avx() {
		c.b.XI(x64.PSRLDQ, c.copyX(v, a), uint8(bytes))
		return
	}
	x := c.useX(a)
	c.vsh(x64.PSRLDQ, c.overX(v, a, ir.None), x, uint8(bytes))
}

// lowerVFrom: a scalar in lane 0, zeros above.
func lowerVFrom(c *compiler, v ir.Value, in ir.Inst) {
	a := in.A()
	t := c.f.TypeOf(a)
	c.zero(v, uint8(t.Bits()))
	if get, ok := c.waiting(a); ok && get.Op() == ir.OpVGet {
		c.lowestLane(v, laneIndex(t), get.A(), int(c.f.ImmOf(get.B())))
		return
	}
	switch {
	case !t.InXMM():
		c.toX(c.defX(v), a, t.Bits())
	case c.root(a).IsConst():
		k, _ := c.f.ConstOf(c.root(a))
		c.loadConstLow(c.defX(v), k.Lo)
	case int(c.zbits(a)) <= t.Bits():
		c.alias(v, a)
	case (t == ir.F64 || t == ir.F32) && c.onlySet(v):
		c.ready(a)
		c.keepLazy(v, host.ComputeLow, t.Bits(), a, ir.None)
	default:
		c.lowestLane(v, laneIndex(t), a, 0)
	}
}

// lowestLane lowers v = lane n of a in lane 0, zeros above.
func (c *compiler) lowestLane(v ir.Value, w int, a ir.Value, n int) {
	switch {
	case w < 2:
		c.binS(v, x64.PSHUFB, a, inMem(c.byteMap(func(i int) int {
			if i>>w != 0 {
				return -1
			}
			return n<<w + i
		})))
	case n == 16>>w-1:
		c.shiftDown(v, a, 16-1<<w)
	case w == 3:
		x := c.useX(a)
		c.v2(x64.MOVQX, c.overX(v, a, ir.None), x)
	default: // the mask clears lanes 1 to 3
		x := c.useX(a)
		d := c.overX(v, a, ir.None)
		if !c.avx() { // the destination's old value does not count
			c.b.XXI(x64.INSERTPS, d, x, uint8(n<<6|0x0e))
			return
		}
		c.b.XXXI(x64.VINSERTPS, d, x, x, uint8(n<<6|0x0e))
	}
}

// lowerVLow: the low half, zeros above.
func lowerVLow(c *compiler, v ir.Value, in ir.Inst) {
	c.zero(v, 64)
	if c.zbits(in.A()) <= 64 && !c.root(in.A()).IsConst() {
		c.alias(v, in.A())
		return
	}
	x := c.useX(in.A())
	c.v2(x64.MOVQX, c.overX(v, in.A(), ir.None), x)
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
