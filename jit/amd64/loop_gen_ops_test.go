//go:build linux && amd64

package amd64_test

import (
	"math/rand/v2"

	"emu/cpu"
	"emu/ir"
)

// flags are those of a random compare.
func (g *loopGen) flags() ir.Value {
	x, y := g.GetX(g.reg()), g.GetX(g.reg())
	if g.r.IntN(3) == 0 {
		y = g.I64([]uint64{0, 1, ^uint64(0), 1 << 31, 1 << 63, 77}[g.r.IntN(6)])
	}
	if g.r.IntN(2) == 0 {
		x, y = g.Trunc(ir.I32, x), g.Trunc(ir.I32, y)
	}
	switch g.r.IntN(6) {
	case 5: // CCMP, perhaps of a CCMP
		c := g.OpT(ir.OpFlagCond, ir.I1, g.flags(), ir.Imm(g.r.IntN(14)), ir.None)
		if g.r.IntN(3) == 0 {
			g.SetX(g.reg(), g.Zext(ir.I64, c)) // it is a number as well
		}
		return g.Select(c,
			g.Op2(ir.OpSubF, x, y), g.Const(ir.Flags, uint64(g.r.IntN(16))))
	case 0:
		return g.Op2(ir.OpAddF, x, y)
	case 1:
		return g.Op1(ir.OpNZ, g.And(x, y))
	case 2:
		t := ir.F64
		if g.TypeOf(x) == ir.I32 {
			t = ir.F32
		}
		return g.OpT(ir.OpFCmpF, ir.Flags, g.Bitcast(t, x), g.Bitcast(t, y), ir.Imm(g.r.IntN(2)))
	}
	return g.Op2(ir.OpSubF, x, y)
}

// inPlace is SUBS or ADDS of a register to itself.
func (g *loopGen) inPlace() {
	n := g.reg()
	op, flags := ir.OpSub, ir.OpSubF
	if g.r.IntN(2) == 0 {
		op, flags = ir.OpAdd, ir.OpAddF
	}
	x, y := g.GetX(n), g.I64(uint64(g.r.IntN(5)))
	if g.r.IntN(2) == 0 {
		y = g.GetX(g.reg())
	}
	if g.r.IntN(2) == 0 {
		x, y = g.Trunc(ir.I32, x), g.Trunc(ir.I32, y)
	}
	d, f := g.Op2(op, x, y), g.Op2(flags, x, y)
	g.SetX(n, g.Zext(ir.I64, d))
	g.SetNZCV(f)
}

// counting draws SUBS or ADDS of a register to itself as a loop has it that counts: in front
// of the loop and at the end of its body it is the same, by a constant or by a register that loops do not write.
func (g *loopGen) counting() func() {
	n, sub, narrow, by := g.reg(), g.r.IntN(2) == 0, g.r.IntN(2) == 0, g.r.IntN(6)
	return func() {
		op, flags := ir.OpAdd, ir.OpAddF
		if sub {
			op, flags = ir.OpSub, ir.OpSubF
		}
		x, y := g.GetX(n), g.I64(uint64(by))
		if by == 0 {
			y = g.GetX(2)
		}
		if narrow {
			x, y = g.Trunc(ir.I32, x), g.Trunc(ir.I32, y)
		}
		d, f := g.Op2(op, x, y), g.Op2(flags, x, y)
		if narrow {
			d = g.Zext(ir.I64, d)
		}
		g.SetX(n, d)
		g.SetNZCV(f)
	}
}

// scalar puts the result of a float operation, or an integer, which may be an X register's as well, into a V
// register, zeros above.
func (g *loopGen) scalar() {
	t := []ir.Type{ir.F32, ir.F64}[g.r.IntN(2)]
	var x ir.Value
	switch g.r.IntN(3) {
	case 0:
		t = t.IntOf()
		if x = g.GetX(g.reg()); t == ir.I32 {
			x = g.Sub(g.Trunc(ir.I32, x), g.Const(ir.I32, 1))
		}
		if g.r.IntN(2) == 0 {
			g.SetX(g.reg(), g.Zext(ir.I64, x))
		}
	default:
		x = g.OpT(ir.OpFAdd, t, g.GetV(t, g.r.IntN(8)), g.GetV(t, g.r.IntN(8)), ir.None)
	}
	v := g.Emit(ir.OpVFrom, t.VecOf(), x, ir.None, ir.None)
	g.SetV(g.r.IntN(8), g.Bitcast(ir.V16I8, v))
}

// status reads or writes FPSR, or sets the rounding mode. Underflow is not exact in code
// for guests that have not looked.
func (g *loopGen) status() {
	switch g.r.IntN(4) {
	case 0:
		g.Op1(ir.OpSetFPSR, g.GetX(g.reg()))
		return
	case 1:
		g.Op2(ir.OpSetSys, ir.Imm(int(ir.SysRMode)), g.GetX(g.reg()))
		return
	}
	v := g.OpT(ir.OpGetFPSR, ir.I64, ir.None, ir.None, ir.None)
	g.SetX(g.reg(), g.AndI(v, ^uint64(cpu.FPSRUnderflow)))
}

// chain is a few float operations in a row, on scalars or vectors.
func (g *loopGen) chain() {
	t := []ir.Type{ir.F32, ir.F64, ir.V4F32, ir.V2F64}[g.r.IntN(4)]
	get := func() ir.Value { return g.GetV(t, g.r.IntN(8)) }
	vals := []ir.Value{get(), get(), get()}
	pick := func() ir.Value { return vals[len(vals)-1-min(g.r.IntN(len(vals)), g.r.IntN(len(vals)))] }
	set := func(v ir.Value) {
		if !t.IsVec() {
			v = g.Emit(ir.OpVFrom, t.VecOf(), v, ir.None, ir.None)
		}
		g.SetV(g.r.IntN(8), g.Bitcast(ir.V16I8, v))
	}
	for range 1 + g.r.IntN(9) {
		g.insn()
		var v ir.Value
		switch g.r.IntN(12) {
		case 0:
			v = g.OpT(ir.OpFNeg, t, pick(), ir.None, ir.None)
		case 1:
			v = g.OpT(ir.OpFSqrt, t, pick(), ir.None, ir.None)
		case 2, 3, 4:
			x, y, z := pick(), pick(), pick()
			if g.r.IntN(3) == 0 {
				x = g.OpT(ir.OpFNeg, t, x, ir.None, ir.None)
			}
			if g.r.IntN(3) == 0 {
				y = g.OpT(ir.OpFNeg, t, y, ir.None, ir.None)
			}
			v = g.Emit(ir.OpFMA, t, x, y, z)
		case 5:
			v = g.OpT(ir.OpFMaxNM, t, pick(), pick(), ir.None)
		default:
			v = g.OpT([]ir.Op{ir.OpFAdd, ir.OpFSub, ir.OpFMul, ir.OpFDiv}[g.r.IntN(4)], t, pick(), pick(), ir.None)
		}
		vals = append(vals, v)
		switch g.r.IntN(15) {
		case 8:
			g.status()
		case 0, 1, 2, 3:
			set(v)
		case 4:
			vals = append(vals, get())
		case 5:
			g.Store(v, g.GetX(3), g.I64(0))
		case 6:
			g.SetX(g.reg(), g.Load(ir.I64, g.GetX(3), g.I64(8)))
		case 7:
			if !t.IsVec() {
				g.SetNZCV(g.OpT(ir.OpFCmpF, ir.Flags, v, pick(), ir.Imm(0)))
			}
		}
	}
	if g.r.IntN(4) > 0 {
		set(vals[len(vals)-1])
	}
}

// floats are what NaNs are made from, in both precisions.
func floats(r *rand.Rand) uint64 {
	if r.IntN(2) == 0 {
		return []uint64{0, 1 << 63, 0x3ff0000000000000, 0x4010000000000000, 0x7ff0000000000000, 0xfff0000000000000,
			0x7ff8000000000123, 0xfff8000000000456, 0x7ff0000000000789, 0xfff0000000000abc, 5, 1 << 52}[r.IntN(12)]
	}
	half := func() uint64 {
		return []uint64{0, 1 << 31, 0x3f800000, 0x40800000, 0x7f800000, 0xff800000, 0x7fc00123, 0xffc00456, 0x7f800789, 0xff800abc, 1<<31 | 5, 1 << 23}[r.IntN(12)]
	}
	return half() | half()<<32
}

// pair is LDP or STP of two registers that hardly anything else uses.
func (g *loopGen) pair() {
	n := 22 + 2*g.r.IntN(4)
	m := n + 1
	switch g.r.IntN(12) {
	case 0:
		n, m = m, n
	case 1:
		n, m = 19, 20 // in host registers at the border
	case 2:
		n = g.reg()
	case 3:
		g.SetX(g.reg(), g.GetX(n))
	}
	p, off := g.GetX(3), 8*uint64(g.r.IntN(4))
	if g.r.IntN(2) == 0 {
		v, w := g.Load(ir.I64, p, g.I64(off)), g.Load(ir.I64, p, g.I64(off+8))
		g.SetX(n, v)
		g.SetX(m, w)
		if g.r.IntN(3) > 0 {
			return
		}
		g.insn()
	}
	x, y := g.GetX(n), g.GetX(m)
	g.Store(x, p, g.I64(off+32))
	g.Store(y, p, g.I64(off+40))
}

// exclusive emits a load-exclusive and a store-exclusive, perhaps behind a condition.
func (g *loopGen) exclusive() {
	t := [...]ir.Type{ir.I8, ir.I16, ir.I32, ir.I64}[g.r.IntN(4)]
	p, x := g.GetX(3), g.GetX(g.reg())
	old := g.OpT(ir.OpLoadEx, t, p, ir.None, ir.None)
	wide := g.Zext(ir.I64, old)
	g.SetX(g.reg(), wide)
	g.insn()
	now := x
	if g.r.IntN(4) > 0 {
		op := [...]ir.Op{ir.OpAdd, ir.OpSub, ir.OpAnd, ir.OpAndNot, ir.OpOr, ir.OpOrNot, ir.OpXor, ir.OpMul}[g.r.IntN(8)]
		if g.r.IntN(4) == 0 {
			now = g.Op2(op, x, wide)
		} else {
			now = g.Op2(op, wide, x)
		}
	}
	g.SetX(g.reg(), now)
	compare := g.r.IntN(3) == 0
	if compare {
		g.insn()
		g.If(g.ICmp(ir.ULT, g.Trunc(ir.I32, wide), g.Trunc(ir.I32, x)))
	}
	g.insn()
	status := g.Op2(ir.OpStoreEx, p, g.Trunc(t, now))
	g.SetX(g.reg(), g.Zext(ir.I64, status))
	if compare {
		if g.r.IntN(2) == 0 {
			g.Else()
			g.SetX(g.reg(), g.Zext(ir.I64, g.Op2(ir.OpStoreEx, p, g.Trunc(t, x))))
		}
		g.End()
		if g.r.IntN(2) == 0 {
			g.SetX(g.reg(), g.Zext(ir.I64, g.Op2(ir.OpStoreEx, p, old)))
		}
	}
}

// scaled is an index that is shifted, for sums and addresses.
func (g *loopGen) scaled() {
	x, base := g.GetX(g.reg()), g.GetX(3)
	index, near := g.AndI(x, 3), true
	switch g.r.IntN(4) {
	case 0:
		index = g.Sext(ir.I64, g.Trunc(ir.I32, index))
	case 1:
		index, near = g.GetX(g.reg()), false
	}
	if g.r.IntN(3) == 0 {
		index = g.Trunc(ir.I32, index)
	}
	t := g.TypeOf(index)
	other := []ir.Value{g.GetX(g.reg()), base, g.I64(g.r.Uint64() >> g.r.IntN(64)), x}[g.r.IntN(4)]
	if t == ir.I32 {
		other = g.Trunc(t, other)
	}
	shifted := g.ShlI(index, g.r.IntN(5))
	for range 1 + g.r.IntN(4) {
		switch v := shifted; g.r.IntN(6) {
		case 0:
			g.SetX(g.reg(), g.Zext(ir.I64, v))
		case 1:
			if t == ir.I64 && near {
				g.SetX(g.reg(), g.Load(ir.I64, base, v))
				continue
			}
			fallthrough
		case 2:
			g.SetNZCV(g.Op2(ir.OpAddF, other, v))
			fallthrough
		default:
			v = g.Add(other, v)
			if t == ir.I64 && other == base && near && g.r.IntN(2) == 0 {
				g.insn()
				g.SetX(g.reg(), g.Load(ir.I64, v, g.I64(0))) // it may fault
			}
			g.SetX(g.reg(), g.Zext(ir.I64, v))
		}
	}
}

// signed is a load whose result is extended with the sign, and perhaps with zeros.
func (g *loopGen) signed() {
	t := [...]ir.Type{ir.I8, ir.I16, ir.I32}[g.r.IntN(3)]
	v := g.Load(t, g.GetX(3), g.I64(uint64(g.r.IntN(32))))
	w := g.Zext(ir.I64, v)
	if g.r.IntN(2) == 0 {
		g.SetX(g.reg(), w)
	}
	switch g.r.IntN(3) {
	case 0:
		g.SetX(3, g.GetX(3))
	case 1:
		g.insn()
		g.SetX(g.reg(), g.Load(ir.I64, g.GetX(3), g.I64(8)))
	}
	to := [...]ir.Type{ir.I32, ir.I64}[g.r.IntN(2)]
	s := g.Op3(ir.OpSbfx, g.Trunc(to, w), ir.Imm(0), ir.Imm(t.Bits()))
	g.SetX(g.reg(), g.Zext(ir.I64, s))
}

func (g *loopGen) operation() {
	g.insn()
	x, y := g.GetX(g.reg()), g.GetX(g.reg())
	switch g.r.IntN(28) {
	case 27:
		g.Pause(g.pc + 4)
	case 23, 24, 25:
		g.scaled()
	case 26:
		g.signed()
	case 21, 22:
		g.exclusive()
	case 19, 20:
		g.chain()
	case 15, 16, 17, 18:
		g.pair()
	case 12:
		g.SetNZCV(g.flags())
	case 13:
		g.inPlace()
	case 14:
		g.scalar()
	case 0, 1:
		g.SetX(g.reg(), g.Add(x, y))
	case 2:
		g.SetX(g.reg(), g.XorI(x, g.r.Uint64()))
	case 3:
		g.SetX(g.reg(), g.Zext(ir.I64, g.Sub(g.Trunc(ir.I32, x), g.Trunc(ir.I32, y))))
	case 4:
		d := g.Sub(x, y)
		g.SetNZCV(g.Op2(ir.OpSubF, x, y))
		g.SetX(g.reg(), d)
	case 5:
		g.SetX(g.reg(), g.Load(ir.I64, g.GetX(3), g.I64(8*uint64(g.r.IntN(4)))))
	case 6:
		g.Store(x, g.GetX(3), g.I64(8*uint64(g.r.IntN(4))))
	case 7:
		p := g.GetX(3)
		g.SetV(g.r.IntN(8), g.Load(ir.V16I8, p, g.I64(0)))
		g.SetX(3, g.AddI(p, 16))
	case 8:
		v := g.Op2(ir.OpAdd, g.GetV(ir.V4I32, g.r.IntN(8)), g.GetV(ir.V4I32, g.r.IntN(8)))
		g.SetV(g.r.IntN(8), g.Bitcast(ir.V16I8, v))
	case 9:
		g.Store(g.GetV(ir.V16I8, g.r.IntN(8)), g.GetX(3), g.I64(0))
	case 10:
		g.SetX(g.reg(), g.I64(uint64(g.r.IntN(100))))
	case 11:
		g.SetNZCV(g.Op1(ir.OpNZ, x))
		g.SetX(g.reg(), g.Mul(x, y))
	}
}
