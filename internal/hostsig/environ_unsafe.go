package hostsig

import (
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// startStack is the process's initial stack (argc, arguments, environment) if
// the start code has run, see start_amd64.s.
var startStack uintptr

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

// LeaveStack leaves the stack that the kernel has made to this process alone: children of fork get a third of the page tables
// for it that they would have for a page anywhere. Arguments and environment on it must have been copied, and
// what Environ and Auxval tell of them is no longer known.
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

// Environ returns the environment that the process was started with, string by
// string: what os.Environ leaves out as well (names that occur twice, strings
// without a name).
func Environ() (env []string) {
	if startStack == 0 {
		return os.Environ()
	}
	at := startStack + 8*(*(*uintptr)(pointer(startStack))+2)
	for ; ; at += 8 {
		s := *(*uintptr)(pointer(at))
		if s == 0 {
			return env
		}
		env = append(env, cstring(s))
	}
}

// Auxval returns an entry of the auxiliary vector that the kernel gave emu, 0 if
// there is none or the start code has not run. The start code itself calls it.
//
//go:nosplit
func Auxval(key uint64) uint64 {
	v, _ := LookupAuxval(key)
	return v
}

// LookupAuxval is Auxval where an entry may be 0.
//
//go:nosplit
func LookupAuxval(key uint64) (value uint64, ok bool) {
	if startStack == 0 {
		return 0, false
	}
	at := startStack + 8*(*(*uintptr)(pointer(startStack))+2)
	for ; *(*uintptr)(pointer(at)) != 0; at += 8 { // the environment
	}
	for at += 8; ; at += 16 {
		switch k := *(*uint64)(pointer(at)); k {
		case key:
			return *(*uint64)(pointer(at + 8)), true
		case 0: // AT_NULL
			return 0, false
		}
	}
}

// pointer makes an address outside of Go's memory one that Go can read.
//
//go:nosplit
func pointer(addr uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&addr)) }

// cstring is a copy of the string at addr.
func cstring(addr uintptr) string {
	n := 0
	for *(*byte)(pointer(addr + uintptr(n))) != 0 {
		n++
	}
	return strings.Clone(unsafe.String((*byte)(pointer(addr)), n))
}
