// A hundred compare-and-swaps of a word in the page of the code, which is writable
// (ld -N). Exits with 7.
	.text
	.global _start
_start:
	mov	x20, #0
	adr	x0, word
again:
	ldxr	w1, [x0]
	cmp	w1, w20
	b.ne	wrong
	add	w2, w1, #1
	mul	w3, w2, w2		// no sum that an atomic addition could make
	udiv	w2, w3, w2
	stxr	w3, w2, [x0]
	cbnz	w3, again
	add	x20, x20, #1
	cmp	x20, #100
	b.lt	again
	mov	x0, #7
	b	leave
wrong:
	clrex
	mov	x0, #1
leave:
	mov	x8, #93			// exit
	svc	#0

	.balign	8
word:	.word	0
