package softfp

// defaultNaN is quiet with an otherwise empty fraction; FPCR.AH makes it
// negative (FPDefaultNaN).
func (e *Env) defaultNaN(f Fmt) uint64 {
	p := &formats[f]
	sign := uint64(e.FPCR >> 1 & 1)
	return p.inf(sign) | p.quietBit()
}

// invalid is the result of an invalid operation without NaN operands.
func (e *Env) invalid(f Fmt) uint64 {
	e.raise(IOC)
	return e.defaultNaN(f)
}

// processNaN is the result of an operation on the NaN x (FPProcessNaN).
func (e *Env) processNaN(f Fmt, c class, x uint64) uint64 {
	if c == snan {
		e.raise(IOC)
	}
	if e.FPCR&DN != 0 {
		return e.defaultNaN(f)
	}
	return x&(formats[f].signBit()<<1-1) | formats[f].quietBit()
}

// processNaNs chooses the result of a two-operand operation of which at least
// one operand is a NaN (FPProcessNaNs): signalling before quiet, first before
// second; with FPCR.AH the first NaN.
func (e *Env) processNaNs(f Fmt, na, nb *num, a, b uint64) uint64 {
	if e.alt() && na.nan() && nb.nan() {
		return e.processNaN(f, max(na.class, nb.class), a)
	}
	if na.class == snan || na.class == qnan && nb.class != snan {
		return e.processNaN(f, na.class, a)
	}
	return e.processNaN(f, nb.class, b)
}

// pickNaN3 is the choice of FPProcessNaNs3 and FPProcessNaNs3H among addend
// (0), first (1) and second (2) factor, of which at least one is a NaN, and
// the class under which the chosen one is processed.
func (e *Env) pickNaN3(na, n1, n2 *num) (which int, c class) {
	if e.alt() {
		c = qnan
		if na.class == snan || n1.class == snan || n2.class == snan {
			c = snan
		}
		switch {
		case n1.nan():
			return 1, c
		case n2.nan():
			return 2, c
		}
		return 0, c
	}
	ops := [3]*num{na, n1, n2}
	for _, want := range [2]class{snan, qnan} {
		for i, n := range ops {
			if n.class == want {
				return i, want
			}
		}
	}
	panic("BUG: softfp: no NaN to pick")
}

// convertNaN is the quiet NaN of another format with the same sign and as much
// of the payload as fits (FPConvertNaN).
func convertNaN(to, from Fmt, x uint64) uint64 {
	pf, pt := &formats[from], &formats[to]
	payload := x & (pf.quietBit() - 1) << (65 - pf.fracBits)
	sign := x >> (pf.width - 1) & 1
	return pt.inf(sign) | pt.quietBit() | payload>>(65-pt.fracBits)
}

// Neg negates x; with FPCR.AH a NaN keeps its sign (FPNeg).
func (e *Env) Neg(f Fmt, x uint64) uint64 {
	if e.alt() && isNaN(f, x) {
		return x
	}
	return x ^ formats[f].signBit()
}

// Abs clears the sign of x; with FPCR.AH a NaN keeps it (FPAbs).
func (e *Env) Abs(f Fmt, x uint64) uint64 {
	if e.alt() && isNaN(f, x) {
		return x
	}
	return x &^ formats[f].signBit()
}

func isNaN(f Fmt, x uint64) bool {
	p := &formats[f]
	return x&(p.signBit()-1) > p.inf(0)
}
