package gdbserver

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// threadID names threads as packets do (gdb manual, E.1, thread-id): TID, or pPID.TID with the
// extension multiprocess.
type threadID struct{ pid, tid int }

// Numbers that name no single process or thread.
const (
	idAll = -1
	idAny = 0
)

// id is how gdb is told of a thread.
func (s *server) id(of *process, tid int) string {
	if s.multi {
		return fmt.Sprintf("p%x.%x", of.pid, tid)
	}
	return fmt.Sprintf("%x", tid)
}

// parseID reads a thread-id.
func parseID(text string) (id threadID, good bool) {
	id = threadID{idAll, idAll}
	number := func(text string) (n int) {
		if text == "-1" {
			return idAll
		}
		v, err := strconv.ParseUint(text, 16, 31)
		good = good && err == nil
		return int(v)
	}
	good = true
	rest, named := strings.CutPrefix(text, "p")
	if !named {
		id.tid = number(text)
		return id, good
	}
	pid, tid, both := strings.Cut(rest, ".")
	id.pid = number(pid)
	if both {
		id.tid = number(tid)
	}
	return id, good
}

// covers reports whether a thread is among those that are named.
func (id threadID) covers(th *thread) bool {
	return (id.pid <= idAny || id.pid == th.of.pid) && (id.tid <= idAny || id.tid == th.tid)
}

// coversProcess reports whether any thread of a process may be among those that are named.
func (id threadID) coversProcess(p *process) bool {
	if id.pid > idAny {
		return id.pid == p.pid
	}
	return id.tid <= idAny || slices.ContainsFunc(p.threads, id.covers)
}

// named finds the first thread of a name.
func (s *server) named(id threadID) *thread {
	for th := range s.known() {
		if id.covers(th) {
			return th
		}
	}
	return nil
}
