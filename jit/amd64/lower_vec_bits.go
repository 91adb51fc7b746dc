package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// nibbles looks bytes up by their nibbles with PSHUFB: lo = low[a & 15] and
// hi = high[a >> 4].
func (c *compiler) nibbles(lo, hi, a x64.Xmm, low, high func(n int) int) {
	locks := c.x.Locks()
	t := c.tempX()
	mask := c.splat(0, 0x0f)
	c.vload(lo, c.byteMap(low))
	c.v3m(x64.PAND, t, a, mask)
	c.v3(x64.PSHUFB, lo, lo, t)
	c.vload(hi, c.byteMap(high))
	c.vsh(x64.PSRLW, t, a, 4)
	c.v3m(x64.PAND, t, t, mask)
	c.v3(x64.PSHUFB, hi, hi, t)
	c.x.SetLocks(locks)
}

// clz4 counts the leading zeros of a nibble.
func clz4(n int) int {
	k := 4
	for ; n != 0; n >>= 1 {
		k--
	}
	return k
}

// vclz emits the leading zeros of the lanes of a. d is not a.
func (c *compiler) vclz(w int, d, a x64.Xmm) {
	if w >= 2 && c.feat.Has(x64.EVEX128|x64.AVX512CD) {
		c.b.XX([4]x64.Op{2: x64.VPLZCNTD, 3: x64.VPLZCNTQ}[w], d, a)
		return
	}
	locks := c.x.Locks()
	t := c.tempX()
	// Bytes: the upper nibble's count, or 4 and the lower nibble's. Where the
	// upper one is not zero its count is the smaller of the two.
	c.nibbles(t, d, a, func(n int) int { return 4 + clz4(n) }, func(n int) int {
		if n == 0 {
			return 8
		}
		return clz4(n)
	})
	c.v3(x64.PMINUB, d, d, t)
	// Wider lanes: the upper half's count, and the lower half's if that is all
	// zeros.
	u := c.tempX()
	for n := range w {
		half := uint8(8 << n)
		c.vzero(t)
		c.v3(eqOps[n], t, t, a)
		c.vsh(shrOps[n+1], t, t, half)
		c.v3(x64.PAND, t, t, d)
		c.vsh(shrOps[n+1], u, d, half)
		c.v3(addOps[n+1], d, u, t)
	}
	c.x.SetLocks(locks)
}

func lowerVClz(c *compiler, v ir.Value, in ir.Inst) {
	a := c.useX(in.A())
	c.vclz(c.laneOf(v), c.defX(v), a)
}

// lowerVCls counts the leading zeros of the complement if negative, less one for
// the sign bit.
func lowerVCls(c *compiler, v ir.Value, in ir.Inst) {
	w := c.laneOf(v)
	a := c.useX(in.A())
	d, t := c.defX(v), c.tempX()
	c.vzero(t)
	c.v3(gtOps[w], t, t, a)
	c.v3(x64.PXOR, t, t, a)
	c.vclz(w, d, t)
	c.v3m(addOps[w], d, d, c.ones())
}

// lowerVCtz: the bits below the lowest set one are ^a & (a - 1).
func lowerVCtz(c *compiler, v ir.Value, in ir.Inst) {
	w := c.laneOf(v)
	a := c.useX(in.A())
	d, t, u := c.defX(v), c.tempX(), c.tempX()
	c.v3m(addOps[w], t, a, c.ones())
	c.v3(x64.PANDN, u, a, t)
	c.vclz(w, t, u)
	c.vload(d, c.splat(w, 8<<w))
	c.v3(subOps[w], d, d, t)
}

func popcnt4(n int) int { return n&1 + n>>1&1 + n>>2&1 + n>>3 }

func lowerVPopcnt(c *compiler, v ir.Value, in ir.Inst) {
	w := c.laneOf(v)
	need, op := x64.AVX512BITALG, [4]x64.Op{x64.VPOPCNTB, x64.VPOPCNTW, x64.VPOPCNTD, x64.VPOPCNTQ}[w]
	if w >= 2 {
		need = x64.AVX512VPOPCNTDQ
	}
	a := c.useX(in.A())
	if c.feat.Has(x64.EVEX128 | need) {
		c.b.XX(op, c.overX(v, in.A(), ir.None), a)
		return
	}
	d, t := c.defX(v), c.tempX()
	c.nibbles(d, t, a, popcnt4, popcnt4)
	c.v3(x64.PADDB, d, d, t)
	switch {
	case w == 3: // sums of eight bytes
		c.vzero(t)
		c.v3(x64.PSADBW, d, d, t)
	case w >= 1: // products with 1, added pairwise
		c.v3m(x64.PMADDUBSW, d, d, c.splat(0, 1))
		if w == 2 {
			c.v3m(x64.PMADDWD, d, d, c.splat(1, 1))
		}
	}
}

// reverse4 reverses the bits of a nibble.
func reverse4(n int) int { return n&1<<3 | n&2<<1 | n&4>>1 | n>>3 }

func lowerVRBit(c *compiler, v ir.Value, in ir.Inst) {
	w := c.laneOf(v)
	if w == 0 && c.gfni() {
		m := byteMatrix(func(i int) uint8 { return 0x80 >> i })
		s := inMem(c.splat(3, m))
		if c.avx() {
			a := c.useX(in.A())
			c.v3is(x64.GF2P8AFFINEQB, c.overX(v, in.A(), ir.None), a, s, 0)
			return
		}
		d := c.copyX(v, in.A())
		c.v3is(x64.GF2P8AFFINEQB, d, d, s, 0)
		return
	}
	a := c.useX(in.A())
	d, t := c.defX(v), c.tempX()
	c.nibbles(d, t, a, func(n int) int { return reverse4(n) << 4 }, reverse4)
	c.v3(x64.POR, d, d, t)
	if w > 0 {
		c.v3m(x64.PSHUFB, d, d, c.reversed(0, 8<<w))
	}
}

// reversed is the PSHUFB control that reverses the lanes within containers of n
// bits.
func (c *compiler) reversed(w, n int) x64.Mem {
	per := n / (8 << w)
	return c.byteMap(func(i int) int {
		lane, at := i>>w, i&(1<<w-1)
		return (lane/per*per+per-1-lane%per)<<w + at
	})
}

func lowerVRev(c *compiler, v ir.Value, in ir.Inst) {
	w, n := c.laneOf(v), int(c.f.ImmOf(in.B()))
	if w == 2 && n == 64 {
		x := c.useX(in.A())
		c.v2i(x64.PSHUFD, c.overX(v, in.A(), ir.None), x, 0xb1)
		return
	}
	c.binS(v, x64.PSHUFB, in.A(), inMem(c.reversed(w, n)))
}

// lowerVBitfield lowers UBFX and SBFX: the field moved to the top, then down.
func lowerVBitfield(c *compiler, v ir.Value, in ir.Inst) {
	w := c.laneOf(v)
	lsb, size := int(c.f.ImmOf(in.B())), int(c.f.ImmOf(in.C()))
	k := shiftRightU
	if in.Op() == ir.OpSbfx {
		k = shiftRightS
	}
	a := c.useX(in.A())
	d := c.defX(v)
	c.vshift(shiftLeft, w, d, a, 8<<w-lsb-size)
	c.vshift(k, w, d, d, 8<<w-size)
}

func lowerVBfi(c *compiler, v ir.Value, in ir.Inst) {
	w := c.laneOf(v)
	k := int(c.f.ImmOf(in.C()))
	lsb, mask := k>>8, uint64(1)<<(k&0xff)-1
	a, b := c.useX(in.A()), c.useX(in.B())
	d, t := c.defX(v), c.tempX()
	c.vshift(shiftLeft, w, t, b, lsb)
	c.v3m(x64.PAND, t, t, c.splat(w, mask<<lsb))
	c.v3m(x64.PAND, d, a, c.splat(w, ^(mask<<lsb)))
	c.v3(x64.POR, d, d, t)
}
