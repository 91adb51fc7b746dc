package syscalls

import (
	"slices"
	"sync"

	"emu/internal/forkall"
	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// forChildren are the namespaces that only children enter. A thread that has
// asked for one can make no more threads of its process, so it must not be asked
// for while the runtime's threads have to be made anew.
const forChildren = unix.CLONE_NEWPID | unix.CLONE_NEWTIME

// childrensNamespaces says which a process's children will be in other than itself. /proc
// cannot be asked: the guest may have entered one of mounts where it shows other processes.
type childrensNamespaces struct {
	mu   sync.Mutex
	pid  bool // another of process ids
	time bool // another of time
	// Descriptors of emu's own for the namespace of process ids that the process is in, and for
	// that of its children; 0 if the latter was made by unshare(2): it can be entered only with a
	// process in it.
	own, next int
	clock     unix.Stat_t // of the process's own namespace of time, since its first setns(2)
}

// sysUnshare implements unshare(2).
func sysUnshare(t *Task, a *Args) int64 {
	if root := t.p.root.Load(); root != nil && a[0]&unix.CLONE_FS != 0 {
		root.cwd.Store(cwdShared)
	}
	r := t.host(unix.SYS_UNSHARE, a)
	if r == fail(unix.EINVAL) && a[0]&(unix.CLONE_NEWUSER|unix.CLONE_VM|unix.CLONE_SIGHAND|unix.CLONE_THREAD) != 0 {
		first := Args{a[0] &^ forChildren}
		if r = t.alone(unix.SYS_UNSHARE, &first); r == 0 && a[0]&forChildren != 0 {
			r = t.host(unix.SYS_UNSHARE, &Args{a[0] & forChildren})
		}
	}
	if r == 0 && a[0]&forChildren != 0 {
		t.p.children.mu.Lock()
		defer t.p.children.mu.Unlock()
		if a[0]&unix.CLONE_NEWPID != 0 {
			t.forgetPIDs()
			t.p.children.pid = true
		}
		t.p.children.time = t.p.children.time || a[0]&unix.CLONE_NEWTIME != 0
	}
	return r
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
	case (r == fail(unix.EINVAL) || r == fail(unix.EUSERS)) && a[1]&unix.CLONE_NEWPID == 0:
		if r == fail(unix.EUSERS) && t.inClock(int(int32(a[0]))) {
			return 0
		}
		return t.alone(unix.SYS_SETNS, a)
	}
	return r
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

// noteEntered notes that setns(2) with fd has chosen a namespace of process ids for the
// children, and keeps descriptors for it and for the process's own.
func (t *Task) noteEntered(fd int, kinds uint64) {
	if kinds == 0 {
		const nsGetType = 0xb703 // NS_GET_NSTYPE
		kind, err := unix.IoctlRetInt(fd, nsGetType)
		if err != nil {
			return
		}
		kinds = uint64(kind)
	}
	if kinds&unix.CLONE_NEWPID == 0 {
		return
	}
	c := &t.p.children
	c.mu.Lock()
	defer c.mu.Unlock()
	t.forgetPIDs()
	c.pid = true
	t.p.mu.Lock()
	threads := t.p.tasks.len()
	t.p.mu.Unlock()
	if threads != 1 || t.p.filesShared.Load() {
		return // calls that need them are refused to it
	}
	own, err := unix.Open("/proc/thread-self/ns/pid", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		if own, err = unix.PidfdOpen(t.p.pid, 0); err != nil {
			return
		}
	}
	var a, b unix.Stat_t
	if unix.Fstat(own, &a) == nil && unix.Fstat(fd, &b) == nil && a.Dev == b.Dev && a.Ino == b.Ino {
		unix.Close(own)
		c.pid = false // back in its own
		return
	}
	c.own, c.next = hostsig.OwnDescriptor(own), hostsig.OwnDescriptor(fd)
	unix.Close(own)
	if c.own < 0 || c.next < 0 {
		unix.Close(c.own)
		unix.Close(c.next)
		c.own, c.next = 0, 0
		return
	}
	t.p.own = append(slices.Clone(t.p.own), c.own, c.next)
	slices.Sort(t.p.own)
}

// forgetPIDs gives the descriptors back.
func (t *Task) forgetPIDs() {
	c := &t.p.children
	if c.own == 0 {
		return
	}
	unix.Close(c.own)
	unix.Close(c.next)
	own, next := c.own, c.next
	t.p.own = slices.DeleteFunc(slices.Clone(t.p.own), func(fd int) bool { return fd == own || fd == next })
	c.own, c.next = 0, 0
}

// inChildrens begins the life of a forked child, which is in all namespaces that were for it.
func (t *Task) inChildrens() {
	if c := &t.p.children; c.pid || c.time { // else it stays in a page that is not copied
		t.forgetPIDs()
		c.pid, c.time = false, false
	}
}

// alone makes a call that the kernel refuses to processes with several threads.
// It is refused to a guest with several, too.
//
// The runtime's threads cannot be made anew by a thread whose children are to be in another
// namespace of process ids (nsenter(1) enters that of mounts after it), so that is left for as
// long. One of time cannot be left, and one that belongs to a user namespace outside not entered
// again.
func (t *Task) alone(nr uintptr, a *Args) int64 {
	c := &t.p.children
	c.mu.Lock()
	pid, time, own, next := c.pid, c.time, c.own, c.next
	c.mu.Unlock() // other threads have to be able to stop
	switch {
	case time, pid && own == 0, pid && unix.Setns(own, unix.CLONE_NEWPID) != nil:
		t.p.Log.Warn().Msg("a process whose children will be in another pid or time namespace cannot enter one that needs a single thread")
		return fail(unix.EINVAL)
	}
	r := t.callAlone(nr, a)
	if pid {
		if err := unix.Setns(next, unix.CLONE_NEWPID); err != nil {
			t.p.Log.Warn().Err(err).Msg("the process's children will not be in the pid namespace that it has chosen for them")
		}
	}
	return r
}

// callAlone is alone for a thread that can make threads.
func (t *Task) callAlone(nr uintptr, a *Args) int64 {
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
