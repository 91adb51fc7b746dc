// Every descriptor up to 270 can be had by dup2, as Python's test of passing a large
// descriptor between processes does: emu's own lay at 200.
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	int refused = 0, open = 0;
	for (int fd = 3; fd < 270; fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			open++;
		else if (dup2(1, fd) != fd)
			refused++;
	}
	printf("%d open, %d refused, next %d\n", open, refused, dup(1));
	return 0;
}
