package syscalls

import (
	"encoding/binary"
	"runtime"
	"slices"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"emu/cpu"

	"golang.org/x/sys/unix"
)

// vfork is what a parent that waits for its child's execve or exit shares with
// it, if the child cannot have the parent's memory itself (lend.go), such as a traced one: one MAP_SHARED mapping.
//
// The end of the wait comes from the kernel. The child's thread has a robust
// futex list (set_robust_list(2)) with one entry, a futex in the mapping that it
// owns: when the thread gives its memory up, by execve, exit or any death, the
// kernel marks the futex and wakes the parent.
//
// With CLONE_VM the child leaves what it changed of its memory behind the futex,
// and the parent applies it: posix_spawn returns the error of execve that way. So it
// does with memory that the child mapped, for its heap most of all: malloc's lists of
// both lead there. Files and shared memory that the child maps stay its own, and
// the changes of a child that a signal kills in the middle are lost.
type vfork struct {
	share  *vforkShare
	tracks bool
	room   uint64 // where the child may map memory that the parent gets, 0 for nowhere
}

// vforkRoom is the size of the room, address space only.
const vforkRoom = 1 << 30

// vforkShare is the mapping. head and node are struct robust_list_head and the
// one entry of its list.
type vforkShare struct {
	head struct {
		next    uintptr
		offset  uintptr // from an entry to its futex
		pending uintptr
	}
	node   uintptr
	futex  uint32
	_      uint32
	length uint64 // of changes in use
	lost   uint64 // changes there was no room for
	brk    uint64 // the child's break, 0 if it has not moved
	mapped uint64 // entries of maps in use
	maps   [vforkMaps]cpu.MappingChange
	// changes are records: address, length (8 bytes each), the bytes.
	changes [vforkShareSize - 72 - vforkMaps*unsafe.Sizeof(cpu.MappingChange{})]byte
}

// vforkMaps is how many changes of mappings a parent is told.
const vforkMaps = 512

const vforkShareSize = 64 << 20 // of address space: pages appear when touched

// Bits of a robust futex, and the operation that waits (linux/futex.h).
const (
	futexWait      = 0
	futexWake      = 1
	futexWaiters   = 0x80000000
	futexOwnerDied = 0x40000000
)

func newVfork(m *cpu.Memory, tracks bool) (*vfork, error) {
	mem, err := unix.MmapPtr(-1, 0, nil, vforkShareSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		return nil, err
	}
	v := &vfork{share: (*vforkShare)(mem), tracks: tracks}
	if tracks {
		// Without it the child's memory goes where the parent's own may be put meanwhile.
		v.room = m.Room(vforkRoom)
	}
	return v, nil
}

// freeRoom gives the parent's reservation up.
func (v *vfork) freeRoom(m *cpu.Memory) {
	if v.room != 0 {
		m.DropRoom(v.room, vforkRoom)
	}
	v.room = 0
}

// free unmaps the parent's view.
func (v *vfork) free(m *cpu.Memory) {
	v.freeRoom(m)
	if v.share != nil {
		unix.MunmapPtr(unsafe.Pointer(v.share), vforkShareSize)
	}
	v.share = nil
}

// vforked begins a child's life: with v, its parent waits. What it inherited of a
// parent that is a child of vfork itself ends.
func (p *Process) vforked(v *vfork) {
	if p.vfork != nil {
		p.vfork.free(p.Mem)
		p.Mem.Untrack()
	}
	p.vfork = nil
	if v == nil {
		return
	}
	// The caller's v goes out of scope with its mapping.
	p.vfork = &vfork{share: v.share, tracks: v.tracks}
	room, size := v.room, uint64(0)
	if room != 0 {
		size = vforkRoom
	}
	v.share, v.room = nil, 0
	s := p.vfork.share
	s.head.next = uintptr(unsafe.Pointer(&s.node))
	s.head.offset = unsafe.Offsetof(s.futex) - unsafe.Offsetof(s.node)
	s.node = uintptr(unsafe.Pointer(&s.head))
	atomic.StoreUint32(&s.futex, uint32(unix.Gettid())|futexWaiters)
	syscall.RawSyscall(unix.SYS_SET_ROBUST_LIST, uintptr(unsafe.Pointer(s)), unsafe.Sizeof(s.head), 0)
	if p.vfork.tracks {
		p.Mem.Track(room, size)
	}
}

// tellParent leaves what the process changed of its memory to a parent that
// waits. The process is about to execute a program or to exit.
func (p *Process) tellParent() {
	if p.vfork == nil || !p.vfork.tracks {
		return
	}
	s := p.vfork.share
	at := uint64(0)
	s.lost, s.brk, s.mapped = 0, 0, 0
	brk, moved := p.Mem.Mappings(func(c cpu.MappingChange) {
		if s.mapped == vforkMaps {
			s.lost++
			return
		}
		s.maps[s.mapped] = c
		s.mapped++
	})
	if moved {
		s.brk = brk
	}
	p.Mem.Changes(func(addr uint64, now []byte) {
		n := uint64(16 + len(now))
		if at+n > uint64(len(s.changes)) {
			s.lost++
			return
		}
		binary.LittleEndian.PutUint64(s.changes[at:], addr)
		binary.LittleEndian.PutUint64(s.changes[at+8:], uint64(len(now)))
		copy(s.changes[at+16:], now)
		at += n
	})
	s.length = at
}

// freeParent lets a parent go on that waits for its child of vfork, as the end of the child's memory would.
func (t *Task) freeParent() {
	p := t.p
	v := p.vfork
	if v == nil {
		return
	}
	syscall.RawSyscall(unix.SYS_SET_ROBUST_LIST, 0, robustListHead, 0)
	atomic.StoreUint32(&v.share.futex, futexOwnerDied)
	syscall.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&v.share.futex)), futexWake, 1, 0, 0, 0)
	v.free(p.Mem)
	p.vfork = nil
	t.slowDown(slowVfork, false)
}

// awaitVfork waits until the child pid has executed a program or ended, and
// applies what it changed. Signals do not end the wait, as in the kernel.
func (t *Task) awaitVfork(v *vfork, pid int) {
	s := v.share
	look := onHeap(unix.NsecToTimespec(int64(100 * time.Millisecond)))
	t.beginStill()
	for {
		now := atomic.LoadUint32(&s.futex)
		if now&futexOwnerDied != 0 {
			break
		}
		r := t.th.Uninterrupted(unix.SYS_FUTEX, uintptr(unsafe.Pointer(&s.futex)), futexWait, uintptr(now), uintptr(addrOf(look)))
		if int64(r) != fail(unix.ETIMEDOUT) {
			continue
		}
		// A child that was killed before it had its list wakes nobody.
		if atomic.LoadUint32(&s.futex) == 0 && ended(pid) {
			break
		}
		// One that this thread traces may have stopped at a signal of emu's own.
		t.peekStops(pid)
	}
	t.endStill()
	runtime.KeepAlive(look)
	v.freeRoom(t.p.Mem)
	t.p.takeMappings(s)
	for b := s.changes[:s.length]; len(b) >= 16; {
		addr, n := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
		if !t.p.Mem.ChangeTags(addr, b[16:16+n]) {
			t.change(addr, b[16:16+n])
		}
		b = b[16+n:]
	}
	if s.lost != 0 {
		t.p.Log.Warn().Uint64("runs", s.lost).Msg("a vfork child changed more memory than its parent is told")
	}
}

// change makes the memory at addr what it is to be, where it is not.
func (t *Task) change(addr uint64, to []byte) {
	p := t.p
	t.buf = slices.Grow(t.buf[:0], len(to))
	was := t.buf[:len(to)]
	if p.copyIn(was, addr) != 0 {
		p.copyOut(addr, to)
		return
	}
	for i := 0; i < len(to); i++ {
		start := i
		for i < len(to) && was[i] != to[i] {
			i++
		}
		if i > start {
			p.copyOut(addr+uint64(start), to[start:i])
		}
	}
}

// takeMappings maps, protects and unmaps what a child has. Where another thread of this
// process has mapped something meanwhile, that stays: the two never shared memory.
func (p *Process) takeMappings(s *vforkShare) {
	if s.brk != 0 {
		p.Mem.Brk(s.brk)
	}
	for _, c := range s.maps[:s.mapped] {
		switch {
		case c.New:
			const flags = unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_NORESERVE | unix.MAP_FIXED_NOREPLACE
			if _, e := p.Mem.Map(c.Start, c.End-c.Start, c.Prot, flags, -1, 0); e != 0 {
				p.Log.Warn().Err(e).Str("addr", hex(c.Start)).Msg("memory that a vfork child has mapped is taken")
			}
		case c.Prot == cpu.Unmapped:
			p.Mem.Unmap(c.Start, c.End-c.Start)
		default:
			p.Mem.Protect(c.Start, c.End-c.Start, c.Prot)
		}
	}
}

// ended reports whether a child is a zombie or gone.
func ended(pid int) bool {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT|unix.WALL, nil)
	if err == unix.ECHILD {
		return unix.Kill(pid, 0) == unix.ESRCH
	}
	return err == nil && info.Signo != 0
}

// robustListHead is the size of struct robust_list_head.
const robustListHead = 24

// sysSetRobustList implements set_robust_list(2). A child of vfork keeps the list
// that wakes its parent.
func sysSetRobustList(t *Task, a *Args) int64 {
	if t.p.vfork != nil {
		return 0
	}
	if a[0] != 0 {
		t.whole(&a[0], robustListHead)
	}
	_, _, e := syscall.RawSyscall(unix.SYS_SET_ROBUST_LIST, uintptr(a[0]), uintptr(a[1]), 0)
	return fail(e)
}

// unguard makes memory that the kernel was refused writable again, where it was
// this process that had it protected, and reports whether there was any.
func (t *Task) unguard(a *Args) bool {
	any := t.p.Mem.UnguardAll()
	if t.p.vfork == nil {
		return any
	}
	const most = 64 << 10
	any = t.uncover(a, most) || any
	for _, addr := range a {
		// Structures that point to buffers: struct iovec, struct msghdr.
		var inner [64]byte
		if addr != 0 && t.p.copyIn(inner[:], addr) == 0 {
			for i := 0; i < len(inner); i += 8 {
				if p := t.p.plain(binary.LittleEndian.Uint64(inner[i:])); p >= cpu.PageSize && p < cpu.MaxAddr-most {
					any = t.p.Mem.Unguard(p, p+most) || any
				}
			}
		}
	}
	return any
}

// uncover lets the kernel write n bytes where the arguments of a call point to.
func (t *Task) uncover(a *Args, n uint64) bool {
	any := false
	for _, addr := range a {
		if addr = t.p.plain(addr); addr >= cpu.PageSize && addr < cpu.MaxAddr-n {
			any = t.p.Mem.Unguard(addr, addr+n) || any
		}
	}
	return any
}
