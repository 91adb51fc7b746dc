package gdbserver

import (
	"bytes"
	"slices"

	"golang.org/x/sys/unix"
)

// watchpoint is memory whose changes stop the program. As there are no debug registers,
// threads are stepped while there is one, and the memory compared after each step.
type watchpoint struct {
	addr uint64
	old  []byte
}

// maxWatch is the size of the largest watchpoint.
const maxWatch = 4096

// watch sets a watchpoint.
func (s *server) watch(addr, size uint64) error {
	if size == 0 || size > maxWatch {
		return unix.EINVAL
	}
	w := &watchpoint{addr: addr, old: make([]byte, size)}
	if n, err := s.readMemory(addr, w.old); n != len(w.old) {
		return orShort(err)
	}
	s.watches = append(s.watches, w)
	return nil
}

// unwatch removes a watchpoint.
func (s *server) unwatch(addr, size uint64) {
	s.watches = slices.DeleteFunc(s.watches, func(w *watchpoint) bool { return w.addr == addr && uint64(len(w.old)) == size })
}

// changed reports whether a watchpoint's memory is no longer what it was, and notes
// which.
func (s *server) changed() bool {
	for _, w := range s.watches {
		now := make([]byte, len(w.old))
		if n, _ := s.readMemory(w.addr, now); n == len(now) && !bytes.Equal(now, w.old) {
			w.old, s.hit = now, w
		}
	}
	return s.hit != nil
}
