package softfp

// Convert is FPConvert between half, single and double precision in the mode
// of FPCR: FCVT, FCVTL, FCVTN. FPCR.AHP makes the half-precision side the
// alternative format without infinities and NaNs.
func (e *Env) Convert(to, from Fmt, x uint64) uint64 {
	return e.ConvertRounding(to, from, x, e.Rounding())
}

// ConvertRounding is Convert with an explicit mode; FCVTXN uses ToOdd.
func (e *Env) ConvertRounding(to, from Fmt, x uint64, r Rounding) uint64 {
	p := &formats[to]
	n := e.unpackCV(from, x)
	altHalf := to == F16 && e.FPCR&AHP != 0
	switch n.class {
	case snan, qnan:
		if n.class == snan || altHalf {
			e.raise(IOC)
		}
		switch {
		case altHalf:
			return p.zero(n.sign)
		case e.FPCR&DN != 0:
			return e.defaultNaN(to)
		}
		return convertNaN(to, from, x)
	case inf:
		if altHalf {
			e.raise(IOC)
			return p.zero(n.sign) | (p.signBit() - 1)
		}
		return p.inf(n.sign)
	case zero:
		return p.zero(n.sign)
	}
	e.consumed(from, n.denorm)
	return e.roundCV(to, r, n.sign, n.exp, n.mant)
}

// ConvertBF is FPConvertBF: single precision to BFloat16. BFCVT, BFCVTN.
func (e *Env) ConvertBF(x uint64) uint64 {
	t := e.estimateEnv()
	r := t.convertBF(x)
	e.adopt(&t)
	return r
}

func (e *Env) convertBF(x uint64) uint64 {
	p := &formats[BF16]
	n := e.unpack(F32, x)
	switch n.class {
	case snan, qnan:
		return e.convertBFNaN(n.class, x)
	case inf:
		return p.inf(n.sign)
	case zero:
		return p.zero(n.sign)
	}
	return e.round(BF16, n.sign, n.exp, n.mant)
}

func (e *Env) convertBFNaN(c class, x uint64) uint64 {
	if c == snan {
		e.raise(IOC)
	}
	if e.FPCR&DN != 0 {
		return e.defaultNaN(BF16)
	}
	return convertNaN(BF16, F32, x)
}
