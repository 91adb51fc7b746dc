package syscalls

import (
	"slices"

	"emu/internal/armabi"

	"golang.org/x/sys/unix"
)

// scratchBuf returns a buffer of n bytes that lives until the next call.
func (t *Task) scratchBuf(n int) []byte {
	if cap(t.buf) < n {
		t.buf = make([]byte, n)
	}
	return t.buf[:n]
}

// sysPipe2 implements pipe2(2), whose O_DIRECT (packet mode) differs.
func sysPipe2(t *Task, a *Args) int64 {
	host := *a
	host[1] = armabi.OpenFlags(a[1])
	return t.host(unix.SYS_PIPE2, &host)
}

// sysFcntl implements fcntl(2).
func sysFcntl(t *Task, a *Args) int64 {
	if t.hidden(a[0]) {
		return fail(unix.EBADF)
	}
	host := *a
	if n := fcntlSize[uint32(a[1])]; n != 0 && a[2] != 0 {
		t.whole(&host[2], n)
	}
	switch uint32(a[1]) {
	case unix.F_GETFL:
		r := t.host(unix.SYS_FCNTL, &host)
		if r >= 0 {
			r = int64(armabi.OpenFlags(uint64(r)))
		}
		return r
	case unix.F_SETFL:
		host[2] = armabi.OpenFlags(a[2])
	}
	return t.host(unix.SYS_FCNTL, &host)
}

// hidden reports whether fd is emu's own: for the guest it is not open.
func (t *Task) hidden(fd uint64) bool {
	_, found := slices.BinarySearch(t.p.own, int(int32(fd)))
	return found
}

func sysClose(t *Task, a *Args) int64 {
	if t.hidden(a[0]) {
		return fail(unix.EBADF)
	}
	return t.host(unix.SYS_CLOSE, a)
}

func sysDup3(t *Task, a *Args) int64 {
	if t.hidden(a[0]) || t.hidden(a[1]) {
		return fail(unix.EBADF)
	}
	return t.host(unix.SYS_DUP3, a)
}

// sysCloseRange implements close_range(2), around emu's own descriptors.
func sysCloseRange(t *Task, a *Args) int64 {
	first, last := uint64(uint32(a[0])), uint64(uint32(a[1]))
	if first > last {
		return fail(unix.EINVAL)
	}
	for _, own := range t.p.own {
		fd := uint64(own)
		if fd < first || fd > last {
			continue
		}
		if first < fd {
			if r := t.host(unix.SYS_CLOSE_RANGE, &Args{first, fd - 1, a[2]}); r < 0 {
				return r
			}
		}
		if first = fd + 1; first > last {
			return 0
		}
	}
	return t.host(unix.SYS_CLOSE_RANGE, &Args{first, last, a[2]})
}
