package cpu

// FPSR bits.
const (
	FPSRInvalid   = 1 << 0  // IOC
	FPSRDivZero   = 1 << 1  // DZC
	FPSROverflow  = 1 << 2  // OFC
	FPSRUnderflow = 1 << 3  // UFC
	FPSRInexact   = 1 << 4  // IXC
	FPSRDenormal  = 1 << 7  // IDC
	FPSRSaturated = 1 << 27 // QC
	// FPSRMask are the bits that EL0 can write.
	FPSRMask = FPSRInvalid | FPSRDivZero | FPSROverflow | FPSRUnderflow | FPSRInexact | FPSRDenormal | FPSRSaturated
)

// MXCSR bits (Intel SDM volume 1, 10.2.3).
const (
	mxInvalid   = 1 << 0
	mxDivZero   = 1 << 2
	mxOverflow  = 1 << 3
	mxUnderflow = 1 << 4
	mxInexact   = 1 << 5
	mxFlags     = 0x3f
	mxMaskAll   = 0x1f80
	mxRoundPos  = 13
	mxDAZ       = 1 << 6  // denormal operands are zeros
	mxFTZ       = 1 << 15 // tiny results become zeros
)

const fpcrFZ = 1 << 24 // FPCR.FZ: both, for single and double precision

// Bits of State.FPCR that the guest does not see. Generated code has Underflow exact only
// once FPSR was looked at, and with FPCR.FZ Underflow, Inexact and Input Denormal only once it was written:
// most programs never look, and what is there before it is cleared is not exact anyway.
const (
	FPCRWatched = 1 << 31 // it has read or written FPSR
	FPCRWritten = 1 << 30 // it has written FPSR
)

// FPMode is FPCR as the guest sees it.
func (s *State) FPMode() uint32 { return s.FPCR &^ (FPCRWatched | FPCRWritten) }

// Bits of CodeMode that FPCR does not use.
const (
	// ModeTopByte is of code that removes the top byte of addresses itself, instead of
	// letting the access fault.
	ModeTopByte = 1 << 30
	// ModeTags is of code that does that and checks memory tags.
	ModeTags = 1 << 29
	// ModeStack is of code that runs while SP is not a multiple of 16.
	ModeStack = 1 << 28
	// ModeGCS is of code whose calls and returns use the guarded control stack.
	ModeGCS = 1 << 21

	// ModesBesideFPCR are these: with any of them integer instructions do more than usually.
	ModesBesideFPCR = ModeTopByte | ModeTags | ModeStack | ModeGCS
)

// CodeMode is what generated code depends on: State.FPCR but for the rounding mode,
// whether FPSR has to be exact (FPCRWatched), what is done about tags in addresses,
// whether SP is aligned, and whether there is a guarded control stack.
func (s *State) CodeMode() uint32 {
	const fields = 1<<26 | 1<<25 | fpcrFZ | 1<<19 | 1<<13 | 7 // AHP, DN, FZ, FZ16; EBF, AH, FIZ, NEP
	mode := s.FPCR & fields
	if s.FPCR&(FPCRWritten|fpcrFZ) != fpcrFZ {
		mode |= s.FPCR & FPCRWatched
	}
	switch {
	case s.TagFaults != TagIgnore:
		mode |= ModeTags
	case s.TopBytes:
		mode |= ModeTopByte
	}
	if s.X[SP]%16 != 0 {
		mode |= ModeStack
	}
	if s.GCSMode&GCSEnable != 0 {
		mode |= ModeGCS
	}
	return mode
}

// FPCROf is the part of a CodeMode that is of FPCR.
func FPCROf(mode uint32) uint32 { return mode &^ ModesBesideFPCR }

// FPStatus returns FPSR in full: what the State holds and what generated code
// has accumulated in MXCSR and QC.
func (s *State) FPStatus() uint32 {
	f := s.FPSR
	for _, b := range [...][2]uint32{{mxInvalid, FPSRInvalid}, {mxDivZero, FPSRDivZero}, {mxOverflow, FPSROverflow}, {mxUnderflow, FPSRUnderflow}, {mxInexact, FPSRInexact}} {
		if s.MXCSR&b[0] != 0 {
			f |= b[1]
		}
	}
	if s.QC != 0 {
		f |= FPSRSaturated
	}
	return f
}

// SetFPStatus sets FPSR and clears what the host has accumulated.
func (s *State) SetFPStatus(f uint32) {
	s.FPSR = f & FPSRMask
	s.QC = 0
	s.MXCSR &^= mxFlags
}

// SetFPCR sets FPCR and the host rounding mode that generated code runs with,
// and flushing to zero; the host's other controls stay at their defaults, exceptions
// masked. Once FPSR was written, denormal operands are zeros to A64 only, and raise the host's
// Denormal; what MXCSR has accumulated goes to FPSR, so that it has neither that nor Underflow nor Division by Zero.
func (s *State) SetFPCR(fpcr uint32) {
	s.FPCR = s.FPCR&(FPCRWatched|FPCRWritten) | fpcr
	// FPCR.RMode: 0 nearest, 1 up, 2 down, 3 zero. MXCSR: 0 nearest, 1 down, 2 up, 3 zero.
	round := [...]uint32{0, 2, 1, 3}[fpcr>>22&3]
	s.MXCSR = s.MXCSR&mxFlags | mxMaskAll | round<<mxRoundPos
	if fpcr&fpcrFZ != 0 {
		s.MXCSR |= mxFTZ
		if s.FPCR&FPCRWritten == 0 {
			s.MXCSR |= mxDAZ
		} else {
			s.FPSR |= s.FPStatus() &^ FPSRSaturated
			s.MXCSR &^= mxFlags
		}
	}
}
