package hostsig

import (
	"encoding/binary"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// StopForTracer stops the thread as the host's ptrace stops it for a signal. If
// nobody traces it any more the signal is a kick, which has no effect.
//
// Preconditions: called by the owning thread.
func (th *Thread) StopForTracer() {
	info := kickInfo(hostPid)
	le := binary.LittleEndian
	le.PutUint64(info[stopMarkAt:], stopMark)
	le.PutUint64(info[stopTraceAt:], uint64(uintptr(unsafe.Pointer(&th.Trace))))
	copy(th.Scratch[smallScratch-8-infoSize:], info[:])
	th.Uninterrupted(unix.SYS_RT_TGSIGQUEUEINFO, uintptr(hostPid), uintptr(th.tid), kick, th.ScratchAddr(smallScratch-8-infoSize))
}

// StopGroup stops the process as sig stops one by default, until SIGCONT comes. The tracer's emu knows what
// for by a mark.
//
// Preconditions: called by the owning thread, the only one of the guest's; sig stops by default.
func (th *Thread) StopGroup(sig int) {
	info := kickInfo(hostPid)
	le := binary.LittleEndian
	le.PutUint32(info[0:], uint32(sig))
	le.PutUint64(info[stopMarkAt:], stopMark)
	copy(th.Scratch[smallScratch-8-infoSize:], info[:])
	mask := th.hostMask
	if atomic.LoadUint32(&th.allBlocked) != 0 {
		mask = hardMask
	}
	if sig != int(unix.SIGSTOP) { // which is neither caught nor blocked
		SetAction(sig, Default, 0)
		rawSetMask(^uint64(1 << (sig - 1)))
	}
	th.Uninterrupted(unix.SYS_RT_TGSIGQUEUEINFO, uintptr(hostPid), uintptr(th.tid), uintptr(sig), th.ScratchAddr(smallScratch-8-infoSize))
	if sig != int(unix.SIGSTOP) {
		rawSetMask(mask)
		SetAction(sig, Catch, 0)
	}
}

// IsGroupStop reports whether a signal is one of StopGroup.
func IsGroupStop(info *Info) bool {
	le := binary.LittleEndian
	return le.Uint32(info[0:]) != kick && le.Uint64(info[24:]) == kickMagic && le.Uint64(info[stopMarkAt:]) == stopMark
}

// Pending reports whether sig waits for the thread or its process, blocked.
func Pending(sig int) bool { return rawPending()>>(sig-1)&1 != 0 }

// StopOf tells whether a signal-delivery-stop of a host thread with this siginfo
// is one of StopForTracer, and where its Trace is.
func StopOf(info *Info) (trace uint64, ok bool) {
	le := binary.LittleEndian
	if le.Uint32(info[0:]) != kick || le.Uint64(info[stopMarkAt:]) != stopMark {
		return 0, false
	}
	return le.Uint64(info[stopTraceAt:]), true
}

// IsKick reports whether a signal is a kick, of whatever process.
func IsKick(info *Info) bool {
	le := binary.LittleEndian
	return le.Uint32(info[0:]) == kick && le.Uint64(info[24:]) == kickMagic
}

// Kick is the siginfo of the signal that makes a guest thread of the process with
// the given number look at Trace.Want, and the signal.
func Kick(pid int) (sig int, info Info) { return kick, kickInfo(uint32(pid)) }

// TableAt is the address of the word that points to the table of guest threads,
// and PidAt of the 32-bit process number: the same in every process that runs this
// program.
func TableAt() (table, pid uint64) {
	return uint64(uintptr(unsafe.Pointer(&threads))), uint64(uintptr(unsafe.Pointer(&hostPid)))
}

// ReadyAt is the address of a process's Readiness.
func ReadyAt() uint64 { return uint64(uintptr(unsafe.Pointer(&ready))) }

// SetReady says that all guest threads are in the table from now on.
func SetReady() {
	var ts unix.Timespec
	unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts)
	stamp = max(uint64(ts.Nano()/1000), firstStamp) << countBits
	atomic.StoreUint64(&ready, stamp)
}

// SetReadiness says NoGuest or Promised.
func SetReadiness(r Readiness) { atomic.StoreUint64(&ready, uint64(r)) }

// BeginExec says that a thread is about to replace the program, which has no time for a
// tracer any more, and EndExec that this has failed.
func BeginExec() { atomic.AddUint64(&ready, 1) }

// EndExec undoes BeginExec.
func EndExec() { atomic.AddUint64(&ready, ^uint64(0)) }

// EntryAt is where in that table the address of the Trace of process pid's thread tid, minus TraceOff,
// is.
func EntryAt(table uint64, pid, tid int) uint64 {
	if tid == pid {
		tid = mainSlot
	}
	return table + 8*uint64(tid)
}

// MemoryAt is where in that table is what SetMemory has left.
func MemoryAt(table uint64) uint64 { return table + 8*memorySlot }

// SetMemory leaves in the table where the description of the guest's memory lies: other processes that
// run this program look it up there.
func SetMemory(addr uint64) { *(*uint64)(unsafe.Pointer(&threads[memorySlot])) = addr }

// TraceOff is the place of the Trace in a Thread.
const TraceOff = uint64(unsafe.Offsetof(Thread{}.Trace))

// LoadWant takes what the tracer wants.
func (th *Thread) LoadWant() uint32 { return atomic.SwapUint32(&th.Trace.Want, 0) }
