package syscalls

import (
	"emu/cpu"

	"golang.org/x/sys/unix"
)

// Class says how a system call is served.
type Class uint8

// The classes.
const (
	Unused  Class = iota // no such number on arm64
	Direct               // same in both ABIs: generated code makes the host call itself
	Pass                 // same in both ABIs: the host call, interruptible
	Convert              // the host call, after converting what differs between arm64 and x86-64
	Emulate              // served here: it concerns the guest's memory, threads, signals or identity
	Refuse               // answered with an errno, for the reason in the note
)

var classNames = [...]string{"unused", "direct", "pass-through", "converted", "emulated", "refused"}

func (c Class) String() string { return classNames[c] }

// noHost marks a row without a host call of the same name.
const noHost = ^uintptr(0)

// handler serves one call and returns its raw result: negative errno on failure.
type handler func(t *Task, a *Args) int64

// Args are the six argument registers.
type Args [6]uint64

// Row is everything emu knows about one system call. Dispatch, -strace,
// docs/syscalls.md and the tests derive from it.
type Row struct {
	Nr    int // arm64 number
	Name  string
	Host  uintptr // host number, noHost where a handler makes none or several
	Args  []Kind
	Ret   Kind
	Class Class
	Errno unix.Errno // what Refuse answers
	Note  string

	fn handler
	// pointers has bit i set where argument i points to memory, paths where it is a
	// path, sockets where it holds a socket's address.
	pointers, paths, sockets uint8
	// descriptors has bit i set where argument i is one, or a directory's.
	descriptors uint8
	// empty: the call takes a descriptor with an empty path (AT_EMPTY_PATH) and makes
	// no descriptors.
	empty bool
	// timeout is 1 + the index of a pointer to a relative timespec that a restart
	// must shorten, with timeoutMs of a count of milliseconds.
	timeout   uint8
	timeoutMs bool
	// whole: when a signal interrupts the call that the guest does not get, it starts again as if
	// nothing had happened. Calls that emu serves or that do not block need not say so.
	whole bool
	// mappings: argument 0 is the address of mappings, whose top byte means nothing, whatever the thread has said of tags
	// (Documentation/arch/arm64/tagged-address-abi.rst, since Linux 5.6).
	mappings bool
	// always: a call that signals interrupt is restarted whatever SA_RESTART says
	// (the kernel's ERESTARTNOINTR).
	always bool
	// final: EINTR is the call's answer, not the sign of a signal.
	final bool
	// unhandled: the host's EINTR may stand for ERESTARTNOHAND or ERESTART_RESTARTBLOCK: a call that
	// signals interrupt is restarted if no handler runs.
	unhandled bool
	// resumes: it is ERESTART_RESTARTBLOCK if the call waits for a time.
	resumes bool
	// inherited: the call changes something about the calling thread that threads it
	// makes later inherit.
	inherited bool
	// kernels: after the call an execve is the kernel's, see noteKernels.
	kernels bool
	// For generated code: Direct... bits of package cpu, arguments that must be zero,
	// and whether argument 0 is a descriptor that must not be one of emu's own.
	flags, zero uint8
	notOwn      bool
	// before is done before a direct call that comes here.
	before func(t *Task, a *Args)
	// finish is done with the arguments and the result of a call that has come here and succeeded.
	finish func(t *Task, a *Args, r int64)
	// noReturn: the call does not come back to the caller when it succeeds.
	noReturn bool
	// What arguments of kind Addr point to, see pointee.go.
	pointees []pointee
	inner    func(t *Task, a *Args)
	rangeArg int8
	rangeErr unix.Errno
}

func direct(nr int, name string, host uintptr, a ...Kind) Row {
	return Row{Nr: nr, Name: name, Host: host, Args: a, Ret: Int, Class: Direct}
}

func pass(nr int, name string, host uintptr, a ...Kind) Row {
	return Row{Nr: nr, Name: name, Host: host, Args: a, Ret: Int, Class: Pass}
}

func conv(nr int, name string, host uintptr, fn handler, note string, a ...Kind) Row {
	return Row{Nr: nr, Name: name, Host: host, Args: a, Ret: Int, Class: Convert, fn: fn, Note: note}
}

func emul(nr int, name string, fn handler, note string, a ...Kind) Row {
	return Row{Nr: nr, Name: name, Host: noHost, Args: a, Ret: Int, Class: Emulate, fn: fn, Note: note}
}

func refuse(nr int, name string, e unix.Errno, note string, a ...Kind) Row {
	return Row{Nr: nr, Name: name, Host: noHost, Args: a, Ret: Int, Class: Refuse, Errno: e, Note: note}
}

func (r Row) returns(k Kind) Row      { r.Ret = k; return r }
func (r Row) because(note string) Row { r.Note = note; return r }
func (r Row) restartsAlways() Row     { r.always = true; return r }
func (r Row) neverRestarts() Row      { r.final = true; return r }
func (r Row) restartsUnhandled() Row  { r.unhandled = true; return r }
func (r Row) resumesUnhandled() Row   { r.unhandled, r.resumes = true, true; return r }
func (r Row) isInherited() Row        { r.inherited = true; return r }
func (r Row) leavesExecve() Row       { r.kernels = true; return r }
func (r Row) isWhole() Row            { r.whole = true; return r }
func (r Row) ofMappings() Row         { r.mappings = true; return r }
func (r Row) blocks() Row             { r.flags |= cpu.DirectBlocks; return r }
func (r Row) special(flag uint8) Row  { r.flags |= flag; return r }
func (r Row) after(before func(t *Task, a *Args)) Row {
	r.before = before
	return r
}
func (r Row) then(finish func(t *Task, a *Args, r int64)) Row {
	r.finish = finish
	return r
}
func (r Row) servedPath() Row           { r.flags |= cpu.DirectPath; return r }
func (r Row) onlyZero(i int) Row        { r.zero |= 1 << i; return r }
func (r Row) notOwnDescriptor() Row     { r.notOwn = true; return r }
func (r Row) byDescriptor() Row         { r.empty = true; return r }
func (r Row) neverReturns() Row         { r.noReturn = true; return r }
func (r Row) relativeTimeout(i int) Row { r.timeout = uint8(i + 1); return r }
func (r Row) millisTimeout(i int) Row   { r.timeout, r.timeoutMs = uint8(i+1), true; return r }

// inheritsPriority reports whether the call is a futex operation that signals never end
// (ERESTARTNOINTR): those of mutexes with priority inheritance.
func (r *Row) inheritsPriority(a *Args) bool {
	const lockPI, waitRequeuePI, lockPI2 = 6, 11, 13
	if r.flags&cpu.DirectFutex == 0 {
		return false
	}
	op := a[1] & 0x7f
	return op == lockPI || op == waitRequeuePI || op == lockPI2
}
