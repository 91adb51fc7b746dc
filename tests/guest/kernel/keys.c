// keyrings(7): add_key, request_key, keyctl; which keyrings threads and children share.
#include "../syscalls/check.h"
#include <linux/keyctl.h>

#define keyctl(...) syscall(SYS_keyctl, __VA_ARGS__)
static int key;

static void *thread(void *a) {
	// The process's keyring and the session's are shared, a thread's is its own.
	ok(keyctl(KEYCTL_SEARCH, KEY_SPEC_PROCESS_KEYRING, "user", "emu:process", 0) > 0);
	ok(keyctl(KEYCTL_SEARCH, KEY_SPEC_SESSION_KEYRING, "user", "emu:session", 0) == key);
	show(keyctl(KEYCTL_SEARCH, KEY_SPEC_THREAD_KEYRING, "user", "emu:thread", 0));
	return 0;
}

int main(void) {
	setvbuf(stdout, 0, _IONBF, 0);
	if (keyctl(KEYCTL_JOIN_SESSION_KEYRING, "emu-test") < 0) { printf("SKIP keyrings: %s\n", strerrorname_np(errno)); return 0; }
	key = syscall(SYS_add_key, "user", "emu:session", "payload", 7, KEY_SPEC_SESSION_KEYRING);
	ok(key > 0);
	ok(syscall(SYS_add_key, "user", "emu:process", "p", 1, KEY_SPEC_PROCESS_KEYRING) > 0);
	ok(syscall(SYS_add_key, "user", "emu:thread", "t", 1, KEY_SPEC_THREAD_KEYRING) > 0);
	show(syscall(SYS_add_key, "no such type", "x", "p", 1, KEY_SPEC_SESSION_KEYRING));
	show(syscall(SYS_add_key, 8, "x", "p", 1, KEY_SPEC_SESSION_KEYRING));
	show(syscall(SYS_add_key, "user", "x", 8, 10, KEY_SPEC_SESSION_KEYRING));
	char buf[100] = {0};
	show(keyctl(KEYCTL_READ, key, buf, sizeof buf));
	puts(buf);
	show(keyctl(KEYCTL_READ, key, buf, 2));
	show(keyctl(KEYCTL_READ, key, 8, 20));
	show(keyctl(KEYCTL_UPDATE, key, "longer payload", 14));
	show(keyctl(KEYCTL_READ, key, buf, sizeof buf));
	puts(buf);
	int n = keyctl(KEYCTL_DESCRIBE, key, buf, sizeof buf);
	ok(n > 0 && strstr(buf, "emu:session") && !strncmp(buf, "user;", 5));
	ok(syscall(SYS_request_key, "user", "emu:session", 0, 0) == key);
	show(syscall(SYS_request_key, "user", "emu:none", 0, 0));
	show(keyctl(KEYCTL_SETPERM, key, 0x3f3f0000));
	struct iovec v[2] = {{"ab", 2}, {"cde", 3}};
	int other = keyctl(KEYCTL_INSTANTIATE_IOV, key, v, 2, 0);
	show(other);
	int ring = syscall(SYS_add_key, "keyring", "emu:ring", 0, 0, KEY_SPEC_SESSION_KEYRING);
	ok(ring > 0);
	show(keyctl(KEYCTL_LINK, key, ring));
	int32_t ids[4];
	show(keyctl(KEYCTL_READ, ring, ids, sizeof ids));
	ok(ids[0] == key);
	show(keyctl(KEYCTL_UNLINK, key, ring));
	show(keyctl(KEYCTL_CLEAR, ring));
	show(keyctl(KEYCTL_SET_TIMEOUT, key, 1000));
	pthread_t t;
	pthread_create(&t, 0, thread, 0);
	pthread_join(t, 0);
	int st;
	if (!fork()) {
		show(keyctl(KEYCTL_SEARCH, KEY_SPEC_PROCESS_KEYRING, "user", "emu:process", 0));
		ok(keyctl(KEYCTL_SEARCH, KEY_SPEC_SESSION_KEYRING, "user", "emu:session", 0) == key);
		_exit(0);
	}
	wait(&st);
	show(keyctl(KEYCTL_REVOKE, key));
	show(keyctl(KEYCTL_READ, key, buf, sizeof buf));
	show(keyctl(999, 0, 0, 0, 0));
}
