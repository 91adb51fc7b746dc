#include "check.h"

static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t cv = PTHREAD_COND_INITIALIZER; static pthread_barrier_t bar; static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static long counter, turn; static __thread long local = 7; static sem_t sem; static _Atomic long atomicCounter;
static pthread_mutex_t robust, pi; static pthread_key_t key; static _Atomic int destroyed;

static void *add(void *a) { for (int i = 0; i < 20000; i++) { pthread_mutex_lock(&mu); counter++; pthread_mutex_unlock(&mu); atomicCounter++; local++; } return (void *)local; }
static void *ring(void *a) { long me = (long)a; for (int i = 0; i < 200; i++) { pthread_mutex_lock(&mu); while (turn % 4 != me) pthread_cond_wait(&cv, &mu); turn++; pthread_cond_broadcast(&cv); pthread_mutex_unlock(&mu); } return 0; }
static void *meet(void *a) { for (int i = 0; i < 50; i++) { int r = pthread_barrier_wait(&bar); if (r == PTHREAD_BARRIER_SERIAL_THREAD) counter++; } return 0; }
static void *dieLocked(void *a) { pthread_mutex_lock(&robust); return 0; }
static void *sleeper(void *a) { for (;;) sleep(100); }
static void *forever(void *a) { pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, 0); for (;;) counter++; }
static void cleanup(void *v) { destroyed++; }
static void *quick(void *a) { pthread_setspecific(key, (void *)1); return a; }
static void *locker(void *a) { for (int i = 0; i < 2000; i++) { pthread_mutex_lock(&pi); counter++; pthread_mutex_unlock(&pi); } return 0; }
static void *last(void *a) { usleep(20000); printf("last thread: main is gone\n"); fflush(stdout); return 0; }

int main(int argc, char **argv) {
    pthread_t t[8]; void *r;
    for (int i = 0; i < 8; i++) pthread_create(&t[i], 0, add, 0);
    long sum = 0; for (int i = 0; i < 8; i++) { pthread_join(t[i], &r); sum += (long)r; }
    printf("%ld %ld %ld %ld\n", counter, (long)atomicCounter, sum, local);
    for (long i = 0; i < 4; i++) pthread_create(&t[i], 0, ring, (void *)i);
    for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
    printf("turn %ld\n", turn); counter = 0; pthread_barrier_init(&bar, 0, 5);
    for (int i = 0; i < 5; i++) pthread_create(&t[i], 0, meet, 0);
    for (int i = 0; i < 5; i++) pthread_join(t[i], 0);
    printf("barrier %ld\n", counter);
    pthread_mutexattr_t at; pthread_mutexattr_init(&at); pthread_mutexattr_setrobust(&at, PTHREAD_MUTEX_ROBUST); pthread_mutex_init(&robust, &at);
    pthread_create(&t[0], 0, dieLocked, 0); pthread_join(t[0], 0);
    int e = pthread_mutex_lock(&robust); printf("robust: %s\n", strerrorname_np(e)); pthread_mutex_consistent(&robust); show(pthread_mutex_unlock(&robust)); show(pthread_mutex_lock(&robust));
    pthread_mutexattr_init(&at); pthread_mutexattr_setprotocol(&at, PTHREAD_PRIO_INHERIT); pthread_mutex_init(&pi, &at); counter = 0;
    for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, locker, 0);
    for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
    printf("pi %ld\n", counter);
    struct timespec ts; clock_gettime(CLOCK_REALTIME, &ts); ts.tv_nsec += 20000000; if (ts.tv_nsec >= 1000000000) ts.tv_nsec -= 1000000000, ts.tv_sec++;
    double a = now(); pthread_mutex_lock(&mu); printf("timed: %s\n", strerrorname_np(pthread_mutex_timedlock(&mu, &ts))); ok(now() - a > 0.015 && now() - a < 5); pthread_mutex_unlock(&mu);
    sem_init(&sem, 0, 0); clock_gettime(CLOCK_REALTIME, &ts); show(sem_timedwait(&sem, &ts)); show(sem_trywait(&sem));
    show(pthread_rwlock_rdlock(&rw)); show(pthread_rwlock_trywrlock(&rw) == EBUSY); show(pthread_rwlock_unlock(&rw));
    pthread_create(&t[0], 0, sleeper, 0); usleep(10000); show(pthread_cancel(t[0])); pthread_join(t[0], &r); ok(r == PTHREAD_CANCELED);
    pthread_create(&t[0], 0, forever, 0); usleep(10000); show(pthread_cancel(t[0])); pthread_join(t[0], &r); ok(r == PTHREAD_CANCELED);
    pthread_key_create(&key, cleanup);
    for (int i = 0; i < 300; i++) { if (pthread_create(&t[0], 0, quick, (void *)(long)i)) { puts("create"); break; } pthread_join(t[0], &r); if ((long)r != i) puts("value"); }
    printf("destructors %d\n", destroyed);
    pthread_attr_t attr; pthread_attr_init(&attr); pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED); for (int i = 0; i < 50; i++) pthread_create(&t[0], &attr, quick, 0); while (destroyed < 350) sched_yield();
    uint32_t word = 5; show(syscall(SYS_futex, &word, 0, 4, 0, 0, 0)); show(syscall(SYS_futex, &word, 1, 10, 0, 0, 0)); ts = (struct timespec){0, 1000000}; show(syscall(SYS_futex, &word, 0, 5, &ts, 0, 0)); show(syscall(SYS_futex, 8, 0, 5, 0, 0, 0)); show(syscall(SYS_futex, (char *)&word + 1, 0, 5, 0, 0, 0)); show(syscall(SYS_futex, &word, 99, 5, 0, 0, 0));
    show(syscall(SYS_membarrier, 0, 0, 0) > 0); ok(syscall(SYS_gettid) == getpid());
    cpu_set_t cs; ok(sched_getaffinity(0, sizeof cs, &cs) == 0 && CPU_COUNT(&cs) >= 1); unsigned cpu; ok(getcpu(&cpu, 0) == 0);
    fflush(stdout); pthread_create(&t[0], 0, last, 0); pthread_exit(0);
}
