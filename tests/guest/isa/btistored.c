// All code of it is guarded on arm64, where it needs no library: compilers' code with landing pads, signed return
// addresses, calls by pointer and a switch. The exit status is what it computes.
static unsigned f0(unsigned x) { return x + 1; }
static unsigned f1(unsigned x) { return x * 3; }
static unsigned f2(unsigned x) { return x ^ x >> 7; }
static unsigned f3(unsigned x) { return x < 1000 ? x + 77 : x - 900; }

static unsigned (*volatile table[])(unsigned) = {f0, f1, f2, f3};

__attribute__((noinline)) static unsigned step(unsigned op, unsigned x)
{
	switch (op) {
	case 0: return table[x & 3](x);
	case 1: return x + 5;
	case 2: return table[x >> 3 & 3](x) + table[op](x);
	case 3: return x * 7 ^ op;
	case 4: return x - (x >> 5);
	case 5: return ~x;
	case 6: return table[1](table[x & 1](x));
	default: return x << 1 | x >> 31;
	}
}

__attribute__((noinline)) static unsigned work(void)
{
	unsigned x = 1;
	for (unsigned n = 0; n < 300000; n++)
		x = step(x >> 9 & 7, x + n);
	return x % 125;
}

#ifdef __aarch64__
void _start(void)
{
	register unsigned long x0 asm("x0") = work();
	register unsigned long x8 asm("x8") = 93; // exit
	asm volatile("svc #0" : : "r"(x0), "r"(x8));
	__builtin_unreachable();
}
#else
int main(void) { return work(); }
#endif
