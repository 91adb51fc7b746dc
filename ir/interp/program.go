// Package interp evaluates ir.Funcs on a cpu.State. It is the oracle for passes
// and backends, the engine on hosts without a backend, and -tier=interp.
package interp

import (
	"fmt"

	"emu/cpu"
	"emu/ir"
)

// Program is a Func prepared for evaluation: operands are slots of a Machine,
// scopes are jumps with parallel moves. It is immutable and may be shared by
// threads.
type Program struct {
	PC     uint64
	steps  []step
	moves  []move
	consts []ir.Val // go to the slots after slotZero
	slots  int      // slots in all
}

// Slots: 0 is the absent operand and always zero; constants follow, then values.
const slotZero = 0

type step struct {
	kind    kind
	op      ir.Op
	t       ir.Type // of the result
	at, bt  ir.Type // of the first and second operand
	a, b, c uint32  // operand slots
	dst     uint32
	next    int32 // where a jump goes
	moves   span  // what it moves before
	imm     uint64
	imm2    uint64
	eval    ir.EvalFunc
}

type span struct{ from, to uint32 }

type move struct{ dst, src uint32 }

// kind selects the case of the main loop.
type kind uint8

const (
	kEval kind = iota
	kInsn
	kGetX
	kSetX
	kGetV
	kSetV
	kLoad
	kStore
	kJump  // moves, then goes to next
	kIf    // goes to next when the condition is false
	kState // the other state operations
	kMemory
	kExit // leaves: branches, exits, RETURN
	kPoll
	kPause
)

// Compile prepares f. f has to pass the verifier; what does not panics with BUG.
func Compile(f *ir.Func) *Program {
	p := new(Program)
	new(compiler).compile(f, p)
	return p
}

// compiler holds the memory that Compile needs and Machine.Exec reuses.
type compiler struct {
	f       *ir.Func
	p       *Program
	scopes  ir.Structure
	slot    []uint32 // of each instruction's value
	pool    []uint32 // slot of each constant, 0 = not used yet
	entry   []int32  // step at which each instruction starts
	targets []target
	args    []ir.Value
}

// target is a step whose jump goes to an instruction that may come later.
type target struct{ step, inst int32 }

func (c *compiler) compile(f *ir.Func, p *Program) {
	if err := f.Structure(&c.scopes); err != nil {
		panic(fmt.Sprintf("BUG: interp: unit at %#x: %v", f.PC, err))
	}
	c.f, c.p = f, p
	*p = Program{PC: f.PC, steps: p.steps[:0], moves: p.moves[:0], consts: p.consts[:0]}
	n := len(f.Insts)
	c.slot, c.entry, c.targets = grow(c.slot, n), grow(c.entry, n+1), c.targets[:0]
	c.pool = grow(c.pool, len(f.Consts))
	clear(c.pool)
	c.number()
	for k := range f.Insts {
		c.entry[k] = int32(len(p.steps))
		c.inst(k)
	}
	c.entry[n] = int32(len(p.steps))
	for _, t := range c.targets {
		p.steps[t.step].next = c.entry[t.inst]
	}
}

func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/2)
	}
	return s[:n]
}

// number gives slots to the constants that are operands and then to the values.
func (c *compiler) number() {
	next := uint32(1)
	for _, i := range c.f.Insts {
		for k := range 3 {
			v := i.Arg(k)
			if v.IsConst() && c.pool[v.Pool()] == 0 {
				k := c.f.Consts[v.Pool()]
				c.pool[v.Pool()] = next
				c.p.consts = append(c.p.consts, ir.Val{Lo: k.Lo, Hi: k.Hi})
				next++
			}
		}
	}
	for k := range c.f.Insts {
		c.slot[k] = next
		if c.f.Types[k] != ir.Void {
			next++
		}
	}
	c.p.slots = int(next)
}

func (c *compiler) operand(v ir.Value) uint32 {
	switch {
	case v == ir.None:
		return slotZero
	case v.IsConst():
		return c.pool[v.Pool()]
	}
	return c.slot[v]
}

func (c *compiler) imm(v ir.Value) uint64 {
	if !v.IsConst() {
		return 0
	}
	return c.f.Consts[v.Pool()].Lo
}

func (c *compiler) inst(n int) {
	i, f := c.f.Insts[n], c.f
	op := i.Op()
	s := step{
		op: op, t: f.Types[n], at: f.TypeOf(i.A()), bt: f.TypeOf(i.B()), dst: c.slot[n],
		a: c.operand(i.A()), b: c.operand(i.B()), c: c.operand(i.C()),
		imm: c.imm(i.A()), imm2: c.imm(i.B()),
		eval: op.Info().Eval,
	}
	switch op {
	case ir.OpNop, ir.OpArgExt, ir.OpDefExt, ir.OpBlockArg, ir.OpBlock, ir.OpMerge, ir.OpEndBlock, ir.OpElse:
		return // positions and definitions; jumps do the work
	case ir.OpIf:
		s.kind = kIf
		c.jumpTo(int(c.scopes.Scopes[c.scopes.Of[n]].Else))
	case ir.OpLoop:
		s.kind = kJump
		s.moves = c.loopMoves(n, int(c.scopes.Of[n]), 0)
		c.jumpTo(n + 1)
	case ir.OpYield, ir.OpBreak:
		s.kind = kJump
		sc := c.scopes.Scopes[c.scopes.Of[n]]
		lead := 0
		if op == ir.OpBreak {
			lead = 1
		}
		s.moves = c.resultMoves(n, int(sc.Merge), lead)
		c.jumpTo(int(sc.Merge))
	case ir.OpContinue:
		s.kind = kJump
		scope := int(c.scopes.Of[n])
		s.moves = c.loopMoves(n, scope, 1)
		c.jumpTo(int(c.scopes.Scopes[scope].Start) + 1)
	case ir.OpReturn:
		s.kind = kExit
		c.args = f.Operands(n, c.args[:0])
		from := len(c.p.moves)
		for _, v := range c.args {
			c.p.moves = append(c.p.moves, move{src: c.operand(v), dst: uint32(f.TypeOf(v))})
		}
		s.moves = span{uint32(from), uint32(len(c.p.moves))}
	case ir.OpInsn:
		s.kind = kInsn
	case ir.OpPoll:
		s.kind = kPoll
	case ir.OpPause:
		s.kind = kPause
	case ir.OpGetX:
		s.kind = kGetX
	case ir.OpSetX:
		s.kind = kSetX
	case ir.OpGetV:
		s.kind = kGetV
	case ir.OpSetV:
		s.kind = kSetV
	case ir.OpLoad:
		s.kind = kLoad
	case ir.OpStore:
		s.kind = kStore
	case ir.OpJump, ir.OpJumpIf, ir.OpJumpInd, ir.OpCall, ir.OpCallInd, ir.OpRet, ir.OpExit, ir.OpExitArg:
		s.kind = kExit
		switch op {
		case ir.OpJumpIf:
			s.imm, s.imm2 = c.imm(i.B()), c.imm(i.C())
		case ir.OpJumpInd:
			s.imm = c.imm(i.B())
		case ir.OpCallInd:
			s.imm = c.imm(i.C())
		case ir.OpRet:
			s.imm = uint64(cpu.BranchNone)
		}
	default:
		switch {
		case s.eval != nil:
			s.kind = kEval
		case op.Has(ir.MemRead|ir.MemWrite) || op == ir.OpClrEx || op == ir.OpMonitor || op == ir.OpFence || op == ir.OpPrefetch:
			s.kind = kMemory
		case op.Has(ir.StateRead|ir.StateWrite|ir.Effect) || op == ir.OpHelperV:
			s.kind = kState
		default:
			panic("BUG: interp: no evaluation of " + op.String())
		}
	}
	c.p.steps = append(c.p.steps, s)
}

// jumpTo makes the step that comes next go to an instruction.
func (c *compiler) jumpTo(inst int) {
	c.targets = append(c.targets, target{int32(len(c.p.steps)), int32(inst)})
}

// resultMoves passes the operands of instruction n, but for the first lead ones,
// to the MERGE and its DEF_EXTs.
func (c *compiler) resultMoves(n, merge, lead int) span {
	c.args = c.f.Operands(n, c.args[:0])
	from := len(c.p.moves)
	for k, v := range c.args[lead:] {
		c.p.moves = append(c.p.moves, move{c.slot[merge+k], c.operand(v)})
	}
	return c.parallel(from)
}

// loopMoves passes operands to the BLOCK_ARGs of a loop.
func (c *compiler) loopMoves(n, scope, lead int) span {
	c.args = c.f.Operands(n, c.args[:0])
	args := c.args[lead:]
	from := len(c.p.moves)
	for k := int(c.scopes.Scopes[scope].Start) + 1; k < len(c.f.Insts); k++ {
		switch i := c.f.Insts[k]; i.Op() {
		case ir.OpBlockArg:
			c.p.moves = append(c.p.moves, move{c.slot[k], c.operand(args[c.f.ImmOf(i.A())])})
		case ir.OpNop:
		default:
			return c.parallel(from)
		}
	}
	return c.parallel(from)
}

// parallel orders the moves since from so that they may be done one by one, as
// all sources have to be read before any destination is written. A cycle goes
// through the slot after the last one.
func (c *compiler) parallel(from int) span {
	m := c.p.moves[from:]
	for done := 0; done < len(m); {
		ready := -1
		for k := done; k < len(m) && ready < 0; k++ {
			if !reads(m[done:], k-done, m[k].dst) {
				ready = k
			}
		}
		if ready >= 0 {
			m[done], m[ready] = m[ready], m[done]
			done++
			continue
		}
		// Every destination is still a source: save the first one and let its
		// readers read the copy.
		spare := uint32(c.p.slots)
		c.p.slots++
		for k := done; k < len(m); k++ {
			if m[k].src == m[done].dst {
				m[k].src = spare
			}
		}
		saved := move{spare, m[done].dst}
		c.p.moves = append(c.p.moves, move{})
		m = c.p.moves[from:]
		copy(m[done+1:], m[done:])
		m[done] = saved
		done++
	}
	return span{uint32(from), uint32(len(c.p.moves))}
}

// reads reports whether a move other than number except reads slot.
func reads(m []move, except int, slot uint32) bool {
	for k := range m {
		if k != except && m[k].src == slot {
			return true
		}
	}
	return false
}
