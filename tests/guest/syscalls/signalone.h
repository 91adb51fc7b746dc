// A fork that fails must not have a signal go to all processes, or to the first one.
#pragma once
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static inline int signalOne(pid_t p, int sig) {
	if (p == -1 || p == 1) {
		printf("a signal for process %d\n", p);
		exit(99);
	}
	return kill(p, sig);
}
#define kill(p, sig) signalOne(p, sig)
