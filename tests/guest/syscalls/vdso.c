// Clocks by way of the vDSO, which faults on bad pointers, and of system calls,
// which fail.
#include "check.h"

#include <sys/time.h>
#include <time.h>

static sigjmp_buf env;
static volatile int code;
static void segv(int sig, siginfo_t *si, void *uc) { code = si->si_code; siglongjmp(env, 1); }

#define FAULTS(call) do { code = 0; if (!sigsetjmp(env, 1)) printf("%s = %d\n", #call, (int)(call)); else printf("%s faults, code %d\n", #call, code); } while (0)

int main(void) {
    struct sigaction sa = {.sa_sigaction = segv, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &sa, 0);
    char *ro = mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *none = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(none + 4096, 4096);
    struct timespec a, b, r;
    struct timeval tv;
    struct timezone tz = {1, 1};
    long back = 0, far = 0;
    for (int i = 0; i < 100000; i++) {
        clock_gettime(CLOCK_MONOTONIC, &a);
        syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &b);
        long d = (b.tv_sec - a.tv_sec) * 1000000000 + b.tv_nsec - a.tv_nsec;
        back += d < 0;
        clock_gettime(CLOCK_REALTIME, &a);
        gettimeofday(&tv, 0);
        d = (tv.tv_sec - a.tv_sec) * 1000000 + tv.tv_usec - a.tv_nsec / 1000;
        far += d < 0 || d > 60000000;
    }
    printf("back %ld, far %ld\n", back, far);
    int ids[] = {CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID, CLOCK_MONOTONIC_RAW, CLOCK_REALTIME_COARSE, CLOCK_MONOTONIC_COARSE, CLOCK_BOOTTIME, CLOCK_TAI, 10, 99, -1};
    for (unsigned i = 0; i < sizeof ids / sizeof *ids; i++) {
        memset(&r, 0, sizeof r);
        int e = clock_gettime(ids[i], &a), f = clock_getres(ids[i], &r), g = clock_getres(ids[i], 0);
        printf("clock %d: %d %d %d, resolution %ld.%09ld\n", ids[i], e, f, g, (long)r.tv_sec, r.tv_nsec);
    }
    printf("%d ", gettimeofday(&tv, &tz)); printf("%d %d\n", tz.tz_minuteswest, tz.tz_dsttime);
    printf("%d\n", (int)syscall(SYS_gettimeofday, 0, 0));
    FAULTS(clock_gettime(CLOCK_MONOTONIC, (void *)16));
    FAULTS(clock_gettime(CLOCK_MONOTONIC, (void *)ro));
    FAULTS(clock_gettime(CLOCK_REALTIME, (void *)(none + 4096)));
    FAULTS(gettimeofday((void *)16, 0));
    FAULTS(gettimeofday((void *)ro, 0));
    FAULTS(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, 0));
    FAULTS(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, 16));
    FAULTS(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, ro));
    FAULTS(syscall(SYS_clock_gettime, CLOCK_MONOTONIC, none + 4088));
    FAULTS(syscall(SYS_gettimeofday, ro, 0));
    FAULTS(syscall(SYS_gettimeofday, &tv, 16));

    // Into pages that hold code, which an emulator may have write-protected.
    unsigned char *code = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int p[2], n = 0;
    if (pipe(p) || write(p[1], "abcdefgh", 8) != 8) return 1;
#if defined __aarch64__
    *(uint32_t *)code = 0xd65f03c0; // ret
#else
    *code = 0xc3; // ret
#endif
    __builtin___clear_cache((char *)code, (char *)code + 4);
    for (int i = 0; i < 4; i++) {
        ((void (*)(void))code)();
        switch (i) {
        case 0: n += clock_gettime(CLOCK_REALTIME, (void *)(code + 2048)) == 0 && *(long *)(code + 2048) > 0; break;
        case 1: n += gettimeofday((void *)(code + 2080), 0) == 0 && *(long *)(code + 2080) > 0; break;
        case 2: n += syscall(SYS_clock_gettime, CLOCK_REALTIME, code + 2112) == 0 && *(long *)(code + 2112) > 0; break;
        case 3: n += read(p[0], code + 2144, 8) == 8 && !memcmp(code + 2144, "abcdefgh", 8); break;
        }
    }
    show(n);
    return 0;
}
