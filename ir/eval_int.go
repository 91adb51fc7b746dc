package ir

import "math/bits"

func evalAdd(_ *Env, t, _ Type, a, b, _ Val) Val {
	switch t {
	case I64:
		return Val{Lo: a.Lo + b.Lo}
	case I32:
		return Val{Lo: uint64(uint32(a.Lo + b.Lo))}
	}
	return addLanes(nil, t, t, a, b, Val{})
}

func evalSub(_ *Env, t, _ Type, a, b, _ Val) Val {
	switch t {
	case I64:
		return Val{Lo: a.Lo - b.Lo}
	case I32:
		return Val{Lo: uint64(uint32(a.Lo - b.Lo))}
	}
	return subLanes(nil, t, t, a, b, Val{})
}

var (
	addLanes = lanewise2(func(_ uint, x, y uint64) uint64 { return x + y })
	subLanes = lanewise2(func(_ uint, x, y uint64) uint64 { return x - y })
)

// cut clears the bits above a scalar of type t, which NOT and ORNOT set.
func cut(t Type, v Val) Val {
	if t.IsVec() {
		return v
	}
	return Val{Lo: v.Lo & maskOf(t)}
}

func evalAnd(_ *Env, _, _ Type, a, b, _ Val) Val { return Val{a.Lo & b.Lo, a.Hi & b.Hi} }
func evalOr(_ *Env, _, _ Type, a, b, _ Val) Val  { return Val{a.Lo | b.Lo, a.Hi | b.Hi} }
func evalXor(_ *Env, _, _ Type, a, b, _ Val) Val { return Val{a.Lo ^ b.Lo, a.Hi ^ b.Hi} }

func evalAndNot(_ *Env, _, _ Type, a, b, _ Val) Val { return Val{a.Lo &^ b.Lo, a.Hi &^ b.Hi} }

func evalOrNot(_ *Env, t, _ Type, a, b, _ Val) Val {
	return cut(t, Val{a.Lo | ^b.Lo, a.Hi | ^b.Hi})
}

func evalNot(_ *Env, t, _ Type, a, _, _ Val) Val { return cut(t, Val{^a.Lo, ^a.Hi}) }

func mulLane(_ uint, x, y uint64) uint64 { return x * y }
func negLane(_ uint, x uint64) uint64    { return -x }

func absLane(w uint, x uint64) uint64 {
	if sext(x, w) < 0 {
		return -x
	}
	return x
}

// Shifts: a scalar's amount counts modulo its width, a vector's does not.

func evalShl(_ *Env, t, _ Type, a, b, _ Val) Val {
	return shift(t, a, b.Lo, func(_ uint, x, n, _ uint64) uint64 { return x << n })
}

func evalLShr(_ *Env, t, _ Type, a, b, _ Val) Val {
	return shift(t, a, b.Lo, func(_ uint, x, n, _ uint64) uint64 { return x >> n })
}

func evalAShr(_ *Env, t, _ Type, a, b, _ Val) Val {
	return shift(t, a, b.Lo, func(w uint, x, n, _ uint64) uint64 { return uint64(sext(x, w) >> n) })
}

func shift(t Type, a Val, n uint64, f func(w uint, x, n, _ uint64) uint64) (r Val) {
	w, lanes := t.width()
	if lanes == 1 {
		return Val{Lo: f(w, a.Lo, n&uint64(w-1), 0) & ones(w)}
	}
	for k := range lanes {
		r.put(w, k, f(w, a.lane(w, k), n, 0))
	}
	return r
}

func rorLane(w uint, x, n, _ uint64) uint64 {
	n &= uint64(w - 1)
	return x>>n | x<<(uint64(w)-n)
}

func evalMulHiS(_ *Env, _, _ Type, a, b, _ Val) Val {
	hi, _ := bits.Mul64(a.Lo, b.Lo)
	// The unsigned product counts 2^64 too much for each negative factor.
	return Val{Lo: hi - uint64(int64(a.Lo)>>63)&b.Lo - uint64(int64(b.Lo)>>63)&a.Lo}
}

func evalMulHiU(_ *Env, _, _ Type, a, b, _ Val) Val {
	hi, _ := bits.Mul64(a.Lo, b.Lo)
	return Val{Lo: hi}
}

func evalMulLS(_ *Env, _, _ Type, a, b, _ Val) Val {
	return Val{Lo: uint64(int64(int32(a.Lo)) * int64(int32(b.Lo)))}
}

func evalMulLU(_ *Env, _, _ Type, a, b, _ Val) Val {
	return Val{Lo: uint64(uint32(a.Lo)) * uint64(uint32(b.Lo))}
}

func sdivLane(w uint, x, y uint64) uint64 {
	if y&ones(w) == 0 {
		return 0
	}
	return uint64(sext(x, w) / sext(y, w)) // Go defines minimum / -1 = minimum too
}

func udivLane(_ uint, x, y uint64) uint64 {
	if y == 0 {
		return 0
	}
	return x / y
}

func sremLane(w uint, x, y uint64) uint64 { return x - sdivLane(w, x, y)*y }
func uremLane(w uint, x, y uint64) uint64 { return x - udivLane(w, x, y)*y }

func expLane(_ uint, x, y uint64) uint64 {
	r := uint64(1)
	for ; y != 0; y >>= 1 {
		if y&1 != 0 {
			r *= x
		}
		x *= x
	}
	return r
}

func clzLane(w uint, x uint64) uint64 { return uint64(w) - uint64(bits.Len64(x)) }

func clsLane(w uint, x uint64) uint64 {
	return clzLane(w, (x^uint64(sext(x, w)>>1))&ones(w)) - 1
}

func ctzLane(w uint, x uint64) uint64    { return uint64(min(w, uint(bits.TrailingZeros64(x)))) }
func popcntLane(_ uint, x uint64) uint64 { return uint64(bits.OnesCount64(x)) }
func rbitLane(w uint, x uint64) uint64   { return bits.Reverse64(x) >> (64 - w) }

// evalRev reverses bytes of scalars and lanes of vectors within containers.
func evalRev(_ *Env, t, _ Type, a, b, _ Val) (r Val) {
	w, n := t.width()
	if n == 1 {
		w, n = 8, int(w)/8
	}
	per := int(b.Lo) / int(w) // elements in a container
	for k := range n {
		r.put(w, k, a.lane(w, k/per*per+per-1-k%per))
	}
	return r
}

func evalExtr(_ *Env, t, _ Type, a, b, c Val) (r Val) {
	w, lanes := t.width()
	n := uint(c.Lo) & (w - 1)
	for k := range lanes {
		r.put(w, k, b.lane(w, k)>>n|a.lane(w, k)<<(w-n))
	}
	return r
}

func ubfxLane(_ uint, x, lsb, width uint64) uint64 { return x >> lsb & ones(uint(width)) }

func sbfxLane(_ uint, x, lsb, width uint64) uint64 {
	return uint64(sext(x>>lsb, uint(width)))
}

func evalBfi(_ *Env, t, _ Type, a, b, c Val) (r Val) {
	w, n := t.width()
	lsb, mask := c.Lo>>8, ones(uint(c.Lo&0xff))
	for k := range n {
		r.put(w, k, a.lane(w, k)&^(mask<<lsb)|b.lane(w, k)&mask<<lsb)
	}
	return r
}

func evalSelect(_ *Env, _, _ Type, a, b, c Val) Val {
	if a.Lo&1 != 0 {
		return b
	}
	return c
}

func evalICmp(_ *Env, t, at Type, a, b, c Val) (r Val) {
	w, n := at.width()
	if n == 1 {
		if compare(Cond(c.Lo), w, a.Lo, b.Lo) {
			return Val{Lo: 1}
		}
		return Val{}
	}
	for k := range n {
		if compare(Cond(c.Lo), w, a.lane(w, k), b.lane(w, k)) {
			r.put(w, k, ones(w))
		}
	}
	return r
}

func compare(c Cond, w uint, x, y uint64) bool {
	switch c {
	case EQ:
		return x == y
	case NE:
		return x != y
	case ULT:
		return x < y
	case ULE:
		return x <= y
	case UGT:
		return x > y
	case UGE:
		return x >= y
	case SLT:
		return sext(x, w) < sext(y, w)
	case SLE:
		return sext(x, w) <= sext(y, w)
	case SGT:
		return sext(x, w) > sext(y, w)
	case SGE:
		return sext(x, w) >= sext(y, w)
	}
	panic("BUG: ir: integer condition out of range")
}

func sminLane(w uint, x, y uint64) uint64 {
	if sext(x, w) < sext(y, w) {
		return x
	}
	return y
}

func smaxLane(w uint, x, y uint64) uint64 {
	if sext(x, w) > sext(y, w) {
		return x
	}
	return y
}

func uminLane(_ uint, x, y uint64) uint64 { return min(x, y) }
func umaxLane(_ uint, x, y uint64) uint64 { return max(x, y) }

func evalTrunc(_ *Env, t, _ Type, a, _, _ Val) Val { return Val{Lo: a.Lo & maskOf(t)} }

func evalZext(_ *Env, _, at Type, a, _, _ Val) Val { return Val{Lo: a.Lo & maskOf(at)} }

func evalSext(_ *Env, t, at Type, a, _, _ Val) Val {
	return Val{Lo: uint64(sext(a.Lo, uint(at.Bits()))) & maskOf(t)}
}

func evalBitcast(_ *Env, _, _ Type, a, _, _ Val) Val { return a }
