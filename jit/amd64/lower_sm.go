package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// SM3 (GB/T 32905-2016) and SM4 (GB/T 32907-2016), which the host has no instructions
// for. SM3 does its rounds in the top lanes, where A64 has A and E.

// lowerSM3SS1: (A <<< 12 + E + T) <<< 7 in the top lane, zeros below.
func lowerSM3SS1(c *compiler, v ir.Value, in ir.Inst) {
	n, m, a := c.useX(in.A()), c.useX(in.B()), c.useX(in.C())
	d := c.defX(v)
	t := c.tempX()
	c.rotateLeft32(d, n, 12)
	c.v3(x64.PADDD, d, d, m)
	c.v3(x64.PADDD, d, d, a)
	c.rotateLeft32(t, d, 7)
	c.v3m(x64.PAND, d, t, c.b.Lit128(0, 0xffffffff<<32))
}

// sm3Round lowers SM3TT1A, SM3TT1B, SM3TT2A and SM3TT2B, which make of the words A to
// D, or E to H, top first, those of the next round.
func sm3Round(second, early bool) lowerFn {
	return func(c *compiler, v ir.Value, in ir.Inst) {
		x, n, m := c.useX(in.A()), c.useX(in.B()), c.useX(in.C())
		d := c.defX(v)
		b, e, t, u := c.tempX(), c.tempX(), c.tempX(), c.tempX()
		c.vsh(x64.PSLLDQ, b, x, 4) // B or F in the top lane
		c.vsh(x64.PSLLDQ, e, x, 8) // C or G
		switch {
		case early:
			c.v3(x64.PXOR, t, x, b)
			c.v3(x64.PXOR, t, t, e)
		case second:
			c.choose(t, x, b, e)
		default: // the majority: where A and B differ C decides
			c.v3(x64.PXOR, u, x, b)
			c.choose(t, u, e, x)
		}
		turn := uint8(19)
		if !second {
			turn = 9
			c.rotateLeft32(u, x, 12)
			c.v3(x64.PXOR, u, u, n)
			c.v3(x64.PADDD, t, t, u) // SS2
		} else {
			c.v3(x64.PADDD, t, t, n) // SS1
		}
		c.vsh(x64.PSLLDQ, u, x, 12) // D or H
		c.v3(x64.PADDD, t, t, u)
		c.vsh(x64.PSLLDQ, u, m, 12) // the word of the message
		c.v3(x64.PADDD, t, t, u)
		if second { // P0
			c.rotateLeft32(u, t, 9)
			c.rotateLeft32(e, t, 17)
			c.xor3(t, u, e)
		}
		c.vsh(x64.PSRLDQ, b, x, 4)
		c.rotateLeft32(e, b, turn)
		c.v3i(x64.PBLENDW, b, b, e, 0x0c)
		c.v3i(x64.PBLENDW, d, b, t, 0xc0)
	}
}

// sm3P1 emits d ^= P1(a), P1(x) = x ^ x<<<15 ^ x<<<23; t is scratch.
func (c *compiler) sm3P1(d, a, t x64.Xmm) {
	c.v3(x64.PXOR, d, d, a)
	c.rotateLeft32(t, a, 15)
	c.v3(x64.PXOR, d, d, t)
	c.rotateLeft32(t, a, 23)
	c.v3(x64.PXOR, d, d, t)
}

// sm3Top emits d ^= P1(lane 0 of a <<< 15) in the top lane; t and u are scratch.
func (c *compiler) sm3Top(d, a, t, u x64.Xmm) {
	c.vsh(x64.PSLLDQ, t, a, 12)
	c.rotateLeft32(u, t, 15)
	c.sm3P1(d, u, t)
}

// lowerSM3PartW1: P1(first ^ second ^ (third's next lane <<< 15)). In the top lane,
// which has no next, it is the result's lane 0 that takes its place; P1 is linear.
func lowerSM3PartW1(c *compiler, v ir.Value, in ir.Inst) {
	a, n, m := c.useX(in.A()), c.useX(in.B()), c.useX(in.C())
	d := c.defX(v)
	t, u := c.tempX(), c.tempX()
	c.vsh(x64.PSRLDQ, t, m, 4)
	c.rotateLeft32(u, t, 15)
	c.v3(x64.PXOR, u, u, a)
	c.v3(x64.PXOR, u, u, n)
	c.vzero(d)
	c.sm3P1(d, u, t)
	w := c.tempX()
	c.vmov(u, d)
	c.sm3Top(d, u, t, w)
}

// lowerSM3PartW2: first ^ second ^ third <<< 7, and what lane 0 of the latter two
// means for the top lane.
func lowerSM3PartW2(c *compiler, v ir.Value, in ir.Inst) {
	a, n, m := c.useX(in.A()), c.useX(in.B()), c.useX(in.C())
	d := c.defX(v)
	t, u, w := c.tempX(), c.tempX(), c.tempX()
	c.rotateLeft32(u, m, 7)
	c.v3(x64.PXOR, u, u, n)
	c.v3(x64.PXOR, d, a, u)
	c.sm3Top(d, u, t, w)
}

// The substitution of SM4 is affine, inverse, affine in a field of polynomials modulo
// x^8+x^7+x^6+x^5+x^4+x^2+1. AES inverts in another field of 256 elements, and all of
// those are isomorphic: with the isomorphism as part of the affine maps, the inverse
// can be that of AES, or AES's substitution without its affine map. As matrices of
// GF2P8AFFINEQB and as tables of PSHUFB for the lower and the upper four bits.
const (
	sm4Pre, sm4PreAdd   = 0x4c287db91a22505d, 0x3e
	sm4Post, sm4PostAdd = 0xf3ab34a974a6b589, 0xd3
)

type nibbleTables struct{ low, high [2]uint64 }

var (
	sm4PreTables = nibbleTables{
		[2]uint64{0x078b37bb820eb23e, 0x9814a8241d912da1}, [2]uint64{0x37eb19c5f22edc00, 0x3fe311cdfa26d408}}
	sm4PostTables = nibbleTables{ // of the result of AES's substitution
		[2]uint64{0x2098ea521ea6d46c, 0x47ff8d3579c1b30b}, [2]uint64{0x2dcd7d9db050e000, 0xed0dbd5d709020c0}}
)

// byNibbles emits d = the map of tables on the bytes of a; d is not a, t is scratch.
func (c *compiler) byNibbles(d, a, t x64.Xmm, tables *nibbleTables) {
	table := func(x x64.Xmm, halves [2]uint64) { c.vload(x, c.b.Lit128(halves[0], halves[1])) }
	index := c.tempX()
	c.v3m(x64.PAND, index, a, c.splat(0, 0x0f))
	table(d, tables.low)
	c.v3(x64.PSHUFB, d, d, index)
	c.vsh(x64.PSRLD, index, a, 4)
	c.v3m(x64.PAND, index, index, c.splat(0, 0x0f))
	table(t, tables.high)
	c.v3(x64.PSHUFB, t, t, index)
	c.v3(x64.PXOR, d, d, t)
}

// sm4Substitute emits d = the substitution of the bytes of a; both change.
func (c *compiler) sm4Substitute(d, a, t x64.Xmm) {
	if c.gfni() {
		c.v3is(x64.GF2P8AFFINEQB, d, a, inMem(c.splat(3, sm4Pre)), sm4PreAdd)
		c.v3is(x64.GF2P8AFFINEINVQB, d, d, inMem(c.splat(3, sm4Post)), sm4PostAdd)
		return
	}
	locks := c.x.Locks()
	c.byNibbles(d, a, t, &sm4PreTables)
	c.x.SetLocks(locks)
	c.vzero(t)
	c.v3(x64.AESENCLAST, d, d, t)
	// Undo ShiftRows.
	c.v3m(x64.PSHUFB, d, d, c.b.Lit128(0x0b0e0104070a0d00, 0x0306090c0f020508))
	c.byNibbles(a, d, t, &sm4PostTables)
	c.x.SetLocks(locks)
	c.vmov(d, a)
}

// lowerSM4 lowers SM4E and SM4EKEY: four rounds, each of which adds the substituted
// and mixed sum of three words and a key to the fourth.
func lowerSM4(key bool) lowerFn {
	return func(c *compiler, v ir.Value, in ir.Inst) {
		if !c.feat.Has(x64.AES) && !c.gfni() {
			viaGo(c, v, in)
			return
		}
		k := c.copyTemp(in.B())
		d := c.copyX(v, in.A())
		s, b, t := c.tempX(), c.tempX(), c.tempX()
		for round := range 4 {
			c.vsh(x64.PSRLDQ, s, d, 4)
			c.v3(x64.PXOR, s, s, k)
			c.vsh(x64.PSRLDQ, t, d, 8)
			c.v3(x64.PXOR, s, s, t)
			c.vsh(x64.PSRLDQ, t, d, 12)
			c.v3(x64.PXOR, s, s, t)
			c.sm4Substitute(b, s, t)
			if key {
				c.rotateLeft32(s, b, 13)
				c.rotateLeft32(t, b, 23)
				c.xor3(b, s, t)
			} else {
				c.sm4Mix(b, s, t)
			}
			c.v3(x64.PXOR, b, b, d)
			c.v3i(x64.PALIGNR, b, b, d, 4)
			c.vmov(d, b)
			if round < 3 {
				c.vsh(x64.PSRLDQ, k, k, 4)
			}
		}
	}
}

// sm4Mix emits b ^= b<<<2 ^ b<<<10 ^ b<<<18 ^ b<<<24.
func (c *compiler) sm4Mix(b, s, t x64.Xmm) {
	by8, by16, by24 := c.rotatedBytes(1), c.rotatedBytes(2), c.rotatedBytes(3)
	c.v3m(x64.PSHUFB, s, b, by8)
	c.v3(x64.PXOR, s, s, b)
	c.v3m(x64.PSHUFB, t, b, by16)
	c.v3(x64.PXOR, s, s, t)
	c.rotateLeft32(t, s, 2)
	c.v3m(x64.PSHUFB, s, b, by24)
	c.xor3(b, s, t)
}

// rotatedBytes is the table of PSHUFB that rotates words left by n bytes.
func (c *compiler) rotatedBytes(n int) x64.Mem {
	var half [2]uint64
	for i := range 16 {
		from := i&^3 | (i-n)&3
		half[i/8] |= uint64(from) << (i % 8 * 8)
	}
	return c.b.Lit128(half[0], half[1])
}

// copyTemp is a scratch register with the vector a.
func (c *compiler) copyTemp(a ir.Value) x64.Xmm {
	x := c.useX(a)
	t := c.tempX()
	c.vmov(t, x)
	return t
}
