package gdbserver

import (
	"fmt"
	"os"
	"slices"

	"emu/syscalls"

	"golang.org/x/sys/unix"
)

// thread is a thread of the program. gdb's model is all-stop: either all run or none.
type thread struct {
	tid      int
	running  bool
	step     bool           // it was resumed for one instruction
	watching int            // server.watching of the watchpoints that it has
	asked    bool           // it has been asked to stop, and has not answered
	signal   int            // to deliver as it goes on
	pending  *syscalls.Stop // it stopped for this, and gdb has not been told
	told     *syscalls.Stop // it has not gone on since gdb was told of this
}

// action is what vCont wants of a thread.
type action struct {
	tid    int // -1: all that no other action names
	step   bool
	signal int
}

// resume lets threads go on as the first action that fits says, and waits for the
// next stop. A thread that has already stopped for something keeps all of them where
// they are: that is told first.
func (s *server) resume(actions []action) (string, error) {
	for _, th := range s.threads {
		if th.pending == nil {
			continue
		}
		if th.pending.Signal == int(unix.SIGTRAP) && th.pending.Code == trapBreakpoint {
			if _, ok := s.breaks[s.pc(th.tid)]; !ok {
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
	for _, th := range s.threads {
		for _, a := range actions {
			if a.tid == -1 || a.tid == th.tid {
				if a.signal != 0 {
					th.signal = a.signal
				}
				if s.breaking && !s.stopsSoon() {
					s.ask(th) // it stops again as it goes on
				}
				s.goOn(th, a.step)
				break
			}
		}
	}
	return s.wait()
}

// goOn resumes a thread with the signal that it is owed.
func (s *server) goOn(th *thread, step bool) {
	if th.running {
		return
	}
	s.arm(th)
	th.running, th.step = true, step
	s.d.Resume(th.tid, th.step, th.signal) // a thread that has been killed reports its end
	th.signal, th.told = 0, nil
}

// wait waits until something happens that gdb is to know of, stops all threads and
// returns the reply.
func (s *server) wait() (string, error) {
	for s.end == nil {
		stop, err := s.d.Poll()
		if err != nil {
			return "", fmt.Errorf("the program is gone: %w", err)
		}
		if stop == nil {
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
			if s.end == nil {
				return s.tell(th), nil
			}
		}
	}
	return s.ended(), nil
}

// sleep waits for a thread's report or for gdb's wish to stop.
func (s *server) sleep() error {
	if !s.awaiting {
		s.awaiting = true
		s.await <- struct{}{}
	}
	select {
	case <-s.awake:
		s.awaiting = false
	case p, ok := <-s.packets:
		if !ok {
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
	for _, th := range s.threads {
		if th.running {
			s.ask(th)
			return
		}
	}
}

// stopsSoon reports whether a thread that runs has been asked to stop.
func (s *server) stopsSoon() bool {
	return slices.ContainsFunc(s.threads, func(th *thread) bool { return th.running && th.asked })
}

func (s *server) ask(th *thread) {
	if !th.asked {
		th.asked = true
		s.d.Interrupt(th.tid)
	}
}

// stopAll stops the threads that run. What they report meanwhile is kept.
func (s *server) stopAll() error {
	for s.end == nil {
		running := false
		for _, th := range s.threads {
			if th.running {
				running = true
				s.ask(th)
			}
		}
		if !running {
			return nil
		}
		stop, err := s.d.Poll()
		switch {
		case err != nil:
			return fmt.Errorf("the program is gone: %w", err)
		case stop != nil:
			s.note(stop)
		default:
			if err := s.sleep(); err != nil {
				return err
			}
		}
	}
	return nil
}

// note books a report. It returns the thread if it stopped, with pending set if gdb
// has to know.
func (s *server) note(stop *syscalls.Stop) *thread {
	th := s.find(stop.Tid)
	switch {
	case stop.Ended:
		s.forget(stop.Tid)
		if stop.Tid == s.pid {
			s.end = &stop.Status
		}
		return nil
	case th == nil && s.isThread(stop.Tid):
		th = &thread{tid: stop.Tid, asked: true}
		s.threads = append(s.threads, th)
	case th == nil:
		s.withoutBreakpoints(stop.Tid) // a child: it goes its own way
		s.d.Detach(stop.Tid, 0)
		return nil
	}
	th.running = false
	switch stop.Event {
	case 0:
		switch {
		case s.pass[stop.Signal]:
			th.signal = stop.Signal
		default:
			th.pending = stop
		}
	case syscalls.StopClone:
		if s.find(stop.Message) == nil && s.isThread(stop.Message) {
			s.threads = append(s.threads, &thread{tid: stop.Message, running: true, asked: true})
		}
	case syscalls.StopExec:
		s.threads = []*thread{th}
		clear(s.breaks)
		s.watches = nil
		th.watching = s.watching // none, as the kernel has it
		if s.execEvents {
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

func (s *server) find(tid int) *thread {
	for _, th := range s.threads {
		if th.tid == tid {
			return th
		}
	}
	return nil
}

func (s *server) forget(tid int) {
	for i, th := range s.threads {
		if th.tid == tid {
			s.threads = append(s.threads[:i], s.threads[i+1:]...)
			return
		}
	}
}

func (s *server) isThread(tid int) bool {
	_, err := os.Stat(fmt.Sprintf("/proc/%d/task/%d", s.pid, tid))
	return err == nil
}

// tell makes the reply for what a thread stopped for; the thread becomes gdb's
// current one.
func (s *server) tell(th *thread) string {
	stop := th.pending
	th.pending, th.told, s.current = nil, stop, th.tid
	return s.stopReply(th.tid, stop)
}

// ended is the reply for the program's end.
func (s *server) ended() string {
	if s.end.Signaled() {
		return fmt.Sprintf("X%02x", toGDB(int(s.end.Signal())))
	}
	return fmt.Sprintf("W%02x", s.end.ExitStatus())
}
