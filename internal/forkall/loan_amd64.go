//lint:file-ignore U1000 the assembly beside this file uses what looks unused

package forkall

import (
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A child of vfork(2) lives in its parent's memory, and the thread that made it waits until the child executes a
// program or ends. To the runtime the child can therefore be that thread: it goes on with its goroutine and its m,
// while the parent's sleeps in the kernel. When the child leaves, the parent's thread goes on where the child made its
// last system call, on the same stack, and gives up what the goroutine has called since Lend: descriptors that were
// opened there are the child's.
//
// Nothing is copied, and no page is written that the other then has to copy. What the child may not do is make
// threads: they would end with it. The runtime does not, for a goroutine that is locked to its thread: it asks a
// thread of its own to (newmHandoff in runtime/proc.go).
//
// A child may also be killed anywhere. Outside of Go (see Outside) the goroutine holds nothing, and the parent's thread
// can go on as if the call that it was in had called something that never comes back. Elsewhere a lock may
// be held, or a processor of the runtime's: that ends the parent as well.

// Loan is what the two threads share about it. It lies outside of Go's heap.
type Loan struct {
	sp, bp uintptr // of the child's last system call
	depth  uintptr // of lend's frame, from the end of the stack, which may move
	word   uintptr // the child's Outside
	left   uint32  // 1: the child is in its last system call
	result uintptr // lend's: the child's number, or an error
}

// Lend makes a process by clone(2) with flags, CLONE_VM and CLONE_VFORK, that runs child in place of the calling
// thread, and returns its number when it has left, by Depart or because it was killed. child may not return. w is its
// word for the gate, outside of Go's heap, and stays 0 while it runs Go; pidfd is the address for CLONE_PIDFD.
//
// Preconditions: the goroutine is locked to its thread, all signals are blocked, the process owes itself
// no threads, and CanLend.
func (l *Loan) Lend(flags, pidfd uintptr, w *Outside, child func()) (pid int, err error) {
	l.word = uintptr(unsafe.Pointer(w))
	tries, run := 0, child
	held := nproc.held
	if held {
		tighten()
		run = func() {
			setHostProcessLimit(nproc.guest) // which holds nobody but the guest there
			child()
		}
	}
	if held || NearLimit() {
		tries = roomTries
	}
	for ; ; tries-- {
		lend(l, flags|unix.CLONE_VM|unix.CLONE_VFORK, pidfd, run)
		if l.result != noMore || tries <= 0 {
			break
		}
		awaitRoom()
	}
	if held {
		loosen()
	}
	if isError(l.result) {
		return 0, unix.Errno(-l.result)
	}
	return int(l.result), nil
}

// Depart makes the system call that is to be the child's last: execve(2), exit_group(2) or what ends it otherwise. It
// returns only if that fails.
//
// Preconditions: the caller holds no lock; all that is to be done by deferred calls is the child's alone.
//
//go:nosplit
func (l *Loan) Depart(nr, a0, a1, a2, a3, a4 uintptr) (r uintptr) {
	w := (*Outside)(word(l.word))
	entersyscall() // what the parent's other threads run does not wait for this one
	Leave(w)
	r, left := depart(l, nr, a0, a1, a2, a3, a4)
	Return(w)
	exitsyscall()
	if left {
		repay(l)
	}
	return r
}

// regained is where the parent's thread goes on if the child was killed outside of Go: called, to all
// appearance, by who called entersyscall for the child.
//
//go:nosplit
func regained(l *Loan) {
	Return((*Outside)(word(l.word)))
	exitsyscall()
	repay(l)
}

// Offsets in the runtime's g and _defer.
const (
	gOffStackHi    = 8
	gOffDefer      = 40
	gOffSyscallSP  = 104
	gOffSyscallBP  = 120
	deferOffSP     = 8
	deferOffLink   = 32
	sizeofLentSave = 24 // lend's frame: locals and the frame pointer
)

// lend is in loan_amd64.s.
//
//go:noescape
func lend(l *Loan, flags, pidfd uintptr, child func())

// depart makes a system call. left says that the caller is the parent's thread, and the child has gone.
//
//go:noescape
func depart(l *Loan, nr, a0, a1, a2, a3, a4 uintptr) (r uintptr, left bool)

// repay returns from lend.
func repay(l *Loan)

// CanLend reports whether the runtime is the one that loans are made for: what lend and repay look at is there.
var CanLend = sync.OnceValue(func() bool { return probeDefers(2) && probeSyscall() })

// probeDefers defers n calls in a loop, which the runtime keeps in a list, and looks at that.
func probeDefers(n int) (found bool) {
	g := getg()
	before := pointerAt(g + gOffDefer)
	for range n {
		defer func() {}()
	}
	d, sp := pointerAt(g+gOffDefer), uintptr(0)
	for range n {
		if d == 0 || d == before {
			return false
		}
		at := pointerAt(d + deferOffSP)
		if !near(at) || sp != 0 && at != sp {
			return false
		}
		d, sp = pointerAt(d+deferOffLink), at
	}
	return d == before
}

// probeSyscall looks at where the runtime keeps the stack pointer of a thread in a system call.
//
//go:nosplit
func probeSyscall() (found bool) {
	g := getg()
	entersyscall()
	sp, bp := pointerAt(g+gOffSyscallSP), pointerAt(g+gOffSyscallBP)
	exitsyscall()
	return near(sp) && near(bp) && bp > sp
}

// near reports whether an address is one of the frames around.
//
//go:nosplit
func near(addr uintptr) bool {
	const far = 2048
	var local byte
	here := uintptr(unsafe.Pointer(&local))
	return addr-here+far < 2*far
}
