package syscalls

import (
	"emu/internal/armabi"

	"golang.org/x/sys/unix"
)

// stat hands what call writes to the thread's scratch memory, a struct stat of the
// host, to the guest as argument i. call is given the arguments with its address.
func (t *Task) stat(a *Args, i int, call func(t *Task, a *Args) int64) int64 {
	out := a[i]
	a[i] = uint64(t.th.ScratchAddr(scratchSmall))
	r := call(t, a)
	if r < 0 {
		return r
	}
	t.realStat()
	t.p.taskLinks(t.th.Scratch[scratchSmall:])
	var st [armabi.StatSize]byte
	armabi.Stat(&st, (*[armabi.HostStatSize]byte)(t.th.Scratch[scratchSmall:]))
	return fail(t.p.copyOut(out, st[:]))
}

// sysFstat implements fstat(2).
func sysFstat(t *Task, a *Args) int64 { return t.stat(a, 1, hostFstat) }

func hostFstat(t *Task, a *Args) int64 { return t.host(unix.SYS_FSTAT, a) }

// sysNewfstatat implements fstatat(2).
func sysNewfstatat(t *Task, a *Args) int64 { return t.stat(a, 2, hostNewfstatat) }

func hostNewfstatat(t *Task, a *Args) int64 {
	return t.lookAt(t.call.row, a, unix.SYS_NEWFSTATAT, modeOfStat)
}
