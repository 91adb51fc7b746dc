package ir

// ScopeID names an open LOOP, BLOCK or IF of a Builder.
type ScopeID int

// frame is an open scope (seed 000's block_scope_t).
type frame struct {
	op     Op
	start  Value  // the IF, LOOP or BLOCK
	mark   int    // length of cseLog when it was opened
	entry  regMap // registers at its start
	all    RegSet // registers written anywhere inside
	regs   RegSet // registers that CONTINUE, BREAK and YIELD pass along
	fixed  bool   // LOOP: no register outside of regs may be written
	nargs  int    // LOOP: explicit arguments
	args   Value  // LOOP: the first BLOCK_ARG
	tbase  int    // where its result types start in Builder.types
	arity  int    // explicit results, -1 = not known yet
	leaves int    // YIELDs and BREAKs that reach its MERGE

	// IF only
	inElse   bool
	thenLive bool
	then     regMap // registers at the end of the then arm
	yielded  RegSet // registers that the YIELD of the then arm passes along
	yield    Value  // where the sequence ARG_EXT* YIELD of the then arm starts
	elseAt   Value
}

func (b *Builder) top() *frame {
	if len(b.frames) == 0 {
		panic("BUG: ir.Builder: no open scope")
	}
	return &b.frames[len(b.frames)-1]
}

func (b *Builder) push(op Op, start Value) *frame {
	n := len(b.frames)
	if n < cap(b.frames) {
		b.frames = b.frames[:n+1]
	} else {
		b.frames = append(b.frames, frame{})
	}
	f := &b.frames[n]
	*f = frame{op: op, start: start, mark: len(b.cseLog), entry: b.regs, tbase: len(b.types), arity: -1}
	b.regs.dirty = RegSet{}
	return f
}

// If opens a scope whose first arm runs when cond (I1) is true.
func (b *Builder) If(cond Value) ScopeID {
	b.push(OpIf, b.emit(OpIf, Void, cond, None, None))
	return ScopeID(len(b.frames) - 1)
}

// Block opens a scope that Break can leave. Registers written inside are read
// from the state again after it; BlockRegs passes them along as values.
func (b *Builder) Block() ScopeID { return b.BlockRegs(RegSet{}) }

// BlockRegs is Block; the registers of r are merged as SSA values where the
// scope is left.
func (b *Builder) BlockRegs(r RegSet) ScopeID {
	f := b.push(OpBlock, b.emit(OpBlock, Void, None, None, None))
	f.regs = r
	return ScopeID(len(b.frames) - 1)
}

// Loop opens a loop with the given initial arguments; Arg gives them inside.
// Registers are read from the state again inside and after it; LoopRegs passes
// them along as arguments.
func (b *Builder) Loop(args ...Value) ScopeID {
	s := b.loop(RegSet{}, args)
	dirty := b.regs.dirty
	b.regs.clear()
	b.regs.dirty = dirty
	return s
}

// LoopRegs is Loop with the registers of r as further arguments, which are
// updated by every Continue and merged by every Break. r has to contain every
// register that is written inside; the others keep the values they have.
func (b *Builder) LoopRegs(r RegSet, args ...Value) ScopeID {
	s := b.loop(r, args)
	b.top().fixed = true
	return s
}

func (b *Builder) loop(r RegSet, args []Value) ScopeID {
	all := append(b.scratch[:0], args...)
	for n := r.next(0); n < numRegs; n = r.next(n + 1) {
		all = append(all, b.read(n))
	}
	b.scratch = all
	f := b.push(OpLoop, b.emitArgs(OpLoop, None, all))
	f.regs, f.nargs = r, len(args)
	f.args = Value(len(b.Insts))
	for n, v := range all {
		b.emit(OpBlockArg, b.TypeOf(v), b.I64(uint64(n)), None, None)
	}
	v := f.args + Value(len(args))
	for n := r.next(0); n < numRegs; n = r.next(n + 1) {
		b.write(n, v)
		v++
	}
	return ScopeID(len(b.frames) - 1)
}

// Arg is argument n of the innermost loop.
func (b *Builder) Arg(n int) Value {
	for k := len(b.frames) - 1; k >= 0; k-- {
		if f := &b.frames[k]; f.op == OpLoop {
			if n >= f.nargs {
				panic("BUG: ir.Builder: no such loop argument")
			}
			return f.args + Value(n)
		}
	}
	panic("BUG: ir.Builder: no open loop")
}

// Yield gives the results of the current arm of an IF, or of a BLOCK that is
// left at its end. Else or End must follow.
func (b *Builder) Yield(vals ...Value) {
	b.pending = append(b.pending[:0], vals...)
}

// Else closes the then arm of the innermost IF and opens the other.
func (b *Builder) Else() {
	f := b.top()
	if f.op != OpIf || f.inElse {
		panic("BUG: ir.Builder: Else without If")
	}
	f.thenLive = !b.dead
	f.all = f.all.Union(b.regs.dirty)
	f.yield = Value(len(b.Insts))
	if f.thenLive {
		vals := append(b.scratch[:0], b.pending...)
		b.setArity(f, len(vals))
		for n := b.regs.dirty.next(0); n < numRegs; n = b.regs.dirty.next(n + 1) {
			// A dirty register without a value was written by an inner scope whose
			// results it is not part of: it stays in the state.
			if v := b.whole(n); v != None && v != f.entry.val[n] {
				vals = append(vals, v)
				f.yielded.add(n)
			}
		}
		b.scratch = vals
		b.emitArgs(OpYield, None, vals)
	}
	f.then = b.regs
	b.dead = false
	f.elseAt = b.emit(OpElse, Void, None, None, None)
	f.inElse = true
	b.pending = b.pending[:0]
	b.forget(f.mark)
	b.regs = f.entry
	b.regs.dirty = RegSet{}
}

func (b *Builder) setArity(f *frame, n int) {
	if f.arity >= 0 && f.arity != n {
		panic("BUG: ir.Builder: ways out of a scope give different numbers of results")
	}
	f.arity = n
}

// End closes the innermost scope, an IF without Else included, with MERGE or
// END_BLOCK as rule 1.5 asks. It returns the first result that was given to Yield
// or Break; result n is that plus n. Without results it returns None.
func (b *Builder) End() Value {
	f := b.top()
	switch f.op {
	case OpIf:
		if !f.inElse {
			if len(b.pending) != 0 {
				panic("BUG: ir.Builder: an If that yields results needs an Else")
			}
			b.Else()
		}
		return b.endIf(f)
	case OpBlock:
		if !b.dead {
			b.leave(f, OpYield, None, b.pending)
		}
		b.pending = b.pending[:0]
	case OpLoop:
		if !b.dead {
			panic("BUG: ir.Builder: the loop's body falls through")
		}
	}
	b.dead = false
	f.all = f.all.Union(b.regs.dirty).Union(f.regs) // the SETs behind the MERGE included
	if f.fixed && !f.all.Minus(f.regs).Empty() {
		panic("BUG: ir.Builder: a loop writes registers that are not among its own")
	}
	b.forget(f.mark)
	if f.op == OpLoop || f.leaves == 0 {
		b.emit(OpEndBlock, Void, None, None, None)
	}
	b.regs = f.entry
	b.dead = f.leaves == 0
	if b.dead {
		return b.pop(None)
	}
	// Where the scope is left the registers that it wrote are in the state, and
	// those of f.regs are results too.
	for n := f.all.next(0); n < numRegs; n = f.all.next(n + 1) {
		b.regs.val[n] = None
	}
	first := b.merge(b.types[f.tbase:])
	v := first + Value(f.arity)
	for n := f.regs.next(0); n < numRegs; n = f.regs.next(n + 1) {
		b.write(n, v)
		v++
	}
	return b.pop(first)
}

// pop removes the innermost frame; its writes count for the one around it.
func (b *Builder) pop(first Value) Value {
	f := b.top()
	b.regs.dirty = f.entry.dirty.Union(f.all)
	if n := len(b.frames) - 2; n >= 0 {
		b.frames[n].all = b.frames[n].all.Union(f.all)
	}
	b.types = b.types[:f.tbase]
	arity := f.arity
	b.frames = b.frames[:len(b.frames)-1]
	b.pending = b.pending[:0]
	if arity <= 0 {
		return None
	}
	return first
}

// merge emits MERGE and its DEF_EXTs for results of the given types.
func (b *Builder) merge(types []Type) Value {
	if len(types) == 0 {
		return b.emit(OpMerge, Void, None, None, None)
	}
	first := b.emit(OpMerge, types[0], None, None, None)
	for _, t := range types[1:] {
		b.emit(OpDefExt, t, first, None, None)
	}
	return first
}

// Break leaves the nth enclosing LOOP or BLOCK, 0 = innermost, with results.
func (b *Builder) Break(n int, vals ...Value) {
	left := n
	for k := len(b.frames) - 1; k >= 0; k-- {
		f := &b.frames[k]
		if f.op == OpIf {
			continue
		}
		if left == 0 {
			b.leave(f, OpBreak, b.I64(uint64(n)), vals)
			return
		}
		left--
	}
	panic("BUG: ir.Builder: no scope to break out of")
}

// BreakTo is Break out of the scope s.
func (b *Builder) BreakTo(s ScopeID, vals ...Value) {
	n := 0
	for k := len(b.frames) - 1; k > int(s); k-- {
		if b.frames[k].op != OpIf {
			n++
		}
	}
	b.Break(n, vals...)
}

func (b *Builder) leave(f *frame, op Op, depth Value, vals []Value) {
	b.setArity(f, len(vals))
	all := append(b.scratch[:0], vals...)
	for n := f.regs.next(0); n < numRegs; n = f.regs.next(n + 1) {
		v := b.read(n)
		// All ways out have to agree on the type of a V register.
		if k := f.tbase + len(all); f.leaves > 0 && k < len(b.types) && b.types[k].IsVec() {
			v = b.Bitcast(b.types[k], v)
		}
		all = append(all, v)
	}
	b.scratch = all
	b.emitArgs(op, depth, all)
	if f.leaves == 0 {
		// Only the innermost frame may own the top of the type stack; a BREAK
		// out of several scopes stores its types below those of the inner ones.
		b.insertTypes(f, all)
	}
	f.leaves++
	b.dead = true
}

// insertTypes records the result types of f at its place in the type stack.
func (b *Builder) insertTypes(f *frame, vals []Value) {
	n := len(vals)
	for range vals {
		b.types = append(b.types, Void)
	}
	copy(b.types[f.tbase+n:], b.types[f.tbase:len(b.types)-n])
	for k, v := range vals {
		b.types[f.tbase+k] = b.TypeOf(v)
	}
	for k := range b.frames {
		if g := &b.frames[k]; g != f && g.tbase >= f.tbase && g.start > f.start {
			g.tbase += n
		}
	}
}

// Continue goes to the header of the nth enclosing LOOP, 0 = innermost, with new
// values for its explicit arguments.
func (b *Builder) Continue(n int, vals ...Value) {
	left := n
	for k := len(b.frames) - 1; k >= 0; k-- {
		f := &b.frames[k]
		if f.op != OpLoop {
			continue
		}
		if left > 0 {
			left--
			continue
		}
		if len(vals) != f.nargs {
			panic("BUG: ir.Builder: Continue with the wrong number of arguments")
		}
		all := append(b.scratch[:0], vals...)
		v := f.args + Value(f.nargs)
		for r := f.regs.next(0); r < numRegs; r = f.regs.next(r + 1) {
			all = append(all, b.Bitcast(b.Types[v], b.read(r)))
			v++
		}
		b.scratch = all
		b.emitArgs(OpContinue, b.I64(uint64(n)), all)
		b.dead = true
		return
	}
	panic("BUG: ir.Builder: no loop to continue")
}

// ContinueTo is Continue of the loop s.
func (b *Builder) ContinueTo(s ScopeID, vals ...Value) {
	n := 0
	for k := len(b.frames) - 1; k > int(s); k-- {
		if b.frames[k].op == OpLoop {
			n++
		}
	}
	b.Continue(n, vals...)
}

// emitArgs emits a control instruction with any number of operands: the first
// ones in the instruction (lead before them, unless it is None), the others in
// ARG_EXTs in front of it.
func (b *Builder) emitArgs(op Op, lead Value, vals []Value) Value {
	head := 3
	if lead != None {
		head = 2
	}
	for n := head; n < len(vals); n += 3 {
		b.emit(OpArgExt, Void, arg(vals, n), arg(vals, n+1), arg(vals, n+2))
	}
	if lead != None {
		return b.emit(op, Void, lead, arg(vals, 0), arg(vals, 1))
	}
	return b.emit(op, Void, arg(vals, 0), arg(vals, 1), arg(vals, 2))
}

func arg(vals []Value, n int) Value {
	if n < len(vals) {
		return vals[n]
	}
	return None
}
