// Code in page 0 (ld -Ttext=0): a function at address 0, which is called a hundred times and
// changed halfway. Exits with 50*1 + 50*2.
	.text
function:
	mov	x0, #1
	ret
	.global _start
_start:
	mov	x0, #0
	mov	x1, #4096
	mov	x2, #7			// PROT_READ | PROT_WRITE | PROT_EXEC
	mov	x8, #226		// mprotect
	svc	#0
	mov	x19, #0
	mov	x20, #100
	mov	x21, #0			// function
again:
	blr	x21
	add	x19, x19, x0
	sub	x20, x20, #1
	cmp	x20, #50
	b.ne	1f
	ldr	w1, changed
	str	w1, [x21]
1:	cbnz	x20, again
	mov	x0, x19
	mov	x8, #93			// exit
	svc	#0

changed:
	mov	x0, #2
