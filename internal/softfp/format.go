package softfp

import "math/bits"

// Fmt is a floating-point format.
type Fmt uint8

const (
	F16 Fmt = iota
	F32
	F64
	BF16
)

// format holds the parameters of a Fmt.
type format struct {
	width    uint8  // bits in all
	fracBits uint8  // bits of the fraction
	minExp   int16  // exponent of the smallest normal number
	flush    uint32 // the FPCR bit that flushes denormal results, see FPRoundBase
}

var formats = [...]format{
	F16:  {width: 16, fracBits: 10, minExp: -14, flush: FZ16},
	F32:  {width: 32, fracBits: 23, minExp: -126, flush: FZ},
	F64:  {width: 64, fracBits: 52, minExp: -1022, flush: FZ},
	BF16: {width: 16, fracBits: 7, minExp: -126, flush: FZ},
}

// Width is the format's size in bits.
func (f Fmt) Width() int { return int(formats[f].width) }

func (p *format) signBit() uint64  { return 1 << (p.width - 1) }
func (p *format) fracMask() uint64 { return 1<<p.fracBits - 1 }

// expMask is the largest biased exponent, right-aligned.
func (p *format) expMask() uint64 { return 1<<(p.width-1-p.fracBits) - 1 }

func (p *format) quietBit() uint64 { return 1 << (p.fracBits - 1) }

func (p *format) zero(sign uint64) uint64 { return sign << (p.width - 1) }

func (p *format) inf(sign uint64) uint64 { return p.zero(sign) | p.expMask()<<p.fracBits }

// maxNormal is the largest finite number (FPMaxNormal).
func (p *format) maxNormal(sign uint64) uint64 { return p.inf(sign) - 1 }

// pow2 is the bits of 2^n, n within the normal range.
func (p *format) pow2(sign uint64, n int) uint64 {
	return p.zero(sign) | uint64(n-int(p.minExp)+1)<<p.fracBits
}

// class is the kind of an unpacked operand (FPType).
type class uint8

const (
	zero class = iota
	finite
	inf
	qnan
	snan
)

// num is an unpacked operand. A finite one has the magnitude
// mant/2^63 * 2^exp with the top bit of mant set.
type num struct {
	mant   uint64
	exp    int
	sign   uint64 // 1 = negative
	class  class
	denorm bool // finite, but encoded as a denormal
}

func (n *num) nan() bool { return n.class >= qnan }

// unpack takes an operand apart and flushes a denormal one as FPCR asks
// (FPUnpack: alternative half precision is never in force).
func (e *Env) unpack(f Fmt, x uint64) num { return e.unpackBase(f, x, e.FPCR&^AHP) }

// unpackCV is unpack for conversions between formats (FPUnpackCV): AHP is
// honoured, FZ16 is not.
func (e *Env) unpackCV(f Fmt, x uint64) num { return e.unpackBase(f, x, e.FPCR&^FZ16) }

func (e *Env) unpackBase(f Fmt, x uint64, fpcr uint32) num {
	p := &formats[f]
	n := num{sign: x >> (p.width - 1) & 1}
	biased := x >> p.fracBits & p.expMask()
	frac := x & p.fracMask()
	switch {
	case biased == 0 && frac == 0:
		return n
	case biased == 0:
		if e.flushInput(f, fpcr) {
			return n
		}
		lead := bits.LeadingZeros64(frac)
		n.class, n.denorm = finite, true
		n.mant = frac << lead
		n.exp = int(p.minExp) - int(p.fracBits) + 63 - lead
		return n
	case biased == p.expMask() && !(f == F16 && fpcr&AHP != 0):
		switch {
		case frac == 0:
			n.class = inf
		case frac&p.quietBit() != 0:
			n.class = qnan
		default:
			n.class = snan
		}
		return n
	}
	n.class = finite
	n.mant = 1<<63 | frac<<(63-p.fracBits)
	n.exp = int(biased) - 1 + int(p.minExp)
	return n
}

// flushInput decides whether a denormal operand counts as zero, and raises
// IDC where that is due: for FZ, but not for FZ16 and FIZ.
func (e *Env) flushInput(f Fmt, fpcr uint32) bool {
	if f == F16 {
		return fpcr&FZ16 != 0
	}
	if fpcr&FZ != 0 && fpcr&AH == 0 {
		e.raise(IDC)
		return true
	}
	return fpcr&FIZ != 0
}

// consumed raises IDC for denormal operands that took part in an operation
// without being flushed, which happens with FPCR.AH = 1 (FPProcessDenorms).
func (e *Env) consumed(f Fmt, denorm bool) {
	if denorm && f != F16 && e.alt() {
		e.raise(IDC)
	}
}
