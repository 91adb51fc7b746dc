package syscalls

import (
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"emu/cpu"
	"emu/internal/forkall"
	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// cloneClearSighand is CLONE_CLEAR_SIGHAND of clone3(2).
const cloneClearSighand = 1 << 32

// forkFlags are the flags that the host's clone sees when the guest makes a
// process. The others are served here: those about memory, TLS and thread ids.
const forkFlags = unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SYSVSEM | unix.CLONE_IO | unix.CLONE_PARENT | unix.CLONE_PIDFD | unix.CLONE_PTRACE |
	unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWTIME | unix.CLONE_INTO_CGROUP

// forking is a fork under way.
type forking struct {
	c      *cloneArgs
	v      *vfork           // nil if the parent goes on at once
	first  bool             // the child is the first in its namespace of process ids
	event  uint32           // that a tracer is told, 0: none
	traced bool             // the child is
	guests []uint32         // threads that the child has not got
	copies []cpu.ShadowCopy // of the child's shadow stacks
}

// fork makes a process: clone without CLONE_THREAD. The child is a full copy of
// emu with the calling guest thread as its only one.
func (t *Task) fork(c *cloneArgs) int64 {
	p := t.p
	hostsig.MaySend(int(c.ExitSignal))
	if p.children.pid && c.Flags&unix.CLONE_NEWPID != 0 {
		return fail(unix.EINVAL) // two at once
	}
	sharesMemory := c.Flags&unix.CLONE_VM != 0 && c.Flags&unix.CLONE_VFORK == 0
	first, e := t.enterPIDs(sharesMemory || c.Flags&unix.CLONE_FILES != 0)
	if e != 0 {
		return fail(e)
	}
	if sharesMemory {
		return t.shareMemory(c)
	}
	if t.lends(c) {
		return t.lend(c)
	}
	if c.Flags&unix.CLONE_PIDFD != 0 && !p.Mem.Reach(p.plain(c.Pidfd), 4, unix.PROT_WRITE) {
		return fail(unix.EFAULT)
	}
	f := &forking{c: c, first: first, event: t.forkEvent(c)}
	f.traced = f.event != 0 || t.traced() && c.Flags&unix.CLONE_PTRACE != 0
	if c.Flags&unix.CLONE_VFORK != 0 {
		var err error
		if f.v, err = newVfork(p.Mem, c.Flags&unix.CLONE_VM != 0); err != nil {
			return errnoOf(err)
		}
		defer f.v.free(p.Mem)
	}
	// Not a variable: the host writes it, and Go may move its stacks until then.
	pidfd := t.th.ScratchAddr(scratchSmall)
	call, keep := hostClone(c, pidfd, f)
	if root := p.root.Load(); root != nil && c.Flags&unix.CLONE_FS != 0 {
		root.cwd.Store(cwdShared)
	}
	if call.SharedFiles = c.Flags&unix.CLONE_FILES != 0; call.SharedFiles {
		p.filesShared.Store(true)
	}
	if t.forker != nil {
		t.forker.BeforeFork()
	}
	if c.ExitSignal != uint64(unix.SIGCHLD) {
		p.kernels.Store(true) // execve makes it SIGCHLD: of the child's own, and of those whose parent executes a program (do_notify_parent)
	}
	forkall.Settle()
	f.guests = t.gather()
	call.SharedMemory, call.Workers = len(p.sharers) != 0, p.workers
	if s := p.sharer; s != nil {
		call.SharedMemory, call.Of, call.As = true, s.with.pid, s.lender
	}
	var ok bool
	if f.copies, ok = t.copyShadow(f.v); !ok {
		p.family().mu.Unlock()
		forkall.Open()
		return fail(unix.ENOMEM)
	}
	pid, mask, err := t.th.Fork(call, f.guests)
	if err == nil && pid == 0 {
		t.beginChild(f)
		return 0
	}
	p.Mem.DropCopies(f.copies)
	p.family().mu.Unlock()
	forkall.Open()
	runtime.KeepAlive(keep)
	if err != nil {
		if e, ok := err.(unix.Errno); ok {
			return fail(e)
		}
		p.Log.Error().Err(err).Msg("fork")
		return fail(unix.EAGAIN)
	}
	forkall.RestoreMask(mask)
	t.tellParent(f, pid)
	return int64(pid)
}

// beginChild is what the calling thread does first in the child.
//
// Preconditions: the gate is closed, the family's mu is held. Neither is any more afterwards.
func (t *Task) beginChild(f *forking) {
	p := t.p
	t.inheritTrace(f.traced) // before a tracer can find the thread
	family := p.family()
	others := family.takeOthers(t)
	p.leaveFamily()
	t.forked(f.c, f.copies)
	family.mu.Unlock()
	forkall.Open()
	for _, o := range others {
		o.free()
	}
	p.vforked(f.v)
	t.inChildrens()
	t.slowDown(slowVfork, p.vfork != nil)
	t.beYoung()
	t.forkedIDs(f.c)
	t.heedTracer()
}

// tellParent tells the parent, and who traces it, of the child.
func (t *Task) tellParent(f *forking, pid int) {
	if f.first {
		t.notePIDs(pid)
	}
	if f.c.Flags&unix.CLONE_PARENT_SETTID != 0 {
		save(t.p, f.c.ParentTid, uint32(pid))
	}
	if f.c.Flags&unix.CLONE_PIDFD != 0 {
		t.p.copyOut(f.c.Pidfd, t.th.Scratch[scratchSmall:scratchSmall+4])
	}
	if f.event != 0 {
		t.eventStop(f.event, uint64(pid))
	}
	if f.v != nil {
		t.awaitVfork(f.v, pid)
		if t.option(ptEventVdone) {
			t.eventStop(ptEventVdone, uint64(pid))
		}
	}
}

// hostClone is the system call that makes the child; keep is what it points to.
// clone3 serves what clone cannot express.
func hostClone(c *cloneArgs, pidfd uintptr, f *forking) (call forkall.Call, keep *cloneArgs) {
	flags := c.Flags & forkFlags &^ unix.CLONE_PTRACE
	if f.traced {
		flags |= unix.CLONE_PTRACE // the host attaches the tracer to the child
	}
	if f.first {
		flags |= unix.CLONE_NEWPID
	}
	if c.SetTidSize == 0 && flags&unix.CLONE_INTO_CGROUP == 0 && flags&(unix.CLONE_NEWTIME) == 0 {
		return forkall.Call{Nr: unix.SYS_CLONE, Args: [6]uintptr{uintptr(flags | c.ExitSignal), 0, pidfd}}, nil
	}
	h := &cloneArgs{Flags: flags, Pidfd: uint64(pidfd), ExitSignal: c.ExitSignal, SetTid: c.SetTid, SetTidSize: c.SetTidSize, Cgroup: c.Cgroup}
	return forkall.Call{Nr: unix.SYS_CLONE3, Args: [6]uintptr{uintptr(unsafe.Pointer(h)), unsafe.Sizeof(*h)}}, h
}

// gather closes the gate with every other guest thread outside and returns the
// ids of those in this process, or in the one whose memory it shares. That one's mu is held then.
func (t *Task) gather() (guests []uint32) {
	p := t.p.family()
	p.mu.Lock()
	alone := p.tasks.len() == 1 && p.tasks.get(p.pid) == t && p.sharers == nil
	p.mu.Unlock()
	if alone { // and only this thread could change that
		forkall.Close(&t.State.Outside)
		p.mu.Lock()
		return nil
	}
	forkall.Gather(&t.State.Outside, p.mu.Lock, p.mu.Unlock, func(yield func(w *forkall.Outside, nudge func()) bool) {
		for o := range p.tasks.all() {
			if o != t && !yield(&o.State.Outside, o.th.Interrupt) {
				return
			}
		}
		for _, o := range p.sharers {
			if o != t && !yield(&o.State.Outside, o.nudgeSharer) {
				return
			}
		}
	})
	for o := range p.tasks.all() {
		if o != t {
			guests = append(guests, uint32(o.tid))
		}
	}
	if p.tasks.get(p.pid) == nil {
		guests = append(guests, uint32(p.pid)) // the main thread has exited and stays a zombie
	}
	return guests
}

// forked makes the process of a child its own: the calling task is all that is
// left of the guest's threads.
//
// Preconditions: the gate is closed, the family's mu is held.
func (t *Task) forked(c *cloneArgs, copies []cpu.ShadowCopy) {
	p := t.p
	if c.Flags&cloneClearSighand != 0 {
		p.resetHandlers()
	}
	p.Mem.Forked(copies)
	if c.Flags&unix.CLONE_VM == 0 {
		p.Mem.ForkedExecGain()
	}
	p.pid = unix.Getpid()
	p.changed.Store(false) // all threads here come from this one
	const plain = unix.CLONE_FS | unix.CLONE_VM | unix.CLONE_VFORK | unix.CLONE_SETTLS | unix.CLONE_PIDFD | unix.CLONE_PARENT_SETTID | unix.CLONE_CHILD_SETTID | unix.CLONE_CHILD_CLEARTID | cloneClearSighand
	if c.Flags&^plain != 0 {
		p.kernels.Store(true) // namespaces give capabilities
	}
	p.stacks = nil // it has no children
	p.leaderExit, p.ending = 0, sync.Once{}
	p.claimed.Store(false)
	p.dumping.Store(false)
	p.last.said.Store(false)
	if t.inPlace = false; p.group.sig.Load() != 0 {
		p.group.sig.Store(0)
	}
	if c.Flags&unix.CLONE_FILES == 0 && p.filesShared.Load() {
		p.filesShared.Store(false)
	}
	t.tid = p.pid
	t.clearTid, t.slack = 0, 0
	t.State.Tid = uint64(t.tid)
	p.tasks.only(t)
	t.th.Forked(t.blocked)
	if p.Strace != nil {
		p.Strace.forked(t)
	}
	if c.Stack != 0 {
		t.State.X[cpu.SP] = c.Stack
	}
	if c.Flags&unix.CLONE_SETTLS != 0 {
		t.State.TPIDR = c.TLS
	}
}

// takeOthers returns all tasks but t and those of processes that share the parent's
// memory: they have no thread in the child of a fork.
func (p *Process) takeOthers(t *Task) []*Task {
	others := slices.DeleteFunc(p.sharers, func(o *Task) bool { return o == t })
	p.sharers = nil
	if p.tasks.len() == 1 && t.p == p {
		return others
	}
	for o := range p.tasks.all() {
		if o != t {
			others = append(others, o)
		}
	}
	return others
}

func (t *Task) free() {
	t.runner.Close()
	t.th.Free()
	t.State.Free()
}

// forkedIDs does in the child what clone's flags ask for about its thread id.
func (t *Task) forkedIDs(c *cloneArgs) {
	if c.Flags&unix.CLONE_CHILD_SETTID != 0 {
		save(t.p, c.ChildTid, uint32(t.tid))
	}
	if c.Flags&unix.CLONE_CHILD_CLEARTID != 0 {
		t.setClearTid(c.ChildTid)
	}
}

// resetHandlers gives every signal that has a handler its default action.
func (p *Process) resetHandlers() {
	p.sigMu.Lock()
	defer p.sigMu.Unlock()
	for sig := 1; sig <= hostsig.Signals; sig++ {
		if p.actions[sig].Handler > sigIgn {
			p.actions[sig] = sigaction{}
			p.setHostAction(sig)
		}
	}
}
