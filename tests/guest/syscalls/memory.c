#include "check.h"
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>

static sigjmp_buf jb; static volatile int code; static void *volatile where;
static void segv(int s, siginfo_t *i, void *u) { code = s * 10 + i->si_code; where = i->si_addr; siglongjmp(jb, 1); }
#define faults(x) do { code = 0; if (!sigsetjmp(jb, 1)) { x; } printf("%s: %d\n", #x, code); } while (0)

int main(void) {
    struct sigaction sa = {.sa_sigaction = segv, .sa_flags = SA_SIGINFO}; sigaction(SIGSEGV, &sa, 0); sigaction(SIGBUS, &sa, 0);
    long pg = 4096; char *p = mmap(0, 4 * pg, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); ok(p != MAP_FAILED);
    volatile char *v = p; v[0] = 1; v[3 * pg] = 2;
    show(mprotect(p + pg, pg, PROT_READ)); faults(v[pg] = 1); ok(where == p + pg); show(mprotect(p + pg, pg, PROT_NONE)); faults((void)v[pg + 5]); ok(where == p + pg + 5);
    show(munmap(p + 2 * pg, pg)); faults((void)v[2 * pg]); show(mprotect(p, 4 * pg, PROT_READ)); show(msync(p, 4 * pg, MS_ASYNC)); show(munmap(p + 1, pg)); show(munmap(p, 0));
    ok(mmap(p + 2 * pg, pg, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == p + 2 * pg); show(mmap(p, pg, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0));
    ok(mmap(p, 4 * pg, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == p); ok(v[0] == 0); v[0] = 5; v[4 * pg - 1] = 6;
    show(mmap(0, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)); show(mmap(0, pg, PROT_READ, MAP_ANONYMOUS, -1, 0)); show(mmap(0, pg, PROT_READ, MAP_PRIVATE, -1, 0)); show(mmap(0, pg, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 1)); show(mmap((void *)1, pg, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)); show(mmap(0, 1L << 60, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    char *q = mremap(p, 4 * pg, 64 * pg, MREMAP_MAYMOVE); ok(q != MAP_FAILED); ok(q[0] == 5 && q[4 * pg - 1] == 6 && q[63 * pg] == 0); q = mremap(q, 64 * pg, 2 * pg, 0); ok(q[0] == 5); v = q; faults((void)v[2 * pg]);
    show(mremap(q + 1, pg, pg, 0)); show(mremap((void *)0x10000, pg, pg, 0)); show(mremap(q, 2 * pg, 0, MREMAP_MAYMOVE));
    show(madvise(q, 2 * pg, MADV_DONTNEED)); ok(q[0] == 0); show(madvise(q + 1, pg, MADV_DONTNEED)); show(madvise(q, 100 * pg, MADV_NORMAL)); show(madvise(q, pg, 9999));
    unsigned char vec[4]; q[0] = 1; show(mincore(q, pg, vec)); printf("%d\n", vec[0] & 1); show(mincore(q, 100 * pg, vec)); show(mlock(q, pg)); show(munlock(q, pg));
    char *b = sbrk(0); ok(sbrk(100000) == b); memset(b, 1, 100000); ok((char *)sbrk(0) == b + 100000); sbrk(-100000); ok(sbrk(0) == b);
    char name[] = "/tmp/emumemXXXXXX"; int fd = mkstemp(name); ftruncate(fd, pg + 100); pwrite(fd, "file content", 12, 0);
    char *s = mmap(0, 3 * pg, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), *c = mmap(0, pg, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0); printf("%.12s\n", s);
    memcpy(s, "FILE", 4); show(msync(s, pg, MS_SYNC)); char buf[20] = {0}; pread(fd, buf, 12, 0); puts(buf); memcpy(c + 5, "private", 7); pread(fd, buf, 12, 0); puts(buf); printf("%.12s\n", c); v = s; faults((void)v[2 * pg]); ok(where == s + 2 * pg);
    show(read(fd, s + 2 * pg, 10)); show(mmap(0, pg, PROT_READ, MAP_SHARED, fd, 100)); int ro = open(name, O_RDONLY); show(mmap(0, pg, PROT_READ | PROT_WRITE, MAP_SHARED, ro, 0)); unlink(name);
    int id = shmget(IPC_PRIVATE, 3 * pg, IPC_CREAT | 0600); char *h = shmat(id, 0, 0), *h2 = shmat(id, 0, SHM_RDONLY); ok(h != (void *)-1 && h2 != (void *)-1 && h != h2); strcpy(h, "shared"); puts(h2); struct shmid_ds ds; show(shmctl(id, IPC_STAT, &ds)); printf("%ld %ld\n", (long)ds.shm_segsz, (long)ds.shm_nattch);
    v = h2; faults(v[0] = 1); show(shmdt(h)); show(shmdt(h)); v = h; faults((void)v[0]); show(shmctl(id, IPC_STAT, &ds)); printf("%ld\n", (long)ds.shm_nattch); show(shmctl(id, IPC_RMID, 0)); show(shmdt(h2));
    id = semget(IPC_PRIVATE, 3, 0600); union { int val; struct semid_ds *buf; unsigned short *arr; } arg; struct semid_ds sd; arg.buf = &sd; show(semctl(id, 0, IPC_STAT, arg)); printf("nsems %ld mode %o\n", (long)sd.sem_nsems, sd.sem_perm.mode); ok(labs(sd.sem_ctime - time(0)) < 100); sd.sem_perm.mode = 0640; show(semctl(id, 0, IPC_SET, arg)); show(semctl(id, 0, IPC_STAT, arg)); printf("mode %o\n", sd.sem_perm.mode);
    arg.val = 2; show(semctl(id, 1, SETVAL, arg)); struct sembuf op = {1, -2, 0}; show(semop(id, &op, 1)); op.sem_flg = IPC_NOWAIT; show(semop(id, &op, 1)); struct timespec ts = {0, 5000000}; op.sem_flg = 0; show(semtimedop(id, &op, 1, &ts)); show(semctl(id, 0, IPC_RMID));
    id = msgget(IPC_PRIVATE, 0600); struct { long type; char text[10]; } m = {3, "hi"}; show(msgsnd(id, &m, 3, 0)); m.text[0] = 0; show(msgrcv(id, &m, 10, 3, 0)); puts(m.text); show(msgrcv(id, &m, 10, 0, IPC_NOWAIT)); show(msgctl(id, IPC_RMID, 0));
    struct iovec l = {buf, 4}, r = {q, 4}; q[0] = 'Z'; show(process_vm_readv(getpid(), &l, 1, &r, 1, 0)); printf("%c\n", buf[0]); faults(*(volatile int *)8 = 1); ok(where == (void *)8); faults(*(volatile int *)0x7fffffffff00 = 1);
    struct rlimit rl; show(getrlimit(RLIMIT_AS, &rl)); ok(rl.rlim_cur == RLIM_INFINITY);
}
