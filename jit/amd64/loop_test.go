//go:build linux && amd64

package amd64_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"emu/cpu"
	"emu/internal/softfp"
	"emu/ir"
	"emu/ir/opt"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

// loopGen builds units as regions of guest code are: nested loops that pass
// registers along as arguments, with polls at their headers, blocks that are left
// in the middle, and loads and stores through X3, which walks towards a page that
// faults. X5 counts the iterations of all loops, so that each unit ends.
type loopGen struct {
	*ir.Builder
	r     *rand.Rand
	pc    uint64
	depth int
}

// loopRegs are the registers that loops write.
var loopRegs = ir.RegSet{X: 1<<3 | 1<<5 | 0x3fff<<8 | 0xff<<22, V: 0xff, NZCV: true}

// reg picks a register that code may write; the upper ones are rare, so that some
// loops have more than there are host registers, and some only change a few.
func (g *loopGen) reg() int { return 8 + min(g.r.IntN(14), g.r.IntN(14)) }

func (g *loopGen) insn() {
	g.pc += 4
	g.Insn(g.pc)
}

func (g *loopGen) cond() ir.Value {
	switch g.r.IntN(4) {
	case 0:
		return g.ICmp([]ir.Cond{ir.EQ, ir.NE, ir.ULT, ir.SLT}[g.r.IntN(4)], g.GetX(g.reg()), g.GetX(g.reg()))
	case 1:
		return g.ICmp(ir.NE, g.AndI(g.GetX(g.reg()), 1<<g.r.IntN(8)), g.I64(0))
	case 2:
		g.SetNZCV(g.flags())
	}
	return g.OpT(ir.OpFlagCond, ir.I1, g.GetNZCV(), ir.Imm(g.r.IntN(14)), ir.None)
}

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

// scalar puts the result of a float operation into a V register, zeros above.
func (g *loopGen) scalar() {
	t := []ir.Type{ir.F32, ir.F64}[g.r.IntN(2)]
	x := g.OpT(ir.OpFAdd, t, g.GetV(t, g.r.IntN(8)), g.GetV(t, g.r.IntN(8)), ir.None)
	v := g.Emit(ir.OpVFrom, t.VecOf(), x, ir.None, ir.None)
	g.SetV(g.r.IntN(8), g.Bitcast(ir.V16I8, v))
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
		switch g.r.IntN(14) {
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
			0x7ff8000000000123, 0xfff8000000000456, 0x7ff0000000000789, 0xfff0000000000abc}[r.IntN(10)]
	}
	half := func() uint64 {
		return []uint64{0, 1 << 31, 0x3f800000, 0x40800000, 0x7f800000, 0xff800000, 0x7fc00123, 0xffc00456, 0x7f800789, 0xff800abc}[r.IntN(10)]
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

func (g *loopGen) operation() {
	g.insn()
	x, y := g.GetX(g.reg()), g.GetX(g.reg())
	switch g.r.IntN(23) {
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

// body emits a piece of code inside of loops; it falls through, leaves a scope
// around it, or leaves the unit.
func (g *loopGen) body(n int, loops, scopes []ir.ScopeID) {
	for ; n > 0 && !g.Terminated(); n-- {
		switch k := g.r.IntN(16); {
		case k == 0:
			g.insn()
			g.If(g.cond())
			g.body(g.r.IntN(n+1), loops, scopes)
			if g.r.IntN(3) > 0 {
				g.Else()
				g.body(g.r.IntN(n+1), loops, scopes)
			}
			g.End()
		case k == 1:
			s := g.BlockRegs(loopRegs)
			g.body(g.r.IntN(n+2), loops, append(scopes, s))
			g.End()
		case k == 2 && g.depth < 3:
			g.loop(g.r.IntN(n + 4))
		case k == 3 && len(scopes) > 0:
			g.insn()
			g.If(g.cond())
			g.BreakTo(scopes[g.r.IntN(len(scopes))])
			g.End()
		case k == 4 && len(loops) > 0:
			g.insn()
			g.If(g.cond())
			g.next(loops[g.r.IntN(len(loops))])
			if g.r.IntN(2) == 0 {
				g.Else()
				g.body(g.r.IntN(n+1), loops, scopes)
			}
			g.End()
		case k == 5 && g.r.IntN(4) == 0:
			g.If(g.cond())
			g.Jump(g.pc + 0x100)
			g.End()
		case k == 6 && g.r.IntN(2) == 0:
			g.cases(n, loops, scopes)
		default:
			g.operation()
		}
	}
}

// cases is a switch as regions have it: comparisons of a target, nested in each other's
// ELSE. What each of them leads to leaves the scope around all, or another one; what none knows leaves the unit.
func (g *loopGen) cases(n int, loops, scopes []ir.ScopeID) {
	g.insn()
	s := g.BlockRegs(loopRegs)
	target := g.Add(g.ShlI(g.AndI(g.GetX(g.reg()), 7), 2), g.I64(g.pc+0x200))
	g.SetX(g.reg(), target)
	cases := 1 + g.r.IntN(5)
	for k := range cases {
		g.If(g.ICmp(ir.EQ, target, g.I64(g.pc+0x200+4*uint64(k))))
		g.body(g.r.IntN(min(n, 4)+1), loops, append(scopes, s))
		if !g.Terminated() {
			g.BreakTo(s)
		}
		g.Else()
	}
	g.insn()
	g.Poll(g.pc)
	g.JumpInd(target)
	for range cases {
		g.End()
	}
	g.End()
}

// next goes to the header of the loop s unless the iterations are used up.
func (g *loopGen) next(s ir.ScopeID) {
	g.insn()
	left := g.SubI(g.GetX(5), 1)
	g.SetX(5, left)
	done := g.ICmp(ir.SLT, left, g.I64(0))
	g.If(done)
	if g.r.IntN(2) == 0 {
		g.BreakTo(s)
		g.Else()
		g.ContinueTo(s)
	} else {
		g.Jump(g.pc + 4)
		g.Else()
		g.ContinueTo(s)
	}
	g.End()
}

func (g *loopGen) loop(n int) {
	g.depth++
	g.pc += 4
	s := g.LoopRegs(loopRegs)
	g.Insn(g.pc)
	g.Poll(g.pc)
	g.body(n, []ir.ScopeID{s}, []ir.ScopeID{s})
	if !g.Terminated() {
		switch g.r.IntN(3) {
		case 0: // leaves at the bottom: IF again, ELSE out
			g.insn()
			left := g.SubI(g.GetX(5), 1)
			g.SetX(5, left)
			f := g.Op2(ir.OpSubF, left, g.I64(0))
			g.SetNZCV(f)
			g.If(g.OpT(ir.OpFlagCond, ir.I1, f, ir.Imm(12), ir.None))
			g.ContinueTo(s)
			g.Else()
			g.BreakTo(s)
			g.End()
		case 1: // leaves in the middle: IF out, ELSE goes on
			g.insn()
			g.If(g.ICmp(ir.SLT, g.GetX(5), g.I64(1)))
			g.BreakTo(s)
			g.Else()
			g.body(g.r.IntN(n+1), []ir.ScopeID{s}, []ir.ScopeID{s})
			if !g.Terminated() {
				g.SetX(5, g.SubI(g.GetX(5), 1))
				g.ContinueTo(s)
			}
			g.End()
		default:
			g.next(s)
		}
	}
	g.End()
	g.depth--
}

// build makes the unit of a seed and runs passes on it.
func (g *loopGen) build(f *ir.Func, seed uint64, passes []opt.Pass) {
	g.Builder, g.r, g.pc, g.depth = ir.NewBuilder(f), rand.New(rand.NewPCG(seed, 21)), 0x1000, 0
	g.Reset(0x1000)
	g.Insn(0x1000)
	for range g.r.IntN(4) {
		g.operation()
	}
	g.loop(2 + g.r.IntN(14))
	g.body(3, nil, nil)
	if !g.Terminated() {
		g.Jump(g.pc + 4)
	}
	f.Size = uint32(g.pc + 8 - 0x1000)
	opt.Run(opt.NewWork(), f, passes, nil)
}

// TestLoops: random nests of loops do the same as in the interpreter: with polls
// taken, with faults at any iteration, on few and many registers.
func TestLoops(t *testing.T) {
	n := newBench(t)
	f := ir.NewFunc(8192)
	var g loopGen
	all := uint64(x64.Detect())
	kinds := map[cpu.ExitKind]int{}
	vectors := 0 // units in which pairs have become vectors
	var plain result
	for seed := uint64(*first); seed < uint64(*first+*seeds); seed++ {
		some := rand.New(rand.NewPCG(seed, 24))
		subset := slices.DeleteFunc(slices.Clone(opt.Passes), func(opt.Pass) bool { return some.IntN(2) == 0 })
		for k, passes := range [][]opt.Pass{nil, opt.Passes, subset} {
			g.build(f, seed, passes)
			if err := f.Verify(); err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, f)
			}
			o := host.Options{Verify: true}
			if seed%3 > 0 {
				o.Features = all
			}
			o.NoFold = seed%5 == 0
			if seed%7 == 3 {
				o.FPCR = softfp.DN
			}
			if n.unwatched = seed%2 == 0; !n.unwatched {
				o.FPCR |= cpu.FPCRWatched
			}
			report := n.compare(f, o, func(s *cpu.State, mem []byte) {
				r := rand.New(rand.NewPCG(seed, 22))
				randomState(s, r)
				for i := range mem {
					mem[i] = byte(r.Uint32())
				}
				s.X[3] = n.address() + 4096 - 48 - 16*uint64(r.IntN(12))
				if r.IntN(2) == 0 {
					s.X[3] = n.address()
				}
				s.X[5] = uint64(r.IntN(40))
				s.FPCR = o.FPCR
				for n := range 8 * r.IntN(2) {
					s.V[n] = [2]uint64{floats(r), floats(r)}
				}
				if r.IntN(8) == 0 {
					s.Pending = 1
				}
			})
			if report != "" {
				dumpFailure(report)
				t.Fatalf("seed %d, passes %d: the engines disagree:\n%s", seed, k, report)
			}
			s := n.m.State
			kinds[cpu.ExitKind(s.Exit)]++
			after := resultOf(s, cpu.ExitKind(s.Exit), 0, n.mem)
			if k == 0 {
				plain = after
				continue
			}
			if d := plain.diff(&after); d != "" {
				t.Fatalf("seed %d: passes %d change what it does:\n%s", seed, k, d)
			}
			vectors += hasPairs(f)
		}
	}
	if kinds[cpu.ExitFault] < *seeds/20 || kinds[cpu.ExitPoll] < *seeds/20 {
		t.Errorf("too few faults or polls: %v", kinds)
	}
	if vectors < *seeds/10 {
		t.Errorf("only %d of %d units have pairs in vectors", vectors, *seeds)
	}
}

// hasPairs is 1 if f stores a vector that was loaded as two lanes, 0 else.
func hasPairs(f *ir.Func) int {
	for _, in := range f.Insts {
		if in.Op() == ir.OpStore && f.TypeOf(in.A()) == ir.V2I64 {
			return 1
		}
	}
	return 0
}

// TestBitTestForgetsResultFlags: a condition of packed flags tests a bit, after
// which the host's flags are no longer those of the result before it.
func TestBitTestForgetsResultFlags(t *testing.T) {
	n := newBench(t)
	f := parse(t, `func 0x1000 size 8
		insn #0x1000
		v1:i64 = getx #0
		v2:i64 = getx #1
		v3:i64 = and v1, v2
		v4:flags = getnzcv
		v5:i1 = cond.vc v4
		v6:i64 = zext v5
		setx #2, v6
		v8:flags = nz v3
		setnzcv v8
		setx #3, v3
		jump #0x1008`)
	for seed := range uint64(200) {
		report := n.compare(f, host.Options{Verify: true}, func(s *cpu.State, mem []byte) {
			randomState(s, rand.New(rand.NewPCG(seed, 23)))
		})
		if report != "" {
			t.Fatalf("seed %d:\n%s", seed, report)
		}
	}
}
