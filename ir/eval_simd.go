package ir

import (
	"math/bits"

	"emu/internal/softfp"
)

// widening evaluates a function of the low halves with a result twice as wide.
func widening(f func(w uint, x, y uint64) uint64) EvalFunc {
	return func(_ *Env, t, at Type, a, b, _ Val) (r Val) {
		w, _ := at.width()
		for k := range t.Lanes() {
			r.put(2*w, k, f(w, a.lane(w, k), b.lane(w, k)))
		}
		return r
	}
}

func smullLane(w uint, x, y uint64) uint64 { return uint64(sext(x, w) * sext(y, w)) }

// clmul is the carry-less product of 64-bit polynomials over GF(2).
func clmul(x, y uint64) (hi, lo uint64) {
	for ; y != 0; y &= y - 1 {
		n := bits.TrailingZeros64(y)
		lo ^= x << n
		hi ^= x >> (64 - n)
	}
	return hi, lo
}

func pmulLane(_ uint, x, y uint64) uint64 {
	_, lo := clmul(x, y)
	return lo
}

func evalPMulL(e *Env, t, at Type, a, b, _ Val) Val {
	if at.Lane().Bits() == 64 {
		hi, lo := clmul(a.Lo, b.Lo)
		return Val{lo, hi}
	}
	return pmullLanes(e, t, at, a, b, Val{})
}

var pmullLanes = widening(pmulLane)

// pairwise evaluates a function of adjacent lanes of first, then of second.
func pairwise(f func(w uint, x, y uint64) uint64) EvalFunc {
	return func(_ *Env, t, _ Type, a, b, _ Val) (r Val) {
		w, n := t.width()
		for k := range n / 2 {
			r.put(w, k, f(w, a.lane(w, 2*k), a.lane(w, 2*k+1)))
			r.put(w, n/2+k, f(w, b.lane(w, 2*k), b.lane(w, 2*k+1)))
		}
		return r
	}
}

func addLane(_ uint, x, y uint64) uint64 { return x + y }

// across evaluates a reduction of all lanes to a scalar.
func across(f func(w uint, x, y uint64) uint64) EvalFunc {
	return func(_ *Env, _, at Type, a, _, _ Val) Val {
		w, n := at.width()
		r := a.lane(w, 0)
		for k := 1; k < n; k++ {
			r = f(w, r, a.lane(w, k)) & ones(w)
		}
		return Val{Lo: r}
	}
}

func evalSAddLP(_ *Env, _, at Type, a, _, _ Val) (r Val) {
	w, n := at.width()
	for k := range n / 2 {
		r.put(2*w, k, uint64(sext(a.lane(w, 2*k), w)+sext(a.lane(w, 2*k+1), w)))
	}
	return r
}

func evalUAddLP(_ *Env, _, at Type, a, _, _ Val) (r Val) {
	w, n := at.width()
	for k := range n / 2 {
		r.put(2*w, k, a.lane(w, 2*k)+a.lane(w, 2*k+1))
	}
	return r
}

func sabdLane(w uint, x, y uint64) uint64 {
	if sext(x, w) < sext(y, w) {
		return y - x
	}
	return x - y
}

func uabdLane(_ uint, x, y uint64) uint64 { return max(x, y) - min(x, y) }

// Halving operations split off the common and the differing bits, so that the
// intermediate sum needs no bit more than the operands.

func shaddLane(w uint, x, y uint64) uint64 {
	return x&y + uint64(sext(x^y, w)>>1)
}

func uhaddLane(_ uint, x, y uint64) uint64 { return x&y + (x^y)>>1 }

func srhaddLane(w uint, x, y uint64) uint64 {
	return x | y - uint64(sext(x^y, w)>>1)
}

func urhaddLane(_ uint, x, y uint64) uint64 { return (x | y) - (x^y)>>1 }

func shsubLane(w uint, x, y uint64) uint64 {
	return uint64(sext(x, w)>>1-sext(y, w)>>1) - ^x&y&1
}

func uhsubLane(_ uint, x, y uint64) uint64 { return x>>1 - y>>1 - ^x&y&1 }

func srshrLane(w uint, x, n, _ uint64) uint64 { return srshr(w, x, n) }
func urshrLane(_ uint, x, n, _ uint64) uint64 { return urshr(x, n) }

// srshr shifts right by n >= 1 and adds the last bit shifted out. Go's shifts by
// 64 and more give the sign and zero, as wanted.
func srshr(w uint, x, n uint64) uint64 {
	s := sext(x, w)
	return uint64(s>>n) + uint64(s>>(n-1)&1)
}

func urshr(x, n uint64) uint64 { return x>>n + x>>(n-1)&1 }

// amount is the signed shift amount in the low byte of a lane.
func amount(y uint64) (n uint64, left bool) {
	if s := int8(y); s < 0 {
		return uint64(-int64(s)), false
	}
	return y & 0xff, true
}

func sshlLane(w uint, x, y uint64) uint64 {
	n, left := amount(y)
	if left {
		return x << n
	}
	return uint64(sext(x, w) >> n)
}

func ushlLane(_ uint, x, y uint64) uint64 {
	n, left := amount(y)
	if left {
		return x << n
	}
	return x >> n
}

func srshlLane(w uint, x, y uint64) uint64 {
	n, left := amount(y)
	if left {
		return x << n
	}
	return srshr(w, x, n)
}

func urshlLane(_ uint, x, y uint64) uint64 {
	n, left := amount(y)
	if left {
		return x << n
	}
	return urshr(x, n)
}

// dot evaluates first + the dot products of groups of four bytes.
func dot(f func(x, y uint64) uint64) EvalFunc {
	return func(_ *Env, _, _ Type, a, b, c Val) (r Val) {
		for k := range 4 {
			sum := a.lane(32, k)
			for j := 4 * k; j < 4*k+4; j++ {
				sum += f(b.lane(8, j), c.lane(8, j))
			}
			r.put(32, k, sum)
		}
		return r
	}
}

// mmla evaluates first + the product of a 2x8 and an 8x2 matrix of bytes.
func mmla(f func(x, y uint64) uint64) EvalFunc {
	return func(_ *Env, _, _ Type, a, b, c Val) (r Val) {
		for k := range 4 {
			sum := a.lane(32, k)
			for j := range 8 {
				sum += f(b.lane(8, k/2*8+j), c.lane(8, k%2*8+j))
			}
			r.put(32, k, sum)
		}
		return r
	}
}

func mulSS(x, y uint64) uint64 { return uint64(sext(x, 8) * sext(y, 8)) }
func mulUU(x, y uint64) uint64 { return x * y }
func mulUS(x, y uint64) uint64 { return x * uint64(sext(y, 8)) }

func urecpeLane(_ uint, x uint64) uint64  { return uint64(softfp.UnsignedRecipEstimate(uint32(x))) }
func ursqrteLane(_ uint, x uint64) uint64 { return uint64(softfp.UnsignedRSqrtEstimate(uint32(x))) }
