package ir

import "slices"

// lastOf is the index of the last instruction of a scope, results included.
func (r *Rebuilder) lastOf(sc *ScopeInfo) int {
	last := int(max(sc.End, sc.Merge))
	for last+1 < len(r.src.Insts) && r.src.Insts[last+1].Op() == OpDefExt {
		last++
	}
	return last
}

func (r *Rebuilder) open(n int) *rebuildFrame {
	r.frames = append(r.frames, rebuildFrame{scope: r.s.Of[n], mark: len(r.b.cseLog), facts: len(r.facts), regs: r.b.regs})
	return &r.frames[len(r.frames)-1]
}

func (r *Rebuilder) openIf(n int, cond Value) int {
	f := r.open(n)
	sc := &r.s.Scopes[f.scope]
	if yes, ok := r.truth(cond); ok {
		f.kind = splicedArm
		if !yes {
			return int(sc.Else)
		}
		return n
	}
	f.cond = cond
	if r.Flatten != nil && r.Flatten(r.src, sc) {
		f.kind, f.values = flatDiamond, len(r.mapped)
		return n
	}
	r.b.emit(OpIf, Void, cond, None, None)
	r.facts = append(r.facts, fact{cond, true})
	return n
}

// maxFacts is how many facts are looked at, the latest ones first.
const maxFacts = 32

// truth is what is known of a condition: it is a constant, or an IF around decided it, or
// one in front of which one arm leaves.
func (r *Rebuilder) truth(cond Value) (is, known bool) {
	if c, ok := r.b.ConstOf(cond); ok {
		return c.Lo != 0, true
	}
	for k := len(r.facts) - 1; k >= max(0, len(r.facts)-maxFacts); k-- {
		if f := r.facts[k]; f.cond == cond {
			return f.is, true
		}
	}
	return false, false
}

// openLoop emits the LOOP at n with its BLOCK_ARGs. Inside nothing is known of
// the registers that the body writes.
func (r *Rebuilder) openLoop(n int) {
	b := r.b
	scope := r.s.Of[n]
	r.args = r.src.Operands(n, r.args[:0])
	r.passArgs(n, r.args)
	if r.Enter != nil {
		r.enterLoop(n, slices.Clone(b.scratch))
	}
	b.emitArgs(OpLoop, None, b.scratch)
	kept := uint64(0)
	define := func(t Type) Value {
		kept++
		return b.emit(OpBlockArg, t, b.I64(kept-1), None, None)
	}
	next := 0
	k := n + 1
	for ; r.src.Insts[k].Op() == OpBlockArg || r.src.Insts[k].Op() == OpNop; k++ {
		if r.src.Insts[k].Op() == OpNop {
			continue
		}
		arg := int(r.src.ImmOf(r.src.Insts[k].A()))
		if r.Live == nil {
			kept += uint64(arg - next) // arguments that nothing reads keep their places
			next = arg + 1
		}
		if r.live(k) {
			r.receive(k, define)
		}
	}
	for n++; n < k; n++ {
		r.join(n)
	}
	r.stale(r.writes[scope])
}

// enterLoop emits what Enter and Entered want in front of the LOOP at n, and leaves what it starts with, args or what
// Entered makes of them, in the builder's scratch.
func (r *Rebuilder) enterLoop(n int, args []Value) {
	b := r.b
	cond := r.Enter(n, args)
	if cond == None {
		b.scratch = append(b.scratch[:0], args...)
		return
	}
	mark := len(b.cseLog)
	changed := slices.Clone(args)
	b.emit(OpIf, Void, cond, None, None)
	r.Entered(n, changed)
	b.emitArgs(OpYield, None, changed)
	b.forget(mark)
	b.emit(OpElse, Void, None, None, None)
	b.emitArgs(OpYield, None, args)
	first := b.emit(OpMerge, b.TypeOf(args[0]), None, None, None)
	b.scratch = append(b.scratch[:0], first)
	for _, v := range args[1:] {
		b.scratch = append(b.scratch, b.emit(OpDefExt, b.TypeOf(v), first, None, None))
	}
}

// passArgs puts the operands args of the LOOP at n, or of a CONTINUE of it, in
// their new form into the builder's scratch, without those that are not live.
func (r *Rebuilder) passArgs(n int, args []Value) {
	out := r.b.scratch[:0]
	next := 0
	for k := n + 1; r.src.Insts[k].Op() == OpBlockArg || r.src.Insts[k].Op() == OpNop; k++ {
		if r.src.Insts[k].Op() == OpNop {
			continue
		}
		arg := int(r.src.ImmOf(r.src.Insts[k].A()))
		for ; r.Live == nil && next < arg; next++ {
			out = append(out, r.get(args[next]))
		}
		if r.live(k) {
			out = r.pass(out, k, args[arg])
		}
		next = arg + 1
	}
	for ; r.Live == nil && next < len(args); next++ {
		out = append(out, r.get(args[next]))
	}
	r.b.scratch = out
}

func (r *Rebuilder) stale(set RegSet) {
	for n := set.next(0); n < numRegs; n = set.next(n + 1) {
		r.b.regs.val[n] = None
	}
}

func (r *Rebuilder) elseArm(n int) int {
	f := &r.frames[len(r.frames)-1]
	sc := &r.s.Scopes[f.scope]
	switch f.kind {
	case splicedArm:
		// The then arm was the one that is left.
		return int(sc.End) - 1
	case flatDiamond:
		r.b.dead = false
		return n
	}
	f.live = f.exits > 0
	r.facts = append(r.facts[:f.facts], fact{f.cond, false})
	f.then = r.b.regs
	r.b.dead = false
	r.b.forget(f.mark)
	r.b.regs = f.regs
	r.b.emit(OpElse, Void, None, None, None)
	r.startArm(n)
	return n
}

// startArm lets Arm emit something behind instruction n, which opens an arm.
func (r *Rebuilder) startArm(n int) {
	if r.Arm != nil {
		r.Arm(n, r.get)
	}
}

// leave copies a YIELD or BREAK.
func (r *Rebuilder) leave(n int) {
	b := r.b
	i := r.src.Insts[n]
	r.args = r.src.Operands(n, r.args[:0])
	args := r.args
	if i.Op() == OpBreak {
		args = args[1:]
	}
	f := r.frameOf(r.s.Of[n])
	f.exits++
	merge := int(r.s.Scopes[f.scope].Merge)
	switch f.kind {
	case splicedArm:
		for k, v := range args {
			r.val[merge+k] = r.get(v)
			if s := r.splitOf(merge + k); s != nil {
				r.parts[merge+k] = r.partsOf(v, s)
			}
		}
		b.dead = true
		return
	case flatDiamond:
		for k, v := range args {
			if f.exits == 1 {
				r.mapped = append(r.mapped, r.get(v))
			} else if r.live(merge + k) {
				r.val[merge+k] = b.Select(f.cond, r.mapped[f.values+k], r.get(v))
			}
		}
		b.dead = true
		return
	}
	out := b.scratch[:0]
	for k, v := range args {
		if r.live(merge + k) {
			out = r.pass(out, merge+k, v)
		}
	}
	b.scratch = out
	depth := None
	if i.Op() == OpBreak {
		depth = b.I64(r.src.ImmOf(i.A()))
	}
	b.emitArgs(i.Op(), depth, out)
	b.dead = true
}

func (r *Rebuilder) frameOf(scope int32) *rebuildFrame {
	for k := len(r.frames) - 1; k >= 0; k-- {
		if r.frames[k].scope == scope {
			return &r.frames[k]
		}
	}
	panic("BUG: ir: rebuild lost a scope")
}

// close ends the innermost scope at its END_BLOCK or MERGE.
func (r *Rebuilder) close(n int) int {
	f := &r.frames[len(r.frames)-1]
	sc := &r.s.Scopes[f.scope]
	b := r.b
	last := r.lastOf(sc)
	r.frames = r.frames[:len(r.frames)-1]
	r.facts = r.facts[:f.facts]
	if f.kind != keptScope {
		b.dead = f.exits == 0
		if f.kind == flatDiamond {
			r.mapped = r.mapped[:f.values]
		}
		return last
	}
	b.forget(f.mark)
	b.dead = false
	if sc.Op == OpLoop || f.exits == 0 {
		b.emit(OpEndBlock, Void, None, None, None)
	}
	elseRegs := b.regs
	b.regs = f.regs
	b.regs.dirty = b.regs.dirty.Union(r.writes[f.scope])
	if f.exits == 0 {
		b.dead = true
		return last
	}
	if sc.Op == OpIf {
		if other := f.exits > btoi(f.live); f.live != other {
			r.facts = append(r.facts, fact{f.cond, f.live})
		}
		// What both arms agree on was known before, or is not visible here.
		for k := range b.regs.val {
			was := f.regs.val[k]
			if f.live && f.then.val[k] != was || f.exits > btoi(f.live) && elseRegs.val[k] != was {
				b.regs.val[k] = None
			}
		}
	} else {
		r.stale(r.writes[f.scope])
	}
	first := None
	define := func(t Type) Value {
		if first == None {
			first = b.emit(OpMerge, t, None, None, None)
			return first
		}
		return b.emit(OpDefExt, t, first, None, None)
	}
	for k := int(sc.Merge); k <= last; k++ {
		if r.src.Types[k] != Void && r.live(k) {
			r.receive(k, define)
		}
	}
	if first == None {
		b.emit(OpMerge, Void, None, None, None)
	}
	for k := int(sc.Merge); k <= last; k++ {
		r.join(k)
	}
	return last
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
