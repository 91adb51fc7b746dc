// Which descriptors there are where RLIMIT_NOFILE is low: the lowest ones are the program's, and
// up to the soft limit all, if the hard one is high.
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct rlimit r;
	getrlimit(RLIMIT_NOFILE, &r);
	printf("%ld of %ld\n", (long)r.rlim_cur, (long)r.rlim_max);
	printf("open %d\n", open("/dev/null", O_RDONLY));
	for (int fd = 4; fd < 12; fd++)
		printf("dup2 %d\n", dup2(3, fd));
	int n = 0;
	while (dup(0) >= 0)
		n++;
	printf("%s, errno %d\n", n + 12 == r.rlim_cur ? "all" : n + 12 >= (int)r.rlim_cur - 24 ? "most" : "few", errno == EMFILE);
	for (int fd = 3; fd < (int)r.rlim_cur; fd++)
		close(fd);
	if (argc > 1) {
		fflush(stdout);
		execl(argv[0], argv[0], (char *)0);
	}
	return 0;
}
