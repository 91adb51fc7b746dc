package ir

import "emu/internal/softfp"

// Val is a run-time value: scalars zero-extended in Lo, Flags as NZCV in bits
// 3:0 of Lo (N is bit 3).
type Val struct{ Lo, Hi uint64 }

// Env is what evaluation depends on and changes besides its operands: FPCR, and
// the cumulative flags of FPSR (QC included).
type Env = softfp.Env

// EvalFunc computes one instruction. t is the result type, at the type of the
// first operand; absent operands are zero.
type EvalFunc func(e *Env, t, at Type, a, b, c Val) Val
