// As many mappings as the kernel allows (vm.max_map_count), by mmap and by mprotect, and then work that
// needs memory: whoever asks for one too many hears of it, and goes on.
#include "../syscalls/check.h"
#include <regex.h>

enum { MOST = 70000, PAGE = 4096 };

static char *pages[MOST];

static void *works(void *a) { return strdup("a thread works"); }

// work runs code that has not run before, for which emu needs memory.
static void work(void) {
	double sum = 0;
	for (int i = 1; i < 300; i++) {
		char text[64];
		snprintf(text, sizeof text, "%.*f", i % 30, 1e6 / i);
		sum += strtod(text, 0);
	}
	char text[100], *found = "";
	time_t then = 0;
	regex_t r;
	strftime(text, sizeof text, "%c %x %j", gmtime(&then));
	if (!regcomp(&r, "(1[0-9]*|a.c)+ [0-9]", REG_EXTENDED)) found = regexec(&r, text, 0, 0, 0) ? "no" : "yes";
	regfree(&r);
	printf("%.6f %s %s\n", sum, text, found);
	pid_t p = fork();
	if (!p) _exit(sum > 0 ? 3 : 4);
	int status;
	waitpid(p, &status, 0);
	printf("a child ends with %d\n", WEXITSTATUS(status));
}

static void report(const char *what, int n) { printf("%s: %s, %s\n", what, n > 60000 && n < MOST ? "as many as usual" : "not as many", strerrorname_np(errno)); }

int main(void) {
	setvbuf(stdout, 0, _IONBF, 0);
	int most = 0;
	FILE *f = fopen("/proc/sys/vm/max_map_count", "r");
	if (!f || fscanf(f, "%d", &most) != 1 || most != 65530) { printf("SKIP vm.max_map_count is %d, not 65530\n", most); return 0; }
	fclose(f);
	int fd = memfd_create("page", 0), n = 0;
	ftruncate(fd, PAGE);
	while (n < MOST && (pages[n] = mmap(0, PAGE, PROT_READ, MAP_SHARED, fd, 0)) != MAP_FAILED) n++;
	report("mmap", n);
	int refused = 0;
	for (int i = 0; i < 100; i++) refused += mmap(0, PAGE, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED;
	ok(refused == 100);
	work();
	for (int i = 0; i < n; i++) munmap(pages[i], PAGE);
	char *p = mmap(0, 2L * MOST * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	for (n = 0; n < MOST && !mprotect(p + 2L * n * PAGE, PAGE, PROT_READ); n++) ;
	report("mprotect", 2 * n);
	ok(munmap(p + (2L * MOST - 9) * PAGE, PAGE) == -1 && errno == ENOMEM); // a hole needs one more
	work();
	show(munmap(p, 2L * MOST * PAGE));
	pthread_t t;
	char *text = "";
	show(pthread_create(&t, 0, works, 0));
	pthread_join(t, (void **)&text);
	puts(text);
	return 0;
}
