package syscalls

import (
	"encoding/binary"
	"runtime"
	"syscall"

	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// A tracee that is kicked stands at the host's stop for that until the tracer waits. It runs for the
// guest, though: a signal for its process would be taken by another thread, a SIGSTOP by one of emu's
// own. So the tracer does not leave before the kick has got through.

// goOnKicked continues a stopped tracee, also from the stop for a kick that came after the thread had seen
// what it was for.
func (t *Task) goOnKicked(tr *tracee, sig uint64) unix.Errno {
	kicked := tr.kicked && kickPending(tr.tid)
	tr.kicked = false
	e := hostPtrace(ptCont, tr.tid, 0, sig)
	if kicked && e == 0 {
		t.passKick(tr.tid)
	}
	return e
}

// kickPending reports whether a kick waits for a stopped tracee.
func kickPending(tid int) bool {
	const most = 8
	type peek struct {
		off uint64
		_   uint32 // flags
		n   int32
	}
	from, infos := onHeap(peek{n: most}), onHeap([most]hostsig.Info{})
	for {
		n, _, e := syscall.RawSyscall6(unix.SYS_PTRACE, ptPeekSiginfo, uintptr(tid), uintptr(addrOf(from)), uintptr(addrOf(infos)), 0, 0)
		runtime.KeepAlive(from)
		if e != 0 || n == 0 {
			return false
		}
		for i := range infos[:n] {
			if hostsig.IsKick(&infos[i]) {
				return true
			}
		}
		from.off += uint64(n)
	}
}

// mostPauses is how often passKick looks again: a thread that does not take signals for so long waits in the kernel.
const mostPauses = 600

// passKick lets a running tracee go on from the host's stops until the one for a kick has come, or one
// that the guest sees.
func (t *Task) passKick(tid int) {
	for pauses := 0; pauses < mostPauses; {
		info := onHeap(hostsig.Info{})
		_, _, e := syscall.RawSyscall6(unix.SYS_WAITID, unix.P_PID, uintptr(tid), uintptr(addrOf(info)), unix.WSTOPPED|unix.WALL|unix.WNOHANG|unix.WNOWAIT, 0, 0)
		le := binary.LittleEndian
		switch {
		case e != 0 || gone(tid):
			return
		case le.Uint32(info[siPid:]) == 0:
			pauses++
			t.pauseForTracee()
			continue
		}
		var sent hostsig.Info
		kick := hostSiginfo(ptGetSiginfo, tid, &sent) == 0 && hostsig.IsKick(&sent)
		if _, visible := t.hostStop(tid, le.Uint32(info[siStatus:])); visible || kick {
			return
		}
	}
}
