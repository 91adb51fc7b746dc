// name_to_handle_at, open_by_handle_at, and fanotify(7).
#include "../syscalls/check.h"
#include <sys/fanotify.h>

int main(void) {
	setvbuf(stdout, 0, _IONBF, 0);
	char dir[] = "/tmp/emufanXXXXXX", name[100], link[100];
	mkdtemp(dir);
	sprintf(name, "%s/file", dir);
	sprintf(link, "%s/link", dir);
	int fd = open(name, O_CREAT | O_RDWR, 0600), mount = -1;
	write(fd, "content", 7);
	symlink("file", link);
	struct { struct file_handle h; char room[128]; } h = {{0}}, l = {{128}};
	show(name_to_handle_at(AT_FDCWD, name, &h.h, &mount, 0));
	ok(h.h.handle_bytes > 0);
	show(name_to_handle_at(AT_FDCWD, name, &h.h, &mount, 0));
	ok(mount > 0);
	show(name_to_handle_at(AT_FDCWD, link, &l.h, &mount, AT_SYMLINK_FOLLOW));
	ok(h.h.handle_bytes == l.h.handle_bytes && h.h.handle_type == l.h.handle_type && !memcmp(h.room, l.room, h.h.handle_bytes));
	l.h.handle_bytes = 128;
	show(name_to_handle_at(AT_FDCWD, link, &l.h, &mount, 0));
	ok(memcmp(h.room, l.room, h.h.handle_bytes) != 0);
	l.h.handle_bytes = 128;
	show(name_to_handle_at(fd, "", &l.h, &mount, AT_EMPTY_PATH));
	show(name_to_handle_at(fd, "", &l.h, &mount, 0));
	l.h.handle_bytes = 500;
	show(name_to_handle_at(fd, "", &l.h, &mount, AT_EMPTY_PATH));
	show(name_to_handle_at(AT_FDCWD, name, (void *)8, &mount, 0));
	show(name_to_handle_at(AT_FDCWD, name, &h.h, (void *)8, 0));
	show(name_to_handle_at(AT_FDCWD, name, &h.h, &mount, 1));
	int at = open(dir, O_RDONLY), by = open_by_handle_at(at, &h.h, O_RDONLY | O_CLOEXEC);
	if (by < 0 && errno == EPERM) puts("SKIP open_by_handle_at: EPERM");
	char buf[20] = {0};
	show(read(by, buf, 20));
	puts(buf);
	show(open_by_handle_at(at, (void *)8, O_RDONLY));
	show(open_by_handle_at(999, &h.h, O_RDONLY));
	show(open_by_handle_at(at, &h.h, O_DIRECTORY));
	unlink(name);

	int fan = fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC | FAN_NONBLOCK, O_RDONLY | O_LARGEFILE);
	if (fan < 0) { printf("SKIP fanotify: %s\n", strerrorname_np(errno)); goto out; }
	show(fanotify_mark(fan, FAN_MARK_ADD | FAN_MARK_ONLYDIR, FAN_OPEN | FAN_CLOSE_WRITE | FAN_EVENT_ON_CHILD, AT_FDCWD, dir));
	show(fanotify_mark(fan, FAN_MARK_ADD, 1ULL << 50, AT_FDCWD, dir));
	show(fanotify_mark(fan, FAN_MARK_ADD, FAN_OPEN, AT_FDCWD, "/none"));
	show(fanotify_mark(fan, FAN_MARK_ADD, FAN_OPEN, AT_FDCWD, (void *)8));
	fd = open(name, O_CREAT | O_RDWR, 0600);
	write(fd, "x", 1);
	close(fd);
	char events[4096];
	int n = read(fan, events, sizeof events);
	struct fanotify_event_metadata *m = (void *)events;
	for (; FAN_EVENT_OK(m, n); m = FAN_EVENT_NEXT(m, n)) {
		char p[50], path[200] = {0};
		sprintf(p, "/proc/self/fd/%d", m->fd);
		readlink(p, path, 199);
		printf("%llx %d %s\n", (unsigned long long)m->mask, m->pid == getpid(), strrchr(path, '/'));
		close(m->fd);
	}
	show(read(fan, events, sizeof events));
	// Permission events: another thread waits for the answer.
	show(fanotify_mark(fan, FAN_MARK_ADD, FAN_OPEN_PERM, AT_FDCWD, name));
	fcntl(fan, F_SETFL, 0);
	for (int i = 0; i < 2; i++) {
		pid_t c = fork();
		if (!c) { int f = open(name, O_RDONLY); _exit(f < 0 ? errno : 0); }
		n = read(fan, events, sizeof events);
		m = (void *)events;
		struct fanotify_response r = {m->fd, i ? FAN_DENY : FAN_ALLOW};
		printf("%llx\n", (unsigned long long)m->mask & FAN_OPEN_PERM);
		show(write(fan, &r, sizeof r));
		close(m->fd);
		int st;
		waitpid(c, &st, 0);
		puts(strerrorname_np(WEXITSTATUS(st)));
		fcntl(fan, F_SETFL, O_NONBLOCK);
		while (read(fan, events, sizeof events) > 0);
		fcntl(fan, F_SETFL, 0);
	}
	show(fanotify_init(0x10000000, 0));
out:
	unlink(name);
	unlink(link);
	rmdir(dir);
}
