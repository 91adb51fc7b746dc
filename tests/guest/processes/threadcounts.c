// How many threads /proc says that other processes have: ps, top and their kind show it.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../syscalls/signalone.h"

static void *waits(void *arg) {
	for (;;)
		pause();
	return NULL;
}

static int field(pid_t pid, const char *dir, int n) { // of stat, from 3 on
	char name[64], text[1024] = "";
	snprintf(name, sizeof name, "/proc/%d/%sstat", pid, dir);
	FILE *f = fopen(name, "r");
	if (!f || !fgets(text, sizeof text, f))
		return -1;
	fclose(f);
	char *p = strrchr(text, ')') + 2;
	for (; n > 3 && p; n--)
		p = strchr(p, ' ') + 1;
	return atoi(p);
}

static long status(pid_t pid, const char *key) {
	char name[64], line[256];
	long v = -1;
	snprintf(name, sizeof name, "/proc/%d/status", pid);
	FILE *f = fopen(name, "r");
	while (f && fgets(line, sizeof line, f))
		if (!strncmp(line, key, strlen(key)))
			v = atol(line + strlen(key) + 1);
	if (f)
		fclose(f);
	return v;
}

int main(void) {
	for (int n = 0; n < 5; n += 2) {
		int p[2];
		pipe(p);
		pid_t pid = fork();
		if (pid == 0) {
			pthread_t t;
			for (int i = 0; i < n; i++)
				pthread_create(&t, NULL, waits, NULL);
			write(p[1], "", 1);
			waits(NULL);
		}
		char c, dir[32];
		read(p[0], &c, 1);
		snprintf(dir, sizeof dir, "task/%d/", pid);
		printf("stat %d task's %d status %ld parent %d size %s\n", field(pid, "", 20), field(pid, dir, 20), status(pid, "Threads"),
			field(pid, "", 4) == getpid(), status(pid, "VmSize") > 0 && status(pid, "VmSize") < 4 << 20 ? "small" : "huge");
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	return 0;
}
