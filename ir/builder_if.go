package ir

// endIf closes an IF. Both arms have to yield the same values (rule 1.1), but
// which registers the else arm writes is known only now: those that the then arm
// does not pass along yet are added to its YIELD.
func (b *Builder) endIf(f *frame) Value {
	elseLive := !b.dead
	f.all = f.all.Union(b.regs.dirty)
	var merged RegSet
	switch {
	case elseLive:
		merged = b.yieldElse(f)
	case f.thenLive:
		merged = f.yielded
		b.types = b.types[:f.tbase]
		b.scratch = b.Operands(int(f.elseAt)-1, b.scratch[:0])
		for _, v := range b.scratch {
			b.types = append(b.types, b.TypeOf(v))
		}
	default:
		b.forget(f.mark)
		b.dead = false
		b.emit(OpEndBlock, Void, None, None, None)
		b.regs = f.entry
		b.dead = true
		return b.pop(None)
	}
	b.forget(f.mark)
	b.dead = false
	// A register that was written but is not merged holds the same value on both
	// ways, or is known only to the state.
	stale := f.all.Minus(merged)
	thenVal, elseVal := f.then.val, b.regs.val
	b.regs = f.entry
	for n := stale.next(0); n < numRegs; n = stale.next(n + 1) {
		if f.thenLive && thenVal[n] != f.entry.val[n] || elseLive && elseVal[n] != f.entry.val[n] {
			b.regs.val[n] = None
		}
	}
	first := b.merge(b.types[f.tbase:])
	v := first + Value(f.arity)
	if f.arity < 0 {
		f.arity = 0
	}
	for n := merged.next(0); n < numRegs; n = merged.next(n + 1) {
		b.write(n, v+b.rank(f, merged, n))
	}
	return b.pop(first)
}

// rank is the place of register n among the merged ones: those that the then arm
// passed along by itself come first.
func (b *Builder) rank(f *frame, merged RegSet, n int) Value {
	first := f.yielded
	if first.has(n) {
		return Value(first.below(n))
	}
	return Value(first.Len() + merged.Minus(first).below(n))
}

// yieldElse ends a live else arm: it emits the YIELD, completes the one of the
// then arm, records the types and returns the registers that are merged.
func (b *Builder) yieldElse(f *frame) RegSet {
	b.setArity(f, len(b.pending))
	if !f.thenLive {
		f.yielded = RegSet{}
	}
	vals := append(b.scratch[:0], b.pending...)
	for n := f.yielded.next(0); n < numRegs; n = f.yielded.next(n + 1) {
		vals = append(vals, b.Bitcast(b.TypeOf(f.then.val[n]), b.read(n)))
	}
	var extra RegSet
	dirty := b.regs.dirty.Minus(f.yielded)
	for n := dirty.next(0); n < numRegs; n = dirty.next(n + 1) {
		v := b.whole(n)
		if v == None || v == f.entry.val[n] || f.thenLive && f.then.dirty.has(n) {
			continue
		}
		if was := f.entry.val[n]; f.thenLive && was != None && b.TypeOf(was).IsVec() {
			v = b.Bitcast(b.TypeOf(was), v)
		}
		extra.add(n)
		vals = append(vals, v)
	}
	b.scratch = vals
	if f.thenLive && !extra.Empty() {
		b.forget(f.mark) // the arm moves
		b.widenThen(f, extra, vals)
	}
	b.emitArgs(OpYield, None, b.scratch)
	b.types = b.types[:f.tbase]
	for _, v := range b.scratch {
		b.types = append(b.types, b.TypeOf(v))
	}
	return f.yielded.Union(extra)
}

// widenThen makes the then arm yield the registers of extra too, with the values
// they had before the IF; those that nothing has read yet are read in the arm.
// elseVals are the values that the else arm will yield; they move with the arm.
func (b *Builder) widenThen(f *frame, extra RegSet, elseVals []Value) {
	vals := b.Operands(int(f.elseAt)-1, b.scratch2[:0])
	gets := 0
	for n := extra.next(0); n < numRegs; n = extra.next(n + 1) {
		v := f.entry.val[n]
		if v == None || n >= regV && n < regNZCV && !b.TypeOf(v).IsVec() {
			v = f.yield + Value(gets)
			gets++
		}
		vals = append(vals, v)
	}
	b.scratch2 = vals
	old := int(f.elseAt - f.yield)
	exts := max(0, (len(vals)-3+2)/3)
	grow := gets + exts + 1 - old
	b.unuse(int(f.yield), int(f.elseAt))
	b.shift(f.elseAt, grow)
	at := int(f.yield)
	for n := extra.next(0); n < numRegs; n = extra.next(n + 1) {
		if v := f.entry.val[n]; v == None || n >= regV && n < regNZCV && !b.TypeOf(v).IsVec() {
			k := f.yielded.Len() + f.arity + extra.below(n)
			b.put(at, getInst(n), b.TypeOf(b.moved(f, elseVals[k], grow)))
			at++
		}
	}
	for n := 3; n < len(vals); n += 3 {
		b.put(at, MakeInst(OpArgExt, arg(vals, n), arg(vals, n+1), arg(vals, n+2)), Void)
		at++
	}
	b.put(at, MakeInst(OpYield, arg(vals, 0), arg(vals, 1), arg(vals, 2)), Void)
	for n, v := range elseVals {
		elseVals[n] = b.moved(f, v, grow)
	}
	for n, v := range b.regs.val {
		b.regs.val[n] = b.moved(f, v, grow)
	}
	f.elseAt += Value(grow)
}

func (b *Builder) moved(f *frame, v Value, grow int) Value {
	if v.IsSSA() && v >= f.elseAt {
		return v + Value(grow)
	}
	return v
}

// unuse takes back the uses that the operands of instructions from..to count for.
func (f *Func) unuse(from, to int) {
	for n := from; n < to; n++ {
		for k := range 3 {
			if v := f.Insts[n].Arg(k); v.IsSSA() {
				f.Uses[v]--
			}
		}
	}
}

// put overwrites instruction n, whose operands are not counted, with i.
func (f *Func) put(n int, i Inst, t Type) {
	f.Insts[n], f.Types[n] = i, t
	for k := range 3 {
		f.use(i.Arg(k))
	}
}

// shift moves the instructions from at on by n places and renames operands that
// name them.
func (f *Func) shift(at Value, n int) {
	if n == 0 {
		return
	}
	end := len(f.Insts)
	for range n {
		f.Insts = append(f.Insts, 0)
		f.Types = append(f.Types, Void)
		f.Uses = append(f.Uses, 0)
	}
	copy(f.Insts[int(at)+n:], f.Insts[at:end])
	copy(f.Types[int(at)+n:], f.Types[at:end])
	copy(f.Uses[int(at)+n:], f.Uses[at:end])
	clear(f.Uses[at : int(at)+n])
	for k := int(at) + n; k < len(f.Insts); k++ {
		i := f.Insts[k]
		var args [3]Value
		for m := range args {
			v := i.Arg(m)
			if v.IsSSA() && v >= at {
				v += Value(n)
			}
			args[m] = v
		}
		f.Insts[k] = MakeInst(i.Op(), args[0], args[1], args[2])
	}
}
