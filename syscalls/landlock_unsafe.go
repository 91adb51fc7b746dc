package syscalls

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

func landlockAddRule(ruleset int, beneath *unix.LandlockPathBeneathAttr) {
	syscall.RawSyscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(beneath)), 0, 0, 0)
}
