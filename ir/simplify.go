package ir

// maskOf has the bits of a scalar type set.
func maskOf(t Type) uint64 {
	if n := t.Bits(); n < 64 {
		return 1<<n - 1
	}
	return ^uint64(0)
}

// isZero reports whether v is a constant with all bits clear.
func (f *Func) isZero(v Value) bool {
	if !v.IsConst() {
		return false
	}
	c := &f.Consts[v.Pool()]
	return c.Lo == 0 && c.Hi == 0
}

// isOnes reports whether v is a constant with all bits set.
func (f *Func) isOnes(v Value) bool {
	if !v.IsConst() {
		return false
	}
	c := &f.Consts[v.Pool()]
	return c.Lo == maskOf(c.Type) && (!c.Type.IsVec() || c.Hi == ^uint64(0))
}

func (f *Func) isConst(v Value, n uint64) bool {
	return v.IsConst() && f.Consts[v.Pool()].Lo == n
}

// Simplify returns an existing value or a constant that a pure operation equals
// by an algebraic identity, None if there is none. Constants stand second in
// operations that commute. It emits nothing.
//
// Scalars that are zero whatever x is, as x ^ x, stay: in an address it has a load wait
// for the one that gave x (Arm ARM B2.3, address dependencies), which LoadElim could not
// see any more.
func (f *Func) Simplify(op Op, t Type, a, b, c Value) Value {
	switch op {
	case OpAdd, OpOr, OpXor, OpSub, OpShl, OpLShr, OpAShr, OpRor:
		if f.isZero(b) { // x + 0, x | 0, x ^ 0, x - 0, x << 0 = x
			return a
		}
		if a != b {
			return f.simplifyOnes(op, b)
		}
		switch op {
		case OpOr:
			return a
		case OpXor, OpSub:
			return f.zeroLanes(t)
		}
	case OpAnd:
		if f.isZero(b) && (t.IsVec() || a.IsConst()) {
			return b
		}
		if f.isOnes(b) || a == b || t == I64 && b.IsConst() && f.onlyElements(a, f.ImmOf(b)) {
			return a
		}
	case OpAndNot: // x &^ 0 = x, x &^ x = 0
		if f.isZero(b) {
			return a
		}
		if a == b || f.isOnes(b) {
			return f.zeroLanes(t)
		}
	case OpMul:
		if !t.IsVec() && f.isConst(b, 1) {
			return a
		}
	case OpSDiv, OpUDiv:
		if !t.IsVec() && f.isConst(b, 1) {
			return a
		}
	case OpNot, OpNeg: // an involution
		if a.IsSSA() && f.Insts[a].Op() == op {
			return f.Insts[a].A()
		}
	case OpSelect:
		if b == c {
			return b
		}
		if a.IsConst() {
			if f.isZero(a) {
				return c
			}
			return b
		}
		if t == I1 && f.isConst(b, 1) && f.isZero(c) {
			return a
		}
	case OpICmp: // x with itself
		if a == b {
			return f.sameCompare(t, Cond(f.ImmOf(c)))
		}
		// A condition as an integer is not 0.
		if a.IsSSA() && f.Insts[a].Op() == OpZext && f.TypeOf(f.Insts[a].A()) == I1 && f.isZero(b) && Cond(f.ImmOf(c)) == NE {
			return f.Insts[a].A()
		}
	case OpBsl:
		if b == c {
			return b
		}
	case OpVSet: // both lanes of a vector put together again
		if v := f.sameLanes(a, b); v != None && f.TypeOf(v) == t && f.isConst(c, 1) {
			return v
		}
	case OpSMin, OpSMax, OpUMin, OpUMax:
		if a == b {
			return a
		}
	default:
		return f.simplifyConversion(op, t, a, b)
	}
	return None
}

// zeroLanes is the zero of a vector type, None of others.
func (f *Func) zeroLanes(t Type) Value {
	if !t.IsVec() {
		return None
	}
	return f.Const128(t, 0, 0)
}

// sameCompare is the result of comparing a value with itself.
func (f *Func) sameCompare(t Type, c Cond) Value {
	switch c {
	case EQ, ULE, UGE, SLE, SGE:
		if t.IsVec() {
			return f.Const128(t, ^uint64(0), ^uint64(0))
		}
		return f.Const(t, 1)
	}
	return f.Const128(t, 0, 0)
}

func (f *Func) simplifyOnes(op Op, b Value) Value {
	if op == OpOr && f.isOnes(b) {
		return b
	}
	return None
}

// simplifyConversion undoes one conversion with its inverse.
func (f *Func) simplifyConversion(op Op, t Type, a, b Value) Value {
	if !a.IsSSA() {
		return None
	}
	from := f.Insts[a]
	switch op {
	case OpTrunc: // of an extension: the value that was extended
		if o := from.Op(); (o == OpZext || o == OpSext) && f.TypeOf(from.A()) == t {
			return from.A()
		}
	case OpBitcast:
		if from.Op() == OpBitcast && f.TypeOf(from.A()) == t {
			return from.A()
		}
	case OpVGet:
		if from.Op() == OpVFrom && f.TypeOf(from.A()) == t && f.isZero(b) {
			return from.A()
		}
	case OpFlagCond:
		if f.isConst(b, 14) || f.isConst(b, 15) {
			return f.Const(I1, 1)
		}
	}
	return None
}

// sameLanes is the vector whose lanes VFROM low and high are, None if there is none.
func (f *Func) sameLanes(low, high Value) Value {
	if !low.IsSSA() {
		return None
	}
	from := f.Insts[low]
	if from.Op() != OpVFrom || !from.A().IsSSA() || !high.IsSSA() {
		return None
	}
	x, y := f.Insts[from.A()], f.Insts[high]
	if x.Op() != OpVGet || y.Op() != OpVGet || x.A() != y.A() || f.TypeOf(high).Bits() != 64 || !f.isZero(x.B()) || !f.isConst(y.B(), 1) {
		return None
	}
	return x.A()
}

// carried is the SELECT of y and z by the condition from if that adds the carry of an
// addition to one of them, or takes the borrow of a subtraction from it: CINC and CSEL of
// CS, as compilers write long additions. It is None for others.
func (b *Builder) carried(t Type, from Inst, y, z Value) Value {
	if from.Op() != OpFlagCond || t != I32 && t != I64 || !from.A().IsSSA() {
		return None
	}
	const cs, cc = 2, 3
	switch c := b.ImmOf(from.B()); {
	case c == cc:
		y, z = z, y // y is the value with the carry set now
	case c != cs:
		return None
	}
	switch b.Insts[from.A()].Op() {
	case OpAddF, OpAdcF:
		if b.isSum(y, z, 1) {
			return b.Op3(OpAdc, z, b.Const(t, 0), from.A())
		}
	case OpSubF, OpSbcF:
		if b.isSum(z, y, maskOf(t)) || b.isDifference(z, y, 1) {
			return b.Op3(OpSbc, y, b.Const(t, 0), from.A())
		}
	}
	return None
}

// isSum reports whether v is x + n.
func (b *Builder) isSum(v, x Value, n uint64) bool {
	return v.IsSSA() && b.Insts[v].Op() == OpAdd && b.Insts[v].A() == x && b.isConst(b.Insts[v].B(), n)
}

// isDifference reports whether v is x - n.
func (b *Builder) isDifference(v, x Value, n uint64) bool {
	return v.IsSSA() && b.Insts[v].Op() == OpSub && b.Insts[v].A() == x && b.isConst(b.Insts[v].B(), n)
}

// simplify is Simplify with the rewrites that need a new instruction.
func (b *Builder) simplify(op Op, t Type, x, y, z Value) Value {
	if v := b.Simplify(op, t, x, y, z); v != None {
		return v
	}
	if !x.IsSSA() {
		return None
	}
	from := b.Insts[x]
	switch op {
	case OpLaneMask:
		return b.laneMask(t, from)
	case OpTopBits: // of a predicate's mask: its bits
		if from.Op() == OpLaneMask {
			return b.AndI(from.A(), elementBits(b.Types[x]))
		}
	case OpBitcast: // of a bitcast: from the first type
		if from.Op() == OpBitcast {
			return b.Bitcast(t, from.A())
		}
	case OpZext, OpSext: // of the same extension: at once
		if from.Op() == op {
			return b.Emit(op, t, from.A(), None, None)
		}
	case OpSbfx: // of all of what was zero-extended
		if from.Op() == OpZext && b.isZero(y) && b.ImmOf(z) == uint64(b.TypeOf(from.A()).Bits()) && !t.IsVec() {
			return b.Emit(OpSext, t, from.A(), None, None)
		}
	case OpTrunc: // of a truncation or a wider extension: at once
		if from.Op() == OpTrunc {
			return b.Emit(OpTrunc, t, from.A(), None, None)
		}
		if o := from.Op(); o == OpZext || o == OpSext {
			if b.TypeOf(from.A()).Bits() > t.Bits() {
				return b.Emit(OpTrunc, t, from.A(), None, None)
			}
			return b.Emit(o, t, from.A(), None, None)
		}
	case OpSelect: // plus or minus the carry
		if v := b.carried(t, from, y, z); v != None {
			return v
		}
	case OpFlagCond: // of CCMP's flags: of either's, and one of those is known
		if from.Op() == OpSelect && (from.B().IsConst() || from.C().IsConst()) {
			return b.Select(from.A(), b.Op2(op, from.B(), y), b.Op2(op, from.C(), y))
		}
	case OpVGet: // of the lane that a scalar was put in
		if from.Op() == OpBitcast && b.isZero(y) {
			w := from.A()
			if w.IsSSA() && b.Insts[w].Op() == OpVFrom {
				if s := b.Insts[w].A(); b.TypeOf(s).Bits() == t.Bits() {
					return b.Bitcast(t, s)
				}
			}
		}
	}
	return None
}
