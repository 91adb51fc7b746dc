// What the kernel says to pointers that lead nowhere, of calls that look at them at once, late, only
// sometimes or never: an address can be small, in no mapping, the kernel's, or have a top byte.
#include "check.h"
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/timerfd.h>
#include <linux/futex.h>

#define S(x) do { errno = 0; long r = (long)(x); printf("%s = %ld %s\n", #x, r < 0 ? -1 : r > 2 ? 3 : r, r < 0 ? strerrorname_np(errno) : ""); } while (0)
#define B ((void *)bad)

static const unsigned long bads[] = {1, 0x1001, 0x123456789, 0x7fffffffff000, 0xffff800000000000, -1UL, -4096UL, 0x7000000000000001};

int main(void) {
	setvbuf(stdout, 0, _IONBF, 0);
	for (unsigned i = 0; i < sizeof bads / sizeof *bads; i++) {
		unsigned long bad = bads[i]; printf("-- %lx\n", bad);
		int ep = epoll_create1(0), ev = eventfd(0, EFD_NONBLOCK); struct epoll_event e = {EPOLLIN};
		S(epoll_ctl(ep, EPOLL_CTL_ADD, ev, &e)); S(syscall(SYS_epoll_ctl, ep, EPOLL_CTL_DEL, ev, B)); S(syscall(SYS_epoll_ctl, ep, EPOLL_CTL_ADD, ev, B));
		S(syscall(SYS_epoll_ctl, ep, 77, ev, B));
		S(syscall(SYS_epoll_pwait, ep, B, 4, 0, 0, 8)); S(syscall(SYS_epoll_pwait, ep, B, 0, 0, 0, 8)); S(syscall(SYS_epoll_pwait, ep, &e, 1, 0, B, 8));
		S(syscall(SYS_epoll_pwait, ep, &e, 1, 0, B, 7)); S(syscall(SYS_epoll_pwait, ep, &e, 1, 0, 0, 7));
		int w = 0; S(syscall(SYS_futex, &w, FUTEX_WAKE, 1, B, B, 0)); S(syscall(SYS_futex, &w, FUTEX_WAIT, 1, 0, B, 0));
		S(syscall(SYS_futex, B, FUTEX_WAKE, 1, 0, 0, 0)); S(syscall(SYS_futex, B, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0));
		S(syscall(SYS_futex, &w, FUTEX_REQUEUE, 1, 5, B, 0)); S(syscall(SYS_futex, &w, FUTEX_WAIT, 0, B, 0, 0));
		S(syscall(SYS_futex, &w, FUTEX_WAIT, 1, B, 0, 0));
		int sem = semget(IPC_PRIVATE, 2, 0600); S(semctl(sem, 0, SETVAL, 5)); S(semctl(sem, 0, GETVAL, B)); S(semctl(sem, 0, GETALL, B));
		S(semctl(sem, 0, SETALL, B)); S(semctl(sem, 0, IPC_STAT, B)); S(semctl(sem, 0, SETVAL, B)); S(semctl(sem,0,GETPID,B)); S(semctl(sem, 0, IPC_RMID, B));
		int sh = shmget(IPC_PRIVATE, 4096, 0600); S(shmctl(sh, IPC_STAT, B)); S(shmctl(sh, SHM_LOCK, B));
		S(shmctl(sh, IPC_RMID, B)); int mq = msgget(IPC_PRIVATE, 0600); S(msgctl(mq, IPC_STAT, B)); S(msgrcv(mq, B, 10, 0, IPC_NOWAIT));
		S(msgsnd(mq, B, 10, IPC_NOWAIT)); S(msgctl(mq, IPC_RMID, B));
		int s[2]; socketpair(AF_UNIX, SOCK_STREAM, 0, s); write(s[0], "ab", 2); socklen_t l = 10;
		S(syscall(SYS_recvfrom, s[1], &w, 1, 0, B, &l)); S(syscall(SYS_recvfrom, s[1], &w, 1, 0, 0, B));
		S(syscall(SYS_recvfrom, s[1], &w, 1, MSG_DONTWAIT, B, B));
		S(syscall(SYS_sendto, s[0], "x", 1, 0, 0, 77)); S(syscall(SYS_sendto, s[0], "x", 1, 0, B, 0)); S(syscall(SYS_sendto, s[0], B, 1, 0, 0, 0));
		S(syscall(SYS_sendto, s[0], B, 0, 0, 0, 0));
		S(setsockopt(s[0], SOL_SOCKET, SO_PASSCRED, B, 4)); S(setsockopt(s[0], SOL_SOCKET, SO_PASSCRED, B, 0)); S(setsockopt(s[0], SOL_SOCKET, 999, B, 4));
		S(getsockopt(s[0], SOL_SOCKET, SO_TYPE, B, &l)); S(getsockopt(s[0], SOL_SOCKET, SO_TYPE, &w, B)); S(getsockname(s[0], B, &l));
		S(getsockname(s[0], (void*)&e, B)); S(syscall(SYS_accept4, s[0], B, B, 0)); S(connect(s[0], B, 16)); S(bind(s[0], B, 16)); S(bind(s[0], B, 200));
		S(connect(s[0], B, 0));
		S(syscall(SYS_sendmsg, s[0], B, 0)); S(syscall(SYS_recvmsg, s[1], B, MSG_DONTWAIT));
		S(fcntl(ev, F_GETFD, B)); S(fcntl(ev, F_GETFL, B)); S(fcntl(ev, F_GETLK, B)); S(fcntl(ev, F_SETLK, B)); S(fcntl(ev, F_SETOWN_EX, B));
		S(fcntl(ev, F_GETOWN_EX, B)); S(fcntl(ev, F_GET_RW_HINT, B)); S(fcntl(ev, 9999, B));
		S(ioctl(ev, FIONBIO, B)); S(ioctl(s[0], FIONREAD, B)); S(ioctl(0, TIOCGWINSZ, B)); S(ioctl(s[0], FIOASYNC, B)); S(ioctl(s[0], FIOCLEX, B));
		S(ioctl(s[0], 0x12345678, B));
		S(syscall(SYS_wait4, -1, B, WNOHANG, 0)); S(syscall(SYS_wait4, -1, 0, WNOHANG, B)); S(syscall(SYS_waitid, P_ALL, 0, B, WNOHANG | WEXITED, 0));
		S(syscall(SYS_waitid, 77, 0, B, WNOHANG | WEXITED, B));
		if (!fork()) _exit(3); S(syscall(SYS_wait4, -1, B, 0, 0)); if (!fork()) _exit(3); S(syscall(SYS_wait4, -1, 0, 0, B)); if (!fork()) _exit(3);
		S(syscall(SYS_waitid, P_ALL, 0, B, WEXITED, 0));
		S(syscall(SYS_rt_sigaction, SIGUSR1, B, 0, 8)); S(syscall(SYS_rt_sigaction, SIGUSR1, 0, B, 8)); S(syscall(SYS_rt_sigaction, SIGUSR1, B, B, 7));
		S(syscall(SYS_rt_sigaction, SIGKILL, B, 0, 8)); S(syscall(SYS_rt_sigaction, 99, B, 0, 8)); S(syscall(SYS_rt_sigprocmask, 77, B, 0, 8));
		S(syscall(SYS_rt_sigprocmask, 77, 0, 0, 8)); S(syscall(SYS_rt_sigprocmask, 0, 0, B, 8)); S(syscall(SYS_rt_sigpending, B, 8));
		S(syscall(SYS_rt_sigpending, B, 9)); S(syscall(SYS_rt_sigsuspend, B, 8)); S(syscall(SYS_rt_sigsuspend, B, 7)); S(syscall(SYS_sigaltstack, B, 0));
		S(syscall(SYS_sigaltstack, 0, B)); S(syscall(SYS_rt_sigqueueinfo, getpid(), 0, B));
		S(syscall(SYS_nanosleep, B, 0)); S(syscall(SYS_clock_gettime, 0, B)); S(syscall(SYS_clock_gettime, 99, B)); S(syscall(SYS_clock_getres, 0, B));
		S(syscall(SYS_clock_nanosleep, 0, 0, B, 0)); S(syscall(SYS_clock_nanosleep, 99, 0, B, 0)); S(syscall(SYS_gettimeofday, B, 0));
		S(syscall(SYS_gettimeofday, 0, B)); S(syscall(SYS_getitimer, 0, B)); S(syscall(SYS_setitimer, 0, B, 0)); S(syscall(SYS_setitimer, 9, B, 0));
		S(syscall(SYS_timer_create, 0, B, &w)); S(syscall(SYS_timer_create, 0, 0, B)); S(syscall(SYS_timer_create, 99, 0, B));
		int tf = timerfd_create(CLOCK_MONOTONIC, 0); S(syscall(SYS_timerfd_settime, tf, 0, B, 0)); S(syscall(SYS_timerfd_gettime, tf, B));
		S(syscall(SYS_timerfd_gettime, ev, B)); close(tf);
		S(syscall(SYS_ppoll, B, 1, 0, 0, 8)); struct timespec z = {0, 0}; S(syscall(SYS_ppoll, 0, 0, &z, B, 8)); S(syscall(SYS_ppoll, 0, 0, B, 0, 8));
		S(syscall(SYS_pselect6, 0, B, B, B, &z, 0)); S(syscall(SYS_pselect6, 1, B, 0, 0, &z, 0)); S(syscall(SYS_pselect6, 0, 0, 0, 0, &z, B));
		S(syscall(SYS_pselect6, -1, B, 0, 0, &z, 0));
		S(syscall(SYS_getcwd, B, 100)); S(syscall(SYS_getcwd, B, 0)); S(syscall(SYS_uname, B)); S(syscall(SYS_sysinfo, B)); S(syscall(SYS_getrlimit, 0, B));
		S(syscall(SYS_getrlimit, 99, B)); S(syscall(SYS_setrlimit, 0, B)); S(syscall(SYS_prlimit64, 0, 0, B, 0)); S(syscall(SYS_prlimit64, 0, 0, 0, B));
		S(syscall(SYS_prlimit64, 0, 99, B, B)); S(syscall(SYS_getrusage, 0, B)); S(syscall(SYS_getrusage, 99, B)); S(syscall(SYS_times, B));
		S(syscall(SYS_getgroups, 0, B)); S(syscall(SYS_getgroups, -1, B)); S(syscall(SYS_getresuid, B, &w, &w)); S(syscall(SYS_getcpu, B, 0, B));
		S(syscall(SYS_getcpu, 0, 0, B)); S(syscall(SYS_getrandom, B, 0, 0)); S(syscall(SYS_getrandom, B, 1, 0)); S(syscall(SYS_getrandom, B, 1, 99));
		S(syscall(SYS_openat, AT_FDCWD, B, 0)); S(syscall(SYS_openat, -5, B, 0)); S(syscall(SYS_openat2, AT_FDCWD, "/", B, 24));
		S(syscall(SYS_openat2, AT_FDCWD, "/", B, 1)); S(syscall(SYS_mkdirat, -1, B, 0)); S(syscall(SYS_renameat2, -1, B, -1, "x", 99));
		S(syscall(SYS_newfstatat, -1, B, &e, 0)); S(syscall(SYS_newfstatat, AT_FDCWD, "/", B, 0)); S(syscall(SYS_newfstatat, AT_FDCWD, "/", B, 0x80000000));
		S(syscall(SYS_fstat, ev, B)); S(syscall(SYS_fstat, -1, B)); S(syscall(SYS_statx, AT_FDCWD, "/", 0, 0x7ff, B));
		S(syscall(SYS_statx, AT_FDCWD, B, 0, 0x7ff, &e)); S(syscall(SYS_statfs, "/", B)); S(syscall(SYS_fstatfs, -1, B));
		S(syscall(SYS_readlinkat, AT_FDCWD, "/proc/self", B, 10)); S(syscall(SYS_readlinkat, AT_FDCWD, "/proc/self", B, 0));
		S(syscall(SYS_readlinkat, AT_FDCWD, "/", B, 10)); S(syscall(SYS_utimensat, AT_FDCWD, "/nonexist", B, 0)); S(syscall(SYS_utimensat, -1, 0, B, 0));
		S(syscall(SYS_getdents64, ev, B, 100)); S(syscall(SYS_faccessat, AT_FDCWD, B, 0)); S(syscall(SYS_execve, B, 0, 0));
		S(syscall(SYS_execve, "/nonexist", B, B)); S(syscall(SYS_execve, "/bin/true", B, 0)); S(syscall(SYS_mount, B, B, B, 0, B)); S(syscall(SYS_chroot, B));
		S(syscall(SYS_getxattr, "/", B, 0, 0)); S(syscall(SYS_getxattr, "/", "user.x", B, 10)); S(syscall(SYS_setxattr, "/nonexist", "user.x", B, 10, 0));
		S(syscall(SYS_listxattr, "/", B, 0)); S(syscall(SYS_setxattr, "/", "user.x", B, 10, 99));
		S(syscall(SYS_read, ev, B, 8)); S(syscall(SYS_read, ev, B, 0)); S(syscall(SYS_read, -1, B, 8)); S(syscall(SYS_write, ev, B, 8));
		S(syscall(SYS_write, ev, B, 0)); S(syscall(SYS_readv, ev, B, 1)); S(syscall(SYS_readv, ev, B, 0)); S(syscall(SYS_readv, -1, B, 1));
		S(syscall(SYS_readv, ev, B, 9999)); S(syscall(SYS_pipe2, B, 0)); S(syscall(SYS_pipe2, B, 99)); S(syscall(SYS_socketpair, 1, 1, 0, B));
		S(syscall(SYS_socketpair, 99, 1, 0, B)); S(syscall(SYS_memfd_create, B, 0)); S(syscall(SYS_memfd_create, B, 0x100000));
		S(syscall(SYS_sendfile, 1, 0, B, 0)); S(syscall(SYS_splice, ev, B, ev, 0, 1, 0)); S(syscall(SYS_copy_file_range, ev, B, ev, 0, 1, 0));
		S(syscall(SYS_vmsplice, ev, B, 1, 0)); S(syscall(SYS_process_vm_readv, getpid(), B, 1, B, 1, 0));
		S(syscall(SYS_process_vm_readv, getpid(), B, 0, B, 0, 0)); S(syscall(SYS_process_vm_readv, getpid(), 0, 0, B, 1, 99));
		S(prctl(PR_SET_NAME, B)); S(prctl(PR_GET_NAME, B)); S(prctl(PR_SET_PDEATHSIG, B)); S(prctl(PR_GET_PDEATHSIG, B)); S(prctl(PR_GET_DUMPABLE, B));
		S(prctl(PR_SET_SECCOMP, 2, B)); S(syscall(SYS_seccomp, 1, 0, B)); S(syscall(SYS_seccomp, 2, 0, B)); S(syscall(SYS_seccomp, 0, 0, B));
		S(syscall(SYS_sched_setaffinity, 0, 8, B)); S(syscall(SYS_sched_getaffinity, 0, 8, B)); S(syscall(SYS_sched_getaffinity, 0, 7, B));
		S(syscall(SYS_sched_setparam, 0, B)); S(syscall(SYS_sched_getparam, 0, B)); S(syscall(SYS_sched_setscheduler, 0, 0, B));
		S(syscall(SYS_sched_rr_get_interval, 0, B)); S(syscall(SYS_sched_getattr, 0, B, 48, 0)); S(syscall(SYS_sched_setattr, 0, B, 0));
		S(syscall(SYS_capget, B, 0)); S(syscall(SYS_capset, B, B)); S(syscall(SYS_set_robust_list, B, 24)); S(syscall(SYS_set_robust_list, B, 23));
		S(syscall(SYS_set_robust_list, 0, 24)); S(syscall(SYS_get_robust_list, 0, B, B)); S(syscall(SYS_keyctl, 0, B, 0));
		S(syscall(SYS_add_key, B, B, B, 4, -3)); S(syscall(SYS_mincore, B, 1, &w)); S(syscall(SYS_mincore, &main, 1, B)); S(syscall(SYS_mq_open, B, 0, 0, 0));
		S(syscall(SYS_mq_unlink, B)); S(syscall(SYS_bpf, 0, B, 8)); S(syscall(SYS_perf_event_open, B, 0, -1, -1, 0));
		S(syscall(SYS_fanotify_mark, -1, 0, 0, 0, B)); S(syscall(SYS_inotify_add_watch, -1, B, 0));
		S(syscall(SYS_name_to_handle_at, AT_FDCWD, "/", B, &w, 0)); S(syscall(SYS_pidfd_send_signal, -1, 0, B, 0)); S(syscall(SYS_clone3, B, 88));
		S(syscall(SYS_clone3, B, 1)); S(syscall(SYS_landlock_create_ruleset, B, 8, 0)); S(syscall(SYS_landlock_create_ruleset, B, 0, 1));
		S(syscall(SYS_futex_waitv, B, 1, 0, 0, 0)); S(syscall(SYS_futex_waitv, B, 0, 0, 0, 0)); S(syscall(SYS_process_madvise, -1, B, 1, 0, 0));
		S(syscall(SYS_close_range, 9999999, 1, 0)); S(syscall(SYS_mount_setattr, -1, B, 0, B, 32)); S(syscall(SYS_quotactl, 0, B, 0, B));
		S(syscall(SYS_move_pages, 0, 1, B, 0, B, 0)); S(syscall(SYS_set_mempolicy, 0, B, 64)); S(syscall(SYS_get_mempolicy, B, 0, 0, 0, 0));
		S(syscall(SYS_mbind, 0, 0, 0, B, 64, 0)); S(syscall(SYS_membarrier, 0, 0, 0)); S(syscall(SYS_kcmp, getpid(), getpid(), 7, ev, B));
		S(syscall(SYS_sethostname, B, 5)); S(syscall(SYS_sethostname, B, -1)); S(syscall(SYS_settimeofday, B, 0)); S(syscall(SYS_adjtimex, B));
		S(syscall(SYS_clock_adjtime, 0, B)); S(syscall(SYS_syslog, 3, B, 10)); S(syscall(SYS_syslog, 3, B, -1)); S(syscall(SYS_acct, B));
		S(syscall(SYS_swapon, B, 0)); S(syscall(SYS_delete_module, B, 0)); S(syscall(SYS_init_module, B, 10, B)); S(syscall(SYS_io_setup, 1, B));
		S(syscall(SYS_io_submit, 0, 1, B)); S(syscall(SYS_io_getevents, 0, 0, 1, B, 0)); S(syscall(SYS_lookup_dcookie, 0, B, 10));
		int fds[] = {ep, ev, s[0], s[1]}; for (int k = 0; k < 4; k++) close(fds[k]);
	}
	return 0;
}
