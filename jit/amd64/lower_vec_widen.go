package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// extend lowers VSEXT and VZEXT of 8, 16 and 32-bit lanes.
func extend(ops ...x64.Op) lowerFn {
	return func(c *compiler, v ir.Value, in ir.Inst) {
		if high, ok := c.waiting(in.A()); ok {
			c.extendHigh(v, in.Op() == ir.OpVSext, high.A())
			return
		}
		c.un(v, ops[c.laneOf(in.A())], in.A())
	}
}

// unpackHigh interleaves the lanes of two upper halves.
var unpackHigh = laneOps{x64.PUNPCKHBW, x64.PUNPCKHWD, x64.PUNPCKHDQ, 0}

// extendHigh lowers v, the lanes of a's upper half extended: one shuffle instead of two,
// of which hosts do only one or two at a time.
func (c *compiler) extendHigh(v ir.Value, signed bool, a ir.Value) {
	w := c.laneOf(v) - 1
	x := c.useX(a)
	if signed {
		d := c.overX(v, a, ir.None)
		c.v3(unpackHigh[w], d, x, x)
		c.vsh(sarOps[w+1], d, d, 8<<w)
		return
	}
	d, zero := c.defX(v), c.tempX()
	c.vzero(zero)
	c.v3(unpackHigh[w], d, x, zero)
}

// truncated is the PSHUFB control that keeps the lower halves of lanes.
func (c *compiler) truncated(w int) x64.Mem {
	return c.byteMap(func(i int) int {
		if i >= 8 {
			return -1
		}
		return unzipByte(w-1, i, 0)
	})
}

func lowerVTrunc(c *compiler, v ir.Value, in ir.Inst) {
	c.binS(v, x64.PSHUFB, in.A(), inMem(c.truncated(c.laneOf(in.A()))))
}

// lowerMulL: the product of the low halves, twice as wide. Where those are the
// high halves of other vectors, or every other lane of them, they are taken from there.
func lowerMulL(c *compiler, v ir.Value, in ir.Inst) {
	signed := in.Op() == ir.OpSMulL
	switch c.laneOf(in.A()) {
	case 0:
		x, y := c.srcX(in.A()), c.srcX(in.B())
		d := c.defX(v)
		widen := x64.PMOVZXBW
		if signed {
			widen = x64.PMOVSXBW
		}
		c.v2s(widen, d, x)
		t := d
		if c.root(in.A()) != c.root(in.B()) {
			t = c.tempX()
			c.v2s(widen, t, y)
		}
		c.v3(x64.PMULLW, d, d, t)
	case 1:
		x, y, high := c.putOffHalves(in.A(), in.B())
		a, b := c.useX(x), c.useX(y)
		c.mulL16(signed, high, c.defX(v), a, b)
	default:
		c.mulL32(signed, v, c.factor32(in.A()), c.factor32(in.B()))
	}
}

// factor32 is a factor of a widening product of 32-bit lanes: two lanes of a vector.
type factor32 struct {
	v  ir.Value
	at ir.Op // VHIGH, UZP1, UZP2: where they are, if that was put off; the low half otherwise
}

func (c *compiler) factor32(v ir.Value) factor32 {
	if in, ok := c.waiting(v); ok {
		switch op := in.Op(); op {
		case ir.OpVHigh, ir.OpUzp1, ir.OpUzp2:
			return factor32{c.root(in.A()), op}
		}
	}
	return factor32{c.root(v), ir.OpVLow}
}

// mulL32 emits 64-bit products. The host multiplies the even lanes, to which other ones
// are moved.
func (c *compiler) mulL32(signed bool, v ir.Value, a, b factor32) {
	mul := x64.PMULUDQ
	if signed {
		mul = x64.PMULDQ
	}
	if a.at == ir.OpUzp1 {
		a, b = b, a
	}
	x, y := c.factorX(a), c.factorX(b)
	d := c.defX(v)
	if a.at == ir.OpUzp1 { // both are where they should be
		c.v3(mul, d, x.x, y.x)
		return
	}
	c.toEven(d, a, x)
	t := d
	switch {
	case a == b:
	case b.at == ir.OpUzp1:
		t = y.x
	default:
		t = c.tempX()
		c.toEven(t, b, y)
	}
	c.v3(mul, d, d, t)
}

// factorX returns the vector that a factor is in.
func (c *compiler) factorX(f factor32) vsrc {
	if f.at == ir.OpVLow {
		return c.srcX(f.v)
	}
	return inReg(c.useX(f.v))
}

// toEven moves the lanes of a factor, which are not there, to the even lanes of d.
func (c *compiler) toEven(d x64.Xmm, f factor32, s vsrc) {
	switch f.at {
	case ir.OpVHigh:
		c.v2i(x64.PSHUFD, d, s.x, 0xfa) // lanes 2 and 3
	case ir.OpUzp2:
		c.v2i(x64.PSHUFD, d, s.x, 0xf5) // lanes 1 and 3
	default:
		c.v2s(x64.PMOVZXDQ, d, s)
	}
}

// multipliesParts reports whether v, every other 32-bit lane of one vector, is only used
// by a widening multiplication.
func (c *compiler) multipliesParts(v ir.Value, in ir.Inst) bool {
	u := c.vals[v].user
	if c.laneOf(v) != 2 || !u.IsSSA() || c.root(in.A()) != c.root(in.B()) || c.root(in.A()).IsConst() {
		return false
	}
	user := c.f.Insts[u]
	return (user.Op() == ir.OpSMulL || user.Op() == ir.OpUMulL) && (user.A() == v || user.B() == v) // not an alias
}

// lowerVHigh: the high half moved low, zeros above. A widening multiplication
// or an extension that is the only user does it itself.
func lowerVHigh(c *compiler, v ir.Value, in ir.Inst) {
	if (c.multipliesHigh(v) || c.extendsHigh(v)) && c.later(v) {
		return
	}
	c.shiftDown(v, in.A(), 8)
	c.zero(v, 64)
}

// extendsHigh reports whether v, a high half moved low, is only extended. The host has
// no arithmetic shift of 64-bit lanes that would do it for the widest.
func (c *compiler) extendsHigh(v ir.Value) bool {
	u := c.vals[v].user
	if !c.avx() || !u.IsSSA() || c.vals[v].uses != 1 || c.root(c.f.Insts[v].A()).IsConst() {
		return false // without three operands the copy costs more than the shuffle
	}
	in := c.f.Insts[u]
	switch in.Op() {
	case ir.OpVZext:
	case ir.OpVSext:
		if c.laneOf(u) == 3 {
			return false
		}
	default:
		return false
	}
	return in.A() == v // not an alias
}

// multipliesHigh reports whether v, a high half moved low, is only used by a
// multiplication that can read it where it is: a polynomial one, or a widening
// one of 16 or 32-bit lanes, whose other factor is such a half as well, or the
// same in all lanes.
func (c *compiler) multipliesHigh(v ir.Value) bool {
	u := c.vals[v].user
	if !u.IsSSA() || c.vals[v].uses != 1 {
		return false
	}
	in := c.f.Insts[u]
	if in.Op() == ir.OpPMulL && c.laneOf(in.A()) == 3 {
		return c.feat.Has(x64.PCLMUL) && (in.A() == v || in.B() == v) // which reads either half
	}
	if in.Op() != ir.OpSMulL && in.Op() != ir.OpUMulL || c.laneOf(in.A()) == 0 {
		return false
	}
	other := in.A()
	if other == v {
		other = in.B()
	}
	if in.A() != v && in.B() != v { // it uses an alias
		return false
	}
	if !other.IsSSA() {
		return false
	}
	p := &c.vals[other]
	switch c.f.Insts[other].Op() {
	case ir.OpVDupL, ir.OpVDup:
		return p.root == other
	case ir.OpVHigh:
		// It is or will be put off for the same reason.
		return p.uses == 1 && p.user == u && p.region == c.vals[v].region && (p.form == formLater || p.form == formNone && other > v)
	}
	return false
}

// putOffHalves returns the vectors whose high halves the factors a and b are, if
// they were put off.
func (c *compiler) putOffHalves(a, b ir.Value) (x, y ir.Value, high bool) {
	ia, oka := c.waiting(a)
	ib, okb := c.waiting(b)
	if oka {
		a = ia.A()
	}
	if okb {
		b = ib.A()
	}
	return a, b, oka || okb
}

// mulL16 emits 32-bit products of the lower or upper 16-bit lanes out of their
// halves. d is neither a nor b.
func (c *compiler) mulL16(signed, upper bool, d, a, b x64.Xmm) {
	locks := c.x.Locks()
	t := c.tempX()
	high, unpack := x64.PMULHUW, x64.PUNPCKLWD
	if signed {
		high = x64.PMULHW
	}
	if upper {
		unpack = x64.PUNPCKHWD
	}
	c.v3(high, t, a, b)
	c.v3(x64.PMULLW, d, a, b)
	c.v3(unpack, d, d, t)
	c.x.SetLocks(locks)
}

// lowerSAddLP: signed sums of adjacent lanes.
func lowerSAddLP(c *compiler, v ir.Value, in ir.Inst) {
	switch w := c.laneOf(in.A()); w {
	case 0:
		a := c.srcX(in.A())
		d := c.defX(v)
		c.vload(d, c.splat(0, 1))
		c.v3s(x64.PMADDUBSW, d, d, a) // unsigned 1 times signed
	case 1:
		c.binS(v, x64.PMADDWD, in.A(), inMem(c.splat(1, 1)))
	default:
		// Multiplying by 1 sign-extends the lower halves.
		a := c.useX(in.A())
		d, t := c.defX(v), c.tempX()
		one := c.splat(3, 1)
		c.vsh(x64.PSRLQ, t, a, 32)
		c.v3m(x64.PMULDQ, t, t, one)
		c.v3m(x64.PMULDQ, d, a, one)
		c.v3(x64.PADDQ, d, d, t)
	}
}

// lowerUAddLP: unsigned sums of adjacent lanes.
func lowerUAddLP(c *compiler, v ir.Value, in ir.Inst) {
	w := c.laneOf(in.A())
	if w == 0 {
		c.binS(v, x64.PMADDUBSW, in.A(), inMem(c.splat(0, 1)))
		return
	}
	a := c.useX(in.A())
	d, t := c.defX(v), c.tempX()
	c.vsh(shrOps[w+1], t, a, uint8(8<<w))
	c.v3m(x64.PAND, d, a, c.splat(w+1, 1<<(8<<w)-1))
	c.v3(addOps[w+1], d, d, t)
}

// lowerPMul: polynomial products of bytes, low half: shift and add without
// carries, bit by bit.
func lowerPMul(c *compiler, v ir.Value, in ir.Inst) {
	if c.laneOf(v) != 0 {
		viaGo(c, v, in)
		return
	}
	a, b := c.useX(in.A()), c.useX(in.B())
	d := c.defX(v)
	c.polynomial(0, d, a, b)
}

// lowerPMulL: bytes to 16 bits as PMUL does, 64 bits by PCLMULQDQ.
func lowerPMulL(c *compiler, v ir.Value, in ir.Inst) {
	if w := c.laneOf(in.A()); w == 0 {
		a, b := c.srcX(in.A()), c.srcX(in.B())
		d, x, y := c.defX(v), c.tempX(), c.tempX()
		c.v2s(x64.PMOVZXBW, x, a)
		c.v2s(x64.PMOVZXBW, y, b)
		c.polynomial(1, d, x, y)
		return
	}
	if !c.feat.Has(x64.PCLMUL) { // newer than the x86-64-v2 baseline
		viaGo(c, v, in)
		return
	}
	x, y, halves := in.A(), in.B(), uint8(0)
	if high, ok := c.waiting(x); ok {
		x, halves = high.A(), 0x01
	}
	if high, ok := c.waiting(y); ok {
		y, halves = high.A(), halves|0x10
	}
	if !c.avx() {
		b := c.useX(y)
		c.b.XXI(x64.PCLMULQDQ, c.copyX(v, x), b, halves)
		return
	}
	a, b := c.useX(x), c.useX(y)
	c.v3i(x64.PCLMULQDQ, c.overX(v, in.A(), in.B()), a, b, halves)
}

// polynomial emits the carry-less product of a and the low 8 bits of b in lanes
// of 8 or 16 bits. d is neither a nor b.
func (c *compiler) polynomial(w int, d, a, b x64.Xmm) {
	zero, bit, x, y := c.tempX(), c.tempX(), c.tempX(), c.tempX()
	c.vzero(zero)
	c.vzero(d)
	c.vmov(x, a)
	// Bit i of b moves to the lane's sign.
	c.vsh(x64.PSLLW, y, b, uint8(8*w))
	for i := 7; i >= 0; i-- {
		c.v3(addOps[w], d, d, d) // Horner: from the top bit down
		c.v3(gtOps[w], bit, zero, y)
		c.v3(x64.PAND, bit, bit, x)
		c.v3(x64.PXOR, d, d, bit)
		if i > 0 {
			c.v3(addOps[w], y, y, y)
		}
	}
}
