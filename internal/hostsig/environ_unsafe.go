package hostsig

import (
	"os"
	"strings"
	"unsafe"
)

// startStack is the process's initial stack (argc, arguments, environment) if
// the start code has run, see start_amd64.s.
var startStack uintptr

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
