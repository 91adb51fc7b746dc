package ir

// Split describes a result or loop argument that is, on every way in, the result
// of the same operation. The operands flow instead of it, and the operation is
// done behind the join.
type Split struct {
	Op    Op
	Type  Type // of its result; what flowed is a BITCAST of that
	Parts []SplitPart
}

// SplitPart is one operand of the operation.
type SplitPart struct {
	Fixed Value // the same on every way in and known before the scope; None: it flows
	Flows Type  // the type in which it flows
	Takes Type  // the type that the operation takes; I32 may flow as I64
}

// splitOf is how the result or argument n flows, nil if as it is.
func (r *Rebuilder) splitOf(n int) *Split {
	if r.Split == nil {
		return nil
	}
	return r.Split[n]
}

// pass appends the new form of v to out, for the result or argument n that it
// flows into.
func (r *Rebuilder) pass(out []Value, n int, v Value) []Value {
	s := r.splitOf(n)
	if s == nil {
		return append(out, r.get(v))
	}
	parts := r.partsOf(v, s)
	for k, p := range s.Parts {
		if p.Fixed == None {
			out = append(out, parts[k])
		}
	}
	return out
}

// partsOf takes apart a value that flows somewhere as s says.
func (r *Rebuilder) partsOf(v Value, s *Split) (parts [3]Value) {
	for v.IsSSA() && r.src.Insts[v].Op() == OpBitcast {
		v = r.src.Insts[v].A()
	}
	if c, ok := r.src.ConstOf(v); ok {
		if s.Op == OpVFrom {
			parts[0] = r.b.Const(s.Parts[0].Flows, c.Lo)
			return parts
		}
		a, b, ok := r.src.SplitFlags(s, c.Lo, r.args)
		if !ok {
			panic("BUG: ir: no operands make the flags that flow")
		}
		for k, n := range [2]uint64{a, b} {
			if k < len(s.Parts) && s.Parts[k].Fixed == None {
				parts[k] = r.b.Const(s.Parts[k].Flows, n)
			}
		}
		return parts
	}
	i := r.src.Insts[v]
	from := r.splitOf(int(v))
	if from == nil && i.Op() != s.Op {
		panic("BUG: ir: a value that flows apart is no " + s.Op.String())
	}
	for k, p := range s.Parts {
		switch {
		case p.Fixed != None:
		case from == nil:
			parts[k] = r.part(i.Arg(k), p)
		case from.Parts[k].Fixed != None:
			parts[k] = r.part(from.Parts[k].Fixed, p)
		default:
			parts[k] = r.onward(r.parts[v][k], from.Parts[k], p)
		}
	}
	return parts
}

// onward is x, which has flowed as from says, in the form in which p flows.
func (r *Rebuilder) onward(x Value, from, p SplitPart) Value {
	if from.Flows != p.Flows && from.Flows != from.Takes {
		x = r.b.Trunc(from.Takes, x)
	}
	if p.Flows.Bits() > r.b.TypeOf(x).Bits() {
		x = r.b.Zext(p.Flows, r.b.Bitcast(p.Takes, x))
	}
	return r.b.Bitcast(p.Flows, x)
}

// part is the operand x of an operation in the form in which p flows.
func (r *Rebuilder) part(x Value, p SplitPart) Value {
	switch {
	case p.Flows == p.Takes:
		return r.b.Bitcast(p.Flows, r.get(x))
	case x.IsConst():
		return r.b.Const(p.Flows, r.src.Consts[x.Pool()].Lo)
	}
	if i := r.src.Insts[x]; i.Op() == OpTrunc && r.src.TypeOf(i.A()) == p.Flows {
		return r.get(i.A())
	}
	return r.b.Zext(p.Flows, r.b.Bitcast(p.Takes, r.get(x))) // another way may have a float
}

// receive defines the result or argument n: define emits what flows in.
func (r *Rebuilder) receive(n int, define func(t Type) Value) {
	s := r.splitOf(n)
	if s == nil {
		r.val[n] = define(r.src.Types[n])
		return
	}
	for k, p := range s.Parts {
		if p.Fixed == None {
			r.parts[n][k] = define(p.Flows)
		}
	}
}

// join does the operation of result or argument n behind the join.
func (r *Rebuilder) join(n int) {
	s := r.splitOf(n)
	if s == nil {
		return
	}
	b := r.b
	args := [3]Value{None, None, None}
	for k, p := range s.Parts {
		if p.Fixed != None {
			args[k] = r.get(p.Fixed)
			continue
		}
		args[k] = r.parts[n][k]
		if p.Flows != p.Takes {
			args[k] = b.Trunc(p.Takes, args[k])
		}
	}
	r.val[n] = b.Bitcast(r.src.Types[n], b.Emit(s.Op, s.Type, args[0], args[1], args[2]))
}

// SplitFlags finds operands with which the operation of s makes the constant flags
// nzcv, those that are fixed kept. The first is one of the constants that flow with
// it if possible: mostly that is what was compared, and then nothing more flows.
func (f *Func) SplitFlags(s *Split, nzcv uint64, flow []Value) (a, b uint64, ok bool) {
	var fixed [2]*uint64
	var like []uint64
	for _, v := range flow {
		if c, ok := f.ConstOf(v); ok && c.Type.IsInt() {
			like = append(like, c.Lo)
		}
	}
	for k, p := range s.Parts {
		if p.Fixed == None {
			continue
		}
		c, ok := f.ConstOf(p.Fixed)
		if !ok {
			return 0, 0, false
		}
		fixed[k] = &c.Lo
	}
	return FlagOperands(s.Op, s.Parts[0].Takes, nzcv, fixed, like)
}
