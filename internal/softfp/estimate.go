package softfp

// RecipEstimate is FPRecipEstimate: 1/x to 8 bits, or to 12 (see precise). FRECPE.
func (e *Env) RecipEstimate(f Fmt, x uint64) uint64 {
	t := e.estimateEnv()
	r := t.recipEstimate(f, x)
	e.adopt(&t)
	return r
}

func (e *Env) recipEstimate(f Fmt, x uint64) uint64 {
	p := &formats[f]
	n := e.unpack(f, x)
	switch n.class {
	case snan, qnan:
		return e.processNaN(f, n.class, x)
	case inf:
		return p.zero(n.sign)
	case zero:
		e.raise(DZC)
		return p.inf(n.sign)
	}
	if n.exp < int(p.minExp)-2 { // the reciprocal is 2^(maxExp+1) or more
		e.raise(OFC | IXC)
		if e.Rounding().overflowsToInf(n.sign) {
			return p.inf(n.sign)
		}
		return p.maxNormal(n.sign)
	}
	if e.FPCR&p.flush != 0 && n.exp >= -int(p.minExp) {
		e.raise(UFC)
		return p.zero(n.sign)
	}
	// 1/(s * 2^exp) with s in [1, 2) is r/256 * 2^(-exp-1), r in [256, 512).
	frac := uint64(recipEstimate8(uint32(n.mant>>55))) << (p.fracBits - 8)
	if e.precise(f) {
		frac = uint64(recipEstimate12(uint32(n.mant>>52))) << (p.fracBits - 12)
	}
	exp := -n.exp - 1
	if exp >= int(p.minExp) {
		return p.pow2(n.sign, exp) | frac&p.fracMask()
	}
	// Denormal results are truncated.
	return p.zero(n.sign) | frac>>(int(p.minExp)-exp)
}

// recipEstimate8 is RecipEstimate: a in [256, 512) stands for a/512, the
// result in [256, 512) for r/256, the middle of a's interval inverted.
func recipEstimate8(a uint32) uint32 {
	return (1<<19/(a*2+1) + 1) / 2
}

// recipEstimate12 is RecipEstimate with increased precision: a in [2048, 4096)
// stands for a/4096, the result in [4096, 8192) for r/4096.
func recipEstimate12(a uint32) uint32 {
	return (1<<26/(a*2+1) + 1) / 2
}

// precise reports whether estimates have 12 bits: those of single precision with
// FPCR.AH (FEAT_RPRES, which emu's processors have whenever they have FEAT_AFP).
func (e *Env) precise(f Fmt) bool { return f == F32 && e.alt() }

// RSqrtEstimate is FPRSqrtEstimate: 1/sqrt(x) to 8 or 12 bits. FRSQRTE.
func (e *Env) RSqrtEstimate(f Fmt, x uint64) uint64 {
	t := e.estimateEnv()
	r := t.rsqrtEstimate(f, x)
	e.adopt(&t)
	return r
}

func (e *Env) rsqrtEstimate(f Fmt, x uint64) uint64 {
	p := &formats[f]
	n := e.unpack(f, x)
	switch {
	case n.nan():
		return e.processNaN(f, n.class, x)
	case n.class == zero:
		e.raise(DZC)
		return p.inf(n.sign)
	case n.sign == 1:
		return e.invalid(f)
	case n.class == inf:
		return p.zero(0)
	}
	// An even biased exponent is an odd exponent: the scaled operand lies in
	// [1/2, 1), otherwise in [1/4, 1/2).
	half := 1 - n.exp&1
	frac := uint64(rsqrtEstimate8(uint32(n.mant>>(55+half)))) << (p.fracBits - 8)
	if e.precise(f) {
		frac = uint64(rsqrtEstimate12(n.mant>>(52+half))) << (p.fracBits - 12)
	}
	return p.pow2(0, -(n.exp>>1)-1) | frac&p.fracMask()
}

// rsqrtEstimate8 is RecipSqrtEstimate: a in [128, 512) stands for a/512, the
// result in [256, 512) for r/256. It is the largest b with a'*b*b < 2^28, a'
// the middle of a's interval, halved with rounding.
func rsqrtEstimate8(a uint32) uint32 {
	if a < 256 {
		a = a*2 + 1
	} else {
		a = (a | 1) * 2
	}
	b := uint32(0)
	for step := uint32(512); step != 0; step >>= 1 {
		if try := b + step; a*try*try < 1<<28 {
			b = try
		}
	}
	return (b + 1) / 2
}

// rsqrtEstimate12 is RecipSqrtEstimate with increased precision: a in [1024, 4096)
// stands for a/4096, the result in [4096, 8192) for r/4096. As above, of the root's
// 14 bits the last rounds.
func rsqrtEstimate12(a uint64) uint64 {
	if a < 2048 {
		a = a*2 + 1
	} else {
		a = (a | 1) * 2
	}
	b := uint64(0)
	for step := uint64(8192); step != 0; step >>= 1 {
		if try := b + step; a*try*try < 1<<39 {
			b = try
		}
	}
	return (b + 1) / 2
}

// UnsignedRecipEstimate is URECPE on a 32-bit element.
func UnsignedRecipEstimate(x uint32) uint32 {
	if x>>31 == 0 {
		return ^uint32(0)
	}
	return recipEstimate8(x>>23) << 23
}

// UnsignedRSqrtEstimate is URSQRTE on a 32-bit element.
func UnsignedRSqrtEstimate(x uint32) uint32 {
	if x>>30 == 0 {
		return ^uint32(0)
	}
	return rsqrtEstimate8(x>>23) << 23
}

// RecpX is FPRecpX: a power of two near the reciprocal. FRECPX.
func (e *Env) RecpX(f Fmt, x uint64) uint64 {
	t := e.estimateEnv()
	defer e.adopt(&t)
	p := &formats[f]
	n := t.unpack(f, x)
	if n.nan() {
		return t.processNaN(f, n.class, x)
	}
	biased := x >> p.fracBits & p.expMask()
	if biased == 0 {
		return p.inf(n.sign) - 1<<p.fracBits
	}
	return p.zero(n.sign) | (^biased&p.expMask())<<p.fracBits
}

// RecipStep is FPRecipStepFused: 2 - a*b with one rounding. FRECPS.
func (e *Env) RecipStep(f Fmt, a, b uint64) uint64 {
	return e.step(f, a, b, num{class: finite, mant: 1 << 63, exp: 1}, 0)
}

// RSqrtStep is FPRSqrtStepFused: (3 - a*b)/2 with one rounding. FRSQRTS.
func (e *Env) RSqrtStep(f Fmt, a, b uint64) uint64 {
	return e.step(f, a, b, num{class: finite, mant: 3 << 62, exp: 1}, 1)
}

// step is (c - a*b) / 2^half.
func (e *Env) step(f Fmt, a, b uint64, c num, half int) uint64 {
	t := e.estimateEnv()
	defer e.adopt(&t)
	p := &formats[f]
	a = t.Neg(f, a)
	na, nb := t.unpack(f, a), t.unpack(f, b)
	if na.nan() || nb.nan() {
		return t.processNaNs(f, &na, &nb, a, b)
	}
	anyInf := na.class == inf || nb.class == inf
	anyZero := na.class == zero || nb.class == zero
	w := c.wide()
	switch {
	case anyInf && !anyZero:
		return p.inf(na.sign ^ nb.sign)
	case !anyZero:
		w = sum(w, product(&na, &nb))
	}
	if w.isZero() {
		return t.cancelled(f)
	}
	return t.round(f, w.sign, w.exp-half, w.jam())
}
