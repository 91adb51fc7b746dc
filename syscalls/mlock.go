package syscalls

import (
	"emu/cpu"

	"golang.org/x/sys/unix"
)

// sysMlock implements mlock(2), mlock2(2) and munlock(2). Only what the guest has
// mapped is there to be locked: the part before a hole, and then ENOMEM.
func sysMlock(t *Task, a *Args) int64 {
	nr := t.call.row.Host
	start := a[0] &^ (cpu.PageSize - 1)
	end := (a[0] + a[1] + cpu.PageSize - 1) &^ (cpu.PageSize - 1)
	if end <= start || t.p.Mem.OK(start, end-start, 0) {
		return t.host(nr, a)
	}
	at := start
	for at < end {
		r, ok := t.p.Mem.Find(at)
		if !ok {
			break
		}
		at = r.End
	}
	// Even for nothing: the flags and the right to lock come first.
	if r := t.host(nr, &Args{start, at - start, a[2]}); r < 0 {
		return r
	}
	return fail(unix.ENOMEM)
}

// sysMlockall implements mlockall(2) on the guest's own mappings.
func sysMlockall(t *Task, a *Args) int64 {
	flags := uint32(a[0])
	if flags == 0 || flags == unix.MCL_ONFAULT || flags&^(unix.MCL_CURRENT|unix.MCL_FUTURE|unix.MCL_ONFAULT) != 0 {
		return fail(unix.EINVAL)
	}
	if r := t.host(unix.SYS_MLOCK, &Args{}); r < 0 {
		return r // no right to lock anything
	}
	m := t.p.Mem
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_MEMLOCK, &limit) != nil {
		return fail(unix.ENOMEM)
	}
	if flags&unix.MCL_CURRENT != 0 && m.Size() > limit.Cur && !capable(unix.CAP_IPC_LOCK) {
		return fail(unix.ENOMEM)
	}
	onFault := flags&unix.MCL_ONFAULT != 0
	switch {
	case flags&unix.MCL_FUTURE == 0:
		m.LockFuture(cpu.LockNone)
	case onFault:
		m.LockFuture(cpu.LockOnFault)
	default:
		m.LockFuture(cpu.LockNow)
	}
	if flags&unix.MCL_CURRENT == 0 {
		return 0
	}
	return fail(m.LockAll(onFault))
}

// sysMbind implements mbind(2). Only the default policy may be given to a range with
// holes (MPOL_MF_DISCONTIG_OK in mm/mempolicy.c).
func sysMbind(t *Task, a *Args) int64 {
	const modeFlags, defaultMode = 0xe000, 0
	if a[2]&^modeFlags != defaultMode && a[0]%cpu.PageSize == 0 && a[1] != 0 && !t.p.Mem.OK(a[0], a[1], 0) {
		return fail(unix.EFAULT)
	}
	return t.host(unix.SYS_MBIND, a)
}

// sysMunlockall implements munlockall(2).
func sysMunlockall(t *Task, a *Args) int64 {
	t.p.Mem.UnlockAll()
	return 0
}
