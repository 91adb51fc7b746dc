package syscalls

import (
	"bytes"
	"runtime"
	"unsafe"

	"emu/cpu"

	"golang.org/x/sys/unix"
)

// view returns the n bytes at a guest address. The compiler must not see through
// it: the address is not one of Go's.
//
//go:noinline
func view(addr uint64, n int) []byte {
	return unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(nil), addr)), n)
}

// faulted turns the panic of a memory fault (debug.SetPanicOnFault) into EFAULT;
// other panics go on.
func faulted(e *unix.Errno) {
	switch r := recover().(type) {
	case nil:
	case interface {
		runtime.Error
		Addr() uintptr
	}:
		*e = unix.EFAULT
	default:
		panic(r)
	}
}

// copyIn reads guest memory. Only what the guest mapped is readable.
func (p *Process) copyIn(dst []byte, addr uint64) (e unix.Errno) {
	addr = p.plain(addr)
	if !p.Mem.Reach(addr, uint64(len(dst)), unix.PROT_READ) {
		return unix.EFAULT
	}
	if p.absent.Load() {
		return across(unix.SYS_PROCESS_VM_READV, dst, addr)
	}
	defer faulted(&e)
	copy(dst, view(addr, len(dst)))
	return 0
}

// copyStruct reads a structure of which known bytes have a meaning; the guest may pass one of a later
// version whose further bytes are zeros. As in copy_struct_from_user the kernel comes upon these first,
// and upon one that is not zero before it comes upon a page that is missing behind it.
func (p *Process) copyStruct(dst []byte, addr uint64, known int) unix.Errno {
	for at := known; at < len(dst); {
		chunk := dst[at:min(len(dst), at+int(cpu.PageSize-(addr+uint64(at))%cpu.PageSize))]
		if e := p.copyIn(chunk, addr+uint64(at)); e != 0 {
			return e
		}
		if len(bytes.TrimLeft(chunk, "\x00")) != 0 {
			return unix.E2BIG
		}
		at += len(chunk)
	}
	return p.copyIn(dst[:min(len(dst), known)], addr)
}

// copyOut writes guest memory.
func (p *Process) copyOut(addr uint64, src []byte) unix.Errno {
	addr = p.plain(addr)
	if !p.Mem.Reach(addr, uint64(len(src)), unix.PROT_WRITE) {
		return unix.EFAULT
	}
	e := p.store(addr, src)
	if e != 0 {
		// The guard may be gone already, see cpu.Memory.Repeat.
		p.Mem.Unguard(addr, addr+uint64(len(src)))
		e = p.store(addr, src)
	}
	return e
}

// across copies between a slice and guest memory by a host call. Where a thread of the
// guest serves the page faults (userfaultfd(2)), a copy by Go's code would keep the
// collector waiting for that thread, which may itself be waiting for the collector.
func across(nr uintptr, b []byte, addr uint64) unix.Errno {
	if len(b) == 0 {
		return 0
	}
	local := unix.Iovec{Base: unsafe.SliceData(b), Len: uint64(len(b))}
	remote := unix.RemoteIovec{Base: uintptr(addr), Len: len(b)}
	n, _, e := unix.Syscall6(nr, uintptr(unix.Getpid()), uintptr(unsafe.Pointer(&local)), 1, uintptr(unsafe.Pointer(&remote)), 1, 0)
	if e != 0 {
		return e
	}
	if int(n) != len(b) {
		return unix.EFAULT
	}
	return 0
}

func (p *Process) store(addr uint64, src []byte) (e unix.Errno) {
	if p.absent.Load() {
		return across(unix.SYS_PROCESS_VM_WRITEV, src, addr)
	}
	defer faulted(&e)
	copy(view(addr, len(src)), src)
	return 0
}

// cstring reads a string of at most max bytes with its terminating NUL, which is
// not returned. Longer ones give ENAMETOOLONG.
func (p *Process) cstring(addr uint64, max int) (s string, e unix.Errno) {
	b, e := p.appendCString(nil, addr, max)
	return unsafe.String(unsafe.SliceData(b), len(b)), e
}

// appendCString is cstring that appends to b.
func (p *Process) appendCString(b []byte, addr uint64, max int) (out []byte, e unix.Errno) {
	defer faulted(&e)
	addr = p.plain(addr)
	n := 0
	for n < max {
		at := addr + uint64(n)
		chunk := min(int(cpu.PageSize-at%cpu.PageSize), max-n)
		if !p.Mem.Reach(at, uint64(chunk), unix.PROT_READ) {
			return b, unix.EFAULT
		}
		if p.absent.Load() {
			var first [1]byte // makes the page present
			if e := across(unix.SYS_PROCESS_VM_READV, first[:], at); e != 0 {
				return b, e
			}
		}
		if i := bytes.IndexByte(view(at, chunk), 0); i >= 0 {
			return append(b, view(addr, n+i)...), 0
		}
		n += chunk
	}
	return b, unix.ENAMETOOLONG
}

// bytesOf is v's memory.
func bytesOf[T any](v *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v))
}

// bytesOfAll is the memory of s.
func bytesOfAll[T any](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(*new(T))))
}

// load reads a T, which must hold no pointers, at a guest address.
func load[T any](p *Process, addr uint64) (v T, e unix.Errno) {
	e = p.copyIn(bytesOf(&v), addr)
	return v, e
}

// save writes v to a guest address.
func save[T any](p *Process, addr uint64, v T) unix.Errno {
	return p.copyOut(addr, bytesOf(&v))
}

// pin returns the address of a buffer for a system call; the caller keeps it
// alive. Go's collector does not move heap objects.
func pin(b []byte) uint64 { return uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }
