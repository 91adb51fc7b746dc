// Does what its first argument says: the guest of the tests of the command line.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

extern char **environ;

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	const char *arg = argc > 2 ? argv[2] : "";
	if (!strcmp(what, "exit"))
		return atoi(arg);
	if (!strcmp(what, "kill")) {
		struct rlimit none = {0, 0};
		setrlimit(RLIMIT_CORE, &none);
		raise(atoi(arg));
		return 99;
	}
	if (!strcmp(what, "args")) {
		for (int i = 0; i < argc; i++)
			printf("[%s]\n", argv[i]);
		return 0;
	}
	if (!strcmp(what, "env")) {
		const char *v = getenv(arg);
		printf("%s\n", v ? v : "(unset)");
		return 0;
	}
	if (!strcmp(what, "secure")) {
		const char *v = getenv("A");
		printf("%lu %d %s\n", getauxval(AT_SECURE), getuid() != geteuid(), v ? v : "(unset)");
		return 0;
	}
	if (!strcmp(what, "release")) {
		struct utsname u;
		uname(&u);
		printf("%s %s\n", u.release, u.machine);
		return 0;
	}
	if (!strcmp(what, "stack")) { // uses so many KiB of it
		size_t n = atoi(arg) * 1024ul;
		volatile char *p = __builtin_alloca(n);
		for (size_t i = 0; i < n; i += 512)
			p[n - 1 - i] = 1;
		puts("enough");
		return 0;
	}
	if (!strcmp(what, "fds")) { // what is open at the start
		for (int fd = 0; fd < 64; fd++)
			if (fcntl(fd, F_GETFD) >= 0)
				printf("%d ", fd);
		puts("");
		return 0;
	}
	return 98;
}
