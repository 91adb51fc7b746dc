package syscalls

import (
	"time"

	"emu/cpu"
	"emu/internal/forkall"
	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// Core files (core(5)). Where a signal ends the guest whose default action is to dump
// core, the host's kernel would write a core of emu, which says nothing about the guest.
// emu writes what an arm64 kernel would, as fs/coredump.c and fs/binfmt_elf.c do, and
// keeps the kernel from dumping emu. The rest is in core_name.go: where to;
// core_memory.go: which memory; core_notes.go: threads and what else there is to tell;
// core_write.go: the file.

// dumpsCore are the signals whose default action is to dump core (signal(7)).
const dumpsCore = 1<<(unix.SIGQUIT-1) | 1<<(unix.SIGILL-1) | 1<<(unix.SIGTRAP-1) | 1<<(unix.SIGABRT-1) | 1<<(unix.SIGBUS-1) |
	1<<(unix.SIGFPE-1) | 1<<(unix.SIGSEGV-1) | 1<<(unix.SIGXCPU-1) | 1<<(unix.SIGXFSZ-1) | 1<<(unix.SIGSYS-1)

// coreThread is a thread as a core shows it.
type coreThread struct {
	tid     int
	blocked uint64
	regs    hostsig.Trace // only the fields of showRegisters and Call
}

// dumpCore writes a core file because of a signal, if the process may have one, and returns the
// name that the guest has for it, be it cut short, "" if there is none. The thread does not run
// again, and the others stand still for good.
//
// Preconditions: the thread has claimed the end.
func (t *Task) dumpCore(sig int, info *hostsig.Info) (name string) {
	var limit unix.Rlimit
	// A process that has changed its user (dumpable 2) is for root to dump.
	dumpable, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
	if unix.Getrlimit(unix.RLIMIT_CORE, &limit) != nil || limit.Cur < cpu.PageSize || err != nil || dumpable != 1 {
		return ""
	}
	t.endsUnlessUnseen()
	t.settleRestart(false, 0)
	ignoreSignals()
	threads := t.standStill()
	t.p.freeDescriptors()
	name = t.p.coreName(sig, limit.Cur)
	if name == "" {
		return ""
	}
	fd, err := t.createCore(name)
	if err != nil {
		t.p.Log.Debug().Err(err).Str("name", name).Msg("no core file")
		return ""
	}
	defer unix.Close(fd)
	segments := t.p.coreSegments()
	w := &coreWriter{fd: fd, left: limit.Cur}
	if !w.writeCore(t.p, segments, t.coreNotes(sig, info, threads, segments)) {
		t.p.Log.Debug().Err(w.err).Str("name", name).Msg("the core file is not whole")
	}
	return name
}

// freeDescriptors gives emu a few, for a guest that has used up all: the process executes no
// program any more.
func (p *Process) freeDescriptors() {
	var files unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &files) == nil {
		files.Cur = files.Max
		unix.Prlimit(0, unix.RLIMIT_NOFILE, &files, nil)
	}
	if p.filesShared.Load() {
		return
	}
	for _, fd := range [...]int{p.Self, p.File} {
		if fd > 2 {
			unix.Close(fd)
		}
	}
}

// ignoreSignals has the process heed none but SIGKILL and SIGSTOP any more: while it dumps
// core the kernel drops them all (prepare_signal). That takes in the SIGXFSZ of a core
// that gets too large for RLIMIT_FSIZE.
func ignoreSignals() {
	for sig := 1; sig <= hostsig.Signals; sig++ {
		if unblockable&bit(sig) == 0 {
			hostsig.SetAction(sig, hostsig.Ignore, 0)
		}
	}
}

// keepFromHostDump keeps the host's kernel from dumping emu: to a file, or to a program that
// core_pattern names, which gets cores whatever RLIMIT_CORE is.
func (p *Process) keepFromHostDump(sig int) {
	if dumpsCore&bit(sig) == 0 {
		return
	}
	if !p.sharesMemory() {
		unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
		return
	}
	// The flag is the memory's, which lives on. The kernel takes this limit to mean that no
	// such program is to run either.
	const none = 1
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_CORE, &limit) == nil {
		limit.Cur = min(none, limit.Max)
		unix.Setrlimit(unix.RLIMIT_CORE, &limit)
	}
}

// sharesMemory reports whether another process lives in the same memory.
func (p *Process) sharesMemory() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sharer != nil || len(p.sharers) != 0
}

// claimEnd makes the calling thread the one that ends the process. If there is such a
// thread already, the caller waits for the end.
func (t *Task) claimEnd() {
	if !t.p.claimed.CompareAndSwap(false, true) {
		t.standForGood()
	}
}

// standForGood keeps the thread where its registers are those that a core shows, until
// the process has ended.
func (t *Task) standForGood() {
	t.endsUnlessUnseen()
	t.settleRestart(false, 0)
	t.still.Store(true)
	for {
		t.th.Acknowledge()
		t.tellEnd()
		t.th.Call(unix.SYS_PPOLL, 0, 0, 0, 0, sigsetSize, 0)
	}
}

// heedCore lets the thread stand for good if another dumps core, or ends the process while tracers want to know.
func (t *Task) heedCore() {
	if t.p.dumping.Load() || t.p.last.said.Load() && !t.told.Load() {
		t.standForGood()
	}
}

// beginStill is for waits that only another process ends: until endStill the thread's state
// is the one that a core shows.
func (t *Task) beginStill() { t.still.Store(true) }

func (t *Task) endStill() {
	t.still.Store(false)
	t.heedCore()
}

// standStillPatience is for how long other threads may take to leave what they are
// doing. One that the kernel does not let go is shown as it went there.
const standStillPatience = 5 * time.Second

// standStill stops all other threads of the process where their registers are exact, and
// returns the registers of all, the calling thread's first, then by number.
func (t *Task) standStill() []coreThread {
	const longestPause = 5 * time.Millisecond
	p := t.p
	p.dumping.Store(true)
	since := time.Now()
	for pause := 20 * time.Microsecond; ; pause = min(2*pause, longestPause) {
		if forkall.Closed() {
			forkall.Wait(&t.State.Outside) // a thread that forks waits for this one
		}
		p.mu.Lock()
		running := 0
		for o := range p.tasks.all() {
			if o != t && !o.still.Load() {
				running++
				o.th.Wake()
			}
		}
		if running == 0 || time.Since(since) > standStillPatience {
			threads := t.snapshot() // while none of those that still run can end
			p.mu.Unlock()
			if running != 0 {
				p.Log.Warn().Int("threads", running).Msg("threads in the core file may not be exact: they did not stop")
			}
			return threads
		}
		p.mu.Unlock()
		time.Sleep(pause)
	}
}
