// A program that runs cannot be written to, and what is open for writing cannot be executed.
#include "../syscalls/check.h"
#include <linux/openat2.h>
#include <sys/utsname.h>

static char file[64], link_[80];
static int hold[2];

static void copy(const char *to, int mode) {
	char buf[65536];
	ssize_t n;
	int in = open("/proc/self/exe", O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, mode);
	while ((n = read(in, buf, sizeof buf)) > 0)
		write(out, buf, n);
	close(in);
	close(out);
}

// start runs the copy until hold is closed.
static pid_t start(void) {
	pipe(hold);
	int ready[2];
	pipe(ready);
	pid_t pid = fork();
	if (!pid) {
		close(hold[1]);
		char in[12], out[12];
		sprintf(in, "%d", hold[0]);
		sprintf(out, "%d", ready[1]);
		execl(file, file, in, out, NULL);
		_exit(99);
	}
	close(hold[0]);
	close(ready[1]);
	char c;
	read(ready[0], &c, 1);
	close(ready[0]);
	return pid;
}

static int end(pid_t pid) {
	int status;
	close(hold[1]);
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

static int try(int flags) {
	int fd = open(file, flags, 0700), e = errno;
	if (fd < 0)
		return e;
	close(fd);
	return 0;
}
#define opens(flags) printf("%s: %s\n", #flags, strerror(try(flags)))

static void attempts(void) {
	struct stat before, after;
	stat(file, &before);
	opens(O_RDONLY);
	opens(O_PATH);
	opens(O_WRONLY);
	opens(O_RDWR | O_APPEND);
	opens(O_WRONLY | O_TRUNC);
	opens(O_WRONLY | O_CREAT | O_TRUNC);
	opens(O_RDWR | O_CREAT);
	opens(O_RDWR | O_CREAT | O_EXCL);
	opens(O_RDONLY | O_TRUNC);
	opens(O_WRONLY | O_DIRECTORY);
	struct open_how how = {.flags = O_WRONLY | O_CREAT | O_TRUNC, .mode = 0700};
	show(syscall(SYS_openat2, AT_FDCWD, file, &how, sizeof how) >= 0 ? 0 : -1);
	show(truncate(file, 10));
	int fd = open(link_, O_WRONLY | O_TRUNC);
	printf("by a link: %s\n", fd < 0 ? strerror(errno) : "opened");
	stat(file, &after);
	ok(before.st_size == after.st_size && before.st_size > 1000);
}

int main(int argc, char **argv) {
	char c;
	if (argc > 2) { // the copy
		if (!fork()) { // runs it too, and goes on a little longer
			write(atoi(argv[2]), "x", 1);
			close(atoi(argv[2]));
			while (read(atoi(argv[1]), &c, 1) == -1)
				;
			_exit(0);
		}
		close(atoi(argv[2]));
		wait(0);
		return 7;
	}
	if (argc > 1)
		return 3;
	struct utsname u;
	uname(&u);
	if (!strncmp(u.release, "6.11.", 5) || !strncmp(u.release, "6.12.", 5)) {
		puts("SKIP some kernels of this version let programs be written to while they run");
		return 0;
	}
	setvbuf(stdout, 0, _IONBF, 0);
	sprintf(file, "/tmp/textbusy.%d", getpid());
	sprintf(link_, "%s.link", file);
	symlink(file, link_);
	copy(file, 0700);
	pid_t pid = start();
	attempts();
	show(chmod(file, 0755));
	show(rename(file, file));
	opens(O_WRONLY);
	// Its own program.
	int fd = open("/proc/self/exe", O_WRONLY);
	printf("/proc/self/exe: %s\n", fd < 0 ? strerror(errno) : "opened");
	// A new file of the name is another one.
	unlink(file);
	opens(O_WRONLY | O_CREAT | O_TRUNC);
	show(end(pid));

	copy(file, 0700);
	fd = open(file, O_WRONLY);
	show(execl(file, file, "3", NULL));
	pid = fork();
	if (!pid)
		_exit(execl(file, file, "3", NULL) == -1 ? errno == ETXTBSY : 0);
	int status;
	waitpid(pid, &status, 0);
	show(WEXITSTATUS(status));
	close(fd);
	pid = start();
	opens(O_WRONLY | O_TRUNC);
	kill(pid, SIGKILL); // its child goes on
	waitpid(pid, 0, 0);
	opens(O_WRONLY | O_TRUNC);
	close(hold[1]);
	// That its last process ends is seen a little later.
	for (int i = 0; i < 2000 && try(O_WRONLY) == ETXTBSY; i++)
		usleep(1000);
	opens(O_WRONLY);
	opens(O_WRONLY | O_TRUNC);
	show(truncate(file, 10));
	unlink(file);
	unlink(link_);
	return 0;
}
