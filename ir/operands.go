package ir

// Operands appends to dst the operands of instruction n, those in the ARG_EXTs
// in front of it included, in their order. The depth of BREAK and CONTINUE is the
// first operand.
func (f *Func) Operands(n int, dst []Value) []Value {
	i := f.Insts[n]
	for k := range 3 {
		if v := i.Arg(k); v != None {
			dst = append(dst, v)
		}
	}
	if !variadic[i.Op()] {
		return dst
	}
	first := n
	for first > 0 && f.Insts[first-1].Op() == OpArgExt {
		first--
	}
	for ; first < n; first++ {
		for k := range 3 {
			if v := f.Insts[first].Arg(k); v != None {
				dst = append(dst, v)
			}
		}
	}
	return dst
}

// variadic tells the opcodes whose operands go on in ARG_EXTs.
var variadic = buildVariadic()

func buildVariadic() (v [NumOps]bool) {
	for op := range NumOps {
		args := table[op].Args
		v[op] = len(args) > 0 && args[len(args)-1] == '*' && op != OpArgExt
	}
	return v
}
