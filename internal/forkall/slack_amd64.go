//lint:file-ignore U1000 the assembly beside this file uses what looks unused

package forkall

import (
	"strconv"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The runtime's monitor (sysmon) looks every 20 us whether a processor is to be taken from a
// thread in a system call, as guest code is to it, and does so again and again for a guest
// that comes back to Go: it is seldom idle for long enough to look less often. Each look lets the
// kernel's next change of page tables interrupt the processor that it ran on. A guest with one
// thread needs none of these looks, for hardly anybody waits for its processor. So the threads that
// the runtime starts with, which are the monitor and one or two more, may be late by
// IdleTimerSlack (prctl(2), PR_SET_TIMERSLACK) until the guest makes a second thread. The start
// code sets it: threads inherit it, and nobody but a thread can change its own without privileges.

// IdleTimerSlack is in ns: as late as what waits for a processor may be where there is but one.
const IdleTimerSlack = 2_000_000

// Shared with the start code and with park and resume in fork_amd64.s.
var (
	// OwnSlack is the timer slack that the process was started with, 0 if the start code did not look.
	OwnSlack uint64
	// IdleSlack is that of the runtime's threads now, 0 if it is as it would be.
	IdleSlack uint64
	Hurrying  uint64 // what threads that get StopSignal shall have, or 0; hostsig's handler looks at it
	hurried   uint32 // counts those
)

func init() { // of the first thread, which is a guest's
	if OwnSlack != 0 {
		unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(OwnSlack), 0, 0, 0)
	}
}

// threadNames lists the process's threads.
func threadNames(proc int) (names []string) {
	dir, err := unix.Openat(proc, "self/task", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(dir)
	buf := make([]byte, statusSize)
	for {
		n, err := unix.ReadDirent(dir, buf)
		if err != nil || n == 0 {
			return names
		}
		_, _, names = unix.ParseDirent(buf[:n], -1, names)
	}
}

// Hurry makes the runtime's threads as punctual as others, for a guest that is about to have more
// than one thread.
//
// Preconditions: no other guest thread exists; the caller is locked to its thread, and the threads
// that it owes itself exist.
func Hurry() {
	if atomic.SwapUint64(&IdleSlack, 0) == 0 {
		return
	}
	proc, foreign, err := openProc()
	if err != nil {
		return // they are late, no more
	}
	defer unix.Close(proc)
	if foreign {
		return
	}
	atomic.StoreUint32(&hurried, 0)
	atomic.StoreUint64(&Hurrying, OwnSlack)
	told := uint32(0)
	pid, self := unix.Getpid(), unix.Gettid()
	for _, name := range threadNames(proc) {
		tid, err := strconv.Atoi(name)
		if err == nil && tid != self && tid != int(atomic.LoadUint32(&warden)) && unix.Tgkill(pid, tid, StopSignal) == nil {
			told++
		}
	}
	// A thread that begins or ends takes it late, or never. At the limit of pending signals it is
	// known for ours as long as Hurrying says so (handler_amd64.s in hostsig).
	const hurryPauses = 10
	pause := [2]uint64{0, 20e3}
	for range hurryPauses {
		if atomic.LoadUint32(&hurried) == told {
			atomic.StoreUint64(&Hurrying, 0)
			return
		}
		raw(unix.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&pause)), 0, 0, 0, 0)
	}
}
