// A loop that calls a function small enough to be inlined, which TestDumpInside finds there.
	.globl _start, small
_start:
	mov x1, #100
1:	bl small
	subs x1, x1, #1
	b.ne 1b
	mov x0, #7
	mov x8, #93 // exit
	svc #0
	.space 64
small:
	add x2, x2, #1
	ret
