//go:build linux && amd64

package amd64_test

import (
	"math/rand/v2"

	"emu/cpu"
	"emu/ir"
	"emu/ir/opt"
)

// loopGen builds units as regions of guest code are: nested loops that pass
// registers along as arguments, with polls at their headers or on their ways back, blocks that are left
// in the middle, and loads and stores through X3, which walks towards a page that
// faults. X5 counts the iterations of all loops, so that each unit ends.
type loopGen struct {
	*ir.Builder
	r     *rand.Rand
	pc    uint64
	depth int
	polls map[ir.ScopeID]bool // on the ways back to the loop, rather than at its header
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
	switch g.r.IntN(5) {
	case 4:
		arms := []ir.Value{g.cond(), g.Const(ir.I1, uint64(g.r.IntN(2)))}
		k := g.r.IntN(2)
		return g.Select(g.cond(), arms[k], arms[1-k])
	case 0:
		return g.ICmp([]ir.Cond{ir.EQ, ir.NE, ir.ULT, ir.SLT}[g.r.IntN(4)], g.GetX(g.reg()), g.GetX(g.reg()))
	case 1:
		return g.ICmp(ir.NE, g.AndI(g.GetX(g.reg()), 1<<g.r.IntN(8)), g.I64(0))
	case 2:
		g.SetNZCV(g.flags())
	}
	return g.OpT(ir.OpFlagCond, ir.I1, g.GetNZCV(), ir.Imm(g.r.IntN(14)), ir.None)
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
			if g.r.IntN(6) > 0 {
				g.loop(g.r.IntN(n + 4))
			} else {
				g.interpreter(n)
			}
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
	base := []uint64{g.pc + 0x200, -g.pc, 1 << 40}[max(g.r.IntN(8)-5, 0)]
	shift, many := g.r.IntN(4), g.r.IntN(3) == 0 // enough for a table
	cases := 1 + g.r.IntN(5)
	if many {
		cases = 6 + g.r.IntN(12)
	}
	target := g.Add(g.ShlI(g.AndI(g.GetX(g.reg()), 15), shift), g.I64(base))
	g.SetX(g.reg(), target)
	for _, k := range g.r.Perm(cases + 2)[:cases] {
		g.If(g.ICmp(ir.EQ, target, g.I64(base+uint64(k)<<2)))
		g.body(g.r.IntN(min(n, 4)+1), loops, append(scopes, s))
		if !g.Terminated() {
			g.BreakTo(s)
		}
		g.Else()
	}
	g.insn()
	g.Poll(g.pc)
	g.JumpInd(target, cpu.BranchIP)
	for range cases {
		g.End()
	}
	g.End()
}

// interpreter is a loop that begins with a switch, of a target that the cases choose at their ends.
func (g *loopGen) interpreter(n int) {
	g.depth++
	g.insn()
	reg, base := g.reg(), g.pc+0x200
	choose := func() { g.SetX(reg, g.Add(g.ShlI(g.AndI(g.GetX(g.reg()), 15), 2), g.I64(base))) }
	choose()
	s := g.LoopRegs(loopRegs)
	g.Insn(g.pc)
	g.polls[s] = true
	target := g.GetX(reg)
	cases := 6 + g.r.IntN(9)
	for _, k := range g.r.Perm(15)[:cases] {
		g.If(g.ICmp(ir.EQ, target, g.I64(base+uint64(k)<<2)))
		g.body(g.r.IntN(min(n, 4)+1), []ir.ScopeID{s}, []ir.ScopeID{s})
		if !g.Terminated() {
			choose()
			g.next(s)
		}
		g.Else()
	}
	g.insn()
	if g.r.IntN(2) == 0 {
		g.JumpInd(target, cpu.BranchIP)
	} else {
		g.BreakTo(s)
	}
	for range cases {
		g.End()
	}
	g.End()
	g.depth--
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
		g.back(s)
	} else {
		g.Jump(g.pc + 4)
		g.Else()
		g.back(s)
	}
	g.End()
}

// back goes to the header of the loop s.
func (g *loopGen) back(s ir.ScopeID) {
	if g.polls[s] {
		g.insn()
		g.Poll(g.pc)
	}
	g.ContinueTo(s)
}

func (g *loopGen) loop(n int) {
	g.depth++
	g.pc += 4
	count := g.counting()
	if g.r.IntN(2) == 0 {
		count()
	}
	s := g.LoopRegs(loopRegs)
	g.Insn(g.pc)
	if g.polls[s] = g.r.IntN(2) == 0; !g.polls[s] {
		g.Poll(g.pc)
	}
	g.body(n, []ir.ScopeID{s}, []ir.ScopeID{s})
	if !g.Terminated() {
		switch g.r.IntN(3) {
		case 0: // leaves at the bottom: IF again, ELSE out
			g.insn()
			left := g.SubI(g.GetX(5), 1)
			g.SetX(5, left)
			if g.r.IntN(2) == 0 {
				count()
				g.If(g.ICmp(ir.SGT, left, g.I64(0)))
			} else {
				f := g.Op2(ir.OpSubF, left, g.I64(0))
				g.SetNZCV(f)
				g.If(g.OpT(ir.OpFlagCond, ir.I1, f, ir.Imm(12), ir.None))
			}
			g.back(s)
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
				g.back(s)
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
	g.Builder, g.r, g.pc, g.depth, g.polls = ir.NewBuilder(f), rand.New(rand.NewPCG(seed, 21)), 0x1000, 0, map[ir.ScopeID]bool{}
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
