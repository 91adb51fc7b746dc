// Package hostsig connects the host's signals to guest threads.
//
// The kernel stays the judge: a guest thread's signal mask is its host mask, so
// pending sets, queues, signalfd, sigwait and the choice of a thread are the
// kernel's own. A signal that the guest catches reaches a small handler in
// assembly, which copies the siginfo to the thread's slot, blocks everything
// further until the guest frame is built, raises the flags that generated code
// and the blocking stub look at, and returns. Nothing of it touches Go.
//
// Some signals can never be blocked on the host, because the engine needs them:
// the five that report faults, the one that stops the runtime's threads for a fork
// and the one that kicks a thread out of a blocking call. Their masks are kept here
// ("soft" signals). SIGURG, with which the runtime would preempt goroutines, is the
// guest's: the start code tells the runtime to do without.
//
// A process has one set of signal handlers, so this package has process-wide
// state; it is written once, by Install.
package hostsig

import (
	"emu/internal/forkall"

	"golang.org/x/sys/unix"
)

// Signals is the number of the last signal.
const Signals = 64

// kick is the signal that takes a thread out of a blocking call. It is told
// apart from a guest's own use of the same number by its siginfo.
const (
	kick      = forkall.Kick
	kickMagic = forkall.KickValue
)

// faults are the signals that a CPU raises. With a positive si_code they belong
// to whoever ran (the engine or Go), else somebody sent them to the guest.
const faults uint64 = 1<<(unix.SIGSEGV-1) | 1<<(unix.SIGBUS-1) | 1<<(unix.SIGILL-1) | 1<<(unix.SIGFPE-1) | 1<<(unix.SIGTRAP-1)

// mostSentCode is the largest si_code with which the kernel sends a signal of the guest's
// choice: CLD_CONTINUED.
//
//lint:ignore U1000 handler_amd64.s uses it
const mostSentCode = 6

// Soft is the set of signals (bit n-1 for signal n) that are never blocked on
// the host. Thread.SetMask keeps their masks.
const Soft uint64 = faults | 1<<(forkall.StopSignal-1) | 1<<(kick-1)

// Constants for the assembly.
const (
	stopSignal  = int(forkall.StopSignal)
	sigFPE      = int(unix.SIGFPE)
	sigILL      = int(unix.SIGILL)
	hardMask    = ^Soft
	faultMask   = faults
	restartable = -ERestart
	notMade     = -ENoIntr
)

// infoSize is sizeof(siginfo_t), the same on every 64-bit Linux.
const infoSize = 128

// maxTID bounds thread ids: the kernel's PID_MAX_LIMIT on 64-bit machines.
const maxTID = 4 << 20

// Slots of the table of threads that are no thread's id: memorySlot is for SetMemory, and thread 1 is
// always the first of its process.
const (
	memorySlot = 0
	mainSlot   = 1
)

// Info is a siginfo_t as the kernel lays it out; the layout is the same on
// x86-64 and arm64 (asm-generic/siginfo.h).
type Info [infoSize]byte

// Results of Call and Quick that no guest ever sees, negated; the names and
// numbers are the kernel's.
const (
	// ERestart: a signal ended the call, and the kernel would start it again if the
	// handler has SA_RESTART.
	ERestart = 512
	// ENoIntr: a signal came before the call was made.
	ENoIntr = 513
)

// Inherited is what the process got from its parent: which signals were
// ignored and which were blocked, RLIMIT_NOFILE, RLIMIT_DATA and RLIMIT_AS. Exact tells whether the
// start code (see start_amd64.s) saw it; otherwise Go's runtime had already
// changed part of it, and the limits are not set.
type Inherited struct {
	Ignored, Blocked uint64
	NoFile, Data, AS unix.Rlimit
	Exact            bool
}

// Action says what the host does with a signal.
type Action int

// The actions for SetAction.
const (
	Default Action = iota
	Ignore
	Catch
)
