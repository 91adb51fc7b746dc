package gdbserver

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"emu/syscalls"

	"golang.org/x/sys/unix"
)

// thread is a thread of a process. gdb's model is all-stop: either all run that it lets run, or none.
type thread struct {
	tid      int
	of       *process
	running  bool
	step     bool           // it was resumed for one instruction
	watching int            // process.watching of the watchpoints that it has
	asked    bool           // it has been asked to stop, and has not answered
	unheard  bool           // it may not have heard of that
	signal   int            // to deliver as it goes on
	pending  *syscalls.Stop // it stopped for this, and gdb has not been told
	told     *syscalls.Stop // it has not gone on since gdb was told of this
	lends    *process       // its child of vfork that gdb debugs: it could not stop before that is done
}

// action is what vCont wants of threads.
type action struct {
	who    threadID
	step   bool
	signal int
}

// resume lets threads go on as the first action that fits says, and waits for the
// next stop. A thread that is to go on and has already stopped for something keeps all of them where
// they are: that is told first. What others have stopped for, and that processes have ended which gdb does not let go
// on, is not told: gdb may be stepping a thread over a breakpoint.
func (s *server) resume(actions []action) (string, error) {
	chosen := func(th *thread) *action {
		for i := range actions {
			if actions[i].who.covers(th) {
				return &actions[i]
			}
		}
		return nil
	}
	for _, p := range s.processes {
		p.resumed = !p.hidden && slices.ContainsFunc(actions, func(a action) bool { return a.who.coversProcess(p) })
	}
	for th := range s.known() {
		if th.pending == nil || chosen(th) == nil {
			continue
		}
		if th.pending.Signal == int(unix.SIGTRAP) && th.pending.Event == 0 && th.pending.Code == trapBreakpoint {
			if _, ok := th.of.breaks[s.pc(th.tid)]; !ok {
				th.pending = nil // gdb has taken the breakpoint away since
				continue
			}
		}
		if watched(th.pending) {
			th.pending = nil // the access is still to be made, and stops it again if it is still watched
			continue
		}
		return s.tell(th), nil
	}
	var lenders []*thread
	for th := range s.known() {
		a := chosen(th)
		switch {
		case a == nil:
			continue
		case th.lends != nil && th.lends.borrows:
			lenders = append(lenders, th)
			continue
		}
		s.take(th, a)
	}
	if !s.anyRuns() {
		for _, th := range lenders {
			s.take(th, chosen(th))
		}
	}
	return s.wait()
}

// take lets a thread go on as an action says.
func (s *server) take(th *thread, a *action) {
	if a.signal != 0 {
		th.signal = a.signal
	}
	if s.breaking && !s.stopsSoon() {
		s.ask(th) // it stops again as it goes on
	}
	s.goOn(th, a.step)
}

// anyRuns reports whether any thread runs.
func (s *server) anyRuns() bool {
	for th := range s.threads() {
		if th.running {
			return true
		}
	}
	return false
}

// goOn resumes a thread with the signal that it is owed.
func (s *server) goOn(th *thread, step bool) {
	if th.running {
		return
	}
	s.arm(th)
	th.running, th.step = true, step
	how := syscalls.Run
	switch {
	case step:
		how = syscalls.Step
	case th.of.catches != nil:
		how = syscalls.ToCall
	}
	s.d.Resume(th.tid, how, th.signal) // a thread that has been killed reports its end
	th.signal, th.told = 0, nil
}

// wait waits until something happens that gdb is to know of, stops all threads and
// returns the reply.
func (s *server) wait() (string, error) {
	for {
		for _, p := range s.processes {
			if p.end != nil && p.resumed {
				if err := s.stopAll(); err != nil {
					return "", err
				}
				return s.tellEnd(p), nil
			}
		}
		stop, err := s.d.Poll()
		if err != nil {
			return "", fmt.Errorf("the program is gone: %w", err)
		}
		if stop == nil {
			if s.noResumed && !s.anyRuns() {
				return "N", nil // the threads that gdb let go on have ended, and no others can do anything
			}
			s.heedGDB()
			if err := s.sleep(); err != nil {
				return "", err
			}
			continue
		}
		th := s.note(stop)
		switch {
		case th == nil:
		case th.pending == nil:
			s.goOn(th, th.step)
		default:
			if err := s.stopAll(); err != nil {
				return "", err
			}
			if th.of.end == nil {
				return s.tell(th), nil
			}
		}
	}
}

// sleep waits for a thread's report or for gdb's wish to stop.
func (s *server) sleep() error {
	if !s.awaiting {
		s.awaiting = true
		s.await <- struct{}{}
	}
	var again <-chan time.Time
	for th := range s.threads() {
		if th.running && th.unheard {
			if th.unheard = !s.d.Interrupt(th.tid); th.unheard {
				again = time.After(time.Millisecond)
			}
		}
	}
	select {
	case <-again:
	case <-s.awake:
		s.awaiting = false
	case p, ok := <-s.packets:
		if !ok {
			s.packets = nil // what is left to do goes on without gdb
			return errGone
		}
		s.breaking = s.breaking || p == interrupt // nothing else is said while the program runs
	}
	return nil
}

// heedGDB asks a thread to stop if gdb wants that and none has been asked.
func (s *server) heedGDB() {
	if !s.breaking || s.stopsSoon() {
		return
	}
	for th := range s.threads() {
		if th.running {
			s.ask(th)
			return
		}
	}
}

// stopsSoon reports whether a thread that runs has been asked to stop.
func (s *server) stopsSoon() bool {
	for th := range s.threads() {
		if th.running && th.asked {
			return true
		}
	}
	return false
}

func (s *server) ask(th *thread) {
	if !th.asked {
		th.asked = true
		th.unheard = !s.d.Interrupt(th.tid)
	}
}

// stopAll stops the threads that run. What they report meanwhile is kept.
func (s *server) stopAll() error {
	for {
		running := false
		for _, unwanted := range s.children {
			running = running || unwanted != nil
		}
		for th := range s.threads() {
			if th.running {
				running = true
				s.ask(th)
			}
		}
		if !running {
			return nil
		}
		if err := s.hear(); err != nil {
			return err
		}
	}
}

// hear books a report, or waits until there may be one.
func (s *server) hear() error {
	stop, err := s.d.Poll()
	switch {
	case err != nil:
		return fmt.Errorf("the program is gone: %w", err)
	case stop != nil:
		s.note(stop)
		return nil
	}
	return s.sleep()
}

// note books a report. It returns the thread if it stopped, with pending set if gdb
// has to know.
func (s *server) note(stop *syscalls.Stop) *thread {
	if stop.Ended {
		s.ended(stop)
		return nil
	}
	th := s.find(stop.Tid)
	if th == nil {
		of := s.owner(stop.Tid)
		if of == nil {
			s.born(stop.Tid)
			return nil
		}
		th = &thread{tid: stop.Tid, of: of, asked: true}
		of.threads = append(of.threads, th)
	}
	th.running, th.unheard = false, false
	switch stop.Event {
	case 0:
		switch {
		case stop.Call != 0:
			if th.of.catchesCall(stop.Number) {
				th.pending = stop
			}
		case s.pass[stop.Signal]:
			th.signal = stop.Signal
		default:
			th.pending = stop
		}
	case syscalls.StopClone:
		switch {
		case !th.of.hasThread(stop.Message):
			s.forked(th, stop)
		case s.find(stop.Message) == nil:
			th.of.threads = append(th.of.threads, &thread{tid: stop.Message, of: th.of, running: true, asked: true})
		}
	case syscalls.StopFork, syscalls.StopVfork:
		s.forked(th, stop)
	case syscalls.StopVforkDone:
		if s.wants(stop.Event) {
			th.pending = stop
		}
	case syscalls.StopExec:
		s.executed(th)
		if s.wants(stop.Event) {
			th.pending = stop
		}
	case syscalls.StopTrap:
		switch {
		case stop.Signal != int(unix.SIGTRAP):
			th.pending = stop // job control
		case th.asked && s.breaking:
			s.breaking = false
			th.pending = &syscalls.Stop{Tid: th.tid, Signal: int(unix.SIGINT)}
		}
		th.asked = th.asked && stop.Signal != int(unix.SIGTRAP)
	}
	return th
}

// executed books execve: the thread is the process's only one, and what was in the memory is gone.
func (s *server) executed(th *thread) {
	p := th.of
	for _, other := range p.threads {
		if other != th {
			s.disown(other)
		}
	}
	p.threads = []*thread{th}
	clear(p.breaks)
	p.watches = nil
	p.borrows = false
	th.watching = p.watching // none, as the kernel has it
}

func (s *server) find(tid int) *thread {
	for th := range s.threads() {
		if th.tid == tid {
			return th
		}
	}
	return nil
}

// owner is the process whose thread tid is, nil if it is none's.
func (s *server) owner(tid int) *process {
	for _, p := range s.processes {
		if p.hasThread(tid) {
			return p
		}
	}
	return nil
}

// name is a thread's name.
func (th *thread) name() string {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/comm", th.of.pid, th.tid))
	return strings.TrimSpace(string(b))
}

// tell makes the reply for what a thread stopped for; the thread becomes gdb's
// current one.
func (s *server) tell(th *thread) string {
	stop := th.pending
	th.pending, th.told, s.current = nil, stop, th.tid
	if child := s.process(stop.Message); child != nil {
		child.hidden = false
	}
	return s.stopReply(th, stop)
}

// tellEnd makes the reply for a process's end.
func (s *server) tellEnd(p *process) string {
	reply := fmt.Sprintf("W%02x", p.end.ExitStatus())
	if p.end.Signaled() {
		reply = fmt.Sprintf("X%02x", toGDB(int(p.end.Signal())))
	}
	if s.multi {
		reply += fmt.Sprintf(";process:%x", p.pid)
	}
	s.forget(p)
	return reply
}
