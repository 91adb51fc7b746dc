#include "go_asm.h"
#include "textflag.h"

// SET_NOFILE makes soft and BX the limits on descriptors; AX is what the kernel answers.
#define SET_NOFILE(soft) \
	MOVQ soft, 0(SP) \
	MOVQ BX, 8(SP) \
	XORL DI, DI \
	MOVL $7, SI \
	MOVQ SP, DX \
	XORL R10, R10 \
	MOVL $302, AX \
	SYSCALL

// fillDescriptors takes the descriptors below ownFirst that are free, for giveBack to close, and makes ownFirst the soft limit
// on descriptors, having noted what it is.
TEXT ·fillDescriptors(SB), NOSPLIT|NOFRAME, $0
	SUBQ $16, SP
	XORL DI, DI                   // this process
	MOVL $7, SI                   // RLIMIT_NOFILE, which package syscall raises
	XORL DX, DX
	LEAQ ·inherited+24(SB), R10
	MOVL $302, AX                 // prlimit64
	SYSCALL
	MOVQ $1, ·inherited+16(SB)

	MOVL $const_ownMost, CX
	MOVQ ·inherited+32(SB), BX    // the hard limit
	CMPQ BX, $(const_ownMost+64)
	JCC  hard
	MOVL $(const_ownMost+64), BX  // higher takes privileges
hard:
	SET_NOFILE(CX)                // what is open stays open when the limit is the guest's again
	TESTQ AX, AX
	JEQ  free
	MOVQ ·inherited+32(SB), BX    // then the last ones below it
	CMPQ BX, $(2*const_ownRoom)
	JCS  done                     // too few descriptors to play with
	LEAQ -const_ownRoom(BX), CX
	CMPQ CX, $const_ownMost
	JCC  limit
	MOVQ CX, ·ownFirst(SB)
limit:
	MOVQ ·ownFirst(SB), CX
	SET_NOFILE(CX)
	TESTQ AX, AX
	JNE  done
free:
	XORL DI, DI
	MOVL $0x80000, SI             // EFD_CLOEXEC
	MOVL $290, AX                 // eventfd2
	SYSCALL
	TESTQ AX, AX
	JLT  done
	MOVQ AX, R14
fill:
	LEAQ ·filled(SB), CX
	LOCK
	BTSQ AX, (CX)
	MOVQ R14, DI
	MOVL $32, AX                  // dup
	SYSCALL
	TESTQ AX, AX
	JGE  fill                     // the last would be above the limit
done:
	ADDQ $16, SP
	RET
