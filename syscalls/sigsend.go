package syscalls

import (
	"encoding/binary"
	"sync/atomic"

	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// isSoft reports whether sig is one that the host cannot hold back for the guest,
// so that senders within the process queue it themselves.
func isSoft(sig int) bool { return sig >= 1 && sig <= hostsig.Signals && hostsig.Soft&bit(sig) != 0 }

// sentInfo is the siginfo of a signal that the process sends itself.
func (t *Task) sentInfo(sig int, code int32) (info hostsig.Info) {
	le := binary.LittleEndian
	le.PutUint32(info[0:], uint32(sig))
	le.PutUint32(info[8:], uint32(code))
	le.PutUint32(info[16:], uint32(t.p.pid))
	le.PutUint32(info[20:], uint32(unix.Getuid()))
	return info
}

// raiseSelf makes a signal that the thread sends itself the next thing that
// happens to it, which is what the kernel would do, and reports whether it could:
// the guest must catch the signal, not block it, and have no other that waits.
func (t *Task) raiseSelf(sig int, info *hostsig.Info) bool {
	if sig < 1 || sig > hostsig.Signals || t.blocked&bit(sig) != 0 || t.restoreMask || atomic.LoadUint32(&t.slow) != 0 || t.th.Interrupted() {
		return false
	}
	t.p.sigMu.RLock()
	caught := t.p.actions[sig].Handler > sigIgn
	t.p.sigMu.RUnlock()
	if caught {
		t.raised.sig, t.raised.info = sig, *info
	}
	return caught
}

// deliverRaised delivers what raiseSelf took.
func (t *Task) deliverRaised() {
	sig := t.raised.sig
	t.raised.sig = 0
	t.deliver(sig, &t.raised.info)
	t.th.SetSoftMask(t.blocked)
	if !t.done && !t.th.SetMask(t.blocked) {
		t.th.Interrupt()
	}
}

// queue makes a soft signal pending for one thread.
func (p *Process) queue(t *Task, sig int, info *hostsig.Info) {
	p.sigMu.RLock()
	act := p.actions[sig].Handler
	p.sigMu.RUnlock()
	ignored := act == sigIgn || act == sigDfl && defaultIgnored&bit(sig) != 0
	if ignored && !t.th.Blocks(sig) {
		return // sig_ignored in the kernel
	}
	t.th.Queue(sig, info)
}

// queueProcess makes a soft signal pending for a thread that does not block it,
// the main thread if it can.
func (p *Process) queueProcess(sig int, info *hostsig.Info) {
	p.mu.Lock()
	defer p.mu.Unlock()
	best := p.tasks.get(p.pid)
	if best == nil || best.th.Blocks(sig) {
		for t := range p.tasks.all() {
			if !t.th.Blocks(sig) {
				best = t
				break
			}
			if best == nil {
				best = t
			}
		}
	}
	if best != nil {
		p.queue(best, sig, info)
	}
}

// sysKill implements kill(2).
func sysKill(t *Task, a *Args) int64 {
	sig := int(int32(a[1]))
	if pid := int(int32(a[0])); pid != t.p.pid || sig == 0 {
		if r, made := t.kill(pid, sig, unix.SYS_KILL, a); made {
			return r
		}
		return t.host(unix.SYS_KILL, a)
	}
	info := t.sentInfo(sig, siUser)
	// The kernel prefers the main thread.
	if t.tid == t.p.pid && t.raiseSelf(sig, &info) {
		return 0
	}
	if isSoft(sig) {
		t.p.queueProcess(sig, &info)
		return 0
	}
	return t.host(unix.SYS_KILL, a)
}

// sendThread sends sig to a thread: of this process, if tgid says so or is 0. nr is
// the host's call for signals that it can hold back.
func (t *Task) sendThread(tgid, tid, sig int, info *hostsig.Info, nr uintptr, a *Args) int64 {
	if tgid == 0 && (tid == t.tid || unix.Tgkill(t.p.pid, tid, 0) == nil) {
		tgid = t.p.pid
	}
	if r, made := t.kill(tid, sig, nr, a); made { // a process that shares memory has one thread
		return r
	}
	if tgid != t.p.pid {
		return t.quick(nr, a)
	}
	if tid == t.tid && t.raiseSelf(sig, info) {
		return 0
	}
	t.p.mu.Lock()
	defer t.p.mu.Unlock()
	to := t.p.tasks.get(tid)
	if to == nil {
		return fail(unix.ESRCH)
	}
	if !isSoft(sig) {
		return t.quick(nr, a)
	}
	t.p.queue(to, sig, info)
	return 0
}

// sysTkill implements tkill(2).
func sysTkill(t *Task, a *Args) int64 {
	tid, sig := int(int32(a[0])), int(int32(a[1]))
	if tid <= 0 {
		return fail(unix.EINVAL)
	}
	info := t.sentInfo(sig, siTkill)
	return t.sendThread(0, tid, sig, &info, unix.SYS_TKILL, a)
}

// sysTgkill implements tgkill(2).
func sysTgkill(t *Task, a *Args) int64 {
	tgid, tid, sig := int(int32(a[0])), int(int32(a[1])), int(int32(a[2]))
	if tgid <= 0 || tid <= 0 {
		return fail(unix.EINVAL)
	}
	info := t.sentInfo(sig, siTkill)
	return t.sendThread(tgid, tid, sig, &info, unix.SYS_TGKILL, a)
}

// quick makes a host call that does not block.
func (t *Task) quick(nr uintptr, a *Args) int64 {
	return int64(t.th.Quick(nr, uintptr(a[0]), uintptr(a[1]), uintptr(a[2]), uintptr(a[3]), uintptr(a[4]), uintptr(a[5])))
}

// sysRtSigqueueinfo implements rt_sigqueueinfo(2).
func sysRtSigqueueinfo(t *Task, a *Args) int64 {
	sig := int(int32(a[1]))
	if pid := int(int32(a[0])); pid != t.p.pid || !isSoft(sig) {
		if r, made := t.kill(pid, sig, unix.SYS_RT_SIGQUEUEINFO, a); made {
			return r
		}
		return t.host(unix.SYS_RT_SIGQUEUEINFO, a)
	}
	info, e := load[hostsig.Info](t.p, a[2])
	if e != 0 {
		return fail(e)
	}
	binary.LittleEndian.PutUint32(info[0:], uint32(sig))
	t.p.queueProcess(sig, &info)
	return 0
}

// sysRtTgsigqueueinfo implements rt_tgsigqueueinfo(2).
func sysRtTgsigqueueinfo(t *Task, a *Args) int64 {
	tgid, tid, sig := int(int32(a[0])), int(int32(a[1])), int(int32(a[2]))
	if tgid <= 0 || tid <= 0 {
		return fail(unix.EINVAL)
	}
	info, e := load[hostsig.Info](t.p, a[3])
	if e != 0 {
		return fail(e)
	}
	binary.LittleEndian.PutUint32(info[0:], uint32(sig))
	return t.sendThread(tgid, tid, sig, &info, unix.SYS_RT_TGSIGQUEUEINFO, a)
}
