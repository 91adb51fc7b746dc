package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// Predicates, one bit for each byte of a vector, to and from vectors.

// lowerLaneMask: the predicate in all lanes, of which each looks at its bit.
func lowerLaneMask(c *compiler, v ir.Value, in ir.Inst) {
	w := c.laneOf(v)
	r := c.useR(in.A())
	d := c.defX(v)
	if c.evex() {
		if w == 0 {
			c.b.KR(x64.KMOVWR, x64.K1, r)
			c.b.XK(x64.VPMOVM2B, d, x64.K1)
			return
		}
		// The bit becomes the sign, and that all of the lane.
		c.b.XR([4]x64.Op{1: x64.VPBROADCASTWR, x64.VPBROADCASTDR, x64.VPBROADCASTQR}[w], d, r)
		c.b.XXM(sllvOps[w], d, d, c.laneNumbers(w, func(lane int) uint64 { return uint64(8<<w - 1 - lane<<w) }))
		c.b.XXI([4]x64.Op{1: x64.VPSRAW, x64.VPSRAD, x64.VPSRAQ}[w], d, d, uint8(8<<w-1))
		return
	}
	move := x64.MOVDX
	if c.avx() {
		move = vexOf(move)
	}
	c.b.XR(move, d, r)
	bit := func(lane int) uint64 { return 1 << (lane << w) }
	switch {
	case w == 0:
		c.v3m(x64.PSHUFB, d, d, c.byteMap(func(i int) int { return i / 8 }))
		bit = func(lane int) uint64 { return 1 << (lane % 8) }
	case w == 1 && !c.avx2():
		c.v3m(x64.PSHUFB, d, d, c.byteMap(func(i int) int { return i % 2 }))
	case w == 3: // the upper half is zero
		c.v2i(x64.PSHUFD, d, d, 0x44)
	default:
		c.broadcast(w, d, d)
	}
	bits := c.laneNumbers(w, bit)
	c.v3m(x64.PAND, d, d, bits)
	c.v3m(eqOps[w], d, d, bits)
}

// laneNumbers is a literal of numbers, which fn gives, in lanes of 8<<w bits.
func (c *compiler) laneNumbers(w int, fn func(lane int) uint64) x64.Mem {
	var q [2]uint64
	for lane := range 16 >> w {
		at := lane << w
		q[at/8] |= fn(lane) << (at % 8 * 8)
	}
	return c.b.Lit128(q[0], q[1])
}

// lowerTopBits: each lane's last byte goes to where its first one is, and all others are
// cleared.
func lowerTopBits(c *compiler, v ir.Value, in ir.Inst) {
	w := c.laneOf(in.A())
	x := c.useX(in.A())
	r := c.defR(v)
	if w > 0 {
		t := c.tempX()
		last := 1<<w - 1
		c.v3m(x64.PSHUFB, t, x, c.byteMap(func(i int) int {
			if i&last != 0 {
				return -1
			}
			return i + last
		}))
		x = t
	}
	op := x64.PMOVMSKB
	if c.avx() {
		op = vexOf(op)
	}
	c.b.RX(op, r, x)
	c.zero(v, 16)
}
