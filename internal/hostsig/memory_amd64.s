#include "go_asm.h"
#include "textflag.h"

// MAP_NEW maps size bytes without a file at DI, where nothing may be; AX is what the kernel answers.
#define MAP_NEW(size) \
	MOVQ $size, SI \
	MOVL $3, DX \             // PROT_READ | PROT_WRITE
	MOVL $0x100022, R10 \     // MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE
	MOVL $-1, R8 \
	XORL R9, R9 \
	MOVL $9, AX \             // mmap
	SYSCALL

// ADVISE_HUGE asks for huge pages in SI bytes at DI.
#define ADVISE_HUGE \
	MOVL $14, DX \            // MADV_HUGEPAGE
	MOVL $28, AX \            // madvise
	SYSCALL

// POPULATE makes the pages from..to of the program present.
#define POPULATE(from, to) \
	LEAQ from(SB), DI \
	ANDQ $~4095, DI \
	LEAQ to(SB), SI \
	SUBQ DI, SI \
	MOVL $22, DX \            // MADV_POPULATE_READ
	MOVL $28, AX \            // madvise
	SYSCALL

// ownMemory has the memory made present that emu is going to use, if page faults are slow: see memory_amd64.go.
// The start code calls it before any variable has been written.
TEXT ·ownMemory(SB), NOSPLIT|NOFRAME, $0
	RDTSC
	SHLQ $32, DX
	LEAQ (AX)(DX*1), R13
	MOVB $0, emu∕internal∕place·SlowFaults(SB) // the first access to this page
	RDTSC
	SHLQ $32, DX
	ADDQ DX, AX
	SUBQ R13, AX
	CMPQ AX, $const_slowFault
	JCC  slow
	RET
slow:
	POPULATE(runtime·text, runtime·etext)
	POPULATE(runtime·rodata, runtime·epclntab)

	XORL BX, BX
	MOVQ $const_tablesStart, DI
	MAP_NEW((const_tablesEnd-const_tablesStart))
	CMPQ AX, DI
	JNE  variables
	MOVQ $const_tables, DI
	MOVQ $const_hugePage, SI
	ADVISE_HUGE
	MOVL $1, BX

variables:
	LEAQ runtime·noptrdata(SB), R14
	MOVL R14, AX
	ANDQ $~(const_hugePage-1), R14
	ANDL $(const_hugePage-1), AX
	CMPL AX, $4096
	JCC  done                     // the program was linked without -R, and other things come before them
	LEAQ runtime·edata(SB), R15
	SUBQ R14, R15                 // bytes of the file
	CMPQ R15, $const_hugePage
	JHI  done
	MOVQ $const_filling, DI
	MAP_NEW(const_hugePage)
	CMPQ AX, DI
	JNE  done
	ADVISE_HUGE
	MOVB $0, (DI)
	ADDQ $4096, DI
	MOVL $4096, SI
	LEAQ -8(SP), DX
	MOVL $27, AX                  // mincore
	SYSCALL
	TESTB $1, -8(SP)
	JEQ  unmap                    // huge pages are not to be had
	LEAQ exe<>(SB), DI
	MOVL $0x80000, SI             // O_RDONLY | O_CLOEXEC
	MOVL $2, AX                   // open
	SYSCALL
	TESTL AX, AX
	JLT  unmap
	MOVL AX, DI
	MOVQ $const_filling, SI
	MOVQ R15, DX
	LEAQ runtime·text(SB), CX     // at a page's length in the file, which is mapped as it is
	MOVQ R14, R10
	SUBQ CX, R10
	ADDQ $4096, R10
	MOVL $17, AX                  // pread64
	SYSCALL
	MOVQ AX, R13
	MOVL $3, AX                   // close
	SYSCALL
	CMPQ R13, R15
	JNE  unmap
	MOVQ $const_filling, DI
	MOVQ $const_hugePage, SI
	MOVQ SI, DX
	MOVL $3, R10                  // MREMAP_MAYMOVE | MREMAP_FIXED
	MOVQ R14, R8
	MOVL $25, AX                  // mremap
	SYSCALL
	CMPQ AX, R14
	JEQ  done
unmap:
	MOVQ $const_filling, DI
	MOVQ $const_hugePage, SI
	MOVL $11, AX                  // munmap
	SYSCALL
done:
	MOVB BX, ·tablesMapped(SB)
	MOVB $1, emu∕internal∕place·SlowFaults(SB)
	RET

DATA exe<>+0(SB)/8, $"/proc/se"
DATA exe<>+8(SB)/8, $"lf/exe\x00\x00"
GLOBL exe<>(SB), RODATA|NOPTR, $16

// mmapPlaced is mmap(2) for the runtime, with C's calling convention. While the runtime starts it
// refuses to reserve address space at a place that the caller wants: see heap_amd64.go. Where the
// caller has no wish it has one of package place's. What the heap grows by, 4 MiB at a time where they were
// reserved, is to have huge pages if page faults are slow.
TEXT ·mmapPlaced(SB), NOSPLIT|NOFRAME, $0
	CMPB ·started(SB), $0
	JNE  placed
	TESTQ DI, DI
	JEQ  place
	TESTL DX, DX                  // PROT_NONE: memory is mapped where it was reserved
	JNE  placed
	MOVL $12, AX                  // ENOMEM, as the runtime has it: positive
	RET
place:
	LEAQ emu∕internal∕place·runtimes(SB), R10
look:
	MOVQ 0(R10), AX
	TESTQ AX, AX
	JEQ  small
	CMPQ AX, SI
	JEQ  found
	ADDQ $24, R10
	JMP  look
found:
	MOVQ $1, 0(R10)
	MOVQ 8(R10), DI
	ORQ  16(R10), DX
	JMP  placed
small:
	LEAQ 4095(SI), R10
	ANDQ $~4095, R10
	MOVQ R10, DI
	LOCK
	XADDQ DI, emu∕internal∕place·nextTable(SB)
	LEAQ (DI)(R10*1), AX
	MOVQ $const_tablesEnd, R11
	CMPQ AX, R11
	JLS  placed
	MOVQ R10, DI
	LOCK
	XADDQ DI, emu∕internal∕place·next(SB)
placed:
	CMPB ·tablesMapped(SB), $0
	JEQ  call
	CMPL DX, $3                   // PROT_READ | PROT_WRITE
	JNE  call
	MOVQ $const_tablesStart, AX
	CMPQ DI, AX
	JCS  call
	LEAQ (DI)(SI*1), R10
	MOVQ $const_tablesEnd, AX
	CMPQ R10, AX
	JHI  call
	MOVQ DI, AX                   // all of this is mapped already
	RET
call:
	MOVQ CX, R10
	MOVL $9, AX                   // mmap
	SYSCALL
	CMPQ AX, $0xfffffffffffff001
	JCS  ok
	NEGQ AX
	RET
ok:
	CMPB emu∕internal∕place·SlowFaults(SB), $0
	JEQ  done
	TESTL $0x10, R10              // MAP_FIXED
	JEQ  done
	CMPQ SI, $const_hugePage
	JCS  done
	MOVQ AX, R9
	MOVQ AX, DI
	ADVISE_HUGE
	MOVQ R9, AX
done:
	RET
