// Package gdbserver lets gdb debug a guest: the server's side of the remote serial
// protocol (gdb manual, appendix E) over a syscalls.Debugger. It runs in a process of
// its own, which traces the guest's.
package gdbserver

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"emu/syscalls"

	"github.com/rs/zerolog"
	"golang.org/x/sys/unix"
)

var le = binary.LittleEndian

var (
	errGone  = errors.New("gdb is gone")
	errShort = errors.New("too short")
)

func orShort(err error) error {
	if err == nil {
		return errShort
	}
	return err
}

// Values of si_code of SIGTRAP, TRAP_.
const (
	trapBreakpoint   = 1
	trapHwBreakpoint = 4
)

// Config says what to serve.
type Config struct {
	PID     int           // the guest: a process of this emu that has not run yet
	Sysroot string        // where gdb finds the files that the guest names, or ""
	Conn    io.ReadWriter // gdb
	Go      func()        // called when the guest is traced and may begin
	Log     zerolog.Logger
}

// server serves one gdb.
type server struct {
	Config
	d     *syscalls.Debugger
	conn  *conn
	files map[int]*os.File // of vFile

	features  []feature
	registers []register
	hasTags   bool         // the guest has memory tags
	pass      map[int]bool // signals that are delivered without telling gdb
	deliver   map[int]bool // signals that the program gets when gdb leaves; nil: gdb did not say

	// What gdb knows (qSupported), or wants.
	multi       bool // several processes
	forkEvents  bool // to hear of fork
	vforkEvents bool // of vfork
	execEvents  bool // of execve
	noResumed   bool // to hear that nothing runs any more
	extended    bool // to stay when no process is left

	processes []*process
	children  map[int]*process // that gdb has not been told of: nil until their parents have reported them
	current   int              // the thread whose registers gdb means
	breaking  bool             // gdb wants the program to stop, and has not been told that it has for that
	reason    string           // the last stop's reply

	packets  chan string // from gdb; closed at its end
	await    chan struct{}
	awake    chan struct{}
	awaiting bool
}

// Serve attaches to the guest, which stops before its first instruction, and does
// what gdb asks for until the guest ends or gdb leaves. A guest whose gdb has left
// runs on.
//
// Preconditions: the calling goroutine is locked to its thread.
func Serve(c Config) error {
	s := &server{
		Config: c, d: syscalls.NewDebugger(c.Log, c.Sysroot), conn: newConn(c.Conn), current: c.PID,
		files: map[int]*os.File{}, pass: map[int]bool{}, children: map[int]*process{},
		packets: make(chan string), await: make(chan struct{}), awake: make(chan struct{}),
	}
	go func() {
		for range s.await {
			s.d.Await()
			s.awake <- struct{}{}
		}
	}()
	err := s.d.Attach(c.PID)
	if err != nil {
		return err
	}
	c.Go()
	guest := &process{pid: c.PID, breaks: map[uint64][4]byte{}, resumed: true}
	guest.threads = []*thread{{tid: c.PID, of: guest, running: true, asked: true}}
	s.processes = []*process{guest}
	s.breaking = true // the first stop is told
	if s.reason, err = s.wait(); err != nil {
		return err
	}
	s.describe()
	if first := s.find(c.PID); first != nil {
		s.reason = s.stopReply(first, &syscalls.Stop{Tid: c.PID, Signal: int(unix.SIGTRAP)})
	}
	go s.receive(s.packets) // not before: what gdb says while the program runs counts for nothing but interrupts
	for p := range s.packets {
		if p == interrupt {
			s.breaking = true // gdb had not yet read of the stop: it lets the program go on first, and that stops then
			continue
		}
		if err := s.serve(p); err != nil {
			if errors.Is(err, errGone) {
				break
			}
			return err
		}
		if len(s.processes) == 0 && !s.extended {
			return nil
		}
	}
	return s.detach()
}

// describe chooses the registers to show.
func (s *server) describe() {
	auxv, _ := s.d.Auxv(s.PID) // tells Registers which sets there are
	there := func(set syscalls.RegisterSet) bool {
		_, err := s.d.Registers(s.PID, set)
		return err == nil
	}
	s.hasTags = syscalls.HasTags(auxv)
	s.features = features(has{pauth: there(syscalls.PointerAuthMasks), tags: s.hasTags, vectors: there(syscalls.ScalableRegisters)})
	s.registers = registers(s.features)
}

// receive reads gdb's packets.
func (s *server) receive(packets chan<- string) {
	defer close(packets)
	for {
		p, err := s.conn.read()
		if err != nil {
			return
		}
		packets <- p
	}
}

// serve answers one packet; errGone after the last.
func (s *server) serve(p string) error {
	reply, err := s.command(p)
	if err != nil {
		return err
	}
	if err := s.conn.write(reply); err != nil {
		return errGone
	}
	if p == "QStartNoAckMode" {
		s.conn.noAck.Store(true)
	}
	return nil
}

// detach lets the program run on by itself.
func (s *server) detach() error {
	s.packets = nil // gdb has nothing more to say
	if err := s.stopAll(); err != nil {
		return err
	}
	for len(s.processes) > 0 {
		s.leave(s.processes[0])
	}
	return nil
}

// lastSignal is what a thread gets when gdb leaves: what stopped it, as gdb would let it go on with.
func (s *server) lastSignal(th *thread) int {
	stop := th.pending
	if stop == nil {
		stop = th.told
	}
	switch {
	case stop == nil || stop.Event != 0 || stop.Call != 0 || watched(stop):
		return th.signal
	case stop.Signal == int(unix.SIGTRAP) && stop.Code == trapBreakpoint:
		return th.signal
	case s.deliver != nil && s.deliver[stop.Signal]:
		return stop.Signal
	case s.deliver == nil && stop.Signal != int(unix.SIGTRAP) && stop.Signal != int(unix.SIGINT): // gdb's default
		return stop.Signal
	}
	return th.signal
}

// stopReply describes a stop, with the registers that gdb asks for first (gdb manual, E.3).
func (s *server) stopReply(th *thread, stop *syscalls.Stop) string {
	reply := fmt.Sprintf("T%02x", toGDB(stop.Signal))
	for n, r := range s.registers {
		if r.name == "x29" || r.name == "sp" || r.name == "pc" {
			if v, err := s.value(th.tid, r); err == nil {
				reply += fmt.Sprintf("%02x:%s;", n, v)
			}
		}
	}
	switch {
	case stop.Event == syscalls.StopExec:
		reply += fmt.Sprintf("exec:%x;", s.program(th.of))
	case stop.Event == syscalls.StopVfork:
		reply += fmt.Sprintf("vfork:p%x.%[1]x;", stop.Message)
	case stop.Event == syscalls.StopFork || stop.Event == syscalls.StopClone:
		reply += fmt.Sprintf("fork:p%x.%[1]x;", stop.Message)
	case stop.Event == syscalls.StopVforkDone:
		reply += "vforkdone:;"
	case stop.Event == 0 && stop.Signal == int(unix.SIGTRAP) && stop.Code == trapBreakpoint:
		reply += "swbreak:;"
	case stop.Call == syscalls.CallEntry:
		reply += fmt.Sprintf("syscall_entry:%x;", stop.Number)
	case stop.Call == syscalls.CallReturn:
		reply += fmt.Sprintf("syscall_return:%x;", stop.Number)
	case watched(stop):
		reply += th.of.watchReply(stop.Addr)
	}
	return reply + fmt.Sprintf("thread:%s;", s.id(th.of, th.tid))
}
