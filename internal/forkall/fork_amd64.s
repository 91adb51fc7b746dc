#include "go_asm.h"
#include "textflag.h"

#define SYS_arch_prctl 158
#define SYS_exit       60
#define SYS_clone      56
#define SYS_gettid     186
#define SYS_futex      202
#define SYS_prctl      157
#define ARCH_GET_FS    0x1003
#define PR_SET_TIMERSLACK 29

TEXT ·getg(SB), NOSPLIT, $0-8
	MOVQ (TLS), AX
	MOVQ AX, ret+0(FP)
	RET

// Park is where the process's handler for StopSignal goes, with the registers and
// the stack as the kernel left them (DI = signal, SI = *siginfo_t, DX =
// *ucontext), when the signal is the process's own. It stops the thread if a fork
// is going on, and returns from the signal.
TEXT ·Park(SB), NOSPLIT|NOFRAME, $0
	// readers first: while it is not 0, no other fork begins. gen before Active: the
	// forking thread clears Active, then changes gen.
	LOCK
	INCL ·readers(SB)
	MOVL ·gen(SB), R13
	CMPL ·Active(SB), $0
	JEQ  not
	MOVL $SYS_gettid, AX
	SYSCALL
	MOVQ ·skip(SB), R9
	MOVQ ·nskip(SB), CX
next:
	DECQ CX
	JLT  take
	CMPL AX, (R9)(CX*4)
	JEQ  not
	JMP  next
take:
	MOVL $1, R12
	LOCK
	XADDL R12, ·nslots(SB)
	CMPL R12, $const_maxThreads
	JCC  full                      // the forking thread sees the count and gives up
	IMULQ $const_slotSize, R12
	ADDQ ·slots(SB), R12
	MOVQ $0, const_offExit(R12)
	MOVQ SP, const_offSP(R12)
	MOVQ AX, const_offTID(R12)
	MOVQ DX, const_offUC(R12)
	MOVQ (TLS), CX
	MOVQ const_gOffM(CX), CX
	MOVQ CX, const_offM(R12)
	MOVL $ARCH_GET_FS, DI
	LEAQ const_offFS(R12), SI
	MOVL $SYS_arch_prctl, AX
	SYSCALL
	MOVQ $1, const_offFull(R12)
	MOVL $1, AX
	LOCK
	XADDL AX, ·parked(SB)
	INCL AX
	CMPL AX, ·want(SB)
	JNE  wait
	LEAQ ·parked(SB), DI
	MOVL $const_futexWake, SI
	MOVL $1, DX
	MOVL $SYS_futex, AX
	SYSCALL
wait:
	MOVL ·gen(SB), AX
	CMPL AX, R13
	JNE  released
	LEAQ ·gen(SB), DI
	MOVL $const_futexWait, SI
	MOVL R13, DX
	XORL R10, R10
	MOVL $SYS_futex, AX
	SYSCALL
	JMP  wait
released:
	XORL CX, CX
	TESTQ R12, R12
	JEQ  back
	MOVQ const_offExit(R12), CX
back:
	LOCK
	DECL ·readers(SB)
	TESTQ CX, CX
	JNE  exit
	RET
not:
	LOCK
	DECL ·readers(SB)
	RET
full:
	XORL R12, R12
	JMP  wait
exit:
	XORL DI, DI
	MOVL $SYS_exit, AX
	SYSCALL
	INT  $3

// func spawn(s, flags, slack uintptr) (r uintptr)
//
// The new thread starts on the stopped one's signal stack with its TLS and goes
// on as if Park had come back. It has a timer slack, its maker's if that is 0.
TEXT ·spawn(SB), NOSPLIT, $0-32
	MOVQ s+0(FP), R12
	MOVQ flags+8(FP), DI
	MOVQ slack+16(FP), R13
	MOVQ const_offSP(R12), SI
	XORL DX, DX
	XORL R10, R10
	MOVQ const_offFS(R12), R8
	MOVL $SYS_clone, AX
	SYSCALL
	TESTQ AX, AX
	JEQ  thread
	MOVQ AX, r+24(FP)
	RET
thread:
	JMP  resume<>(SB)

// resume is the start of a thread that takes over the slot R12, with a timer slack of R13.
TEXT resume<>(SB), NOSPLIT|NOFRAME, $0
	MOVL $SYS_gettid, AX
	SYSCALL
	MOVQ const_offM(R12), CX
	ADDQ ·procid(SB), CX
	MOVQ AX, (CX)                  // m.procid, for preemption
	TESTQ R13, R13
	JEQ  punctual
	MOVL $PR_SET_TIMERSLACK, DI
	MOVQ R13, SI
	MOVL $SYS_prctl, AX
	SYSCALL
punctual:
	LOCK
	DECL ·readers(SB)
	RET

// func makeProbes(n uintptr) (made uintptr)
//
// Makes threads that wait, all at the same time, and then end. All signals are
// blocked, and they have no stack.
TEXT ·makeProbes(SB), NOSPLIT, $0-16
	MOVQ n+0(FP), R12
	XORL R13, R13
	MOVL $0, ·probesGo(SB)
probe:
	CMPQ R13, R12
	JEQ  enough
	MOVQ $(const_probeFlags|const_cloneParentSettid), DI
	LEAQ ·probesGo(SB), SI         // any address but 0 will do
	LEAQ ·probeTID(SB), DX
	XORL R10, R10
	XORL R8, R8
	MOVL $SYS_clone, AX
	SYSCALL
	TESTQ AX, AX
	JEQ  probing
	JLT  enough
	INCQ R13
	JMP  probe
enough:
	MOVL $1, ·probesGo(SB)
	LEAQ ·probesGo(SB), DI
	MOVL $const_futexWake, SI
	MOVL $0x7fffffff, DX
	MOVL $SYS_futex, AX
	SYSCALL
	MOVQ R13, made+8(FP)
	RET
probing:
	JMP  probing<>(SB)

TEXT probing<>(SB), NOSPLIT|NOFRAME, $0
wait:
	CMPL ·probesGo(SB), $0
	JNE  exit
	LEAQ ·probesGo(SB), DI
	MOVL $const_futexWait, SI
	XORL DX, DX
	XORL R10, R10
	MOVL $SYS_futex, AX
	SYSCALL
	JMP  wait
exit:
	XORL DI, DI
	MOVL $SYS_exit, AX
	SYSCALL
	INT  $3

// Due is where the process's handler calls when what is owed is due.
TEXT ·Due(SB), NOSPLIT, $8-0
	MOVQ AX, 0(SP)
	CALL ·payDue(SB)
	RET

TEXT ·runtimeFutex(SB), NOSPLIT, $0-8
	LEAQ runtime·futex(SB), AX
	MOVQ AX, ret+0(FP)
	RET
