package cpu

import (
	"iter"

	"golang.org/x/sys/unix"
)

type span struct{ start, end uint64 }

// reserve makes sure that every part of [start, end) that the guest does not
// own is free on the host, by mapping it inaccessible. It returns what it took.
func (m *Memory) reserve(start, end uint64) ([]span, unix.Errno) {
	var taken []span
	take := func(a, b uint64) unix.Errno {
		got, errno := hostMmap(a, b-a, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE|unix.MAP_FIXED_NOREPLACE, -1, 0)
		if errno == unix.EEXIST {
			errno = unix.ENOMEM // emu itself lives there
		}
		if errno == 0 {
			taken = append(taken, span{got, got + (b - a)})
		}
		return errno
	}
	at := start
	for r := range m.regions.within(start, end) {
		if r.Start > at {
			if errno := take(at, r.Start); errno != 0 {
				release(taken)
				return nil, errno
			}
		}
		at = r.End
	}
	if at < end {
		if errno := take(at, end); errno != 0 {
			release(taken)
			return nil, errno
		}
	}
	return taken, 0
}

func release(spans []span) {
	for _, s := range spans {
		hostMunmap(s.start, s.end-s.start)
	}
}

// owned calls yield for the parts of [start, end) that the guest owns, each as long as
// it can be.
func (m *Memory) owned(start, end uint64) iter.Seq[span] {
	return func(yield func(span) bool) {
		var s span
		for r := range m.regions.within(start, end) {
			switch {
			case s.end == r.Start && s.end != 0:
				s.end = min(end, r.End)
			case s.end != 0 && !yield(s):
				return
			default:
				s = span{max(start, r.Start), min(end, r.End)}
			}
		}
		if s.end != 0 {
			yield(s)
		}
	}
}
