package syscalls

import (
	"encoding/json"
	"io"
	"os"
	"strconv"
	"sync/atomic"

	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// Inheritance is what a guest process keeps over execve that the host does not
// know of.
type Inheritance struct {
	Filters     []*filter // seccomp, the newest first
	Personality uint32
	ExecGain    uint32 // cpu.Memory.InheritedExecGain
	Trace       *traced
	PIDs        *int            // what childrensNamespaces.next was, if the children will be in another namespace of process ids
	Lent        bool            // and whether the privilege for that is
	Serves      bool            // it may have descriptors of /dev/fuse
	InheritVL   bool            // see Task.vectorLength
	Limits      *[2]unix.Rlimit // Process.limits, if there are any

	optional bool // a program may be executed without it
}

// traced is how a program goes on being traced.
type traced struct {
	Tracer, Seized, Options, Command uint32
	Want                             uint32 // what the tracer has asked for and not got
	Tid                              int    // that the thread had before
	Nr                               int32  // of the call that executed the program
}

// inheritance collects it; nil if there is nothing.
func (t *Task) inheritance() *Inheritance {
	in := &Inheritance{Personality: t.p.personality.Load() &^ (hostPersonality | readImpliesExec), ExecGain: t.p.Mem.InheritedExecGain(), Serves: t.p.serves.Load(), InheritVL: t.inheritVL}
	for f := t.seccomp.Load(); f != nil; f = f.prev {
		in.Filters = append(in.Filters, f)
	}
	if b := &t.th.Trace; t.traced() {
		in.Trace = &traced{b.Tracer, b.Seized, b.Options, t.trace.command, atomic.LoadUint32(&b.Want), t.tid, int32(t.State.X[8])}
	}
	if c := &t.p.children; c.pid {
		in.PIDs = &c.next
	}
	if t.p.limits != noLimits {
		in.Limits = &t.p.limits
	}
	in.optional = in.Filters == nil && in.Trace == nil && in.PIDs == nil && in.Personality == 0 && in.ExecGain == 0 && !in.Serves && !in.InheritVL
	if in.optional && in.Limits == nil {
		return nil
	}
	return in
}

// pass writes it to a descriptor that survives execve, and returns the flags with
// which the next emu finds it.
func (in *Inheritance) pass() (fd int, flags []string, err error) {
	text, err := json.Marshal(in)
	if err != nil {
		return -1, nil, err
	}
	fd, err = unix.MemfdCreate("inheritance", 0)
	if err != nil {
		return -1, nil, err
	}
	if high, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD, execFileMin); err == nil {
		unix.Close(fd)
		fd = high
	}
	if n, err := unix.Pwrite(fd, text, 0); err != nil || n != len(text) {
		unix.Close(fd)
		return -1, nil, unix.ENOMEM
	}
	return fd, []string{"-execstate", strconv.Itoa(fd)}, nil
}

// ReadInheritance reads what pass wrote, and closes the descriptor.
func ReadInheritance(fd int) (*Inheritance, error) {
	f := os.NewFile(uintptr(fd), "inheritance")
	defer f.Close()
	text, err := io.ReadAll(io.NewSectionReader(f, 0, 1<<24))
	if err != nil {
		return nil, err
	}
	in := &Inheritance{}
	if err := json.Unmarshal(text, in); err != nil {
		return nil, err
	}
	if in.PIDs != nil && *in.PIDs > 0 {
		*in.PIDs = hostsig.Raise(*in.PIDs)
	}
	return in, nil
}

// canBeTraced says so, to all or to the debugger that is yet to come.
func (p *Process) canBeTraced() {
	if p.Ready != nil {
		hostsig.SetReadiness(hostsig.Promised)
		return
	}
	hostsig.SetReady()
}

// inherit takes over what the program before this one left. From then on tracers may
// attach.
func (t *Task) inherit(in *Inheritance) {
	if in == nil {
		t.p.canBeTraced()
		return
	}
	t.p.personality.Store(t.p.personality.Load() | in.Personality)
	t.inheritVL = in.InheritVL
	if in.Serves {
		t.p.becomeServer()
	}
	if in.Limits != nil {
		t.p.limits = *in.Limits
		t.p.limitMemory()
	}
	t.p.mapPageZero()
	if in.PIDs != nil {
		t.p.children.pid, t.p.children.next = true, *in.PIDs
		if in.Lent {
			t.p.children.borrow()
		}
	}
	for i := len(in.Filters) - 1; i >= 0; i-- {
		f := in.Filters[i]
		f.prev = t.seccomp.Load()
		t.setFilter(f)
	}
	tr := in.Trace
	if tr == nil {
		t.p.canBeTraced()
		return
	}
	b := &t.th.Trace
	b.Tracer, b.Seized, b.Options = tr.Tracer, tr.Seized, tr.Options
	t.trace.command = tr.Command
	if atomic.StoreUint32(&b.Want, tr.Want); tr.Want&hostsig.WantStop != 0 {
		b.StopInfo = stopInfo()
	}
	t.p.canBeTraced()
	t.watchSignals()
	t.heedTracer()
	// What the tracer sees of a successful execve (ptrace(2)): the event, the exit of the call if the
	// last command asks for it, and instead of the event a SIGTRAP that comes as any other signal, after the exit.
	if t.option(ptEventExec) {
		t.eventStop(ptEventExec, uint64(tr.Tid))
	}
	if !t.done && t.traced() && t.trace.command == ptSyscall {
		t.syscallExit(tr.Nr)
	}
	if !t.done && tr.Options&(1<<ptEventExec) == 0 && tr.Seized == 0 {
		info := t.sentInfo(int(unix.SIGTRAP), siUser)
		t.deliver(int(unix.SIGTRAP), &info)
	}
}
