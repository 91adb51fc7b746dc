//lint:file-ignore U1000 the assembly beside this file uses what looks unused

package jit

import (
	"unsafe"

	"emu/cpu"
	"emu/internal/hostsig"
	"emu/jit/amd64"

	"golang.org/x/sys/unix"
)

// For direct_amd64.s.
const (
	offX         = int(unsafe.Offsetof(cpu.State{}.X)) - stateBias
	offPending   = unsafe.Offsetof(cpu.State{}.Pending) - stateBias
	offExitArg   = unsafe.Offsetof(cpu.State{}.ExitArg) - stateBias
	offDirect    = unsafe.Offsetof(cpu.State{}.Direct) - stateBias
	offSignals   = unsafe.Offsetof(cpu.State{}.Signals) - stateBias
	offEvictions = unsafe.Offsetof(cpu.State{}.Evictions) - stateBias
	offEvictSeen = unsafe.Offsetof(cpu.State{}.EvictSeen) - stateBias
	offShrunk    = unsafe.Offsetof(cpu.State{}.Shrunk) - stateBias
	offOwnSeen   = unsafe.Offsetof(cpu.State{}.OwnSeen) - stateBias
	offOwn       = unsafe.Offsetof(cpu.State{}.Own) - stateBias
	offStack     = unsafe.Offsetof(cpu.State{}.Stack) - stateBias
	offHelperRet = unsafe.Offsetof(cpu.State{}.HelperRet) - stateBias

	numDirect    = cpu.NumDirect
	directCan    = cpu.DirectCan
	directBlocks = cpu.DirectBlocks
	directLimit  = cpu.DirectLimit
	directPtrs   = cpu.DirectPtrs
	directFutex  = cpu.DirectFutex
	directClock  = cpu.DirectClock
	directDay    = cpu.DirectDay
	directPath   = cpu.DirectPath

	blockedDirect   = hostsig.BlockedDirect
	threadBlocked   = hostsig.OffBlocked
	threadInterrupt = hostsig.OffInterrupt

	exitSyscall = int(cpu.ExitSyscall)
	exitBranch  = int(cpu.ExitBranch)
	eintr       = int(unix.EINTR)
	efault      = int(unix.EFAULT)
	erestart    = hostsig.ERestart

	sysClockGetres = unix.SYS_CLOCK_GETRES
	// Operations of futex(2), and the mask that takes its flags off.
	futexCommand    = 0x7f
	futexWait       = 0
	futexWake       = 1
	futexWaitBitset = 9
	// vdsoTop is where the host's vDSO finds its stack: below the last 16 bytes of
	// State.Stack, which are what it fills.
	vdsoTop        = (cpu.NumStack - 1) * 16
	clockMonotonic = unix.CLOCK_MONOTONIC
)

// The DirectCall that the assembly reads has this layout.
var _ = [1]struct{}{}[unsafe.Sizeof(cpu.DirectCall{})-16]

// Functions of the host's vDSO, 0 where it lacks one. Written once, before the first
// guest instruction.
var vdsoClockGettime, vdsoClockGetres, vdsoGettimeofday uintptr

// copyFaults are the instructions in this package and in the copying stubs that access the guest's memory, and
// where each goes on if it faults; the rest is zero. Written once.
var copyFaults [numCopyFaults]struct{ at, resume uintptr }

const (
	firstStubFault = 3
	numCopyFaults  = firstStubFault + 2*amd64.MostCopyFaults
)

func copyAddrs() (loadByte, noPath, copyBytes, noCopy uintptr)

func directAddrs() (syscall, counter, enter, before, again, copyOut, slow uintptr)

// initDirect readies direct system calls and returns the addresses of the code that
// makes them and of that which reads the counter, 0 if Go has to.
func initDirect() (syscall, counter uintptr) {
	syscall, counter, enter, before, again, copyOut, slow := directAddrs()
	hostsig.SetDirectWindow(enter, before, again)
	loadByte, noPath, copyBytes, noCopy := copyAddrs()
	copyFaults[0].at, copyFaults[0].resume = copyOut, slow
	copyFaults[1].at, copyFaults[1].resume = loadByte, noPath
	copyFaults[2].at, copyFaults[2].resume = copyBytes, noCopy
	vdso := findVDSO()
	vdsoClockGettime = vdso["__vdso_clock_gettime"]
	vdsoClockGetres = vdso["__vdso_clock_getres"]
	vdsoGettimeofday = vdso["__vdso_gettimeofday"]
	if vdsoClockGettime == 0 {
		counter = 0
	}
	return syscall, counter
}
