package softfp

import "math/bits"

// wide is an exact intermediate result, (-1)^sign * hi:lo/2^127 * 2^exp, its
// top bit set unless the value is zero.
type wide struct {
	hi, lo uint64
	exp    int
	sign   uint64
}

// wide turns a zero or finite operand into an intermediate.
func (n *num) wide() wide { return wide{hi: n.mant, exp: n.exp, sign: n.sign} }

func (w *wide) isZero() bool { return w.hi|w.lo == 0 }

// jam is the upper half with a sticky lowest bit.
func (w *wide) jam() uint64 {
	if w.lo != 0 {
		return w.hi | 1
	}
	return w.hi
}

// product is the exact product of two operands, each zero or finite.
func product(a, b *num) wide {
	w := wide{sign: a.sign ^ b.sign, exp: a.exp + b.exp + 1}
	w.hi, w.lo = bits.Mul64(a.mant, b.mant)
	w.normalize()
	return w
}

func (w *wide) normalize() {
	if w.hi == 0 {
		w.hi, w.lo = w.lo, 0
		w.exp -= 64
	}
	n := bits.LeadingZeros64(w.hi)
	w.hi = w.hi<<n | w.lo>>(64-n)
	w.lo <<= n
	w.exp -= n
}

// shiftRight moves the value n places down, the lowest bit sticky.
func (w *wide) shiftRight(n int) {
	w.exp += n
	if n >= 64 {
		w.hi, w.lo = 0, w.jam()
		n -= 64
	}
	if n == 0 {
		return
	}
	if n >= 64 {
		w.hi, w.lo = 0, shiftRightJam(w.lo, n)
		return
	}
	lost := w.lo<<(64-n) != 0
	w.lo = w.lo>>n | w.hi<<(64-n)
	w.hi >>= n
	if lost {
		w.lo |= 1
	}
}

// sum is a+b with a sticky lowest bit. Operands have at most 106 significant
// bits, so 22 low bits are clear: whenever bits are lost to alignment the
// result keeps far more than the two guard bits that rounding needs.
func sum(a, b wide) wide {
	switch {
	case a.isZero():
		return b
	case b.isZero():
		return a
	}
	if a.exp < b.exp {
		a, b = b, a
	}
	a.shiftRight(1) // room for the carry
	b.shiftRight(a.exp - b.exp)
	var c uint64
	if a.sign == b.sign {
		a.lo, c = bits.Add64(a.lo, b.lo, 0)
		a.hi, _ = bits.Add64(a.hi, b.hi, c)
	} else {
		a.lo, c = bits.Sub64(a.lo, b.lo, 0)
		a.hi, c = bits.Sub64(a.hi, b.hi, c)
		if c != 0 {
			a.sign ^= 1
			a.lo, c = bits.Sub64(0, a.lo, 0)
			a.hi, _ = bits.Sub64(0, a.hi, c)
		}
	}
	if !a.isZero() {
		a.normalize()
	}
	return a
}

// roundSum rounds a+b. An exact zero is negative only when rounding towards
// minus infinity; the sum of two equally signed zeros is the caller's case.
func (e *Env) roundSum(f Fmt, a, b wide) uint64 {
	w := sum(a, b)
	if w.isZero() {
		return e.cancelled(f)
	}
	return e.round(f, w.sign, w.exp, w.jam())
}

// cancelled is the exact zero sum of two non-zero values.
func (e *Env) cancelled(f Fmt) uint64 {
	if e.Rounding() == NegInf {
		return formats[f].zero(1)
	}
	return 0
}
