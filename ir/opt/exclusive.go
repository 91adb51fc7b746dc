package opt

import "emu/ir"

// Exclusive joins a load-exclusive and the store-exclusive that follows it to one
// atomic access: what the two do is what would have happened without another observer
// in between, which an implementation may always have (Arm ARM B2.12). It assumes nothing.
//
//	v = loadex a; n = v op x; s = storeex a, n     v = rmw_op a, x; s = 0
//	v = loadex a;             s = storeex a, x     v = rmw_swp a, x; s = 0
//	v = loadex a; ...         s = storeex a, n     v = loada a; ... s = cas(a, v, n) != v
//
// The loop around the first two forms goes with the branch on s: it is peeled, and its
// first iteration, in front of it, succeeds. The third form, which a compare-and-swap is,
// goes on looping, but leaves the monitor alone: it is closed where the load is, and
// opened on the ways that lead elsewhere than to the store.
//
// The first two access memory under the pc of the load. An access there that writes and
// faults is repeated by the engine with that instruction alone, so that a fault is that of
// the load or of the store, and has the registers that it should have.
func Exclusive(w *Work, f *ir.Func) {
	x := &w.exclusive
	x.f, x.b, x.found, x.others = f, w.builder, x.found[:0], x.others[:0]
	structured := false
	for n, i := range f.Insts {
		if i.Op() != ir.OpLoadEx || f.Types[n].IsVec() {
			continue
		}
		if !structured {
			structured = true
			if f.Structure(&w.scopes) != nil {
				panic("the unit's scopes are broken")
			}
			x.s = &w.scopes
		}
		x.pair(n)
	}
	if len(x.found) == 0 {
		return
	}
	w.rebuild.Instead, w.rebuild.Arm = x.instead, x.arm
	w.again(f)
}

type exclusive struct {
	f      *ir.Func
	s      *ir.Structure
	b      *ir.Builder
	found  []exclusivePair
	others []int // arms that do not lead to the store at hand: the IF or ELSE that opens them
	get    func(ir.Value) ir.Value
}

// exclusivePair is a load-exclusive and its store-exclusive.
type exclusivePair struct {
	load, store int
	op          ir.Op    // the read-modify-write that they are, OpCas for the third form
	operand     ir.Value // of it; what is not known at the load is computed there
	narrow      bool     // the operand is wider than the access
	not, neg    bool     // it is inverted, or negated
	others      [2]int   // of exclusive.others
}

// pair looks for the store of the load at n.
func (x *exclusive) pair(n int) {
	from := len(x.others)
	store := x.storeBehind(n+1, n)
	if store < 0 {
		return
	}
	p := exclusivePair{load: n, store: store, op: ir.OpCas, others: [2]int{from, len(x.others)}}
	if from == len(x.others) {
		x.operation(&p)
	}
	x.found = append(x.found, p)
}

// storeBehind finds the store of the load from instruction n on, in this scope or in
// an arm of an IF, with nothing in between that looks at the monitor, at memory or at
// the guest's state. It gives -1 if there is none.
func (x *exclusive) storeBehind(n, load int) int {
	for ; n < len(x.f.Insts); n++ {
		i := x.f.Insts[n]
		switch op := i.Op(); {
		case op == ir.OpStoreEx:
			if i.A() == x.f.Insts[load].A() && x.f.TypeOf(i.B()) == x.f.Types[load] {
				return n
			}
			return -1
		case op == ir.OpIf:
			sc := &x.s.Scopes[x.s.Of[n]]
			if end := x.behindClean(sc); end >= 0 {
				n = end
				continue
			}
			if at := x.storeBehind(n+1, load); at >= 0 {
				x.others = append(x.others, int(sc.Else))
				return at
			}
			if at := x.storeBehind(int(sc.Else)+1, load); at >= 0 {
				x.others = append(x.others, n)
				return at
			}
			return -1
		case !clean(op):
			return -1
		}
	}
	return -1
}

// clean reports whether op may stand between a load-exclusive and its store.
func clean(op ir.Op) bool {
	switch op {
	case ir.OpNop, ir.OpInsn, ir.OpGetX, ir.OpSetX, ir.OpGetV, ir.OpSetV, ir.OpGetNZCV, ir.OpSetNZCV:
		return true
	}
	return op.Has(ir.Pure)
}

// behindClean is the last instruction of an IF of which both arms are clean and go on
// behind it, -1 if it is another one.
func (x *exclusive) behindClean(sc *ir.ScopeInfo) int {
	if sc.Exits != 2 || sc.Merge < 0 {
		return -1
	}
	for n := int(sc.Start) + 1; n < int(sc.Merge); n++ {
		switch op := x.f.Insts[n].Op(); {
		case op == ir.OpElse, op == ir.OpYield, op == ir.OpArgExt, clean(op):
		default:
			return -1
		}
	}
	last := int(sc.Merge)
	for last+1 < len(x.f.Insts) && x.f.Insts[last+1].Op() == ir.OpDefExt {
		last++
	}
	return last
}

// operation finds the read-modify-write that a pair in one scope is.
func (x *exclusive) operation(p *exclusivePair) {
	n := x.f.Insts[p.store].B()
	if x.known(n, p) {
		p.op, p.operand = ir.OpRmwSwp, n
		return
	}
	v := n
	if x.f.Insts[v].Op() == ir.OpTrunc {
		v = x.f.Insts[v].A()
	}
	i := x.f.Insts[v]
	a, b := i.A(), i.B()
	swapped := false
	if a.IsSSA() && i.Op().Has(ir.Commutes) && !x.isLoaded(a, p) {
		a, b, swapped = b, a, true
	}
	if i.Op() == ir.OpNot && x.isLoaded(a, p) {
		p.op, p.operand = ir.OpRmwEor, x.f.Const(x.f.Types[p.load], ^uint64(0)>>(64-x.f.Types[p.load].Bits()))
		return
	}
	if !a.IsSSA() || !x.isLoaded(a, p) || b == ir.None || !x.known(b, p) {
		return
	}
	switch i.Op() {
	case ir.OpAdd:
		p.op = ir.OpRmwAdd
	case ir.OpSub:
		p.op, p.neg = ir.OpRmwAdd, !swapped
	case ir.OpAnd:
		p.op, p.not = ir.OpRmwClr, true
	case ir.OpAndNot:
		p.op = ir.OpRmwClr
	case ir.OpOr:
		p.op = ir.OpRmwSet
	case ir.OpOrNot:
		p.op, p.not = ir.OpRmwSet, true
	case ir.OpXor:
		p.op = ir.OpRmwEor
	default:
		return
	}
	p.operand, p.narrow = b, x.f.TypeOf(b) != x.f.Types[p.load]
}

// isLoaded reports whether the low bits of v, as many as are accessed, are what was
// loaded.
func (x *exclusive) isLoaded(v ir.Value, p *exclusivePair) bool {
	for v.IsSSA() {
		if int(v) == p.load {
			return true
		}
		switch i := x.f.Insts[v]; i.Op() {
		case ir.OpZext, ir.OpSext:
			v = i.A()
		case ir.OpTrunc:
			if x.f.Types[v].Bits() < x.f.Types[p.load].Bits() {
				return false
			}
			v = i.A()
		default:
			return false
		}
	}
	return false
}

// known reports whether v can be computed in front of the load.
func (x *exclusive) known(v ir.Value, p *exclusivePair) bool {
	if !v.IsSSA() || int(v) < p.load {
		return true
	}
	i := x.f.Insts[v]
	switch op := i.Op(); {
	case int(v) == p.load:
		return false
	case op == ir.OpGetX:
		for n := p.load + 1; n < int(v); n++ {
			if j := x.f.Insts[n]; j.Op() == ir.OpSetX && j.A() == i.A() {
				return false
			}
		}
		return true
	case !op.Has(ir.Pure):
		return false
	}
	for k := range 3 {
		if a := i.Arg(k); a != ir.None && !x.known(a, p) {
			return false
		}
	}
	return true
}

// early emits v, which known has judged, in front of the load.
func (x *exclusive) early(v ir.Value, load int) ir.Value {
	if !v.IsSSA() || int(v) < load {
		return x.get(v)
	}
	i := x.f.Insts[v]
	args := [3]ir.Value{ir.None, ir.None, ir.None}
	for k := range args {
		if a := i.Arg(k); a != ir.None {
			args[k] = x.early(a, load)
		}
	}
	return x.b.Emit(i.Op(), x.f.Types[v], args[0], args[1], args[2])
}

// instead emits the new form of a load-exclusive or store-exclusive.
func (x *exclusive) instead(n int, get func(ir.Value) ir.Value) (ir.Value, bool) {
	i := x.f.Insts[n]
	if op := i.Op(); op != ir.OpLoadEx && op != ir.OpStoreEx {
		return ir.None, false
	}
	for k := range x.found {
		p := &x.found[k]
		switch n {
		case p.load:
			x.get = get
			return x.atLoad(p), true
		case p.store:
			if p.op != ir.OpCas {
				return x.b.I32(0), true
			}
			old := x.b.Op3(ir.OpCas, get(i.A()), get(ir.Value(p.load)), get(i.B()))
			return x.b.Zext(ir.I32, x.b.ICmp(ir.NE, x.wide(old), x.wide(get(ir.Value(p.load))))), true
		}
	}
	return ir.None, false
}

// wide is v in a type that can be compared.
func (x *exclusive) wide(v ir.Value) ir.Value {
	if x.b.TypeOf(v).Bits() < 32 {
		return x.b.Zext(ir.I32, v)
	}
	return v
}

func (x *exclusive) atLoad(p *exclusivePair) ir.Value {
	b, t := x.b, x.f.Types[p.load]
	a := x.get(x.f.Insts[p.load].A())
	if p.op == ir.OpCas {
		v := b.OpT(ir.OpLoadA, t, a, ir.Imm(0), ir.None)
		b.OpT(ir.OpClrEx, ir.Void, ir.None, ir.None, ir.None)
		return v
	}
	v := x.early(p.operand, p.load)
	if p.neg {
		v = b.Neg(v)
	}
	if p.not {
		v = b.Not(v)
	}
	if p.narrow {
		v = b.Trunc(t, v)
	}
	old := b.Op2(p.op, a, v)
	b.OpT(ir.OpClrEx, ir.Void, ir.None, ir.None, ir.None)
	return old
}

// arm opens the monitor in an arm that does not lead to the store.
func (x *exclusive) arm(n int, get func(ir.Value) ir.Value) {
	for k := range x.found {
		p := &x.found[k]
		for _, at := range x.others[p.others[0]:p.others[1]] {
			if at == n {
				x.b.OpT(ir.OpMonitor, ir.Void, get(x.f.Insts[p.load].A()), get(ir.Value(p.load)), ir.None)
			}
		}
	}
}
