package translate

import (
	"emu/decoder"
	"emu/ir"
)

// Memory copy and memory set (FEAT_MOPS). Of the two ways in which a processor may
// keep what is left to do in the registers this one takes option B (PSTATE.C set):
// the addresses advance and Xn counts down. The prologue moves no bytes, the main
// instruction moves all of them, and the epilogue what an interrupted main
// instruction has left. The registers are exact after each chunk, so that a fault
// or a signal stops the loop and executing the instruction again goes on with it.
//
// Forms that differ in privilege or in hints about reuse are the same at EL0.

var memoryGroups = []groupRule{
	{decoder.ClassGeneral, "memcms", memoryCopySet, false},
}

const (
	// What the prologues saturate Xn to (Arm ARM, CPYP and SETP).
	maxCopy       = 1<<55 - 1
	maxForward    = 1<<63 - 1
	flagsForward  = 0b0010 // C: option B, forward
	flagsBackward = 0b1010 // N and C: option B, backward
	condMI        = 4
	addressBits   = 56 // those that the prologue of CPY compares
)

// CPYF{P|M|E}*, CPY{P|M|E}* [<Xd>]!, [<Xs>]!, <Xn>!; SET{P|M|E}* [<Xd>]!, <Xn>!, <Xs>
func memoryCopySet(t *Translator, i decoder.Inst) {
	d, s, n := i.Rd(), i.Rs(), i.Rn()
	stage, set := i.Bits(23, 22), i.Bits(23, 22) == 3
	if set {
		stage = i.Bits(15, 14)
	}
	overlap := i.Bit(26) == 1
	switch {
	case d == s || d == n || s == n || d == 31 || n == 31 || s == 31 && !set,
		set && overlap && !t.cpu.mte:
		t.undefined()
	case set && overlap:
		t.setTags(stage == 0, d, n, s)
	case stage == 0 && !overlap:
		t.SetX(n, t.Op2(ir.OpUMin, t.X(n), t.I64(maxForward)))
		t.SetNZCV(t.Const(ir.Flags, flagsForward))
	case stage == 0:
		t.copyPrologue(d, s, n)
	case set:
		v := t.Trunc(ir.I8, t.X(s))
		t.moveBytes(ir.RegSet{X: 1<<d | 1<<n}, n, func(ty ir.Type) {
			w := v
			if ty != ir.I8 {
				w = t.VDup(v)
			}
			t.Store(w, t.X(d), ir.Imm(0))
			t.SetX(d, t.AddI(t.X(d), uint64(ty.Bytes())))
		})
	case !overlap:
		t.copyForward(d, s, n)
	default:
		t.If(t.cond(condMI))
		t.copyBackward(d, s, n)
		t.Else()
		t.copyForward(d, s, n)
		t.End()
	}
}

// copyPrologue chooses the direction: backward where the destination lies in the
// source behind its start.
func (t *Translator) copyPrologue(d, s, n uint32) {
	size := t.Op2(ir.OpUMin, t.X(n), t.I64(maxCopy))
	field := func(v ir.Value) ir.Value { return t.Op3(ir.OpUbfx, v, ir.Imm(0), ir.Imm(addressBits)) }
	to, from := field(t.X(d)), field(t.X(s))
	behind := t.Zext(ir.I64, t.ICmp(ir.ULT, from, to))
	inside := t.Zext(ir.I64, t.ICmp(ir.ULT, to, t.Add(from, size)))
	backward := t.ICmp(ir.NE, t.And(behind, inside), ir.Imm(0))
	shift := t.Select(backward, size, ir.Imm(0))
	flags := t.Select(backward, t.Const(ir.Flags, flagsBackward), t.Const(ir.Flags, flagsForward))
	t.SetX(d, t.Add(t.X(d), shift))
	t.SetX(s, t.Add(t.X(s), shift))
	t.SetX(n, size)
	t.SetNZCV(flags)
}

func (t *Translator) copyForward(d, s, n uint32) {
	t.moveBytes(ir.RegSet{X: 1<<d | 1<<s | 1<<n}, n, func(ty ir.Type) {
		t.Store(t.Load(ty, t.X(s), ir.Imm(0)), t.X(d), ir.Imm(0))
		t.SetX(d, t.AddI(t.X(d), uint64(ty.Bytes())))
		t.SetX(s, t.AddI(t.X(s), uint64(ty.Bytes())))
	})
}

func (t *Translator) copyBackward(d, s, n uint32) {
	t.moveBytes(ir.RegSet{X: 1<<d | 1<<s | 1<<n}, n, func(ty ir.Type) {
		size := uint64(ty.Bytes())
		t.Store(t.Load(ty, t.X(s), t.I64(-size)), t.X(d), t.I64(-size))
		t.SetX(d, t.SubI(t.X(d), size))
		t.SetX(s, t.SubI(t.X(s), size))
	})
}

// moveBytes emits two loops that call move for chunks, then for bytes, until Xn is
// zero. written are the registers that change. A chunk may be moved at once even
// where source and destination overlap: it is read before it is written, and the
// direction keeps later chunks apart from it.
func (t *Translator) moveBytes(written ir.RegSet, n uint32, move func(ir.Type)) {
	for _, ty := range []ir.Type{ir.V16I8, ir.I8} {
		size := uint64(ty.Bytes())
		t.LoopRegs(written)
		t.poll()
		t.If(t.ICmp(ir.ULT, t.X(n), t.I64(size)))
		t.Break(0)
		t.End()
		move(ty)
		t.SetX(n, t.SubI(t.X(n), size))
		t.Continue(0)
		t.End()
	}
}
