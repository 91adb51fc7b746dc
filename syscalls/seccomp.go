package syscalls

import (
	"encoding/binary"
	"runtime"
	"syscall"

	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// seccomp(2): the filters run here, on the guest's calls. They do not see the
// calls that emu makes of its own, which are no more than what the guest could
// have caused before.

// Operations, flags and actions (linux/seccomp.h).
const (
	seccompStrict     = 0
	seccompFilterMode = 1
	seccompAvail      = 2
	seccompSizes      = 3

	seccompTsync        = 1
	seccompLog          = 2
	seccompSpecAllow    = 4
	seccompNewListener  = 8
	seccompTsyncEsrch   = 16
	seccompWaitKillable = 32
	seccompFlags        = 63

	retKillProcess = 0x80000000
	retKillThread  = 0
	retTrap        = 0x00030000
	retErrno       = 0x00050000
	retUserNotif   = 0x7fc00000
	retTrace       = 0x7ff00000
	retLog         = 0x7ffc0000
	retAllow       = 0x7fff0000
	retAction      = 0xffff0000
	retData        = 0xffff
)

// maxFilterPath bounds the instructions of all filters of a thread; each counts
// for some more (MAX_INSNS_PER_PATH in the kernel).
const (
	maxFilterPath = 1 << 15
	filterPenalty = 4
)

// filter is a filter and those that were there before it.
type filter struct {
	Prog     []bpfInsn // nil: strict mode
	Log      bool
	Listener bool // has a supervisor
	prev     *filter
}

func (f *filter) strict() bool { return f != nil && f.Prog == nil }

// weight is the filters' size as the kernel counts it.
func (f *filter) weight() (n int) {
	for ; f != nil; f = f.prev {
		n += len(f.Prog) + filterPenalty
	}
	return n
}

// below reports whether f is g or one of those before it.
func (f *filter) below(g *filter) bool {
	for ; g != nil; g = g.prev {
		if g == f {
			return true
		}
	}
	return f == nil
}

// seccompStatus are the fields Seccomp and Seccomp_filters of proc_pid_status(5), given how many
// filters the host has: those that were there before emu, as a container's, and those of installNotifier.
func (t *Task) seccompStatus(host int) (mode, filters int) {
	f := t.seccomp.Load()
	if f.strict() {
		return unix.SECCOMP_MODE_STRICT, 0
	}
	for filters = host; f != nil; f = f.prev {
		if !f.Listener { // else one of the host's stands for it
			filters++
		}
	}
	if filters > 0 {
		mode = unix.SECCOMP_MODE_FILTER
	}
	return mode, filters
}

// filteredByHost reports whether the host has filters for the thread.
func filteredByHost() bool {
	mode, err := unix.PrctlRetInt(unix.PR_GET_SECCOMP, 0, 0, 0, 0)
	return err == nil && mode == unix.SECCOMP_MODE_FILTER
}

// sysSeccomp implements seccomp(2).
func sysSeccomp(t *Task, a *Args) int64 {
	op, flags := uint32(a[0]), uint32(a[1])
	switch op {
	case seccompStrict:
		if flags != 0 || a[2] != 0 {
			return fail(unix.EINVAL)
		}
		return t.seccompSetStrict()
	case seccompFilterMode:
		return t.seccompSetFilter(flags, a[2])
	case seccompAvail:
		if flags != 0 {
			return fail(unix.EINVAL)
		}
		action, e := load[uint32](t.p, a[2])
		if e != 0 {
			return fail(e)
		}
		switch action {
		case retKillProcess, retKillThread, retTrap, retErrno, retUserNotif, retTrace, retLog, retAllow:
			return 0
		}
		return fail(unix.EOPNOTSUPP)
	case seccompSizes:
		if flags != 0 {
			return fail(unix.EINVAL)
		}
		return fail(save(t.p, a[2], [3]uint16{notifSize, notifRespSize, seccompDataSize}))
	}
	return fail(unix.EINVAL)
}

// prctlSeccomp is prctl(PR_SET_SECCOMP).
func (t *Task) prctlSeccomp(a *Args) int64 {
	switch a[1] {
	case unix.SECCOMP_MODE_STRICT:
		return t.seccompSetStrict()
	case unix.SECCOMP_MODE_FILTER:
		return t.seccompSetFilter(0, a[2])
	}
	return fail(unix.EINVAL)
}

func (t *Task) seccompSetStrict() int64 {
	if f := t.seccomp.Load(); !f.strict() && (f != nil || filteredByHost()) {
		return fail(unix.EINVAL)
	}
	t.setFilter(&filter{})
	return 0
}

// inheritFilter gives a new thread the filters that its maker has now: syncFilter, which does not know of it before, may have
// given that more since the thread was made (copy_seccomp in the kernel).
//
// Preconditions: Process.mu is held.
func (t *Task) inheritFilter(maker *Task) {
	if f := maker.seccomp.Load(); f != t.seccomp.Load() {
		t.setFilter(f)
	}
	if maker.owesNoNewPrivs.Load() {
		t.owesNoNewPrivs.Store(true)
	}
}

func (t *Task) setFilter(f *filter) {
	t.seccomp.Store(f)
	t.slowDown(slowFiltered, f != nil)
}

// seccompSetFilter is SECCOMP_SET_MODE_FILTER.
func (t *Task) seccompSetFilter(flags uint32, addr uint64) int64 {
	listener := flags&seccompNewListener != 0
	switch {
	case flags&^seccompFlags != 0,
		flags&seccompTsync != 0 && listener && flags&seccompTsyncEsrch == 0,
		flags&seccompWaitKillable != 0 && !listener:
		return fail(unix.EINVAL)
	}
	prog, e := t.loadFilter(addr)
	if e != 0 {
		return fail(e)
	}
	old := t.seccomp.Load()
	if old.strict() {
		return fail(unix.EINVAL)
	}
	f := &filter{Prog: prog, Log: flags&seccompLog != 0, Listener: listener, prev: old}
	if old.weight()+len(prog) > maxFilterPath {
		return fail(unix.ENOMEM)
	}
	r := int64(0)
	if listener {
		if r = installNotifier(flags & seccompWaitKillable); r < 0 {
			return r
		}
		t.p.changed.Store(true)
	}
	if flags&seccompTsync != 0 {
		if bad := t.syncFilter(f); bad != 0 {
			if listener {
				unix.Close(int(r))
			}
			if flags&seccompTsyncEsrch != 0 {
				return fail(unix.ESRCH)
			}
			return int64(bad)
		}
		return r
	}
	t.setFilter(f)
	return r
}

// loadFilter reads and verifies a struct sock_fprog.
func (t *Task) loadFilter(addr uint64) ([]bpfInsn, unix.Errno) {
	fprog, e := load[[2]uint64](t.p, addr)
	if e != 0 {
		return nil, e
	}
	n := int(uint16(fprog[0]))
	if n == 0 || n > bpfMaxInsns {
		return nil, unix.EINVAL
	}
	if !mayFilter() {
		return nil, unix.EACCES
	}
	raw := make([]byte, n*bpfInsnSize)
	if e := t.p.copyIn(raw, fprog[1]); e != 0 {
		return nil, e
	}
	prog := make([]bpfInsn, n)
	binary.Decode(raw, binary.LittleEndian, prog)
	return prog, bpfCheck(prog)
}

// mayFilter reports whether the thread has given up new privileges or is free to
// take them away from what it executes (CAP_SYS_ADMIN).
func mayFilter() bool {
	return noNewPrivs() || capable(unix.CAP_SYS_ADMIN)
}

// noNewPrivs reports whether the thread has given up new privileges (PR_SET_NO_NEW_PRIVS).
func noNewPrivs() bool {
	on, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
	return err == nil && on == 1
}

// syncFilter gives f to all threads (SECCOMP_FILTER_FLAG_TSYNC), or returns the one
// whose filters are not the caller's.
func (t *Task) syncFilter(f *filter) (bad int) {
	t.p.mu.Lock()
	defer t.p.mu.Unlock()
	for o := range t.p.tasks.all() {
		if g := o.seccomp.Load(); o != t && (g.strict() || !g.below(f.prev)) {
			return o.tid
		}
	}
	// Otherwise a thread without it would have the filter, and could execute what then runs with
	// more rights (seccomp_sync_threads in the kernel). The host knows it from the thread's next call on.
	given := noNewPrivs()
	for o := range t.p.tasks.all() {
		if given && o != t {
			o.owesNoNewPrivs.Store(true)
		}
		o.setFilter(f)
	}
	return 0
}

// filterCall runs the filters on a call. It returns its number, which a tracer may
// have changed, and whether it is not to be made.
func (t *Task) filterCall(f *filter, nr int32, again bool) (int32, bool) {
	s := t.State
	if f.strict() {
		switch nr {
		case 63, 64, 93, 139: // read, write, exit, rt_sigreturn
			return nr, false
		}
		t.killThread(int(unix.SIGKILL), &hostsig.Info{})
		return nr, true
	}
	d := newSeccompData(nr, s.PC, s.X[:6])
	ret, log := uint32(retAllow), false
	for ; f != nil; f = f.prev {
		if r := bpfRun(f.Prog, &d); int32(r&retAction) < int32(ret&retAction) {
			ret, log = r, f.Log
		}
	}
	action, data := ret&retAction, ret&retData
	if log && action != retAllow || action == retLog {
		t.p.Log.Warn().Int("pid", t.tid).Str("comm", comm()).Int("call", int(nr)).Str("action", hex(uint64(action))).Msg("seccomp")
	}
	switch action {
	case retAllow, retLog:
		return nr, false
	case retErrno:
		t.setResult(-int64(min(data, maxErrno)))
	case retTrap:
		t.trapCall(nr, int32(data))
	case retTrace:
		return t.traceCall(nr, data, again)
	case retUserNotif:
		return nr, t.notifyCall(nr)
	case retKillThread:
		info := t.seccompInfo(nr, int32(data))
		t.killThread(int(unix.SIGSYS), &info)
	default: // SECCOMP_RET_KILL_PROCESS and unknown actions
		info := t.seccompInfo(nr, int32(data))
		t.die(int(unix.SIGSYS), &info)
	}
	return nr, true
}

// trapCall is SECCOMP_RET_TRAP: SIGSYS, which the thread cannot escape from.
func (t *Task) trapCall(nr, errno int32) {
	info := t.seccompInfo(nr, errno)
	t.raiseInfo(&info)
}

// seccompInfo is the siginfo of a SIGSYS by which a filter answers a call.
func (t *Task) seccompInfo(nr, errno int32) (info hostsig.Info) {
	const sysSeccompCode = 1
	le := binary.LittleEndian
	le.PutUint32(info[0:], uint32(unix.SIGSYS))
	le.PutUint32(info[4:], uint32(errno))
	le.PutUint32(info[8:], sysSeccompCode)
	le.PutUint64(info[16:], t.State.PC)
	le.PutUint32(info[24:], uint32(nr))
	le.PutUint32(info[28:], auditArch)
	return info
}

// traceCall is SECCOMP_RET_TRACE.
func (t *Task) traceCall(nr int32, data uint32, again bool) (int32, bool) {
	if again {
		return nr, false
	}
	if !t.option(ptEventSeccomp) {
		t.setResult(fail(unix.ENOSYS))
		return nr, true
	}
	b := &t.th.Trace
	t.describeCall(opSeccomp, nr)
	b.Result = int64(data)
	t.eventStop(ptEventSeccomp, uint64(data))
	b.Op = opNone
	if b.Dirty&hostsig.DirtyCall != 0 {
		nr = b.Call
	}
	if nr == -1 || t.done {
		return nr, true
	}
	return t.filterCall(t.seccomp.Load(), nr, true)
}

// killThread ends the thread, or as the last one the process, with a signal's
// status.
func (t *Task) killThread(sig int, info *hostsig.Info) {
	t.p.mu.Lock()
	alone := t.p.tasks.len() == 1
	t.p.mu.Unlock()
	if alone {
		t.die(sig, info)
		return
	}
	sysExit(t, &Args{uint64(sig)})
}

// notifBase plus a guest's call number is the number of the host call that a
// supervisor is notified of. The host has no calls there.
const notifBase = 0x5000

// notifGoOn is the error with which a supervisor's emu says that the call is to be
// made (SECCOMP_USER_NOTIF_FLAG_CONTINUE).
const notifGoOn = 4094

// The kernel's own errors, ERESTARTSYS and those up to ERESTART_RESTARTBLOCK, go to the call as they are if a
// supervisor gives them. Its emu adds notifRaw, as Call would tell of a signal with them.
const (
	notifRestartLast = 516
	notifRaw         = 3568
)

// notifyCall is SECCOMP_RET_USER_NOTIF: the thread makes a host call that the
// host's filter reports to the supervisor. It reports whether the call is done.
func (t *Task) notifyCall(nr int32) bool {
	t.th.Trace.Regs[regPC] = t.State.PC // for the supervisor
	a := Args{}
	copy(a[:], t.State.X[:6])
	t.call.row = &Row{Nr: int(nr), Name: "seccomp"}
	t.call.args = a
	r := t.host(uintptr(notifBase+nr), &a)
	if r == -notifGoOn {
		return false
	}
	if r == -hostsig.ERestart || r == -hostsig.ENoIntr {
		r = t.interrupted(t.call.row, -hostsig.ERestart)
	} else if raw := r + notifRaw; raw >= -notifRestartLast && raw <= -hostsig.ERestart {
		r = raw
	}
	t.setResult(r)
	return true
}

// installNotifier has the host report calls from notifBase on, and returns the
// listener.
func installNotifier(flags uint32) int64 {
	prog := []unix.SockFilter{
		{Code: bpfLdAbs, K: 0},
		{Code: bpfJmp | bpfJge, Jt: 0, Jf: 2, K: notifBase},
		{Code: bpfJmp | bpfJge, Jt: 1, Jf: 0, K: notifBase + TableSize},
		{Code: bpfRetK, K: retUserNotif},
		{Code: bpfRetK, K: retAllow},
	}
	fprog := onHeap(unix.SockFprog{Len: uint16(len(prog)), Filter: &prog[0]})
	fd, _, e := syscall.RawSyscall(unix.SYS_SECCOMP, seccompFilterMode, uintptr(flags|seccompNewListener), uintptr(addrOf(fprog)))
	runtime.KeepAlive(fprog)
	if e != 0 {
		return fail(e)
	}
	return int64(fd)
}
