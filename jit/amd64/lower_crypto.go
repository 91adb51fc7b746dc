package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// ahead looks for an instruction op on v among the next few, with nothing but
// moves of guest registers between. It has not been lowered yet.
func (c *compiler) ahead(v ir.Value, match func(in ir.Inst) bool) (u ir.Value, ok bool) {
	if c.opt.NoFold {
		return ir.None, false
	}
	for u = v + 1; int(u) < len(c.f.Insts) && u < v+10; u++ {
		in := c.f.Insts[u]
		switch in.Op() {
		case ir.OpInsn, ir.OpGetV, ir.OpSetV, ir.OpNop, ir.OpBitcast:
			continue
		}
		p := &c.vals[u]
		return u, match(in) && p.form == formNone && p.uses > 0
	}
	return ir.None, false
}

// lowered reports whether v was lowered together with an earlier instruction.
func (c *compiler) lowered(v ir.Value) bool { return c.vals[v].form == formHere }

// aesOps are the host's instructions for one direction.
type aesOps struct {
	last, whole x64.Op
	mix         ir.Op
}

func aesOf(op ir.Op) aesOps {
	if op == ir.OpAESD || op == ir.OpAESIMC {
		return aesOps{x64.AESDECLAST, x64.AESDEC, ir.OpAESIMC}
	}
	return aesOps{x64.AESENCLAST, x64.AESENC, ir.OpAESMC}
}

// lowerAESRound lowers AESE and AESD. A64 adds the round key first, the host
// last. So AESE alone is an addition and the host's last round with a key of
// zero; AESE and AESMC are an addition and a whole round; and where the result of
// those only goes into the next AESE, the host's round can add that one's key.
func lowerAESRound(c *compiler, v ir.Value, in ir.Inst) {
	if !c.feat.Has(x64.AES) { // newer than the x86-64-v2 baseline
		viaGo(c, v, in)
		return
	}
	if c.aesContinues(v, in.Op()) && c.later(v) {
		return
	}
	ops := aesOf(in.Op())
	mixed, pair := c.ahead(v, func(u ir.Inst) bool { return u.Op() == ops.mix && c.root(u.A()) == v })
	sum := c.aesSum(ops, in)
	zero := c.tempX()
	c.vzero(zero)
	if pair {
		c.v3(ops.whole, c.defX(mixed), sum, zero)
		if c.vals[v].uses == 1 {
			return // only the pair's other half wanted it
		}
	}
	c.v3(ops.last, c.defX(v), sum, zero)
}

// aesContinues reports whether v, an AESE, only goes into an AESMC, and that one
// only into an AESE, so that both can be done there.
func (c *compiler) aesContinues(v ir.Value, op ir.Op) bool {
	p := &c.vals[v]
	m := p.user
	if p.uses != 1 || !m.IsSSA() || c.f.Insts[m].Op() != aesOf(op).mix {
		return false
	}
	q := &c.vals[m]
	u := q.user
	if q.uses != 1 || q.region != p.region || !u.IsSSA() || c.vals[u].region != p.region {
		return false
	}
	next := c.f.Insts[u]
	return next.Op() == op && next.A() == m && next.B() != m
}

// aesSum returns a scratch register with the sum of the operands of an AESE.
func (c *compiler) aesSum(ops aesOps, in ir.Inst) x64.Xmm {
	var sum x64.Xmm
	if mix, ok := c.waiting(in.A()); ok && mix.Op() == ops.mix {
		before, ok := c.waiting(mix.A())
		if !ok {
			panic("BUG: amd64: half of an AES round was put off")
		}
		sum = c.aesSum(ops, before)
	} else {
		sum = c.tempX()
		locks := c.x.Locks()
		a, key := in.A(), in.B()
		if c.isZeroX(a) {
			a, key = key, a
		}
		if x := c.useX(a); c.isZeroX(key) {
			c.vmov(sum, x)
		} else {
			c.v3s(x64.PXOR, sum, x, c.srcX(key))
		}
		c.x.SetLocks(locks)
		return sum
	}
	locks := c.x.Locks()
	c.v3s(ops.whole, sum, sum, c.srcX(in.B()))
	c.x.SetLocks(locks)
	return sum
}

// lowerAESMC: what the last round undoes, a whole round does again, and mixes the
// columns.
func lowerAESMC(c *compiler, v ir.Value, in ir.Inst) {
	if c.lowered(v) {
		return
	}
	if _, ok := c.waiting(in.A()); ok {
		if !c.later(v) {
			panic("BUG: amd64: half of an AES round was put off")
		}
		return
	}
	if !c.feat.Has(x64.AES) {
		viaGo(c, v, in)
		return
	}
	if in.Op() == ir.OpAESIMC {
		c.un(v, x64.AESIMC, in.A())
		return
	}
	a := c.useX(in.A())
	d, zero := c.defX(v), c.tempX()
	c.vzero(zero)
	c.v3(x64.AESDECLAST, d, a, zero)
	c.v3(x64.AESENC, d, d, zero)
}

// lowerSHA1Hash lowers SHA1C, SHA1P and SHA1M. The host's instruction adds the
// round constant, which the guest has added already; it counts lanes from the
// top.
func lowerSHA1Hash(c *compiler, v ir.Value, in ir.Inst) {
	if !c.feat.Has(x64.SHA) {
		c.softSHA1(v, in)
		return
	}
	k := [3]struct {
		round    uint8
		constant uint64
	}{{0, 0x5a827999}, {1, 0x6ed9eba1}, {2, 0x8f1bbcdc}}[in.Op()-ir.OpSHA1C]
	lane, ok := c.waiting(in.B()) // the lowest of a vector, perhaps
	ok = ok && lane.Op() == ir.OpVGet
	var r x64.Reg
	var e x64.Xmm
	if ok {
		e = c.useX(lane.A())
	} else {
		r = c.useR(in.B())
	}
	a, w := c.useX(in.A()), c.useX(in.C())
	d, t, u := c.defX(v), c.tempX(), c.tempX()
	c.v2i(x64.PSHUFD, t, w, 0x1b)
	c.v3m(x64.PSUBD, t, t, c.splat(2, k.constant))
	switch {
	case ok:
		c.vsh(x64.PSLLDQ, u, e, 12)
	case c.avx():
		c.b.XR(x64.VMOVDX, u, r)
		c.vsh(x64.PSLLDQ, u, u, 12)
	default:
		c.b.XR(x64.MOVDX, u, r)
		c.vsh(x64.PSLLDQ, u, u, 12)
	}
	c.v3(x64.PADDD, t, t, u)
	c.v2i(x64.PSHUFD, d, a, 0x1b)
	c.b.XXI(x64.SHA1RNDS4, d, t, k.round)
	c.v2i(x64.PSHUFD, d, d, 0x1b)
}

// lowerSHA1SU0: a ^ (b:a >> 64) ^ c.
func lowerSHA1SU0(c *compiler, v ir.Value, in ir.Inst) {
	a, b := c.useX(in.A()), c.useX(in.B())
	s := c.srcX(in.C())
	d, t := c.defX(v), c.tempX()
	c.v3i(x64.PALIGNR, t, b, a, 8)
	c.v3s(x64.PXOR, d, a, s)
	c.v3(x64.PXOR, d, d, t)
}

// lowerSHA1SU1: t = a ^ (b >> 32), rotated left by 1; the top lane is joined by
// the lowest of t rotated by 2.
func lowerSHA1SU1(c *compiler, v ir.Value, in ir.Inst) {
	a, b := c.useX(in.A()), c.useX(in.B())
	d, t := c.defX(v), c.tempX()
	c.vsh(x64.PSRLDQ, t, b, 4)
	c.v3(x64.PXOR, t, t, a)
	c.rotateLeft32(d, t, 1)
	c.vsh(x64.PSLLDQ, t, t, 12)
	u := c.tempX()
	c.rotateLeft32(u, t, 2)
	c.v3(x64.PXOR, d, d, u)
}

// rotateLeft32 rotates 32-bit lanes. d is not a.
func (c *compiler) rotateLeft32(d, a x64.Xmm, n uint8) {
	if c.evex() {
		c.b.XXI(x64.VPROLD, d, a, n)
		return
	}
	locks := c.x.Locks()
	t := c.tempX()
	c.vsh(x64.PSRLD, t, a, 32-n)
	c.vsh(x64.PSLLD, d, a, n)
	c.v3(x64.POR, d, d, t)
	c.x.SetLocks(locks)
}

// lowerSHA256H does four rounds and takes the first half of the state; the other
// half, which SHA256H2 takes, comes out with it.
func lowerSHA256H(c *compiler, v ir.Value, in ir.Inst) {
	abcd, efgh, w := in.A(), in.B(), in.C()
	second, pair := c.ahead(v, func(u ir.Inst) bool {
		return u.Op() == ir.OpSHA256H2 &&
			c.root(u.A()) == c.root(efgh) && c.root(u.B()) == c.root(abcd) && c.root(u.C()) == c.root(w)
	})
	if !c.feat.Has(x64.SHA) {
		x, y := c.softSHA256(abcd, efgh, w)
		c.fromWords(c.defX(v), 0, x)
		if pair {
			c.fromWords(c.defX(second), 1, y)
		}
		return
	}
	newer, older := c.sha256Rounds(abcd, efgh, w)
	c.v3i(x64.SHUFPS, c.defX(v), newer, older, 0xbb)
	if pair {
		c.v3i(x64.SHUFPS, c.defX(second), newer, older, 0x11)
	}
}

func lowerSHA256H2(c *compiler, v ir.Value, in ir.Inst) {
	if c.lowered(v) {
		return
	}
	if !c.feat.Has(x64.SHA) {
		_, y := c.softSHA256(in.B(), in.A(), in.C())
		c.fromWords(c.defX(v), 1, y)
		return
	}
	newer, older := c.sha256Rounds(in.B(), in.A(), in.C())
	c.v3i(x64.SHUFPS, c.defX(v), newer, older, 0x11)
}

// sha256Rounds does four rounds. The host has the state as the vectors FEBA and
// HGDC, lowest lane first, does two rounds at a time with words in XMM0, and what
// was the first vector becomes the second. It returns both in that form.
func (c *compiler) sha256Rounds(abcd, efgh, words ir.Value) (newer, older x64.Xmm) {
	c.reserveX(x64.X0)
	a, e, w := c.useX(abcd), c.useX(efgh), c.useX(words)
	first, second := c.tempX(), c.tempX()
	c.v3i(x64.SHUFPS, first, e, a, 0x11)
	c.v3i(x64.SHUFPS, second, e, a, 0xbb)
	c.vmov(x64.X0, w)
	c.b.XX(x64.SHA256RNDS2, second, first)
	c.v2i(x64.PSHUFD, x64.X0, w, 0x0e)
	c.b.XX(x64.SHA256RNDS2, first, second)
	return first, second
}

func lowerSHA256SU0(c *compiler, v ir.Value, in ir.Inst) {
	if !c.feat.Has(x64.SHA) {
		c.softSHA256SU0(v, in)
		return
	}
	b := c.useX(in.B())
	c.b.XX(x64.SHA256MSG1, c.copyX(v, in.A()), b)
}

func lowerSHA256SU1(c *compiler, v ir.Value, in ir.Inst) {
	if !c.feat.Has(x64.SHA) {
		c.softSHA256SU1(v, in)
		return
	}
	a, b, w := c.useX(in.A()), c.useX(in.B()), c.useX(in.C())
	d := c.defX(v)
	c.v3i(x64.PALIGNR, d, w, b, 4)
	c.v3(x64.PADDD, d, d, a)
	c.b.XX(x64.SHA256MSG2, d, w)
}
