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
	CALL ·fillMany(SB)
	MOVQ R14, AX
fill:                                 // what is left, those of fillMany's sockets among them
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

// fillMany fills most of the descriptors with copies of R14, by two messages of a socket that hold as
// many as one can (SCM_MAX_FD): a tenth of the time of as many dup. What is above the limit the
// kernel leaves out. If there are no sockets nothing is filled.
TEXT ·fillMany(SB), NOSPLIT|NOFRAME, $0
#define HEADER 0                      // struct msghdr
#define VECTOR 56                     // struct iovec
#define SOCKETS 72                    // of socketpair
#define CONTROL 80                    // struct cmsghdr and its descriptors
#define DATA 1112                     // the message, a byte
	SUBQ $1120, SP
	MOVL $1, DI                   // AF_UNIX
	MOVL $0x80002, SI             // SOCK_DGRAM|SOCK_CLOEXEC
	XORL DX, DX
	LEAQ SOCKETS(SP), R10
	MOVL $53, AX                  // socketpair
	SYSCALL
	TESTQ AX, AX
	JNE  none
	MOVL $2, R15                  // messages
message:
	XORL AX, AX
	MOVQ AX, (HEADER+0)(SP)       // no address
	MOVQ AX, (HEADER+8)(SP)
	LEAQ VECTOR(SP), CX
	MOVQ CX, (HEADER+16)(SP)
	MOVQ $1, (HEADER+24)(SP)
	LEAQ CONTROL(SP), CX
	MOVQ CX, (HEADER+32)(SP)
	MOVQ $(16+4*const_mostSent+4), (HEADER+40)(SP)
	MOVQ AX, (HEADER+48)(SP)
	LEAQ DATA(SP), CX
	MOVQ CX, (VECTOR+0)(SP)
	MOVQ $1, (VECTOR+8)(SP)
	MOVQ $(16+4*const_mostSent), (CONTROL+0)(SP)
	MOVL $1, (CONTROL+8)(SP)      // SOL_SOCKET
	MOVL $1, (CONTROL+12)(SP)     // SCM_RIGHTS
	MOVL $const_mostSent, CX
name:
	MOVL R14, (CONTROL+12)(SP)(CX*4)
	DECL CX
	JNE  name
	MOVL (SOCKETS+0)(SP), DI
	MOVQ SP, SI
	XORL DX, DX
	MOVL $46, AX                  // sendmsg
	SYSCALL
	TESTQ AX, AX
	JLT  close                    // others of the user have as many under way
	MOVL (SOCKETS+4)(SP), DI
	MOVQ SP, SI
	XORL DX, DX
	MOVL $47, AX                  // recvmsg
	SYSCALL
	TESTQ AX, AX
	JLT  close
	CMPQ (HEADER+40)(SP), $16
	JLS  close                    // there was no room
	MOVQ (CONTROL+0)(SP), CX
	SUBQ $16, CX
	SHRQ $2, CX
mark:
	MOVL (CONTROL+12)(SP)(CX*4), AX
	LEAQ ·filled(SB), DX
	LOCK
	BTSQ AX, (DX)
	DECL CX
	JNE  mark
	DECL R15
	JNE  message
close:
	MOVL (SOCKETS+0)(SP), DI
	MOVL $3, AX                   // close
	SYSCALL
	MOVL (SOCKETS+4)(SP), DI
	MOVL $3, AX
	SYSCALL
none:
	ADDQ $1120, SP
	RET
