// Opening files of /proc whose content is made for the guest fails where it fails for all: with O_EXCL, O_DIRECTORY, and where
// /proc is mounted without them.
#include "../syscalls/check.h"
#include <sched.h>
#include <sys/mount.h>

static const char *const names[] = {
	"/proc/cpuinfo", "/proc/self/maps", "/proc/self/smaps", "/proc/self/auxv", "/proc/self/cmdline", "/proc/self/environ", "/proc/self/limits",
	"/proc/self/stat", "/proc/self/status", "/proc/self/comm", "/proc/self/smaps_rollup", "/proc/thread-self/maps", "/proc/version",
};
static const struct { const char *name; int flags; } ways[] = {
	{"read", O_RDONLY}, {"both", O_RDWR}, {"directory", O_RDONLY | O_DIRECTORY}, {"create", O_RDONLY | O_CREAT}, {"exclusive", O_RDONLY | O_CREAT | O_EXCL}, {"path", O_PATH},
};

static void look(const char *where) {
	printf("- %s\n", where);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		printf("%s:", names[i]);
		for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
			int fd = open(names[i], ways[w].flags, 0600);
			printf(" %s %s", ways[w].name, fd < 0 ? strerrorname_np(errno) : "ok");
			if (fd >= 0) close(fd);
		}
		puts("");
	}
}

int main(void) {
	look("all of /proc");
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) || mount("proc", "/proc", "proc", 0, "subset=pid")) {
		printf("SKIP mounts: %s\n", strerrorname_np(errno));
		return 0;
	}
	look("processes only");
	umount2("/proc", MNT_DETACH);
	return 0;
}
