package syscalls

import (
	"encoding/binary"
	"strconv"
	"sync"
	"sync/atomic"

	"emu/internal/armabi"

	"golang.org/x/sys/unix"
)

// io_uring(7): the rings are shared by the guest and the host's kernel, which reads
// the submission entries during io_uring_enter. For that time those that differ
// between the ABIs are rewritten where they are: open flags, struct epoll_event, and
// paths. A kernel thread that polls the ring would read them at any time, so
// IORING_SETUP_SQPOLL is refused with EPERM, as it is to the unprivileged before Linux
// 5.11: programs go on without.

// Constants of linux/io_uring.h.
const (
	ringParamsSize = 120

	setupSQPoll         = 1 << 1
	setupSQE128         = 1 << 10
	setupNoMmap         = 1 << 14
	setupRegisteredOnly = 1 << 15
	setupNoArray        = 1 << 16

	offSQRing = 0
	offCQRing = 0x8000000
	offSQEs   = 0x10000000

	enterExtArg  = 1 << 3
	enterRegRing = 1 << 4

	opOpenat    = 18
	opStatx     = 21
	opOpenat2   = 28
	opEpollCtl  = 29
	opRenameat  = 35
	opUnlinkat  = 36
	opMkdirat   = 37
	opSymlinkat = 38
	opLinkat    = 39
	opSetxattr  = 42
	opGetxattr  = 44
	opEpollWait = 59
	opInvalid   = 0xff
)

// Places in struct io_uring_sqe.
const (
	sqeSize  = 64
	sqeFD    = 4
	sqeOff   = 8 // and addr2
	sqeAddr  = 16
	sqeLen   = 24
	sqeFlags = 28 // open_flags, statx_flags and so on
	sqeAddr3 = 48
)

// uring is what has to be known of a ring to find its submission entries.
type uring struct {
	head, tail, mask, array uint64 // places in the ring
	noArray                 bool
	entrySize               uint64
	entries                 uint32
	ring, sqes              uint64 // where the guest has mapped them, 0: not yet
}

// urings are the process's rings by descriptor.
type urings struct {
	any  atomic.Bool
	mu   sync.Mutex
	byFD map[int]*uring
}

// sysIoUringSetup implements io_uring_setup(2).
func sysIoUringSetup(t *Task, a *Args) int64 {
	var p [ringParamsSize]byte
	if e := t.p.copyIn(p[:], a[1]); e != 0 {
		return fail(e)
	}
	le := binary.LittleEndian
	if le.Uint32(p[8:])&setupSQPoll != 0 {
		t.p.Log.Warn().Msg("io_uring: a ring that a kernel thread polls (IORING_SETUP_SQPOLL) cannot be converted")
		return fail(unix.EPERM)
	}
	r := t.host(unix.SYS_IO_URING_SETUP, a)
	if r < 0 || t.p.copyIn(p[:], a[1]) != 0 {
		return r
	}
	flags, sq := le.Uint32(p[8:]), p[40:80]
	u := &uring{
		head: uint64(le.Uint32(sq[0:])), tail: uint64(le.Uint32(sq[4:])), mask: uint64(le.Uint32(sq[8:])), array: uint64(le.Uint32(sq[24:])),
		noArray: flags&setupNoArray != 0, entrySize: sqeSize, entries: le.Uint32(p[0:]),
	}
	if flags&setupSQE128 != 0 {
		u.entrySize *= 2
	}
	if flags&setupRegisteredOnly != 0 {
		if t.rings == nil {
			t.rings = map[uint32]*uring{}
		}
		t.rings[uint32(r)] = u
	}
	if flags&setupNoMmap != 0 {
		u.sqes, u.ring = le.Uint64(sq[32:]), le.Uint64(p[80+32:])
	}
	rs := &t.p.rings
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.byFD == nil {
		rs.byFD = map[int]*uring{}
	}
	if flags&setupRegisteredOnly == 0 {
		rs.byFD[int(r)] = u
	}
	rs.any.Store(true)
	return r
}

// mapped notes that the guest has mapped part of a ring.
func (rs *urings) mapped(fd int, off, addr uint64) {
	if !rs.any.Load() {
		return
	}
	rs.mu.Lock()
	defer rs.mu.Unlock()
	u := rs.byFD[fd]
	if u == nil {
		return
	}
	switch off {
	case offSQRing, offCQRing:
		if off == offSQRing || u.ring == 0 {
			u.ring = addr
		}
	case offSQEs:
		u.sqes = addr
	}
}

func (rs *urings) get(fd int) *uring {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	return rs.byFD[fd]
}

// sysIoUringEnter implements io_uring_enter(2).
func sysIoUringEnter(t *Task, a *Args) int64 {
	flags := uint32(a[3])
	if n := uint32(a[1]); n != 0 {
		u := t.ring(a[0], flags)
		if u != nil {
			s := submission{patches{t: t}}
			defer s.restore()
			s.convert(u, n)
		} else if flags&enterRegRing == 0 && isRing(int(int32(a[0]))) {
			t.p.Log.Warn().Int("fd", int(int32(a[0]))).Msg("io_uring: a ring that came from another process cannot be submitted to")
			return fail(unix.EOPNOTSUPP)
		}
	}
	if flags&enterExtArg == 0 {
		return t.withMask(a[4], a[5], func(mask uint64) int64 {
			h := *a
			h[4] = mask
			return t.host(unix.SYS_IO_URING_ENTER, &h)
		})
	}
	var ext [24]byte // struct io_uring_getevents_arg
	if a[5] != uint64(len(ext)) || t.p.copyIn(ext[:], a[4]) != 0 {
		return t.host(unix.SYS_IO_URING_ENTER, a)
	}
	le := binary.LittleEndian
	return t.withMask(le.Uint64(ext[0:]), uint64(le.Uint32(ext[8:])), func(mask uint64) int64 {
		le.PutUint64(ext[0:], mask)
		at := scratchSmall + 64
		copy(t.th.Scratch[at:], ext[:])
		h := *a
		h[4] = uint64(t.th.ScratchAddr(at))
		return t.host(unix.SYS_IO_URING_ENTER, &h)
	})
}

// workers are the kernel's threads that work for rings: they belong to the process,
// but take no signals, and a fork leaves them behind. They are told by a flag that they have before any list shows
// them; their names come later.
func (p *Process) workers() (tids []uint32) {
	if !p.rings.any.Load() {
		return nil
	}
	const (
		flags    = 9    // proc_pid_stat(5)
		ioWorker = 0x10 // PF_IO_WORKER of Linux' sched.h
	)
	fd, err := p.openProc("self/task", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC)
	if err != nil {
		return nil
	}
	for _, name := range numbersIn(fd) {
		if tid, err := strconv.Atoi(name); err == nil && p.statFields("self/task/"+name+"/stat").number(flags)&ioWorker != 0 {
			tids = append(tids, uint32(tid))
		}
	}
	return tids
}

// ring is the ring that io_uring_enter means: by a descriptor, by a duplicate of one,
// or by an index that the thread has registered. It is nil if nothing is known of it.
func (t *Task) ring(fd uint64, flags uint32) *uring {
	if flags&enterRegRing != 0 {
		return t.rings[uint32(fd)]
	}
	rs := &t.p.rings
	if u := rs.get(int(int32(fd))); u != nil || !rs.any.Load() || !isRing(int(int32(fd))) {
		return u
	}
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for known, u := range rs.byFD {
		const kcmpFile, same = 0, 0
		if t.host(unix.SYS_KCMP, &Args{uint64(t.p.pid), uint64(t.p.pid), kcmpFile, uint64(known), fd}) == same {
			return u // not noted: the duplicate may be closed at any time
		}
	}
	return nil
}

// isRing reports whether a descriptor is that of a ring.
func isRing(fd int) bool {
	name, e := fdName(fd)
	return e == 0 && name == "anon_inode:[io_uring]"
}

// patches is what has been changed in the guest's memory until the kernel has read it.
type patches struct {
	t       *Task
	changed []changedField
	keep    [][]byte // what the changed fields point to
}

type changedField struct{ addr, old, size uint64 }

// restore undoes the changes.
func (s *patches) restore() {
	for i := len(s.changed) - 1; i >= 0; i-- {
		c := s.changed[i]
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], c.old)
		s.t.p.copyOut(c.addr, b[:c.size])
	}
	s.changed, s.keep = nil, nil
}

// set changes a field.
func (s *patches) set(addr, v, size uint64) {
	var old [8]byte
	if s.t.p.copyIn(old[:size], addr) != 0 {
		return
	}
	s.changed = append(s.changed, changedField{addr, binary.LittleEndian.Uint64(old[:]), size})
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v)
	s.t.p.copyOut(addr, b[:size])
}

// point makes a field point to bytes of ours.
func (s *patches) point(addr uint64, b []byte) {
	s.keep = append(s.keep, b)
	s.set(addr, pin(b), 8)
}

// submission changes submission entries.
type submission struct{ patches }

// convert rewrites the next n entries.
func (s *submission) convert(u *uring, n uint32) {
	p := s.t.p
	if u.ring == 0 || u.sqes == 0 {
		return
	}
	head, e := load[uint32](p, u.ring+u.head)
	tail, e1 := load[uint32](p, u.ring+u.tail)
	mask, e2 := load[uint32](p, u.ring+u.mask)
	if e|e1|e2 != 0 {
		return
	}
	for n = min(n, tail-head, u.entries); n > 0; n-- {
		i := head & mask
		head++
		if !u.noArray {
			if i, e = load[uint32](p, u.ring+u.array+4*uint64(i)); e != 0 || i >= u.entries {
				continue
			}
		}
		var sqe [sqeSize]byte
		if at := u.sqes + uint64(i)*u.entrySize; p.copyIn(sqe[:], at) == 0 {
			s.entry(at, &sqe)
		}
	}
}

// entry rewrites the entry at an address of the guest's.
func (s *submission) entry(at uint64, sqe *[sqeSize]byte) {
	s.guard(at, sqe)
	le := binary.LittleEndian
	fd, second := int(int32(le.Uint32(sqe[sqeFD:]))), int(int32(le.Uint32(sqe[sqeLen:])))
	flags := le.Uint32(sqe[sqeFlags:])
	follow := useFollow
	switch sqe[0] {
	case opOpenat:
		s.set(at+sqeFlags, armabi.OpenFlags(uint64(flags)), 4)
		s.path(at, sqe, sqeAddr, fd, openUse(armabi.OpenFlags(uint64(flags))))
	case opOpenat2:
		s.openHow(at, sqe, fd)
	case opEpollCtl:
		s.epollEvent(at, sqe)
	case opEpollWait:
		s.set(at, opInvalid, 1) // its events would come packed
	case opStatx:
		if flags&unix.AT_SYMLINK_NOFOLLOW != 0 {
			follow = useLink
		}
		s.path(at, sqe, sqeAddr, fd, follow)
	case opRenameat:
		s.path(at, sqe, sqeAddr, fd, useLink)
		s.path(at, sqe, sqeOff, second, useReplace)
	case opUnlinkat:
		s.path(at, sqe, sqeAddr, fd, useLink)
	case opMkdirat:
		s.path(at, sqe, sqeAddr, fd, useNew)
	case opSymlinkat:
		s.path(at, sqe, sqeOff, fd, useNew)
	case opLinkat:
		if flags&unix.AT_SYMLINK_FOLLOW == 0 {
			follow = useLink
		}
		s.path(at, sqe, sqeAddr, fd, follow)
		s.path(at, sqe, sqeOff, second, useNew)
	case opSetxattr, opGetxattr:
		s.path(at, sqe, sqeAddr3, unix.AT_FDCWD, useFollow)
	}
}

// path translates the path that a field of an entry points to. One that leads
// nowhere becomes the empty path, which gives ENOENT.
func (s *submission) path(at uint64, sqe *[sqeSize]byte, field uint64, dir int, u use) {
	addr := binary.LittleEndian.Uint64(sqe[field:])
	text := s.t.pathAt(addr)
	if text == noPath {
		was := addr
		if s.t.text(&addr); addr != was {
			s.set(at+field, addr, 8)
		}
		return
	}
	host, same, e := s.t.hostPath(dir, text, u)
	switch {
	case e != 0:
		s.point(at+field, []byte{0})
	case !same:
		s.point(at+field, append([]byte(host), 0))
	}
}

// openHow converts the struct open_how of openat2.
func (s *submission) openHow(at uint64, sqe *[sqeSize]byte, dir int) {
	le := binary.LittleEndian
	size := le.Uint32(sqe[sqeLen:])
	if size < openHowSize || size > maxStruct {
		return
	}
	how := make([]byte, size)
	if s.t.p.copyIn(how, le.Uint64(sqe[sqeOff:])) != 0 {
		return
	}
	flags := armabi.OpenFlags(le.Uint64(how))
	le.PutUint64(how, flags)
	s.point(at+sqeOff, how)
	if le.Uint64(how[16:])&(unix.RESOLVE_BENEATH|unix.RESOLVE_IN_ROOT) == 0 {
		s.path(at, sqe, sqeAddr, dir, openUse(flags))
	}
}

// openUse is what opening with the host's flags does with a path.
func openUse(flags uint64) use {
	switch {
	case flags&unix.O_CREAT != 0 && flags&(unix.O_EXCL|unix.O_NOFOLLOW) != 0:
		return useNew
	case flags&unix.O_CREAT != 0:
		return useCreate
	case flags&unix.O_NOFOLLOW != 0:
		return useLink
	}
	return useFollow
}

// epollEvent packs the struct epoll_event of epoll_ctl.
func (s *submission) epollEvent(at uint64, sqe *[sqeSize]byte) {
	le := binary.LittleEndian
	addr := le.Uint64(sqe[sqeAddr:])
	if le.Uint32(sqe[sqeLen:]) == unix.EPOLL_CTL_DEL || addr == 0 {
		return
	}
	var ev [armEpollEvent]byte
	if s.t.p.copyIn(ev[:], addr) != 0 {
		return
	}
	s.point(at+sqeAddr, append(ev[0:4:4], ev[8:16]...))
}
