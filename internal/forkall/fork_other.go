//go:build !amd64

package forkall

import (
	"time"

	"golang.org/x/sys/unix"
)

// Supported says whether this package works on this host.
const Supported = false

// Leave does nothing on this host.
func Leave(w *Outside) {}

// Return does nothing on this host.
func Return(w *Outside) {}

// Wait does nothing on this host.
func Wait(w *Outside) {}

func wakeGate() {}

func sleep(d time.Duration) { time.Sleep(d) }

// Fork fails: there is no handler that stops threads for this host yet.
func Fork(c Call, guests []uint32, first First) (pid int, mask uint64, err error) {
	return 0, 0, unix.ENOSYS
}

// Alone fails like Fork.
func Alone(c Call) (r int, mask uint64, err error) { return 0, 0, unix.ENOSYS }

// Arranges is false on this host.
func Arranges() bool { return false }

// RestoreMask does nothing on this host.
func RestoreMask(mask uint64) {}

// UseProc does nothing on this host.
func UseProc(fd int) {}

// Owing is never true on this host.
func Owing() bool { return false }

// PutOff does nothing on this host.
func PutOff() {}

// Settle does nothing on this host.
func Settle() {}

// NeedThreads does nothing on this host.
func NeedThreads() {}

// ProcessLimit fails like Fork.
func ProcessLimit() (unix.Rlimit, unix.Errno) { return unix.Rlimit{}, unix.ENOSYS }

// SetProcessLimit fails like Fork.
func SetProcessLimit(to unix.Rlimit, mayRaise bool) unix.Errno { return unix.ENOSYS }

// TakeProcessLimit does nothing on this host.
func TakeProcessLimit() {}

// PassProcessLimit does nothing on this host.
func PassProcessLimit() (undo func()) { return func() {} }

// Inherit fails like Fork.
func Inherit(tid int) error { return unix.ENOSYS }

// NewProcess fails like Fork.
func NewProcess(tid int, flags uintptr) (pid int, err error) { return 0, unix.ENOSYS }

// NearLimit is never true on this host.
func NearLimit() bool { return false }

// Ended does nothing on this host.
func Ended() {}

// Spare is always true on this host.
func Spare() bool { return true }

// Ample is always true on this host.
func Ample() bool { return true }

// Room is always true on this host.
func Room() bool { return true }

// RoomToExec is always true on this host.
func RoomToExec() bool { return true }

// Begin does nothing on this host.
func Begin() {}

// Loan is not used on this host.
type Loan struct{}

// CanLend is never true on this host.
func CanLend() bool { return false }
