// PR_SET_MDWE: memory that was not executable does not become so.
#include "../syscalls/check.h"
#include <sys/prctl.h>
#include <sys/shm.h>

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#define PR_GET_MDWE 66
#endif
#define REFUSE 1
#define NO_INHERIT 2
#define PAGE 65536 // of either machine's pages a multiple

enum { R = PROT_READ, RW = PROT_READ | PROT_WRITE, RX = PROT_READ | PROT_EXEC, RWX = RW | PROT_EXEC };

static long set(unsigned long bits) { return prctl(PR_SET_MDWE, bits, 0L, 0L, 0L); }
static long get(void) { return prctl(PR_GET_MDWE, 0L, 0L, 0L, 0L); }

static void *map(int prot) { return mmap(0, PAGE, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }

static void changes(void) {
	show(map(RWX) == MAP_FAILED ? -1 : 0);
	char *code = map(RX), *data = map(RW);
	ok(code != MAP_FAILED);
	show(mprotect(code, PAGE, R));
	show(mprotect(code, PAGE, RX));
	code = map(RX);
	show(mprotect(code, PAGE, RX)); // it was
	show(mprotect(code, PAGE, RWX));
	show(mprotect(code, PAGE, PROT_EXEC));
	show(mprotect(data, PAGE, RX));
	show(mprotect(data, PAGE, R));
	show(mprotect(data, PAGE, RW));
	show(mprotect(data, 0, RX));
	show(mprotect(data + 1, PAGE, RX));
	// What lies before is changed already.
	char *three = mmap(0, 3 * PAGE, RX, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	show(mprotect(three + PAGE, PAGE, R));
	show(mprotect(three, 3 * PAGE, PROT_EXEC));
	int fd[2];
	pipe(fd);
	show(write(fd[1], three + PAGE, 1));
	munmap(three + PAGE, PAGE);
	show(mprotect(three, 3 * PAGE, RX));
	int id = shmget(IPC_PRIVATE, PAGE, 0600);
	show(shmat(id, 0, SHM_EXEC) == (void *)-1 ? -1 : 0);
	show(shmat(id, 0, SHM_EXEC | SHM_RDONLY) == (void *)-1 ? -1 : 0);
	shmctl(id, IPC_RMID, 0);
	show(mmap(0, PAGE, RWX, MAP_PRIVATE, 999, 0) == MAP_FAILED ? -1 : 0);
	show(mmap(0, PAGE, RWX, MAP_PRIVATE, open("/proc/self/exe", O_RDONLY), 0) == MAP_FAILED ? -1 : 0);
}

static int in_child(char *program) { // what it has
	int status;
	pid_t child = fork();
	if (child == 0) {
		if (program)
			execl("/proc/self/exe", program, "get", NULL);
		_exit(get());
	}
	waitpid(child, &status, 0);
	return WEXITSTATUS(status);
}

int main(int argc, char **argv) {
	if (argc > 1)
		return get();
	setvbuf(stdout, 0, _IONBF, 0);
	show(get());
	show(set(4));
	show(set(NO_INHERIT));
	show(prctl(PR_SET_MDWE, 1L, 1L, 0L, 0L));
	show(prctl(PR_SET_MDWE, 1L, 0L, 0L, 1L));
	show(prctl(PR_GET_MDWE, 1L, 0L, 0L, 0L));
	show(set(0));
	pid_t child = fork();
	if (child == 0) {
		show(set(REFUSE | NO_INHERIT));
		show(get());
		show(set(REFUSE));
		show(map(RWX) == MAP_FAILED ? -1 : 0);
		show(in_child(0));
		show(in_child(argv[0]));
		execl("/proc/self/exe", argv[0], "get", NULL);
	}
	int status;
	waitpid(child, &status, 0);
	show(WEXITSTATUS(status));
	show(get());
	show(set(REFUSE));
	show(set(REFUSE));
	show(set(0));
	show(set(REFUSE | NO_INHERIT));
	show(get());
	changes();
	show(in_child(0));
	show(in_child(argv[0]));
	return 0;
}
