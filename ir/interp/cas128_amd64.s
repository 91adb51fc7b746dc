#include "textflag.h"

// func cas128(p *[2]uint64, old, new [2]uint64) bool
//
// A fault in here is raised as a panic in the caller, as in any leaf function.
TEXT ·cas128(SB), NOSPLIT, $0-41
	MOVQ p+0(FP), SI
	MOVQ old_0+8(FP), AX
	MOVQ old_1+16(FP), DX
	MOVQ new_0+24(FP), BX
	MOVQ new_1+32(FP), CX
	LOCK
	CMPXCHG16B (SI)
	SETEQ ret+40(FP)
	RET

// func load128(p *[2]uint64) [2]uint64
//
// Aligned 16-byte vector loads are atomic on every processor with AVX (Intel SDM
// volume 3, 10.1.1; AMD APM volume 2, 7.3.2). A compare-and-swap would need the
// page to be writable.
TEXT ·load128(SB), NOSPLIT, $0-24
	MOVQ p+0(FP), SI
	MOVO (SI), X0
	MOVQ X0, ret_0+8(FP)
	PSRLDQ $8, X0
	MOVQ X0, ret_1+16(FP)
	RET
