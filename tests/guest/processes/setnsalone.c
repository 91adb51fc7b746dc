// setns into a namespace of mounts, again and again: the kernel refuses it while another thread shares
// the working directory, and so does emu not, whose own threads end for it and come back behind it.
#include "../syscalls/check.h"

int main(void) {
	enum { times = 5000 };
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS)) {
		printf("SKIP no namespaces of one's own: %s\n", strerrorname_np(errno));
		return 0;
	}
	int ns = open("/proc/self/ns/mnt", O_RDONLY), refused = 0;
	for (int i = 0; i < times; i++) refused += setns(ns, CLONE_NEWNS) != 0;
	printf("refused %d of %d\n", refused, times);
	return 0;
}
