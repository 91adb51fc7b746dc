//go:build amd64

package forkall

import (
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// These are outside of Go's heap.
var (
	loan    Loan
	outside Outside
)

// deep uses n KiB or more of stack, and calls f.
func deep(n int, f func()) byte {
	var room [1024]byte
	room[n&1023] = byte(n)
	if n == 0 {
		f()
		return room[0]
	}
	return deep(n-1, f) + room[n&1023]
}

// TestLoan has children of vfork run Go code in place of their parent's thread: the parent goes on behind Lend
// with what the child has written, without the calls that it has left and what these had deferred.
func TestLoan(t *testing.T) {
	if !CanLend() {
		t.Fatal("the runtime's list of deferred calls is not where it is looked for")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for i := range 40 {
		var garbage [][]byte
		ran, deferred := 0, 0
		var all, mask uint64 = ^uint64(0), 0
		raw(unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(&all)), uintptr(unsafe.Pointer(&mask)), 8, 0)
		pid, err := loan.Lend(uintptr(unix.SIGCHLD), 0, &outside, func() {
			ran = unix.Getpid()
			for range 3 {
				defer func() { deferred++ }()
			}
			deep(i*20, func() { // more stack than there is, so that it moves
				garbage = append(garbage, make([]byte, 1<<20))
				runtime.GC()
				if r := loan.Depart(unix.SYS_EXECVE, 0, 0, 0, 0, 0); r != ^uintptr(unix.EFAULT)+1 {
					ran = -1
				}
				loan.Depart(unix.SYS_EXIT_GROUP, uintptr(i), 0, 0, 0, 0)
			})
		})
		RestoreMask(mask)
		if err != nil {
			t.Fatal(err)
		}
		if ran != pid || deferred != 0 || len(garbage) != 1 {
			t.Fatalf("the child %d ran as %d, left %d slices, and %d deferred calls were made", pid, ran, len(garbage), deferred)
		}
		var status syscall.WaitStatus
		if got, err := syscall.Wait4(pid, &status, 0, nil); got != pid || err != nil || status.ExitStatus() != i {
			t.Fatalf("wait4: %d, %v, status %#x", got, err, status)
		}
	}
}

// TestLoanKilled has such children killed in a blocking call.
func TestLoanKilled(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for i := range 20 {
		var all, mask uint64 = ^uint64(0), 0
		pids := make(chan int, 1)
		go func() {
			pid := <-pids
			for atomic.LoadUint32(&outside) == 0 {
				runtime.Gosched()
			}
			unix.Kill(pid, unix.SIGKILL)
		}()
		raw(unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(&all)), uintptr(unsafe.Pointer(&mask)), 8, 0)
		pid, err := loan.Lend(uintptr(unix.SIGCHLD), 0, &outside, func() {
			pids <- unix.Getpid()
			deep(i*20, pauseOutside)
		})
		RestoreMask(mask)
		runtime.GC()
		var status syscall.WaitStatus
		if got, e := syscall.Wait4(pid, &status, 0, nil); err != nil || got != pid || e != nil || status.Signal() != unix.SIGKILL {
			t.Fatalf("%v; wait4: %d, %v, status %#x", err, got, e, status)
		}
	}
}

//go:nosplit
func pauseOutside() {
	entersyscall()
	Leave(&outside)
	for {
		raw(unix.SYS_PAUSE, 0, 0, 0, 0, 0)
	}
}
