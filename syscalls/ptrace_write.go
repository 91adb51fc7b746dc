package syscalls

import (
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// noteWrites notes what a tracer has written to a tracee's memory other than with
// ptrace: through /proc/PID/mem or process_vm_writev. It may have been code. n is
// the call's result.
func (t *Task) noteWrites(row *Row, n uint64) {
	a := &t.call.args
	switch row.Nr {
	case 68: // pwrite64
		t.noteMemWrite(int(int32(a[0])), a[3], n)
	case 64, 66: // write, writev: the position is behind what was written
		if tr := t.memOf(int(int32(a[0]))); tr != nil {
			if pos, err := unix.Seek(int(int32(a[0])), 0, unix.SEEK_CUR); err == nil {
				t.p.wrote(tr, uint64(pos)-n, uint64(pos))
			}
		}
	case 70, 287: // pwritev, pwritev2
		t.noteMemWrite(int(int32(a[0])), a[3], n)
	case 271: // process_vm_writev
		tr := t.p.tracee(int(int32(a[0])))
		if tr == nil || a[4] > maxIovecs {
			return
		}
		for i := range a[4] {
			if v, e := load[[2]uint64](t.p, a[3]+16*i); e == 0 {
				t.p.wrote(tr, v[0], v[0]+v[1])
			}
		}
	}
}

func (t *Task) noteMemWrite(fd int, at, n uint64) {
	if tr := t.memOf(fd); tr != nil {
		t.p.wrote(tr, at, at+n)
	}
}

// memOf is the tracee whose /proc/PID/mem fd is, or nil.
func (t *Task) memOf(fd int) *tracee {
	buf := make([]byte, 64)
	n, err := unix.Readlink("/proc/thread-self/fd/"+strconv.Itoa(fd), buf)
	if err != nil {
		return nil
	}
	f := strings.Split(string(buf[:n]), "/")
	if len(f) < 4 || f[1] != "proc" || f[len(f)-1] != "mem" {
		return nil
	}
	tid, err := strconv.Atoi(f[len(f)-2])
	if err != nil {
		return nil
	}
	return t.p.tracee(tid)
}
