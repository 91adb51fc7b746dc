#include "textflag.h"
#include "go_asm.h"

// Direct system calls: generated code's SVC comes here by way of host.StubSyscall.
// The return address into the unit is on the native stack, all guest state is in
// the State at BP (the stub has stored the pins), and every other register is free.
//
// What a call is made of is its cpu.DirectCall, at BX:
//	0 host number (16)  2 flags (8)  3 zero mask (8)  4 limit (32)
//	8, 12 pointers: argument (8), length argument (8), size (16)

#define ARG(n) (const_offX+8*n)(BP)

#define LOAD_ARGS \
	MOVQ ARG(0), DI; \
	MOVQ ARG(1), SI; \
	MOVQ ARG(2), DX; \
	MOVQ ARG(3), R10; \
	MOVQ ARG(4), R8; \
	MOVQ ARG(5), R9

// WITHIN goes to ok if the R13 bytes at R12 lie in range n of State.Own.
#define WITHIN(n, ok, next) \
	MOVQ (const_offOwn+16*n+8)(BP), R14; \
	SUBQ R13, R14; \
	JCS  next; \
	MOVQ R12, AX; \
	SUBQ (const_offOwn+16*n)(BP), AX; \
	CMPQ AX, R14; \
	JLS  ok

// POINTER loads the pointer that the descriptor at offset at speaks of to R12 and
// its size to R13.
#define POINTER(at, null, fixed) \
	MOVBQSX (at)(BX), AX; \
	MOVQ const_offX(BP)(AX*8), R12; \
	TESTQ R12, R12; \
	JEQ  null; \
	MOVWLZX (at+2)(BX), R13; \
	MOVBQSX (at+1)(BX), AX; \
	TESTQ AX, AX; \
	JLT  fixed; \
	MOVQ const_offX(BP)(AX*8), R13; \
fixed:

TEXT syscall<>(SB), NOSPLIT|NOFRAME, $0
	MOVQ const_offDirect(BP), BX
	TESTQ BX, BX
	JEQ  slow
	MOVL ARG(8), AX
	CMPL AX, $const_numDirect
	JCC  slow
	SHLL $4, AX
	ADDQ AX, BX
	MOVWLZX 2(BX), CX              // flags and zero mask
	CMPL CX, $const_directCan
	JNE  special
plain:
	MOVWLZX 0(BX), AX
	LOAD_ARGS
	SYSCALL
	JMP  made<>(SB)

special:
	TESTL $const_directCan, CX
	JEQ  slow
	TESTL $const_directPath, CX
	JNE  path
	TESTL $const_directLimit, CX
	JEQ  nolimit
	MOVL ARG(0), AX
	CMPL AX, 4(BX)
	JHI  slow
nolimit:
	MOVL CX, DX
	SHRL $8, DX
	JEQ  nozero
zero:
	BSFL DX, AX
	CMPQ const_offX(BP)(AX*8), $0
	JNE  slow
	LEAL -1(DX), AX
	ANDL AX, DX
	JNE  zero
nozero:
	TESTL $const_directPtrs, CX
	JEQ  noptrs
	MOVQ const_offShrunk(BP), AX
	MOVQ (AX), AX
	CMPQ AX, const_offOwnSeen(BP)
	JNE  slow                      // what was the guest's need not be any more
	POINTER(8, second, fixed1)
	WITHIN(0, second, try11)
try11:
	WITHIN(1, second, try12)
try12:
	WITHIN(2, second, try13)
try13:
	WITHIN(3, second, slow)
	JMP  slow
second:
	CMPB 12(BX), $0
	JLT  noptrs
	POINTER(12, noptrs, fixed2)
	WITHIN(0, noptrs, try21)
try21:
	WITHIN(1, noptrs, try22)
try22:
	WITHIN(2, noptrs, try23)
try23:
	WITHIN(3, noptrs, slow)
	JMP  slow
noptrs:
	TESTL $const_directBlocks, CX
	JNE  block
	TESTL $(const_directClock|const_directDay), CX
	JEQ  plain
	JMP  vdso<>(SB)
slow:
	JMP  slow<>(SB)

path:
	JMP  path<>(SB)

block:
	TESTL $const_directFutex, CX
	JEQ  mayBlock
	MOVL ARG(1), AX
	ANDL $const_futexCommand, AX
	CMPL AX, $const_futexWake
	JEQ  plain
	CMPL AX, $const_futexWait
	JEQ  wait
	CMPL AX, $const_futexWaitBitset
	JNE  slow
wait:
	CMPQ ARG(3), $0
	JNE  slow
	MOVQ const_offShrunk(BP), AX
	MOVQ (AX), AX
	CMPQ AX, const_offOwnSeen(BP)
	JNE  slow
	MOVQ ARG(0), R12
	MOVL $4, R13
	WITHIN(0, mayBlock, try31)
try31:
	WITHIN(1, mayBlock, try32)
try32:
	WITHIN(2, mayBlock, try33)
try33:
	WITHIN(3, mayBlock, slow)
	JMP  slow
mayBlock:
	// As in hostsig's stub: while Thread.blocked is not 0 the signal handler leads
	// away from any instruction up to SYSCALL. The unit may be evicted meanwhile.
	MOVQ const_offSignals(BP), R15
	MOVL $const_blockedDirect, CX
	XCHGL CX, const_threadBlocked(R15)
	MOVL $0, const_offInGuest(BP)
	CMPL const_threadInterrupt(R15), $0
	JNE  intr
	MOVWLZX 0(BX), AX
	LOAD_ARGS
	JMP  enter<>(SB)
intr:
	JMP  before<>(SB)

// The handler compares with the addresses of SYSCALL and of what follows.
TEXT enter<>(SB), NOSPLIT|NOFRAME, $0
	SYSCALL
	MOVL $0, const_threadBlocked(R15)
	JMP  back<>(SB)

// back returns to the unit with the result AX, unless the unit may be gone.
TEXT back<>(SB), NOSPLIT|NOFRAME, $0
	MOVL $1, CX
	XCHGL CX, const_offInGuest(BP) // announced before the count is read, see cache.Enter
	MOVQ const_offEvictions(BP), CX
	MOVQ (CX), CX
	CMPQ CX, const_offEvictSeen(BP)
	JNE  evicted
	JMP  made<>(SB)
evicted:
	ADDQ $8, SP                    // the unit may be gone
	CMPQ AX, $-4095
	JCC  inspect
store:
	MOVQ AX, ARG(0)
	JMP  branch<>(SB)
inspect:
	CMPQ AX, $-const_eintr
	JEQ  tell
	CMPQ AX, $-const_efault
	JNE  store
tell:
	JMP  told<>(SB)

// path runs servePath on the goroutine's stack, which is not in use below the frame
// that HostSP points to. The unit may be evicted meanwhile.
TEXT path<>(SB), NOSPLIT|NOFRAME, $0
	MOVQ SP, const_offNativeSP(BP)
	MOVQ const_offHostSP(BP), SP
	SUBQ $32, SP
	LEAQ -const_stateBias(BP), AX
	MOVQ AX, 0(SP)
	MOVQ BX, 8(SP)
	MOVQ AX, 24(SP)
	MOVL $0, const_offInGuest(BP)
	CALL ·servePath(SB)
	MOVQ 16(SP), AX
	MOVQ 24(SP), BP
	ADDQ $const_stateBias, BP
	MOVQ const_offNativeSP(BP), SP
	CMPQ AX, $const_leaveIt
	JEQ  leaveIt
	CMPQ AX, $-const_erestart
	JEQ  again
	JMP  back<>(SB)
leaveIt:
	JMP  slow<>(SB)
again:
	ADDQ $8, SP
	JMP  told<>(SB)

// before: a signal came before the call was made.
TEXT before<>(SB), NOSPLIT|NOFRAME, $0
	MOVL $0, const_threadBlocked(R15)
	JMP  slow<>(SB)

// again: a signal ended the call, and the kernel would start it again.
TEXT again<>(SB), NOSPLIT|NOFRAME, $0
	MOVL $0, const_threadBlocked(R15)
	MOVQ $-const_erestart, AX
	ADDQ $8, SP
	JMP  told<>(SB)

// made goes on with the unit, unless Go has to look at the result in AX or a
// signal waits.
TEXT made<>(SB), NOSPLIT|NOFRAME, $0
	CMPQ AX, $-4095
	JCC  error
ok:
	MOVQ AX, ARG(0)
	CMPL const_offPending(BP), $0
	JNE  pending
	MOVQ ·syscallDone(SB), CX
	JMP  CX
pending:
	ADDQ $8, SP
	JMP  branch<>(SB)
error:
	CMPQ AX, $-const_eintr
	JEQ  tell
	CMPQ AX, $-const_efault
	JNE  ok
tell:
	ADDQ $8, SP
	JMP  told<>(SB)

// counter is host.StubCounter: CLOCK_MONOTONIC in nanoseconds. The unit keeps what it
// needs in its spill slots.
TEXT counter<>(SB), NOSPLIT|NOFRAME, $0
	MOVQ SP, R12
	LEAQ (const_offStack+const_vdsoTop)(BP), SP
	MOVQ SP, R13
	MOVQ SP, SI
	MOVL $const_clockMonotonic, DI
	MOVQ ·vdsoClockGettime(SB), AX
	CALL AX
	MOVQ R12, SP
	MOVQ 0(R13), AX
	IMULQ $1000000000, AX
	ADDQ 8(R13), AX
	MOVQ AX, const_offHelperRet(BP)
	RET

// vdso calls the host's vDSO on the stack in the State. What it fills is copied to the
// guest's memory here.
TEXT vdso<>(SB), NOSPLIT|NOFRAME, $0
	MOVQ SP, R12
	LEAQ (const_offStack+const_vdsoTop)(BP), SP
	MOVQ SP, R13
	TESTL $const_directDay, CX
	JNE  day
	MOVWLZX 0(BX), AX
	MOVQ ARG(1), R14
	MOVL ARG(0), DI
	MOVQ R13, SI
	CMPL AX, $const_sysClockGetres
	JEQ  getres
	MOVQ ·vdsoClockGettime(SB), AX
	JMP  call
getres:
	MOVQ ·vdsoClockGetres(SB), AX
	JMP  call
day:
	MOVQ ARG(0), R14
	MOVQ R13, DI
	XORL SI, SI
	MOVQ ·vdsoGettimeofday(SB), AX
call:
	TESTQ AX, AX
	JEQ  none
	TESTQ R14, R14
	JEQ  none
	CALL AX
	MOVQ R12, SP
	MOVLQSX AX, AX
	TESTQ AX, AX
	JNE  failed
	MOVUPS (R13), X0
	JMP  copyOut<>(SB)
failed:
	JMP  made<>(SB)
none:
	MOVQ R12, SP
	JMP  slow<>(SB)

// If the store faults, Go makes the call: the page may be write-protected because
// code was translated from it.
TEXT copyOut<>(SB), NOSPLIT|NOFRAME, $0
	MOVUPS X0, (R14)
	JMP  made<>(SB)

// slow leaves it all to Go.
TEXT slow<>(SB), NOSPLIT|NOFRAME, $0
	ADDQ $8, SP
	MOVQ $0, (const_offExitArg+8)(BP)
	MOVL $const_exitSyscall, const_offExit(BP)
	JMP  leave<>(SB)

// told leaves with the result AX of a call that was made.
TEXT told<>(SB), NOSPLIT|NOFRAME, $0
	MOVQ $1, (const_offExitArg+8)(BP)
	MOVQ AX, (const_offExitArg+16)(BP)
	MOVL $const_exitSyscall, const_offExit(BP)
	JMP  leave<>(SB)

// branch leaves for State.PC.
TEXT branch<>(SB), NOSPLIT|NOFRAME, $0
	MOVQ $0, const_offExitFrom(BP)
	MOVL $const_exitBranch, const_offExit(BP)
	JMP  leave<>(SB)

// leave is host.StubExit.
TEXT leave<>(SB), NOSPLIT|NOFRAME, $0
	MOVQ SP, const_offNativeSP(BP)
	MOVL $0, const_offInGuest(BP)
	STMXCSR const_offMXCSR(BP)
	LDMXCSR const_offHostMXCSR(BP)
	MOVQ const_offHostSP(BP), SP
	RET

// func directAddrs() (syscall, counter, enter, before, again, copyOut, slow uintptr)
TEXT ·directAddrs(SB), NOSPLIT, $0-56
	LEAQ syscall<>(SB), AX
	MOVQ AX, syscall+0(FP)
	LEAQ counter<>(SB), AX
	MOVQ AX, counter+8(FP)
	LEAQ enter<>(SB), AX
	MOVQ AX, enter+16(FP)
	LEAQ before<>(SB), AX
	MOVQ AX, before+24(FP)
	LEAQ again<>(SB), AX
	MOVQ AX, again+32(FP)
	LEAQ copyOut<>(SB), AX
	MOVQ AX, copyOut+40(FP)
	LEAQ slow<>(SB), AX
	MOVQ AX, slow+48(FP)
	RET

// func copyPath(dst, src, n uintptr) (length int)
TEXT ·copyPath(SB), NOSPLIT|NOFRAME, $0-32
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), DX
	XORL CX, CX
	TESTQ DX, DX
	JEQ  none
	JMP  loadByte<>(SB)
none:
	JMP  noPath<>(SB)

// The first instruction may fault, and goes on at noPath then.
TEXT loadByte<>(SB), NOSPLIT|NOFRAME, $0
more:
	MOVBLZX (SI)(CX*1), AX
	MOVB AX, (DI)(CX*1)
	TESTB AX, AX
	JEQ  end
	INCQ CX
	CMPQ CX, DX
	JCS  more
	JMP  noPath<>(SB)
end:
	MOVQ CX, 32(SP)
	RET

TEXT noPath<>(SB), NOSPLIT|NOFRAME, $0
	MOVQ $-1, 32(SP)
	RET

// func copyGuest(dst, src, n uintptr) (ok bool)
TEXT ·copyGuest(SB), NOSPLIT|NOFRAME, $0-25
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	CLD
	JMP  copyBytes<>(SB)

// The first instruction may fault, and goes on at noCopy then.
TEXT copyBytes<>(SB), NOSPLIT|NOFRAME, $0
	REP; MOVSB
	MOVB $1, 32(SP)
	RET

TEXT noCopy<>(SB), NOSPLIT|NOFRAME, $0
	MOVB $0, 32(SP)
	RET

// func copyAddrs() (loadByte, noPath, copyBytes, noCopy uintptr)
TEXT ·copyAddrs(SB), NOSPLIT, $0-32
	LEAQ loadByte<>(SB), AX
	MOVQ AX, loadByte+0(FP)
	LEAQ noPath<>(SB), AX
	MOVQ AX, noPath+8(FP)
	LEAQ copyBytes<>(SB), AX
	MOVQ AX, copyBytes+16(FP)
	LEAQ noCopy<>(SB), AX
	MOVQ AX, noCopy+24(FP)
	RET
