package softfp

import "math/bits"

// split cuts a zero or finite magnitude into its integer part and the rest (as
// a fraction with a sticky lowest bit). big is true when the integer part
// needs more than 64 bits.
func (n *num) split(scale int) (whole, frac uint64, big bool) {
	exp := n.exp + scale
	switch {
	case n.class == zero:
		return 0, 0, false
	case exp > 63:
		return 0, 0, true
	case exp == 63:
		return n.mant, 0, false
	case exp >= 0:
		return n.mant >> (63 - exp), n.mant << (exp + 1), false
	}
	return 0, shiftRightJam(n.mant, -exp-1), false
}

// ToFixed is FPToFixed: x * 2^fbits rounded to an integer of width 16, 32 or
// 64 bits, saturating; a NaN gives 0. FCVT{N,A,P,M,Z}{S,U}. The result is
// zero-extended to 64 bits.
func (e *Env) ToFixed(f Fmt, x uint64, fbits int, unsigned bool, r Rounding, width int) uint64 {
	n := e.unpack(f, x)
	limit := uint64(1) << (width - 1) // one beyond the largest magnitude of a positive result
	mask := limit<<1 - 1
	if n.nan() {
		e.raise(IOC)
		return 0
	}
	whole, frac, big := uint64(0), uint64(0), true
	if n.class != inf {
		whole, frac, big = n.split(fbits)
	}
	if r.up(n.sign, whole&1 != 0, frac) {
		whole++ // whole < 2^63 here: frac is not zero
	}
	saturated := func(to uint64) uint64 {
		e.raise(IOC)
		return to
	}
	switch {
	case unsigned && n.sign == 1:
		if big || whole != 0 {
			return saturated(0)
		}
	case unsigned:
		if big || whole > mask {
			return saturated(mask)
		}
	case n.sign == 1:
		if big || whole > limit {
			return saturated(limit)
		}
	default:
		if big || whole >= limit {
			return saturated(limit - 1)
		}
	}
	if frac != 0 {
		e.raise(IXC)
	}
	if n.sign == 1 {
		whole = -whole
	}
	return whole & mask
}

// FixedToFP is FixedToFP: the low width bits of x, divided by 2^fbits, in the
// mode of FPCR. SCVTF, UCVTF.
func (e *Env) FixedToFP(f Fmt, x uint64, width, fbits int, unsigned bool) uint64 {
	x <<= 64 - width
	var sign uint64
	if !unsigned && x>>63 != 0 {
		sign, x = 1, -x
	}
	if x == 0 {
		return 0
	}
	lead := bits.LeadingZeros64(x)
	return e.round(f, sign, width-1-lead-fbits, x<<lead)
}

// ToFixedJS is FPToFixedJS: FJCVTZS, double precision to int32 modulo 2^32.
// exact is the Z flag: the result equals the operand, which is not -0.
func (e *Env) ToFixedJS(x uint64) (result uint32, exact bool) {
	n := e.unpack(F64, x)
	switch n.class {
	case snan, qnan, inf:
		e.raise(IOC)
		return 0, false
	case zero:
		// A flushed denormal or -0 is not what was converted.
		return 0, x == 0
	}
	whole, frac, big := n.split(0)
	low := uint32(whole)
	if big {
		low = uint32(n.mant << (n.exp - 63))
	}
	if n.sign == 1 {
		low = -low
	}
	switch {
	case big || whole > 1<<31-1+n.sign:
		e.raise(IOC)
		return low, false
	case frac != 0:
		e.raise(IXC)
		return low, false
	}
	return low, true
}
