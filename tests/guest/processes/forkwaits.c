// Forks end no call of other threads: not those either that end with EINTR whatever handler runs (signal(7)).
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int stop;

static int epoll(void) {
	static int e;
	struct epoll_event event;
	if (!e) e = epoll_create1(0);
	return epoll_wait(e, &event, 1, 20) < 0 ? errno : 0;
}

static int receive(void) {
	static int s[2];
	char c;
	if (!s[0]) {
		struct timeval t = {0, 20000};
		socketpair(AF_UNIX, SOCK_DGRAM, 0, s);
		setsockopt(s[0], SOL_SOCKET, SO_RCVTIMEO, &t, sizeof t);
	}
	return recv(s[0], &c, 1, 0) < 0 && errno != EAGAIN ? errno : 0;
}

static int signal_(void) {
	sigset_t set;
	struct timespec t = {0, 20000000};
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	return sigtimedwait(&set, NULL, &t) < 0 && errno != EAGAIN ? errno : 0;
}

static int semaphore = -1;

static int semaphores(void) {
	struct sembuf op = {0, -1, 0};
	struct timespec t = {0, 20000000};
	return semtimedop(semaphore, &op, 1, &t) < 0 && errno != EAGAIN ? errno : 0;
}

static void *wait_(void *call) {
	while (!stop) {
		int e = ((int (*)(void))call)();
		if (e) return strerror(e);
	}
	return "";
}

int main(void) {
	static int (*const calls[])(void) = {epoll, receive, signal_, semaphores};
	static const char *const names[] = {"epoll_wait", "recv", "sigtimedwait", "semtimedop"};
	pthread_t threads[4];
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	semaphore = semget(IPC_PRIVATE, 1, 0600);
	for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, wait_, (void *)calls[i]);
	for (int i = 0; i < 100; i++) {
		pid_t p = i % 2 ? fork() : vfork();
		if (p == 0) _exit(0);
		waitpid(p, NULL, 0);
		usleep(2000);
	}
	printf("restart_syscall: %s\n", syscall(SYS_restart_syscall) < 0 ? strerror(errno) : "nothing");
	stop = 1;
	for (int i = 0; i < 4; i++) {
		void *said;
		pthread_join(threads[i], &said);
		printf("%s: %s\n", names[i], (char *)said);
	}
	semctl(semaphore, 0, IPC_RMID);
	return 0;
}
