// Package softfp is A64 floating-point arithmetic in integer Go, bit for bit.
package softfp

// Env is what an operation depends on besides its operands, and what it changes:
// the control register and the cumulative status flags.
type Env struct{ FPCR, FPSR uint32 }
