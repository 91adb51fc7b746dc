// Memory policies: set_mempolicy, get_mempolicy, mbind, move_pages, migrate_pages.
#include "../syscalls/check.h"
#include <linux/mempolicy.h>

static void *thread(void *a) {
	int mode = -1;
	unsigned long nodes[16] = {0};
	show(syscall(SYS_get_mempolicy, &mode, nodes, 1024, 0, 0));
	printf("thread: %d %lx\n", mode, nodes[0]);
	return 0;
}

int main(void) {
	setvbuf(stdout, 0, _IONBF, 0);
	unsigned long one[16] = {1}, nodes[16] = {0}, far[16] = {1UL << 40};
	int mode = -1;
	if (syscall(SYS_get_mempolicy, &mode, nodes, 1024, 0, 0)) { printf("SKIP memory policy: %s\n", strerrorname_np(errno)); return 0; }
	printf("%d %lx\n", mode, nodes[0]);
	show(syscall(SYS_set_mempolicy, MPOL_BIND, one, 1024));
	show(syscall(SYS_get_mempolicy, &mode, nodes, 1024, 0, 0));
	printf("%d %lx\n", mode, nodes[0]);
	pthread_t t;
	pthread_create(&t, 0, thread, 0);
	pthread_join(t, 0);
	if (!fork()) { thread(0); _exit(0); }
	wait(0);
	show(syscall(SYS_set_mempolicy, MPOL_BIND, far, 1024));
	show(syscall(SYS_set_mempolicy, MPOL_BIND, 8, 1024));
	show(syscall(SYS_set_mempolicy, 99, one, 1024));
	show(syscall(SYS_get_mempolicy, 8, nodes, 1024, 0, 0));
	show(syscall(SYS_get_mempolicy, &mode, 8, 1024, 0, 0));
	show(syscall(SYS_get_mempolicy, &mode, nodes, 0, 0, 0));
	show(syscall(SYS_set_mempolicy, MPOL_DEFAULT, 0, 0));
	char *p = mmap(0, 4 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	show(syscall(SYS_mbind, p, 2 * 4096, MPOL_PREFERRED, one, 1024, 0));
	show(syscall(SYS_get_mempolicy, &mode, nodes, 1024, p, MPOL_F_ADDR));
	printf("%d %lx\n", mode, nodes[0]);
	show(syscall(SYS_get_mempolicy, &mode, nodes, 1024, p + 2 * 4096, MPOL_F_ADDR));
	printf("%d\n", mode);
	show(syscall(SYS_get_mempolicy, &mode, 0, 0, 8, MPOL_F_ADDR));
	show(syscall(SYS_mbind, p + 1, 4096, MPOL_DEFAULT, 0, 0, 0));
	show(syscall(SYS_mbind, p, 100 * 4096, MPOL_DEFAULT, 0, 0, 0) <= 0);
	show(syscall(SYS_mbind, 0x10000, 4096, MPOL_BIND, one, 1024, MPOL_MF_STRICT));
	p[0] = 1;
	void *pages[3] = {p, p + 4096, (void *)0x10000};
	int status[3] = {9, 9, 9}, to[3] = {0, 0, 0};
	show(syscall(SYS_move_pages, 0, 3, pages, 0, status, 0));
	printf("%d %d %d\n", status[0], status[1], status[2]);
	show(syscall(SYS_move_pages, 0, 1, pages, to, status, MPOL_MF_MOVE) >= 0);
	show(syscall(SYS_move_pages, 0, 1, 8, 0, status, 0));
	show(syscall(SYS_move_pages, 0, 1, pages, 0, 8, 0));
	show(syscall(SYS_migrate_pages, 0, 1024, one, one));
	show(syscall(SYS_migrate_pages, 0, 1024, 8, one));
	show(syscall(450, p, 4096, 0, 0)); // set_mempolicy_home_node
}
