package syscalls

import (
	"runtime"

	"emu/cpu"
	"emu/internal/forkall"
	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// perThread are the things that clone can leave unshared between threads; the
// new one then unshares them on the host.
const perThread = unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SYSVSEM

const clonePidfdOrNew = unix.CLONE_PIDFD | unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS |
	unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// cloneArgs is the part of struct clone_args (clone3) that the kernel has
// defined so far.
type cloneArgs struct {
	Flags, Pidfd, ChildTid, ParentTid, ExitSignal, Stack, StackSize, TLS uint64
	SetTid, SetTidSize, Cgroup                                           uint64
}

// csignal is the part of clone's flags that is the exit signal.
const csignal = 0xff

const (
	cloneArgsMin = 64 // CLONE_ARGS_SIZE_VER0
	cloneArgsMax = 88
)

// sysClone implements clone(2): flags, stack, parent_tid, tls, child_tid.
func sysClone(t *Task, a *Args) int64 {
	c := cloneArgs{Flags: a[0] &^ csignal & 0xffffffff, ExitSignal: a[0] & csignal, Stack: a[1], ParentTid: a[2], Pidfd: a[2], TLS: a[3], ChildTid: a[4]}
	if a[0]&unix.CLONE_THREAD != 0 {
		own := c
		return t.clone(&own)
	}
	t.forking = c // what is allocated anew lies in pages that the next child shares
	return t.clone(&t.forking)
}

// sysClone3 implements clone3(2).
func sysClone3(t *Task, a *Args) int64 {
	size := a[1]
	if size < cloneArgsMin {
		return fail(unix.EINVAL)
	}
	if size > cpu.PageSize {
		return fail(unix.E2BIG)
	}
	raw := t.scratchBuf(int(size))
	if e := t.p.copyStruct(raw, a[0], cloneArgsMax); e != 0 {
		return fail(e)
	}
	var c cloneArgs
	copy(bytesOf(&c), raw)
	const onlyClone, noSignal = unix.CLONE_DETACHED | csignal&^unix.CLONE_NEWTIME, unix.CLONE_THREAD | unix.CLONE_PARENT
	switch {
	case (c.Stack == 0) != (c.StackSize == 0), c.SetTid != 0 && c.SetTidSize == 0,
		c.Flags&unix.CLONE_INTO_CGROUP != 0 && size < cloneArgsMax,
		c.Flags&^(0xffffffff|cloneClearSighand|unix.CLONE_INTO_CGROUP) != 0, c.Flags&onlyClone != 0,
		c.Flags&unix.CLONE_SIGHAND != 0 && c.Flags&cloneClearSighand != 0,
		c.ExitSignal > hostsig.Signals, c.Flags&noSignal != 0 && c.ExitSignal != 0:
		return fail(unix.EINVAL)
	}
	c.Stack += c.StackSize
	return t.clone(&c)
}

// clone makes a thread or a process. Its checks are those of copy_process in the kernel.
func (t *Task) clone(c *cloneArgs) int64 {
	f := c.Flags
	switch {
	case f&unix.CLONE_SIGHAND != 0 && f&unix.CLONE_VM == 0,
		f&unix.CLONE_THREAD != 0 && f&unix.CLONE_SIGHAND == 0,
		f&unix.CLONE_FS != 0 && f&unix.CLONE_NEWNS != 0:
		return fail(unix.EINVAL)
	case t.p.sharer != nil && !t.p.sharer.makes(f):
		t.p.Log.Warn().Str("flags", hex(f)).Msg("a process that shares its parent's memory makes no threads, nor processes that share it but by vfork")
		return fail(unix.EAGAIN)
	case f&unix.CLONE_THREAD == 0:
		return t.fork(c)
	case f&clonePidfdOrNew != 0 || f&unix.CLONE_VFORK != 0 || c.SetTidSize != 0, t.p.children.pid && t.isOnly():
		return fail(unix.EINVAL)
	}
	if root := t.p.root.Load(); root != nil && f&unix.CLONE_FS == 0 {
		root.cwd.Store(cwdShared)
	}
	child := t.newThread(t.p, c)
	if child == nil {
		return fail(unix.EAGAIN)
	}
	if f&unix.CLONE_VM == 0 || f&unix.CLONE_VFORK != 0 {
		child.alt = t.alt
	}
	child.comm, child.slack = comm(), timerSlack()
	event := t.forkEvent(c)
	if event != 0 {
		child.trace.from = t
	}
	// Each exchange between two goroutines that are locked to their threads is a dozen futex calls.
	tids, inherited := make(chan int, 1), chan struct{}(nil)
	if t.p.changed.Load() {
		inherited = make(chan struct{})
	}
	go child.thread(t, c, tids, inherited)
	if inherited != nil {
		if err := hostsig.Inherit(<-tids); err != nil {
			t.p.Log.Error().Err(err).Msg("a new thread does not inherit what its creator has changed")
		}
		close(inherited)
	}
	tid := int64(<-tids)
	if event != 0 {
		t.eventStop(event, uint64(tid))
	}
	return tid
}

// newThread makes the task of a thread of p that goes on where t is, nil if there is
// no room for it.
func (t *Task) newThread(p *Process, c *cloneArgs) *Task {
	forkall.NeedThreads()
	if !forkall.Room() {
		return nil
	}
	hostsig.ManyProcessors()
	t.p.Mem.Share()
	return t.successor(p, c)
}

// successor makes the task of p that goes on where t is, nil if there is no memory for it.
func (t *Task) successor(p *Process, c *cloneArgs) *Task {
	state, err := cpu.NewState()
	if err != nil {
		return nil
	}
	copyState(state, t.State)
	state.X[0] = 0
	if c.Stack != 0 {
		state.X[cpu.SP] = c.Stack
	}
	if c.Flags&unix.CLONE_SETTLS != 0 {
		state.TPIDR = c.TLS
	}
	child, err := p.newTask(state)
	if err != nil {
		state.Free()
		return nil
	}
	child.inheritVL = t.inheritVL
	if f := t.seccomp.Load(); f != nil {
		child.setFilter(f)
	}
	if !child.newShadowStack(t, c) {
		child.free()
		return nil
	}
	return child
}

// thread is the life of a guest thread other than the main one. The goroutine
// never unlocks its OS thread, so the thread ends with it: the host kernel then
// walks the robust list and clears the child-tid word.
//
// The thread was made by another of the runtime's, not by its creator in the
// guest. If the creator has to see to what it inherits, it says on tids who it is and waits until that
// is done; then it says on tids that it begins, as which thread.
func (t *Task) thread(maker *Task, c *cloneArgs, tids chan<- int, inherited <-chan struct{}) {
	mask := maker.blocked
	runtime.LockOSThread()
	setTimerSlack(t.slack)
	if inherited != nil {
		tids <- unix.Gettid()
		<-inherited
	}
	setComm(t.comm)
	if unshared := perThread &^ c.Flags; unshared != 0 {
		unix.Unshare(int(unshared))
	}
	if c.Flags&unix.CLONE_CHILD_CLEARTID != 0 {
		t.setClearTid(c.ChildTid)
	}
	t.start(mask, maker)
	tid := uint32(t.tid)
	if c.Flags&unix.CLONE_CHILD_SETTID != 0 {
		save(t.p, c.ChildTid, tid)
	}
	if c.Flags&unix.CLONE_PARENT_SETTID != 0 {
		save(t.p, c.ParentTid, tid)
	}
	tids <- t.tid
	t.awaitTracer()
	t.loop()
}

// sysSetTidAddress implements set_tid_address(2).
func sysSetTidAddress(t *Task, a *Args) int64 {
	t.setClearTid(a[0])
	return int64(t.tid)
}

// setClearTid makes addr the word that the kernel clears when the thread ends.
func (t *Task) setClearTid(addr uint64) {
	t.clearTid = addr
	t.whole(&addr, 4)
	rawSetTidAddress(addr)
}

// noteInherited notes that the thread has changed something that the threads it
// makes inherit.
func (t *Task) noteInherited(row *Row) {
	if row.Nr == 167 {
		switch t.call.args[0] { // prctl
		case unix.PR_SET_NO_NEW_PRIVS, unix.PR_SET_KEEPCAPS, unix.PR_SET_SECUREBITS, unix.PR_CAPBSET_DROP, unix.PR_CAP_AMBIENT,
			unix.PR_SET_TIMERSLACK, unix.PR_SET_SPECULATION_CTRL:
		default:
			return
		}
	}
	t.p.changed.Store(true)
}

// sysExit implements exit(2), the end of a thread.
func sysExit(t *Task, a *Args) int64 {
	status := int(int32(a[0]))
	p := t.p
	if t.option(ptEventExit) {
		t.told.Store(true)
		t.eventStop(ptEventExit, uint64(status&0xff)<<8)
	}
	t.done = true
	t.runner.Close()
	p.mu.Lock()
	p.tasks.remove(t)
	last := p.tasks.len() == 0
	p.remindGroup()
	if t.tid == p.pid {
		p.leaderExit = status
	}
	leader := p.leaderExit
	p.mu.Unlock()
	if p.Strace != nil {
		p.Strace.exited(t, status)
	}
	if last {
		p.end(leader)
		return 0
	}
	t.freeShadowStack()
	if addr := t.clearTid; addr != 0 {
		p.Mem.Unguard(addr, addr+4)
		if !p.Mem.OK(addr, 4, unix.PROT_WRITE) {
			t.setClearTid(0) // it may be emu's by now
		}
	}
	t.th.Detach()
	if t.tid == p.pid {
		// Go never ends its first thread, so the kernel does: what waits for it
		// sees a dead group leader, as it should.
		t.th.Call(unix.SYS_EXIT, 0, 0, 0, 0, 0, 0)
		panic("BUG: syscalls: the main thread survived exit")
	}
	t.th.Free()
	t.State.Free()
	forkall.Ended()
	return 0
}

// sysExitGroup implements exit_group(2).
func sysExitGroup(t *Task, a *Args) int64 {
	t.claimEnd()
	t.endTraced(uint64(int32(a[0])&0xff) << 8)
	t.done = true
	if t.p.Strace != nil {
		t.p.Strace.exited(t, int(int32(a[0])))
	}
	t.p.end(int(int32(a[0])))
	return 0
}
