package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// shiftKind is what a shift does.
type shiftKind uint8

const (
	shiftLeft shiftKind = iota
	shiftRightU
	shiftRightS
)

// byteMatrix is the operand of GF2P8AFFINEQB that makes bit i of each byte the
// parity of the byte and row(i).
func byteMatrix(row func(i int) uint8) (m uint64) {
	for i := range 8 {
		m |= uint64(row(i)) << (8 * (7 - i))
	}
	return m
}

// shiftMatrix is the matrix of a shift of bytes by n.
func shiftMatrix(k shiftKind, n int) uint64 {
	return byteMatrix(func(i int) uint8 {
		from := i + n
		switch {
		case k == shiftLeft:
			from = i - n
		case k == shiftRightS:
			from = min(from, 7)
		}
		if from < 0 || from > 7 {
			return 0
		}
		return 1 << from
	})
}

// oneShift reports whether a shift by a constant below the lane width is one
// instruction.
func (c *compiler) oneShift(k shiftKind, w int) bool {
	return w == 0 && c.gfni() || w > 0 && (k != shiftRightS || w < 3 || c.evex())
}

// vshift emits the shift of a by n >= 0; amounts of the lane width and more give
// 0 or the sign. d may be a.
func (c *compiler) vshift(k shiftKind, w int, d, a x64.Xmm, n int) {
	width := 8 << w
	if n >= width {
		if k != shiftRightS {
			c.vzero(d)
			return
		}
		n = width - 1
	}
	switch {
	case n == 0:
		c.vmov(d, a)
	case w == 0 && c.gfni():
		c.v3is(x64.GF2P8AFFINEQB, d, a, inMem(c.splat(3, shiftMatrix(k, n))), 0)
	case w == 0 && n == 1 && k == shiftLeft:
		c.v3(x64.PADDB, d, a, a)
	case w == 0:
		c.shiftBytes(k, d, a, n)
	case k == shiftLeft:
		c.vsh(shlOps[w], d, a, uint8(n))
	case k == shiftRightU:
		c.vsh(shrOps[w], d, a, uint8(n))
	case w < 3:
		c.vsh(sarOps[w], d, a, uint8(n))
	case c.evex():
		c.b.XXI(x64.VPSRAQ, d, a, uint8(n))
	default:
		// The logical shift of the complement if negative.
		locks := c.x.Locks()
		s := c.tempX()
		c.vzero(s)
		c.v3(x64.PCMPGTQ, s, s, a)
		c.v3(x64.PXOR, d, a, s)
		c.vsh(x64.PSRLQ, d, d, uint8(n))
		c.v3(x64.PXOR, d, d, s)
		c.x.SetLocks(locks)
	}
}

// shiftBytes shifts 16-bit lanes and masks what crossed between bytes.
func (c *compiler) shiftBytes(k shiftKind, d, a x64.Xmm, n int) {
	if k == shiftLeft {
		c.vsh(x64.PSLLW, d, a, uint8(n))
		c.v3m(x64.PAND, d, d, c.splat(0, 0xff<<n))
		return
	}
	c.vsh(x64.PSRLW, d, a, uint8(n))
	c.v3m(x64.PAND, d, d, c.splat(0, 0xff>>n))
	if k == shiftRightS {
		sign := c.splat(0, 0x80>>n) // extend from here: (x ^ sign) - sign
		c.v3m(x64.PXOR, d, d, sign)
		c.v3m(x64.PSUBB, d, d, sign)
	}
}

// shiftBy lowers SHL, LSHR and ASHR: one amount for all lanes.
func shiftBy(k shiftKind) lowerFn {
	return func(c *compiler, v ir.Value, in ir.Inst) {
		w := c.laneOf(v)
		n, ok := c.constI(in.B())
		if !ok {
			c.shiftByReg(k, v, in)
			return
		}
		n = min(n, 64)
		if n == 0 {
			c.same(v, in.A())
			return
		}
		if !c.oneShift(k, w) {
			a := c.useX(in.A())
			c.vshift(k, w, c.defX(v), a, int(n))
			return
		}
		if !c.avx() {
			d := c.copyX(v, in.A())
			c.vshift(k, w, d, d, int(n))
			return
		}
		a := c.useX(in.A())
		c.vshift(k, w, c.overX(v, in.A(), ir.None), a, int(n))
	}
}

// shiftByReg shifts by an amount in a general register. The host's shifts take
// 64-bit amounts and saturate as wanted.
func (c *compiler) shiftByReg(k shiftKind, v ir.Value, in ir.Inst) {
	w := c.laneOf(v)
	r := c.useR(in.B())
	a := c.useX(in.A())
	d, n := c.defX(v), c.tempX()
	if c.avx() {
		c.b.XR(x64.VMOVQXR, n, r)
	} else {
		c.b.XR(x64.MOVQXR, n, r)
	}
	switch {
	case w == 0:
		c.shiftBytesByReg(k, d, a, n)
	case k == shiftLeft:
		c.v3(shlOps[w], d, a, n)
	case k == shiftRightU:
		c.v3(shrOps[w], d, a, n)
	case w < 3:
		c.v3(sarOps[w], d, a, n)
	case c.evex():
		c.b.XXX(x64.VPSRAQ, d, a, n)
	default:
		s := c.tempX()
		c.vzero(s)
		c.v3(x64.PCMPGTQ, s, s, a)
		c.v3(x64.PXOR, d, a, s)
		c.v3(x64.PSRLQ, d, d, n)
		c.v3(x64.PXOR, d, d, s)
	}
}

// shiftBytesByReg shifts the even and the odd bytes apart, as the lower and the
// upper halves of 16-bit lanes.
func (c *compiler) shiftBytesByReg(k shiftKind, d, a, n x64.Xmm) {
	t := c.tempX()
	even, odd := c.splat(1, 0x00ff), c.splat(1, 0xff00)
	switch k {
	case shiftLeft:
		c.v3(x64.PSLLW, t, a, n)
		c.v3m(x64.PAND, t, t, even)
		c.v3m(x64.PAND, d, a, odd)
		c.v3(x64.PSLLW, d, d, n)
	case shiftRightU:
		c.v3m(x64.PAND, t, a, even)
		c.v3(x64.PSRLW, t, t, n)
		c.v3(x64.PSRLW, d, a, n)
		c.v3m(x64.PAND, d, d, odd)
	default:
		c.vsh(x64.PSLLW, t, a, 8)
		c.v3(x64.PSRAW, t, t, n)
		c.vsh(x64.PSRLW, t, t, 8)
		c.v3(x64.PSRAW, d, a, n)
		c.v3m(x64.PAND, d, d, odd)
	}
	c.v3(x64.POR, d, d, t)
}

// lowerVRor rotates all lanes right by a constant.
func lowerVRor(c *compiler, v ir.Value, in ir.Inst) {
	w := c.laneOf(v)
	width := 8 << w
	n, ok := c.constI(in.B())
	if !ok {
		viaGo(c, v, in)
		return
	}
	k := int(n) & (width - 1)
	switch {
	case k == 0:
		c.same(v, in.A())
		return
	case w == 0 && c.gfni():
		m := byteMatrix(func(i int) uint8 { return 1 << ((i + k) & 7) })
		a := c.useX(in.A())
		c.v3is(x64.GF2P8AFFINEQB, c.defX(v), a, inMem(c.splat(3, m)), 0)
		return
	case w >= 2 && c.evex():
		a := c.useX(in.A())
		c.b.XXI([4]x64.Op{2: x64.VPRORD, 3: x64.VPRORQ}[w], c.overX(v, in.A(), ir.None), a, uint8(k))
		return
	case w == 1 && c.feat.Has(x64.EVEX128|x64.AVX512VBMI2):
		a := c.useX(in.A())
		c.b.XXXI(x64.VPSHRDW, c.overX(v, in.A(), ir.None), a, a, uint8(k))
		return
	case k&7 == 0:
		c.binS(v, x64.PSHUFB, in.A(), inMem(c.byteMap(func(i int) int {
			lane, at := i&^(width/8-1), i&(width/8-1)
			return lane + (at+k/8)&(width/8-1)
		})))
		return
	}
	a := c.useX(in.A())
	d, t := c.defX(v), c.tempX()
	c.vshift(shiftRightU, w, d, a, k)
	c.vshift(shiftLeft, w, t, a, width-k)
	c.v3(x64.POR, d, d, t)
}

// byteMap is the PSHUFB control that takes byte i of the result from byte
// from(i), or makes it zero where from(i) is negative.
func (c *compiler) byteMap(from func(i int) int) x64.Mem {
	var q [2]uint64
	for i := range 16 {
		b := uint64(0x80)
		if n := from(i); n >= 0 {
			b = uint64(n)
		}
		q[i/8] |= b << (i % 8 * 8)
	}
	return c.b.Lit128(q[0], q[1])
}

// roundingShift emits the rounding shift right of a by n, 1 to the lane width:
// half of a >> (n-1), rounded up. d is not a.
func (c *compiler) roundingShift(k shiftKind, w int, d, a x64.Xmm, n int) {
	c.vshift(k, w, d, a, n-1)
	locks := c.x.Locks()
	t := c.tempX()
	switch {
	case k == shiftRightU && w < 2: // the average with 0
		c.vzero(t)
		c.v3(laneOps{x64.PAVGB, x64.PAVGW}[w], d, d, t)
	case w == 0 && !c.gfni(): // likewise, moved by 128 to be unsigned
		sign := c.splat(0, 0x80)
		c.v3m(x64.PXOR, d, d, sign)
		c.v3m(x64.PAVGB, d, d, sign)
		c.v3m(x64.PXOR, d, d, sign)
	default:
		c.vshift(k, w, t, d, 1)
		c.v3(subOps[w], d, d, t)
	}
	c.x.SetLocks(locks)
}

func roundingShift(k shiftKind) lowerFn {
	return func(c *compiler, v ir.Value, in ir.Inst) {
		a := c.useX(in.A())
		c.roundingShift(k, c.laneOf(v), c.defX(v), a, int(c.f.ImmOf(in.B())))
	}
}
