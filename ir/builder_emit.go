package ir

import "emu/cpu"

// Op1, Op2 and Op3 emit an operation whose row gives the type of the result.
func (b *Builder) Op1(op Op, x Value) Value { return b.derived(op, x, None, None) }

// Op2 is Op1 for two operands.
func (b *Builder) Op2(op Op, x, y Value) Value { return b.derived(op, x, y, None) }

// Op3 is Op1 for three operands.
func (b *Builder) Op3(op Op, x, y, z Value) Value { return b.derived(op, x, y, z) }

func (b *Builder) derived(op Op, x, y, z Value) Value {
	t, ok := b.ResultType(op, x, y, z)
	if !ok {
		panic("BUG: ir.Builder: " + op.String() + " needs a result type, use OpT")
	}
	return b.Emit(op, t, x, y, z)
}

// OpT emits an operation with a result of type t. Absent operands are None.
func (b *Builder) OpT(op Op, t Type, x, y, z Value) Value { return b.Emit(op, t, x, y, z) }

// I64 is the operand for a constant of type I64.
func (b *Builder) I64(n uint64) Value { return b.Const(I64, n) }

// I32 is the operand for a constant of type I32.
func (b *Builder) I32(n uint32) Value { return b.Const(I32, uint64(n)) }

// Like is the operand for the scalar constant n in the type of v, truncated to it.
func (b *Builder) Like(v Value, n uint64) Value {
	t := b.TypeOf(v)
	return b.Const(t, n&maskOf(t))
}

// The common integer operations; see their rows for what they compute.
func (b *Builder) Add(x, y Value) Value    { return b.Emit(OpAdd, b.TypeOf(x), x, y, None) }
func (b *Builder) Sub(x, y Value) Value    { return b.Emit(OpSub, b.TypeOf(x), x, y, None) }
func (b *Builder) Mul(x, y Value) Value    { return b.Emit(OpMul, b.TypeOf(x), x, y, None) }
func (b *Builder) And(x, y Value) Value    { return b.Emit(OpAnd, b.TypeOf(x), x, y, None) }
func (b *Builder) Or(x, y Value) Value     { return b.Emit(OpOr, b.TypeOf(x), x, y, None) }
func (b *Builder) Xor(x, y Value) Value    { return b.Emit(OpXor, b.TypeOf(x), x, y, None) }
func (b *Builder) AndNot(x, y Value) Value { return b.Emit(OpAndNot, b.TypeOf(x), x, y, None) }
func (b *Builder) OrNot(x, y Value) Value  { return b.Emit(OpOrNot, b.TypeOf(x), x, y, None) }
func (b *Builder) Not(x Value) Value       { return b.Emit(OpNot, b.TypeOf(x), x, None, None) }
func (b *Builder) Neg(x Value) Value       { return b.Emit(OpNeg, b.TypeOf(x), x, None, None) }

// Shifts by an I64 amount.
func (b *Builder) Shl(x, n Value) Value  { return b.Emit(OpShl, b.TypeOf(x), x, n, None) }
func (b *Builder) LShr(x, n Value) Value { return b.Emit(OpLShr, b.TypeOf(x), x, n, None) }
func (b *Builder) AShr(x, n Value) Value { return b.Emit(OpAShr, b.TypeOf(x), x, n, None) }
func (b *Builder) Ror(x, n Value) Value  { return b.Emit(OpRor, b.TypeOf(x), x, n, None) }

// Forms with a constant second operand of the first one's scalar type.
func (b *Builder) AddI(x Value, n uint64) Value { return b.Add(x, b.Like(x, n)) }
func (b *Builder) SubI(x Value, n uint64) Value { return b.Sub(x, b.Like(x, n)) }
func (b *Builder) AndI(x Value, n uint64) Value { return b.And(x, b.Like(x, n)) }
func (b *Builder) OrI(x Value, n uint64) Value  { return b.Or(x, b.Like(x, n)) }
func (b *Builder) XorI(x Value, n uint64) Value { return b.Xor(x, b.Like(x, n)) }

// Shifts by a constant amount, 0 <= n < NumImm.
func (b *Builder) ShlI(x Value, n int) Value  { return b.Shl(x, Imm(n)) }
func (b *Builder) LShrI(x Value, n int) Value { return b.LShr(x, Imm(n)) }
func (b *Builder) AShrI(x Value, n int) Value { return b.AShr(x, Imm(n)) }
func (b *Builder) RorI(x Value, n int) Value  { return b.Ror(x, Imm(n)) }

// Select is x if cond (I1) is true, else y.
func (b *Builder) Select(cond, x, y Value) Value { return b.Emit(OpSelect, b.TypeOf(x), cond, x, y) }

// ICmp compares; I1 for scalars, a mask of lanes for vectors.
func (b *Builder) ICmp(c Cond, x, y Value) Value { return b.Op3(OpICmp, x, y, Imm(int(c))) }

// FCmp compares floats; I1 for scalars, a mask of lanes for vectors.
func (b *Builder) FCmp(c FCond, x, y Value) Value { return b.Op3(OpFCmp, x, y, Imm(int(c))) }

// Zext zero-extends a scalar integer to t; nothing is done when it has the type.
func (b *Builder) Zext(t Type, v Value) Value { return b.convert(OpZext, t, v) }

// Sext sign-extends a scalar integer to t; nothing is done when it has the type.
func (b *Builder) Sext(t Type, v Value) Value { return b.convert(OpSext, t, v) }

// Trunc keeps the low bits of an integer; nothing is done when it has the type.
func (b *Builder) Trunc(t Type, v Value) Value { return b.convert(OpTrunc, t, v) }

// Bitcast is the same bits in another type of the same size.
func (b *Builder) Bitcast(t Type, v Value) Value { return b.convert(OpBitcast, t, v) }

func (b *Builder) convert(op Op, t Type, v Value) Value {
	if b.TypeOf(v) == t {
		return v
	}
	return b.Emit(op, t, v, None, None)
}

// VGet is lane n of the vector v as a scalar of v's lane type.
func (b *Builder) VGet(v Value, n int) Value {
	return b.Emit(OpVGet, b.TypeOf(v).Lane(), v, Imm(n), None)
}

// VFrom is a vector with the scalar v in lane 0 and zero elsewhere.
func (b *Builder) VFrom(v Value) Value {
	return b.Emit(OpVFrom, b.TypeOf(v).VecOf(), v, None, None)
}

// VDup is a vector with the scalar v in all lanes.
func (b *Builder) VDup(v Value) Value {
	return b.Emit(OpVDup, b.TypeOf(v).VecOf(), v, None, None)
}

// Load reads a value of type t at base + off (both I64).
func (b *Builder) Load(t Type, base, off Value) Value { return b.Emit(OpLoad, t, base, off, None) }

// LoadS reads n bits at base + off and sign-extends them to t.
func (b *Builder) LoadS(t Type, n int, base, off Value) Value {
	return b.Emit(OpLoadS, t, base, off, Imm(n))
}

// Store writes v at base + off (both I64).
func (b *Builder) Store(v, base, off Value) { b.Emit(OpStore, Void, v, base, off) }

// LaneMask is a predicate, one bit for each byte, as a mask of the lanes of vector type t.
func (b *Builder) LaneMask(t Type, bytes Value) Value {
	return b.Emit(OpLaneMask, t, bytes, None, None)
}

// TopBits is a predicate of the lanes of v whose top bit is set.
func (b *Builder) TopBits(v Value) Value { return b.Emit(OpTopBits, I64, v, None, None) }

// LoadP reads those of n bytes at addr whose bit in bytes is set, as elements of vector type t.
func (b *Builder) LoadP(t Type, addr, bytes Value, n int) Value {
	return b.Emit(OpLoadP, t, addr, bytes, Imm(n))
}

// StoreP writes those bytes of the vector v at addr whose bit in bytes is set.
func (b *Builder) StoreP(v, addr, bytes Value) { b.Emit(OpStoreP, Void, v, addr, bytes) }

// Insn marks the boundary of the guest instruction at pc.
func (b *Builder) Insn(pc uint64) { b.Emit(OpInsn, Void, b.I64(pc), None, None) }

// Pause emits what a loop does that waits for another thread, and goes on at pc.
func (b *Builder) Pause(pc uint64) { b.Emit(OpPause, Void, b.I64(pc), None, None) }

// Poll emits a safe point: leaves with ExitPoll at pc if the thread has to.
func (b *Builder) Poll(pc uint64) { b.Emit(OpPoll, Void, b.I64(pc), None, None) }

// The exits. Each is a terminator.

// Jump continues at the guest address pc.
func (b *Builder) Jump(pc uint64) { b.Emit(OpJump, Void, b.I64(pc), None, None) }

// JumpIf continues at taken if cond (I1) is true, else at next.
func (b *Builder) JumpIf(cond Value, taken, next uint64) {
	b.Emit(OpJumpIf, Void, cond, b.I64(taken), b.I64(next))
}

// JumpInd continues at the guest address in v (BR).
func (b *Builder) JumpInd(v Value, t cpu.BranchType) {
	b.Emit(OpJumpInd, Void, v, Imm(int(t)), None)
}

// Call continues at pc; the callee is expected to return to ret (BL).
func (b *Builder) Call(pc, ret uint64) { b.Emit(OpCall, Void, b.I64(pc), b.I64(ret), None) }

// CallInd continues at the guest address in v, from which a return to ret is expected (BLR, and BR that inlined code ends in).
func (b *Builder) CallInd(v Value, ret uint64, t cpu.BranchType) {
	b.Emit(OpCallInd, Void, v, b.I64(ret), Imm(int(t)))
}

// Ret continues at the guest address in v (RET).
func (b *Builder) Ret(v Value) { b.Emit(OpRet, Void, v, None, None) }

// Exit leaves to the dispatcher with State.PC = pc.
func (b *Builder) Exit(kind cpu.ExitKind, pc uint64) {
	b.Emit(OpExit, Void, Imm(int(kind)), b.I64(pc), None)
}

// ExitArg is Exit with v for Exit.Arg[0].
func (b *Builder) ExitArg(kind cpu.ExitKind, pc uint64, v Value) {
	b.Emit(OpExitArg, Void, Imm(int(kind)), b.I64(pc), v)
}

// Return leaves the function with values (fixtures and inlining).
func (b *Builder) Return(vals ...Value) {
	b.emitArgs(OpReturn, None, vals)
	b.dead = true
}
