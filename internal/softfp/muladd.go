package softfp

// MulAdd is FPMulAdd: addend + a*b with one rounding. FMADD, FMLA; FMSUB,
// FNMADD, FNMSUB, FMLS negate operands with Neg first.
func (e *Env) MulAdd(f Fmt, addend, a, b uint64) uint64 {
	nd, na, nb := e.unpack(f, addend), e.unpack(f, a), e.unpack(f, b)
	if nd.nan() || na.nan() || nb.nan() {
		which, c := e.pickNaN3(&nd, &na, &nb)
		r := e.processNaN(f, c, [3]uint64{addend, a, b}[which])
		return e.zeroTimesInf(f, &nd, &na, &nb, r)
	}
	r, valid := e.fuse(f, &nd, &na, &nb)
	if valid {
		e.consumed(f, nd.denorm || na.denorm || nb.denorm)
	}
	return r
}

// MulAddH is FPMulAddH: the single-precision addend + a*b of half-precision
// factors. FMLAL, FMLAL2; FMLSL and FMLSL2 negate a first.
func (e *Env) MulAddH(addend, a, b uint64) uint64 {
	nd, na, nb := e.unpack(F32, addend), e.unpack(F16, a), e.unpack(F16, b)
	if nd.nan() || na.nan() || nb.nan() {
		which, c := e.pickNaN3(&nd, &na, &nb)
		var r uint64
		if which == 0 {
			r = e.processNaN(F32, c, addend)
		} else {
			r = convertNaN(F32, F16, e.processNaN(F16, c, [3]uint64{0, a, b}[which]))
		}
		return e.zeroTimesInf(F32, &nd, &na, &nb, r)
	}
	r, valid := e.fuse(F32, &nd, &na, &nb)
	if valid {
		e.consumed(F32, nd.denorm)
	}
	return r
}

// zeroTimesInf replaces the chosen NaN r where a quiet NaN is added to an
// invalid product.
func (e *Env) zeroTimesInf(f Fmt, nd, na, nb *num, r uint64) uint64 {
	if e.alt() || nd.class != qnan {
		return r
	}
	if na.class == inf && nb.class == zero || na.class == zero && nb.class == inf {
		return e.invalid(f)
	}
	return r
}

// fuse computes nd + na*nb for operands that are no NaNs; valid is false for
// an invalid operation.
func (e *Env) fuse(f Fmt, nd, na, nb *num) (r uint64, valid bool) {
	p := &formats[f]
	sign := na.sign ^ nb.sign
	infP := na.class == inf || nb.class == inf
	zeroP := na.class == zero || nb.class == zero
	switch {
	case infP && zeroP, infP && nd.class == inf && nd.sign != sign:
		return e.invalid(f), false
	case nd.class == inf:
		return p.inf(nd.sign), true
	case infP:
		return p.inf(sign), true
	case zeroP && nd.class == zero && nd.sign == sign:
		return p.zero(sign), true
	case zeroP:
		return e.roundSum(f, nd.wide(), wide{}), true
	}
	return e.roundSum(f, nd.wide(), product(na, nb)), true
}
