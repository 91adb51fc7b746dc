// A few instructions whose effects TestTrace knows.
	.globl _start
_start:
	mov x2, #1
	mov x3, #2
	subs x4, x2, x3
	fmov d4, x3
	b.eq 1f
	mov x0, #7
	b 2f
1:	mov x0, #8
2:	mov x8, #93 // exit
	svc #0
