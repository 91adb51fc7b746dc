package syscalls

import (
	"emu/internal/forkall"
	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// sysUnshare implements unshare(2).
func sysUnshare(t *Task, a *Args) int64 {
	if root := t.p.root.Load(); root != nil && a[0]&unix.CLONE_FS != 0 {
		root.cwd.Store(cwdShared)
	}
	c := &t.p.children
	now := *a // what is not put off
	putOff := a[0]&unix.CLONE_NEWPID != 0 && t.canPutOff()
	if putOff {
		if e := t.mayUnsharePIDs(a[0]); e != 0 {
			return fail(e)
		}
		now[0] &^= unix.CLONE_NEWPID
	}
	r := t.host(unix.SYS_UNSHARE, &now)
	if r == fail(unix.EINVAL) && now[0]&(unix.CLONE_NEWUSER|unix.CLONE_VM|unix.CLONE_SIGHAND|unix.CLONE_THREAD) != 0 {
		first := Args{now[0] &^ forChildren}
		if r = t.alone(unix.SYS_UNSHARE, &first); r == 0 && now[0]&forChildren != 0 {
			r = t.host(unix.SYS_UNSHARE, &Args{now[0] & forChildren})
		}
	}
	if r != 0 || a[0]&forChildren == 0 {
		return r
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if a[0]&unix.CLONE_NEWPID != 0 {
		c.pid, c.entered = true, !putOff
	}
	c.time = c.time || a[0]&unix.CLONE_NEWTIME != 0
	return 0
}

// sysSetns implements setns(2).
func sysSetns(t *Task, a *Args) int64 {
	if t.hidden(a[0]) {
		return fail(unix.EBADF)
	}
	c := &t.p.children
	c.mu.Lock()
	if c.clock.Ino == 0 {
		unix.Stat("/proc/thread-self/ns/time", &c.clock)
	}
	c.mu.Unlock()
	r := t.host(unix.SYS_SETNS, a)
	switch {
	case r == 0:
		t.noteEntered(int(int32(a[0])), a[1])
	case (r == fail(unix.EINVAL) || r == fail(unix.EUSERS)) && a[1]&unix.CLONE_NEWPID != 0 && a[1] != unix.CLONE_NEWPID:
		// Several namespaces of a process, by its pidfd: that of process ids last, behind which there are no more threads.
		if r = t.alone(unix.SYS_SETNS, &Args{a[0], a[1] &^ unix.CLONE_NEWPID}); r != 0 {
			return r
		}
		t.noteClock(int(int32(a[0])))
		if r = t.host(unix.SYS_SETNS, &Args{a[0], unix.CLONE_NEWPID}); r == 0 {
			t.noteEntered(int(int32(a[0])), unix.CLONE_NEWPID)
		}
	case (r == fail(unix.EINVAL) || r == fail(unix.EUSERS)) && a[1]&unix.CLONE_NEWPID == 0:
		if r == fail(unix.EUSERS) && t.inClock(int(int32(a[0]))) {
			return 0
		}
		r = t.alone(unix.SYS_SETNS, a)
		if r == 0 {
			t.noteClock(int(int32(a[0])))
		}
	}
	return r
}

// noteClock notes that setns(2) with fd has chosen a namespace of time, if it has.
func (t *Task) noteClock(fd int) {
	c := &t.p.children
	c.mu.Lock()
	defer c.mu.Unlock()
	if isTimeNamespace(fd) {
		unix.Fstat(fd, &c.clock)
	} else {
		unix.Stat("/proc/thread-self/ns/time", &c.clock) // a process's namespaces may have been chosen, by its pidfd
	}
}

const (
	nsGetUserns = 0xb701 // NS_GET_USERNS
	nsGetType   = 0xb703 // NS_GET_NSTYPE
)

func isTimeNamespace(fd int) bool {
	kind, err := unix.IoctlRetInt(fd, nsGetType)
	return err == nil && kind == unix.CLONE_NEWTIME
}

// mayEnterTime makes the kernel's check for the right to enter a namespace of time (timens_install): to
// have CAP_SYS_ADMIN where it belongs to, which is the process's own namespace of users or one below.
func mayEnterTime(fd int) bool {
	owner, err := unix.IoctlRetInt(fd, nsGetUserns)
	if err != nil {
		return false
	}
	unix.Close(owner)
	return capable(unix.CAP_SYS_ADMIN)
}

// inClock reports whether a descriptor is of the namespace of time that the process and its
// children are in: container runtimes enter all of a container's, whichever it has for itself.
func (t *Task) inClock(fd int) bool {
	c := &t.p.children
	c.mu.Lock()
	defer c.mu.Unlock()
	var st unix.Stat_t
	return !c.time && unix.Fstat(fd, &st) == nil && st.Dev == c.clock.Dev && st.Ino == c.clock.Ino
}

// alone makes a call that the kernel refuses to processes with several threads.
// It is refused to a guest with several, too.
//
// The runtime's threads cannot be made anew by a thread whose children are to be in another
// namespace of process ids (nsenter(1) enters that of mounts after it), so that is left until
// there is a child. One of time can only be left for another, which children are in as well then.
func (t *Task) alone(nr uintptr, a *Args) int64 {
	c := &t.p.children
	c.mu.Lock()
	time := c.time
	c.mu.Unlock() // other threads have to be able to stop
	if fd := int(int32(a[0])); time && nr == unix.SYS_SETNS && isTimeNamespace(fd) {
		if !mayEnterTime(fd) { // it must not fail: there would be no way back
			return fail(unix.EPERM)
		}
		if t.leavePIDs() {
			r := t.callAlone(nr, a)
			if r == 0 {
				c.mu.Lock()
				c.time = false
				c.mu.Unlock()
			}
			return r
		}
	}
	if time || !t.leavePIDs() {
		t.p.Log.Warn().Msg("a process whose children will be in another pid or time namespace cannot enter one that needs a single thread")
		return fail(unix.EINVAL)
	}
	return t.callAlone(nr, a)
}

// callAlone is alone for a thread that can make threads.
func (t *Task) callAlone(nr uintptr, a *Args) int64 {
	p := t.p
	t.gather()
	defer forkall.Open()
	defer p.mu.Unlock()
	if p.tasks.len() != 1 || p.tasks.get(p.pid) == nil || len(p.workers()) != 0 {
		return fail(unix.EINVAL)
	}
	r, mask, err := hostsig.Alone(forkall.Call{Nr: nr, Args: [6]uintptr{uintptr(a[0]), uintptr(a[1]), uintptr(a[2])}, Workers: p.workers})
	if err != nil {
		return errnoOf(err)
	}
	forkall.RestoreMask(mask)
	return int64(r)
}
