package softfp

import "cmp"

// NZCV nibbles that Compare returns: N is bit 3, Z bit 2, C bit 1, V bit 0.
const (
	Less      = 0b1000
	Equal     = 0b0110
	Greater   = 0b0010
	Unordered = 0b0011
)

// order compares two operands that are no NaNs: -1, 0 or +1.
func order(a, b *num) int {
	switch {
	case a.class == zero && b.class == zero:
		return 0
	case a.class == zero:
		return 2*int(b.sign) - 1
	case b.class == zero, a.sign != b.sign:
		return 1 - 2*int(a.sign)
	}
	magnitude := cmp.Compare(a.class, b.class)
	if magnitude == 0 && a.class == finite {
		magnitude = cmp.Or(cmp.Compare(a.exp, b.exp), cmp.Compare(a.mant, b.mant))
	}
	return magnitude * (1 - 2*int(a.sign))
}

// compare is the part that all comparisons share. ok is false for unordered
// operands; those raise IOC if one signals, or always if signalNaN.
func (e *Env) compare(f Fmt, a, b uint64, signalNaN bool) (ord int, ok bool) {
	na, nb := e.unpack(f, a), e.unpack(f, b)
	if na.nan() || nb.nan() {
		if signalNaN || na.class == snan || nb.class == snan {
			e.raise(IOC)
		}
		return 0, false
	}
	e.consumed(f, na.denorm || nb.denorm)
	return order(&na, &nb), true
}

// Compare is FPCompare: the NZCV nibble of FCMP, with signalNaN of FCMPE.
func (e *Env) Compare(f Fmt, a, b uint64, signalNaN bool) uint8 {
	ord, ok := e.compare(f, a, b, signalNaN)
	switch {
	case !ok:
		return Unordered
	case ord < 0:
		return Less
	case ord > 0:
		return Greater
	}
	return Equal
}

// CompareEQ is FPCompareEQ: FCMEQ. Only signalling NaNs are invalid.
func (e *Env) CompareEQ(f Fmt, a, b uint64) bool {
	ord, ok := e.compare(f, a, b, false)
	return ok && ord == 0
}

// CompareGE is FPCompareGE: FCMGE, FCMLE with the operands swapped. Any NaN is
// invalid.
func (e *Env) CompareGE(f Fmt, a, b uint64) bool {
	ord, ok := e.compare(f, a, b, true)
	return ok && ord >= 0
}

// CompareGT is FPCompareGT: FCMGT, FCMLT with the operands swapped. Any NaN is
// invalid.
func (e *Env) CompareGT(f Fmt, a, b uint64) bool {
	ord, ok := e.compare(f, a, b, true)
	return ok && ord > 0
}

// CompareAbsGE is |a| >= |b|: FACGE.
func (e *Env) CompareAbsGE(f Fmt, a, b uint64) bool {
	return e.CompareGE(f, e.Abs(f, a), e.Abs(f, b))
}

// CompareAbsGT is |a| > |b|: FACGT.
func (e *Env) CompareAbsGT(f Fmt, a, b uint64) bool {
	return e.CompareGT(f, e.Abs(f, a), e.Abs(f, b))
}
