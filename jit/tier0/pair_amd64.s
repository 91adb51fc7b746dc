#include "textflag.h"

// A fault in here is raised as a panic in the caller, as in any leaf function.

// func loadPair(addr uint64) (lo, hi uint64)
TEXT ·loadPair(SB), NOSPLIT, $0-24
	MOVQ addr+0(FP), AX
	MOVOU (AX), X0
	MOVQ X0, lo+8(FP)
	PSRLDQ $8, X0
	MOVQ X0, hi+16(FP)
	RET

// func storePair(addr, lo, hi uint64)
TEXT ·storePair(SB), NOSPLIT, $0-24
	MOVQ addr+0(FP), AX
	MOVQ lo+8(FP), X0
	MOVHPS hi+16(FP), X0
	MOVOU X0, (AX)
	RET
