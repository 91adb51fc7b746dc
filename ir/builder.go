package ir

// Builder appends to a Func. It keeps a map from guest registers to the SSA
// values that they hold at the current point (the source_variables of seed 000),
// decides how scopes are closed, creates the yields that merge registers, folds
// constants and hash-conses pure values (seed 002: deduplicated as built). What
// it builds passes the verifier.
//
// A Builder reuses its memory from unit to unit; in the steady state building
// allocates nothing.
type Builder struct {
	*Func
	// Plain turns folding, sharing and the forwarding of registers off: for
	// debugging, and to judge them by.
	Plain bool

	env    Env // for folding of pure operations; no pure operation looks at it
	regs   regMap
	frames []frame // open scopes, outermost first
	dead   bool    // control does not reach the current point

	round    uint32 // slots of cse of another round are empty
	cse      []cseSlot
	cseLog   []uint32 // slots in the order in which they were filled
	types    []Type   // stack of result types of the open scopes
	pending  []Value  // explicit values of the yield that ends the current arm
	scratch  []Value
	scratch2 []Value
}

type cseSlot struct {
	round uint32
	v     Value
}

// NewBuilder returns a builder that appends to f.
func NewBuilder(f *Func) *Builder {
	b := &Builder{Func: f, frames: make([]frame, 0, 64), cse: make([]cseSlot, 512)}
	b.Reset(f.PC)
	return b
}

// Reset starts the unit at the guest address pc and empties the Func.
func (b *Builder) Reset(pc uint64) {
	b.Func.Reset(pc)
	b.round++
	if b.round == 0 {
		clear(b.cse)
		b.round = 1
	}
	b.env = Env{}
	b.regs.clear()
	b.frames, b.cseLog, b.types = b.frames[:0], b.cseLog[:0], b.types[:0]
	b.pending = b.pending[:0]
	b.dead = false
}

// Terminated reports whether the current point is unreachable: the arm or the
// unit ended in a terminator and only Else, End or Reset may follow.
func (b *Builder) Terminated() bool { return b.dead }

// emit appends without folding.
func (b *Builder) emit(op Op, t Type, x, y, z Value) Value {
	if b.dead {
		panic("BUG: ir.Builder: " + op.String() + " after a terminator")
	}
	return b.Func.Emit(op, t, x, y, z)
}

// Emit appends any instruction that is not part of a scope; pure ones are folded
// and shared. Absent operands are None. It hides Func.Emit, which does neither.
func (b *Builder) Emit(op Op, t Type, x, y, z Value) Value {
	row := table[op]
	if row.Flags&Pure == 0 {
		v := b.emit(op, t, x, y, z)
		if row.Flags&Terminator != 0 {
			b.dead = true
		}
		return v
	}
	if b.Plain {
		return b.emit(op, t, x, y, z)
	}
	if row.Flags&Commutes != 0 && (x.IsConst() && !y.IsConst() || x.IsSSA() && y.IsSSA() && x > y) {
		x, y = y, x
	}
	if v := b.fold(row, t, x, y, z); v != None {
		return v
	}
	if v := b.simplify(op, t, x, y, z); v != None {
		return v
	}
	return b.share(MakeInst(op, x, y, z), t)
}

// share returns an equal instruction of a dominating scope or appends i.
func (b *Builder) share(i Inst, t Type) Value {
	mask := uint32(len(b.cse) - 1)
	at := hashInst(i, t) & mask
	for ; b.cse[at].round == b.round; at = (at + 1) & mask {
		if v := b.cse[at].v; b.Insts[v] == i && b.Types[v] == t {
			return v
		}
	}
	v := b.emit(i.Op(), t, i.A(), i.B(), i.C())
	b.cse[at] = cseSlot{b.round, v}
	b.cseLog = append(b.cseLog, at)
	if 2*len(b.cseLog) > len(b.cse) {
		b.growCSE()
	}
	return v
}

func hashInst(i Inst, t Type) uint32 {
	h := (uint64(i) ^ uint64(t)<<27) * 0x9e3779b97f4a7c15
	return uint32(h >> 32)
}

// growCSE rehashes in the order of insertion, so that forget can go on to remove
// entries in the reverse order.
func (b *Builder) growCSE() {
	old := b.cse
	b.cse = make([]cseSlot, 2*len(old))
	mask := uint32(len(b.cse) - 1)
	for n, slot := range b.cseLog {
		v := old[slot].v
		at := hashInst(b.Insts[v], b.Types[v]) & mask
		for b.cse[at].round == b.round {
			at = (at + 1) & mask
		}
		b.cse[at] = cseSlot{b.round, v}
		b.cseLog[n] = at
	}
}

// forget removes the entries after the first mark: their scope is closed and
// they no longer dominate. Removal in the reverse order of insertion restores
// every probe sequence, so no tombstones are needed.
func (b *Builder) forget(mark int) {
	for n := len(b.cseLog) - 1; n >= mark; n-- {
		b.cse[b.cseLog[n]] = cseSlot{}
	}
	b.cseLog = b.cseLog[:mark]
}

// fold evaluates a pure operation on constants.
func (b *Builder) fold(row *Row, t Type, x, y, z Value) Value {
	if row.Eval == nil || x.IsSSA() || y.IsSSA() || z.IsSSA() || x == None {
		return None
	}
	r := row.Eval(&b.env, t, b.TypeOf(x), b.constVal(x), b.constVal(y), b.constVal(z))
	return b.Const128(t, r.Lo, r.Hi)
}

func (f *Func) constVal(v Value) Val {
	if v == None {
		return Val{}
	}
	c := &f.Consts[v.Pool()]
	return Val{c.Lo, c.Hi}
}

// ResultType is the type of op's result on operands x, y and z as its row gives
// it. ok is false if the row leaves it to whoever builds the instruction (X).
func (f *Func) ResultType(op Op, x, y, z Value) (t Type, ok bool) {
	switch r := resultRules[op]; r {
	case retGiven:
		return Void, false
	case retNone:
		return Void, true
	case retI1, retI32, retI64, retFlags:
		return [...]Type{retI1: I1, retI32: I32, retI64: I64, retFlags: Flags}[r], true
	case retMask:
		t := f.TypeOf(x)
		if t.IsVec() {
			return t.IntOf(), true
		}
		return I1, true
	default:
		return f.TypeOf([3]Value{x, y, z}[r-retArg0]), true
	}
}

type resultRule uint8

const (
	retNone resultRule = iota
	retGiven
	retI1
	retI32
	retI64
	retFlags
	retMask // b/T and b/I
	retArg0 // and the two after it: the type of operand n
)

// resultRules is Row.Ret in a form that is quick to look at.
var resultRules = buildResultRules()

func buildResultRules() (rules [NumOps]resultRule) {
	for op := range NumOps {
		row := table[op]
		switch row.Ret {
		case "-":
			rules[op] = retNone
		case "X":
			rules[op] = retGiven
		case "b":
			rules[op] = retI1
		case "w":
			rules[op] = retI32
		case "i":
			rules[op] = retI64
		case "f":
			rules[op] = retFlags
		case "b/T", "b/I":
			rules[op] = retMask
		case "T", "F":
			for n := range len(row.Args) {
				if row.Args[n] == row.Ret[0] {
					rules[op] = retArg0 + resultRule(n)
					break
				}
			}
		case "=1", "=2", "=3":
			rules[op] = retArg0 + resultRule(row.Ret[1]-'1')
		default:
			panic("BUG: ir: result " + row.Ret + " of " + row.Name)
		}
	}
	return rules
}
