#include "go_asm.h"
#include "textflag.h"
#include "funcdata.h"

#define SYS_write  1
#define SYS_getpid 39
#define SYS_clone  56
#define SYS_kill   62

// func lend(l *Loan, flags, pidfd uintptr, child func())
//
// The parent's thread does nothing between clone and the end of the loan: the child runs on the same stack, which
// it may have outgrown, so that another one is the goroutine's.
TEXT ·lend(SB), 0, $16-32
	NO_LOCAL_POINTERS
	MOVQ l+0(FP), BX
	MOVQ (TLS), AX
	MOVQ const_gOffStackHi(AX), CX
	SUBQ SP, CX
	MOVQ CX, Loan_depth(BX)
	MOVL $0, Loan_left(BX)
	MOVQ flags+8(FP), DI
	XORL SI, SI
	MOVQ pidfd+16(FP), DX
	XORL R10, R10
	XORL R8, R8
	MOVL $SYS_clone, AX
	SYSCALL
	TESTQ AX, AX
	JEQ  child
	MOVQ AX, Loan_result(BX)
	JLT  failed
	CMPL Loan_left(BX), $0
	JEQ  killed
	JMP  left<>(SB)
killed:
	JMP  lost<>(SB)
failed:
	RET
child:
	MOVQ child+24(FP), DX
	MOVQ (DX), AX
	XORPS X15, X15
	MOVQ (TLS), R14
	CALL AX
	INT  $3

// lost is where the parent's thread goes on if the child did not leave: BX = *Loan.
TEXT lost<>(SB), NOSPLIT|NOFRAME, $0
	MOVQ Loan_word(BX), CX
	CMPL (CX), $1
	JEQ  outside
	MOVL $2, DI
	LEAQ lostText<>(SB), SI
	MOVL $64, DX
	MOVL $SYS_write, AX
	SYSCALL
	MOVL $SYS_getpid, AX
	SYSCALL
	MOVL AX, DI
	MOVL $9, SI // SIGKILL
	MOVL $SYS_kill, AX
	SYSCALL
	INT  $3
outside:
	// The return address of the call that the child was in is still there: it has called regain instead.
	MOVQ (TLS), R14
	XORPS X15, X15
	MOVQ const_gOffSyscallSP(R14), SP
	MOVQ const_gOffSyscallBP(R14), AX
	XCHGQ BP, AX
	SUBQ $8, SP
	JMP  regain<>(SB)

// regain calls regained with BX = *Loan, which does not come back.
TEXT regain<>(SB), NOSPLIT, $8-0
	NO_LOCAL_POINTERS
	MOVQ BX, 0(SP)
	CALL ·regained(SB)
	INT  $3

DATA lostText<>+0(SB)/8, $"emu: a p"
DATA lostText<>+8(SB)/8, $"rocess t"
DATA lostText<>+16(SB)/8, $"hat was "
DATA lostText<>+24(SB)/8, $"made by "
DATA lostText<>+32(SB)/8, $"vfork wa"
DATA lostText<>+40(SB)/8, $"s killed"
DATA lostText<>+48(SB)/8, $" and so "
DATA lostText<>+56(SB)/8, $"is this\n"
GLOBL lostText<>(SB), RODATA|NOPTR, $64

// left goes on in depart, as the parent's thread: BX = *Loan.
TEXT left<>(SB), NOSPLIT|NOFRAME, $0
	MOVQ Loan_sp(BX), SP
	MOVQ Loan_bp(BX), AX
	XCHGQ BP, AX
	MOVB $1, 72(SP) // what depart returns
	RET

// func depart(l *Loan, nr, a0, a1, a2, a3, a4 uintptr) (r uintptr, left bool)
TEXT ·depart(SB), NOSPLIT|NOFRAME, $0-65
	MOVQ l+0(FP), BX
	MOVQ nr+8(FP), AX
	MOVQ a0+16(FP), DI
	MOVQ a1+24(FP), SI
	MOVQ a2+32(FP), DX
	MOVQ a3+40(FP), R10
	MOVQ a4+48(FP), R8
	XORL R9, R9
	MOVQ SP, Loan_sp(BX)
	MOVQ BP, Loan_bp(BX)
	MOVL $1, Loan_left(BX)
	SYSCALL
	MOVL $0, Loan_left(BX)
	MOVQ AX, r+56(FP)
	MOVB $0, left+64(FP)
	RET

// func repay(l *Loan)
//
// Deferred calls of what is given up are forgotten, as the runtime does when it recovers from a panic.
TEXT ·repay(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ l+0(FP), BX
	MOVQ (TLS), R14
	MOVQ const_gOffStackHi(R14), AX
	SUBQ Loan_depth(BX), AX
	MOVQ const_gOffDefer(R14), CX
next:
	TESTQ CX, CX
	JEQ  done
	CMPQ const_deferOffSP(CX), AX
	JCC  done
	MOVQ const_deferOffLink(CX), CX
	JMP  next
done:
	MOVQ CX, const_gOffDefer(R14)
	MOVQ AX, SP
	MOVQ (const_sizeofLentSave-8)(SP), BP
	ADDQ $const_sizeofLentSave, SP
	RET
