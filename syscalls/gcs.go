package syscalls

import (
	"encoding/binary"

	"emu/cpu"

	"golang.org/x/sys/unix"
)

// The guarded control stack (FEAT_GCS) as the kernel shows it: Linux
// Documentation/arch/arm64/gcs.rst, arch/arm64/mm/gcs.c and kernel/signal.c.

// gcsState is what the kernel knows of a thread's guarded control stack besides its
// registers (cpu.State.GCSPR and GCSMode).
type gcsState struct {
	base, size uint64 // of the one that was allocated for the thread
	locked     uint64 // bits of the mode that do not change any more
}

const (
	prGetShadowStackStatus  = 74
	prSetShadowStackStatus  = 75
	prLockShadowStackStatus = 76

	// Flags of map_shadow_stack(2).
	shadowStackSetToken  = 1 << 0
	shadowStackSetMarker = 1 << 1

	segvControlProtection = 10 // SEGV_CPERR

	maxShadowStack = 2 << 30
	entrySize      = 8

	// shadowFlags are the VmFlags of a shadow stack.
	shadowFlags = " rd wr mr mw me ac ss "
)

// haveGCS reports whether the guest's CPU has guarded control stacks.
func (t *Task) haveGCS() bool {
	const gcs = 1 << 32
	return auxval(t.p.Auxv, atHWCAP)&gcs != 0
}

// shadowStackStatus is prctl(PR_GET_SHADOW_STACK_STATUS) and its like.
func (t *Task) shadowStackStatus(a *Args) int64 {
	if a[2]|a[3]|a[4] != 0 || !t.haveGCS() {
		return fail(unix.EINVAL)
	}
	switch uint32(a[0]) {
	case prGetShadowStackStatus:
		return fail(save(t.p, t.p.plain(a[1]), t.State.GCSMode))
	case prLockShadowStackStatus:
		t.gcs.locked |= a[1]
		return 0
	}
	return fail(t.setShadowStack(a[1]))
}

// setShadowStack is prctl(PR_SET_SHADOW_STACK_STATUS). A thread gets one stack only.
func (t *Task) setShadowStack(mode uint64) unix.Errno {
	s := t.State
	switch {
	case mode&^cpu.GCSModes != 0:
		return unix.EINVAL
	case t.gcsLocked(mode):
		return unix.EBUSY
	}
	if mode&cpu.GCSEnable != 0 && s.GCSMode&cpu.GCSEnable == 0 {
		if t.gcs.base != 0 || s.GCSPR != 0 {
			return unix.EINVAL
		}
		if e := t.allocShadowStack(0); e != 0 {
			return e
		}
	}
	s.GCSMode = mode
	return 0
}

// gcsLocked reports whether a lock forbids the mode.
func (t *Task) gcsLocked(mode uint64) bool { return (mode^t.State.GCSMode)&t.gcs.locked != 0 }

// allocShadowStack gives the thread a stack of size bytes, 0 being half of the limit of
// ordinary ones.
func (t *Task) allocShadowStack(size uint64) unix.Errno {
	if size == 0 {
		var limit unix.Rlimit
		if err := unix.Getrlimit(unix.RLIMIT_STACK, &limit); err != nil {
			limit.Cur = unix.RLIM_INFINITY
		}
		size = min(limit.Cur/2, maxShadowStack)
	}
	size = max((size+cpu.PageSize-1)&^(cpu.PageSize-1), cpu.PageSize)
	base, e := t.p.Mem.MapShadow(0, size)
	if e != 0 {
		return e
	}
	t.gcs.base, t.gcs.size = base, size
	t.State.GCSPR = base + size - entrySize
	return 0
}

// newShadowStack gives a thread that parent makes the parent's mode, and a stack of its own
// if it shares the parent's memory and does not just borrow it.
func (t *Task) newShadowStack(parent *Task, c *cloneArgs) bool {
	t.gcs.locked = parent.gcs.locked
	if t.State.GCSMode&cpu.GCSEnable == 0 || c.Flags&(unix.CLONE_VM|unix.CLONE_VFORK) != unix.CLONE_VM {
		return true
	}
	return t.allocShadowStack(c.StackSize/2) == 0
}

// freeShadowStack frees the stack that was allocated for the thread, which ends.
func (t *Task) freeShadowStack() {
	if t.gcs.size != 0 {
		t.p.Mem.Unmap(t.gcs.base, t.gcs.size)
		t.gcs.base, t.gcs.size = 0, 0
	}
}

// copyShadow copies the shadow stacks for a child of fork. A child of vfork has the
// parent's.
func (t *Task) copyShadow(v *vfork) (copies []cpu.ShadowCopy, ok bool) {
	if v != nil && v.tracks {
		return nil, true
	}
	return t.p.Mem.CopyShadow()
}

// sysMapShadowStack implements map_shadow_stack(2).
func sysMapShadowStack(t *Task, a *Args) int64 {
	addr, size, flags := a[0], a[1], uint32(a[2])
	switch {
	case !t.haveGCS():
		return fail(unix.EOPNOTSUPP)
	case flags&^(shadowStackSetToken|shadowStackSetMarker) != 0, addr%cpu.PageSize != 0, size == entrySize, size%entrySize != 0:
		return fail(unix.EINVAL)
	}
	rounded := (size + cpu.PageSize - 1) &^ (cpu.PageSize - 1)
	if rounded < size {
		return fail(unix.EOVERFLOW)
	}
	addr, e := t.p.Mem.MapShadow(addr, rounded)
	if e != 0 {
		return fail(e)
	}
	if flags&shadowStackSetToken == 0 {
		return int64(addr)
	}
	cap := addr + size - entrySize
	if flags&shadowStackSetMarker != 0 {
		cap -= entrySize
	}
	if !t.p.Mem.StoreShadow(cap, cpu.GCSCap(cap)) {
		t.p.Mem.Unmap(addr, rounded)
		return fail(unix.EFAULT)
	}
	return int64(addr)
}

// The record of a signal frame: struct gcs_context.
const (
	gcsMagic = 0x47435300
	gcsSize  = 32
)

// gcsRecord fills in the record of the guarded control stack. With one in use it points
// to the cap that gcsEnter puts there.
func (t *Task) gcsRecord(r []byte) {
	le, at := binary.LittleEndian, t.State.GCSPR
	if t.State.GCSMode&cpu.GCSEnable != 0 {
		at -= entrySize
	}
	le.PutUint32(r[0:], gcsMagic)
	le.PutUint32(r[4:], gcsSize)
	le.PutUint64(r[8:], at)
	le.PutUint64(r[16:], t.State.GCSMode)
}

// gcsEnter pushes what a signal handler returns by: a cap, and the address that the handler
// returns to. It reports whether it could.
func (t *Task) gcsEnter(sigreturn uint64) bool {
	s := t.State
	if s.GCSMode&cpu.GCSEnable == 0 {
		return true
	}
	top, cap := s.GCSPR-2*entrySize, s.GCSPR-entrySize
	if !t.p.Mem.StoreShadow(top, sigreturn) || !t.p.Mem.StoreShadow(cap, cpu.GCSSignalCap(cap)) {
		return false
	}
	s.GCSPR = top
	return true
}

// gcsLeave is the end of a signal handler: the state goes back to what the record of
// its frame says, nil if there is none, and the cap is popped. It reports whether the
// kernel would allow that.
func (t *Task) gcsLeave(record []byte) bool {
	s := t.State
	at, mode := s.GCSPR, s.GCSMode
	if record != nil {
		at, mode = binary.LittleEndian.Uint64(record[8:]), binary.LittleEndian.Uint64(record[16:])
		switch {
		case len(record) != gcsSize || !t.haveGCS(), mode&^cpu.GCSModes != 0, t.gcsLocked(mode), mode&cpu.GCSEnable&^s.GCSMode != 0:
			return false
		case mode&cpu.GCSEnable == 0:
			mode = 0
		}
	}
	s.GCSPR, s.GCSMode = at&^(entrySize-1), mode
	if mode&cpu.GCSEnable == 0 {
		return true
	}
	cap, e := load[uint64](t.p, at)
	if e != 0 || cap != cpu.GCSSignalCap(at) || !t.p.Mem.StoreShadow(at, 0) {
		return false
	}
	s.GCSPR += entrySize
	return true
}
