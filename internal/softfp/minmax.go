package softfp

// Max is FPMax: a NaN operand gives a NaN, +0 is greater than -0. FMAX, FMAXP, FMAXV.
func (e *Env) Max(f Fmt, a, b uint64) uint64 { return e.maxMin(f, a, b, true, e.alt()) }

// Min is FPMin. FMIN, FMINP, FMINV.
func (e *Env) Min(f Fmt, a, b uint64) uint64 { return e.maxMin(f, a, b, false, e.alt()) }

// MaxNum is FPMaxNum: one quiet NaN operand gives the other operand. FMAXNM.
func (e *Env) MaxNum(f Fmt, a, b uint64) uint64 {
	a, b = e.replaceNaN(f, a, b, formats[f].inf(1))
	return e.maxMin(f, a, b, true, false)
}

// MinNum is FPMinNum. FMINNM.
func (e *Env) MinNum(f Fmt, a, b uint64) uint64 {
	a, b = e.replaceNaN(f, a, b, formats[f].inf(0))
	return e.maxMin(f, a, b, false, false)
}

// replaceNaN replaces a single quiet NaN by the operation's neutral infinity.
func (e *Env) replaceNaN(f Fmt, a, b, neutral uint64) (uint64, uint64) {
	na, nb := e.unpack(f, a), e.unpack(f, b)
	switch {
	case e.alt() && na.nan() && nb.nan():
		return a, b
	case na.class == qnan && nb.class != qnan:
		return neutral, b
	case na.class != qnan && nb.class == qnan:
		return a, neutral
	}
	return a, b
}

// maxMin with alt follows FPCR.AH: equal zeros and NaNs give the second
// operand, and the result is not flushed.
func (e *Env) maxMin(f Fmt, a, b uint64, greater, alt bool) uint64 {
	p := &formats[f]
	na, nb := e.unpack(f, a), e.unpack(f, b)
	anyNaN := na.nan() || nb.nan()
	switch {
	case alt && na.class == zero && nb.class == zero:
		return p.zero(nb.sign)
	case alt && anyNaN:
		e.raise(IOC)
		if nb.class == zero {
			return p.zero(nb.sign)
		}
		return b & (p.signBit()<<1 - 1)
	case anyNaN:
		return e.processNaNs(f, &na, &nb, a, b)
	}
	e.consumed(f, na.denorm || nb.denorm)
	order := order(&na, &nb)
	pick := &nb
	if greater && order > 0 || !greater && order < 0 {
		pick = &na
	}
	switch pick.class {
	case inf:
		return p.inf(pick.sign)
	case zero:
		if greater {
			return p.zero(na.sign & nb.sign)
		}
		return p.zero(na.sign | nb.sign)
	}
	fpcr := e.FPCR &^ AHP
	if alt {
		fpcr &^= FZ | FZ16
	}
	return e.roundBase(f, fpcr, e.Rounding(), pick.sign, pick.exp, pick.mant)
}
