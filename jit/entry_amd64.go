//lint:file-ignore U1000 the assembly beside this file uses what looks unused

package jit

import (
	"errors"
	"fmt"
	"sync"
	"unsafe"

	"emu/cpu"
	"emu/internal/forkall"

	"golang.org/x/sys/unix"
)

// Offsets of State fields from the state register, for entry_amd64.s and the
// engine's stubs.
const (
	stateBias     = cpu.StateBias
	offHostMXCSR  = unsafe.Offsetof(cpu.State{}.HostMXCSR) - stateBias
	offMXCSR      = unsafe.Offsetof(cpu.State{}.MXCSR) - stateBias
	offHostSP     = unsafe.Offsetof(cpu.State{}.HostSP) - stateBias
	offNativeSP   = unsafe.Offsetof(cpu.State{}.NativeSP) - stateBias
	offEnter      = unsafe.Offsetof(cpu.State{}.Enter) - stateBias
	offExit       = unsafe.Offsetof(cpu.State{}.Exit) - stateBias
	offInGuest    = unsafe.Offsetof(cpu.State{}.InGuest) - stateBias
	offFaultSig   = unsafe.Offsetof(cpu.State{}.FaultSig) - stateBias
	offFaultCode  = unsafe.Offsetof(cpu.State{}.FaultCode) - stateBias
	offFaultAddr  = unsafe.Offsetof(cpu.State{}.FaultAddr) - stateBias
	offFaultRIP   = unsafe.Offsetof(cpu.State{}.FaultRIP) - stateBias
	offFaultFlags = unsafe.Offsetof(cpu.State{}.FaultFlags) - stateBias
	offFaultErr   = unsafe.Offsetof(cpu.State{}.FaultErr) - stateBias
	offFaultGPR   = unsafe.Offsetof(cpu.State{}.FaultGPR) - stateBias
	offFaultXMM   = unsafe.Offsetof(cpu.State{}.FaultXMM) - stateBias
)

//go:linkname entersyscall runtime.entersyscall
func entersyscall()

//go:linkname exitsyscall runtime.exitsyscall
func exitsyscall()

//go:noescape
func enterGuest(s *cpu.State)

func switchStack()
func restorerAddr() uintptr
func faultAddr() uintptr

// enter runs the guest from s.Enter on. To the Go runtime the thread is in a
// system call: its goroutine's stack stays where it is, and its processor is
// lent to other goroutines if the guest stays long.
//
//go:nosplit
func enter(s *cpu.State) {
	entersyscall()
	forkall.Leave(&s.Outside)
	enterGuest(s)
	forkall.Return(&s.Outside)
	exitsyscall()
}

// What the fault handler reads. There is one code cache a process, since there
// is one handler a signal.
var (
	codeLo, codeHi  uintptr
	faultExit       uintptr
	goSegv, goFault uintptr
	handlers        sync.Mutex
)

// kernelAction is struct kernel_sigaction of x86-64.
type kernelAction struct{ handler, flags, restorer, mask uintptr }

func sigaction(sig unix.Signal, set, old *kernelAction) error {
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(set)), uintptr(unsafe.Pointer(old)), 8, 0, 0)
	if errno != 0 {
		return fmt.Errorf("rt_sigaction(%v): %w", sig, errno)
	}
	return nil
}

// installFaultHandlers makes faults between lo and hi end at the stub exit. It
// keeps the flags and the mask that the Go runtime uses and replaces only the
// handler; faults elsewhere reach the runtime's.
func installFaultHandlers(lo, hi, exit uintptr) error {
	handlers.Lock()
	defer handlers.Unlock()
	if codeHi != 0 {
		return errors.New("a process can have one JIT engine only")
	}
	faultExit, codeLo = exit, lo
	for _, sig := range []unix.Signal{unix.SIGSEGV, unix.SIGBUS, unix.SIGFPE, unix.SIGILL, unix.SIGTRAP} {
		var old kernelAction
		if err := sigaction(sig, nil, &old); err != nil {
			return err
		}
		if sig == unix.SIGSEGV {
			goSegv = old.handler
		} else {
			goFault = old.handler
		}
		now := old
		now.handler = faultAddr()
		now.flags |= saSiginfo | saOnstack | saRestorer
		if now.restorer == 0 {
			now.restorer = restorerAddr()
		}
		if err := sigaction(sig, &now, nil); err != nil {
			return err
		}
	}
	codeHi = hi
	return nil
}

const (
	saSiginfo  = 0x4
	saRestorer = 0x04000000
	saOnstack  = 0x08000000
)
