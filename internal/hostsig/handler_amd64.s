#include "go_asm.h"
#include "textflag.h"

// Offsets in the kernel's struct ucontext and siginfo_t (x86-64).
#define UC_RCX      152
#define UC_RIP      168
#define UC_CR2      216
#define UC_SIGMASK  296
#define SI_SIGNO    0
#define SI_CODE     8
#define SI_PID      16
#define SI_ADDR     16
#define SI_VALUE    24

#define SYS_rt_sigreturn      15
#define SYS_rt_sigqueueinfo   129
#define SYS_gettid            186
#define SYS_rt_tgsigqueueinfo 297

// FILL_SLOT puts signal R12, whose bit is CX and BX, with the siginfo at R13 into its slot of
// the Thread at R15. The slot can be taken already only for soft signals, which coalesce as
// standard signals do.
#define FILL_SLOT \
	LOCK; \
	BTSQ CX, Thread_claimed(R15); \
	JCS  done; \
	LEAQ Thread_info(R15), DI; \
	MOVQ R12, AX; \
	SHLQ $7, AX; \
	ADDQ AX, DI; \
	MOVQ R13, SI; \
	MOVL $(const_infoSize/8), CX; \
	CLD; \
	REP; MOVSQ; \
	LOCK; \
	ORQ  BX, Thread_ready(R15)

// INTERRUPT is Thread.Interrupt of the Thread at R15.
#define INTERRUPT \
	MOVL $1, Thread_interrupt(R15); \
	MOVQ Thread_pending(R15), AX; \
	MOVL $1, (AX); \
	MOVQ Thread_jumps(R15), AX; \
	LOCK; \
	ORQ  $const_JumpMiss, (AX)

// handler runs on Go's signal stack with all signals blocked:
// DI = signal, SI = *siginfo_t, DX = *ucontext. It may use every register, since
// rt_sigreturn restores them all.
TEXT handler<>(SB), NOSPLIT|NOFRAME, $0
	MOVL DI, DI
	MOVL SI_CODE(SI), AX
	MOVQ DI, CX
	DECQ CX                       // bit number of the signal
	MOVQ $const_faultMask, BX
	BTQ  CX, BX
	JCC  notfault
	TESTL AX, AX
	JLE  notfault
	CMPL AX, $const_mostSentCode
	JGT  old                      // raised by the CPU
	// Of a CPU's, the address is the pc, or what page faults leave in CR2 if the host tells.
	MOVQ SI_ADDR(SI), BX
	CMPQ BX, UC_RIP(DX)
	JEQ  old
	CMPQ BX, UC_CR2(DX)
	JEQ  paging
	CMPL DI, $const_sigFPE
	JEQ  notfault
	CMPL DI, $const_sigILL
	JEQ  notfault
	CMPL ·sentFaults(SB), $0
	JEQ  old
notfault:
	CMPL DI, $const_stopSignal
	JNE  ours
	TESTL AX, AX
	JEQ  bare
	CMPL AX, $-6                  // SI_TKILL from ourselves
	JNE  ours
	MOVL SI_PID(SI), R8
	MOVL $1, R9
	CMPL R8, ·hostPid(SB)
	JEQ  own
	TESTL R8, R8                  // from outside of this process id namespace
	JEQ  ours
	CMPL R8, emu∕internal∕forkall·Stopper(SB)
	JNE  ours
	JMP  own

bare:
	// At the limit of pending signals (RLIMIT_SIGPENDING) the kernel says SI_USER and
	// nobody's id.
	CMPL SI_PID(SI), $0
	JNE  ours
	MOVL emu∕internal∕forkall·Active(SB), R9
own:
	// Or it is a kick, which came this way since it could not be queued. R9 is 0 if it may
	// be neither.
	MOVQ DI, R12
	MOVQ SI, R13
	MOVQ DX, R14
	CALL lookup<>(SB)
	TESTQ R15, R15
	JZ   notkicked
	XORL BX, BX
	XCHGL BX, Thread_kicked(R15)
	TESTL BX, BX
	JNZ  raise
notkicked:
	MOVQ R12, DI
	MOVQ R13, SI
	MOVQ R14, DX
	TESTL R9, R9
	JEQ  ours
	JMP emu∕internal∕forkall·Park(SB)

paging:
	TESTQ BX, BX
	JEQ  old
	CMPL ·sentFaults(SB), $0      // a forked child that stores gets a page of its own
	JNE  old
	MOVL $1, ·sentFaults(SB)      // the host tells
old:
	LEAQ ·oldHandler(SB), R8
	MOVQ (R8)(DI*8), R8
	JMP  R8

ours:
	MOVQ DI, R12
	MOVQ SI, R13
	MOVQ DX, R14
	CALL lookup<>(SB)
	CMPL R12, $const_kick
	JNE  notkick
	CMPL SI_CODE(R13), $-2        // SI_TIMER
	JEQ  due
	CMPL SI_CODE(R13), $-1        // SI_QUEUE
	JNE  notkick
	MOVL SI_PID(R13), AX
	TESTL AX, AX
	JZ   magic                    // from a tracer outside of this process id namespace
	CMPL AX, ·hostPid(SB)
	JNE  notkick
magic:
	MOVQ $const_kickMagic, AX
	CMPQ AX, SI_VALUE(R13)
	JNE  notkick
	TESTQ R15, R15
	JNZ  raise                    // a tracer in another process cannot set the flags
	MOVQ $const_hardMask, AX      // a thread of the runtime: keep out of the guest's way
	ORQ  AX, UC_SIGMASK(R14)
	RET

due:
	MOVQ $const_kickMagic, AX
	CMPQ AX, SI_VALUE(R13)
	JNE  notkick
	PUSHQ R14
	PUSHQ R15
	MOVQ UC_RIP(R14), AX
	CALL emu∕internal∕forkall·Due(SB)
	POPQ R15
	POPQ R14
	TESTQ R15, R15
	JNZ  raise
	RET

notkick:
	TESTQ R15, R15
	JZ   foreign

	MOVQ R12, CX
	DECQ CX
	MOVL $1, BX
	SHLQ CX, BX
	MOVQ $const_hardMask, AX
	TESTQ BX, AX
	JNZ  fill
	MOVL Thread_blocked(R15), DI  // the guest may block it, the host does not
	MOVL DI, Thread_softCame(R15)
fill:
	FILL_SLOT

	MOVQ $const_hardMask, AX
	TESTQ BX, AX
	JNZ  hard
	TESTQ BX, Thread_mask(R15)
	JZ   raise
	TESTQ BX, Thread_waiting(R15)
	JZ   done                     // soft and blocked by the guest: stays pending
	JMP  raise
hard:
	// Nothing else may come until this one has its frame: the kernel keeps the rest.
	ORQ  AX, UC_SIGMASK(R14)
	MOVL $1, Thread_allBlocked(R15)
raise:
	INTERRUPT

window:
	// At SYSCALL the kernel wants to restart the call if SYSCALL has left the address behind
	// it in RCX, which is a value of Thread.blocked before; up to there the call has not
	// been made. Leave, and say which.
	MOVL Thread_blocked(R15), AX
	TESTL AX, AX
	JZ   done
	LEAQ enter<>(SB), R8
	LEAQ before<>(SB), R9
	LEAQ again<>(SB), R10
	CMPL AX, $const_BlockedDirect
	JNE  which
	MOVQ ·direct+0(SB), R8
	MOVQ ·direct+8(SB), R9
	MOVQ ·direct+16(SB), R10
which:
	MOVQ UC_RIP(R14), CX
	CMPQ CX, R10                  // led there by another signal
	JEQ  done
	SUBQ R8, CX
	CMPQ CX, $2                   // after SYSCALL: the call has its result
	JEQ  done
	MOVQ R9, AX
	TESTQ CX, CX
	JNZ  leave
	ADDQ $2, R8
	CMPQ R8, UC_RCX(R14)
	JNE  leave
	MOVQ R10, AX
leave:
	MOVQ AX, UC_RIP(R14)
done:
	RET

foreign:
	// A thread of Go's runtime got what was meant for the guest: it blocks the signal
	// from now on and passes this one on to the process, or a soft one to the main thread.
	MOVQ R12, CX
	DECQ CX
	MOVL $1, BX
	SHLQ CX, BX
	MOVQ $const_hardMask, AX
	TESTQ BX, AX
	JZ   tomain
	ORQ  BX, UC_SIGMASK(R14)
	MOVL ·hostPid(SB), DI
	MOVQ R12, SI
	MOVQ R13, DX
	MOVL $SYS_rt_sigqueueinfo, AX
	SYSCALL
	RET
tomain:
	// Not when the main thread is gone, or this would not end.
	MOVL ·hostPid(SB), DI
	MOVQ ·threads(SB), R15
	MOVQ (const_mainSlot*8)(R15), R15
	TESTQ R15, R15
	JZ   unknown
	CMPL SI_CODE(R13), $0
	JGE  kernels
queue:
	MOVL DI, SI
	MOVQ R12, DX
	MOVQ R13, R10
	MOVL $SYS_rt_tgsigqueueinfo, AX
	SYSCALL
	RET
kernels:
	// The kernel queues no siginfo like its own for us: fill the main thread's slot, and kick
	// that with what was the siginfo here.
	FILL_SLOT
	INTERRUPT
	MOVL ·hostPid(SB), DI
	MOVL $const_kick, R12
	MOVL R12, SI_SIGNO(R13)
	MOVL $-1, SI_CODE(R13)        // SI_QUEUE
	MOVL DI, SI_PID(R13)
	MOVQ $const_kickMagic, AX
	MOVQ AX, SI_VALUE(R13)
	JMP  queue

unknown:
	// What comes for a process before its first thread is known pends until then.
	MOVL $SYS_gettid, AX
	SYSCALL
	CMPL AX, DI
	JNE  done
	ORQ  BX, UC_SIGMASK(R14)
	JMP  queue

// lookup finds the Thread of the calling thread, 0 if it is not the guest's: in R15. It changes what
// SYSCALL does.
TEXT lookup<>(SB), NOSPLIT|NOFRAME, $0
	MOVL $SYS_gettid, AX
	SYSCALL
	CMPL AX, ·hostPid(SB)
	JNE  slot
	MOVL $const_mainSlot, AX
slot:
	MOVQ ·threads(SB), R15
	MOVQ (R15)(AX*8), R15
	RET

TEXT ·handlerAddr(SB), NOSPLIT, $0-8
	LEAQ handler<>(SB), AX
	MOVQ AX, ret+0(FP)
	RET

TEXT restorer<>(SB), NOSPLIT|NOFRAME, $0
	MOVQ $SYS_rt_sigreturn, AX
	SYSCALL
	INT  $3

TEXT ·restorerAddr(SB), NOSPLIT, $0-8
	LEAQ restorer<>(SB), AX
	MOVQ AX, ret+0(FP)
	RET

// func stub(th *Thread, nr, a0, a1, a2, a3, a4, a5 uintptr) (r uintptr)
//
// From the store to Thread.blocked until SYSCALL has completed, the handler
// redirects to before or again. Senders in other threads set interrupt, then read blocked;
// here it is the other way round, both with full barriers.
TEXT ·stub(SB), NOSPLIT|NOFRAME, $0-72
	MOVQ th+0(FP), R15
	MOVQ nr+8(FP), AX
	MOVQ a0+16(FP), DI
	MOVQ a1+24(FP), SI
	MOVQ a2+32(FP), DX
	MOVQ a3+40(FP), R10
	MOVQ a4+48(FP), R8
	MOVQ a5+56(FP), R9
	MOVL $const_BlockedCall, CX
	XCHGL CX, Thread_blocked(R15)
	CMPL Thread_interrupt(R15), $0
	JNE  intr
	JMP  enter<>(SB)
intr:
	JMP  before<>(SB)

// SYSCALL must be the first instruction: the handler compares with its address.
// R15 is the Thread; the frame is stub's (the result lies after 8 bytes of return
// address and 64 of arguments).
TEXT enter<>(SB), NOSPLIT|NOFRAME, $0
	SYSCALL
	MOVL $0, Thread_blocked(R15)
	MOVQ AX, 72(SP)
	RET

TEXT before<>(SB), NOSPLIT|NOFRAME, $0
	MOVL $0, Thread_blocked(R15)
	MOVQ $const_notMade, AX
	MOVQ AX, 72(SP)
	RET

TEXT again<>(SB), NOSPLIT|NOFRAME, $0
	MOVL $0, Thread_blocked(R15)
	MOVQ $const_restartable, AX
	MOVQ AX, 72(SP)
	RET
