//go:build amd64

package hostsig

import (
	"encoding/binary"
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"

	"emu/internal/forkall"
	"emu/internal/program"

	"golang.org/x/sys/unix"
)

// onGuestThread runs f on a locked OS thread that is attached as a guest thread.
func onGuestThread(t *testing.T, mask uint64, f func(th *Thread, pending *uint32)) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked: the thread ends with its mask
		pending := new(uint32)
		th, err := NewThread(pending, new(uint64), new(uint32))
		if err != nil {
			t.Error(err)
			return
		}
		th.Attach(mask)
		defer th.Detach()
		f(th, pending)
	}()
	<-done
}

func TestMain(m *testing.M) {
	if _, err := Install(); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func tgkill(tid, sig int) {
	syscall.RawSyscall(unix.SYS_TGKILL, uintptr(os.Getpid()), uintptr(tid), uintptr(sig))
}

func TestCaughtSignalBlocksTheRestUntilTaken(t *testing.T) {
	SetAction(10, Catch, 0)
	SetAction(12, Catch, 0)
	defer SetAction(10, Default, 0)
	defer SetAction(12, Default, 0)
	onGuestThread(t, 0, func(th *Thread, pending *uint32) {
		tgkill(th.Tid(), 10)
		tgkill(th.Tid(), 12)
		if *pending != 1 || !th.Interrupted() {
			t.Error("not flagged")
		}
		if r := th.Quick(unix.SYS_GETPID, 0, 0, 0, 0, 0, 0); int(r) != -ENoIntr {
			t.Errorf("call with a signal pending returned %d", int(r))
		}
		th.Acknowledge()
		sig, info, ok := th.Take()
		if !ok || sig != 10 || binary.LittleEndian.Uint32(info[0:]) != 10 {
			t.Errorf("first signal: %d %v", sig, ok)
		}
		if sig, _, ok := th.Take(); ok {
			t.Errorf("signal %d came before the first had its mask set", sig)
		}
		th.ForceMask(0)
		if sig, _, ok := th.Take(); !ok || sig != 12 {
			t.Errorf("second signal: %d %v", sig, ok)
		}
		th.ForceMask(0)
		th.Acknowledge()
		if r := th.Quick(unix.SYS_GETPID, 0, 0, 0, 0, 0, 0); int(r) != os.Getpid() {
			t.Errorf("getpid = %d", int(r))
		}
	})
}

func TestSignalEndsABlockingCall(t *testing.T) {
	SetAction(10, Catch, 0)
	defer SetAction(10, Default, 0)
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	onGuestThread(t, 0, func(th *Thread, pending *uint32) {
		for _, c := range []struct {
			name string
			nr   uintptr
			args [5]uintptr
			want int
			wake bool
		}{
			{"read, restartable", unix.SYS_READ, [5]uintptr{uintptr(p[0]), th.ScratchAddr(0), 1}, -ERestart, false},
			{"ppoll, not restartable", unix.SYS_PPOLL, [5]uintptr{0, 0, 0, 0, 8}, -int(unix.EINTR), false},
			{"read, woken", unix.SYS_READ, [5]uintptr{uintptr(p[0]), th.ScratchAddr(0), 1}, -ERestart, true},
		} {
			go func() {
				time.Sleep(20 * time.Millisecond)
				if c.wake {
					th.Wake()
				} else {
					tgkill(th.Tid(), 10)
				}
			}()
			if r := th.Call(c.nr, c.args[0], c.args[1], c.args[2], c.args[3], c.args[4], 0); int(r) != c.want {
				t.Errorf("%s: %d, want %d", c.name, int(r), c.want)
			}
			th.Acknowledge()
			if sig, _, ok := th.Take(); ok == c.wake || ok && sig != 10 {
				t.Errorf("%s: signal %d %v", c.name, sig, ok)
			}
			th.ForceMask(0)
		}
	})
}

// TestNoLostWakeUp sends signals at a thread that makes short blocking calls;
// one that slipped in between check and call would leave it hanging.
func TestNoLostWakeUp(t *testing.T) {
	SetAction(10, Catch, 0)
	defer SetAction(10, Default, 0)
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	const n = 5000
	onGuestThread(t, 0, func(th *Thread, pending *uint32) {
		ack := make(chan struct{}, 1)
		go func() {
			for i := 0; i < n; i++ {
				if i%2 == 0 {
					tgkill(th.Tid(), 10)
				} else {
					th.Queue(16, &Info{16})
				}
				<-ack
			}
		}()
		for i := 0; i < n; {
			th.Call(unix.SYS_READ, uintptr(p[0]), th.ScratchAddr(0), 1, 0, 0, 0)
			th.Acknowledge()
			for {
				if _, _, ok := th.Take(); !ok {
					break
				}
				th.ForceMask(0)
				i++
				ack <- struct{}{}
			}
		}
	})
}

func TestSoftSignalsKeepTheirMask(t *testing.T) {
	onGuestThread(t, 1<<15, func(th *Thread, pending *uint32) {
		th.Queue(16, &Info{16})
		tgkill(th.Tid(), 11)
		if sig, _, _ := th.Take(); sig != 11 {
			t.Errorf("took %d, want a sent SIGSEGV", sig)
		}
		if sig, _, ok := th.Take(); ok {
			t.Errorf("blocked signal %d was taken", sig)
		}
		th.Acknowledge()
		if !th.SetMask(0) || !th.Interrupted() {
			t.Error("unblocking does not flag the pending signal")
		}
		if sig, _, _ := th.Take(); sig != 16 {
			t.Errorf("took %d, want 16", sig)
		}
	})
}

// TestRuntimeSurvives preempts goroutines and takes faults while guest signals
// arrive: Go's own use of signals must not notice.
func TestRuntimeSurvives(t *testing.T) {
	SetAction(10, Catch, 0)
	defer SetAction(10, Default, 0)
	stop := make(chan struct{})
	var nowhere *int
	go func() {
		for {
			select {
			case <-stop:
				return
			default:
				syscall.Kill(os.Getpid(), 10)
				runtime.GC()
			}
		}
	}()
	onGuestThread(t, 0, func(th *Thread, pending *uint32) {
		for i, got := 0, 0; i < 200 || got == 0; i++ {
			func() {
				defer func() {
					if recover() == nil {
						t.Error("nil dereference did not panic")
					}
				}()
				*nowhere = i
			}()
			if _, _, ok := th.Take(); ok {
				got++
				th.Acknowledge()
				th.ForceMask(0)
			}
		}
	})
	close(stop)
}

// Threads that the runtime starts must leave the guest's signals alone: one that
// takes a SIGCHLD cannot pass it on.
func TestRuntimeTableFound(t *testing.T) {
	if findSigTab(program.Own()) == nil {
		t.Fatal("the runtime's table of signals is not where it was looked for")
	}
}

// A guest thread that comes back to Go does not wait for a processor that another one keeps in a system call.
func TestProcessorsForThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(runtime.NumCPU()))
	onGuestThread(t, 0, func(*Thread, *uint32) {
		if !forkall.Room() || !forkall.Ample() {
			t.Error("no room for threads")
		}
		ManyProcessors()
	})
	if n := runtime.GOMAXPROCS(0); n < forkall.ManyProcessors {
		t.Errorf("%d processors for guest threads, want %d", n, forkall.ManyProcessors)
	}
}

// A thread has nothing of the one that had its memory before.
func TestThreadOfEndedThread(t *testing.T) {
	pending, jumps, outside := new(uint32), new(uint64), new(uint32)
	th, err := NewThread(pending, jumps, outside)
	if err != nil {
		t.Fatal(err)
	}
	first := *th
	th.mask, th.ready, th.softCame, th.Scratch[100] = 1, 2, 3, 4
	th.Free()
	again, err := NewThread(pending, jumps, outside)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Free()
	if again != th || *again != first {
		t.Errorf("the thread is another one (%v), or not as new", again != th)
	}
}
