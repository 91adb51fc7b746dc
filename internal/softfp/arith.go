package softfp

import (
	"math"
	"math/bits"
)

// Add is FPAdd: FADD, FADDP, FADDV.
func (e *Env) Add(f Fmt, a, b uint64) uint64 { return e.addSub(f, a, b, 0) }

// Sub is FPSub: FSUB, FABD before its FPAbs. It differs from adding -b in the
// NaN it returns.
func (e *Env) Sub(f Fmt, a, b uint64) uint64 { return e.addSub(f, a, b, 1) }

func (e *Env) addSub(f Fmt, a, b, negB uint64) uint64 {
	p := &formats[f]
	na, nb := e.unpack(f, a), e.unpack(f, b)
	if na.nan() || nb.nan() {
		return e.processNaNs(f, &na, &nb, a, b)
	}
	nb.sign ^= negB
	e.consumed(f, na.denorm || nb.denorm)
	switch {
	case na.class == inf && nb.class == inf && na.sign != nb.sign:
		return e.invalid(f)
	case na.class == inf:
		return p.inf(na.sign)
	case nb.class == inf:
		return p.inf(nb.sign)
	case na.class == zero && nb.class == zero && na.sign == nb.sign:
		return p.zero(na.sign)
	}
	return e.roundSum(f, na.wide(), nb.wide())
}

// Mul is FPMul.
func (e *Env) Mul(f Fmt, a, b uint64) uint64 { return e.mul(f, a, b, false) }

// MulX is FPMulX: as Mul, but 0 times infinity is 2.
func (e *Env) MulX(f Fmt, a, b uint64) uint64 { return e.mul(f, a, b, true) }

func (e *Env) mul(f Fmt, a, b uint64, extended bool) uint64 {
	p := &formats[f]
	na, nb := e.unpack(f, a), e.unpack(f, b)
	if na.nan() || nb.nan() {
		return e.processNaNs(f, &na, &nb, a, b)
	}
	e.consumed(f, na.denorm || nb.denorm)
	sign := na.sign ^ nb.sign
	anyInf := na.class == inf || nb.class == inf
	anyZero := na.class == zero || nb.class == zero
	switch {
	case anyInf && anyZero && extended:
		return p.pow2(sign, 1)
	case anyInf && anyZero:
		return e.invalid(f)
	case anyInf:
		return p.inf(sign)
	case anyZero:
		return p.zero(sign)
	}
	w := product(&na, &nb)
	return e.round(f, sign, w.exp, w.jam())
}

// Div is FPDiv.
func (e *Env) Div(f Fmt, a, b uint64) uint64 {
	p := &formats[f]
	na, nb := e.unpack(f, a), e.unpack(f, b)
	if na.nan() || nb.nan() {
		return e.processNaNs(f, &na, &nb, a, b)
	}
	if nb.class != zero {
		e.consumed(f, na.denorm || nb.denorm)
	}
	sign := na.sign ^ nb.sign
	switch {
	case na.class == inf && nb.class == inf, na.class == zero && nb.class == zero:
		return e.invalid(f)
	case na.class == inf:
		return p.inf(sign)
	case nb.class == zero:
		e.raise(DZC)
		return p.inf(sign)
	case na.class == zero, nb.class == inf:
		return p.zero(sign)
	}
	exp := na.exp - nb.exp
	hi, lo := na.mant>>1, na.mant<<63
	if na.mant < nb.mant {
		hi, lo = na.mant, 0
		exp--
	}
	q, rem := bits.Div64(hi, lo, nb.mant)
	if rem != 0 {
		q |= 1
	}
	return e.round(f, sign, exp, q)
}

// Sqrt is FPSqrt.
func (e *Env) Sqrt(f Fmt, a uint64) uint64 {
	p := &formats[f]
	n := e.unpack(f, a)
	switch {
	case n.nan():
		return e.processNaN(f, n.class, a)
	case n.class == zero:
		return p.zero(n.sign)
	case n.sign == 1:
		return e.invalid(f)
	case n.class == inf:
		return p.inf(0)
	}
	e.consumed(f, n.denorm)
	// The radicand as a 128-bit integer whose root has 64 bits.
	hi, lo := n.mant>>1, n.mant<<63
	if n.exp&1 != 0 {
		hi, lo = n.mant, 0
	}
	return e.round(f, 0, n.exp>>1, sqrt128(hi, lo))
}

// sqrt128 is the integer square root of hi:lo with a sticky lowest bit.
// Preconditions: hi >= 2^62, hi <= 2^64 - 2^11 (mantissas have 53 bits).
func sqrt128(hi, lo uint64) uint64 {
	// The host's root of the upper half is right to about 52 bits, one Newton
	// step makes that more than 64; the remainder settles the last bit.
	r := uint64(math.MaxUint64)
	if s := math.Sqrt(float64(hi)) * (1 << 32); s < 1<<64 && uint64(s) > hi {
		r = uint64(s)
	}
	q, _ := bits.Div64(hi, lo, r)
	sum, carry := bits.Add64(r, q, 0)
	r = sum>>1 | carry<<63
	for {
		sqHi, sqLo := bits.Mul64(r, r)
		remLo, borrow := bits.Sub64(lo, sqLo, 0)
		remHi, borrow := bits.Sub64(hi, sqHi, borrow)
		switch {
		case borrow != 0:
			r--
		case remHi == 0 && remLo == 0:
			return r
		case remHi > r>>63 || remHi == r>>63 && remLo > r<<1: // (r+1)^2 <= hi:lo
			r++
		default:
			return r | 1
		}
	}
}
