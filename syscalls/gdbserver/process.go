package gdbserver

import (
	"fmt"
	"iter"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"emu/syscalls"

	"golang.org/x/sys/unix"
)

// process is one that gdb debugs: an inferior of gdb's. The first is the guest's; children that
// are made come in addition if gdb wants to hear of them (fork-events, vfork-events).
type process struct {
	pid      int
	threads  []*thread
	breaks   map[uint64][4]byte
	watches  []watchpoint
	watching int // counts their changes

	catches map[int]bool // system calls that gdb wants to hear of; nil: none, empty: all

	hidden  bool             // it has been forked, and gdb has not been told
	resumed bool             // gdb has let it go on, and may be told of its end
	borrows bool             // it is a child of vfork that has not executed a program
	end     *unix.WaitStatus // it has ended, and gdb has not been told
}

// process finds a process by its number.
func (s *server) process(pid int) *process {
	for _, p := range s.processes {
		if p.pid == pid {
			return p
		}
	}
	return nil
}

// here is the process of the current thread, or any; nil if there is none.
func (s *server) here() *process {
	if th := s.find(s.current); th != nil {
		return th.of
	}
	if len(s.processes) > 0 {
		return s.processes[0]
	}
	return nil
}

// known are the threads that gdb has been told of, or may find by itself.
func (s *server) known() iter.Seq[*thread] {
	return func(yield func(*thread) bool) {
		for th := range s.threads() {
			if !th.of.hidden && !yield(th) {
				return
			}
		}
	}
}

// threads are those of all processes.
func (s *server) threads() iter.Seq[*thread] {
	return func(yield func(*thread) bool) {
		for _, p := range s.processes {
			for _, th := range p.threads {
				if !yield(th) {
					return
				}
			}
		}
	}
}

// someone is a thread whose memory is the process's: any.
func (p *process) someone() int {
	if len(p.threads) > 0 {
		return p.threads[0].tid
	}
	return p.pid
}

// hasThread reports whether a thread is one of the process's.
func (p *process) hasThread(tid int) bool {
	_, err := os.Stat(fmt.Sprintf("/proc/%d/task/%d", p.pid, tid))
	return err == nil
}

// forked books a child of fork, vfork or clone, which has its parent's breakpoints in its memory
// and none of the watchpoints. The child and its parent report themselves, in any order; nothing is
// told before both have, since gdb looks at both then.
func (s *server) forked(th *thread, stop *syscalls.Stop) {
	of, pid := th.of, stop.Message
	if pid == 0 {
		return // it is gone
	}
	child := &process{
		pid: pid, breaks: maps.Clone(of.breaks), watches: slices.Clone(of.watches), watching: of.watching, catches: of.catches,
		hidden: true, borrows: stop.Event == syscalls.StopVfork,
	}
	_, reported := s.children[pid]
	delete(s.children, pid)
	switch {
	case s.wants(stop.Event):
		child.threads = []*thread{{tid: pid, of: child, running: !reported, asked: true}}
		s.processes = append(s.processes, child)
		th.pending = stop
		if child.borrows {
			th.lends = child
		}
	case reported:
		s.release(child)
	default:
		s.children[pid] = child
	}
}

// wants reports whether gdb wants to hear of an event.
func (s *server) wants(event int) bool {
	switch event {
	case syscalls.StopVfork, syscalls.StopVforkDone:
		return s.multi && s.vforkEvents
	case syscalls.StopFork, syscalls.StopClone:
		return s.multi && s.forkEvents
	}
	return event == syscalls.StopExec && s.execEvents
}

// born books the first stop of a child that gdb has not been told of.
func (s *server) born(pid int) {
	child, unwanted := s.children[pid]
	if !unwanted {
		s.children[pid] = nil // until its parent reports it
		return
	}
	delete(s.children, pid)
	s.release(child)
}

// release lets a child go its own way that gdb does not want.
func (s *server) release(child *process) {
	for addr := range child.breaks {
		s.clearBreakpoint(child, addr)
	}
	s.d.Detach(child.pid, 0)
}

// disown releases the child of a thread that has gone before gdb was told of the fork.
func (s *server) disown(th *thread) {
	if th.pending == nil {
		return
	}
	child := s.process(th.pending.Message)
	if child == nil || !child.hidden {
		return
	}
	s.forget(child)
	for _, first := range child.threads {
		if first.running {
			s.children[child.pid] = child
			return
		}
		s.release(child)
	}
}

// ended books the end of a thread, and with the main thread's that of its process. A child that gdb has
// not been told of yet never was.
func (s *server) ended(stop *syscalls.Stop) {
	delete(s.children, stop.Tid)
	if p := s.process(stop.Tid); p != nil {
		for _, th := range p.threads {
			s.disown(th)
		}
		p.end, p.threads = &stop.Status, nil
		s.orphans(p)
	}
	for _, p := range s.processes {
		p.threads = slices.DeleteFunc(p.threads, func(th *thread) bool { return th.tid == stop.Tid })
	}
}

// orphans releases children whose parent has been killed before it could report them.
func (s *server) orphans(parent *process) {
	for pid, unwanted := range s.children {
		if unwanted == nil && s.process(parentOf(pid)) == nil {
			delete(s.children, pid)
			s.release(&process{pid: pid, breaks: maps.Clone(parent.breaks)})
		}
	}
}

// parentOf is the number of a process's parent.
func parentOf(pid int) int {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(text), "\nPPid:\t")
	number, _, _ := strings.Cut(rest, "\n")
	parent, _ := strconv.Atoi(number)
	return parent
}

// forget removes a process that has ended or that gdb has left.
func (s *server) forget(p *process) {
	s.processes = slices.DeleteFunc(s.processes, func(o *process) bool { return o == p })
	for th := range s.threads() {
		if th.lends == p {
			th.lends = nil
		}
	}
}

// leave lets a process, which is stopped, run on by itself.
func (s *server) leave(p *process) {
	for addr := range p.breaks {
		s.clearBreakpoint(p, addr)
	}
	if p.watches != nil {
		p.watches = nil
		p.watching++
	}
	for _, th := range p.threads {
		s.disown(th)
		s.arm(th)
		s.d.Detach(th.tid, s.lastSignal(th))
	}
	s.forget(p)
}

// kill ends a process, and waits for that.
func (s *server) kill(p *process) error {
	unix.Kill(p.pid, unix.SIGKILL)
	for p.end == nil {
		if err := s.hear(); err != nil {
			return err
		}
	}
	s.forget(p)
	return nil
}
