package amd64

import (
	"math/bits"

	"emu/cpu"
	"emu/ir"
	"emu/jit/asm/x64"
)

// Operands: where they are and how an instruction gets at them.

// useR returns a general register that holds v until the instruction ends. It
// must not be changed. The host's flags stay as they are.
func (c *compiler) useR(v ir.Value) x64.Reg {
	v = c.ready(v)
	if v.IsConst() {
		r := c.tempR()
		c.b.MovImm(r, c.constBits(v))
		return r
	}
	p := &c.vals[v]
	if p.reg < 0 {
		switch {
		case p.slot >= 0:
			r := c.tempR()
			c.b.RM(x64.MOVQ, r, slotMem(p.slot))
			c.bindR(v, r)
		case c.fl.v == v:
			c.pack()
		case p.lazy != 0:
			if c.relive(v); p.reg < 0 {
				c.pack()
			}
		default:
			panic("BUG: amd64: use of a value that is nowhere: " + c.f.Insts[v].Op().String())
		}
	}
	c.g.Lock(uint8(p.reg))
	c.g.Touch(uint8(p.reg))
	return x64.Reg(p.reg)
}

// inMemory returns where an instruction can read a general value without a register, which are short then: the slot of one
// that is only there, or a literal for a constant that is no immediate.
func (c *compiler) inMemory(v ir.Value) (x64.Mem, bool) {
	v = c.root(v)
	if k, ok := c.constI(v); ok && k>>32 != 0 && int64(int32(k)) != int64(k) {
		return c.b.Lit64(k), true
	}
	if !v.IsSSA() {
		return x64.Mem{}, false
	}
	p := &c.vals[v]
	if p.inX || p.form != formHere || p.reg >= 0 || p.slot < 0 {
		return x64.Mem{}, false
	}
	return slotMem(p.slot), true
}

// constBits is what a register holds for a constant operand; flags take the form
// of State.NZCV.
func (c *compiler) constBits(v ir.Value) uint64 {
	k, _ := c.f.ConstOf(v)
	if k.Type == ir.Flags {
		return uint64(cpu.PackNZCV(uint32(k.Lo) << 28))
	}
	return k.Lo
}

// constI returns the value of an integer constant operand.
func (c *compiler) constI(v ir.Value) (n uint64, ok bool) {
	v = c.root(v)
	if !v.IsConst() {
		return 0, false
	}
	k, _ := c.f.ConstOf(v)
	return k.Lo, true
}

// const32 returns a constant operand of type t as the sign-extended immediate of
// an instruction of that width, if it is one.
func (c *compiler) const32(v ir.Value, t ir.Type) (n int32, ok bool) {
	k, ok := c.constI(v)
	if !ok {
		return 0, false
	}
	switch t {
	case ir.I64:
		n = int32(k)
		return n, int64(n) == int64(k)
	case ir.I16:
		return int32(int16(k)), true
	case ir.I8, ir.I1:
		return int32(int8(k)), true
	}
	return int32(k), true
}

// useX returns a vector register that holds v until the instruction ends. It
// must not be changed.
func (c *compiler) useX(v ir.Value) x64.Xmm {
	v = c.root(v)
	if v.IsConst() {
		r := c.tempX()
		c.loadConstX(r, v)
		return r
	}
	p := &c.vals[v]
	if p.reg < 0 {
		if p.slot < 0 && p.lazy != 0 {
			return c.reliveX(v)
		}
		if p.slot < 0 {
			panic("BUG: amd64: use of a value that is nowhere: " + c.f.Insts[v].Op().String())
		}
		r := c.tempX()
		c.b.XM(x64.MOVUPS, r, slotMem(p.slot))
		c.bindX(v, r)
	}
	c.x.Lock(uint8(p.reg))
	c.x.Touch(uint8(p.reg))
	return x64.Xmm(p.reg)
}

func (c *compiler) loadConstX(r x64.Xmm, v ir.Value) {
	k, _ := c.f.ConstOf(v)
	if k.Lo == 0 && k.Hi == 0 {
		c.b.XX(x64.XORPS, r, r)
		return
	}
	c.b.XM(x64.MOVUPS, r, c.b.Lit128(k.Lo, k.Hi))
}

// useIn reserves r and puts v in it, for the current instruction to change.
func (c *compiler) useIn(v ir.Value, r x64.Reg) {
	v = c.ready(v)
	if v.IsSSA() {
		p := &c.vals[v]
		if p.reg == int8(r) {
			if c.dies(v) && c.usesNow(v) == 1 {
				c.g.Lock(uint8(r))
				c.consume(v)
				return
			}
			c.reserve(r) // moves v away; r still holds it
			return
		}
		if p.reg < 0 && p.slot < 0 {
			c.useR(v)
		}
	}
	c.reserve(r)
	c.loadInto(r, v)
}

// loadInto copies v to r, which is reserved or scratch.
func (c *compiler) loadInto(r x64.Reg, v ir.Value) {
	v = c.ready(v)
	if v.IsConst() {
		c.b.MovImm(r, c.constBits(v))
		return
	}
	p := &c.vals[v]
	if p.reg < 0 && p.slot >= 0 {
		c.b.RM(x64.MOVQ, r, slotMem(p.slot))
		return
	}
	// The copy is all that is needed: where v lives may be reserved next.
	locks := c.g.Locks()
	if s := c.useR(v); s != r {
		c.b.RR(x64.MOVQ, r, s)
	}
	c.g.SetLocks(locks)
}

// moveR copies a register at the width of t. 32-bit copies clear the upper half.
func (c *compiler) moveR(dst, src x64.Reg, t ir.Type) {
	if t == ir.I64 {
		c.b.RR(x64.MOVQ, dst, src)
		return
	}
	c.b.RR(x64.MOVL, dst, src)
}

// zero notes that all bits of v's register from bit n up are zero.
func (c *compiler) zero(v ir.Value, n uint8) { c.vals[v].zbits = n }

// within is zero, but keeps what is known already if that is more.
func (c *compiler) within(v ir.Value, n uint8) { c.vals[v].zbits = min(c.vals[v].zbits, n) }

// zbits returns from which bit on the register of v is known to be zero.
func (c *compiler) zbits(v ir.Value) uint8 {
	v = c.root(v)
	if v.IsConst() {
		return uint8(bits.Len64(c.constBits(v))) // loaded zero-extended
	}
	return c.vals[v].zbits
}

// useZ returns a register that holds v, of at most n bits, zero-extended from n
// bits (8, 16 or 32) to 64. The host's flags stay.
func (c *compiler) useZ(v ir.Value, n uint8) x64.Reg {
	v = c.ready(v)
	if v.IsConst() {
		r := c.tempR()
		k := c.constBits(v)
		c.b.MovImm(r, k&(1<<n-1))
		return r
	}
	r := c.useR(v)
	p := &c.vals[v]
	if p.zbits <= n {
		return r
	}
	if p.slot < 0 && p.pend == 0 && c.f.TypeOf(v).Bits() <= int(n) {
		// The upper bits mean nothing to anyone: clear them for all.
		c.extend(r, r, n)
		p.zbits = n
		return r
	}
	t := c.tempR()
	c.extend(t, r, n)
	return t
}

// extend zero-extends the low n bits (8, 16, 32) of src.
func (c *compiler) extend(dst, src x64.Reg, n uint8) {
	switch n {
	case 8:
		c.b.RR(x64.MOVZBL, dst, src)
	case 16:
		c.b.RR(x64.MOVZWL, dst, src)
	default:
		c.b.RR(x64.MOVL, dst, src)
	}
}

// extendS sign-extends the low n bits (8, 16, 32) of src to a type.
func (c *compiler) extendS(dst, src x64.Reg, n int, to ir.Type) {
	switch {
	case n == 8 && to == ir.I64:
		c.b.RR(x64.MOVSBQ, dst, src)
	case n == 8:
		c.b.RR(x64.MOVSBL, dst, src)
	case n == 16 && to == ir.I64:
		c.b.RR(x64.MOVSWQ, dst, src)
	case n == 16:
		c.b.RR(x64.MOVSWL, dst, src)
	case to == ir.I64:
		c.b.RR(x64.MOVSLQ, dst, src)
	default:
		c.b.RR(x64.MOVL, dst, src)
	}
}
