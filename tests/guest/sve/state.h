// What the guests here share: all registers of SVE at a vector length of 128 bits, and functions that
// load them, do one thing and store them again.
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

typedef uint64_t u64;
typedef uint32_t u32;
typedef uint16_t u16;

struct state {
	u16 p[16], ffr, _[15];
	u64 z[32][2];
	u64 call[8]; // six arguments, and the number: the result is in the first
	volatile u32 *flag;
};
_Static_assert(offsetof(struct state, z) == 64 && offsetof(struct state, call) == 576 && offsetof(struct state, flag) == 640, "for the assembly");

// AROUND defines a function that does code with the registers of a state, which is at X19.
#define AROUND(name, code) \
	void name(struct state *); \
	asm(".text\n.globl " #name "\n.type " #name ", %function\n" #name ":\n" \
		"stp x29, x30, [sp, #-112]!\n stp x19, x20, [sp, #16]\n" \
		"stp d8, d9, [sp, #32]\n stp d10, d11, [sp, #48]\n stp d12, d13, [sp, #64]\n stp d14, d15, [sp, #80]\n" \
		"mov x19, x0\n bl load_state\n" code "\n bl store_state\n" \
		"ldp d8, d9, [sp, #32]\n ldp d10, d11, [sp, #48]\n ldp d12, d13, [sp, #64]\n ldp d14, d15, [sp, #80]\n" \
		"ldp x19, x20, [sp, #16]\n ldp x29, x30, [sp], #112\n ret\n")

asm(".text\n"
	"load_state: add x20, x19, #64\n"
	"ldr p0, [x19, #16, mul vl]\n wrffr p0.b\n"
	".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n ldr p\\n, [x19, #\\n, mul vl]\n ldr z\\n, [x20, #\\n, mul vl]\n .endr\n"
	".irp n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n ldr z\\n, [x20, #\\n, mul vl]\n .endr\n"
	"ret\n"
	"store_state: add x20, x19, #64\n"
	".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n str p\\n, [x19, #\\n, mul vl]\n str z\\n, [x20, #\\n, mul vl]\n .endr\n"
	".irp n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n str z\\n, [x20, #\\n, mul vl]\n .endr\n"
	"rdffr p0.b\n str p0, [x19, #16, mul vl]\n"
	"ret\n");

AROUND(around_nothing, "");
AROUND(around_undefined, ".inst 0");
AROUND(around_breakpoint, "brk #0");
AROUND(around_call, "add x20, x19, #576\n ldp x0, x1, [x20]\n ldp x2, x3, [x20, #16]\n ldp x4, x5, [x20, #32]\n ldr x8, [x20, #48]\n svc #0\n str x0, [x20]");
AROUND(around_wait, "ldr x0, [x19, #640]\n 1: ldr w1, [x0]\n cbz w1, 1b");

// fill gives all registers values of their own.
static void fill(struct state *s)
{
	memset(s, 0, sizeof *s);
	for (int n = 0; n < 16; n++)
		s->p[n] = 0x101 * n + 1;
	s->ffr = 0xff; // no gaps
	for (int n = 0; n < 32; n++)
		s->z[n][0] = n, s->z[n][1] = ~(u64)n;
}

// compare prints which registers have other values than in another state, zeroes as "none".
static void compare(const char *what, const struct state *is, const struct state *was)
{
	static const struct state zero;
	printf("%s:", what);
	if (!memcmp(is->p, zero.p, 34))
		printf(" no predicates");
	else {
		for (int n = 0; n < 16; n++)
			if (is->p[n] != was->p[n])
				printf(" p%d=%x", n, is->p[n]);
		if (is->ffr != was->ffr)
			printf(" ffr=%x", is->ffr);
	}
	if (!memcmp(is->z, zero.z, sizeof zero.z))
		printf(" no vectors");
	else
		for (int n = 0; n < 32; n++)
			if (memcmp(is->z[n], was->z[n], 16))
				printf(" z%d=%lx:%lx", n, is->z[n][1], is->z[n][0]);
	printf("\n");
}
