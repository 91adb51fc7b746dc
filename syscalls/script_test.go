package syscalls

import (
	"runtime"
	"testing"
	"time"

	"emu/cpu"

	"golang.org/x/sys/unix"
)

// script is a Runner that plays guest code: each step looks at the state, as
// guest instructions would, and says which system call comes next.
type script struct {
	steps  []func(s *cpu.State)
	next   int
	closed int
}

// Close counts.
func (r *script) Close() { r.closed++ }

func (r *script) CanRenew() bool { return false }

func (r *script) Renew(*cpu.State) {}

const (
	sysRead         = 63
	sysWrite        = 64
	sysGetpid       = 172
	sysExitGroupNr  = 94
	sysNanosleep    = 101
	sysSigactionNr  = 134
	sysSigprocmask  = 135
	sysSigreturnNr  = 139
	sysTgkillNr     = 131
	scriptPC        = 0x1000
	handlerPC       = 0x2000
	sigreturnPC     = 0x3000
	guestMemorySize = 1 << 20
)

// Run plays the next step, or the vDSO's rt_sigreturn if a handler has returned.
func (r *script) Run(s *cpu.State) cpu.Exit {
	if s.PC == sigreturnPC {
		s.X[8] = sysSigreturnNr
		return cpu.Exit{Kind: cpu.ExitSyscall, PC: s.PC + 4}
	}
	if r.next == len(r.steps) {
		call(s, sysExitGroupNr, 0)
		return cpu.Exit{Kind: cpu.ExitSyscall, PC: s.PC + 4}
	}
	step := r.steps[r.next]
	r.next++
	step(s)
	if s.PC == sigreturnPC {
		return r.Run(s)
	}
	return cpu.Exit{Kind: cpu.ExitSyscall, PC: s.PC + 4}
}

func call(s *cpu.State, nr uint64, args ...uint64) {
	s.X[8] = nr
	copy(s.X[:6], args)
}

// guest is a process with one thread and some memory, run by a script.
type guest struct {
	*Process
	t    *testing.T
	mem  uint64
	task *Task
}

// play runs the steps on a thread of its own. setup gets the guest first.
func play(t *testing.T, setup func(g *guest) []func(s *cpu.State)) (status int) {
	t.Helper()
	g := &guest{t: t}
	r := &script{}
	mem := cpu.NewMemory()
	g.Process = NewProcess(Config{Mem: mem, NewRunner: func(*cpu.State) (cpu.Runner, error) { return r, nil }, Program: Program{SigReturn: sigreturnPC}, Exit: func(s int) { status = s }})
	var e unix.Errno
	if g.mem, e = mem.Map(0, guestMemorySize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS, -1, 0); e != 0 {
		t.Fatal(e)
	}
	defer mem.Unmap(g.mem, guestMemorySize)
	state, err := cpu.NewState()
	if err != nil {
		t.Fatal(err)
	}
	state.PC, state.X[cpu.SP] = scriptPC, g.mem+guestMemorySize
	state.SetFPCR(0)
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		if g.task, err = g.newTask(state); err != nil {
			t.Error(err)
			return
		}
		g.task.start(0, nil)
		defer g.task.th.Detach()
		r.steps = setup(g)
		g.task.loop()
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("still running")
	}
	return status
}
