package forkall

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Where there is no procfs, and none may be made, nothing lists the process's threads. Their
// numbers are found by asking for each that a thread may have whether it is one of ours: tgkill(2)
// without a signal. The kernel gives numbers out in turn (it begins again after pid_max), so
// those asked for are
//
//   - the threads that were found before,
//   - the numbers since then: all threads of a process are younger than its number,
//   - and as many of the first as the kernel can have given out meanwhile: if there are no more
//     than those, it may have gone round. That is 0.6 % of the time in between.

const (
	maxTID = 1 << 22 // PID_MAX_LIMIT
	// perNumber is log2 of the ns that the kernel takes for one at the fastest.
	perNumber = 14
)

var (
	found   uintptr // *[maxThreads]uint32
	nfound  uintptr
	asker   uintptr // the process that found and askedTo are of
	askedTo uintptr // the number that was the newest
	askedAt uint64  // ns
	begun   = monotonic()
)

//go:nosplit
func monotonic() uint64 {
	var now [2]uint64
	raw(unix.SYS_CLOCK_GETTIME, unix.CLOCK_MONOTONIC, uintptr(unsafe.Pointer(&now)), 0, 0, 0)
	return now[0]*1e9 + now[1]
}

// asking is a walk over the threads by their numbers.
type asking struct {
	pid    uintptr
	at, n  uintptr       // in found
	ranges [3][2]uintptr // numbers to ask for, the second not included
}

// begin reports whether it could find out which number is the newest: a new thread's.
//
// Preconditions: all signals are blocked.
//
//go:nosplit
func (a *asking) begin() bool {
	a.pid = raw(unix.SYS_GETPID, 0, 0, 0, 0, 0)
	if asker != a.pid {
		asker, askedTo, askedAt, nfound = a.pid, a.pid-1, begun, 0
	}
	kept := uintptr(0)
	for i := uintptr(0); i < nfound; i++ {
		if tid := *word(found + 4*i); a.ours(uintptr(tid)) {
			*word(found + 4*kept) = tid
			kept++
		}
	}
	a.at, a.n, nfound = 0, kept, kept
	now := monotonic()
	if patientProbes(1) != 1 {
		return false
	}
	newest := uintptr(probeTID)
	a.ranges[0] = [2]uintptr{1, uintptr(min((now-askedAt)>>perNumber, maxTID))}
	a.ranges[1] = [2]uintptr{askedTo + 1, newest}
	if newest < askedTo {
		a.ranges[1][1] = maxTID
		a.ranges[2] = [2]uintptr{1, newest}
	}
	askedTo, askedAt = newest, now
	return true
}

// ours reports whether tid is one of the process's threads.
//
//go:nosplit
func (a *asking) ours(tid uintptr) bool {
	return !isError(raw(unix.SYS_TGKILL, a.pid, tid, 0, 0, 0))
}

// next returns a thread's id, 0 at the end.
//
//go:nosplit
func (a *asking) next(j *job) (tid uintptr) {
	if a.at < a.n {
		a.at++
		return uintptr(*word(found + 4*(a.at-1)))
	}
	for i := range a.ranges {
		for r := &a.ranges[i]; r[0] < r[1]; {
			tid = r[0]
			r[0]++
			if tid == askedTo || !a.ours(tid) || listed(found, nfound, tid) { // askedTo ends by itself
				continue
			}
			if nfound == maxThreads {
				j.failed, asker = overflow, 0
				return 0
			}
			*word(found + 4*nfound) = uint32(tid)
			nfound++
			return tid
		}
	}
	return 0
}

// aloneByUnshare waits until the kernel says that the process has no other thread: only then
// unshare(2) lets a thread have what threads share, which changes nothing.
//
//go:nosplit
func aloneByUnshare() {
	pause := [2]uint64{0, 20e3}
	for raw(unix.SYS_UNSHARE, unix.CLONE_THREAD, 0, 0, 0, 0) == ^uintptr(unix.EINVAL)+1 {
		raw(unix.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&pause)), 0, 0, 0, 0)
	}
}

//go:linkname isPollDescriptor internal/poll.runtime_isPollServerDescriptor
func isPollDescriptor(fd uintptr) bool

// askNetpoll is findNetpoll where there is no procfs: the runtime knows its descriptors, and the
// poller itself what the eventfd is registered with. Nothing else of emu's is in that poller.
func askNetpoll() error {
	const mostDescriptors = 1 << 20
	time.AfterFunc(time.Hour, func() {}).Stop() // as in findNetpoll
	var two []int
	for fd := 0; fd < mostDescriptors && len(two) < 2; fd++ {
		if isPollDescriptor(uintptr(fd)) {
			two = append(two, fd)
		}
	}
	if len(two) < 2 {
		return ErrUnknownRuntime
	}
	poller, wakes := two[0], two[1]
	if unix.EpollCtl(poller, unix.EPOLL_CTL_ADD, wakes, &unix.EpollEvent{}) != unix.EEXIST { // it is no poller
		poller, wakes = wakes, poller
	}
	const tries = 1000 // the runtime takes wake-ups, too
	for range tries {
		one := [8]byte{1}
		var events [8]unix.EpollEvent
		unix.Write(wakes, one[:])
		n, _ := unix.EpollWait(poller, events[:], 0)
		for _, e := range events[:max(n, 0)] {
			var held uint64
			data := uint64(uint32(e.Fd)) | uint64(uint32(e.Pad))<<32
			if inImage(data) && peek(data, &held) && held == uint64(wakes) {
				epfd, eventfd, evdata = int32(poller), int32(wakes), data
				return nil
			}
		}
	}
	return ErrUnknownRuntime
}
