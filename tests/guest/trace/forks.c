// Four threads that make children at once, by fork or, if argv[1] says so, by vfork.
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int by_vfork, wrong;
static volatile int counter;

__attribute__((noinline)) int twice(int n)
{
	counter++;
	return 2 * n;
}

static void *make(void *unused)
{
	for (int i = 0; i < 4; i++) {
		int status = 0;
		pid_t pid = by_vfork ? vfork() : fork();
		if (pid == 0 && by_vfork)
			execl("/proc/self/exe", "forks", "child", (char *)NULL);
		if (pid == 0)
			_exit(twice(3));
		twice(i);
		if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 6)
			__sync_fetch_and_add(&wrong, 1);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[4];
	if (!strcmp(argv[1], "child"))
		return twice(3);
	by_vfork = !strcmp(argv[1], "vfork");
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, make, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	printf("%d wrong\n", wrong);
	return 0;
}
