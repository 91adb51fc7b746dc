#include "textflag.h"
#include "go_asm.h"

// Offsets named const_off* are from the state register: RBP = &State + StateBias.

// func enterGuest(s *cpu.State)
//
// Runs generated code on the thread's native stack until an exit stub returns.
// Called between entersyscall and exitsyscall, so that the garbage collector
// does not wait for guest code. The assembler saves and restores BP.
TEXT ·enterGuest(SB), NOSPLIT, $16-8
	MOVQ s+0(FP), DI
	LEAQ const_stateBias(DI), BP
	STMXCSR const_offHostMXCSR(BP)
	LDMXCSR const_offMXCSR(BP)
	CALL ·switchStack(SB)
	RET

// switchStack continues at State.Enter. An exit stub comes back by restoring RSP
// from State.HostSP and returning.
TEXT ·switchStack(SB), NOSPLIT|NOFRAME, $0
	MOVQ SP, const_offHostSP(BP)
	MOVQ const_offNativeSP(BP), SP
	MOVQ const_offEnter(BP), AX
	MOVQ ·enterStub(SB), CX
	JMP  CX

// restorer is what the kernel returns to from a signal handler.
TEXT restorer<>(SB), NOSPLIT|NOFRAME, $0
	MOVL $15, AX // rt_sigreturn
	SYSCALL
	INT  $3

TEXT ·restorerAddr(SB), NOSPLIT, $0-8
	LEAQ restorer<>(SB), AX
	MOVQ AX, ret+0(FP)
	RET

// fault handles SIGSEGV, SIGBUS, SIGFPE, SIGILL and SIGTRAP on the alternate
// signal stack: DI = signal, SI = siginfo, DX = ucontext. A fault in generated
// code saves the host registers in the State and resumes at the engine's fault
// exit; any other goes to the handler of the Go runtime with nothing touched.
TEXT fault<>(SB), NOSPLIT|NOFRAME, $0
	MOVQ 168(DX), AX // RIP
	LEAQ ·copyFaults(SB), R8
	MOVL $const_numCopyFaults, R9
copies:
	CMPQ AX, (R8)
	JEQ  copying
	ADDQ $16, R8
	DECL R9
	JNE  copies
	CMPQ AX, ·codeLo(SB)
	JCS  forward
	CMPQ AX, ·codeHi(SB)
	JCC  forward
	MOVQ 120(DX), CX // RBP: the state register in all generated code
	MOVQ AX, const_offFaultRIP(CX)
	MOVQ DI, const_offFaultSig(CX)
	MOVLQSX 8(SI), AX // si_code
	MOVQ AX, const_offFaultCode(CX)
	MOVQ 16(SI), AX // si_addr
	MOVQ AX, const_offFaultAddr(CX)
	MOVQ 176(DX), AX // RFLAGS
	MOVQ AX, const_offFaultFlags(CX)
	MOVQ 192(DX), AX // page fault error code
	MOVQ AX, const_offFaultErr(CX)
#define SAVE(from, number) \
	MOVQ from(DX), AX; \
	MOVQ AX, (const_offFaultGPR+8*number)(CX)
	SAVE(144, 0)
	SAVE(152, 1)
	SAVE(136, 2)
	SAVE(128, 3)
	SAVE(160, 4)
	SAVE(120, 5)
	SAVE(112, 6)
	SAVE(104, 7)
	SAVE(40, 8)
	SAVE(48, 9)
	SAVE(56, 10)
	SAVE(64, 11)
	SAVE(72, 12)
	SAVE(80, 13)
	SAVE(88, 14)
	SAVE(96, 15)
	MOVQ 224(DX), R8 // fpstate: XMM registers from byte 160 on
	XORL R9, R9
xmm:
	MOVUPS 160(R8)(R9*1), X0
	MOVUPS X0, const_offFaultXMM(CX)(R9*1)
	ADDQ $16, R9
	CMPQ R9, $256
	JNE  xmm
	MOVQ ·faultExit(SB), AX
	MOVQ AX, 168(DX)
	RET
copying:
	MOVQ 8(R8), AX
	MOVQ AX, 168(DX)
	RET
forward:
	CMPL DI, $11 // SIGSEGV
	JNE  other
	MOVQ ·goSegv(SB), AX
	JMP  AX
other:
	MOVQ ·goFault(SB), AX
	JMP  AX

TEXT ·faultAddr(SB), NOSPLIT, $0-8
	LEAQ fault<>(SB), AX
	MOVQ AX, ret+0(FP)
	RET
