package ir

// Simplifications of predicates: numbers that come from masks of lanes, and the reverse.

// elementBits are the bits of a predicate that stand for lanes of t.
func elementBits(t Type) uint64 {
	return [...]uint64{1: 0xffff, 2: 0x5555, 4: 0x1111, 8: 0x0101}[t.Lane().Bytes()]
}

// onlyElements reports whether v & k is v, a predicate of lanes.
func (f *Func) onlyElements(v Value, k uint64) bool {
	if !v.IsSSA() || f.Insts[v].Op() != OpTopBits {
		return false
	}
	return elementBits(f.TypeOf(f.Insts[v].A()))&^k == 0
}

// isMask reports whether all bits of each lane of so many bits are equal in v; depth bounds
// how far it looks.
func (f *Func) isMask(v Value, bits, depth int) bool {
	if !v.IsSSA() || depth == 0 {
		return false
	}
	switch i := f.Insts[v]; i.Op() {
	case OpBitcast:
		return f.isMask(i.A(), bits, depth-1)
	case OpICmp, OpFCmp, OpLaneMask:
		return f.Types[v].IsVec() && f.Types[v].Lane().Bits() >= bits
	case OpAnd, OpOr, OpXor, OpAndNot:
		return f.isMask(i.A(), bits, depth-1) && f.isMask(i.B(), bits, depth-1)
	}
	return false
}

// laneMask is simplify for LANEMASK: of the predicate that a mask has given, that mask.
func (b *Builder) laneMask(t Type, from Inst) Value {
	bits := elementBits(t)
	x := from.A()
	switch from.Op() {
	case OpTopBits:
		if b.gives(x, t) {
			return b.Bitcast(t, x)
		}
	case OpAnd:
		if y := from.B(); y.IsConst() {
			if b.ImmOf(y)&bits == bits {
				return b.LaneMask(t, x)
			}
		} else if b.fromMask(x, t) || b.fromMask(y, t) {
			// In vectors: numbers are slow to get there.
			ints := t.IntOf()
			return b.Bitcast(t, b.And(b.LaneMask(ints, x), b.LaneMask(ints, y)))
		}
	}
	return None
}

// fromMask reports whether v is the predicate that a mask of t's lanes gives.
func (f *Func) fromMask(v Value, t Type) bool {
	return v.IsSSA() && f.Insts[v].Op() == OpTopBits && f.gives(f.Insts[v].A(), t)
}

// gives reports whether the LANEMASK of type t of x's TOPBITS is x.
func (f *Func) gives(x Value, t Type) bool {
	const deep = 4
	return elementBits(f.TypeOf(x)) == elementBits(t) && f.isMask(x, t.Lane().Bits(), deep)
}
