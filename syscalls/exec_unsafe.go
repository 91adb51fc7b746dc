package syscalls

import (
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"emu/internal/forkall"
	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// stringArray reads a NULL-terminated array of strings; a null pointer is an
// empty one, as Linux has it. The strings lie in one piece of memory: a forked child that is about to
// execute another program pays for each size of objects that it allocates with several page faults.
func (t *Task) stringArray(addr uint64) (list []string, e unix.Errno) {
	n := 0
	for ; addr != 0; n++ {
		p, e := load[uint64](t.p, addr+8*uint64(n))
		switch {
		case e != 0:
			return nil, e
		case n > maxArgStrings:
			return nil, unix.E2BIG
		}
		if p == 0 {
			break
		}
	}
	const usual = 48 // bytes of a string, if it is the environment
	list, text := make([]string, n), make([]byte, 0, n*usual)
	for i := range list {
		p, e := load[uint64](t.p, addr+8*uint64(i))
		if e != 0 {
			return nil, e
		}
		at := len(text)
		text, e = t.p.appendCString(text, p, maxArgLen)
		switch {
		case e == unix.ENAMETOOLONG, len(text) > maxArgBytes:
			return nil, unix.E2BIG
		case e != 0:
			return nil, e
		}
		list[i] = unsafe.String(unsafe.SliceData(text[at:]), len(text)-at)
	}
	return list, 0
}

// cstrings are two arrays of pointers to strings, each with a NUL behind it, that end with null pointers.
func cstrings(argv, env []string) (argvPtr, envPtr []*byte, e unix.Errno) {
	size := 0
	for _, list := range [...][]string{argv, env} {
		for _, s := range list {
			if strings.IndexByte(s, 0) >= 0 {
				return nil, nil, unix.EINVAL
			}
			size += len(s) + 1
		}
	}
	text, p := make([]byte, 0, size), make([]*byte, 0, len(argv)+len(env)+2)
	for _, list := range [...][]string{argv, env} {
		for _, s := range list {
			p = append(p, unsafe.SliceData(text[len(text):]))
			text = append(append(text, s...), 0)
		}
		p = append(p, nil)
	}
	return p[:len(argv)+1], p[len(argv)+1:], 0
}

// execveat makes the host's call by call: with RawSyscall6 it does not give up the
// processor. On success it does not return, or with execCheck it returns 0.
func execveat(call func(nr, a, b, c, d, e, f uintptr) (r1, r2 uintptr, errno syscall.Errno), dir int, path string, argv, env []string, flags int) unix.Errno {
	pathPtr, err := unix.BytePtrFromString(path)
	argvPtr, envPtr, bad := cstrings(argv, env)
	if err != nil || bad != 0 {
		return unix.EINVAL
	}
	_, _, e := call(unix.SYS_EXECVEAT, uintptr(dir), uintptr(unsafe.Pointer(pathPtr)), uintptr(unsafe.Pointer(&argvPtr[0])),
		uintptr(unsafe.Pointer(&envPtr[0])), uintptr(flags), 0)
	runtime.KeepAlive(pathPtr)
	runtime.KeepAlive(argvPtr)
	runtime.KeepAlive(envPtr)
	return e
}

// replaceByHost runs x as the host does. A program in no format that it knows is
// refused.
func (t *Task) replaceByHost(x *execution) int64 {
	return t.replace(x.dir, x.path, x.flags, x.hostArgv, x.env, x.known)
}

// replaceByGuest runs x, an arm64 program, under emu again, which gets the open
// file.
func (t *Task) replaceByGuest(x *execution) int64 {
	if len(t.p.Emu) == 0 {
		return fail(unix.ENOSYS)
	}
	if t.th.Interrupted() {
		return -hostsig.ENoIntr // the signal is this program's
	}
	if t.renew(x) {
		return 0
	}
	if !forkall.RoomToExec() {
		return fail(unix.EAGAIN) // as if the user were above the limit on processes
	}
	if !t.leavePIDs() {
		t.p.Log.Warn().Msg("a process whose children are in another pid namespace, and that may not enter its own again, cannot execute a program")
		return fail(unix.EINVAL)
	}
	fd, err := unix.FcntlInt(uintptr(x.file), unix.F_DUPFD, execFileMin)
	if err != nil {
		fd, err = unix.Dup(x.file)
	}
	if err != nil {
		return errnoOf(err)
	}
	defer unix.Close(fd)
	const added = 24 // arguments, about
	argv := append(make([]string, 0, len(t.p.Emu)+added+len(x.argv)), t.p.Emu...)
	t.beginDeferred()
	in := t.inheritance()
	if in != nil {
		var undo func()
		in.Lent, undo = t.p.children.lend()
		defer undo()
		state, flags, err := in.pass()
		if err != nil {
			return errnoOf(err)
		}
		defer unix.Close(state)
		argv = append(argv, flags...)
	}
	if next := t.p.children.next; next > 0 {
		unix.FcntlInt(uintptr(next), unix.F_SETFD, 0)
		defer unix.CloseOnExec(next)
	}
	argv = append(argv, execFDFlag, strconv.Itoa(fd), "-execfn", x.name, "-0", x.argv[0])
	if proc := t.p.Proc; proc > 0 {
		argv = append(argv, "-procfd", strconv.Itoa(proc))
		unix.FcntlInt(uintptr(proc), unix.F_SETFD, 0)
		defer unix.CloseOnExec(proc)
	}
	if tr := t.p.Strace; tr != nil && tr.fd >= 0 {
		argv = append(argv, "-stracefd", strconv.Itoa(tr.fd))
		unix.FcntlInt(uintptr(tr.fd), unix.F_SETFD, 0)
		defer unix.CloseOnExec(tr.fd)
	}
	if self := t.p.Self; self > 0 {
		argv = append(argv, "-selffd", strconv.Itoa(self))
		unix.FcntlInt(uintptr(self), unix.F_SETFD, 0)
		defer unix.CloseOnExec(self)
		argv = append(append(argv, "--", x.exe), x.argv[1:]...)
		return t.replace(self, "", unix.AT_EMPTY_PATH, argv, x.env, true)
	}
	argv = append(append(argv, "--", x.exe), x.argv[1:]...)
	r := t.replace(unix.AT_FDCWD, t.p.Emu[0], 0, argv, x.env, true)
	if r == fail(unix.ENOENT) && (in == nil || in.optional) {
		// The kernel started emu by binfmt_misc in a root without it: it can again.
		return t.replaceByHost(x)
	}
	return r
}

// execFDFlag tells the emu that takes over which descriptor the program is open as.
const execFDFlag = "-execfd"

// execFileMin keeps the descriptor of the program out of the way of those that
// the guest's next program inherits.
const execFileMin = 100

// replace makes the host's execve call, with the signal mask and dispositions of
// the guest. What is known to run has its line of -strace before that: there is no time after it.
func (t *Task) replace(dir int, path string, flags int, argv, env []string, known bool) int64 {
	var ignored uint64
	t.p.sigMu.RLock()
	for sig := 1; sig <= hostsig.Signals; sig++ {
		if t.p.actions[sig].Handler == sigIgn {
			ignored |= bit(sig)
		}
	}
	t.p.sigMu.RUnlock()
	if t.th.Interrupted() {
		return -hostsig.ENoIntr // the signal is this program's
	}
	if tr := t.p.Strace; tr != nil && known {
		// What emu adds to the arguments may make them too long. Kernels before 6.14 do not say so without doing it.
		if e := execveat(syscall.RawSyscall6, dir, path, argv, env, flags|execCheck); e != 0 && e != unix.EINVAL {
			return fail(e)
		}
		tr.exit(t, t.call.row, 0)
	}
	t.p.tellParent()
	t.p.save()
	t.beginDeferred() // late: until execve is done nobody waits for the tracee
	t.p.ignoreAgain()
	hostsig.BeforeExec(ignored, t.blocked)
	call, unpass := syscall.RawSyscall6, func() {}
	s := t.p.sharer
	lent := s != nil && s.lent
	switch {
	case lent:
		call = t.departBy
	case s != nil:
		s.away()
		defer s.back()
		call = syscall.Syscall6 // what the parent runs does not wait for this thread
	}
	if !lent { // else the host has it
		unpass = forkall.PassProcessLimit()
	}
	e := execveat(call, dir, path, argv, env, flags)
	unpass()
	t.th.AfterFailedExec()
	if t.traced() {
		t.watchSignals()
	}
	return fail(e)
}
