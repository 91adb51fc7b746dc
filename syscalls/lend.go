package syscalls

import (
	"syscall"

	"emu/internal/forkall"
	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// vfork(2) and posix_spawn(3): CLONE_VM and CLONE_VFORK. The child lives in its parent's memory, and the parent's
// thread waits. For the host it is the same: a process of its own in the same memory, that has a copy of what the kernel keeps for a
// process. For Go's runtime the child is the parent's thread (forkall.Loan). Its Process and its Task are its own, as of
// other processes that share memory (sharing.go).
//
// Nothing of emu is copied for it, nor is there anything to tell the parent, and what the child executes begins
// in a process without a history. Where this cannot be, the child is one of fork (vfork_unsafe.go).

// lentFlags are those of clone that a lent thread can serve.
const lentFlags = unix.CLONE_VM | unix.CLONE_VFORK | unix.CLONE_SETTLS | unix.CLONE_PIDFD | unix.CLONE_PARENT_SETTID |
	unix.CLONE_CHILD_SETTID | unix.CLONE_CHILD_CLEARTID | cloneClearSighand

// lends reports whether the child that c asks for may have the caller's thread. It may not if others are to be told of it, or
// if it is to be in namespaces of its own. For a child of the young all threads of the runtime are to exist, for
// which there may be no room.
func (t *Task) lends(c *cloneArgs) bool {
	const both = unix.CLONE_VM | unix.CLONE_VFORK
	p := t.p
	return c.Flags&both == both && c.Flags&^lentFlags == 0 && c.SetTidSize == 0 && c.ExitSignal == uint64(unix.SIGCHLD) &&
		!t.traced() && p.Exit == nil && p.vfork == nil && !p.children.pid && !p.children.time &&
		forkall.CanLend() && !(forkall.Owing() && forkall.NearLimit())
}

// lend makes a child of vfork, which has the calling thread until it executes a program or ends.
func (t *Task) lend(c *cloneArgs) int64 {
	p := t.p
	if c.Flags&unix.CLONE_PIDFD != 0 && !p.Mem.Reach(p.plain(c.Pidfd), 4, unix.PROT_WRITE) {
		return fail(unix.EFAULT)
	}
	forkall.NeedThreads() // those that the child would make were its own, and would end with it
	p.catchDeaths()
	q := p.sharing(c)
	child := t.successor(q, c)
	if child == nil {
		return fail(unix.EAGAIN)
	}
	child.alt = t.alt
	q.sharer.task, q.sharer.lent, q.sharer.lender = child, true, t.tid
	if s := p.sharer; s != nil && s.lent {
		q.sharer.lender = s.lender
	}
	q.sharer.back()
	t.beginStill()
	pid, err := t.th.Lend(child.th, uintptr(c.Flags&unix.CLONE_PIDFD|c.ExitSignal), t.th.ScratchAddr(scratchSmall), t.blocked, func() {
		child.borrow(c, t)
	})
	q.sharer.away()
	child.th.Forget()
	child.free()
	t.endStill()
	if err != nil {
		return errnoOf(err)
	}
	return int64(pid)
}

// borrow is the life of a child of lend. What clone writes to memory it finds there, as its parent will.
func (t *Task) borrow(c *cloneArgs, parent *Task) {
	p := t.p
	p.pid = unix.Getpid()
	if c.Flags&cloneClearSighand != 0 {
		p.resetHandlers()
	}
	t.start(parent.blocked, nil)
	t.forkedIDs(c)
	if c.Flags&unix.CLONE_PARENT_SETTID != 0 {
		save(p, c.ParentTid, uint32(p.pid))
	}
	if c.Flags&unix.CLONE_PIDFD != 0 {
		p.copyOut(c.Pidfd, parent.th.Scratch[scratchSmall:scratchSmall+4])
	}
	t.loop()
	panic("BUG: syscalls: a process survived its end")
}

// catchDeaths has emu take in all signals that end the process, as a child that has its thread inherits: it may end only
// in a system call that gives the thread back.
func (p *Process) catchDeaths() {
	if p.seesDeath() {
		return
	}
	p.sigMu.Lock()
	defer p.sigMu.Unlock()
	p.hasLent.Store(true)
	p.setHostActions()
}

// depart is leave for a process that has its parent's thread, which sees to what it had.
func (t *Task) depart(status, sig int) {
	if sig != 0 {
		hostsig.Expose(sig)
		t.th.Depart(unix.SYS_TGKILL, uintptr(t.p.pid), uintptr(t.tid), uintptr(sig), 0, 0)
		status = 128 + sig // it is none that ends processes
	}
	t.th.Depart(unix.SYS_EXIT_GROUP, uintptr(status&0xff), 0, 0, 0, 0)
	panic("BUG: syscalls: a process survived exit_group")
}

// departBy is depart by execve(2), which may fail.
func (t *Task) departBy(nr, a0, a1, a2, a3, a4, _ uintptr) (r1, r2 uintptr, errno syscall.Errno) {
	return 0, 0, syscall.Errno(-t.th.Depart(nr, a0, a1, a2, a3, a4))
}
