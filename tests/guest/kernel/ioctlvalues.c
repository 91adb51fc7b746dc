// Requests of ioctl(2) that take a number where their own number says that they point to one.
#include "../syscalls/check.h"
#include <linux/fs.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <sys/ioctl.h>
#include <sys/mount.h>

#ifndef NS_GET_TGID_IN_PIDNS
#define NS_GET_TGID_IN_PIDNS _IOR(0xb7, 9, int)
#endif

static void clones(void) {
	char name[] = "/tmp/ioctlvaluesXXXXXX";
	int w = mkstemp(name), r = open(name, O_RDONLY), dir = open("/tmp", O_RDONLY | O_DIRECTORY);
	show(ioctl(r, FICLONE, w));
	show(ioctl(dir, FICLONE, dir));
	show(ioctl(dir, FICLONE, w));
	show(ioctl(w, FICLONE, dir));
	show(ioctl(w, FICLONE, -1));
	unlink(name);
}

static void attribute(const char *name) {
	char path[64], text[32] = "";
	sprintf(path, "/sys/class/net/values0/%s", name);
	int f = open(path, O_RDONLY);
	if (f < 0 || read(f, text, sizeof text - 1) < 0) printf("%s: %s\n", name, strerrorname_np(errno));
	else printf("%s: %s", name, text);
	close(f);
}

static void device(void) {
	struct ifreq r = {.ifr_name = "values0", .ifr_flags = IFF_TUN | IFF_NO_PI | IFF_VNET_HDR};
	int tun = -1;
	if (unshare(CLONE_NEWNET | CLONE_NEWNS) || mount(0, "/", 0, MS_REC | MS_PRIVATE, 0) || mount("sysfs", "/sys", "sysfs", 0, 0) ||
	    (tun = open("/dev/net/tun", O_RDWR)) < 0 || ioctl(tun, TUNSETIFF, &r)) {
		printf("SKIP tun: %s\n", strerrorname_np(errno));
		return;
	}
	show(ioctl(tun, TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4));
	show(ioctl(tun, TUNSETOFFLOAD, 0));
	show(ioctl(tun, TUNSETOWNER, 1000));
	show(ioctl(tun, TUNSETGROUP, 100000));
	attribute("owner");
	attribute("group");
	show(ioctl(tun, TUNSETOWNER, -1));
	attribute("owner");
	show(ioctl(tun, TUNGETIFF, (void *)1)); // an address, and a bad one
	show(ioctl(tun, TUNGETIFF, (void *)-1));
}

int main(void) {
	int ns = open("/proc/self/ns/pid", O_RDONLY), self = ioctl(ns, NS_GET_TGID_IN_PIDNS, getpid());
	if (self == getpid()) printf("tgid: the same\n");
	else show(self);
	clones();
	device();
	return 0;
}
