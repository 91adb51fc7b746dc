package ir

// Rebuilder copies a Func through a Builder, which folds, shares and simplifies
// what it is given. What cannot be reached any more is left out: the other arm
// of an IF with a condition that is constant or was decided before, what follows a
// scope that nothing leaves.
// Passes that move or add instructions are rebuilds with one of the options.
type Rebuilder struct {
	// Forward replaces GETs of registers by the values they are known to have
	// and drops SETs of the value that a register has already.
	Forward bool
	// Flatten, if not nil, says whether the IF of a scope becomes SELECTs. Its
	// arms have to consist of pure instructions, INSNs and YIELDs; the INSNs go,
	// so one has to follow the MERGE before anything that may fault.
	Flatten func(f *Func, sc *ScopeInfo) bool
	// Early, if not nil, says which arm of an IF leaves for good and may be done twice, for each of two reasons. It is named by
	// the IF or ELSE that opens it, and has to consist of INSNs and a BREAK or JUMP.
	Early func(f *Func, sc *ScopeInfo) (arm int32, ok bool)
	// Hoist, if not nil, says which operations go in front of a LOOP when their
	// operands are known there. They have to be pure, or GETs, which move only if
	// the loop does not write their register.
	Hoist func(op Op) bool
	// Live, if not nil, tells the instructions to keep. A MERGE result or
	// BLOCK_ARG that is not kept takes the operands that flow into it along.
	Live []bool
	// Split, if not nil, gives for each result or loop argument the operation
	// behind which it flows in parts, nil if it flows as it is. Live is nil then.
	Split []*Split
	// Instead, if not nil, may emit something else for instruction n of those that are
	// not part of a scope; get tells its operands' new names.
	Instead func(n int, get func(Value) Value) (v Value, done bool)
	// Arm, if not nil, may emit something at the start of the arm that instruction n, an
	// IF or ELSE, opens.
	Arm func(n int, get func(Value) Value)

	// Enter, if not nil, may give a condition, else None, under which Entered is to emit something in front of the LOOP at
	// n. Both have the arguments that it starts with, and Entered may change them.
	Enter   func(n int, args []Value) (cond Value)
	Entered func(n int, args []Value)

	src     *Func
	b       *Builder
	val     []Value // of each instruction of src in the new Func
	s       Structure
	writes  []RegSet   // registers that each scope writes
	writesP []uint32   // predicate registers that each scope writes, if Hoist is not nil
	first   Value      // values before it are of the new Func too
	moved   []bool     // instructions that Hoist has dealt with
	parts   [][3]Value // what the results and arguments in Split have become
	frames  []rebuildFrame
	facts   []fact // what is known at the current point of conditions
	args    []Value
	mapped  []Value
}

// fact is the truth of a condition of the new Func.
type fact struct {
	cond Value
	is   bool
}

type rebuildFrame struct {
	scope  int32
	kind   frameKind
	mark   int
	facts  int // how many were known in front
	exits  int
	regs   regMap // at the start
	then   regMap // at the end of the then arm
	live   bool   // the then arm reaches the MERGE
	cond   Value  // of an IF
	values int    // flat: where the values of the then arm start in mapped
}

// frameKind is what became of a scope.
type frameKind uint8

const (
	keptScope   frameKind = iota
	splicedArm            // an IF of which one arm is left, in line
	flatDiamond           // an IF that becomes SELECTs
)

// Run rebuilds src into b, which it resets. src has to pass the verifier.
func (r *Rebuilder) Run(src *Func, b *Builder) {
	if err := src.Structure(&r.s); err != nil {
		panic("BUG: ir: rebuild of an invalid unit: " + err.Error())
	}
	b.Reset(src.PC)
	b.Size, b.Also = src.Size, append(b.Also, src.Also...)
	r.run(src, b, 0, len(src.Insts))
}

// again appends a copy of the instructions from..to of b, which have to be made
// of whole scopes. Operands from before keep their meaning.
func (r *Rebuilder) again(b *Builder, from, to int) {
	if _, _, err := b.scan(&r.s); err != nil {
		panic("BUG: ir: clone of an invalid unit: " + err.Error())
	}
	r.run(b.Func, b, from, to)
}

func (r *Rebuilder) run(src *Func, b *Builder, from, to int) {
	r.src, r.b, r.first = src, b, Value(from)
	r.val = append(r.val[:0], make([]Value, len(src.Insts))...)
	r.frames, r.facts, r.mapped = r.frames[:0], r.facts[:0], r.mapped[:0]
	r.findWrites()
	if r.Hoist != nil {
		r.moved = append(r.moved[:0], make([]bool, len(src.Insts))...)
		r.findPredicateWrites()
	}
	if r.Split != nil {
		r.parts = append(r.parts[:0], make([][3]Value, len(src.Insts))...)
	}
	for n := from; n < to; n++ {
		n = r.inst(n)
	}
}

// findWrites collects the registers that each scope writes, inner ones included.
func (r *Rebuilder) findWrites() {
	r.writes = append(r.writes[:0], make([]RegSet, len(r.s.Scopes))...)
	for n := range r.s.Of {
		reg, ok := r.src.setRegister(r.src.Insts[n])
		if !ok {
			continue
		}
		for sc := r.s.Of[n]; sc >= 0; sc = r.s.Scopes[sc].Parent {
			r.writes[sc].add(reg)
		}
	}
}

// findPredicateWrites is the same for the predicate registers, which are no registers of the
// builder's: other code reads and writes them in the state.
func (r *Rebuilder) findPredicateWrites() {
	r.writesP = append(r.writesP[:0], make([]uint32, len(r.s.Scopes))...)
	for n := range r.s.Of {
		reg, ok := r.src.predicateRegister(r.src.Insts[n])
		if !ok || r.src.Insts[n].Op() != OpSetSys {
			continue
		}
		for sc := r.s.Of[n]; sc >= 0; sc = r.s.Scopes[sc].Parent {
			r.writesP[sc] |= 1 << reg
		}
	}
}

// predicateRegister is the number of the predicate register that GETSYS reads or SETSYS writes.
func (f *Func) predicateRegister(i Inst) (reg int, ok bool) {
	if i.Op() != OpGetSys && i.Op() != OpSetSys {
		return 0, false
	}
	s := SysReg(f.ImmOf(i.A()))
	return int(s) - int(SysP), s >= SysP && s <= SysFFR
}

// setRegister is the number of the register that a SET writes.
func (f *Func) setRegister(i Inst) (reg int, ok bool) {
	switch i.Op() {
	case OpSetX:
		return int(f.ImmOf(i.A()) & 31), true
	case OpSetV:
		return regV + int(f.ImmOf(i.A())&31), true
	case OpSetNZCV:
		return regNZCV, true
	}
	return 0, false
}

// get is the new name of an operand.
func (r *Rebuilder) get(v Value) Value {
	switch {
	case v == None, v.IsSSA() && v < r.first:
		return v
	case v.IsConst():
		c := r.src.Consts[v.Pool()]
		return r.b.Const128(c.Type, c.Lo, c.Hi)
	}
	return r.val[v]
}

func (r *Rebuilder) live(n int) bool { return r.Live == nil || r.Live[n] }

// inst copies instruction n and returns the index of the last one it dealt with.
func (r *Rebuilder) inst(n int) int {
	i := r.src.Insts[n]
	op := i.Op()
	b := r.b
	if b.dead && (op != OpElse && op != OpMerge && op != OpEndBlock) {
		if op == OpIf || op == OpLoop || op == OpBlock {
			return r.lastOf(&r.s.Scopes[r.s.Of[n]])
		}
		return n
	}
	switch op {
	case OpNop, OpArgExt, OpBlockArg, OpDefExt:
		return n // with the instruction that they belong to
	case OpInsn:
		if k := len(r.frames) - 1; k < 0 || r.frames[k].kind != flatDiamond {
			r.copy(n)
		}
	case OpIf:
		n = r.openIf(n, r.leaveEarly(n, i.A()))
		r.startArm(n)
		return n
	case OpLoop:
		if r.Hoist != nil {
			r.hoist(n)
		}
		r.open(n)
		r.openLoop(n)
	case OpBlock:
		r.open(n)
		b.emit(OpBlock, Void, None, None, None)
	case OpElse:
		return r.elseArm(n)
	case OpYield, OpBreak:
		r.leave(n)
	case OpContinue:
		r.args = r.src.Operands(n, r.args[:0])
		r.passArgs(int(r.s.Scopes[r.s.Of[n]].Start), r.args[1:])
		b.emitArgs(OpContinue, b.I64(r.src.ImmOf(r.args[0])), b.scratch)
		b.dead = true
	case OpReturn:
		r.args = r.src.Operands(n, r.args[:0])
		for k, v := range r.args {
			r.args[k] = r.get(v)
		}
		b.emitArgs(OpReturn, None, r.args)
		b.dead = true
	case OpEndBlock, OpMerge:
		return r.close(n)
	case OpJumpIf:
		if yes, ok := r.truth(r.get(i.A())); ok {
			to := i.C()
			if yes {
				to = i.B()
			}
			b.Jump(r.src.ImmOf(to))
			break
		}
		r.copy(n)
	default:
		if r.Instead != nil {
			if v, done := r.Instead(n, r.get); done {
				r.val[n] = v
				return n
			}
		}
		if r.live(n) && (r.Hoist == nil || !r.moved[n]) {
			r.copy(n)
		}
	}
	return n
}

// hoist copies what does not change in the LOOP at n to the current point. Values
// of the loop that are not copied yet stand in r.val as they were: unknown is told
// by r.moved and by where the operands are defined.
func (r *Rebuilder) hoist(n int) {
	scope := r.s.Of[n]
	end := int(r.s.Scopes[scope].End)
	for k := n + 1; k < end; k++ {
		i := r.src.Insts[k]
		if r.moved[k] || !r.Hoist(i.Op()) {
			continue
		}
		known := true
		for m := range 3 {
			if v := i.Arg(m); v.IsSSA() && int(v) > n && !r.moved[v] {
				known = false
			}
		}
		if !known || r.changes(i, scope) {
			continue
		}
		r.copy(k)
		r.moved[k] = true
	}
}

// changes reports whether a scope changes what i reads, a register or none.
func (r *Rebuilder) changes(i Inst, scope int32) bool {
	if i.Op() == OpGetSys {
		reg, ok := r.src.predicateRegister(i)
		return !ok || r.writesP[scope]>>reg&1 != 0
	}
	reg, ok := r.src.getRegister(i)
	return ok && r.writes[scope].has(reg)
}

// getRegister is the number of the register that a GET reads.
func (f *Func) getRegister(i Inst) (reg int, ok bool) {
	switch i.Op() {
	case OpGetX:
		return int(f.ImmOf(i.A()) & 31), true
	case OpGetV:
		return regV + int(f.ImmOf(i.A())&31), true
	case OpGetNZCV:
		return regNZCV, true
	}
	return 0, false
}

// copy copies an instruction that is not part of a scope.
func (r *Rebuilder) copy(n int) {
	i := r.src.Insts[n]
	b := r.b
	if r.Forward {
		switch reg := i.A(); i.Op() {
		case OpGetX:
			r.val[n] = b.GetX(int(r.src.ImmOf(reg) & 31))
			return
		case OpGetV:
			r.val[n] = b.GetV(r.src.Types[n], int(r.src.ImmOf(reg)&31))
			return
		case OpGetNZCV:
			r.val[n] = b.GetNZCV()
			return
		case OpSetX:
			b.SetX(int(r.src.ImmOf(reg)&31), r.get(i.B()))
			return
		case OpSetV:
			b.SetV(int(r.src.ImmOf(reg)&31), r.get(i.B()))
			return
		case OpSetNZCV:
			b.SetNZCV(r.get(reg))
			return
		}
	}
	r.val[n] = b.Emit(i.Op(), r.src.Types[n], r.get(i.A()), r.get(i.B()), r.get(i.C()))
}
