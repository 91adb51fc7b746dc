package ir

import "math/bits"

// Predicates: I64 values with one bit for each byte of a vector. That of a lane is the
// bit of its lowest byte.

func evalLaneMask(_ *Env, t, _ Type, a, _, _ Val) (r Val) {
	w, n := t.width()
	for k := range n {
		if a.Lo>>(uint(k)*w/8)&1 != 0 {
			r.put(w, k, ones(w))
		}
	}
	return r
}

func evalTopBits(_ *Env, _, at Type, a, _, _ Val) (r Val) {
	w, n := at.width()
	for k := range n {
		r.Lo |= a.lane(w, k) >> (w - 1) << (uint(k) * w / 8)
	}
	return r
}

// Shifts by amounts of which all bits count: Go's shifts by 64 and more give 0 and the sign.

func shlLane(_ uint, x, n uint64) uint64  { return x << n }
func lshrLane(_ uint, x, n uint64) uint64 { return x >> n }
func ashrLane(w uint, x, n uint64) uint64 { return uint64(sext(x, w) >> n) }

func bextLane(_ uint, x, mask uint64) (r uint64) {
	for n := 0; mask != 0; n++ {
		r |= x >> bits.TrailingZeros64(mask) & 1 << n
		mask &= mask - 1
	}
	return r
}

func bdepLane(_ uint, x, mask uint64) (r uint64) {
	for ; mask != 0; x >>= 1 {
		r |= x & 1 << bits.TrailingZeros64(mask)
		mask &= mask - 1
	}
	return r
}

func smulhLane(w uint, x, y uint64) uint64 {
	if w == 64 {
		return evalMulHiS(nil, I64, I64, Val{Lo: x}, Val{Lo: y}, Val{}).Lo
	}
	return uint64(sext(x, w) * sext(y, w) >> w)
}

func umulhLane(w uint, x, y uint64) uint64 {
	hi, lo := bits.Mul64(x, y)
	if w == 64 {
		return hi
	}
	return lo >> w
}
