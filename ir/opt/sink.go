package opt

import "emu/ir"

// Sink moves operations behind the merges and loop headers that their results
// flow through, where the same operation stands on every way in (seed 004 has
// computation wait until it is needed): condition flags travel as the operands of
// the compare that makes them, mostly values that travel anyhow; a scalar in a
// vector register travels as the scalar, and lanes that are only moved as the vector. The SET behind the join then names an
// operation that a backend need not do before something looks at the register.
//
// It assumes nothing and leaves the operations it moved without users.
func Sink(w *Work, f *ir.Func) {
	s := &w.sink
	// What CCMP's flags are made of flows as what makes that, and so on.
	for depth := range maxDepth {
		if f.Structure(&w.scopes) != nil {
			panic("the unit's scopes are broken")
		}
		s.f, s.s, s.bools = f, &w.scopes, depth > 0
		s.flows.find(f, &w.scopes)
		if !s.find() {
			return
		}
		w.rebuild.Split = s.split
		w.again(f)
		if !s.nested {
			return
		}
	}
}

// maxDepth is how many operations on top of each other may move behind a join.
const maxDepth = 4

type sinker struct {
	f      *ir.Func
	s      *ir.Structure
	flows  flows
	shapes []shape // of the results and arguments
	split  []*ir.Split
	args   []ir.Value
	consts []ir.Value // that flow into the result or argument at hand
	bools  bool       // truth values may flow as flags: by themselves they are as well off
	nested bool       // operands that flow may do so as operands in their turn
}

// shape is what is known of a result or argument: the operation that made it on
// all ways that were looked at.
type shape struct {
	state shapeState
	op    ir.Op
	ty    ir.Type // of op's result
	parts [3]shapePart
}

type shapePart struct {
	fixed ir.Value // the operand if it is always the same, else None
	takes ir.Type
}

type shapeState uint8

const (
	shapeNone  shapeState = iota // no result or argument, or not the same operation
	shapeOpen                    // nothing is known yet
	shapeKnown                   // as the other fields say
)

// find computes the shapes, from the hope that each fits down to what does, and
// reports whether there is anything to sink.
func (s *sinker) find() (found bool) {
	n := len(s.f.Insts)
	s.shapes, s.split = resize(s.shapes, n), resize(s.split, n)
	clear(s.split)
	for k := range s.shapes {
		s.shapes[k] = shape{}
		if !flow(s.f.Insts[k].Op()) {
			continue
		}
		switch t := s.f.Types[k]; {
		case t == ir.Flags, t == ir.I1 && s.bools, t == ir.I64, t.IsVec():
			s.shapes[k].state = shapeOpen
		}
	}
	s.closeUsed()
	s.settle()
	for k := range s.shapes {
		if s.shapes[k].state == shapeOpen { // nothing but constants and each other
			s.shapes[k] = shape{}
		}
	}
	s.settle()
	s.nested = false
	for k := range s.shapes {
		if h := &s.shapes[k]; h.state == shapeKnown {
			s.split[k] = h.split()
			found = true
			s.nested = s.nested || h.op == ir.OpSelect || h.op == ir.OpFlagCond
		}
	}
	return found
}

// closeUsed leaves out the integers that something computes with: a lane would have to be
// extracted for that each time.
func (s *sinker) closeUsed() {
	for _, i := range s.f.Insts {
		switch i.Op() {
		case ir.OpSetX, ir.OpVFrom, ir.OpVSet, ir.OpDefExt, ir.OpArgExt, ir.OpLoop, ir.OpContinue, ir.OpYield, ir.OpBreak:
			continue
		}
		for k := range 3 {
			if v := i.Arg(k); v.IsSSA() && s.f.Types[v] == ir.I64 {
				s.shapes[v].state = shapeNone
			}
		}
	}
}

// settle computes the shapes until none changes.
func (s *sinker) settle() {
	for changed := true; changed; {
		changed = false
		for k := range s.shapes {
			if s.shapes[k].state == shapeNone {
				continue
			}
			if now := s.meet(k); now != s.shapes[k] {
				s.shapes[k], changed = now, true
			}
		}
	}
}

func (h *shape) split() *ir.Split {
	out := &ir.Split{Op: h.op, Type: h.ty}
	for _, p := range h.parts {
		if p.takes == ir.Void {
			break
		}
		flows := p.takes
		if flows == ir.I32 {
			flows = ir.I64 // as the guest's register does that it is mostly read from or written to
		}
		out.Parts = append(out.Parts, ir.SplitPart{Fixed: p.fixed, Flows: flows, Takes: p.takes})
	}
	return out
}

// meet is what all ways into the result or argument n have in common.
func (s *sinker) meet(n int) (all shape) {
	scope := s.s.Of[n]
	start := int(s.s.Scopes[scope].Start)
	from, k := s.flows.leaves.of(scope), n-int(s.s.Scopes[scope].Merge)
	if s.f.Insts[n].Op() == ir.OpBlockArg {
		from, k = s.flows.backs.of(scope), int(s.f.ImmOf(s.f.Insts[n].A()))
	}
	all.state = shapeOpen
	s.consts = s.consts[:0]
	for at := from.first; at >= 0; at = from.next[at] {
		s.args = s.f.Operands(int(at), s.args[:0])
		arg := k
		if op := s.f.Insts[at].Op(); op == ir.OpBreak || op == ir.OpContinue {
			arg++ // behind the depth
		}
		v := s.args[arg]
		for v.IsSSA() && s.f.Insts[v].Op() == ir.OpBitcast {
			v = s.f.Insts[v].A()
		}
		if v.IsConst() {
			s.consts = append(s.consts, v)
		} else {
			all = all.meet(s.of(v, start))
		}
	}
	if all.state != shapeKnown {
		return all
	}
	switch all.op {
	case ir.OpFlagCond, ir.OpVGet:
		if all.parts[1].fixed == ir.None {
			return shape{} // its condition or lane cannot flow
		}
	case ir.OpSelect:
		if b, c := all.parts[1].fixed, all.parts[2].fixed; (b == ir.None || !b.IsConst()) && (c == ir.None || !c.IsConst()) {
			return shape{} // not CCMP any more
		}
	}
	for _, v := range s.consts {
		if s.fits(v, &all) {
			continue
		}
		for k := range all.parts {
			all.parts[k].fixed = ir.None // all operands flow: there may be some then
		}
	}
	for _, v := range s.consts {
		if !s.fits(v, &all) {
			return shape{}
		}
	}
	return all
}

// sinkable reports whether value v is worth computing behind a join.
func (s *sinker) sinkable(v ir.Value) bool {
	i := s.f.Insts[v]
	switch i.Op() {
	case ir.OpVFrom, ir.OpAddF, ir.OpSubF, ir.OpNZ, ir.OpFlagCond:
		return true
	case ir.OpVGet: // as Pairs makes it
		return s.f.Types[v] == ir.I64
	case ir.OpSelect: // CCMP
		return s.f.Types[v] == ir.Flags && (i.B().IsConst() || i.C().IsConst())
	}
	return false
}

// of is the shape of a value that flows into a scope starting at start.
func (s *sinker) of(v ir.Value, start int) (h shape) {
	if flow(s.f.Insts[v].Op()) {
		h = s.shapes[v]
		for k := range h.parts {
			h.parts[k].fixed = before(h.parts[k].fixed, start)
		}
		return h
	}
	i := s.f.Insts[v]
	if !s.sinkable(v) {
		return shape{}
	}
	h = shape{state: shapeKnown, op: i.Op(), ty: s.f.Types[v]}
	for k := range h.parts {
		a := i.Arg(k)
		if a == ir.None {
			break
		}
		h.parts[k] = shapePart{fixed: before(a, start), takes: s.f.TypeOf(a)}
	}
	return h
}

// before is v if it is known in front of the scope at start, else None.
func before(v ir.Value, start int) ir.Value {
	if v != ir.None && !v.IsConst() && int(v) >= start {
		return ir.None
	}
	return v
}

// fits reports whether the operation of h can make the constant v.
func (s *sinker) fits(v ir.Value, h *shape) bool {
	c, _ := s.f.ConstOf(v)
	if h.op == ir.OpVFrom {
		if h.parts[0].fixed != ir.None {
			return false // the constant's operand is another one
		}
		bits := h.parts[0].takes.Bits()
		return c.Hi == 0 && (bits == 64 || c.Lo>>bits == 0)
	}
	if c.Type != ir.Flags || h.op == ir.OpVGet || h.op == ir.OpSelect || h.op == ir.OpFlagCond {
		return false
	}
	_, _, ok := s.f.SplitFlags(h.split(), c.Lo, nil)
	return ok
}

func (h shape) meet(g shape) shape {
	switch {
	case h.state == shapeNone || g.state == shapeNone:
		return shape{}
	case h.state == shapeOpen:
		return g
	case g.state == shapeOpen:
		return h
	case h.op != g.op:
		return shape{}
	}
	for k := range h.parts {
		p, q := &h.parts[k], g.parts[k]
		if p.takes != q.takes {
			if h.op != ir.OpVFrom || p.takes.Bits() != q.takes.Bits() {
				return shape{}
			}
		}
		if p.fixed != q.fixed {
			p.fixed = ir.None
		}
	}
	return h
}
