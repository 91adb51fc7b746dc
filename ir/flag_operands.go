package ir

// FlagOperands looks for operands of type t with which op, SUBF, ADDF or NZ, makes
// the condition flags nzcv: those whose entry in fixed is nil are chosen, the others
// are given. The first operand is one of those in like if that fits. ok is false if
// there are none: a subtraction never gives Z without C.
func FlagOperands(op Op, t Type, nzcv uint64, fixed [2]*uint64, like []uint64) (a, b uint64, ok bool) {
	mask := maskOf(t)
	top := mask &^ (mask >> 1)
	few := [...]uint64{0, 1, mask, top, mask >> 1, top | 1}
	choose := func(given *uint64) []uint64 {
		if given != nil {
			return []uint64{*given & mask}
		}
		return few[:]
	}
	for _, b = range choose(fixed[1]) {
		for _, a = range append(append(like[:len(like):len(like)], choose(fixed[0])...), b, b-1, b+1) {
			if fixed[0] != nil {
				a = *fixed[0]
			}
			a &= mask
			if FlagsOf(op, t, a, b) == nzcv {
				return a, b, true
			}
		}
	}
	return 0, 0, false
}

// FlagsOf is the condition flags that op, SUBF, ADDF or NZ, makes of operands of type t.
func FlagsOf(op Op, t Type, a, b uint64) uint64 {
	x, y := Val{Lo: a & maskOf(t)}, Val{Lo: b & maskOf(t)}
	switch op {
	case OpSubF:
		return evalSubF(nil, Flags, t, x, y, Val{}).Lo
	case OpAddF:
		return evalAddF(nil, Flags, t, x, y, Val{}).Lo
	}
	return evalNZ(nil, Flags, t, x, Val{}, Val{}).Lo
}
