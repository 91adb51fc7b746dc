package ir

import "math/bits"

// fpsrQC is FPSR.QC, the cumulative saturation flag.
const fpsrQC = 1 << 27

func smax(w uint) int64 { return int64(ones(w) >> 1) }
func smin(w uint) int64 { return -smax(w) - 1 }

// clampS saturates to a signed lane of w bits.
func clampS(w uint, x int64) (uint64, bool) {
	switch {
	case x > smax(w):
		return uint64(smax(w)), true
	case x < smin(w):
		return uint64(smin(w)), true
	}
	return uint64(x), false
}

// sqadd is the saturating sum of signed lanes; 64-bit lanes overflow Go's int64.
func sqaddLane(w uint, x, y uint64) (uint64, bool) {
	a, b := sext(x, w), sext(y, w)
	r := a + b
	if w == 64 && (a^r)&(b^r) < 0 {
		return uint64(r>>63) ^ 1<<63, true
	}
	return clampS(w, r)
}

func sqsubLane(w uint, x, y uint64) (uint64, bool) {
	a, b := sext(x, w), sext(y, w)
	r := a - b
	if w == 64 && (a^b)&(a^r) < 0 {
		return uint64(r>>63) ^ 1<<63, true
	}
	return clampS(w, r)
}

func uqaddLane(w uint, x, y uint64) (uint64, bool) {
	if r := x + y; r >= x && r <= ones(w) {
		return r, false
	}
	return ones(w), true
}

func uqsubLane(_ uint, x, y uint64) (uint64, bool) {
	if x < y {
		return 0, true
	}
	return x - y, false
}

// suqaddLane adds an unsigned y to a signed x.
func suqaddLane(w uint, x, y uint64) (uint64, bool) {
	a := sext(x, w)
	if room := uint64(smax(w) - a); y > room { // as unsigned: exact for 64 bits too
		return uint64(smax(w)), true
	}
	return x + y, false
}

// usqaddLane adds a signed y to an unsigned x.
func usqaddLane(w uint, x, y uint64) (uint64, bool) {
	b := sext(y, w)
	if b >= 0 {
		return uqaddLane(w, x, y)
	}
	return uqsubLane(w, x, uint64(-b))
}

func sqabsLane(w uint, x, _ uint64) (uint64, bool) {
	if a := sext(x, w); a >= 0 {
		return x, false
	}
	return sqsubLane(w, 0, x)
}

func sqnegLane(w uint, x, _ uint64) (uint64, bool) { return sqsubLane(w, 0, x) }

// doubling is the high half of acc + 2xy, or acc - 2xy. All of it is shifted right by one, so that
// it fits 64 bits for lanes of up to 32 bits, and twice that for others.
func doubling(w uint, acc, x, y int64, minus, round bool) (uint64, bool) {
	if w == 64 {
		return doubling64(acc, x, y, minus, round)
	}
	xy := x * y
	if minus {
		xy = -xy
	}
	sum := acc<<(w-1) + xy
	if round {
		sum += 1 << (w - 2)
	}
	return clampS(w, sum>>(w-1))
}

func doubling64(acc, x, y int64, minus, round bool) (uint64, bool) {
	hi, lo := evalMulHiS(nil, I64, I64, Val{Lo: uint64(x)}, Val{Lo: uint64(y)}, Val{}).Lo, uint64(x)*uint64(y)
	var carry uint64
	if minus {
		lo, carry = bits.Sub64(0, lo, 0)
		hi = -hi - carry
	}
	lo, carry = bits.Add64(lo, uint64(acc)<<63, 0)
	hi += uint64(acc>>1) + carry
	if round {
		lo, carry = bits.Add64(lo, 1<<62, 0)
		hi += carry
	}
	if int64(hi)^int64(hi<<1) < 0 {
		return uint64(int64(hi)>>63) ^ (1<<63 - 1), true
	}
	return hi<<1 | lo>>63, false
}

func sqdmulhLane(w uint, x, y uint64) (uint64, bool) {
	return doubling(w, 0, sext(x, w), sext(y, w), false, false)
}

func sqrdmulhLane(w uint, x, y uint64) (uint64, bool) {
	return doubling(w, 0, sext(x, w), sext(y, w), false, true)
}

// accumulating evaluates SQRDMLAH and SQRDMLSH.
func accumulating(minus bool) EvalFunc {
	return func(e *Env, t, _ Type, a, b, c Val) (r Val) {
		w, n := t.width()
		for k := range n {
			x, sat := doubling(w, sext(a.lane(w, k), w), sext(b.lane(w, k), w), sext(c.lane(w, k), w), minus, true)
			if sat {
				e.FPSR |= fpsrQC
			}
			r.put(w, k, x)
		}
		return r
	}
}

func evalSQDMulL(e *Env, t, at Type, a, b, _ Val) (r Val) {
	w, _ := at.width()
	for k := range t.Lanes() {
		p := sext(a.lane(w, k), w) * sext(b.lane(w, k), w)
		x, sat := sqaddLane(2*w, uint64(p), uint64(p))
		if sat {
			e.FPSR |= fpsrQC
		}
		r.put(2*w, k, x)
	}
	return r
}

func sqshlLane(w uint, x, y uint64) (uint64, bool) {
	n, left := amount(y)
	if !left {
		return uint64(sext(x, w) >> n), false
	}
	return sqshl(w, x, n)
}

func sqshl(w uint, x, n uint64) (uint64, bool) {
	s := sext(x, w)
	if r := s << n; n < uint64(w) && r>>n == s && sext(uint64(r), w) == r || s == 0 {
		return uint64(r), false
	}
	if s < 0 {
		return uint64(smin(w)), true
	}
	return uint64(smax(w)), true
}

func uqshlLane(w uint, x, y uint64) (uint64, bool) {
	n, left := amount(y)
	if !left {
		return x >> n, false
	}
	return uqshl(w, x, n)
}

func uqshl(w uint, x, n uint64) (uint64, bool) {
	if r := x << n; n < uint64(w) && r>>n == x && r <= ones(w) || x == 0 {
		return r, false
	}
	return ones(w), true
}

func sqrshlLane(w uint, x, y uint64) (uint64, bool) {
	n, left := amount(y)
	if !left {
		return srshr(w, x, n), false
	}
	return sqshl(w, x, n)
}

func uqrshlLane(w uint, x, y uint64) (uint64, bool) {
	n, left := amount(y)
	if !left {
		return urshr(x, n), false
	}
	return uqshl(w, x, n)
}

func evalSQShlU(e *Env, t, _ Type, a, b, _ Val) (r Val) {
	w, n := t.width()
	for k := range n {
		x := a.lane(w, k)
		sat := sext(x, w) < 0
		if sat {
			x = 0
		} else {
			x, sat = uqshl(w, x, b.Lo)
		}
		if sat {
			e.FPSR |= fpsrQC
		}
		r.put(w, k, x)
	}
	return r
}

// narrowing evaluates a saturating conversion to half the width, low half.
func narrowing(f func(w uint, x uint64) (uint64, bool)) EvalFunc {
	return func(e *Env, _, at Type, a, _, _ Val) (r Val) {
		w, n := at.width()
		for k := range n {
			x, sat := f(w, a.lane(w, k))
			if sat {
				e.FPSR |= fpsrQC
			}
			r.put(w/2, k, x)
		}
		return r
	}
}

func sqxtnLane(w uint, x uint64) (uint64, bool) { return clampS(w/2, sext(x, w)) }

func uqxtnLane(w uint, x uint64) (uint64, bool) {
	if x > ones(w/2) {
		return ones(w / 2), true
	}
	return x, false
}

func sqxtunLane(w uint, x uint64) (uint64, bool) {
	if sext(x, w) < 0 {
		return 0, true
	}
	return uqxtnLane(w, x)
}
