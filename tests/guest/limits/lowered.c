// Lowers its own limit on processes, looks at it in all ways, and makes processes and
// threads at it, several of them at a time.
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void show(const char *what) {
	struct rlimit r;
	char line[200];
	getrlimit(RLIMIT_NPROC, &r);
	printf("%s: %ld %ld\n", what, (long)r.rlim_cur, (long)r.rlim_max);
	FILE *f = fopen("/proc/self/limits", "r");
	while (f && fgets(line, sizeof line, f))
		if (!strncmp(line, "Max processes", 13))
			fputs(line, stdout);
	fclose(f);
}

static void set(rlim_t cur, rlim_t max) {
	if (setrlimit(RLIMIT_NPROC, &(struct rlimit){cur, max}))
		printf("setrlimit %ld %ld: %s\n", (long)cur, (long)max, strerror(errno));
}

static void *thread(void *arg) { return memset(malloc(100000), 1, 100000), arg; }

static int storm(void) {
	int refused = 0;
	for (int i = 0; i < 60; i++) {
		pid_t pid = fork();
		if (pid == 0) {
			if (i & 1)
				usleep(3000);
			_exit(3);
		}
		int status = 3 << 8;
		if (pid > 0)
			waitpid(pid, &status, 0);
		else if (errno == EAGAIN)
			refused++;
		if (status != 3 << 8)
			return 1;
		pthread_t t[3];
		int n = 0;
		while (n < 3 && !pthread_create(&t[n], 0, thread, 0))
			n++;
		refused += n < 3;
		while (n)
			pthread_join(t[--n], 0);
	}
	return refused ? 0 : 2;
}

int main(int argc, char **argv) {
	setvbuf(stdout, NULL, _IONBF, 0);
	if (argc > 1) {
		show("executed");
		return 0;
	}
	set(60, 70);
	show("set");
	set(60, 71);
	set(71, 70);
	set(70, 70);
	show("raised");
	if (!fork()) {
		set(40, 50);
		show("child");
		execl("/proc/self/exe", "lowered", "x", NULL);
		_exit(1);
	}
	wait(NULL);
	show("parent");
	set(0, 70);
	int none = fork();
	if (!none)
		_exit(0);
	printf("fork at 0: %d %s\n", none, none < 0 ? strerror(errno) : "");
	none = vfork();
	if (!none)
		_exit(0);
	printf("vfork at 0: %d %s\n", none, none < 0 ? strerror(errno) : "");
	pthread_t t;
	printf("thread at 0: %s\n", strerror(pthread_create(&t, 0, thread, 0)));
	set(70, 70);
	for (int program = 0; program < 2; program++) {
		if (!vfork()) {
			struct rlimit r;
			if (program)
				execl("/proc/self/exe", "lowered", "x", NULL);
			getrlimit(RLIMIT_NPROC, &r);
			_exit(r.rlim_cur == 70 && r.rlim_max == 70);
		}
		int status = -1;
		wait(&status);
		printf("after vfork: %#x\n", status);
		show("parent");
	}
	pid_t young[8]; // an emulator's child has none of its threads yet, and tried to make them for 2 s
	for (int i = 0; i < 8; i++)
		if (!(young[i] = fork())) {
			set(1, 1);
			usleep(4000000);
			_exit(0);
		}
	pid_t pid[4];
	for (int i = 0; i < 4; i++)
		if (!(pid[i] = fork())) {
			usleep(20000); // all are there
			set(4, 4);
			_exit(storm());
		}
	for (int i = 0; i < 4; i++) {
		int status;
		waitpid(pid[i], &status, 0);
		printf("storm %d: %#x\n", i, status);
	}
	for (int i = 0; i < 8; i++) {
		int status;
		waitpid(young[i], &status, 0);
		printf("young %d: %#x\n", i, status);
	}
	return 0;
}
