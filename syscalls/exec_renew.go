package syscalls

import (
	"slices"
	"strconv"
	"syscall"

	"emu/cpu"
	"emu/internal/forkall"
	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// What most processes do is fork and execve. For the kernel that is a process like any other, but to execute
// emu, to start Go's runtime and emu in it and to give up the copy of the parent takes longer than a short program
// itself, and half of its page faults are for that. So a young child (young.go), which has no other
// thread yet, does the kernel's part of an execve itself: it empties its address space, closes what is to be
// closed, gives signals their defaults and loads the program. All that execve changes and that
// cannot be seen from here is left to the kernel, see renewable.

// ProgramStart says which program is to be loaded.
type ProgramStart struct {
	File int    // it is open as, for Load to close
	Name string // what the guest calls it: the kernel's bprm->filename
	Exe  string // the same, of the interpreter of a script
	Argv []string
	Env  []string
	Root string // directory of -L, absolute; "" for none, as after chroot(2)
}

// Program is a loaded program.
type Program struct {
	Exe  string // absolute path of the program, the host's
	File int    // the program is open as this descriptor
	Held int    // and as this one, which has the lock that says so: HoldProgram
	Comm string // name of the process
	Auxv []byte // as on the stack, for /proc/self/auxv
	// Bounds of the strings on the stack and the stack itself, for /proc/self.
	ArgStart, ArgEnd, EnvStart, EnvEnd uint64
	StackStart                         uint64
	CodeStart, CodeEnd                 uint64
	SigReturn                          uint64 // __kernel_rt_sigreturn of the vDSO
	Entry                              uint64 // where it begins
}

// Begin makes s the state that the program's first thread begins with.
func (p *Program) Begin(s *cpu.State) {
	s.Reset()
	s.PC, s.X[cpu.SP] = p.Entry, p.StackStart
	ResetPAC(s)
}

// renewable reports whether the process may become x without the kernel. It may not where that
// would change more than is changed here: identity and capabilities, timers, locked memory
// (noteKernels); filters, personality and tracers, which emu keeps over execve; memory,
// descriptors or handlers that another process has as well.
func (t *Task) renewable(x *execution) bool {
	p := t.p
	return t.young && forkall.Owing() && p.Load != nil && p.described && p.Proc > 0 && !p.kernels.Load() &&
		p.Strace == nil && p.AtExit == nil && p.Ready == nil && p.sharer == nil && !p.shared && !p.catchAll && !p.filesShared.Load() &&
		!t.traced() && t.inheritance() == nil && !p.children.time && !p.absent.Load() && t.rings == nil && !p.Mem.HasExtras() &&
		x.root == "" && !x.hasRights() && !t.ownsRobustMutexes() && t.runner.CanRenew()
}

// ownsRobustMutexes reports whether the kernel would have mutexes to release (get_robust_list(2)).
func (t *Task) ownsRobustMutexes() bool {
	if t.p.vfork != nil {
		return false // the list is emu's
	}
	var list [2]uint64 // its address, and a length
	syscall.RawSyscall(unix.SYS_GET_ROBUST_LIST, 0, uintptr(addrOf(&list[0])), uintptr(addrOf(&list[1])))
	if list[0] == 0 {
		return false
	}
	head, e := load[[3]uint64](t.p, list[0])
	return e == 0 && (head[0] != list[0] || head[2] != 0)
}

// renew makes the process that of x. It returns false if it cannot, and then has done nothing.
func (t *Task) renew(x *execution) bool {
	p := t.p
	if !t.renewable(x) {
		return false
	}
	names, err := unix.Openat(p.Proc, "self/fd", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	file := hostsig.OwnDescriptor(x.file)
	if file < 0 {
		unix.Close(names)
		return false
	}
	forkall.PutOff()
	p.tellParent()
	p.save()
	p.Mem.Empty()
	t.forgetProgram()
	t.runner.Renew(t.State)
	start := &ProgramStart{File: file, Name: x.name, Exe: x.exe, Argv: x.argv, Env: x.env}
	if root := p.root.Load(); root != nil {
		start.Root = root.name
	}
	prog, err := p.Load(start)
	if err != nil {
		p.Log.Error().Err(err).Msg("a program that was executed")
		unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) // it is not emu's core that is wanted
		p.die(int(unix.SIGSEGV), "")
	}
	p.become(prog)
	prog.Begin(t.State)
	p.closeOnExec(names)
	t.freeParent()
	return true
}

// forgetProgram gives up what the process and its thread have of the program, but for memory, as the kernel's
// begin_new_exec does.
func (t *Task) forgetProgram() {
	p := t.p
	t.State.Reset()
	t.alt = altstack{Flags: ssDisable}
	t.fault.addr, t.fault.esr = 0, 0
	t.gcs = gcsState{}
	t.deadline.pc, t.resumed.row, t.restart = 0, nil, noRestart
	t.clearTid = 0
	rawSetTidAddress(0)
	if p.vfork == nil { // else the list is its own
		syscall.RawSyscall(unix.SYS_SET_ROBUST_LIST, 0, robustListHead, 0)
	}
	clear(p.shm)
	p.topBytes.Store(false)
	p.personality.Store(inheritedPersonality())
	p.resetHandlers()
	p.sigMu.Lock()
	for sig := range p.actions {
		act := &p.actions[sig]
		hosts := act.Flags&(saNocldstop|saNocldwait) != 0
		*act = sigaction{Handler: act.Handler}
		if hosts { // the kernel's flush_signal_handlers clears flags without handlers as well
			p.setHostAction(sig)
		}
	}
	p.sigMu.Unlock()
}

// become makes prog what the process runs.
func (p *Process) become(prog *Program) {
	old := p.Program
	p.stacks = append(p.stacks, old.StackStart)
	p.Program = *prog
	p.exeHost = prog.Exe
	p.Exe = p.guestName(p.exeHost)
	setComm(p.Comm)
	p.describe()
	p.own = slices.DeleteFunc(p.own, func(fd int) bool { return fd == old.File || fd == old.Held })
	for _, fd := range [...]int{old.File, old.Held} {
		if fd > 0 {
			unix.Close(fd)
		}
	}
	for _, fd := range [...]int{prog.File, prog.Held} {
		if fd > 0 {
			p.own = append(p.own, fd)
		}
	}
	slices.Sort(p.own)
	p.limitDirect()
}

// closeOnExec closes the guest's descriptors that have FD_CLOEXEC. names is the directory of all.
func (p *Process) closeOnExec(names int) {
	defer unix.Close(names)
	var buf [2048]byte
	var open []string
	for {
		n, err := unix.ReadDirent(names, buf[:])
		if err != nil || n <= 0 {
			break
		}
		_, _, open = unix.ParseDirent(buf[:n], -1, open)
	}
	for _, name := range open {
		fd, err := strconv.Atoi(name)
		if _, own := slices.BinarySearch(p.own, fd); err != nil || own || fd == names {
			continue
		}
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC != 0 {
			unix.Close(fd)
		}
	}
}

// noteKernels notes that the thread has made a call after which an execve is to be the kernel's: it changes what
// execve changes back.
func (t *Task) noteKernels(row *Row) {
	if row.Nr == 167 {
		switch t.call.args[0] { // prctl
		case unix.PR_SET_NAME, unix.PR_GET_NAME, unix.PR_SET_PDEATHSIG, unix.PR_GET_PDEATHSIG, unix.PR_SET_VMA, unix.PR_GET_DUMPABLE, unix.PR_SET_NO_NEW_PRIVS,
			unix.PR_GET_NO_NEW_PRIVS, unix.PR_SET_CHILD_SUBREAPER, unix.PR_CAPBSET_READ, unix.PR_GET_SECCOMP, unix.PR_SET_THP_DISABLE, unix.PR_GET_TAGGED_ADDR_CTRL:
			return
		}
	}
	t.p.kernels.Store(true)
}

// sysSetpgid implements setpgid(2), which the kernel refuses for children that have made an execve.
func sysSetpgid(t *Task, a *Args) int64 {
	if pid := int(int32(a[0])); pid > 0 && pid != t.p.pid && int32(a[1]) >= 0 && t.p.becameAnother(pid) {
		return fail(unix.EACCES)
	}
	return t.host(unix.SYS_SETPGID, a)
}

// becameAnother reports whether pid is a child in the same session that runs another program than the process did when
// it was forked, as far as can be known: then its stack is elsewhere.
func (p *Process) becameAnother(pid int) bool {
	const parent, session, startStack = 4, 6, 28 // proc_pid_stat(5)
	if !p.described {
		return false
	}
	f := p.statFields(strconv.Itoa(pid) + "/stat")
	sid, err := unix.Getsid(0)
	stack := uint64(f.number(startStack))
	return err == nil && f.number(parent) == int64(p.pid) && f.number(session) == int64(sid) && stack != 0 && stack != p.StackStart && !slices.Contains(p.stacks, stack)
}
