package syscalls

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// rawSetTidAddress has the host kernel clear the word at addr, and wake its
// futex, when the calling thread ends.
func rawSetTidAddress(addr uint64) {
	syscall.RawSyscall(unix.SYS_SET_TID_ADDRESS, uintptr(addr), 0, 0)
}
