package syscalls

import (
	"encoding/binary"

	"emu/cpu"
	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// sysRtSigaction implements rt_sigaction(2).
func sysRtSigaction(t *Task, a *Args) int64 {
	sig := int(int32(a[0]))
	if a[3] != sigsetSize {
		return fail(unix.EINVAL)
	}
	var act sigaction
	if a[1] != 0 {
		var e unix.Errno
		if act, e = load[sigaction](t.p, a[1]); e != 0 {
			return fail(e)
		}
		act.Mask &^= unblockable
	}
	if sig < 1 || sig > hostsig.Signals || a[1] != 0 && unblockable&bit(sig) != 0 {
		return fail(unix.EINVAL)
	}
	t.p.sigMu.Lock()
	old := t.p.actions[sig]
	if a[1] != 0 {
		t.p.actions[sig] = act
		t.p.setHostAction(sig)
	}
	t.p.sigMu.Unlock()
	if a[2] != 0 {
		return fail(save(t.p, a[2], old))
	}
	return 0
}

// sysRtSigprocmask implements rt_sigprocmask(2). A signal that comes first is
// delivered first: the call starts again after it.
func sysRtSigprocmask(t *Task, a *Args) int64 {
	if a[3] != sigsetSize {
		return fail(unix.EINVAL)
	}
	old := t.blocked
	if a[1] != 0 {
		set, e := load[uint64](t.p, a[1])
		if e != 0 {
			return fail(e)
		}
		mask := old
		switch int32(a[0]) {
		case unix.SIG_BLOCK:
			mask |= set
		case unix.SIG_UNBLOCK:
			mask &^= set
		case unix.SIG_SETMASK:
			mask = set
		default:
			return fail(unix.EINVAL)
		}
		mask &^= unblockable
		if !t.th.SetMask(mask) {
			return -hostsig.ENoIntr
		}
		t.blocked = mask
	}
	if a[2] != 0 {
		return fail(save(t.p, a[2], old))
	}
	return 0
}

// sysRtSigpending implements rt_sigpending(2).
func sysRtSigpending(t *Task, a *Args) int64 {
	if a[1] > sigsetSize {
		return fail(unix.EINVAL)
	}
	if r := t.host(unix.SYS_RT_SIGPENDING, &Args{uint64(t.th.ScratchAddr(scratchSmall)), sigsetSize}); r < 0 {
		return r
	}
	set := binary.LittleEndian.Uint64(t.th.Scratch[scratchSmall:]) | t.th.SoftPending()&t.blocked
	var out [8]byte
	binary.LittleEndian.PutUint64(out[:], set)
	return fail(t.p.copyOut(a[0], out[:a[1]]))
}

// sysRtSigsuspend implements rt_sigsuspend(2).
func sysRtSigsuspend(t *Task, a *Args) int64 {
	if a[0] == 0 {
		return fail(unix.EFAULT)
	}
	return t.withMask(a[0], a[1], func(mask uint64) int64 {
		return t.host(unix.SYS_RT_SIGSUSPEND, &Args{mask, sigsetSize})
	})
}

// loadSigset reads a signal set, whose size the caller gives as well.
func (t *Task) loadSigset(addr, size uint64) (set uint64, e unix.Errno) {
	if size != sigsetSize {
		return 0, unix.EINVAL
	}
	return load[uint64](t.p, addr)
}

// sysRtSigtimedwait implements rt_sigtimedwait(2). The kernel waits for all
// signals but the soft ones; those end the wait through the blocking stub.
func sysRtSigtimedwait(t *Task, a *Args) int64 {
	set, e := t.loadSigset(a[0], a[3])
	if e != 0 {
		return fail(e)
	}
	set &^= unblockable
	soft := set & hostsig.Soft
	t.th.WaitFor(soft)
	defer t.th.WaitFor(0)
	if sig, info, ok := t.th.TakeOf(soft); ok {
		return t.waited(sig, &info, a[1])
	}
	binary.LittleEndian.PutUint64(t.th.Scratch[scratchSmall:], set&^soft)
	info := a[1]
	if info != 0 {
		info = uint64(t.th.ScratchAddr(scratchSmall + 16))
	}
	r := t.host(unix.SYS_RT_SIGTIMEDWAIT, &Args{uint64(t.th.ScratchAddr(scratchSmall)), info, a[2], sigsetSize})
	if r == fail(unix.EINTR) || r == -hostsig.ERestart || r == -hostsig.ENoIntr {
		if sig, info, ok := t.th.TakeOf(soft); ok {
			return t.waited(sig, &info, a[1])
		}
		return r
	}
	if r > 0 && info != 0 {
		if e := t.p.copyOut(a[1], t.th.Scratch[scratchSmall+16:scratchSmall+16+len(hostsig.Info{})]); e != 0 {
			return fail(e)
		}
	}
	return r
}

func (t *Task) waited(sig int, info *hostsig.Info, addr uint64) int64 {
	if addr != 0 {
		if e := t.p.copyOut(addr, info[:]); e != 0 {
			return fail(e)
		}
	}
	return int64(sig)
}

// restartSyscall is the number of restart_syscall(2).
const restartSyscall = 128

// sysRestartSyscall answers restart_syscall(2) where there is nothing to restart: see Task.resumed.
func sysRestartSyscall(t *Task, a *Args) int64 { return fail(unix.EINTR) }

// onAltstack reports whether sp lies on the alternate stack.
func (s *altstack) onAltstack(sp uint64) bool {
	return s.Flags&ssAutodisarm == 0 && sp > s.SP && sp-s.SP <= s.Size
}

// state is the SS_ flag that describes where sp is (sas_ss_flags).
func (s *altstack) state(sp uint64) int32 {
	switch {
	case s.Size == 0:
		return ssDisable
	case s.onAltstack(sp):
		return ssOnstack
	}
	return 0
}

// sysSigaltstack implements sigaltstack(2).
func sysSigaltstack(t *Task, a *Args) int64 {
	sp := t.State.X[cpu.SP]
	old := t.alt
	old.Flags = t.alt.state(sp) | t.alt.Flags&ssAutodisarm
	if a[0] != 0 {
		ss, e := load[altstack](t.p, a[0])
		if e != 0 {
			return fail(e)
		}
		if e := t.setAltstack(ss, sp); e != 0 {
			return fail(e)
		}
	}
	if a[1] != 0 {
		return fail(save(t.p, a[1], old))
	}
	return 0
}

func (t *Task) setAltstack(ss altstack, sp uint64) unix.Errno {
	if t.alt.onAltstack(sp) {
		return unix.EPERM
	}
	switch mode := ss.Flags &^ ssAutodisarm; {
	case mode == ssDisable:
		ss.SP, ss.Size = 0, 0
	case mode != 0 && mode != ssOnstack:
		return unix.EINVAL
	case ss.Size < minSigstksz:
		return unix.ENOMEM
	}
	t.alt = ss
	return 0
}
