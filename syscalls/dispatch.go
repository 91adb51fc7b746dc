package syscalls

import (
	"encoding/binary"
	"math/bits"
	"strconv"
	"syscall"
	"time"

	"emu/cpu"
	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// svcSize is the distance from an SVC to the next instruction.
const svcSize = 4

func hex(v uint64) string { return "0x" + strconv.FormatUint(v, 16) }

func fail(e unix.Errno) int64 { return -int64(e) }

// syscall serves the call whose number is in X8 and arguments in X0 to X5. If
// generated code has made it already, made is 1 and result what it returned.
func (t *Task) syscall(made, result uint64) {
	s := t.State
	// A signal that came before the call is delivered before it.
	if made == 0 && t.th.Interrupted() {
		if t.remade == s.PC {
			t.restart = restartUnseen
			t.call.args[0], s.X[0] = s.X[0], uint64(fail(unix.EINTR))
			return
		}
		s.PC -= svcSize
		return
	}
	if t.p.sve { // fp_user_discard in arch/arm64/kernel/syscall.c; generated code has done it, too
		s.P = predicates{}
	}
	if made == 0 && t.watched() && !t.answeredByVDSO() {
		t.syscallWatched(int32(s.X[8]))
		return
	}
	t.dispatch(uint64(uint32(s.X[8])), made, result) // the kernel takes an int
}

// dispatch makes call nr, or goes on with the one that generated code has made.
func (t *Task) dispatch(nr, made, result uint64) {
	s := t.State
	var row *Row
	if nr < TableSize && t.p.table[nr].Class != Unused {
		row = t.p.table[nr]
	} else {
		row = &Row{Nr: int(nr), Ret: Int, Class: Refuse, Errno: unix.ENOSYS, Name: "syscall_" + strconv.FormatUint(nr, 10)}
	}
	copy(t.call.args[:], s.X[:6])
	if resumed := &t.resumed; resumed.row != nil {
		if nr == restartSyscall && resumed.pc == s.PC {
			row, t.call.args = resumed.row, resumed.args
		}
		resumed.row = nil
	}
	t.call.row = row
	tr := t.p.Strace
	if tr != nil {
		tr.enter(t, row)
	}
	r := int64(result)
	if t.young {
		t.grow(row)
	}
	if made == 0 || r == fail(unix.EFAULT) && s.TopBytes { // the host knows no tags
		if r = t.serveOnce(row); r == -hostsig.ENoIntr && t.trace.entered && row.completes() {
			r = t.completeEntered(row)
		}
	}
	r = t.served(row, r)
	if t.done {
		return
	}
	if r == -hostsig.ERestart || r == -hostsig.ENoIntr || r == fail(unix.EINTR) && !row.final {
		r = t.interrupted(row, r)
	}
	t.remade = 0
	if t.restart == noRestart && row.timeout != 0 {
		t.deadline.pc = 0 // the next call from there has its whole timeout
	}
	if tr != nil {
		tr.exit(t, row, r)
	}
	if !row.noReturn || r < 0 {
		s.X[0] = uint64(r)
	}
}

// served looks at the raw result of a call and returns the one that counts.
func (t *Task) served(row *Row, r int64) int64 {
	if r == fail(unix.EFAULT) && t.unguard(&t.call.args) {
		// The kernel met a page that was write-protected: by the engine because code was
		// translated from it, or to track what a child of vfork changes.
		r = t.serveOnce(row)
	}
	if r > 0 && t.p.traced.any.Load() {
		t.noteWrites(row, uint64(r))
	}
	if row.finish != nil && r >= 0 {
		row.finish(t, &t.call.args, r)
	}
	if row.inherited && r >= 0 {
		t.noteInherited(row)
	}
	if row.kernels {
		t.noteKernels(row)
	}
	return r
}

// serveOnce makes the call and returns the raw result.
func (t *Task) serveOnce(row *Row) int64 {
	if t.p.vfork != nil {
		t.uncover(&t.call.args, 2*cpu.PageSize)
	}
	a := &t.call.work // the arguments as they go to the host
	*a = t.call.args
	if row.mappings {
		a[0] = cpu.Untagged(a[0])
	}
	if t.State.TopBytes {
		t.untagArgs(row, a)
	}
	if row.descriptors != 0 && t.namesOwn(row, a) {
		return fail(unix.EBADF)
	}
	if row.flags&cpu.DirectPath != 0 {
		t.learn(row, &t.call.args)
	}
	switch row.Class {
	case Direct:
		if row.before != nil {
			row.before(t, a)
		}
		t.guestOnly(row, a)
		t.learn(row, &t.call.args)
		if row.flags&cpu.DirectBlocks != 0 {
			break
		}
		r, _, e := syscall.RawSyscall6(row.Host, uintptr(a[0]), uintptr(a[1]), uintptr(a[2]), uintptr(a[3]), uintptr(a[4]), uintptr(a[5]))
		if e != 0 {
			return -int64(e)
		}
		return int64(r)
	case Refuse:
		return fail(row.Errno)
	case Pass:
		t.guestOnly(row, a)
		if row.paths != 0 {
			if row.empty {
				r := t.lookAt(row, a, row.Host, modeOf(row))
				if r == 0 && row.Host == unix.SYS_STATX {
					t.realStatx()
					t.p.taskLinksX(t.call.args[4])
				}
				return r
			}
			if e := t.translatePaths(row, a); e != 0 {
				return fail(e)
			}
		}
	case Convert:
		t.guestOnly(row, a)
	}
	if n := &t.call.nested; n.shadows != nil || n.patched.keep != nil || n.patched.changed != nil {
		defer t.endNested()
	}
	if t.outOfRange(row, a) {
		return fail(row.rangeErr)
	}
	if row.timeout != 0 {
		t.prepareTimeout(row, a)
	}
	if row.sockets != 0 && t.p.root.Load() != nil {
		return t.callSocket(row, a)
	}
	if row.fn != nil {
		return row.fn(t, a)
	}
	return t.host(row.Host, a)
}

// namesOwn reports whether a descriptor among the arguments is emu's own.
func (t *Task) namesOwn(row *Row, a *Args) bool {
	own := t.p.own
	if len(own) == 0 {
		return false
	}
	for m := row.descriptors; m != 0; m &= m - 1 {
		if fd := a[bits.TrailingZeros8(m)]; int(int32(fd)) >= own[0] && t.hidden(fd) {
			return true
		}
	}
	return false
}

// callSocket makes a call that names sockets, with a sysroot.
func (t *Task) callSocket(row *Row, a *Args) int64 {
	if e := t.translateSockets(row, a); e != 0 {
		return fail(e)
	}
	r := t.host(row.Host, a)
	t.endNested() // names are looked at where the guest has them
	if r >= 0 {
		t.guestSockets(row, &t.call.args, r)
	}
	return r
}

// host makes the host call nr with the guest's arguments.
func (t *Task) host(nr uintptr, a *Args) int64 {
	return int64(t.th.Call(nr, uintptr(a[0]), uintptr(a[1]), uintptr(a[2]), uintptr(a[3]), uintptr(a[4]), uintptr(a[5])))
}

// interrupted notes that a signal ended the call: deliverPending decides whether
// it starts again.
func (t *Task) interrupted(row *Row, r int64) int64 {
	disturbed := t.th.Disturbed()
	switch {
	case r == -hostsig.ENoIntr && t.remade == t.State.PC && !row.unhandled && !row.always:
		t.restart = restartUnseen
	case r == -hostsig.ENoIntr && t.trace.inSyscall && row.resumes && t.timed(row, &t.call.args):
		t.restart = restartEntered
	case row.always || r == -hostsig.ENoIntr || r == -hostsig.ERestart && row.inheritsPriority(&t.call.args):
		t.restart = restartAlways
	case r == -hostsig.ERestart && !t.restoreMask:
		t.restart = restartSys
	case row.resumes && t.timed(row, &t.call.args):
		t.restart = restartBlock
	case row.unhandled:
		t.restart = restartNoHand
	case disturbed, t.p.tasks.len() > 1:
		// Or, of several threads, what was sent while the first one had all signals blocked on the host, as for a fork:
		// a SIGCHLD that nobody takes, which a kernel does not send otherwise, ends the calls of the others.
		t.restart = restartUnseen
	default:
		// A stop that the host has made and ended (signal(7)).
		if t.restoreMask {
			t.th.Interrupt() // deliverPending brings the old mask back
		}
		return fail(unix.EINTR)
	}
	if row.timeout != 0 && t.deadline.pc != t.State.PC {
		if d, ok := t.timeout(row, &t.call.args); ok {
			t.deadline.pc, t.deadline.when = t.State.PC, t.call.started.Add(d)
		}
	}
	return fail(unix.EINTR)
}

// settleRestart decides, before a signal frame is built or when no handler ran,
// what becomes of an interrupted call. X0 holds -EINTR by now.
func (t *Task) settleRestart(handler bool, flags uint64) {
	if (t.restart == restartBlock || t.restart == restartEntered) && !handler && t.traced() {
		t.resumed.pc, t.resumed.row, t.resumed.args = t.State.PC, t.call.row, t.call.args
		t.State.X[8] = restartSyscall
	}
	if t.restart == restartUnseen && !handler {
		t.remade = t.State.PC
	}
	again := t.restart == restartAlways || t.restart == restartEntered || !handler || t.restart == restartSys && flags&saRestart != 0
	if t.restart != noRestart && again {
		t.State.PC -= svcSize
		t.State.X[0] = t.call.args[0]
	}
	if handler || !again {
		t.deadline.pc = 0
	}
	t.restart = noRestart
}

// timed reports whether a call that resumes waits for a time: a futex with any timeout, a sleep with a relative one.
func (t *Task) timed(row *Row, a *Args) bool {
	if row.flags&cpu.DirectFutex != 0 {
		return a[3] != 0
	}
	_, relative := t.timeout(row, a)
	return relative
}

// endsUnlessUnseen is called when something becomes known to have happened to the thread that interrupts calls
// also without a handler: a signal that its tracer takes away, or a stop.
func (t *Task) endsUnlessUnseen() {
	if t.restart == restartUnseen {
		t.restart, t.deadline.pc = noRestart, 0
	}
}

// timeout returns the relative timeout of a call that has one.
func (t *Task) timeout(row *Row, a *Args) (time.Duration, bool) {
	i := row.timeout - 1
	if row.timeoutMs {
		ms := int32(a[i])
		return time.Duration(ms) * time.Millisecond, ms >= 0
	}
	const timerAbstime = 1
	if row.Name == "futex" && a[1]&0x7f != 0 { // only FUTEX_WAIT's is relative
		return 0, false
	}
	if a[i] == 0 || row.Name == "clock_nanosleep" && a[1]&timerAbstime != 0 {
		return 0, false
	}
	var ts [16]byte
	if t.p.copyIn(ts[:], a[i]) != 0 {
		return 0, false
	}
	sec, nsec := int64(binary.LittleEndian.Uint64(ts[:])), int64(binary.LittleEndian.Uint64(ts[8:]))
	if sec < 0 || sec > 1<<32 || nsec < 0 || nsec > 999999999 {
		return 0, false
	}
	return time.Duration(sec)*time.Second + time.Duration(nsec), true
}

// Offsets in the thread's scratch memory.
const (
	scratchSmall = 0 // timespecs, masks, converted structures
	scratchTime  = scratchSmall + 256
	scratchPath  = hostsig.PathScratch
	scratchPath2 = scratchPath + pathMax
)

// prepareTimeout replaces the timeout of a call that starts again after an
// interruption no handler saw, so that it does not wait for longer in all.
func (t *Task) prepareTimeout(row *Row, a *Args) {
	if v := a[row.timeout-1]; v != 0 && !(row.timeoutMs && int32(v) < 0) { // it waits, and not for ever
		t.call.started = time.Now()
	}
	if t.deadline.pc != t.State.PC {
		t.deadline.pc = 0
		return
	}
	left := max(time.Until(t.deadline.when), 0)
	if row.timeoutMs {
		a[row.timeout-1] = uint64(left.Round(time.Millisecond) / time.Millisecond)
		return
	}
	le := binary.LittleEndian
	le.PutUint64(t.th.Scratch[scratchTime:], uint64(left/time.Second))
	le.PutUint64(t.th.Scratch[scratchTime+8:], uint64(left%time.Second))
	a[row.timeout-1] = uint64(t.th.ScratchAddr(scratchTime))
}

// copyState copies what a new thread inherits: the architectural state, not the
// engine's bookkeeping. Predicates are zero in both, src being in a system call.
func copyState(dst, src *cpu.State) {
	dst.X, dst.PC, dst.NZCV = src.X, src.PC, src.NZCV
	dst.Modes = src.Modes
	dst.TPIDR, dst.TPIDRRO = src.TPIDR, src.TPIDRRO
	dst.APKeys, dst.PACEnabled = src.APKeys, src.PACEnabled
	dst.GCSPR, dst.GCSMode = src.GCSPR, src.GCSMode
	dst.TagExclude, dst.TagFaults, dst.TopBytes = src.TagExclude, src.TagFaults, src.TopBytes
	dst.FPCR, dst.FPSR, dst.MXCSR, dst.QC, dst.V = src.FPCR, src.FPSR, src.MXCSR, src.QC, src.V
}
