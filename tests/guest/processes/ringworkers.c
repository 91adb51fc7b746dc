// Threads that the kernel makes for io_uring take no signals, are not in a forked child, and count as threads for unshare(2) and in
// /proc/self/task. fork waited for ever for one that had no name yet, in every second run that forked right after
// it had asked for work, and unshare for each.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <linux/io_uring.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

// work has a thread of the kernel's write to fd, by a new ring, and returns that.
static int work(int fd) {
	struct io_uring_params p = {0};
	int ring = syscall(SYS_io_uring_setup, 8, &p);
	if (ring < 0) {
		printf("no rings: %s\n", strerror(errno));
		exit(0);
	}
	char *sq = mmap(0, p.sq_off.array + 8 * sizeof(unsigned), PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
	struct io_uring_sqe *e = mmap(0, 8 * sizeof *e, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQES);
	static struct iovec text = {"work\n", 5};
	*e = (struct io_uring_sqe){.opcode = IORING_OP_WRITEV, .fd = fd, .addr = (unsigned long)&text, .len = 1, .flags = IOSQE_ASYNC};
	((unsigned *)(sq + p.sq_off.array))[0] = 0;
	__atomic_store_n((unsigned *)(sq + p.sq_off.tail), 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring, 1, 0, 0, 0, 0) != 1)
		perror("io_uring_enter");
	return ring;
}

// tasks counts the entries of /proc/self/task, and those of them that are the kernel's.
static int tasks(int *workers) {
	int all = 0;
	*workers = 0;
	DIR *d = opendir("/proc/self/task");
	for (struct dirent *e; (e = readdir(d));) {
		char path[300], name[32] = "";
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof path, "/proc/self/task/%s/comm", e->d_name);
		FILE *f = fopen(path, "r");
		if (f && fgets(name, sizeof name, f))
			*workers += strncmp(name, "iou-wrk-", 8) == 0;
		if (f)
			fclose(f);
		all++;
	}
	closedir(d);
	return all;
}

int main(void) {
	int fd = memfd_create("file", 0), ended = 0;
	for (int n = 0; n < 40; n++) {
		int ring = work(fd), status;
		pid_t pid = fork();
		if (pid == 0)
			_exit(n);
		if (waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == n)
			ended++;
		close(ring);
	}
	printf("%d children\n", ended);
	work(fd);
	int all = 0, workers = 0;
	for (int n = 0; n < 2000 && workers == 0; n++, usleep(1000))
		all = tasks(&workers);
	struct stat st;
	stat("/proc/self/task", &st);
	printf("workers are listed: %d, as threads beside one: %d, and counted: %d\n", workers > 0, all == 1 + workers, (int)st.st_nlink == 2 + all);
	int r = unshare(CLONE_NEWUSER);
	printf("unshare: %d %s\n", r, strerror(errno));
	return 0;
}
