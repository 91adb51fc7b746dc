package syscalls

import (
	"runtime"
	"unsafe"

	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// mmMap is struct prctl_mm_map.
type mmMap struct {
	StartCode, EndCode, StartData, EndData, StartBrk, Brk, StartStack uint64
	ArgStart, ArgEnd, EnvStart, EnvEnd                                uint64
	Auxv                                                              unsafe.Pointer
	AuxvSize, ExeFD                                                   uint32
}

// describe tells the host where the guest's arguments, environment and stack are,
// and its auxiliary vector, so that /proc/PID/{cmdline,environ,auxv,stat} of the
// process say what other guests, debuggers above all, expect. Kernels without
// CONFIG_CHECKPOINT_RESTORE refuse; then those files show emu's.
func (p *Process) describe() {
	if len(p.Auxv) == 0 {
		return
	}
	m := &mmMap{
		StartCode: p.CodeStart, EndCode: p.CodeEnd, StartData: p.CodeStart, EndData: p.CodeEnd,
		StartBrk: p.CodeEnd, Brk: p.CodeEnd, StartStack: p.StackStart,
		ArgStart: p.ArgStart, ArgEnd: p.ArgEnd, EnvStart: p.EnvStart, EnvEnd: p.EnvEnd,
		Auxv: unsafe.Pointer(&p.Auxv[0]), AuxvSize: uint32(len(p.Auxv)), ExeFD: ^uint32(0),
	}
	err := unix.Prctl(unix.PR_SET_MM, unix.PR_SET_MM_MAP, uintptr(unsafe.Pointer(m)), unsafe.Sizeof(*m), 0)
	runtime.KeepAlive(m)
	if err != nil {
		p.Log.Debug().Err(err).Msg("the host keeps emu's own addresses in /proc")
		return
	}
	p.described = true
	hostsig.LeaveStack()
}
