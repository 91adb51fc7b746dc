package amd64

import (
	"math/bits"

	"emu/ir"
	"emu/jit/asm/x64"
)

// Vector code is written once for two encodings. The emit functions below take
// the SSE form of an instruction and three operands: with AVX they emit its VEX
// form, without it a move when the destination is not the first source, and the
// SSE form. Where a later extension (AVX-512VL, GFNI, ...) has something better,
// the lowering functions ask for it.
//
// Lane widths are indices: 0 for 8 bits, 1 for 16, 2 for 32, 3 for 64. Tables of
// instructions by lane width hold 0 where the host has none; 0 is never the
// number of a vector instruction.

// laneOps is an instruction in its SSE form for each lane width.
type laneOps [4]x64.Op

var (
	addOps = laneOps{x64.PADDB, x64.PADDW, x64.PADDD, x64.PADDQ}
	subOps = laneOps{x64.PSUBB, x64.PSUBW, x64.PSUBD, x64.PSUBQ}
	eqOps  = laneOps{x64.PCMPEQB, x64.PCMPEQW, x64.PCMPEQD, x64.PCMPEQQ}
	gtOps  = laneOps{x64.PCMPGTB, x64.PCMPGTW, x64.PCMPGTD, x64.PCMPGTQ}
	shlOps = laneOps{0, x64.PSLLW, x64.PSLLD, x64.PSLLQ}
	shrOps = laneOps{0, x64.PSRLW, x64.PSRLD, x64.PSRLQ}
	sarOps = laneOps{0, x64.PSRAW, x64.PSRAD, 0}
)

// vexOf returns the VEX form of an SSE instruction: the constant after it.
func vexOf(op x64.Op) x64.Op { return op + 1 }

// laneIndex returns the index of t's lane width.
func laneIndex(t ir.Type) int { return bits.TrailingZeros(uint(t.Lane().Bits())) - 3 }

// laneOf returns the index of the lane width of v's type.
func (c *compiler) laneOf(v ir.Value) int { return laneIndex(c.f.TypeOf(v)) }

func (c *compiler) avx() bool  { return c.feat.Has(x64.AVX) }
func (c *compiler) avx2() bool { return c.feat.Has(x64.AVX2) }
func (c *compiler) evex() bool { return c.feat.Has(x64.EVEX128) }
func (c *compiler) gfni() bool { return c.feat.Has(x64.GFNI) }

// repeat fills 64 bits with the low bits of x, one lane's worth.
func repeat(w int, x uint64) uint64 {
	n := 8 << w
	x &= ^uint64(0) >> (64 - n)
	for ; n < 64; n *= 2 {
		x |= x << n
	}
	return x
}

// splat returns a literal with x in all lanes.
func (c *compiler) splat(w int, x uint64) x64.Mem {
	n := repeat(w, x)
	return c.b.Lit128(n, n)
}

// ones returns a literal with all bits set.
func (c *compiler) ones() x64.Mem { return c.b.Lit128(^uint64(0), ^uint64(0)) }

// signBit is the top bit of a lane.
func signBit(w int) uint64 { return 1 << (8<<w - 1) }

// vsrc is a source operand: a vector register or, if mem is set, memory.
type vsrc struct {
	x   x64.Xmm
	m   x64.Mem
	mem bool
}

func inMem(m x64.Mem) vsrc { return vsrc{m: m, mem: true} }
func inReg(x x64.Xmm) vsrc { return vsrc{x: x} }

// srcX returns v as a source operand that stays valid until the instruction
// ends: constants in the literal pool, values that end here in their spill slot
// (with AVX, whose memory operands need no alignment), others in a register.
func (c *compiler) srcX(v ir.Value) vsrc {
	v = c.root(v)
	if k, ok := c.f.ConstOf(v); ok {
		if k.Lo|k.Hi == 0 {
			return inReg(c.useX(v))
		}
		return inMem(c.b.Lit128(k.Lo, k.Hi))
	}
	if p := &c.vals[v]; p.reg < 0 && p.slot >= 0 && c.avx() && c.dies(v) {
		return inMem(slotMem(p.slot))
	}
	return inReg(c.useX(v))
}

// constX returns the bits of a constant vector.
func (c *compiler) constX(v ir.Value) (lo, hi uint64, ok bool) {
	k, ok := c.f.ConstOf(c.root(v))
	return k.Lo, k.Hi, ok
}

func (c *compiler) isZeroX(v ir.Value) bool {
	lo, hi, ok := c.constX(v)
	return ok && lo|hi == 0
}

// commutes reports whether an SSE instruction's operands may be exchanged.
func commutes(op x64.Op) bool {
	switch op {
	case x64.PADDB, x64.PADDW, x64.PADDD, x64.PADDQ, x64.PAND, x64.POR, x64.PXOR,
		x64.PMULLW, x64.PMULLD, x64.PMULHW, x64.PMULHUW, x64.PMULHRSW, x64.PMULUDQ, x64.PMULDQ, x64.PMADDWD,
		x64.PCMPEQB, x64.PCMPEQW, x64.PCMPEQD, x64.PCMPEQQ, x64.PAVGB, x64.PAVGW,
		x64.PMINSB, x64.PMINSW, x64.PMINSD, x64.PMINUB, x64.PMINUW, x64.PMINUD,
		x64.PMAXSB, x64.PMAXSW, x64.PMAXSD, x64.PMAXUB, x64.PMAXUW, x64.PMAXUD,
		x64.PADDSB, x64.PADDSW, x64.PADDUSB, x64.PADDUSW:
		return true
	}
	return false
}

// vmov copies a register.
func (c *compiler) vmov(d, a x64.Xmm) {
	switch {
	case d == a:
	case c.avx():
		c.b.XX(x64.VMOVAPS, d, a)
	default:
		c.b.XX(x64.MOVAPS, d, a)
	}
}

// vload loads 16 bytes from anywhere.
func (c *compiler) vload(d x64.Xmm, m x64.Mem) {
	if c.avx() {
		c.b.XM(x64.VMOVUPS, d, m)
		return
	}
	c.b.XM(x64.MOVUPS, d, m)
}

// vzero clears a register.
func (c *compiler) vzero(d x64.Xmm) {
	if c.avx() {
		c.b.XXX(x64.VPXOR, d, d, d)
		return
	}
	c.b.XX(x64.PXOR, d, d)
}

// v3 emits d = a op b.
func (c *compiler) v3(op x64.Op, d, a, b x64.Xmm) {
	switch {
	case c.avx():
		c.b.XXX(vexOf(op), d, a, b)
		return
	case d == a:
	case d == b && commutes(op):
		b = a
	case d == b:
		panic("BUG: amd64: the second source is overwritten: " + op.String())
	default:
		c.b.XX(x64.MOVAPS, d, a)
	}
	c.b.XX(op, d, b)
}

// v3m is v3 with the second source in memory.
func (c *compiler) v3m(op x64.Op, d, a x64.Xmm, m x64.Mem) {
	if c.avx() {
		c.b.XXM(vexOf(op), d, a, m)
		return
	}
	c.vmov(d, a)
	c.b.XM(op, d, m)
}

// v3s is v3 with any second source.
func (c *compiler) v3s(op x64.Op, d, a x64.Xmm, s vsrc) {
	if s.mem {
		c.v3m(op, d, a, s.m)
		return
	}
	c.v3(op, d, a, s.x)
}

// v3i emits d = a op b with an immediate.
func (c *compiler) v3i(op x64.Op, d, a, b x64.Xmm, imm uint8) {
	if c.avx() {
		c.b.XXXI(vexOf(op), d, a, b, imm)
		return
	}
	if d == b && d != a {
		panic("BUG: amd64: the second source is overwritten: " + op.String())
	}
	c.vmov(d, a)
	c.b.XXI(op, d, b, imm)
}

// v3is is v3i with any second source.
func (c *compiler) v3is(op x64.Op, d, a x64.Xmm, s vsrc, imm uint8) {
	switch {
	case !s.mem:
		c.v3i(op, d, a, s.x, imm)
	case c.avx():
		c.b.XXMI(vexOf(op), d, a, s.m, imm)
	default:
		c.vmov(d, a)
		c.b.XMI(op, d, s.m, imm)
	}
}

// v2 emits d = op a for instructions that do not read d.
func (c *compiler) v2(op x64.Op, d, a x64.Xmm) {
	if c.avx() {
		op = vexOf(op)
	}
	c.b.XX(op, d, a)
}

// v2s is v2 with any source.
func (c *compiler) v2s(op x64.Op, d x64.Xmm, s vsrc) {
	if c.avx() {
		op = vexOf(op)
	}
	if s.mem {
		c.b.XM(op, d, s.m)
		return
	}
	c.b.XX(op, d, s.x)
}

// v2i emits d = op a with an immediate: PSHUFD and its kin.
func (c *compiler) v2i(op x64.Op, d, a x64.Xmm, imm uint8) {
	if c.avx() {
		op = vexOf(op)
	}
	c.b.XXI(op, d, a, imm)
}

// vsh emits a shift of a by an immediate: lanes, or bytes of the whole register.
func (c *compiler) vsh(op x64.Op, d, a x64.Xmm, n uint8) {
	if c.avx() {
		c.b.XXI(vexOf(op), d, a, n)
		return
	}
	c.vmov(d, a)
	c.b.XI(op, d, n)
}

// tern emits d = f(d, a, b) bit by bit: the bit of imm at index d<<2 | a<<1 | b.
// It needs EVEX.
func (c *compiler) tern(d, a x64.Xmm, s vsrc, imm uint8) {
	if s.mem {
		c.b.XXMI(x64.VPTERNLOGD, d, a, s.m, imm)
		return
	}
	c.b.XXXI(x64.VPTERNLOGD, d, a, s.x, imm)
}

// vselect emits d = mask ? yes : no for a mask of whole lanes. d is none of them.
func (c *compiler) vselect(d, mask, yes, no x64.Xmm) {
	if c.avx() {
		c.b.XXXX(x64.VPBLENDVB, d, no, yes, mask)
		return
	}
	locks := c.x.Locks()
	t := c.tempX()
	c.v3(x64.PANDN, t, mask, no)
	c.v3(x64.PAND, d, mask, yes)
	c.v3(x64.POR, d, d, t)
	c.x.SetLocks(locks)
}

// merge emits d = mask ? yes : d for a mask of whole lanes. It overwrites yes
// before AVX.
func (c *compiler) merge(d, yes, mask x64.Xmm) {
	if c.avx() {
		c.b.XXXX(x64.VPBLENDVB, d, d, yes, mask)
		return
	}
	c.b.XX(x64.PXOR, yes, d)
	c.b.XX(x64.PAND, yes, mask)
	c.b.XX(x64.PXOR, d, yes)
}

// bin lowers v = a op b to one instruction.
func (c *compiler) bin(v ir.Value, op x64.Op, a, b ir.Value) {
	if commutes(op) && (c.root(a).IsConst() || !c.canTake(a) && c.canTake(b)) && !c.root(b).IsConst() {
		a, b = b, a
	}
	if !c.avx() {
		s := c.srcX(b)
		d := c.copyX(v, a)
		c.v3s(op, d, d, s)
		return
	}
	x := c.useX(a)
	s := c.srcX(b)
	c.v3s(op, c.overX(v, a, b), x, s)
}

// binS is bin with a second source that is not an IR value.
func (c *compiler) binS(v ir.Value, op x64.Op, a ir.Value, s vsrc) {
	if !c.avx() {
		d := c.copyX(v, a)
		c.v3s(op, d, d, s)
		return
	}
	x := c.useX(a)
	c.v3s(op, c.overX(v, a, ir.None), x, s)
}

// un lowers v = op a to one instruction that does not read its destination.
func (c *compiler) un(v ir.Value, op x64.Op, a ir.Value) {
	s := c.srcX(a)
	c.v2s(op, c.overX(v, a, ir.None), s)
}

// lanewise lowers an opcode that is one instruction in each lane width.
func lanewise(ops laneOps) lowerFn {
	return func(c *compiler, v ir.Value, in ir.Inst) {
		op := ops[c.laneOf(in.A())]
		if op == 0 {
			viaGo(c, v, in)
			return
		}
		c.bin(v, op, in.A(), in.B())
	}
}

// same makes the result v the value a, of another vector type perhaps.
func (c *compiler) same(v, a ir.Value) {
	if c.root(a).IsConst() {
		c.loadConstX(c.defX(v), c.root(a))
		return
	}
	c.alias(v, a)
}

// reserveX frees vector register r for the current instruction and locks it.
func (c *compiler) reserveX(r x64.Xmm) {
	n := uint8(r)
	if c.x.Locked(n) {
		panic("BUG: amd64: reserve of a locked register")
	}
	if v := c.x.Owner(n); v != ir.None {
		if to, ok := c.x.Pick(1 << n); ok && c.vals[v].uses > 0 {
			c.vmov(x64.Xmm(to), r)
			locks := c.x.Locks()
			c.unbind(v)
			c.bindX(v, x64.Xmm(to))
			c.x.SetLocks(locks)
		} else {
			c.evict(v)
		}
	}
	c.x.Lock(n)
}
