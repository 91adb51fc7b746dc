package syscalls

import (
	"io"
	"unsafe"

	"golang.org/x/sys/unix"
)

// NewTracer traces to w, together with the process that has executed this program: fd is
// what it has handed down, or -1. With own w is this process's and those that it forks: what another one
// has handed down does not count.
func NewTracer(w io.Writer, fd int, own bool) *Tracer {
	tr := &Tracer{w: w, fd: -1, lines: map[*Task]uint64{}, again: map[*Task]*returned{}}
	if fd >= 0 {
		unix.CloseOnExec(fd)
		if tr.share = mapTrace(fd); tr.share != nil && (!own || tr.share.pid == uint64(unix.Getpid())) {
			tr.fd = fd
			return tr
		}
		unix.Close(fd)
	}
	if tr.fd = newTraceFile(); tr.fd >= 0 {
		if tr.share = mapTrace(tr.fd); tr.share != nil {
			tr.share.pid = uint64(unix.Getpid())
			return tr
		}
		unix.Close(tr.fd)
		tr.fd = -1
	}
	tr.share = new(traceShare)
	return tr
}

// mapTrace maps a file with room for a traceShare. It is nil if that fails.
func mapTrace(fd int) *traceShare {
	mem, err := unix.MmapPtr(fd, 0, nil, unsafe.Sizeof(traceShare{}), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil
	}
	return (*traceShare)(mem)
}

// newTraceFile makes room for a traceShare. It is -1 if that fails.
func newTraceFile() int {
	fd, err := unix.MemfdCreate("strace", unix.MFD_CLOEXEC)
	if err != nil {
		return -1
	}
	if unix.Ftruncate(fd, int64(unsafe.Sizeof(traceShare{}))) != nil {
		unix.Close(fd)
		return -1
	}
	return fd
}
