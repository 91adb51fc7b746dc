// Loops of many shapes, in which signals arrive all the time: none may lose a register of the
// iteration that it interrupts. Each is run until it has been interrupted often, and must have the same result as without.
#include "check.h"

static volatile sig_atomic_t caught;
static void on(int sig) { caught++; }

#define noinline __attribute__((noinline))

static noinline uint64_t generators(uint64_t n) { // computes only: much is written that nothing reads
	uint64_t a = 1, b = 2, s = 3, p = 4, acc = 0;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t x = a, y = b, z = s += 0x9e3779b97f4a7c15, o = p;
		a = y, x ^= x << 23, b = x ^ y ^ x >> 17 ^ y >> 26;
		z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9, z ^= z >> 27;
		p = o * 6364136223846793005 + 1442695040888963407;
		uint32_t w = (o >> 18 ^ o) >> 27, r = o >> 59;
		acc += (b + y) ^ z ^ (w >> r | w << (-r & 31));
	}
	return acc;
}

static noinline uint64_t swaps(uint64_t n) { // what goes around changes places
	uint64_t a = 1, b = 1, c = 2, d = 3;
	while (n--) {
		uint64_t t = a + b * 3;
		a = b, b = c, c = d, d = t;
		if (t & 8) continue;
		b ^= n;
	}
	return a ^ b * 5 ^ c * 7 ^ d * 11;
}

static noinline uint64_t text(uint64_t n) { // copies, lengths, comparisons
	static const char *words[] = { "checking", "whether", "the", "compiler", "works", "", "a" };
	char line[256];
	uint64_t h = 0;
	for (uint64_t i = 0; i < n; i++) {
		char *p = line;
		for (uint64_t k = i % 13; k < 13; k++) {
			for (const char *w = words[(i + k * k) % 7]; *w; w++) *p++ = *w;
			*p++ = ' ';
		}
		*p = 0;
		for (char *q = line; q < p; q++) h = h * 31 + *q;
		h += strlen(line) + (strchr(line, 'w') ? strchr(line, 'w') - line : 0);
	}
	return h;
}

static noinline uint64_t sorts(uint64_t n) { // loops in loops that are left early
	uint32_t v[64];
	uint64_t h = 0;
	while (n--) {
		uint32_t x = n * 2654435761u;
		for (int i = 0; i < 64; i++) v[i] = x = x * 1664525 + 1013904223;
		for (int i = 1; i < 64; i++) {
			uint32_t key = v[i];
			int j = i - 1;
			for (; j >= 0 && v[j] > key; j--) v[j + 1] = v[j];
			v[j + 1] = key;
		}
		for (int i = 1; i < 64; i++) h = h * 33 + v[i] + (v[i] < v[i - 1]);
	}
	return h;
}

static noinline uint64_t sums(uint64_t n) { // floating point and vectors
	double x = 0.5, y = 0.25, s = 0;
	float v[32];
	for (int i = 0; i < 32; i++) v[i] = i;
	for (uint64_t i = 0; i < n; i++) {
		double t = x * x - y * y + 0.3;
		y = 2 * x * y + 0.1, x = t;
		if (x * x + y * y > 4) x = 0.5, y = 0.25;
		s += x;
		for (int k = 0; k < 32; k++) v[k] = v[k] * 0.75f + (float)x;
	}
	float f = 0;
	for (int k = 0; k < 32; k++) f += v[k];
	return (uint64_t)(s * 1e6) ^ (uint64_t)(f * 1e3);
}

static const struct { const char *name; uint64_t (*run)(uint64_t), n; } loops[] = {
	{ "generators", generators, 300000 }, { "swaps", swaps, 600000 }, { "text", text, 4000 }, { "sorts", sorts, 600 }, { "sums", sums, 60000 },
};

int main(void) {
	struct sigaction sa = { .sa_handler = on };
	sigaction(SIGALRM, &sa, 0);
	for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
		setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, 0);
		uint64_t want = loops[i].run(loops[i].n), wrong = 0;
		setitimer(ITIMER_REAL, &(struct itimerval){ { 0, 50 }, { 0, 50 } }, 0);
		caught = 0;
		for (double end = now() + 20; caught < 1000 && now() < end;) wrong += loops[i].run(loops[i].n) != want;
		printf("%s: %016llx, %s wrong, signals %s\n", loops[i].name, (unsigned long long)want, wrong ? "some" : "none", caught < 1000 ? "few" : "many");
	}
	return 0;
}
