package opt

import "emu/ir"

// Pairs makes two loads of 64 bits next to each other, which are stored next to each
// other again, one load of a vector and one store of it: LDP and STP of X registers in
// a memcpy. What lies between may only be SETs, and joins and loop arguments through
// which both values flow side by side. The values become lanes of the vector, which a
// backend need not extract for a SET that nothing looks at.
//
// The halves of the vector are accessed as the scalars were: neither ISA promises more
// than that each aligned 64 bits are single-copy atomic, and where an access faults no
// register has changed.
//
// It assumes nothing. Flows still are scalars; Sink makes vectors flow.
func Pairs(w *Work, f *ir.Func) {
	p := &w.pairs
	if !p.candidates(f) {
		return
	}
	if f.Structure(&w.scopes) != nil {
		panic("the unit's scopes are broken")
	}
	p.s = &w.scopes
	p.flows.find(f, &w.scopes)
	p.collect()
	if !p.settle() {
		return
	}
	w.rebuild.Instead = p.instead
	p.b = w.builder
	w.again(f)
}

type pairs struct {
	f     *ir.Func
	s     *ir.Structure
	b     *ir.Builder
	flows flows
	role  []pairRole
	with  []ir.Value // of the values of a pair: the other one
	work  []ir.Value // first values of the pairs found
	args  []ir.Value
	last  ir.Value // the vector loaded or stored by the instruction before
}

// pairRole is what an instruction, or the value that it defines, is to a pair.
type pairRole uint8

const (
	roleNone  pairRole = iota
	roleLoad1          // the first of two loads
	roleLoad2
	roleStore1
	roleStore2
	roleFlow1 // a result or argument that is the first value of a pair
	roleFlow2
	roleFree // a result or argument that nothing but SETs and such flows take
)

// candidates finds the loads and stores and reports whether there are both.
func (p *pairs) candidates(f *ir.Func) bool {
	p.f = f
	p.role, p.with = resize(p.role, len(f.Insts)), resize(p.with, len(f.Insts))
	for n := range p.role {
		p.role[n], p.with[n] = roleNone, ir.None
	}
	loads, stores := false, false
	prev := -1
	for n, i := range f.Insts {
		op := i.Op()
		if op == ir.OpNop {
			continue
		}
		if prev >= 0 && f.Insts[prev].Op() == op && p.role[prev] == roleNone {
			j := f.Insts[prev]
			switch {
			case op == ir.OpLoad && f.Types[n] == ir.I64 && f.Types[prev] == ir.I64 && p.adjacent(j.A(), j.B(), i.A(), i.B()):
				p.role[prev], p.role[n], loads = roleLoad1, roleLoad2, true
			case op == ir.OpStore && f.TypeOf(i.A()) == ir.I64 && f.TypeOf(j.A()) == ir.I64 && i.A().IsSSA() && j.A().IsSSA() && p.adjacent(j.B(), j.C(), i.B(), i.C()):
				p.role[prev], p.role[n], stores = roleStore1, roleStore2, true
			}
		}
		prev = n
	}
	return loads && stores
}

// adjacent reports whether the second address is 8 above the first.
func (p *pairs) adjacent(base1, off1, base2, off2 ir.Value) bool {
	a, ok1 := p.f.ConstOf(off1)
	b, ok2 := p.f.ConstOf(off2)
	return base1 == base2 && ok1 && ok2 && a.Lo+8 == b.Lo
}

// collect follows what the stores store to the loads and notes the pairs on the way.
func (p *pairs) collect() {
	p.work = p.work[:0]
	for n, i := range p.f.Insts {
		if p.role[n] == roleStore1 {
			p.join(i.A(), p.f.Insts[p.next(n)].A())
		}
	}
	for k := 0; k < len(p.work); k++ {
		a := p.work[k]
		if p.role[a] != roleFlow1 {
			continue
		}
		p.inflows(a, p.with[a], func(x, y ir.Value) bool {
			p.join(x, y)
			return true
		})
	}
}

// next is the instruction behind n that is no NOP.
func (p *pairs) next(n int) int {
	for n++; p.f.Insts[n].Op() == ir.OpNop; n++ {
	}
	return n
}

// join notes that a and b are a pair, if both can be: two loads, or two values that
// flow into the same scope.
func (p *pairs) join(a, b ir.Value) {
	if !a.IsSSA() || !b.IsSSA() || a == b || p.with[a] != ir.None || p.with[b] != ir.None {
		return
	}
	switch {
	case p.role[a] == roleLoad1 && p.role[b] == roleLoad2 && p.next(int(a)) == int(b):
	case flow(p.f.Insts[a].Op()) && flow(p.f.Insts[b].Op()) && p.s.Of[a] == p.s.Of[b] &&
		(p.f.Insts[a].Op() == ir.OpBlockArg) == (p.f.Insts[b].Op() == ir.OpBlockArg):
		p.role[a], p.role[b] = roleFlow1, roleFlow2
	default:
		return
	}
	p.with[a], p.with[b] = b, a
	p.work = append(p.work, a)
}

// inflows calls yield with the values that flow into a and b on each way, until it
// returns false, and reports whether it never did.
func (p *pairs) inflows(a, b ir.Value, yield func(x, y ir.Value) bool) bool {
	scope := p.s.Of[a]
	from, j, k := p.flows.leaves.of(scope), 0, 0
	if i := p.f.Insts[a]; i.Op() == ir.OpBlockArg {
		from, j, k = p.flows.backs.of(scope), int(p.f.ImmOf(i.A())), int(p.f.ImmOf(p.f.Insts[b].A()))
	} else {
		j, k = int(a)-int(p.s.Scopes[scope].Merge), int(b)-int(p.s.Scopes[scope].Merge)
	}
	for at := from.first; at >= 0; at = from.next[at] {
		p.args = p.f.Operands(int(at), p.args[:0])
		args := p.args
		if op := p.f.Insts[at].Op(); op == ir.OpBreak || op == ir.OpContinue {
			args = args[1:] // behind the depth
		}
		if !yield(args[j], args[k]) {
			return false
		}
	}
	return true
}

// settle drops the pairs that are used for something else, or that something else flows
// into, until none is left to drop, and reports whether a store is left.
func (p *pairs) settle() bool {
	for n, i := range p.f.Insts {
		if flow(i.Op()) && p.f.Types[n] == ir.I64 && p.role[n] == roleNone {
			p.role[n] = roleFree
		}
	}
	for changed := true; changed; {
		changed = false
		for _, a := range p.work {
			if b := p.with[a]; b != ir.None && p.role[a] == roleFlow1 && !p.inflows(a, b, p.isPair) {
				p.drop(a)
				changed = true
			}
		}
		if p.dropUsed() {
			changed = true
		}
	}
	for n, i := range p.f.Insts {
		if p.role[n] == roleStore1 && p.isPair(i.A(), p.f.Insts[p.next(n)].A()) {
			return true
		}
	}
	return false
}

// isPair reports whether a and b are the values of a pair.
func (p *pairs) isPair(a, b ir.Value) bool {
	return a.IsSSA() && b.IsSSA() && p.with[a] == b && (p.role[a] == roleLoad1 || p.role[a] == roleFlow1)
}

// drop makes the pair that v is of no pair, or a free flow one that is not.
func (p *pairs) drop(v ir.Value) {
	w := p.with[v]
	for _, x := range [2]ir.Value{v, w} {
		if x == ir.None {
			continue
		}
		p.with[x] = ir.None
		if p.role[x] != roleLoad1 && p.role[x] != roleLoad2 {
			p.role[x] = roleNone
		}
	}
}

// dropUsed drops what has users that need a scalar and reports whether there was any.
func (p *pairs) dropUsed() (changed bool) {
	bad := func(v ir.Value) {
		if v.IsSSA() && (p.with[v] != ir.None || p.role[v] == roleFree) {
			p.drop(v)
			changed = true
		}
	}
	for n, i := range p.f.Insts {
		switch op := i.Op(); {
		case op == ir.OpNop, op == ir.OpSetX, op == ir.OpDefExt, op == ir.OpArgExt:
		case p.role[n] == roleStore1:
			if m := p.next(n); !p.isPair(i.A(), p.f.Insts[m].A()) {
				bad(i.A())
				bad(p.f.Insts[m].A())
			}
			bad(i.B())
		case p.role[n] == roleStore2:
			bad(i.B())
		case op == ir.OpLoop, op == ir.OpContinue, op == ir.OpYield, op == ir.OpBreak:
			p.passed(n, i, bad)
		default:
			for k := range 3 {
				bad(i.Arg(k))
			}
		}
	}
	return changed
}

// passed calls bad with the values that n passes to something that needs a scalar.
func (p *pairs) passed(n int, i ir.Inst, bad func(ir.Value)) {
	scope := p.s.Of[n]
	p.args = p.f.Operands(n, p.args[:0])
	args := p.args
	if i.Op() == ir.OpBreak || i.Op() == ir.OpContinue {
		args = args[1:]
	}
	sc := &p.s.Scopes[scope]
	if i.Op() == ir.OpYield || i.Op() == ir.OpBreak {
		for k, v := range args {
			p.into(v, int(sc.Merge)+k, bad)
		}
		return
	}
	for m := int(sc.Start) + 1; p.f.Insts[m].Op() == ir.OpBlockArg || p.f.Insts[m].Op() == ir.OpNop; m++ {
		if p.f.Insts[m].Op() == ir.OpBlockArg {
			p.into(args[p.f.ImmOf(p.f.Insts[m].A())], m, bad)
		}
	}
}

// into calls bad with v if the result or argument to does not take it as it is.
func (p *pairs) into(v ir.Value, to int, bad func(ir.Value)) {
	if !v.IsSSA() || p.f.Uses[to] == 0 && p.f.Insts[to].Op() != ir.OpMerge {
		return
	}
	switch p.role[to] {
	case roleFree:
	case roleFlow1:
		if p.role[v] != roleLoad1 && p.role[v] != roleFlow1 {
			bad(v)
		}
	case roleFlow2:
		if p.role[v] != roleLoad2 && p.role[v] != roleFlow2 {
			bad(v)
		}
	default:
		bad(v)
	}
}

// instead emits the vector's load or store in the place of the two.
func (p *pairs) instead(n int, get func(ir.Value) ir.Value) (v ir.Value, done bool) {
	i, b := p.f.Insts[n], p.b
	switch p.role[n] {
	case roleLoad1:
		if p.with[n] == ir.None {
			return ir.None, false
		}
		p.last = b.Emit(ir.OpLoad, ir.V2I64, get(i.A()), get(i.B()), ir.None)
		return b.VGet(p.last, 0), true
	case roleLoad2:
		if p.with[n] == ir.None {
			return ir.None, false
		}
		return b.VGet(p.last, 1), true
	case roleStore1:
		m := p.next(n)
		if !p.isPair(i.A(), p.f.Insts[m].A()) {
			p.role[m] = roleNone
			return ir.None, false
		}
		low, high := get(i.A()), get(p.f.Insts[m].A())
		both := b.Emit(ir.OpVSet, ir.V2I64, b.VFrom(low), high, ir.Imm(1))
		return b.Emit(ir.OpStore, ir.Void, both, get(i.B()), get(i.C())), true
	case roleStore2:
		return ir.None, true
	}
	return ir.None, false
}
