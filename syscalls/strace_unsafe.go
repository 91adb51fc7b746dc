package syscalls

import (
	"io"
	"unsafe"

	"golang.org/x/sys/unix"
)

// NewTracer traces to w, together with the process that has executed this program: fd is
// what it has handed down, or -1.
func NewTracer(w io.Writer, fd int) *Tracer {
	tr := &Tracer{w: w, fd: fd, lines: map[*Task]uint64{}, again: map[*Task]*returned{}}
	if fd >= 0 {
		unix.CloseOnExec(fd)
	} else if tr.fd = newTraceFile(); tr.fd < 0 {
		tr.share = new(traceShare)
		return tr
	}
	mem, err := unix.MmapPtr(tr.fd, 0, nil, unsafe.Sizeof(traceShare{}), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		unix.Close(tr.fd)
		tr.fd, tr.share = -1, new(traceShare)
		return tr
	}
	tr.share = (*traceShare)(mem)
	return tr
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
