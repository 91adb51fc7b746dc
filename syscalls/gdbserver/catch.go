package gdbserver

import (
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// catchCalls serves QCatchSyscalls: 0, or 1 and the numbers of the calls that the current process is to stop
// at, all without any. Children inherit that, and it outlives execve, as it does in gdb's own server.
func (s *server) catchCalls(p string) []byte {
	on, list, some := strings.Cut(p, ";")
	of := s.here()
	switch {
	case of == nil:
		return failed(unix.ESRCH)
	case on == "0" && !some:
		of.catches = nil
		return ok
	case on != "1":
		return failed(unix.EINVAL)
	}
	calls := map[int]bool{}
	if some {
		for _, f := range strings.Split(list, ";") {
			n, err := strconv.ParseUint(f, 16, 31)
			if err != nil {
				return failed(unix.EINVAL)
			}
			calls[int(n)] = true
		}
	}
	of.catches = calls
	return ok
}

// catchesCall reports whether the process is to stop at a system call.
func (p *process) catchesCall(number int) bool {
	return p.catches != nil && (len(p.catches) == 0 || p.catches[number])
}
