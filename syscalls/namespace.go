package syscalls

import (
	"emu/internal/forkall"
	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// forChildren are the namespaces that only children enter. A thread that has
// asked for one can make no more threads of its process, so it must not be asked
// for while the runtime's threads have to be made anew.
const forChildren = unix.CLONE_NEWPID | unix.CLONE_NEWTIME

// sysUnshare implements unshare(2).
func sysUnshare(t *Task, a *Args) int64 {
	if root := t.p.root.Load(); root != nil && a[0]&unix.CLONE_FS != 0 {
		root.cwd.Store(cwdShared)
	}
	r := t.host(unix.SYS_UNSHARE, a)
	if r != fail(unix.EINVAL) || a[0]&(unix.CLONE_NEWUSER|unix.CLONE_VM|unix.CLONE_SIGHAND|unix.CLONE_THREAD) == 0 {
		return r
	}
	first := Args{a[0] &^ forChildren}
	if r := t.alone(unix.SYS_UNSHARE, &first); r < 0 {
		return r
	}
	if rest := a[0] & forChildren; rest != 0 {
		return t.host(unix.SYS_UNSHARE, &Args{rest})
	}
	return 0
}

// sysSetns implements setns(2).
func sysSetns(t *Task, a *Args) int64 {
	if t.hidden(a[0]) {
		return fail(unix.EBADF)
	}
	r := t.host(unix.SYS_SETNS, a)
	switch {
	case r != fail(unix.EINVAL) && r != fail(unix.EUSERS), a[1]&unix.CLONE_NEWPID != 0:
		return r
	case r == fail(unix.EUSERS) && childrensTime():
		return r // if it failed, the runtime's threads could not be made anew
	}
	return t.alone(unix.SYS_SETNS, a)
}

// childrensTime reports whether the calling thread's children will be in another time
// namespace than it is in: then it can make no threads.
func childrensTime() bool {
	var own, next unix.Stat_t
	return unix.Stat("/proc/thread-self/ns/time", &own) != nil || unix.Stat("/proc/thread-self/ns/time_for_children", &next) != nil || own.Ino != next.Ino
}

// alone makes a call that the kernel refuses to processes with several threads.
// It is refused to a guest with several, too.
func (t *Task) alone(nr uintptr, a *Args) int64 {
	p := t.p
	t.gather()
	defer forkall.Open()
	defer p.mu.Unlock()
	if p.tasks.len() != 1 || p.tasks.get(p.pid) == nil {
		return fail(unix.EINVAL)
	}
	r, mask, err := hostsig.Alone(forkall.Call{Nr: nr, Args: [6]uintptr{uintptr(a[0]), uintptr(a[1]), uintptr(a[2])}})
	if err != nil {
		return errnoOf(err)
	}
	forkall.RestoreMask(mask)
	return int64(r)
}
