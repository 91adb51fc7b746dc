package softfp

// MulAddBF is BFMulAddH: the single-precision addend + a*b of BFloat16
// factors. BFMLALB, BFMLALT.
func (e *Env) MulAddBF(addend, a, b uint64) uint64 {
	t := e.estimateEnv()
	r := t.MulAdd(F32, addend, a<<16, b<<16)
	e.adopt(&t)
	return r
}

// DotAddBF is BFDotAdd: addend + a0*b0 + a1*b1, BFloat16 factors and a
// single-precision sum. BFDOT; BFMMLA applies it twice an element. It raises no
// exceptions. With FPCR.EBF clear every product and sum is rounded to odd and
// denormals count as zero; with EBF the sum of products is rounded once, in the
// mode of FPCR.
func (e *Env) DotAddBF(addend, a0, a1, b0, b1 uint64) uint64 {
	t := Env{FPCR: e.FPCR | DN}
	if e.FPCR&EBF == 0 {
		return t.addOdd(addend, t.addOdd(t.mulOdd(a0, b0), t.mulOdd(a1, b1)))
	}
	return t.Add(F32, addend, t.dot(a0, a1, b0, b1))
}

// unpackBF is BFUnpack: denormals are zeros, whatever FPCR says, and no NaN
// signals.
func unpackBF(f Fmt, x uint64) num {
	t := Env{FPCR: FIZ}
	return t.unpack(f, x)
}

// roundOddBF is BFRound: to single precision, to odd, tiny results flushed to
// zero, results too large to infinity.
func roundOddBF(w wide) uint64 {
	t := Env{FPCR: FZ}
	if w.exp > -int(formats[F32].minExp)+1 {
		return formats[F32].inf(w.sign)
	}
	return t.roundMode(F32, ToOdd, w.sign, w.exp, w.jam())
}

// mulOdd is BFMulH.
func (e *Env) mulOdd(a, b uint64) uint64 {
	p := &formats[F32]
	na, nb := unpackBF(BF16, a), unpackBF(BF16, b)
	anyInf := na.class == inf || nb.class == inf
	anyZero := na.class == zero || nb.class == zero
	sign := na.sign ^ nb.sign
	switch {
	case na.nan(), nb.nan(), anyInf && anyZero:
		return e.defaultNaN(F32)
	case anyInf:
		return p.inf(sign)
	case anyZero:
		return p.zero(sign)
	}
	return roundOddBF(product(&na, &nb))
}

// addOdd is FPAdd_BF16.
func (e *Env) addOdd(a, b uint64) uint64 {
	p := &formats[F32]
	na, nb := unpackBF(F32, a), unpackBF(F32, b)
	switch {
	case na.nan(), nb.nan(), na.class == inf && nb.class == inf && na.sign != nb.sign:
		return e.defaultNaN(F32)
	case na.class == inf:
		return p.inf(na.sign)
	case nb.class == inf:
		return p.inf(nb.sign)
	case na.class == zero && nb.class == zero:
		return p.zero(na.sign & nb.sign)
	}
	w := sum(na.wide(), nb.wide())
	if w.isZero() {
		return 0
	}
	return roundOddBF(w)
}

// dot is FPDot for BFloat16 operands with default NaNs.
func (e *Env) dot(a0, a1, b0, b1 uint64) uint64 {
	p := &formats[F32]
	n := [4]num{e.unpack(BF16, a0), e.unpack(BF16, b0), e.unpack(BF16, a1), e.unpack(BF16, b1)}
	var sign [2]uint64
	var isInf, isZero [2]bool
	for i := range 2 {
		x, y := &n[2*i], &n[2*i+1]
		sign[i] = x.sign ^ y.sign
		isInf[i] = x.class == inf || y.class == inf
		isZero[i] = x.class == zero || y.class == zero
		if x.nan() || y.nan() || isInf[i] && isZero[i] {
			return e.defaultNaN(F32)
		}
	}
	switch {
	case isInf[0] && isInf[1] && sign[0] != sign[1]:
		return e.defaultNaN(F32)
	case isInf[0]:
		return p.inf(sign[0])
	case isInf[1]:
		return p.inf(sign[1])
	case isZero[0] && isZero[1] && sign[0] == sign[1]:
		return p.zero(sign[0])
	}
	return e.roundSum(F32, product(&n[0], &n[1]), product(&n[2], &n[3]))
}
