// A signal arrives in every kind of endless cycle: through a direct branch, an
// indirect one, a call that never returns, returns that do not match a call, and in
// a recursion that takes long. The handler goes on behind the cycle.
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static sigjmp_buf behind;

static void handler(int sig) { siglongjmp(behind, 1); }

static void branch(void) { asm volatile("1: b 1b"); }
static void conditional(void) { asm volatile("1: cbz xzr, 1b"); }
static void indirect(void) { asm volatile("adr x9, 1f\n1: br x9" ::: "x9"); }
static void link_(void) { asm volatile("1: bl 1b" ::: "x30"); }
static void linkIndirect(void) { asm volatile("adr x9, 1f\n1: blr x9" ::: "x9", "x30"); }
static void back(void) { asm volatile("adr x9, 1f\n1: ret x9" ::: "x9"); }
static void there(void) { asm volatile("adr x9, 1f\nadr x10, 2f\n1: ret x10\n2: ret x9" ::: "x9", "x10"); }
// A call whose return address is changed: down there the return matches no call.
static void detour(void) { asm volatile("1: bl 2f\n2: adr x30, 1b\nret" ::: "x30"); }
// A region at 2 has a copy of what is in front of it, and leaves from there.
static void tail(void) { asm volatile("b 2f\n1: cbz xzr, 2f\nbr x9\n2: nop\nb 1b" ::: "memory"); }
static unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
// One whose only branch back is its call.
static __attribute__((optimize("O2", "no-inline", "no-optimize-sibling-calls"))) long calls(long n) { return n < 2 ? n : calls(n - 1) + calls(n - 2); }
static void recursionByCalls(void) { asm volatile("" ::"r"(calls(60))); }
static void recursion(void) { asm volatile("" ::"r"(fib(60))); }

int main(void) {
	static const struct {
		const char *name;
		void (*run)(void);
	} cycles[] = {{"b", branch}, {"cbz", conditional}, {"br", indirect}, {"bl", link_}, {"blr", linkIndirect},
		      {"ret", back}, {"ret to ret", there}, {"ret elsewhere", detour}, {"tail", tail}, {"recursion", recursion},
		      {"recursion by calls alone", recursionByCalls}};
	signal(SIGALRM, handler);
	for (unsigned i = 0; i < sizeof cycles / sizeof *cycles; i++) {
		struct itimerval soon = {.it_value.tv_usec = 20000};
		if (sigsetjmp(behind, 1) == 0) {
			setitimer(ITIMER_REAL, &soon, 0);
			cycles[i].run();
		}
		puts(cycles[i].name);
		fflush(stdout);
	}
}
