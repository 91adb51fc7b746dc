package hostsig

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// memoryLimits are RLIMIT_DATA and RLIMIT_AS as they were inherited. They are the guest's, which has its
// own memory counted (cpu.Memory): on the host most of what they would hold is emu's, so that they are
// raised there as far as the kernel lets.
var memoryLimits = [...]memoryLimit{
	{resource: unix.RLIMIT_DATA, least: 330 << 20, scarce: "emu: the limit on data (ulimit -d) is less than the 330 MB that emu takes itself\n"},
	{resource: unix.RLIMIT_AS, least: 1600 << 20, scarce: "emu: the limit on the address space (ulimit -v) is less than the 1.6 GB that emu takes itself\n"},
}

type memoryLimit struct {
	resource  uintptr
	inherited unix.Rlimit
	least     uint64 // under a lower one neither Go's runtime nor emu starts
	scarce    string
}

// raiseMemoryLimits is for the start code. It ends the process where there is too little.
//
//go:nosplit
func raiseMemoryLimits() {
	for i := range memoryLimits {
		l := &memoryLimits[i]
		now := unix.Rlimit{Cur: unix.RLIM_INFINITY, Max: unix.RLIM_INFINITY}
		l.inherited = now // should a filter forbid the call
		prlimit(l.resource, nil, &l.inherited)
		if l.inherited.Cur == unix.RLIM_INFINITY {
			continue
		}
		if prlimit(l.resource, &now, nil) != 0 {
			now.Cur, now.Max = l.inherited.Max, l.inherited.Max
			prlimit(l.resource, &now, nil)
		}
		if now.Cur < l.least {
			syscall.RawSyscall(unix.SYS_WRITE, 2, uintptr(unsafe.Pointer(unsafe.StringData(l.scarce))), uintptr(len(l.scarce)))
			syscall.RawSyscall(unix.SYS_EXIT_GROUP, statusNoRoom, 0, 0)
		}
	}
}

//go:nosplit
func prlimit(resource uintptr, to, old *unix.Rlimit) unix.Errno {
	_, _, e := syscall.RawSyscall6(unix.SYS_PRLIMIT64, 0, resource, uintptr(unsafe.Pointer(to)), uintptr(unsafe.Pointer(old)), 0, 0)
	return e
}
