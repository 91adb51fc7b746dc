// restart_syscall(2) by a program that has nothing to restart.
#include "check.h"

int main(void) {
    long r = syscall(SYS_restart_syscall);
    printf("restart_syscall: %ld %s\n", r, strerrorname_np(errno));
    r = syscall(SYS_restart_syscall, 0xdeadbeef, 1, 2, 3);
    printf("again: %ld %s\n", r, strerrorname_np(errno));
    return 0;
}
