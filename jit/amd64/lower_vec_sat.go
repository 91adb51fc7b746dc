package amd64

import (
	"unsafe"

	"emu/cpu"
	"emu/ir"
	"emu/jit/asm/x64"
)

const offQC = unsafe.Offsetof(cpu.State{}.QC)

// Saturating instructions compute, beside the result, a vector that is not zero
// exactly if a lane saturated, and note that in State.QC. Once that is set, as hardly any program
// ever clears it, they need not. To or the vector into State.QC each time would make a
// loop wait for one store after the other.

// saturates notes in State.QC whether t is not zero behind difference, which is nil if it is so already.
// It is skipped where it does not matter, and uses only registers that its caller has.
// The host's flags are lost. Quiet twins note nothing.
func (c *compiler) saturates(t x64.Xmm, difference func()) {
	if c.quiet() {
		return
	}
	known := c.b.NewLabel()
	c.b.MI(x64.CMPL, state(offQC), 0)
	c.b.JccShort(x64.NE, known)
	if difference != nil {
		difference()
	}
	c.v2(x64.PTEST, t, t)
	p := c.newCold(coldSlow)
	p.emit = emitSaturated
	c.b.JccNear(x64.NE, p.from)
	c.b.Bind(p.back)
	c.b.Bind(known)
}

func emitSaturated(c *compiler, p *coldCode) {
	c.b.MI(x64.MOVL, state(offQC), 1)
	c.b.JmpNear(p.back)
}

// negatives emits all ones in the lanes of a that are negative. d is not a where
// lanes have 8 bits, or 64 without AVX-512.
func (c *compiler) negatives(w int, d, a x64.Xmm) {
	switch {
	case w == 1 || w == 2:
		c.vsh(sarOps[w], d, a, uint8(8<<w-1))
	case w == 3 && c.evex():
		c.b.XXI(x64.VPSRAQ, d, a, 63)
	default:
		c.vzero(d)
		c.v3(gtOps[w], d, d, a)
	}
}

// saturating lowers a sum or difference: in 8 and 16-bit lanes by the host's
// saturating instruction, whose result differs from the wrapping one where it
// saturated; wide emits the other lanes.
func saturating(sat, wrap laneOps, wide lowerFn) lowerFn {
	return func(c *compiler, v ir.Value, in ir.Inst) {
		w := c.laneOf(v)
		if w >= 2 {
			wide(c, v, in)
			return
		}
		a := c.useX(in.A())
		b := c.srcX(in.B())
		d, t := c.defX(v), c.tempX()
		c.v3s(sat[w], d, a, b)
		c.saturates(t, func() {
			c.v3s(wrap[w], t, a, b)
			c.v3(x64.PXOR, t, t, d)
		})
	}
}

// lowerSQAddWide lowers SQADD and SQSUB of 32 and 64-bit lanes.
func lowerSQAddWide(c *compiler, v ir.Value, in ir.Inst) {
	w := c.laneOf(v)
	sub := in.Op() == ir.OpSQSub
	a, b := c.useX(in.A()), c.useX(in.B())
	d, r, over, t := c.defX(v), c.tempX(), c.tempX(), c.tempX()
	op := addOps[w]
	if sub {
		op = subOps[w]
	}
	c.v3(op, r, a, b)
	// A sum overflows if its sign differs from those of both operands, a
	// difference if the operands' signs differ and its own is not the first's.
	switch {
	case c.evex() && sub:
		c.vmov(t, a)
		c.tern(t, b, inReg(r), 0x18) // (d ^ a) & (d ^ b)
	case c.evex():
		c.vmov(t, a)
		c.tern(t, b, inReg(r), 0x42) // (d ^ b) & (a ^ b)
	case sub:
		c.v3(x64.PXOR, t, a, b)
		c.v3(x64.PXOR, d, a, r)
		c.v3(x64.PAND, t, t, d)
	default:
		c.v3(x64.PXOR, t, a, r)
		c.v3(x64.PXOR, d, b, r)
		c.v3(x64.PAND, t, t, d)
	}
	c.negatives(w, over, t)
	c.negatives(w, t, a)
	c.v3m(x64.PXOR, t, t, c.splat(w, signBit(w)-1))
	c.vselect(d, over, t, r)
	c.saturates(over, nil)
}

// lowerUQAddWide: b is first cut to what a leaves room for.
func lowerUQAddWide(c *compiler, v ir.Value, in ir.Inst) {
	w := c.laneOf(v)
	a, b := c.useX(in.A()), c.useX(in.B())
	d, t := c.defX(v), c.tempX()
	c.v3m(x64.PXOR, d, a, c.ones())
	c.vminmax(&uminOps, w, t, d, inReg(b))
	c.v3(addOps[w], d, a, t)
	c.saturates(t, func() { c.v3(x64.PXOR, t, t, b) })
}

// lowerUQSubWide: max(a, b) - b.
func lowerUQSubWide(c *compiler, v ir.Value, in ir.Inst) {
	w := c.laneOf(v)
	a, b := c.useX(in.A()), c.useX(in.B())
	d, t := c.defX(v), c.tempX()
	c.vminmax(&umaxOps, w, t, a, inReg(b))
	c.v3(subOps[w], d, t, b)
	c.saturates(t, func() { c.v3(x64.PXOR, t, t, a) })
}

// lowerSUQAdd adds an unsigned b to a signed a, which leaves room for
// maximum - a, as unsigned: the complement of a but for the sign.
func lowerSUQAdd(c *compiler, v ir.Value, in ir.Inst) {
	w := c.laneOf(v)
	a, b := c.useX(in.A()), c.useX(in.B())
	d, t := c.defX(v), c.tempX()
	c.v3m(x64.PXOR, d, a, c.splat(w, signBit(w)-1))
	c.vminmax(&uminOps, w, t, d, inReg(b))
	c.v3(addOps[w], d, a, t)
	c.saturates(t, func() { c.v3(x64.PXOR, t, t, b) })
}

// lowerUSQAdd adds a signed b to an unsigned a: what is positive in b as UQADD
// does, and takes what is negative away as UQSUB does.
func lowerUSQAdd(c *compiler, v ir.Value, in ir.Inst) {
	w := c.laneOf(v)
	a, b := c.useX(in.A()), c.useX(in.B())
	d, plus, minus, t, u := c.defX(v), c.tempX(), c.tempX(), c.tempX(), c.tempX()
	c.negatives(w, t, b)
	c.v3(x64.PANDN, plus, t, b)
	c.v3(x64.PAND, d, t, b)
	c.vzero(minus)
	c.v3(subOps[w], minus, minus, d)
	c.v3m(x64.PXOR, t, a, c.ones())
	c.vminmax(&uminOps, w, u, plus, inReg(t))
	c.v3(x64.PXOR, plus, plus, u)
	c.vminmax(&uminOps, w, t, minus, inReg(a))
	c.v3(x64.PXOR, minus, minus, t)
	c.v3(addOps[w], d, a, u)
	c.v3(subOps[w], d, d, t)
	c.saturates(plus, func() { c.v3(x64.POR, plus, plus, minus) })
}

// lowerSQAbs: only the minimum saturates; its absolute value wraps to itself.
func lowerSQAbs(c *compiler, v ir.Value, in ir.Inst) {
	w := c.laneOf(v)
	a := c.useX(in.A())
	d, t := c.defX(v), c.tempX()
	if w < 3 {
		c.v2(laneOps{x64.PABSB, x64.PABSW, x64.PABSD}[w], d, a)
	} else {
		c.abs64(d, a)
	}
	c.capMinimum(w, d, t)
}

// capMinimum turns lanes of d that are the minimum, which can only be 2 to the
// width - 1 wrapped around, into the maximum. It uses t.
func (c *compiler) capMinimum(w int, d, t x64.Xmm) {
	c.v3m(eqOps[w], t, d, c.splat(w, signBit(w)))
	c.v3(x64.PXOR, d, d, t)
	c.saturates(t, nil)
}

func lowerSQNeg(c *compiler, v ir.Value, in ir.Inst) {
	w := c.laneOf(v)
	a := c.useX(in.A())
	d, t := c.defX(v), c.tempX()
	c.vzero(d)
	c.v3(subOps[w], d, d, a)
	c.capMinimum(w, d, t)
}

// Saturating conversions to half the width: by the host's packing instructions,
// or lanes cut to the range of the result, then truncated.

func lowerSQXtN(c *compiler, v ir.Value, in ir.Inst) {
	w := c.laneOf(in.A())
	a := c.useX(in.A())
	d, t := c.defX(v), c.tempX()
	top := signBit(w-1) - 1
	if w < 3 {
		c.vzero(t)
		c.v3([3]x64.Op{1: x64.PACKSSWB, 2: x64.PACKSSDW}[w], d, a, t)
		c.saturates(t, func() {
			c.v2([3]x64.Op{1: x64.PMOVSXBW, 2: x64.PMOVSXWD}[w], t, d)
			c.v3(x64.PXOR, t, t, a)
		})
		return
	}
	c.vminmax(&sminOps, w, d, a, inMem(c.splat(w, top)))
	c.vminmax(&smaxOps, w, t, d, inMem(c.splat(w, ^top)))
	c.v3m(x64.PSHUFB, d, t, c.truncated(w))
	c.saturates(t, func() { c.v3(x64.PXOR, t, t, a) })
}

func lowerUQXtN(c *compiler, v ir.Value, in ir.Inst) {
	w := c.laneOf(in.A())
	a := c.useX(in.A())
	d, t := c.defX(v), c.tempX()
	c.vminmax(&uminOps, w, t, a, inMem(c.splat(w, 1<<(4<<w)-1)))
	c.v3m(x64.PSHUFB, d, t, c.truncated(w))
	c.saturates(t, func() { c.v3(x64.PXOR, t, t, a) })
}

func lowerSQXtUN(c *compiler, v ir.Value, in ir.Inst) {
	w := c.laneOf(in.A())
	a := c.useX(in.A())
	d, t := c.defX(v), c.tempX()
	c.vzero(t)
	if w < 3 {
		c.v3([3]x64.Op{1: x64.PACKUSWB, 2: x64.PACKUSDW}[w], d, a, t)
		c.saturates(t, func() {
			c.v2([3]x64.Op{1: x64.PMOVZXBW, 2: x64.PMOVZXWD}[w], t, d)
			c.v3(x64.PXOR, t, t, a)
		})
		return
	}
	c.vminmax(&smaxOps, w, d, a, inReg(t))
	c.vminmax(&uminOps, w, t, d, inMem(c.splat(w, 1<<(4<<w)-1)))
	c.v3m(x64.PSHUFB, d, t, c.truncated(w))
	c.saturates(t, func() { c.v3(x64.PXOR, t, t, a) })
}
