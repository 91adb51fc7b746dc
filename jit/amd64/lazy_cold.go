package amd64

import (
	"emu/cpu"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

// Lazy values in cold code.

// storeComputed stores the NZCV that l makes in cold code, where all registers but
// l's operands are free.
func (c *compiler) storeComputed(l host.Loc) {
	used := c.pinsHome
	l.Operands(func(o host.Operand) {
		if o.Kind == host.LocGPR {
			used |= 1 << o.Index
		}
	})
	c.computeCold(l, used)
}

func (c *compiler) computeCold(l host.Loc, used uint32) {
	if l.Op != host.ComputeSelect {
		c.packCold(c.flagsCold(l, used))
		return
	}
	otherwise, end := c.b.NewLabel(), c.b.NewLabel()
	n := int(l.Bits)
	if of := l.Select.Of; of.Op == host.ComputeSelect {
		m := guestMem(int(host.GuestNZCV))
		c.computeCold(of, used)
		c.holdsCold(m, n, otherwise, used)
	} else {
		kind := c.flagsCold(of, used)
		cc := condOf[kind-host.LocFlagsAdd][n]
		if cc == noCond { // HI, LS: C and not Z
			c.b.Op(x64.CMC)
			cc = condOf[1][n]
		}
		c.b.JccNear(cc.Invert(), otherwise)
	}
	c.computeCold(l.Select.A, used)
	c.b.JmpNear(end)
	c.b.Bind(otherwise)
	c.b.MI(x64.MOVW, guestMem(int(host.GuestNZCV)), int32(int16(l.Select.Other)))
	c.b.Bind(end)
}

// holdsCold branches to otherwise unless condition n of the NZCV at m holds.
func (c *compiler) holdsCold(m x64.Mem, n int, otherwise x64.Label, used uint32) {
	then := c.b.NewLabel()
	free, ok := spare(gprOrder, used)
	if !ok {
		panic("BUG: amd64: no scratch register in cold code")
	}
	r := x64.Reg(free)
	for nzcv := range uint32(16) {
		if host.Holds(nzcv, n) {
			c.b.RM(x64.MOVZWL, r, m)
			c.b.RI(x64.ANDL, r, 1<<bitN|1<<bitZ|1<<bitC|1<<bitV)
			c.b.RI(x64.CMPL, r, int32(cpu.PackNZCV(nzcv<<28)))
			c.b.JccNear(x64.EQ, then)
		}
	}
	c.b.JmpNear(otherwise)
	c.b.Bind(then)
}

// flagsCold makes the host's flags those of l and says of which kind they are.
func (c *compiler) flagsCold(l host.Loc, used uint32) host.LocKind {
	t := widthOf(l.Bits)
	if l.Op == host.ComputeFCmp {
		k := kF64
		if l.Bits == 32 {
			k = kF32
		}
		a := c.coldX(l.A, l.B)
		b := c.coldX(l.B, host.Operand{Kind: host.LocXMM, Index: uint16(a)})
		c.v2s(fpUcom[k], a, inReg(b))
		return host.LocFlagsFCmp
	}
	free := func() x64.Reg {
		r, ok := spare(gprOrder, used)
		if !ok {
			panic("BUG: amd64: no scratch register in cold code")
		}
		used |= 1 << r
		return x64.Reg(r)
	}
	reg := func(o host.Operand) x64.Reg {
		switch o.Kind {
		case host.LocGPR:
			return x64.Reg(o.Index)
		case host.LocSpill:
			r := free()
			c.b.RM(x64.MOVQ, r, slotMem(int16(o.Index)))
			return r
		case host.LocConst:
			r := free()
			c.b.MovImm(r, o.Const)
			return r
		}
		panic("BUG: amd64: operand of flags is nowhere")
	}
	a, b := reg(l.A), reg(l.B)
	switch l.Op {
	case host.ComputeSub:
		c.b.RR(exact(x64.CMPB, t), a, b)
		return host.LocFlagsSub
	case host.ComputeSubOf:
		d := free()
		c.b.RM(x64.LEAQ, d, x64.AtIndex(a, b, 1, 0))
		c.b.RR(exact(x64.CMPB, t), d, b)
		return host.LocFlagsSub
	case host.ComputeAnd:
		c.b.RR(exact(x64.TESTB, t), a, b)
		return host.LocFlagsAdd
	}
	d := free()
	c.b.RR(x64.MOVQ, d, a)
	if l.Op == host.ComputeAddOf {
		c.b.RR(wide(x64.SUBL, t), d, b)
	}
	c.b.RR(wide(x64.ADDL, t), d, b)
	return host.LocFlagsAdd
}

// coldX is operand o in a vector register that other is not in.
func (c *compiler) coldX(o, other host.Operand) x64.Xmm {
	if o.Kind == host.LocXMM {
		return x64.Xmm(o.Index)
	}
	r := x64.Xmm(0)
	if other.Kind == host.LocXMM && other.Index == 0 {
		r = 1
	}
	switch {
	case o.Kind == host.LocSpill:
		c.b.XM(x64.MOVUPS, r, slotMem(int16(o.Index)))
	case o.Const == 0:
		c.b.XX(x64.XORPS, r, r)
	default:
		c.b.XM(x64.MOVQX, r, c.b.Lit64(o.Const))
	}
	return r
}

// packCold stores the host's flags, which are of the kind given, as NZCV.
func (c *compiler) packCold(kind host.LocKind) {
	m := guestMem(int(host.GuestNZCV))
	if kind == host.LocFlagsFCmp {
		c.b.MI(x64.MOVW, m, 1<<bitC)
		for _, k := range [...]struct {
			skip x64.Cond
			is   int32
		}{{x64.AE, -1 << bitN}, {x64.NE, 1<<bitZ | 1<<bitC}, {x64.NP, 1<<bitC | 1<<bitV}} {
			l := c.b.NewLabel()
			c.b.JccShort(k.skip, l)
			c.b.MI(x64.MOVW, m, k.is)
			c.b.Bind(l)
		}
		return
	}
	if kind == host.LocFlagsSub {
		c.b.Op(x64.CMC)
	}
	c.lahf()
	c.b.MR(x64.MOVW, m, x64.RAX)
}
