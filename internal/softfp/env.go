// Package softfp is A64 floating-point arithmetic in integer Go, bit for bit:
// results, NaN choice, flushing of denormals and the cumulative status flags
// as the Arm ARM's shared pseudocode defines them (section J1.3, functions/float).
//
// It is the judge of everything that computes with the host's units, and the
// path taken where those cannot give the A64 answer. A value is its raw bits in
// the low end of a uint64 together with a format; the bits above the format's
// width are ignored in operands and zero in results. Nothing here allocates.
//
// FEAT_AFP (FPCR.AH, FIZ, NEP) and FEAT_EBF16 (FPCR.EBF) are followed when
// their bits are set. NEP concerns only which elements of a register are
// written, so it has no effect here. With FPCR.AH estimates of single precision
// have 12 bits (FEAT_RPRES). Trapped exceptions do not exist: the enable bits of FPCR
// are RES0 for emu's guest.
package softfp

// Env is what an operation depends on besides its operands, and what it
// changes: the control register and the cumulative status flags. Operations
// only ever set bits of FPSR.
type Env struct{ FPCR, FPSR uint32 }

// raise sets cumulative exception flags (FPProcessException without traps).
func (e *Env) raise(flags uint32) { e.FPSR |= flags }

// alt reports FPCR.AH, the alternate floating-point behaviour of FEAT_AFP.
func (e *Env) alt() bool { return e.FPCR&AH != 0 }

// Rounding is the rounding mode that FPCR.RMode selects (FPRoundingMode).
func (e *Env) Rounding() Rounding { return Rounding(e.FPCR >> RModeShift & 3) }

// estimateEnv is the environment of the instructions that FPCR.AH turns into
// flushing, round-to-nearest operations without exceptions: the estimates, the
// Newton steps and the BFloat16 conversions and long multiplies.
func (e *Env) estimateEnv() Env {
	if !e.alt() {
		return Env{FPCR: e.FPCR}
	}
	return Env{FPCR: e.FPCR&^RModeMask | FIZ | FZ}
}

// adopt takes over the flags of an environment made by estimateEnv.
func (e *Env) adopt(t *Env) {
	if !e.alt() {
		e.FPSR |= t.FPSR
	}
}
