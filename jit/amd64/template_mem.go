package amd64

import (
	"emu/decoder"
	"emu/jit/asm/x64"
)

// Templates of loads and stores. An address that is not the guest's, or has a top byte,
// faults.
var templateMemoryRules = []templateRule{
	{decoder.ClassGeneral, "ldst_pos", templatePos, templateMemory},
	{decoder.ClassGeneral, "ldst_unscaled", templateUnscaled, templateMemory},
	{decoder.ClassGeneral, "ldst_immpre", templateIndexed, templateMemory},
	{decoder.ClassGeneral, "ldst_immpost", templateIndexed, templateMemory},
	{decoder.ClassGeneral, "ldst_regoff", templateRegoff, templateMemory},
	{decoder.ClassGeneral, "loadlit", templateLiteral, templateMemory},
	{decoder.ClassGeneral, "ldstpair_off", templatePair, templateMemory},
	{decoder.ClassGeneral, "ldstpair_pre", templatePair, templateMemory},
	{decoder.ClassGeneral, "ldstpair_post", templatePair, templateMemory},
	{decoder.ClassGeneral, "ldstnapair_offs", templatePair, templateMemory},
	{decoder.ClassFpsimd, "ldst_pos", templateSIMDPos, templateMemory},
	{decoder.ClassFpsimd, "ldst_unscaled", templateSIMDUnscaled, templateMemory},
	{decoder.ClassFpsimd, "ldst_immpre", templateSIMDIndexed, templateMemory},
	{decoder.ClassFpsimd, "ldst_immpost", templateSIMDIndexed, templateMemory},
	{decoder.ClassFpsimd, "ldst_regoff", templateSIMDRegoff, templateMemory},
	{decoder.ClassFpsimd, "loadlit", templateSIMDLiteral, templateMemory},
	{decoder.ClassFpsimd, "ldstpair_off", templateSIMDPair, templateMemory},
	{decoder.ClassFpsimd, "ldstpair_pre", templateSIMDPair, templateMemory},
	{decoder.ClassFpsimd, "ldstpair_post", templateSIMDPair, templateMemory},
	{decoder.ClassFpsimd, "ldstnapair_offs", templateSIMDPair, templateMemory},
}

// LDR*, STR* <Rt>, [<Xn|SP>{, #pimm}]
func templatePos(t *template, i decoder.Inst) {
	t.transfer(i, x64.At(t.xsp(i.Rn()), int32(i.Imm12()<<i.Bits(31, 30))))
}

// LDUR*, STUR* <Rt>, [<Xn|SP>{, #simm}]
func templateUnscaled(t *template, i decoder.Inst) {
	t.transfer(i, x64.At(t.xsp(i.Rn()), int32(i.Imm9())))
}

// LDR*, STR* <Rt>, [<Xn|SP>, #simm]!; LDR*, STR* <Rt>, [<Xn|SP>], #simm
func templateIndexed(t *template, i decoder.Inst) {
	if i.Rt() == i.Rn() && i.Rt() != 31 {
		t.declined = true // CONSTRAINED UNPREDICTABLE
		return
	}
	t.transfer(i, t.indexed(i, i.Imm9(), i.Bit(11) == 1))
	t.advance(i, i.Imm9())
}

// indexed is the operand of an access that changes its base by off, before it or behind.
func (t *template) indexed(i decoder.Inst, off int64, pre bool) x64.Mem {
	m := x64.At(t.xsp(i.Rn()), 0)
	if pre {
		m.Disp = int32(off)
	}
	return m
}

// advance adds off to Rn, the base of an access that is done.
func (t *template) advance(i decoder.Inst, off int64) {
	rn := i.Rn()
	n := t.xsp(rn)
	t.b.RM(x64.LEAQ, t.def(rn), x64.At(n, int32(off)))
	t.set(rn)
	if rn == 31 && off%16 != 0 {
		t.checkStack()
	}
}

// LDR*, STR* <Rt>, [<Xn|SP>, <Rm>{, extend {#amount}}]
func templateRegoff(t *template, i decoder.Inst) {
	t.transfer(i, t.regoff(i, i.Bits(31, 30)))
}

// regoff is the operand of the forms with a register offset, for an access of 1 << size
// bytes.
func (t *template) regoff(i decoder.Inst, size uint32) x64.Mem {
	n := t.xsp(i.Rn())
	if i.Rm() == 31 {
		return x64.At(n, 0)
	}
	m := t.extended(i.Rm(), i.Bits(15, 13))
	by := i.Bit(12) * size
	if by > 3 {
		if m != x64.RDX {
			t.b.RR(x64.MOVQ, x64.RDX, m)
			m = x64.RDX
		}
		t.b.RI(x64.SHLQ, x64.RDX, int32(by))
		t.lose()
		by = 0
	}
	return x64.AtIndex(n, m, 1<<by, 0)
}

// transfer loads or stores Rt as size and opc say: opc 0 stores, 1 loads and
// zero-extends, 2 and 3 sign-extend to 64 and 32 bits. Prefetches are of size 3 and opc 2.
func (t *template) transfer(i decoder.Inst, m x64.Mem) {
	size, opc, rt := i.Bits(31, 30), i.Bits(23, 22), i.Rt()
	if opc == 0 {
		t.storeTo(m, size, rt)
		return
	}
	if size == 3 && opc == 2 {
		t.prefetch(rt, m)
		return
	}
	t.loadFrom(rt, [...][4]x64.Op{
		1: {x64.MOVZBL, x64.MOVZWL, x64.MOVL, x64.MOVQ},
		2: {x64.MOVSBQ, x64.MOVSWQ, x64.MOVSLQ},
		3: {x64.MOVSBL, x64.MOVSWL},
	}[opc][size], m, x64.RDX)
}

// prefetch does what prfop says.
func (t *template) prefetch(prfop uint32, m x64.Mem) {
	if level, ok := decoder.Prefetch(prfop); ok {
		t.b.M(prefetches[level], m)
	}
}

// storeTo stores 1 << size bytes of general register rt.
func (t *template) storeTo(m x64.Mem, size, rt uint32) {
	op := x64.MOVB + x64.Op(size)
	if rt == 31 {
		t.mayFault()
		t.b.MI(op, m, 0)
		return
	}
	r := t.xsp(rt)
	t.mayFault()
	t.b.MR(op, m, r)
}

// loadFrom loads general register rt by op, or a scratch register if that is the zero
// register.
func (t *template) loadFrom(rt uint32, op x64.Op, m x64.Mem, scratch x64.Reg) {
	if rt == 31 {
		t.mayFault()
		t.b.RM(op, scratch, m)
		return
	}
	d := t.def(rt)
	t.mayFault()
	t.b.RM(op, d, m)
	t.set(rt)
}

// literal is the operand of a load relative to the pc. It may be in RDX.
func (t *template) literal(i decoder.Inst) x64.Mem {
	at := t.pc + uint64(i.Imm19())
	if at < 1<<31 {
		return x64.AtAbs(int32(at))
	}
	t.b.MovImm(x64.RDX, at)
	return x64.At(x64.RDX, 0)
}

// LDR <Rt>, <label>; LDRSW <Xt>, <label>; PRFM <prfop>, <label>
func templateLiteral(t *template, i decoder.Inst) {
	if size := i.Bits(31, 30); size < 3 {
		t.loadFrom(i.Rt(), [...]x64.Op{x64.MOVL, x64.MOVQ, x64.MOVSLQ}[size], t.literal(i), x64.RDX)
	}
}

// LDP, STP, LDPSW, LDNP, STNP <Rt>, <Rt2>, [<Xn|SP>{, #imm}]{!}; [<Xn|SP>], #imm. With
// FEAT_LSE2 all but LDPSW are one access, which makes them single-copy atomic within 16
// aligned bytes, as the host's vector moves are (translate, atomicPair). Without it stores
// are one access, too; loads are two, which find what was stored one by one in the host's
// store buffer.
func templatePair(t *template, i decoder.Inst) {
	load, size, index := i.Bit(22) == 1, 2+i.Bit(31), i.Bits(24, 23)
	a, b := i.Rt(), i.Rt2()
	back := index&1 == 1 // 1 post-index, 3 pre-index
	if load && a == b || back && i.Rn() != 31 && (i.Rn() == a || i.Rn() == b) {
		t.declined = true // CONSTRAINED UNPREDICTABLE
		return
	}
	off := i.Imm7() << size
	m := t.indexed(i, off, index != 1)
	switch {
	case load && i.Bit(30) == 1: // LDPSW
		t.mayFault()
		t.b.RM(x64.MOVSLQ, x64.RCX, m)
		t.mayFault()
		t.b.RM(x64.MOVSLQ, x64.RDX, m.Add(4))
		t.put(a, x64.RCX)
		t.put(b, x64.RDX)
	case load && size == 2:
		t.mayFault()
		t.b.RM(x64.MOVQ, x64.RDX, m)
		t.b.RR(x64.MOVL, x64.RCX, x64.RDX)
		t.b.RI(x64.SHRQ, x64.RDX, 32)
		t.lose()
		t.put(a, x64.RCX)
		t.put(b, x64.RDX)
	case load && !t.c.opt.AtomicPairs:
		t.loadTwo(a, b, m)
	case load:
		t.mayFault()
		t.b.XM(x64.MOVUPS, x64.X0, m)
		t.putHalf(a, false)
		t.putHalf(b, true)
	case size == 2:
		v, w := t.x(a, x64.RDX), t.x(b, x64.RCX)
		if w != x64.RCX {
			t.b.RR(x64.MOVQ, x64.RCX, w)
		}
		t.b.RI(x64.SHLQ, x64.RCX, 32)
		t.b.RR(x64.MOVL, x64.RDX, v)
		t.b.RR(x64.ORQ, x64.RDX, x64.RCX)
		t.lose()
		t.mayFault()
		t.b.MR(x64.MOVQ, m, x64.RDX)
	default:
		t.join(a, b)
		t.mayFault()
		t.b.MX(x64.MOVUPS, m, x64.X0)
	}
	if back {
		t.locked = 0
		t.advance(i, off)
	}
}

// loadTwo loads general registers a and b, of which the first waits for the second access,
// since that may fault.
func (t *template) loadTwo(a, b uint32, m x64.Mem) {
	t.mayFault()
	t.b.RM(x64.MOVQ, x64.RDX, m)
	t.loadFrom(b, x64.MOVQ, m.Add(8), x64.RCX)
	t.put(a, x64.RDX)
}

// putHalf sets general register n to a half of X0.
func (t *template) putHalf(n uint32, high bool) {
	if n == 31 {
		return
	}
	t.forget(n)
	p := pinned.home[n]
	switch {
	case p < 0 && high:
		t.b.MX(x64.MOVHPS, guestMem(int(n)), x64.X0)
	case p < 0:
		t.b.MX(x64.MOVQX, guestMem(int(n)), x64.X0)
	case high && t.c.feat.Has(x64.SSE41):
		t.b.RXI(x64.PEXTRQ, x64.Reg(p), x64.X0, 1)
	case high:
		t.b.XX(x64.PUNPCKHQDQ, x64.X0, x64.X0)
		t.b.RX(x64.MOVQXR, x64.Reg(p), x64.X0)
	default:
		t.b.RX(x64.MOVQXR, x64.Reg(p), x64.X0)
	}
}

// join makes X0 the pair of general registers a and b.
func (t *template) join(a, b uint32) {
	if r, ok := t.inReg(a); ok {
		t.b.XR(x64.MOVQXR, x64.X0, r)
	} else if a == 31 {
		t.b.XX(x64.XORPS, x64.X0, x64.X0)
	} else {
		t.b.XM(x64.MOVQX, x64.X0, guestMem(int(a)))
	}
	if r, ok := t.inReg(b); ok {
		t.b.XR(x64.MOVQXR, x64.X1, r)
		t.b.XX(x64.PUNPCKLQDQ, x64.X0, x64.X1)
	} else if b != 31 { // else it is clear already
		t.b.XM(x64.MOVHPS, x64.X0, guestMem(int(b)))
	}
}

// inReg returns the register that holds general register n already.
func (t *template) inReg(n uint32) (x64.Reg, bool) {
	if n == 31 {
		return 0, false
	}
	if r := pinned.home[n]; r >= 0 {
		return x64.Reg(r), true
	}
	for k, g := range t.held {
		if g == int8(n) {
			return templateRegs[k], true
		}
	}
	return 0, false
}

// SIMD&FP registers: a load clears the rest of the register.

// simdBytes is log2 of the size of a single register in bytes, 0 to 4.
func simdBytes(i decoder.Inst) uint32 { return i.Bit(23)<<2 | i.Bits(31, 30) }

// LDR, STR <V><t>, [<Xn|SP>{, #pimm}]
func templateSIMDPos(t *template, i decoder.Inst) {
	t.transferV(i, x64.At(t.xsp(i.Rn()), int32(i.Imm12()<<simdBytes(i))))
}

// LDUR, STUR <V><t>, [<Xn|SP>{, #simm}]
func templateSIMDUnscaled(t *template, i decoder.Inst) {
	t.transferV(i, x64.At(t.xsp(i.Rn()), int32(i.Imm9())))
}

// LDR, STR <V><t>, [<Xn|SP>, #simm]!; LDR, STR <V><t>, [<Xn|SP>], #simm
func templateSIMDIndexed(t *template, i decoder.Inst) {
	t.transferV(i, t.indexed(i, i.Imm9(), i.Bit(11) == 1))
	t.advance(i, i.Imm9())
}

// LDR, STR <V><t>, [<Xn|SP>, <Rm>{, extend {#amount}}]
func templateSIMDRegoff(t *template, i decoder.Inst) {
	t.transferV(i, t.regoff(i, simdBytes(i)))
}

// LDR <V><t>, <label>
func templateSIMDLiteral(t *template, i decoder.Inst) {
	t.loadV(x64.X0, 2+i.Bits(31, 30), t.literal(i))
	t.b.MX(x64.MOVUPS, guestV(i.Rt()), x64.X0)
}

func guestV(n uint32) x64.Mem { return state(offV + 16*uintptr(n)) }

func (t *template) transferV(i decoder.Inst, m x64.Mem) {
	if i.Bit(22) == 1 {
		t.loadV(x64.X0, simdBytes(i), m)
		t.b.MX(x64.MOVUPS, guestV(i.Rt()), x64.X0)
		return
	}
	t.b.XM(x64.MOVUPS, x64.X0, guestV(i.Rt()))
	t.storeV(m, simdBytes(i), x64.X0)
}

// loadV loads 1 << size bytes into x and clears the rest.
func (t *template) loadV(x x64.Xmm, size uint32, m x64.Mem) {
	t.mayFault()
	switch size {
	case 0, 1:
		t.b.RM([...]x64.Op{x64.MOVZBL, x64.MOVZWL}[size], x64.RCX, m)
		t.b.XR(x64.MOVDX, x, x64.RCX)
	default:
		t.b.XM([...]x64.Op{x64.MOVSS, x64.MOVQX, x64.MOVUPS}[size-2], x, m)
	}
}

// storeV stores the low 1 << size bytes of x.
func (t *template) storeV(m x64.Mem, size uint32, x x64.Xmm) {
	switch size {
	case 0, 1:
		t.b.RX(x64.MOVDX, x64.RCX, x)
		t.mayFault()
		t.b.MR(x64.MOVB+x64.Op(size), m, x64.RCX)
	default:
		t.mayFault()
		t.b.MX([...]x64.Op{x64.MOVSS, x64.MOVQX, x64.MOVUPS}[size-2], m, x)
	}
}

// LDP, STP, LDNP, STNP <V><t>, <V><t2>, [<Xn|SP>{, #imm}]{!}; [<Xn|SP>], #imm
func templateSIMDPair(t *template, i decoder.Inst) {
	load, size, index := i.Bit(22) == 1, 2+i.Bits(31, 30), i.Bits(24, 23)
	if load && i.Rt() == i.Rt2() {
		t.declined = true // CONSTRAINED UNPREDICTABLE
		return
	}
	off := i.Imm7() << size
	m := t.indexed(i, off, index != 1)
	second := m.Add(1 << size)
	a, b := guestV(i.Rt()), guestV(i.Rt2())
	if load {
		t.loadV(x64.X0, size, m)
		t.loadV(x64.X1, size, second)
		t.b.MX(x64.MOVUPS, a, x64.X0)
		t.b.MX(x64.MOVUPS, b, x64.X1)
	} else {
		t.b.XM(x64.MOVUPS, x64.X0, a)
		t.b.XM(x64.MOVUPS, x64.X1, b)
		t.storeV(m, size, x64.X0)
		t.storeV(second, size, x64.X1)
	}
	if index&1 == 1 {
		t.advance(i, off)
	}
}
