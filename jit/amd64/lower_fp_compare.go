package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

// Predicates of CMPxx; those from 8 on need AVX. Q: only signalling NaNs raise
// Invalid Operation; S: every NaN does.
const (
	cmpEqQ    = 0x00
	cmpLtS    = 0x01
	cmpLeS    = 0x02
	cmpUnordQ = 0x03
	cmpUeqQ   = 0x08
	cmpNltS   = 0x05
	cmpNleS   = 0x06
	cmpGeS    = 0x0d
	cmpGtS    = 0x0e
	cmpNgeS   = 0x09
	cmpNgtS   = 0x0a
)

// fcondPred maps an ir.FCond, FSignal included, to the host's predicate.
var fcondPred = [32]uint8{
	ir.FFalse: 0x0b, ir.FOEQ: cmpEqQ, ir.FOGT: 0x1e, ir.FOGE: 0x1d, ir.FOLT: 0x11, ir.FOLE: 0x12, ir.FONE: 0x0c, ir.FORD: 0x07,
	ir.FUNO: cmpUnordQ, ir.FUEQ: 0x08, ir.FUGT: 0x16, ir.FUGE: 0x15, ir.FULT: 0x19, ir.FULE: 0x1a, ir.FUNE: 0x04, ir.FTrue: 0x0f,

	16 + ir.FFalse: 0x1b, 16 + ir.FOEQ: 0x10, 16 + ir.FOGT: cmpGtS, 16 + ir.FOGE: cmpGeS, 16 + ir.FOLT: cmpLtS, 16 + ir.FOLE: cmpLeS,
	16 + ir.FONE: 0x1c, 16 + ir.FORD: 0x17, 16 + ir.FUNO: 0x13, 16 + ir.FUEQ: 0x18, 16 + ir.FUGT: cmpNleS, 16 + ir.FUGE: cmpNltS,
	16 + ir.FULT: cmpNgeS, 16 + ir.FULE: cmpNgtS, 16 + ir.FUNE: 0x14, 16 + ir.FTrue: 0x1f,
}

// mirrored are the predicates that SSE has with the operands exchanged.
var mirrored = map[uint8]uint8{cmpGtS: cmpLtS, cmpGeS: cmpLeS, cmpNgeS: cmpNleS, cmpNgtS: cmpNltS}

// lowerFCmp: a mask of lanes, or the truth of a scalar. A64's vector compares are
// FOEQ, and FOGE and FOGT signalling: one SSE instruction each.
func lowerFCmp(c *compiler, v ir.Value, in ir.Inst) {
	k := kindOf(c.f.TypeOf(in.A()))
	pred := fcondPred[c.f.ImmOf(in.C())&31]
	first, second := in.A(), in.B()
	if p, ok := mirrored[pred]; ok && !c.avx() {
		pred, first, second = p, second, first
	}
	if c.elsewhere(v, in, k, c.fp16(), c.native(k) && (pred <= 7 || c.avx()), func() { c.halfCmp(v, in, pred) }) {
		return
	}
	a, b := c.useX(first), c.srcX(second)
	switch {
	case k == kF16:
		c.b.KXXI(fpCmpK[k], x64.K1, a, c.inX(b), pred)
		c.b.RK(x64.KMOVWR, c.defR(v), x64.K1)
		c.zero(v, 1)
	case k == kV8F16:
		c.b.KXXI(fpCmpK[k], x64.K1, a, c.inX(b), pred)
		c.b.XK(x64.VPMOVM2W, c.defX(v), x64.K1)
	case k.scalar():
		t := c.tempX()
		c.v3is(fpCmp[k], t, a, b, pred)
		c.b.RX(x64.MOVDX, c.defR(v), t)
	default:
		c.v3is(fpCmp[k], c.defX(v), a, b, pred)
	}
}

// lowerFCmpF leaves NZCV in the host's flags as UCOMISx sets them.
func lowerFCmpF(c *compiler, v ir.Value, in ir.Inst) {
	k := kindOf(c.f.TypeOf(in.A()))
	ops := &fpUcom
	if c.f.ImmOf(in.C()) != 0 {
		ops = &fpComi
	}
	if k.half() && !c.fp16() && c.halfAsSingle() {
		h := c.newHalf(v, in)
		c.v2(ops[h.sk], h.w[0][0], h.w[0][1])
		c.setFlags(v, host.LocFlagsFCmp)
		return
	}
	if c.flushes(k) {
		c.compareFlushing(v, in, k, ops)
		return
	}
	if !c.native(k) {
		viaGo(c, v, in)
		return
	}
	c.clobber()
	a, b := c.useX(in.A()), c.srcX(in.B())
	if k.half() {
		c.b.XX(ops[k], a, c.inX(b))
	} else {
		c.v2s(ops[k], a, b)
	}
	c.setFlags(v, host.LocFlagsFCmp)
	if (k == kF32 || k == kF64) && !c.clearsFPSR() {
		c.keepLazy(v, host.ComputeFCmp, c.f.TypeOf(in.A()).Bits(), in.A(), in.B())
	}
}

// clearsFPSR reports whether the unit writes FPSR: a comparison that is done once more behind
// that would raise its flags once more.
func (c *compiler) clearsFPSR() bool {
	if c.fp.clears == unknown {
		c.fp.clears = no
		for _, in := range c.f.Insts {
			if in.Op() == ir.OpSetFPSR {
				c.fp.clears = yes
				break
			}
		}
	}
	return c.fp.clears == yes
}

// orderedCond maps the A64 conditions that do not look at V when the host's flags
// are UCOMISx's of operands in order.
var orderedCond = [14]x64.Cond{x64.EQ, x64.NE, x64.AE, x64.B, x64.B, x64.AE, noCond, noCond, x64.A, x64.BE, noCond, noCond, noCond, noCond}

// fcmpCondition is flagCond for conditions of a float compare that are not one
// condition of the host's, because UCOMISx has unordered operands look equal and
// less. To A64 they look greater, but for V: that is what cold code makes of them.
func (c *compiler) fcmpCondition(f ir.Value, n int) x64.Cond {
	if p := &c.vals[f]; (p.uses > 1 || p.pend > 0) && p.reg < 0 && p.slot < 0 && p.lazy == 0 {
		locks := c.g.Locks()
		c.pack()
		c.g.SetLocks(locks)
	}
	p := c.newCold(coldSlow)
	p.emit = emitUnordered
	c.b.JccNear(x64.P, p.from)
	c.b.Bind(p.back)
	c.fl.v, c.flOf.v = ir.None, ir.None
	return orderedCond[n]
}

// emitUnordered makes the host's flags those of a first operand that is greater.
func emitUnordered(c *compiler, p *coldCode) {
	back := p.back
	c.b.RR(x64.TESTL, rStack, rStack)
	c.b.JmpNear(back)
}
