package syscalls

import (
	"slices"
	"sync"

	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// forChildren are the namespaces that only children enter. A thread that has
// asked for one can make no more threads of its process, so it must not be asked
// for while the runtime's threads have to be made anew.
const forChildren = unix.CLONE_NEWPID | unix.CLONE_NEWTIME

// childrensNamespaces says which namespaces a process's children will be in other than
// itself. /proc cannot be asked: the guest may have entered one of mounts where it shows other
// processes.
//
// The host learns of one of process ids as late as it can: a process that executes a program
// has to make the threads of the emu that runs it, and one without privileges in the
// namespace that it is in (unshare -Urp) cannot return there. So unshare(2) only notes what it was asked
// for, the first child makes the namespace as it is cloned, and the second one is the first that the
// namespace has to be entered for.
type childrensNamespaces struct {
	mu   sync.Mutex
	pid  bool // another of process ids
	time bool // another of time

	entered bool // the host knows of that of process ids
	// A descriptor of emu's own by which setns(2) finds it: its own or its first process's.
	// 0 if it has yet to be made, or if the host alone knows it; -1 if its first process is gone.
	next int
	// The program before this one had the privilege to ask for it, and this one has it for that alone.
	lent bool

	clock unix.Stat_t // of the process's own namespace of time, since its first setns(2)
}

// canPutOff reports whether a namespace of process ids can be left for the first child to
// make. Other threads would make theirs in it, and who shares descriptors would see emu's.
func (t *Task) canPutOff() bool { return t.isOnly() && !t.p.filesShared.Load() }

// isOnly reports whether the process has no other thread.
func (t *Task) isOnly() bool {
	t.p.mu.Lock()
	defer t.p.mu.Unlock()
	return t.p.tasks.len() == 1
}

// mayUnsharePIDs makes the kernel's checks for unshare(2) with flags that have CLONE_NEWPID, but
// for the limits on such namespaces, which the first child meets.
func (t *Task) mayUnsharePIDs(flags uint64) unix.Errno {
	c := &t.p.children
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.pid:
		return unix.EINVAL
	case flags&unix.CLONE_NEWUSER != 0: // it will have all capabilities in the new one
		return 0
	case capabilities().Effective&sysAdmin == 0:
		return unix.EPERM
	}
	return 0
}

// noteEntered notes that setns(2) with fd has chosen a namespace of process ids for the
// children, and keeps a descriptor for it.
func (t *Task) noteEntered(fd int, kinds uint64) {
	if kinds == 0 {
		kind, err := unix.IoctlRetInt(fd, nsGetType)
		if err != nil {
			return
		}
		kinds = uint64(kind)
	}
	if kinds&unix.CLONE_NEWPID == 0 {
		return
	}
	single := t.canPutOff()
	c := &t.p.children
	c.mu.Lock()
	defer c.mu.Unlock()
	t.forgetPIDs()
	var own, its unix.Stat_t
	c.pid = unix.Stat("/proc/thread-self/ns/pid", &own) != nil || unix.Fstat(fd, &its) != nil || own.Dev != its.Dev || own.Ino != its.Ino
	c.entered = c.pid
	if c.pid && single { // calls that need a single thread are refused to others
		t.keepPIDs(fd)
	}
}

// keepPIDs keeps a copy of fd for entering the namespace again.
//
// Preconditions: t.p.children.mu is held.
func (t *Task) keepPIDs(fd int) {
	if own := hostsig.OwnDescriptor(fd); own >= 0 {
		t.p.children.next = own
		t.p.own = append(slices.Clone(t.p.own), own)
		slices.Sort(t.p.own)
	}
}

// forgetPIDs gives the descriptor back.
//
// Preconditions: t.p.children.mu is held.
func (t *Task) forgetPIDs() {
	c := &t.p.children
	if c.next > 0 && !t.p.filesShared.Load() {
		unix.Close(c.next)
		t.p.own = slices.DeleteFunc(slices.Clone(t.p.own), func(fd int) bool { return fd == c.next })
	}
	c.next = 0
}

// leavePIDs has the host's thread return from the children's namespace of process ids to its own, until
// there is a child or the host's program to run. It reports whether threads can be made then.
func (t *Task) leavePIDs() bool {
	c := &t.p.children
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.pid || !c.entered {
		return true
	}
	if c.next == 0 {
		return false
	}
	self, err := unix.PidfdOpen(t.p.pid, 0)
	if err != nil {
		return false
	}
	defer unix.Close(self)
	c.entered = unix.Setns(self, unix.CLONE_NEWPID) != nil
	return !c.entered
}

// enterPIDs is what the host has to know before there is a child: first is set if the child is
// to be the first in its namespace of process ids, which clone(2) makes.
func (t *Task) enterPIDs(shared bool) (first bool, e unix.Errno) {
	c := &t.p.children
	if !c.pid || c.entered {
		return false, 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var err error
	switch {
	case c.next < 0:
		return false, unix.ENOMEM // as the kernel calls it
	case c.next > 0:
		err = unix.Setns(c.next, unix.CLONE_NEWPID)
	case !shared:
		return true, 0
	default: // its number would be in a table of descriptors that others see
		err = unix.Unshare(unix.CLONE_NEWPID)
	}
	switch {
	case err == unix.ESRCH:
		return false, unix.ENOMEM
	case err != nil:
		return false, err.(unix.Errno)
	}
	c.entered = true
	c.giveBack()
	return false, 0
}

// notePIDs keeps a descriptor for the first process of the children's namespace.
func (t *Task) notePIDs(pid int) {
	c := &t.p.children
	c.mu.Lock()
	defer c.mu.Unlock()
	if fd, err := unix.PidfdOpen(pid, 0); err == nil {
		t.keepPIDs(fd)
		unix.Close(fd)
	}
	if c.next == 0 { // it has gone unnoticed, or there is no descriptor free
		c.next = -1
	}
}

// inChildrens begins the life of a forked child, which is in all namespaces that were for it.
func (t *Task) inChildrens() {
	if c := &t.p.children; c.pid || c.time { // else it stays in a page that is not copied
		t.forgetPIDs()
		if c.time {
			c.clock = unix.Stat_t{}
		}
		c.pid, c.time, c.entered = false, false, false
		c.giveBack()
	}
}
