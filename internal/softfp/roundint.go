package softfp

import "math/bits"

// RoundInt is FPRoundInt: x rounded to an integral value in its own format.
// exact raises IXC when that changes the value: FRINTX. FRINT{N,A,P,M,Z,I}.
func (e *Env) RoundInt(f Fmt, x uint64, r Rounding, exact bool) uint64 {
	p := &formats[f]
	n := e.unpack(f, x)
	switch n.class {
	case snan, qnan:
		return e.processNaN(f, n.class, x)
	case inf:
		return p.inf(n.sign)
	case zero:
		return p.zero(n.sign)
	}
	if n.exp >= int(p.fracBits) {
		return x & (p.signBit()<<1 - 1)
	}
	whole, inexact := n.integral(r)
	if inexact && exact {
		e.raise(IXC)
	}
	return p.integer(n.sign, whole)
}

// RoundIntN is FPRoundIntN: x rounded to an integral value that fits a signed
// integer of size 32 or 64 bits; everything else, NaNs included, becomes the
// most negative one. FRINT32X, FRINT32Z, FRINT64X, FRINT64Z; single and double
// precision.
func (e *Env) RoundIntN(f Fmt, x uint64, r Rounding, size int) uint64 {
	p := &formats[f]
	n := e.unpack(f, x)
	if n.class == zero {
		return p.zero(n.sign)
	}
	limit := uint64(1) << (size - 1)
	if n.class != finite || n.exp > 62 && !(n.exp == 63 && n.mant == limit) {
		e.raise(IOC)
		return p.pow2(1, size-1)
	}
	whole, inexact := n.integral(r)
	if whole > limit-1+n.sign {
		e.raise(IOC)
		return p.pow2(1, size-1)
	}
	if inexact {
		e.raise(IXC)
	}
	return p.integer(n.sign, whole)
}

// integral rounds a finite magnitude below 2^64 to an integer.
func (n *num) integral(r Rounding) (whole uint64, inexact bool) {
	whole, frac, _ := n.split(0)
	if r.up(n.sign, whole&1 != 0, frac) {
		whole++
	}
	return whole, frac != 0
}

// integer encodes an integer of at most fracBits+1 significant bits.
func (p *format) integer(sign, whole uint64) uint64 {
	if whole == 0 {
		return p.zero(sign)
	}
	lead := bits.LeadingZeros64(whole)
	frac := whole << lead &^ (1 << 63) >> (63 - p.fracBits)
	return p.pow2(sign, 63-lead) | frac
}
