//lint:file-ignore U1000 the assembly beside this file uses what looks unused

package hostsig

import "golang.org/x/sys/unix"

// The runtime takes the stack that it is started on for its first thread's. The start code gives it another than the kernel's,
// unless there are too many arguments, so that no fork has to copy that one.
const (
	firstStackSize = 64<<10 + 2*mostArguments // the runtime counts on 64 KB
	mostArguments  = 32 << 10
)

var (
	firstStack [firstStackSize]byte
	moved      bool
)

// LeaveStack has children of fork begin without the stack that the kernel has made, and without the page tables for
// it. Arguments and environment on it must have been copied; Environ and Auxval no longer know them.
func LeaveStack() {
	if startStack == 0 || !moved {
		return
	}
	const (
		atExecFn = 31
		page     = 4096
		below    = 64 * page // as far as the kernel's may reach
	)
	name := uintptr(Auxval(atExecFn))
	if name == 0 {
		return
	}
	// The name of the program is what is highest, but for a null word.
	end := (name + uintptr(len(cstring(name))) + 1 + 8 + page - 1) &^ (page - 1)
	start := (startStack - below) &^ (page - 1)
	startStack = 0
	unix.Syscall(unix.SYS_MADVISE, start, end-start, unix.MADV_DONTFORK) // what is not mapped there is passed over
}
