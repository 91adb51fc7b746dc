package softfp

// Fields of FPCR (Arm ARM C5.2.8).
const (
	FIZ        = 1 << 0  // flush inputs to zero, FEAT_AFP
	AH         = 1 << 1  // alternate handling, FEAT_AFP
	NEP        = 1 << 2  // scalar results keep the other elements, FEAT_AFP
	EBF        = 1 << 13 // extended BFloat16 dot products, FEAT_EBF16
	FZ16       = 1 << 19 // flush half-precision denormals
	RModeShift = 22
	RModeMask  = 3 << RModeShift
	FZ         = 1 << 24 // flush single- and double-precision denormals
	DN         = 1 << 25 // every NaN result is the default NaN
	AHP        = 1 << 26 // alternative half precision in conversions
)

// Fields of FPSR (Arm ARM C5.2.10): cumulative exception bits.
const (
	IOC = 1 << 0  // invalid operation
	DZC = 1 << 1  // division by zero
	OFC = 1 << 2  // overflow
	UFC = 1 << 3  // underflow
	IXC = 1 << 4  // inexact
	IDC = 1 << 7  // input denormal
	QC  = 1 << 27 // saturation; set by integer instructions only
)

// Rounding is a rounding mode; the first four are the values of FPCR.RMode.
type Rounding uint8

const (
	TieEven Rounding = iota // to nearest, ties to even
	PosInf                  // towards plus infinity
	NegInf                  // towards minus infinity
	ToZero                  // towards zero
	TieAway                 // to nearest, ties away from zero: conversions to integer only
	ToOdd                   // inexact results get an odd last bit: FCVTXN
)

// up reports whether a magnitude whose last kept bit is odd or not, and whose
// dropped bits are rem (as a fraction of that bit, 1<<63 being one half),
// grows by one. sign is 1 for negative values.
func (r Rounding) up(sign uint64, odd bool, rem uint64) bool {
	const half = 1 << 63
	switch r {
	case TieEven:
		return rem > half || rem == half && odd
	case TieAway:
		return rem >= half
	case PosInf:
		return rem != 0 && sign == 0
	case NegInf:
		return rem != 0 && sign == 1
	case ToZero, ToOdd:
		return false
	}
	panic("BUG: softfp: rounding mode out of range")
}

// overflowsToInf reports whether a result too large for its format becomes an
// infinity rather than the largest normal number.
func (r Rounding) overflowsToInf(sign uint64) bool {
	switch r {
	case TieEven:
		return true
	case PosInf:
		return sign == 0
	case NegInf:
		return sign == 1
	}
	return false
}
