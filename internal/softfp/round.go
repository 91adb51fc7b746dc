package softfp

// round gives the format's nearest value to (-1)^sign * mant/2^63 * 2^exp in
// the mode of FPCR (FPRound). The top bit of mant must be set; its lowest bit
// may stand for any number of non-zero bits below ("sticky").
func (e *Env) round(f Fmt, sign uint64, exp int, mant uint64) uint64 {
	return e.roundBase(f, e.FPCR&^AHP, e.Rounding(), sign, exp, mant)
}

// roundMode is round with a rounding mode other than FPCR's.
func (e *Env) roundMode(f Fmt, r Rounding, sign uint64, exp int, mant uint64) uint64 {
	return e.roundBase(f, e.FPCR&^AHP, r, sign, exp, mant)
}

// roundCV is round for conversions between formats (FPRoundCV): AHP is
// honoured, FZ16 is not.
func (e *Env) roundCV(f Fmt, r Rounding, sign uint64, exp int, mant uint64) uint64 {
	return e.roundBase(f, e.FPCR&^FZ16, r, sign, exp, mant)
}

// roundBase is FPRoundBase. Tininess is detected before rounding, with
// FPCR.AH = 1 after rounding.
func (e *Env) roundBase(f Fmt, fpcr uint32, r Rounding, sign uint64, exp int, mant uint64) uint64 {
	p := &formats[f]
	shift := 63 - p.fracBits
	minExp := int(p.minExp)
	alt := fpcr&AH != 0
	flush := fpcr&p.flush != 0
	tiny := exp < minExp
	if tiny && flush && !alt {
		e.raise(UFC)
		return p.zero(sign)
	}
	if tiny && alt {
		tiny = !roundsToNormal(p, r, sign, exp, mant)
		if tiny && flush {
			e.raise(UFC | IXC)
			return p.zero(sign)
		}
	}

	biased := exp - minExp + 1
	m := mant
	if biased <= 0 {
		m = shiftRightJam(mant, minExp-exp)
		biased = 0
	}
	kept := m >> shift // includes the integer bit, so that it carries into biased
	rem := m << (64 - shift)
	inexact := rem != 0
	if tiny && inexact {
		e.raise(UFC)
	}
	if r.up(sign, kept&1 != 0, rem) {
		kept++
	}
	if inexact && r == ToOdd {
		kept |= 1
	}
	if biased > 0 {
		biased--
	}
	// A mantissa of 2^(F+1), or a denormal rounded up to 2^F, moves to the next
	// exponent by the addition's carry.
	mag := uint64(biased)<<p.fracBits + kept

	if f == F16 && fpcr&AHP != 0 {
		if mag >= 1<<15 {
			e.raise(IOC) // and not inexact
			return p.zero(sign) | (1<<15 - 1)
		}
	} else if mag >= p.inf(0) {
		e.raise(OFC | IXC)
		if r.overflowsToInf(sign) {
			return p.inf(sign)
		}
		return p.maxNormal(sign)
	}
	if inexact {
		e.raise(IXC)
	}
	return p.zero(sign) | mag
}

// roundsToNormal reports whether a value below the smallest normal number
// reaches it when rounded with an unbounded exponent.
func roundsToNormal(p *format, r Rounding, sign uint64, exp int, mant uint64) bool {
	if exp != int(p.minExp)-1 {
		return false
	}
	shift := 63 - p.fracBits
	kept := mant >> shift
	return kept == 1<<(p.fracBits+1)-1 && r.up(sign, true, mant<<(64-shift))
}

// shiftRightJam is x >> n with every bit shifted out ORed into the lowest.
func shiftRightJam(x uint64, n int) uint64 {
	if n >= 64 {
		if x != 0 {
			return 1
		}
		return 0
	}
	out := x >> n
	if out<<n != x {
		out |= 1
	}
	return out
}
