//lint:file-ignore U1000 the assembly beside this file uses what looks unused

package hostsig

import (
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// ownFirst is the lowest descriptor that the runtime gets for itself: ownMost, or ownRoom below the
// hard limit where that is lower and cannot be raised. The start code sets it.
var ownFirst = ownMost

const (
	// ownMost is above 255, the last that shells use and that tests of large descriptors fill, and low
	// enough to fill what lies below quickly.
	ownMost = 288
	ownRoom = 24

	// mostSent is how many descriptors a message of a socket holds (unix(7), SCM_MAX_FD).
	mostSent = 253
)

// filled has a bit for every descriptor that the start code has open to keep the
// runtime away from it.
var filled [(ownMost + 63) / 64]uint64

// giveBack closes the descriptors that the start code has filled, a run of them at
// a time where the kernel can (Linux 5.9).
func giveBack() {
	isFilled := func(fd int) bool { return fd < ownFirst && filled[fd/64]>>(fd%64)&1 != 0 }
	for fd := 0; fd < ownFirst; fd++ {
		first := fd
		for isFilled(fd) {
			fd++
		}
		if fd == first || unix.CloseRange(uint(first), uint(fd-1), 0) == nil {
			continue
		}
		for ; first < fd; first++ {
			unix.Close(first)
		}
	}
	clear(filled[:])
}

// Raise returns a descriptor of emu's own in place of fd, which was open when emu was
// started: one that the guest does not count on. fd itself stays taken until
// OwnDescriptors, lest something else of emu's get it.
func Raise(fd int) int {
	if fd < ownFirst {
		if up, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, ownFirst); err == nil {
			filled[fd/64] |= 1 << (fd % 64)
			return up
		}
	}
	unix.CloseOnExec(fd)
	return fd
}

// OwnDescriptor returns a copy of fd where the guest does not count on one, -1 if there is
// no room.
func OwnDescriptor(fd int) int {
	up, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, ownFirst)
	if err != nil {
		return -1
	}
	return up
}

// OwnDescriptors gives the low descriptors back, so that the guest finds those
// it would find anywhere, and returns the ones that are the process's own: the
// runtime's poller and whatever else emu has open. They are the ones with
// close-on-exec set, since nothing else survived execve.
//
// Preconditions: the guest has not run yet.
func OwnDescriptors() ([]int, error) {
	// The runtime opens its poller with the first timer, now rather than among the
	// guest's descriptors.
	time.AfterFunc(time.Hour, func() {}).Stop()
	giveBack()
	var own []int
	dir, err := unix.Open("/proc/self/fd", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil { // no procfs to list them: they are the first where there is room
		for fd := range ownFirst + 64 {
			if closesOnExec(fd) {
				own = append(own, fd)
			}
		}
		return own, nil
	}
	defer unix.Close(dir)
	buf := make([]byte, 4096)
	for {
		n, err := unix.Getdents(dir, buf)
		if err != nil || n <= 0 {
			return own, err
		}
		_, _, names := unix.ParseDirent(buf[:n], -1, nil)
		for _, name := range names {
			fd, err := strconv.Atoi(name)
			if err != nil || fd == dir {
				continue
			}
			if closesOnExec(fd) {
				own = append(own, fd)
			}
		}
	}
}

func closesOnExec(fd int) bool {
	f, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	return err == nil && f&unix.FD_CLOEXEC != 0
}
