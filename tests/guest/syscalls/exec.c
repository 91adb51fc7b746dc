#include "check.h"
extern char **environ;
int main(int c, char **v) {
    printf("argc %d:", c); for (int i = 1; i < c; i++) printf(" [%s]", strncmp(v[i], "/tmp/", 5) ? v[i] : "script"); char *e = getenv("STEP"); printf(" STEP=%s\n", e ? e : "none"); fflush(stdout);
    char self[4096]; int n = readlink("/proc/self/exe", self, sizeof self - 1); self[n] = 0; char path[64]; int fd;
    switch (e ? atoi(e) : 0) {
    case 0: { signal(SIGUSR1, SIG_IGN); signal(SIGURG, SIG_IGN); signal(SIGUSR2, (void *)main); sigset_t m; sigemptyset(&m); sigaddset(&m, SIGTERM); sigprocmask(SIG_BLOCK, &m, 0); open("/dev/null", O_RDONLY | O_CLOEXEC); dup2(open("/dev/zero", O_RDONLY), 20);
        show(execl("/nonexistent", "x", NULL)); show(execl("/tmp", "x", NULL)); show(execl("/etc/passwd", "x", NULL)); char *a[] = {"zero", "one", "", "three with space", 0}, *env[] = {"STEP=1", "A=b", 0}; execve(self, a, env); break; }
    case 1: { struct sigaction s; sigset_t m; sigprocmask(0, 0, &m); printf("argv0 %s blocked %d\n", v[0], sigismember(&m, SIGTERM)); for (int i = 0; i < 3; i++) { int sig[] = {SIGUSR1, SIGURG, SIGUSR2}; sigaction(sig[i], 0, &s); printf("%d ", s.sa_handler == SIG_IGN); } puts(""); show(fcntl(20, F_GETFD)); fflush(stdout);
        fd = memfd_create("script", 0); char s2[5000]; n = sprintf(s2, "#!%s  -x arg \necho\n", self); write(fd, s2, n); sprintf(path, "/tmp/emuexec%d", getpid()); int o = open(path, O_CREAT | O_WRONLY, 0755); write(o, s2, n); close(o); setenv("STEP", "2", 1); setenv("SCRIPT", path, 1); execl(path, "scriptname", "p1", "p2", NULL); break; }
    case 2: ok(c == 5 && !strcmp(v[2], getenv("SCRIPT"))); unlink(getenv("SCRIPT")); return 0;
    }
    perror("exec"); return 1;
}
