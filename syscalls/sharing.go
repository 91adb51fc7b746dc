package syscalls

import (
	"maps"
	"runtime"

	"emu/internal/forkall"
	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// clone(2) with CLONE_VM but neither CLONE_VFORK nor CLONE_THREAD: two processes that run
// in the same memory. LeakSanitizer makes one, to stop all threads of its parent by
// ptrace(2) and look at what they point to; LinuxThreads were of this kind.
//
// For the host it is what it is for the guest: a process of its own that shares this
// one's memory. For Go's runtime it is one more thread, and one that the guest's thread is
// locked to (hostsig.NewProcess). Its Process has tasks and ids of its own,
// and Memory and engine in common with its parent's.
//
// It has one thread, and makes no processes of its kind. For fork it stops the runtime's
// threads, which are the other process's (forkall.Call.Of).

// sharer says whose memory a process shares.
type sharer struct {
	with *Process // the one whose threads Go's runtime runs
	task *Task
	lent bool // it is a child of vfork, and its thread the parent's: see lend.go
	// lender is the thread that the runtime takes it for then.
	lender int
}

// makes reports whether such a process can make what clone's flags say: not what is a thread for the runtime.
func (*sharer) makes(flags uint64) bool {
	return flags&unix.CLONE_THREAD == 0 && flags&(unix.CLONE_VM|unix.CLONE_VFORK) != unix.CLONE_VM
}

// shareMemory makes a process that shares the caller's memory.
func (t *Task) shareMemory(c *cloneArgs) int64 {
	p := t.p
	if c.SetTidSize != 0 || c.Flags&unix.CLONE_INTO_CGROUP != 0 {
		p.Log.Warn().Str("flags", hex(c.Flags)).Msg("a process that shares its parent's memory (CLONE_VM without CLONE_VFORK) cannot choose its number or control group")
		return fail(unix.EAGAIN)
	}
	if root := p.root.Load(); root != nil && c.Flags&unix.CLONE_FS != 0 {
		root.cwd.Store(cwdShared)
	}
	q := p.sharing(c)
	child := t.newThread(q, c)
	if child == nil {
		return fail(unix.EAGAIN)
	}
	q.sharer.task = child
	if c.Stack == 0 {
		child.alt = t.alt // else it is another stack's, and the kernel drops it
	}
	started := make(chan int)
	go child.sharingThread(c, t.blocked, started)
	pid, err := hostsig.NewProcess(<-started, uintptr(c.Flags&forkFlags&^(unix.CLONE_PIDFD|unix.CLONE_PTRACE)|unix.CLONE_VM|c.ExitSignal))
	if err != nil {
		started <- 0 // the thread, still one of this process, ends
		return errnoOf(err)
	}
	// The child sees what is written here, like the parent.
	if c.Flags&unix.CLONE_PARENT_SETTID != 0 {
		save(p, c.ParentTid, uint32(pid))
	}
	result := int64(pid)
	if c.Flags&unix.CLONE_PIDFD != 0 {
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			result = errnoOf(err)
		} else {
			save(p, c.Pidfd, uint32(fd))
		}
	}
	started <- pid
	<-started
	return result
}

// sharing returns the Process of one that shares p's memory, a copy of p where a child
// of fork has one.
func (p *Process) sharing(c *cloneArgs) *Process {
	q := &Process{Config: p.Config, table: p.table, direct: p.direct, exeHost: p.exeHost, own: p.own, sve: p.sve, described: p.described, sharer: &sharer{with: p.family()}}
	q.AtExit, q.Save = nil, nil // they are p's
	q.personality.Store(p.personality.Load())
	q.serves.Store(p.serves.Load())
	q.topBytes.Store(p.topBytes.Load())
	q.absent.Store(p.absent.Load())
	q.hasLent.Store(p.hasLent.Load())
	q.paths.SetDir(p.paths.Dir())
	root := p.root.Load()
	if root != nil && c.Flags&unix.CLONE_FS == 0 {
		root = root.clone(&q.paths)
	}
	q.root.Store(root)
	if c.Flags&unix.CLONE_FILES != 0 {
		p.filesShared.Store(true)
		q.filesShared.Store(true)
	}
	p.mu.Lock()
	q.shm, q.limits = maps.Clone(p.shm), p.limits
	p.mu.Unlock()
	if c.Flags&unix.CLONE_SIGHAND != 0 {
		p.shareHandlers()
		q.dispositions = p.dispositions
		return q
	}
	q.dispositions = p.dispositions.copy()
	return q
}

// shareHandlers has emu take in all signals: the host's dispositions stay each process's own,
// so that one of them could not know of a handler that another sets.
func (p *Process) shareHandlers() {
	p.takeInAll()
	p.shared = true
}

// ownHandlers ends sharing them.
func (p *Process) ownHandlers() {
	if p.shared {
		p.dispositions = p.dispositions.copy()
	}
}

func (d *dispositions) copy() *dispositions {
	d.sigMu.RLock()
	defer d.sigMu.RUnlock()
	return &dispositions{actions: d.actions, catchAll: d.catchAll}
}

// sharingThread is the life of such a process. Like thread it says on started what to
// replace; it goes on with the number of its process, or 0 if there will be none.
func (t *Task) sharingThread(c *cloneArgs, mask uint64, started chan int) {
	runtime.LockOSThread()
	hostsig.HoldSignals() // none ends the new process before it can end as it has to
	started <- unix.Gettid()
	if <-started == 0 {
		t.free()
		return
	}
	p, with := t.p, t.p.sharer.with
	p.pid = unix.Getpid()
	if c.Flags&cloneClearSighand != 0 {
		p.resetHandlers()
	}
	p.sigMu.Lock() // with CLONE_SIGHAND the dispositions are its parent's, too
	p.setHostActions()
	p.sigMu.Unlock()
	t.start(mask, nil)
	with.mu.Lock()
	with.sharers = append(with.sharers, t)
	with.mu.Unlock()
	t.forkedIDs(c)
	started <- p.pid
	t.loop()
}

// leaveFamily is for a child of fork of a process that shares memory: it shares none.
func (p *Process) leaveFamily() {
	if p.sharer == nil {
		return
	}
	p.AtExit, p.Save = p.sharer.with.AtExit, p.sharer.with.Save
	if p.sharer.lent {
		forkall.TakeProcessLimit()
	}
	p.sharer = nil
}

// leave ends a process that shares memory, with a status or by a signal if that is not 0.
// Go's runtime would wait for a thread that ends while it runs Go: it ends in a system
// call, from which it does not come back.
func (s *sharer) leave(status, sig int) {
	t := s.task
	if s.lent {
		t.depart(status, sig)
	}
	t.runner.Close()
	t.freeShadowStack()
	s.away()
	t.th.Detach()
	if sig != 0 {
		hostsig.Expose(sig)
	}
	if sig != 0 {
		t.th.Uninterrupted(unix.SYS_TGKILL, uintptr(t.p.pid), uintptr(t.tid), uintptr(sig), 0)
		status = 128 + sig // it is none that ends processes
	}
	t.th.Uninterrupted(unix.SYS_EXIT_GROUP, uintptr(status&0xff), 0, 0, 0)
	panic("BUG: syscalls: a process survived exit_group")
}

// away takes the process's thread off the list of those that forks have to wait for, and
// back puts it there again.
func (s *sharer) away() {
	s.with.mu.Lock()
	defer s.with.mu.Unlock()
	for i, t := range s.with.sharers {
		if t == s.task {
			s.with.sharers = append(s.with.sharers[:i:i], s.with.sharers[i+1:]...)
			return
		}
	}
}

func (s *sharer) back() {
	s.with.mu.Lock()
	defer s.with.mu.Unlock()
	s.with.sharers = append(s.with.sharers, s.task)
}
