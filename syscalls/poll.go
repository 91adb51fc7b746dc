package syscalls

import (
	"encoding/binary"

	"emu/cpu"
	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// sigsetSize is sizeof(sigset_t) for the kernel.
const sigsetSize = 8

// withMask runs call, which gets the address of a host signal mask (0 for none),
// with the guest's temporary mask at addr in force. When a signal ends the call,
// its handler runs under that mask, and the old one comes back after it, as
// set_user_sigmask and restore_saved_sigmask_unless do in the kernel.
func (t *Task) withMask(addr, size uint64, call func(mask uint64) int64) int64 {
	if addr == 0 {
		return call(0)
	}
	mask, e := t.loadSigset(addr, size)
	if e != 0 {
		return fail(e)
	}
	mask &^= unblockable
	binary.LittleEndian.PutUint64(t.th.Scratch[scratchSmall:], mask&^hostsig.Soft)
	t.th.SetSoftMask(mask)
	r := call(uint64(t.th.ScratchAddr(scratchSmall)))
	if r == -hostsig.ENoIntr && !t.th.Due(t.blocked) {
		r = fail(unix.EINTR) // only the temporary mask lets the signal through
	}
	if r == fail(unix.EINTR) || r == -hostsig.ERestart {
		t.saved, t.blocked, t.restoreMask = t.blocked, mask, true
		return r
	}
	t.th.SetSoftMask(t.blocked)
	return r
}

// sysPpoll implements ppoll(2). The kernel updates the timeout, so a restart
// waits for the rest.
func sysPpoll(t *Task, a *Args) int64 {
	return t.withMask(a[3], a[4], func(mask uint64) int64 {
		return t.host(unix.SYS_PPOLL, &Args{a[0], a[1], a[2], mask, sigsetSize})
	})
}

// sysPselect6 implements pselect6(2).
func sysPselect6(t *Task, a *Args) int64 { return t.withMaskArg(unix.SYS_PSELECT6, a) }

// sysIoPgetevents implements io_pgetevents(2).
func sysIoPgetevents(t *Task, a *Args) int64 { return t.withMaskArg(unix.SYS_IO_PGETEVENTS, a) }

// withMaskArg makes a call whose last argument points to a signal mask's address and
// size (struct __aio_sigset, and what pselect6 has no name for).
func (t *Task) withMaskArg(nr uintptr, a *Args) int64 {
	var ss struct{ mask, size uint64 }
	if a[5] != 0 {
		var e unix.Errno
		if ss, e = load[struct{ mask, size uint64 }](t.p, a[5]); e != 0 {
			return fail(e)
		}
	}
	return t.withMask(ss.mask, ss.size, func(mask uint64) int64 {
		arg := scratchSmall + 16
		binary.LittleEndian.PutUint64(t.th.Scratch[arg:], mask)
		binary.LittleEndian.PutUint64(t.th.Scratch[arg+8:], sigsetSize)
		return t.host(nr, &Args{a[0], a[1], a[2], a[3], a[4], uint64(t.th.ScratchAddr(arg))})
	})
}

// sysSignalfd4 implements signalfd4(2).
func sysSignalfd4(t *Task, a *Args) int64 {
	mask, e := t.loadSigset(a[1], a[2])
	if e != 0 {
		return fail(e)
	}
	binary.LittleEndian.PutUint64(t.th.Scratch[scratchSmall:], mask&^hostsig.Soft)
	return t.host(unix.SYS_SIGNALFD4, &Args{a[0], uint64(t.th.ScratchAddr(scratchSmall)), sigsetSize, a[3]})
}

// Sizes of struct epoll_event: x86-64 packs it, arm64 does not.
const (
	armEpollEvent  = 16
	hostEpollEvent = 12
)

// sysEpollCtl implements epoll_ctl(2).
func sysEpollCtl(t *Task, a *Args) int64 {
	host := *a
	if a[1] != unix.EPOLL_CTL_DEL {
		var ev [armEpollEvent]byte
		if e := t.p.copyIn(ev[:], a[3]); e != 0 {
			return fail(e)
		}
		s := t.th.Scratch[scratchSmall:]
		copy(s[0:4], ev[0:4])
		copy(s[4:12], ev[8:16])
		host[3] = uint64(t.th.ScratchAddr(scratchSmall))
	}
	return t.host(unix.SYS_EPOLL_CTL, &host)
}

// maxEvents bounds the events of one call: the rest comes with the next.
const maxEvents = 1 << 16

// epollWait makes an epoll wait call of either kind: a[3] is the timeout.
func (t *Task) epollWait(nr uintptr, a *Args) int64 {
	n := int(int32(a[2]))
	if n <= 0 || n > (1<<31-1)/armEpollEvent {
		return fail(unix.EINVAL)
	}
	if a[1] >= cpu.MaxAddr { // access_ok comes before the events
		return fail(unix.EFAULT)
	}
	n = min(n, maxEvents)
	if !t.p.Mem.OK(a[1], uint64(n)*armEpollEvent, unix.PROT_WRITE) {
		n = 1 // the kernel would notice a bad address only with the event that lies there
	}
	events := t.scratchBuf(n * armEpollEvent)
	return t.withMask(a[4], a[5], func(mask uint64) int64 {
		r := t.host(nr, &Args{a[0], pin(events), uint64(n), a[3], mask, sigsetSize})
		if r <= 0 {
			return r
		}
		for i := int(r) - 1; i >= 0; i-- { // each to its place, the last first
			from, to := events[i*hostEpollEvent:], events[i*armEpollEvent:]
			copy(to[8:16], from[4:12])
			copy(to[:4], from[:4])
			clear(to[4:8])
		}
		if e := t.p.copyOut(a[1], events[:r*armEpollEvent]); e != 0 {
			return fail(e)
		}
		return r
	})
}

func sysEpollPwait(t *Task, a *Args) int64  { return t.epollWait(unix.SYS_EPOLL_PWAIT, a) }
func sysEpollPwait2(t *Task, a *Args) int64 { return t.epollWait(unix.SYS_EPOLL_PWAIT2, a) }
