#include "go_asm.h"
#include "textflag.h"

// Start is the entry point of the shipped binary (linker flag
// -E emu/internal/hostsig.Start). Go's runtime overwrites inherited signal
// dispositions before any Go code runs, so this records them first. It also
// blocks the signals that are the guest's: the runtime gives every thread that
// it creates the mask it started with. And it fills the low file descriptors, so
// that those the runtime opens for itself are out of the guest's way (see
// OwnDescriptors); none above are to be had until package syscall raises the soft limit, so
// that the runtime does not look for its control group, whose limits it has been told to
// ignore, in /proc and /sys. Before all that it has memory made present (see ownMemory). Then it goes on to Go's entry point
// with a copy of the stack that the kernel made, but another environment: the process's is the guest's, and its
// GODEBUG, GOGC and the like are none of this runtime's business (see Environ). What
// the runtime gets instead keeps it from preempting goroutines by SIGURG, which is the
// guest's, and from more than one processor (see UseProcessors). And the threads that it makes now
// wake late (forkall.IdleTimerSlack).
TEXT ·Start(SB), NOSPLIT|NOFRAME, $0
	MOVQ SP, R12
	CALL ·ownMemory(SB)
	SUBQ $128, SP
	ANDQ $~15, SP
	XORL R13, R13                 // ignored
	MOVL $1, R14                  // signal
next:
	MOVQ R14, DI
	XORL SI, SI
	MOVQ SP, DX
	MOVL $8, R10
	MOVL $13, AX                  // rt_sigaction
	SYSCALL
	TESTQ AX, AX
	JNE  skip
	CMPQ 0(SP), $1                // SIG_IGN
	JNE  skip
	LEAQ -1(R14), CX
	BTSQ CX, R13
skip:
	INCL R14
	CMPL R14, $64
	JLE  next
	MOVQ R13, ·inherited+0(SB)
	MOVQ ·startMask(SB), AX
	MOVQ AX, 0(SP)
	MOVL $2, DI                   // SIG_SETMASK: soft signals must not stay blocked
	MOVQ SP, SI
	LEAQ ·inherited+8(SB), DX
	MOVL $8, R10
	MOVL $14, AX                  // rt_sigprocmask
	SYSCALL
	CALL ·fillDescriptors(SB)
	LEAQ ·mmapPlaced(SB), AX
	MOVQ AX, _cgo_mmap(SB)
	MOVQ R12, ·startStack(SB)
	XORPS X15, X15                // as Go's calling convention has it
	MOVQ ·beforeRuntime(SB), DX   // of Go's functions assembly can call only those with a g
	MOVQ (DX), AX
	CALL AX
	TESTB AL, AL
	JEQ  room
	SUBQ $16, SP
	MOVQ $-1, 0(SP)               // probes have no stack for a handler, however late they end
	MOVL $2, DI                   // SIG_SETMASK
	MOVQ SP, SI
	XORL DX, DX
	MOVL $8, R10
	MOVL $14, AX                  // rt_sigprocmask
	SYSCALL
	MOVQ $const_startThreads, 0(SP)
	CALL emu∕internal∕forkall·makeProbes(SB)
	MOVQ 8(SP), R14
	MOVQ ·startMask(SB), AX
	MOVQ AX, 0(SP)
	MOVL $2, DI
	MOVQ SP, SI
	XORL DX, DX
	MOVL $8, R10
	MOVL $14, AX
	SYSCALL
	ADDQ $16, SP
	CMPQ R14, $const_startThreads
	JEQ  room
	MOVL $2, DI                   // say so instead of what the runtime would
	LEAQ noRoom<>(SB), SI
	MOVL $95, DX
	MOVL $1, AX                   // write
	SYSCALL
	MOVL $const_statusNoRoom, DI
	MOVL $231, AX                 // exit_group
	SYSCALL
room:
	MOVL $30, DI                  // PR_GET_TIMERSLACK
	MOVL $157, AX                 // prctl
	SYSCALL
	CMPQ AX, $1
	JLT  punctual                 // a real-time thread
	CMPQ AX, $const_idleTimerSlack
	JCC  punctual
	MOVQ AX, emu∕internal∕forkall·OwnSlack(SB)
	MOVL $const_idleTimerSlack, SI
	MOVL $29, DI                  // PR_SET_TIMERSLACK
	MOVL $157, AX
	SYSCALL
punctual:
	MOVQ ·startStack(SB), R12
	MOVQ 0(R12), R8               // argc
	LEAQ 16(R12)(R8*8), R9        // environment
env:
	ADDQ $8, R9
	CMPQ -8(R9), $0
	JNE  env
	MOVQ R9, R10                  // auxiliary vector
auxv:
	ADDQ $16, R10
	CMPQ -16(R10), $0             // AT_NULL
	JNE  auxv
	SUBQ R9, R10
	LEAQ 40(R10)(R8*8), AX
	MOVQ R12, SP
	CMPQ AX, $const_mostArguments
	JHI  copy
	LEAQ ·firstStack+const_firstStackSize(SB), SP
	MOVB $1, ·moved(SB)
copy:
	SUBQ AX, SP
	ANDQ $~15, SP
	CLD
	MOVQ SP, DI
	MOVQ R12, SI
	LEAQ 2(R8), CX                // argc, arguments, null
	REP; MOVSQ
	LEAQ godebug<>(SB), AX
	MOVQ AX, (DI)
	LEAQ gomaxprocs<>(SB), AX
	MOVQ AX, 8(DI)
	MOVQ $0, 16(DI)
	ADDQ $24, DI
	MOVQ R9, SI
	MOVQ R10, CX
	SHRQ $3, CX
	REP; MOVSQ
	XORL DX, DX                   // no atexit function, as the kernel leaves it
	JMP  _rt0_amd64_linux(SB)

DATA noRoom<>+0(SB)/8, $"emu: the"
DATA noRoom<>+8(SB)/8, $" limit o"
DATA noRoom<>+16(SB)/8, $"n proces"
DATA noRoom<>+24(SB)/8, $"ses (uli"
DATA noRoom<>+32(SB)/8, $"mit -u) "
DATA noRoom<>+40(SB)/8, $"leaves n"
DATA noRoom<>+48(SB)/8, $"o room f"
DATA noRoom<>+56(SB)/8, $"or the f"
DATA noRoom<>+64(SB)/8, $"ive thre"
DATA noRoom<>+72(SB)/8, $"ads that"
DATA noRoom<>+80(SB)/8, $" emu nee"
DATA noRoom<>+88(SB)/8, $"ds too\n\x00"
GLOBL noRoom<>(SB), RODATA|NOPTR, $96

DATA godebug<>+0(SB)/8, $"GODEBUG="
DATA godebug<>+8(SB)/8, $"asyncpre"
DATA godebug<>+16(SB)/8, $"emptoff="
DATA godebug<>+24(SB)/8, $"1,mempro"
DATA godebug<>+32(SB)/8, $"filerate"
DATA godebug<>+40(SB)/8, $"=0\x00\x00\x00\x00\x00\x00"
GLOBL godebug<>(SB), RODATA|NOPTR, $48

DATA gomaxprocs<>+0(SB)/8, $"GOMAXPRO"
DATA gomaxprocs<>+8(SB)/8, $"CS=1\x00\x00\x00\x00"
GLOBL gomaxprocs<>(SB), RODATA|NOPTR, $16

// func growStack()
TEXT ·growStack(SB), 0, $20000-0
	RET

DATA ·startMask+0(SB)/8, $const_hardMask
GLOBL ·startMask(SB), RODATA|NOPTR, $8
