package syscalls

import (
	"encoding/binary"
	"runtime"

	"emu/internal/armabi"

	"golang.org/x/sys/unix"
)

// Servers of file systems and of character devices (fuse(4), CUSE) read from the kernel what
// they are asked for: structures that both ABIs have in common, but for flags of open(2)
// in some, four of which have other values on x86-64. Where a process has a descriptor of that kind,
// its calls come here, and requests are converted as they are read.

// fuseHeader is the size of struct fuse_in_header (linux/fuse.h), fuseOpcode where it holds the request's kind.
const (
	fuseHeader = 40
	fuseOpcode = 4
)

// The requests that have flags of open(2), enum fuse_opcode.
const (
	fuseOpen        = 14
	fuseRead        = 15
	fuseWrite       = 16
	fuseRelease     = 18
	fuseOpendir     = 27
	fuseReaddir     = 28
	fuseReleasedir  = 29
	fuseCreate      = 35
	fuseReaddirplus = 44
	fuseTmpfile     = 51
)

// flagsOf returns where a request of n bytes has flags of open(2); 0 if it has none.
func flagsOf(opcode uint32, n uint64) uint64 {
	at := uint64(0)
	switch opcode {
	case fuseOpen, fuseOpendir, fuseCreate, fuseTmpfile: // struct fuse_open_in, fuse_create_in
		at = fuseHeader
	case fuseRead, fuseReaddir, fuseReaddirplus, fuseWrite: // fuse_read_in, fuse_write_in
		at = fuseHeader + 32
	case fuseRelease, fuseReleasedir: // fuse_release_in
		at = fuseHeader + 8
	}
	if at+4 > n {
		return 0
	}
	return at
}

// isServers reports whether a descriptor is one that a server reads requests from: /dev/fuse or /dev/cuse (linux/miscdevice.h).
func isServers(fd int) bool {
	const misc, fuse, cuse = 10, 229, 203
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFCHR || unix.Major(st.Rdev) != misc {
		return false
	}
	minor := unix.Minor(st.Rdev)
	return minor == fuse || minor == cuse
}

// noteServer looks at a descriptor that the process has come to have, and from then on at what it
// reads if that makes it a server.
func (p *Process) noteServer(fd int) {
	if !p.serves.Load() && isServers(fd) {
		p.becomeServer()
	}
}

// becomeServer has all threads' calls come here.
func (p *Process) becomeServer() {
	if p.serves.Swap(true) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for t := range p.tasks.all() {
		t.slowDown(slowServer, true)
	}
}

// opened looks at what opening a file with the host's flags has returned: a server reads requests and writes answers.
func (p *Process) opened(flags uint64, fd int64) int64 {
	if fd >= 0 && flags&unix.O_ACCMODE == unix.O_RDWR {
		p.noteServer(int(fd))
	}
	return fd
}

// noteReceived looks at the descriptors that recvmsg has brought: who may not mount has fusermount(1)
// send one.
func noteReceived(t *Task, a *Args, _ int64) { t.noteRights(a[1]) }

// noteManyReceived does so for the n messages of recvmmsg.
func noteManyReceived(t *Task, a *Args, n int64) {
	for i := range uint64(n) {
		t.noteRights(a[1] + i*mmsghdrSize)
	}
}

// noteRights looks at the descriptors in the control messages of the struct msghdr at addr.
func (t *Task) noteRights(addr uint64) {
	if t.p.serves.Load() {
		return
	}
	control, e := load[struct{ at, size uint64 }](t.p, addr+msgControl)
	for e == 0 && control.size >= unix.SizeofCmsghdr {
		var h unix.Cmsghdr
		if h, e = load[unix.Cmsghdr](t.p, control.at); e != 0 || h.Len < unix.SizeofCmsghdr || h.Len > control.size {
			return
		}
		if h.Level == unix.SOL_SOCKET && h.Type == unix.SCM_RIGHTS {
			for at := uint64(unix.SizeofCmsghdr); at+4 <= h.Len; at += 4 {
				if fd, e := load[int32](t.p, control.at+at); e == 0 {
					t.p.noteServer(int(fd))
				}
			}
		}
		next := min((h.Len+7)&^7, control.size)
		control.at, control.size = control.at+next, control.size-next
	}
}

// requestRead converts the flags in the request of n bytes that read has brought.
func requestRead(t *Task, a *Args, n int64) {
	if t.p.serves.Load() && isServers(int(int32(a[0]))) {
		t.convertRequest(uint64(n), func(at uint64) (uint64, bool) { return a[1] + at, true })
	}
}

// requestReadv does so for readv, whose buffers may divide the request anywhere between its numbers.
func requestReadv(t *Task, a *Args, n int64) {
	if !t.p.serves.Load() || !isServers(int(int32(a[0]))) {
		return
	}
	t.convertRequest(uint64(n), func(at uint64) (uint64, bool) {
		for i := range min(a[2], maxIovecs) {
			v, e := load[struct{ base, size uint64 }](t.p, a[1]+16*i)
			if e != 0 {
				break
			}
			if at < v.size {
				return v.base + at, true
			}
			at -= v.size
		}
		return 0, false
	})
}

// convertRequest converts the flags in a request of n bytes, of which where finds any byte.
func (t *Task) convertRequest(n uint64, where func(at uint64) (addr uint64, ok bool)) {
	if n < fuseHeader {
		return
	}
	addr, ok := where(fuseOpcode)
	if !ok {
		return
	}
	opcode, e := load[uint32](t.p, addr)
	at := flagsOf(opcode, n)
	if e != 0 || at == 0 {
		return
	}
	if addr, ok = where(at); !ok {
		return
	}
	if flags, e := load[uint32](t.p, addr); e == 0 {
		save(t.p, addr, uint32(armabi.OpenFlags(uint64(flags))))
	}
}

// sysSplice implements splice(2). A request goes through emu's memory: what is in the pipe is converted already.
func sysSplice(t *Task, a *Args) int64 {
	in, out := int(int32(a[0])), int(int32(a[2]))
	if !t.p.serves.Load() || !isServers(in) {
		return t.host(unix.SYS_SPLICE, a)
	}
	if a[1] != 0 || a[3] != 0 {
		return fail(unix.ESPIPE)
	}
	room, err := unix.FcntlInt(uintptr(out), unix.F_GETPIPE_SZ, 0)
	if err != nil {
		return fail(unix.EINVAL)
	}
	request := make([]byte, min(a[4], uint64(room)))
	n := t.host(unix.SYS_READ, &Args{uint64(in), pin(request), uint64(len(request))})
	if n < fuseHeader {
		return n
	}
	le := binary.LittleEndian
	if at := flagsOf(le.Uint32(request[fuseOpcode:]), uint64(n)); at != 0 {
		le.PutUint32(request[at:], uint32(armabi.OpenFlags(uint64(le.Uint32(request[at:])))))
	}
	queued, err := unix.IoctlGetInt(out, unix.TIOCINQ)
	if err != nil || n > int64(room-queued) || t.host(unix.SYS_WRITE, &Args{uint64(out), pin(request), uint64(n)}) != n {
		return fail(unix.EIO) // fuse_dev_splice_read, which loses the request as well
	}
	runtime.KeepAlive(request)
	return n
}
