package syscalls

import (
	"encoding/binary"
	"os/exec"
	"runtime"
	"testing"

	"emu/cpu"

	"golang.org/x/sys/unix"
)

// noTimeout is an address that no timeout can be read from.
const noTimeout = 8

// fuzzed are the calls that random arguments cannot do harm with on the machine
// that runs the test: they touch the guest's memory, signals and identity, or
// read. tame, where present, takes out what would block or change the test
// process.
var fuzzed = []struct {
	name string
	tame func(a *[6]uint64)
}{
	{name: "openat", tame: func(a *[6]uint64) {
		a[2] = a[2]&^(unix.O_CREAT|unix.O_TRUNC|0o20000000|unix.O_ACCMODE) | unix.O_NONBLOCK
	}},
	{name: "openat2", tame: func(a *[6]uint64) { a[3] %= openHowSize }},
	{name: "epoll_pwait", tame: func(a *[6]uint64) { a[3] = 0 }},
	{name: "epoll_pwait2", tame: func(a *[6]uint64) { a[3] = noTimeout }},
	{name: "ppoll", tame: func(a *[6]uint64) { a[2] = noTimeout }},
	{name: "pselect6", tame: func(a *[6]uint64) { a[4] = noTimeout }},
	{name: "rt_sigtimedwait", tame: func(a *[6]uint64) { a[2] = noTimeout }},
	{name: "rt_sigsuspend", tame: func(a *[6]uint64) { a[0] = noTimeout }},
	{name: "futex", tame: func(a *[6]uint64) { a[1] = 1 | a[1]&128 }}, // FUTEX_WAKE
	{name: "futex_waitv", tame: func(a *[6]uint64) { a[1], a[3] = a[1]%200, noTimeout }},
	{name: "setitimer", tame: func(a *[6]uint64) { a[1] = noTimeout }},
	{name: "prctl", tame: func(a *[6]uint64) { a[0] = unix.PR_GET_NAME }},
	{name: "prlimit64", tame: func(a *[6]uint64) { a[0], a[2] = 0, 0 }},
	{name: "semctl", tame: func(a *[6]uint64) { a[2] = ipcStat }},
	{name: "clone3", tame: func(a *[6]uint64) { a[1] %= cloneArgsMin }},
	{name: "rt_sigaction", tame: func(a *[6]uint64) {
		if sig := unix.Signal(a[0]); sig == unix.SIGALRM || sig == unix.SIGPROF {
			a[0] = 10
		}
	}},
	{name: "mmap", tame: func(a *[6]uint64) { a[1] %= 1 << 24 }}, // MAP_POPULATE
	{name: "mremap", tame: func(a *[6]uint64) { a[2] %= 1 << 24 }},
	{name: "madvise", tame: func(a *[6]uint64) { a[2] %= 26 }}, // not the memory failures root can inject
	{name: "getxattr"}, {name: "fgetxattr"}, {name: "getcwd"}, {name: "epoll_ctl"}, {name: "statfs"}, {name: "fstatfs"},
	{name: "readlinkat"}, {name: "newfstatat"}, {name: "fstat"}, {name: "statx"}, {name: "faccessat2"}, {name: "get_robust_list"},
	{name: "timer_gettime"}, {name: "timer_getoverrun"}, {name: "clock_gettime"}, {name: "clock_getres"}, {name: "sched_getscheduler"},
	{name: "sched_getparam"}, {name: "sched_getaffinity"}, {name: "sched_rr_get_interval"}, {name: "restart_syscall"}, {name: "sigaltstack"},
	{name: "rt_sigprocmask"}, {name: "rt_sigpending"}, {name: "rt_sigreturn"}, {name: "getresuid"}, {name: "getresgid"}, {name: "times"},
	{name: "getgroups"}, {name: "uname"}, {name: "getrlimit"}, {name: "getrusage"}, {name: "getcpu"}, {name: "gettimeofday"}, {name: "sysinfo"},
	{name: "shmdt"}, {name: "socketpair"}, {name: "getsockname"}, {name: "getpeername"}, {name: "getsockopt"}, {name: "brk"}, {name: "munmap"},
	{name: "mprotect"}, {name: "pkey_mprotect"}, {name: "msync"}, {name: "mincore"},
	{name: "getrandom"}, {name: "membarrier"}, {name: "rseq"}, {name: "io_uring_setup"}, {name: "mseal"}, {name: "execve"}, {name: "execveat"},
}

// FuzzSyscallArgs: whatever a guest passes, emu answers with an errno, a result
// or a signal.
func FuzzSyscallArgs(f *testing.F) {
	edge := []uint64{0, 1, 8, 0xfff, 0x1000, 1 << 12, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<47 - 1, 1 << 47, 1 << 63, ^uint64(0), ^uint64(0) - 4095}
	for i := range fuzzed {
		b := make([]byte, 2+6*8)
		b[0] = byte(i)
		for k := range 6 {
			binary.LittleEndian.PutUint64(b[2+8*k:], edge[(i*7+k*3)%len(edge)])
		}
		f.Add(b)
		b2 := append([]byte(nil), b...)
		b2[1] = byte(0b111 << (i % 4))
		f.Add(b2)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < 2+6*8 {
			return
		}
		c := fuzzed[int(b[0])%len(fuzzed)]
		var a [6]uint64
		for k := range a {
			a[k] = binary.LittleEndian.Uint64(b[2+8*k:])
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			runtime.LockOSThread()
			fuzzOne(t, c.name, a, b[1], c.tame)
		}()
		<-done
	})
}

// fuzzOne makes one call in a process with two mappings, which lie next to an
// unmapped page. Where a bit of inside is set, the argument points into them.
func fuzzOne(t *testing.T, name string, a [6]uint64, inside byte, tame func(*[6]uint64)) {
	mem := cpu.NewMemory()
	const size = 8 * cpu.PageSize
	base, e := mem.Map(0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS, -1, 0)
	if e != 0 {
		t.Fatal(e)
	}
	mem.Protect(base+4*cpu.PageSize, cpu.PageSize, unix.PROT_READ)
	mem.Unmap(base+5*cpu.PageSize, cpu.PageSize)
	defer func() {
		for _, r := range mem.Regions() {
			mem.Unmap(r.Start, r.End-r.Start)
		}
	}()
	for i := range a {
		if inside>>i&1 != 0 {
			a[i] = base + a[i]%size
		}
	}
	if tame != nil {
		tame(&a)
	}
	p := NewProcess(Config{Mem: mem, NewRunner: func(*cpu.State) (cpu.Runner, error) { return nil, nil }, Program: Program{SigReturn: sigreturnPC}, Exit: func(int) {}})
	state, err := cpu.NewState()
	if err != nil {
		t.Fatal(err)
	}
	defer state.Free()
	state.PC, state.X[cpu.SP] = scriptPC, base+4*cpu.PageSize
	task, err := p.newTask(state)
	if err != nil {
		t.Fatal(err)
	}
	task.start(0, nil)
	defer task.th.Free()
	defer task.th.Detach()
	state.X[8] = uint64(nrOf(t, p, name))
	copy(state.X[:], a[:])
	task.syscall(0, 0)
	task.deliverPending()
	if r := int64(state.X[0]); r == -512 || r == -513 {
		t.Errorf("%s: the kernel's restart code %d reached the guest", name, r)
	}
}

func nrOf(t *testing.T, p *Process, name string) int {
	for nr := range p.table {
		if p.table[nr].Name == name {
			return nr
		}
	}
	t.Fatalf("no system call %s", name)
	return 0
}

// TestFuzzTargetsBuild runs FuzzSyscallArgs, with which all of emu is linked: code that counts its branches
// has larger frames, which made forkall.Fork's stack too deep for the linker.
func TestFuzzTargetsBuild(t *testing.T) {
	if out, err := exec.Command("go", "test", "-run", "^$", "-fuzz", "^FuzzSyscallArgs$", "-fuzztime", "1x").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
