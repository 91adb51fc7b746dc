// What the tests here share: each prints what it sees, and must print the same
// when it runs on the host.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "signalone.h"

// show prints an expression's value and, if it failed, errno's name.
#define show(x) do { errno = 0; long r_ = (long)(x); if (r_ == -1 && errno) printf("%s = -1 %s\n", #x, strerrorname_np(errno)); else printf("%s = %ld\n", #x, r_); } while (0)
// ok prints only whether it holds.
#define ok(x) printf("%s: %s\n", #x, (x) ? "yes" : "NO")
static inline double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec / 1e9; }
