package syscalls

import (
	"math"
	"math/bits"
	"sync/atomic"

	"emu/cpu"
)

// Generated code makes the calls of the table's Direct rows itself (jit's
// StubSyscall). It leaves them to Task.syscall when something is odd: a pointer
// that it does not know to be the guest's, a signal that came first, a result that
// has to be looked at here; and always while a task or its process is slow.

// slowness is a set of reasons for which every call has to come here.
type slowness = uint32

// Why calls have to come here.
const (
	slowStrace   slowness = 1 << iota // they are printed
	slowVfork                         // the memory that they write is tracked
	slowTraced                        // for ptrace(2)
	slowFiltered                      // for seccomp(2)
	slowTracer                        // what the process writes to those it traces is watched
	slowTags                          // the kernel checks memory tags
	slowYoung                         // a signal of emu's own may come, see young.go
	slowServer                        // what it reads may be requests of a file system, see fuse.go
)

// slowDown makes the task's calls come here for a reason, or no longer. Safe from
// any thread; a call that is being made is not affected.
func (t *Task) slowDown(why slowness, on bool) {
	if on {
		atomic.OrUint32(&t.slow, why)
		atomic.StoreUint64(&t.State.Direct, 0)
		return
	}
	atomic.AndUint32(&t.slow, ^why)
	t.hurry()
}

// hurry lets generated code make the task's direct calls if there is no reason
// against it.
func (t *Task) hurry() {
	if atomic.LoadUint32(&t.slow) == 0 {
		atomic.StoreUint64(&t.State.Direct, t.p.directAddr())
	}
}

// initDirect readies a new task for direct calls.
func (t *Task) initDirect() {
	s := t.State
	s.Signals = uint64(t.th.Addr())
	s.Shrunk = t.p.shrunkAddr()
	s.Paths = t.p.pathsAddr()
	if t.p.Strace != nil {
		t.slow |= slowStrace
	}
	if t.p.vfork != nil {
		t.slow |= slowVfork
	}
	if t.p.traced.any.Load() {
		t.slow |= slowTracer
	}
	if t.p.serves.Load() {
		t.slow |= slowServer
	}
	if t.tagsChecked() {
		t.slow |= slowTags
	}
	t.hurry()
}

// directTable derives what generated code has to know from the rows.
func directTable(rows *[TableSize]*Row) *cpu.DirectTable {
	t := new(cpu.DirectTable)
	for i, r := range rows {
		if d, ok := r.direct(); ok {
			t[i] = d
		}
	}
	return t
}

// limitDirect keeps calls that generated code makes from emu's own descriptors.
func (p *Process) limitDirect() {
	if len(p.own) == 0 {
		return
	}
	for i, r := range p.table {
		if d := &p.direct[i]; d.Flags&cpu.DirectCan != 0 && (r.notOwn || d.Flags&cpu.DirectPath != 0) {
			d.Flags |= cpu.DirectLimit
			d.Limit = uint32(p.own[0]) - 1
		}
	}
}

// direct returns the row's entry in the table for generated code; ok is false if
// the call has to come here.
func (r *Row) direct() (d cpu.DirectCall, ok bool) {
	if r.flags&cpu.DirectPath != 0 {
		return cpu.DirectCall{Host: uint16(r.Host), Flags: cpu.DirectCan | cpu.DirectPath, Limit: math.MaxInt32}, true
	}
	if r.Class != Direct && !r.notOwn || r.inherited || r.noReturn || r.always {
		return d, false
	}
	d = cpu.DirectCall{Host: uint16(r.Host), Flags: cpu.DirectCan | r.flags, Zero: r.zero}
	d.Ptr[0].Arg, d.Ptr[1].Arg = -1, -1
	n := 0
	if r.flags&cpu.DirectFutex != 0 { // it looks at its arguments itself
		d.Ptr[0].Arg = 0
		return d, true
	}
	for m := r.pointers; m != 0; m &= m - 1 {
		i := bits.TrailingZeros8(m)
		if r.zero>>i&1 != 0 {
			continue
		}
		p := cpu.DirectPtr{Arg: int8(i), Len: -1}
		switch k := r.Args[i]; k {
		case InBuf, OutBuf:
			p.Len = int8(i + 1)
		case SizedBefore:
			p.Len = int8(i - 1)
		default:
			if kindSize[k] == 0 {
				return d, false
			}
			p.Size = uint16(kindSize[k])
		}
		if n == len(d.Ptr) {
			return d, false
		}
		d.Ptr[n] = p
		n++
	}
	if n > 0 {
		d.Flags |= cpu.DirectPtrs
	}
	return d, true
}

// learn notes the guest's memory around the pointers of a call that came here, so
// that generated code can make the next one like it.
func (t *Task) learn(row *Row, a *Args) {
	s := t.State
	d := &t.p.direct[row.Nr]
	if d.Flags&(cpu.DirectPtrs|cpu.DirectPath|cpu.DirectFutex) == 0 || atomic.LoadUint64(&s.Direct) == 0 {
		return
	}
	if now := t.p.Mem.Shrunk().Load(); now != s.OwnSeen {
		s.Own = [cpu.NumOwn]cpu.OwnRange{}
		s.OwnSeen = now
	}
	pointers := row.pointers
	if d.Flags&cpu.DirectPath == 0 {
		pointers = 0
		for _, p := range d.Ptr {
			if p.Arg >= 0 {
				pointers |= 1 << p.Arg
			}
		}
	}
	for m := pointers; m != 0; m &= m - 1 {
		addr := a[bits.TrailingZeros8(m)]
		start, end, ok := t.p.Mem.Extent(addr)
		if addr == 0 || !ok {
			continue
		}
		// The most recent one comes first; one that has grown takes its own place.
		i := 0
		for i < len(s.Own)-1 && s.Own[i].Start != start {
			i++
		}
		copy(s.Own[1:i+1], s.Own[:i])
		s.Own[0] = cpu.OwnRange{Start: start, Size: end - start}
	}
}
