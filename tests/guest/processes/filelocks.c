// Record locks of whole files are in nobody's way who opens the file for writing, and neither open with O_TRUNC nor truncate
// loses them.
#include "../syscalls/check.h"
#include <sys/wait.h>

static char file[64];

// held asks another process.
static void held(const char *when) {
	fflush(stdout);
	if (!fork()) {
		struct flock l = {.l_type = F_WRLCK, .l_len = 10};
		int fd = open(file, O_RDONLY);
		fcntl(fd, F_GETLK, &l);
		printf("%s: %s\n", when, l.l_type == F_UNLCK ? "not locked" : "locked");
		fflush(stdout);
		_exit(0);
	}
	wait(NULL);
}

int main(void) {
	sprintf(file, "/tmp/filelocks.%d", getpid());
	for (int mode = 0644; mode <= 0755; mode += 0755 - 0644) {
		int fd = open(file, O_RDWR | O_CREAT | O_EXCL, mode);
		struct flock l = {.l_type = F_WRLCK};
		printf("mode %o: lock %d\n", mode, fcntl(fd, F_SETLK, &l));
		held("locked");
		if (!fork()) {
			printf("open in a child: %s\n", open(file, O_WRONLY | O_APPEND) < 0 ? strerror(errno) : "ok");
			printf("with O_TRUNC: %s\n", open(file, O_WRONLY | O_TRUNC) < 0 ? strerror(errno) : "ok");
			fflush(stdout);
			_exit(0);
		}
		wait(NULL);
		truncate(file, 100);
		held("truncate");
		printf("open: %s\n", open(file, O_RDWR | O_TRUNC) < 0 ? strerror(errno) : "ok");
		held("O_TRUNC");
		l.l_type = F_RDLCK;
		printf("read lock %d\n", fcntl(fd, F_SETLK, &l));
		printf("open: %s\n", open(file, O_RDWR) < 0 ? strerror(errno) : "ok");
		held("open");
		unlink(file);
	}
	return 0;
}
