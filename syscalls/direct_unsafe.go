package syscalls

import "unsafe"

// directAddr is where generated code finds what it has to know of the process's
// direct calls.
func (p *Process) directAddr() uint64 { return uint64(uintptr(unsafe.Pointer(p.direct))) }

// shrunkAddr is where it sees that the guest's memory has shrunk.
func (p *Process) shrunkAddr() uint64 { return uint64(uintptr(unsafe.Pointer(p.Mem.Shrunk()))) }

// pathsAddr is the same for what it has to know of paths.
func (p *Process) pathsAddr() uint64 { return uint64(uintptr(unsafe.Pointer(&p.paths))) }
