package syscalls

import (
	"bytes"
	"slices"
	"strconv"
	"time"

	"emu/internal/forkall"
	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// A process that shares memory (sharing.go) is a thread for Go's runtime. If it were to end while
// it runs Go code, it would take with it a processor or a lock that the others wait for.
// Signals that end processes are caught therefore, in such a process, and it ends in a system
// call (sharer.leave). Nobody can catch SIGKILL: those who send it to one wait until it is outside.
//
// What another program kills, or any by the process group, may be inside. The others notice when
// they fork.

// family is the process whose threads Go's runtime runs.
func (p *Process) family() *Process {
	if p.sharer != nil {
		return p.sharer.with
	}
	return p
}

// sharerNumbered returns the thread of a process that shares the memory, nil if pid is none.
func (p *Process) sharerNumbered(pid int) *Task {
	f := p.family()
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, o := range f.sharers {
		if o.p.pid == pid {
			return o
		}
	}
	return nil
}

// kill makes the system call nr, which sends sig to the process pid, if that is one that shares the memory
// and cannot catch it.
func (t *Task) kill(pid, sig int, nr uintptr, a *Args) (result int64, made bool) {
	if sig != int(unix.SIGKILL) {
		return 0, false
	}
	o := t.p.sharerNumbered(pid)
	switch o {
	case nil:
		return 0, false
	case t:
		t.p.die(sig, "")
	}
	return t.killOutside(o, nr, a), true
}

// killOutside makes the system call nr, which kills the process of o, while that can run no Go code.
func (t *Task) killOutside(o *Task, nr uintptr, a *Args) (result int64) {
	pidfd, err := unix.PidfdOpen(o.p.pid, 0)
	if err != nil { // no descriptor is left
		return t.quick(nr, a)
	}
	defer unix.Close(pidfd)
	f := t.p.family()
	forkall.Gather(&t.State.Outside, f.mu.Lock, f.mu.Unlock, func(yield func(w *forkall.Outside, nudge func()) bool) {
		if slices.Contains(f.sharers, o) { // or it has ended by itself
			yield(&o.State.Outside, o.nudgeSharer)
		}
	})
	f.mu.Unlock()
	defer forkall.Open()
	if result = t.quick(nr, a); result == 0 {
		o.p.sharer.away()
		awaitEnd(pidfd)
	}
	return result
}

// awaitEnd waits until the process that has been killed is no more, which it delays only in
// a call that the kernel does not interrupt.
func awaitEnd(pidfd int) {
	const patience = 10 * time.Second
	for until := time.Now().Add(patience); time.Now().Before(until); {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}, int(patience.Milliseconds()))
		if n > 0 || err != nil && err != unix.EINTR {
			return
		}
	}
}

// nudgeSharer has a process that shares the memory leave long computations, and ends this one
// if that is gone: it would wait for ever.
func (t *Task) nudgeSharer() {
	if !t.p.sharer.lent && t.p.hasEnded() { // else its parent's thread sees to that
		t.p.Log.Error().Int("pid", t.p.pid).Msg("a process that shares this one's memory was killed while it ran emu's own code: this one cannot go on")
		hostsig.Die(int(unix.SIGKILL))
	}
	t.th.Interrupt()
}

// hasEnded reports whether the process is no more, or a zombie.
func (p *Process) hasEnded() bool {
	if unix.Kill(p.pid, 0) == unix.ESRCH {
		return true
	}
	s := p.statFields(strconv.Itoa(p.pid) + "/stat").state()
	return s == "Z" || s == "X"
}

// pidOf is the number of the process that a pidfd is for, 0 if it is none.
func pidOf(fd uint64) int {
	info, err := readHost("/proc/self/fdinfo/" + strconv.Itoa(int(int32(fd))))
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(info, []byte("\nPid:\t"))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	pid, err := strconv.Atoi(string(line))
	if err != nil {
		return 0
	}
	return pid
}

// sysPidfdSendSignal implements pidfd_send_signal(2).
func sysPidfdSendSignal(t *Task, a *Args) int64 {
	if t.p.sharesMemory() {
		if r, made := t.kill(pidOf(a[0]), int(int32(a[1])), unix.SYS_PIDFD_SEND_SIGNAL, a); made {
			return r
		}
	}
	return t.host(unix.SYS_PIDFD_SEND_SIGNAL, a)
}
