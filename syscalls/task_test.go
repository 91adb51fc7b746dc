package syscalls

import (
	"bytes"
	"encoding/binary"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"emu/cpu"
	"emu/internal/armabi"
	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) {
	if _, err := hostsig.Install(); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// A thread that ends gives back what the engine keeps for it: the engine would look at its
// State else, which is unmapped, when it evicts code.
func TestThreadsAreClosed(t *testing.T) {
	const sysExitNr = 93
	var r *script
	play(t, func(g *guest) []func(s *cpu.State) {
		r = g.task.runner.(*script)
		return []func(s *cpu.State){func(s *cpu.State) { call(s, sysExitNr, 0) }}
	})
	if r.closed != 1 {
		t.Errorf("closed %d times", r.closed)
	}
}

// A thread that has given the processor away does so again after some YIELDs: generated code leaves
// Pauses one below zero. On one processor each YIELD does.
func TestYieldBeginsPausesAnew(t *testing.T) {
	play(t, func(g *guest) []func(s *cpu.State) {
		return []func(s *cpu.State){func(s *cpu.State) {
			s.Pauses = ^uint32(0)
			if g.task.yield(); s.Pauses != pausesOn(runtime.NumCPU()) {
				t.Errorf("%d pauses", s.Pauses)
			}
			call(s, sysGetpid)
		}}
	})
	if one, two := pausesOn(1), pausesOn(2); one != 0 || two == 0 {
		t.Errorf("on one processor %d, on two %d", one, two)
	}
}

func (g *guest) put(off uint64, b []byte) uint64 {
	if e := g.copyOut(g.mem+off, b); e != 0 {
		g.t.Error(e)
	}
	return g.mem + off
}

// handle installs a handler at handlerPC.
func (g *guest) handle(sig int, flags uint64) {
	g.actions[sig] = sigaction{Handler: handlerPC, Flags: flags}
	hostsig.SetAction(sig, hostsig.Catch, 0)
	g.t.Cleanup(func() { hostsig.SetAction(sig, hostsig.Default, 0) })
}

func TestCallsReturnInX0(t *testing.T) {
	status := play(t, func(g *guest) []func(*cpu.State) {
		return []func(*cpu.State){
			func(s *cpu.State) { call(s, sysGetpid) },
			func(s *cpu.State) {
				if int(s.X[0]) != os.Getpid() || s.PC != scriptPC+4 {
					t.Errorf("getpid = %d, pc %#x", s.X[0], s.PC)
				}
				call(s, 471)
			},
			func(s *cpu.State) {
				if int64(s.X[0]) != -int64(unix.ENOSYS) {
					t.Errorf("unknown call = %d", int64(s.X[0]))
				}
				s.X[0] = 7
				call(s, sysExitGroupNr, 7)
			},
		}
	})
	if status != 7 {
		t.Errorf("status %d", status)
	}
}

// TestFrame checks the signal frame against the offsets of arm64's uapi headers
// (struct rt_sigframe: siginfo 128 bytes, ucontext with mcontext at 176).
func TestFrame(t *testing.T) {
	play(t, func(g *guest) []func(*cpu.State) {
		g.handle(10, saSiginfo)
		le := binary.LittleEndian
		var before cpu.State
		return []func(*cpu.State){
			func(s *cpu.State) {
				for i := range 31 {
					s.X[i] = uint64(i) * 0x101
				}
				for i := range s.V {
					s.V[i] = [2]uint64{uint64(i), ^uint64(i)}
				}
				s.SetPSTATE(cpu.FlagN | cpu.FlagC)
				s.SetFPStatus(cpu.FPSRInexact)
				call(s, sysTgkillNr, uint64(os.Getpid()), uint64(unix.Gettid()), 10)
				before = *s
			},
			func(s *cpu.State) {
				if s.PC != handlerPC || s.X[0] != 10 || s.X[30] != sigreturnPC || s.X[cpu.SP]%16 != 0 {
					t.Errorf("handler entered with pc %#x x0 %d lr %#x sp %#x", s.PC, s.X[0], s.X[30], s.X[cpu.SP])
				}
				f := make([]byte, 4688)
				if e := g.copyIn(f, s.X[cpu.SP]); e != 0 {
					t.Fatal(e)
				}
				for _, c := range []struct {
					what      string
					got, want uint64
				}{
					{"x1", s.X[1], s.X[cpu.SP]}, {"x2", s.X[2], s.X[cpu.SP] + 128},
					{"si_signo", uint64(le.Uint32(f)), 10}, {"si_pid", uint64(le.Uint32(f[16:])), uint64(os.Getpid())},
					{"x0", le.Uint64(f[128+176+8:]), 0}, {"x7", le.Uint64(f[128+176+8+56:]), before.X[7]},
					{"sp", le.Uint64(f[128+176+256:]), before.X[cpu.SP]}, {"pc", le.Uint64(f[128+176+264:]), scriptPC + 4},
					{"pstate", le.Uint64(f[128+176+272:]), cpu.FlagN | cpu.FlagC},
					{"fpsimd magic", uint64(le.Uint32(f[128+176+288:])), 0x46508001}, {"fpsimd size", uint64(le.Uint32(f[128+176+292:])), 528},
					{"fpsr", uint64(le.Uint32(f[128+176+296:])), cpu.FPSRInexact}, {"v3", le.Uint64(f[128+176+304+48:]), 3},
					{"terminator", le.Uint64(f[128+176+288+528:]), 0},
				} {
					if c.got != c.want {
						t.Errorf("%s = %#x, want %#x", c.what, c.got, c.want)
					}
				}
				rec, _ := load[[2]uint64](g.Process, s.X[29])
				if rec != [2]uint64{before.X[29], before.X[30]} {
					t.Errorf("frame record %#x", rec)
				}
				for i := range 31 {
					s.X[i] = 0
				}
				s.V[3] = [2]uint64{}
				s.PC = sigreturnPC
			},
			func(s *cpu.State) {
				if s.PC != scriptPC+4 || s.X[0] != 0 || s.X[7] != before.X[7] || s.V[3] != before.V[3] || s.PSTATE() != before.PSTATE() {
					t.Errorf("not restored: pc %#x x0 %d x7 %#x v3 %x", s.PC, s.X[0], s.X[7], s.V[3])
				}
				call(s, sysGetpid)
			},
		}
	})
}

// TestRestart interrupts a read: with SA_RESTART it starts again and returns
// data, without it gives EINTR.
func TestRestart(t *testing.T) {
	for _, c := range []struct {
		flags uint64
		want  int64
	}{{saRestart, 2}, {0, -int64(unix.EINTR)}} {
		var p [2]int
		if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
			t.Fatal(err)
		}
		var once sync.Once
		play(t, func(g *guest) []func(*cpu.State) {
			g.handle(10, c.flags)
			read := func(s *cpu.State) {
				call(s, sysRead, uint64(p[0]), g.mem, 2)
				once.Do(func() {
					go func() {
						time.Sleep(20 * time.Millisecond)
						unix.Tgkill(os.Getpid(), g.task.tid, 10)
						time.Sleep(20 * time.Millisecond)
						unix.Write(p[1], []byte("ok"))
					}()
				})
			}
			handler := func(s *cpu.State) {
				if s.PC != handlerPC {
					t.Errorf("flags %#x: no handler ran (pc %#x, x0 %d)", c.flags, s.PC, int64(s.X[0]))
				}
				s.PC = sigreturnPC
			}
			check := func(s *cpu.State) {
				if int64(s.X[0]) != c.want {
					t.Errorf("flags %#x: read = %d, want %d", c.flags, int64(s.X[0]), c.want)
				}
				call(s, sysGetpid)
			}
			if c.flags&saRestart == 0 {
				return []func(*cpu.State){read, handler, check}
			}
			again := func(s *cpu.State) {
				if s.PC != scriptPC || s.X[0] != uint64(p[0]) {
					t.Errorf("restarts at %#x with x0 %d", s.PC, s.X[0])
				}
				read(s)
			}
			return []func(*cpu.State){read, handler, again, check}
		})
		unix.Close(p[0])
		unix.Close(p[1])
	}
}

// TestIgnoredSignalDoesNotLengthenSleep: a signal that nobody handles interrupts
// the host's call; the guest's sleep goes on for the rest of its time.
func TestIgnoredSignalDoesNotLengthenSleep(t *testing.T) {
	const sleep = 200 * time.Millisecond
	start, restarts := time.Now(), 0
	play(t, func(g *guest) []func(*cpu.State) {
		g.handle(10, 0)
		g.actions[10].Handler = sigIgn // the host still catches it
		ts := g.put(0, bytesOf(&[2]uint64{0, uint64(sleep)}))
		stop := make(chan struct{})
		t.Cleanup(func() { close(stop) })
		go func() {
			for {
				select {
				case <-stop:
					return
				case <-time.After(10 * time.Millisecond):
					unix.Tgkill(os.Getpid(), g.task.tid, 10)
				}
			}
		}()
		var steps []func(*cpu.State)
		slept := false
		for range 100 {
			steps = append(steps, func(s *cpu.State) {
				switch {
				case slept:
					call(s, sysGetpid)
				case s.PC == scriptPC: // the first time, or a restart
					if restarts++; restarts > 1 && s.X[0] != ts {
						t.Errorf("restarted with x0 %#x", s.X[0])
					}
					call(s, sysNanosleep, ts, 0)
				default:
					slept = true
					if s.X[0] != 0 {
						t.Errorf("nanosleep = %d", int64(s.X[0]))
					}
					if d := time.Since(start); d < sleep {
						t.Errorf("slept only %v", d)
					}
					call(s, sysGetpid)
				}
			})
		}
		return steps
	})
	if restarts < 2 {
		t.Error("no signal came")
	}
}

// TestBuffersEndWithTheGuestsMemory: what lies behind the guest's last page may
// be emu's, and no call may reach it.
func TestBuffersEndWithTheGuestsMemory(t *testing.T) {
	mem, e := unix.Mmap(-1, 0, 2*cpu.PageSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if e != nil {
		t.Fatal(e)
	}
	own := mem[cpu.PageSize:]
	zero, _ := unix.Open("/dev/zero", unix.O_RDWR|unix.O_CLOEXEC, 0)
	defer unix.Close(zero)
	for i := range own {
		own[i] = 1
	}
	play(t, func(g *guest) []func(*cpu.State) {
		// The guest takes the first of the two pages.
		unix.MunmapPtr(unsafe.Pointer(&mem[0]), cpu.PageSize)
		page, e := g.Mem.Map(pin(mem), cpu.PageSize, 3, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_FIXED_NOREPLACE, -1, 0)
		if e != 0 {
			t.Fatal(e)
		}
		end := page + cpu.PageSize
		iov := g.put(0, bytesOf(&[2]uint64{end - 10, 100}))
		cases := []struct {
			call []uint64
			want int64
		}{
			{[]uint64{sysRead, uint64(zero), end - 10, 100}, 10},
			{[]uint64{65, uint64(zero), iov, 1}, 10},                        // readv
			{[]uint64{113, 1, end - 8}, -int64(unix.EFAULT)},                // clock_gettime
			{[]uint64{100, 0, end - 4, end - 4}, -int64(unix.EFAULT)},       // get_robust_list
			{[]uint64{160, end - 100}, -int64(unix.EFAULT)},                 // uname
			{[]uint64{167, unix.PR_GET_NAME, end - 4}, -int64(unix.EFAULT)}, // prctl
			{[]uint64{29, 0, unix.TCGETS, end - 4}, 0},                      // ioctl: any error
			{[]uint64{278, end - 5, 50, 0}, 5},                              // getrandom
			{[]uint64{123, 0, 128, end - 4}, -int64(unix.EINVAL)},           // sched_getaffinity
			{[]uint64{sysRead, uint64(zero), end, 10}, -int64(unix.EFAULT)},
		}
		var steps []func(*cpu.State)
		for i := range cases {
			steps = append(steps, func(s *cpu.State) {
				if i > 0 && int64(s.X[0]) != cases[i-1].want && cases[i-1].want != 0 {
					t.Errorf("call %d = %d, want %d", cases[i-1].call[0], int64(s.X[0]), cases[i-1].want)
				}
				call(s, cases[i].call[0], cases[i].call[1:]...)
			})
		}
		return append(steps, func(s *cpu.State) {
			if int64(s.X[0]) != -int64(unix.EFAULT) {
				t.Errorf("read behind the end = %d", int64(s.X[0]))
			}
			g.Mem.Unmap(page, cpu.PageSize)
			call(s, sysGetpid)
		})
	})
	for i, b := range own {
		if b != 1 {
			t.Fatalf("emu's byte %d behind the guest's memory was written", i)
		}
	}
}

// TestEmuMemoryDoesNotExist passes pointers to emu's own memory.
func TestEmuMemoryDoesNotExist(t *testing.T) {
	own := bytes.Repeat([]byte{1}, 4096)
	play(t, func(g *guest) []func(*cpu.State) {
		p := pin(own)
		steps := []func(*cpu.State){func(s *cpu.State) { call(s, 113, 1, p) }}
		for _, next := range [][]uint64{{sysWrite, 1, p, 10}, {160, p}, {80, 1, p}, {278, p, 100, 0}, {sysSigactionNr, 10, p, 0, 8}, {98, p, 0, 1, 0}, {sysGetpid}} {
			steps = append(steps, func(s *cpu.State) {
				if int64(s.X[0]) != -int64(unix.EFAULT) && s.X[8] != 98 {
					t.Errorf("call %d = %d, want EFAULT", s.X[8], int64(s.X[0]))
				}
				call(s, next[0], next[1:]...)
			})
		}
		return steps
	})
	if !bytes.Equal(own, bytes.Repeat([]byte{1}, 4096)) {
		t.Error("emu's memory was written")
	}
}

func TestStraceLooksLikeStrace(t *testing.T) {
	var out bytes.Buffer
	play(t, func(g *guest) []func(*cpu.State) {
		g.Strace = NewTracer(&out, -1, false)
		g.handle(10, saRestart)
		name := g.put(0, []byte("/nonexistent\x00"))
		text := g.put(100, []byte("hello\tworld\x01\n"))
		return []func(*cpu.State){
			func(s *cpu.State) { call(s, 56, ^uint64(99), name, 0o40000|unix.O_CLOEXEC) },
			func(s *cpu.State) { call(s, 57, 999) },
			func(s *cpu.State) { call(s, sysWrite, 999, text, 13) },
			func(s *cpu.State) { call(s, 222, 0, 4096, 3, 0x22, ^uint64(0), 0) },
			func(s *cpu.State) { call(s, sysSigprocmask, 0, 0, g.mem, 8) },
			func(s *cpu.State) { call(s, 113, 1, 8) },
			func(s *cpu.State) { call(s, 500) },
		}
	})
	for _, want := range []string{
		"openat(AT_FDCWD, \"/nonexistent\", O_RDONLY|O_DIRECTORY|O_CLOEXEC) = -1 ENOENT (No such file or directory)\n",
		"close(999)                              = -1 EBADF (Bad file descriptor)\n",
		`write(999, "hello\tworld\1\n", 13)`,
		"mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x",
		"rt_sigprocmask(SIG_BLOCK, NULL, [], 8)",
		"clock_gettime(CLOCK_MONOTONIC, 0x8)",
		"syscall_500()                           = -1 ENOSYS (Function not implemented)\n",
		"exit_group(0)                           = ?\n+++ exited with 0 +++\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestOpenFlagsConvertBothWays(t *testing.T) {
	for arm, host := range map[uint64]uint64{armO_DIRECTORY: unix.O_DIRECTORY, armO_NOFOLLOW: unix.O_NOFOLLOW, armO_DIRECT: unix.O_DIRECT, armO_LARGEFILE: 0o100000, unix.O_CREAT | unix.O_PATH: unix.O_CREAT | unix.O_PATH} {
		if got := armabi.OpenFlags(arm); got != host {
			t.Errorf("%#o to host: %#o, want %#o", arm, got, host)
		}
		if got := armabi.OpenFlags(host); got != arm {
			t.Errorf("%#o from host: %#o, want %#o", host, got, arm)
		}
	}
}

// TestSleepAfterRestart: a call that started again after an interruption waits for
// what is left of its timeout; the next one from the same place for all of its own.
func TestSleepAfterRestart(t *testing.T) {
	const timeout = 30 * time.Millisecond
	play(t, func(g *guest) []func(*cpu.State) {
		var ts [16]byte
		binary.LittleEndian.PutUint64(ts[8:], uint64(timeout))
		addr := g.put(0, ts[:])
		var start time.Time
		sleep := func(s *cpu.State) {
			start = time.Now()
			s.PC = scriptPC
			call(s, sysNanosleep, addr)
		}
		return []func(*cpu.State){
			func(s *cpu.State) {
				g.task.deadline.pc, g.task.deadline.when = scriptPC+svcSize, time.Now() // as interrupted leaves it
				sleep(s)
			},
			sleep,
			func(s *cpu.State) {
				if d := time.Since(start); d < timeout {
					t.Errorf("the next call took %v of %v", d, timeout)
				}
				call(s, sysGetpid)
			},
		}
	})
}
