package amd64

import (
	"fmt"
	"math/rand/v2"

	"emu/cpu"
	"emu/ir"
	"emu/ir/interp"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

// HelperOp packs an operation that Go evaluates for generated code:
//
//	63     48 47    40 39    32 31    24 23    16 15       0
//	+--------+--------+--------+--------+--------+----------+
//	|   0    | type c | type b | type a | result |  opcode  |
//	+--------+--------+--------+--------+--------+----------+
func packHelper(op ir.Op, t, a, b, c ir.Type) uint64 {
	return uint64(op) | uint64(t)<<16 | uint64(a)<<24 | uint64(b)<<32 | uint64(c)<<40
}

// viaGo lowers any instruction that ir.Row.Eval or ServeHelper itself evaluates:
// operands to the state, out to Go, result from the state. Nothing survives in
// registers. The counter is read likewise, by a stub that need not go there.
func viaGo(c *compiler, v ir.Value, in ir.Inst) {
	op := c.f.Insts[v].Op() // in may be its loud twin
	if op.Info().Eval == nil && !servedByGo(op) {
		panic("BUG: amd64: no lowering of " + op.String())
	}
	c.settleAll()
	c.flushAll()
	c.fp.noDenormals = false // what Go computes, it computes of denormals too
	var types [3]ir.Type
	for k := range 3 {
		a := in.Arg(k)
		if a == ir.None {
			continue
		}
		types[k] = c.f.TypeOf(a)
		c.storeValue(state(offHelperArg+16*uintptr(k)), a)
	}
	c.spillLive()
	c.b.MovImm(x64.RAX, packHelper(op, c.f.TypeOf(v), types[0], types[1], types[2]))
	c.b.MR(x64.MOVQ, state(offHelperOp), x64.RAX)
	c.b.MI(x64.MOVL, state(offExit), int32(cpu.ExitHelper))
	stub := host.StubHelper
	if op == ir.OpCounter {
		stub = host.StubCounter
	}
	c.b.CallAddr(uint64(stub))
	c.g.UnlockAll()
	c.x.UnlockAll()
	ret := state(offHelperRet)
	switch t := c.f.TypeOf(v); {
	case t == ir.Void || c.vals[v].uses == 0:
		c.vals[v].form = formHere
	case t.InXMM():
		c.b.XM(x64.MOVUPS, c.defX(v), ret)
		c.zero(v, uint8(t.Bits()))
	default:
		c.b.RM(x64.MOVQ, c.defR(v), ret)
		if t.IsInt() {
			c.zero(v, uint8(t.Bits()))
		}
	}
}

// spillLive spills what is needed after the current instruction and empties all
// registers and the host's flags.
func (c *compiler) spillLive() {
	if v := c.fl.v; v != ir.None {
		if p := &c.vals[v]; p.uses > c.usesNow(v) && p.reg < 0 && p.slot < 0 {
			c.pack()
		}
	}
	for r := range uint8(regs) {
		for _, v := range [2]ir.Value{c.g.Owner(r), c.x.Owner(r)} {
			if v != ir.None && c.vals[v].uses > c.usesNow(v) {
				c.spill(v)
			}
		}
	}
	c.forget()
}

// servedByGo tells the operations that ServeHelper does without ir.Row.Eval.
func servedByGo(op ir.Op) bool {
	switch op {
	case ir.OpSetSys, ir.OpCounter, ir.OpRandom, ir.OpHelper:
		return true
	}
	return false
}

// ServeHelper evaluates the operation in s.HelperOp, for which generated code
// left with cpu.ExitHelper, and stores its result in s.HelperRet.
func ServeHelper(s *cpu.State) {
	op := ir.Op(s.HelperOp & 0xffff)
	t := ir.Type(s.HelperOp >> 16)
	var types [3]ir.Type
	var args [3]ir.Val
	for k := range args {
		types[k] = ir.Type(s.HelperOp >> (24 + 8*k))
		args[k] = fromHost(types[k], s.HelperArg[k])
	}
	if op >= ir.NumOps {
		panic(fmt.Sprintf("BUG: amd64: helper operation %#x", s.HelperOp))
	}
	if op.Info().Eval == nil {
		s.HelperRet = [2]uint64{serveState(s, op, args)}
		return
	}
	env := ir.Env{FPCR: s.FPCR}
	r := op.Info().Eval(&env, t, types[0], args[0], args[1], args[2])
	s.FPSR |= env.FPSR
	s.HelperRet = [2]uint64{r.Lo, r.Hi}
	if t == ir.Flags {
		s.HelperRet[0] = uint64(cpu.PackNZCV(uint32(r.Lo) << 28))
	}
}

func serveState(s *cpu.State, op ir.Op, args [3]ir.Val) uint64 {
	switch op {
	case ir.OpSetSys:
		s.SetFPCR(uint32(args[1].Lo))
	case ir.OpCounter:
		return interp.Counter()
	case ir.OpRandom:
		return rand.Uint64()
	case ir.OpHelper:
		return interp.Helper(s, ir.HelperID(args[0].Lo), args[1].Lo, args[2].Lo)
	default:
		panic("BUG: amd64: Go cannot evaluate " + op.String())
	}
	return 0
}

// fromHost converts an operand from the form that registers have.
func fromHost(t ir.Type, v [2]uint64) ir.Val {
	switch {
	case t == ir.Flags:
		return ir.Val{Lo: uint64(cpu.UnpackNZCV(uint16(v[0])) >> 28)}
	case t == ir.Void:
		return ir.Val{}
	case t.Bits() < 64:
		return ir.Val{Lo: v[0] & (1<<t.Bits() - 1)}
	case t.Bits() == 64:
		return ir.Val{Lo: v[0]}
	}
	return ir.Val{Lo: v[0], Hi: v[1]}
}
