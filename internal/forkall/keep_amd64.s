#include "go_asm.h"
#include "textflag.h"

#define SYS_exit  60
#define SYS_clone 56
#define SYS_futex 202

// func startWarden() (r uintptr)
//
// The warden has no stack: all signals are blocked in it and it calls nothing.
TEXT ·startWarden(SB), NOSPLIT, $0-8
	MOVQ $const_wardenFlags, DI
	LEAQ ·watch(SB), SI            // any address but 0 will do
	LEAQ ·warden(SB), DX
	MOVQ DX, R10
	XORL R8, R8
	MOVL $SYS_clone, AX
	SYSCALL
	TESTQ AX, AX
	JEQ  warden
	MOVQ AX, r+0(FP)
	RET
warden:
	JMP  watching<>(SB)

TEXT watching<>(SB), NOSPLIT|NOFRAME, $0
idle:
	LEAQ ·keepDelays(SB), R14
	MOVL ·watch(SB), AX
	CMPL AX, $const_wardenEnds
	JEQ  exit
	CMPL AX, $const_wardenWatches
	JEQ  timed
	LEAQ ·watch(SB), DI
	MOVL $const_futexWait, SI
	MOVL $const_wardenIdles, DX
	XORL R10, R10
	MOVL $SYS_futex, AX
	SYSCALL
	JMP  idle
timed:
	MOVL ·forks(SB), R13
	LEAQ ·watch(SB), DI
	MOVL $const_futexWait, SI
	MOVL $const_wardenWatches, DX
	MOVQ R14, R10
	MOVL $SYS_futex, AX
	SYSCALL
	CMPL ·watch(SB), $const_wardenEnds
	JEQ  exit
	CMPL R13, ·forks(SB)
	JNE  forked
	MOVL $const_threadsKept, AX
	MOVL $const_notKept, CX
	LOCK
	CMPXCHGL CX, ·kept(SB)
	JEQ  free
	CMPL AX, $const_keepBusy
	JEQ  timed
	JMP  rest
forked:
	LEAQ ·keepDelays+const_lastDelay(SB), AX
	CMPQ R14, AX
	JEQ  timed
	ADDQ $const_timespecSize, R14
	JMP  timed
free:
	LOCK
	INCL ·gen(SB)
	LEAQ ·gen(SB), DI
	MOVL $const_futexWake, SI
	MOVL $0x7fffffff, DX
	MOVL $SYS_futex, AX
	SYSCALL
rest:
	// The thread that forks sets kept, then watch; here it is the other way round.
	MOVL $const_wardenWatches, AX
	MOVL $const_wardenIdles, CX
	LOCK
	CMPXCHGL CX, ·watch(SB)
	JNE  idle
	CMPL ·kept(SB), $const_threadsKept
	JNE  idle
	MOVL $const_wardenWatches, AX
	XCHGL AX, ·watch(SB)
	CMPL AX, $const_wardenEnds
	JNE  timed
exit:
	XORL DI, DI
	MOVL $SYS_exit, AX
	SYSCALL
	INT  $3
