// Landlock (landlock(7)): what a thread may still do with files is inherited by
// threads, children and programs.
#include "../syscalls/check.h"
#include <linux/landlock.h>
#include <sys/prctl.h>

static void try_(const char *who) {
	char text[100];
	int fd = open("/etc/passwd", O_RDONLY);
	int e1 = fd < 0 ? errno : 0;
	snprintf(text, sizeof text, "/tmp/emull.%d", getpid());
	int fd2 = open(text, O_RDWR | O_CREAT, 0600), e2 = fd2 < 0 ? errno : 0;
	if (fd2 >= 0) unlink(text);
	int fd3 = open("/usr/bin", O_RDONLY | O_DIRECTORY), e3 = fd3 < 0 ? errno : 0;
	printf("%s: %s %s %s\n", who, strerrorname_np(e1), strerrorname_np(e2), strerrorname_np(e3));
	fflush(stdout);
	close(fd); close(fd2); close(fd3);
}

static void *thread(void *a) { try_(a); return 0; }

int main(int argc, char **argv) {
	setvbuf(stdout, 0, _IONBF, 0);
	if (argc > 1) { try_("program"); return 7; }
	struct landlock_ruleset_attr attr = {.handled_access_fs = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG |
		LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_REMOVE_FILE};
	long abi = syscall(SYS_landlock_create_ruleset, 0, 0, LANDLOCK_CREATE_RULESET_VERSION);
	if (abi < 0) {
		printf("SKIP landlock: %s\n", strerrorname_np(errno));
		show(syscall(SYS_landlock_restrict_self, 3, 0));
		return 0;
	}
	show(syscall(SYS_landlock_create_ruleset, &attr, 1, 0));
	show(syscall(SYS_landlock_create_ruleset, 8, sizeof attr, 0));
	int rules = syscall(SYS_landlock_create_ruleset, &attr, sizeof attr, 0);
	ok(rules >= 0);
	struct landlock_path_beneath_attr beneath = {LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_EXECUTE, open("/etc", O_PATH | O_CLOEXEC)};
	show(syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0));
	close(beneath.parent_fd);
	beneath.parent_fd = open("/proc/self/exe", O_PATH | O_CLOEXEC);
	show(syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0));
	show(syscall(SYS_landlock_add_rule, rules, 99, &beneath, 0));
	show(syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, 8, 0));
	try_("before");
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	int exe = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	show(syscall(SYS_landlock_restrict_self, rules, 0));
	try_("main");
	pthread_t t;
	pthread_create(&t, 0, thread, "thread");
	pthread_join(t, 0);
	int st;
	if (!fork()) { try_("child"); _exit(3); }
	wait(&st);
	printf("%x\n", st);
	if (!fork()) { fexecve(exe, (char *[]){"x", "y", 0}, (char *[]){0}); perror("exec"); _exit(99); }
	wait(&st);
	printf("%x\n", st);
}
