package gdbserver

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// command is one packet's reply, empty for what is not supported. Errors end the
// session.
func (s *server) command(p string) ([]byte, error) {
	if p == "" {
		return nil, nil
	}
	rest := p[1:]
	if s.here() == nil && strings.IndexByte("gGpPmMXZz", p[0]) >= 0 {
		return failed(unix.ESRCH), nil
	}
	switch p[0] {
	case '?':
		return []byte(s.reason), nil
	case 'g':
		return s.readAll(), nil
	case 'G':
		return status(s.writeAll(rest)), nil
	case 'p':
		return s.readRegister(rest), nil
	case 'P':
		return status(s.writeRegister(rest)), nil
	case 'm':
		return s.read(rest), nil
	case 'M', 'X':
		return status(s.write(p[0], rest)), nil
	case 'Z', 'z':
		return s.breakpoint(p[0] == 'Z', rest), nil
	case 'H', 'T':
		return s.thread(p[0], rest), nil
	case 'c', 's', 'C', 'S':
		return s.run(legacyResume(s.current, p))
	case '!':
		s.extended = true
		return ok, nil
	case 'D':
		return s.detachOne(rest), nil
	case 'k':
		for _, p := range s.processes {
			unix.Kill(p.pid, unix.SIGKILL)
		}
		return nil, errGone
	case 'q', 'Q':
		return s.query(p), nil
	case 'v':
		return s.verb(p)
	}
	return nil, nil
}

var ok = []byte("OK")

// failed is an error reply with an errno of Linux, which gdb prints.
func failed(err error) []byte {
	var e syscall.Errno
	if !errors.As(err, &e) {
		e = unix.EFAULT
	}
	return fmt.Appendf(nil, "E%02x", int(e))
}

func status(err error) []byte {
	if err != nil {
		return failed(err)
	}
	return ok
}

// run resumes the program and makes the reply for its next stop.
func (s *server) run(actions []action) ([]byte, error) {
	if s.here() == nil {
		return failed(unix.ESRCH), nil
	}
	reply, err := s.resume(actions)
	s.reason = reply
	return []byte(reply), err
}

// legacyResume reads c, s, C and S: what gdb says if it does not know vCont.
func legacyResume(current int, p string) []action {
	a := action{who: threadID{idAll, current}, step: p[0] == 's' || p[0] == 'S'}
	if p[0] == 'C' || p[0] == 'S' {
		n, _ := strconv.ParseUint(p[1:min(3, len(p))], 16, 8)
		a.signal = fromGDB(int(n))
	}
	if a.step {
		return []action{a}
	}
	return []action{a, {who: threadID{idAll, idAll}}}
}

// verb serves the packets that begin with v.
func (s *server) verb(p string) ([]byte, error) {
	name, rest, _ := strings.Cut(p, ";")
	switch {
	case p == "vCont?":
		return []byte("vCont;c;C;s;S"), nil
	case name == "vCont":
		actions, good := parseActions(rest)
		if !good {
			return failed(unix.EINVAL), nil
		}
		return s.run(actions)
	case name == "vKill":
		victim := s.processNamed(rest)
		if victim == nil {
			return failed(unix.ESRCH), nil
		}
		return ok, s.kill(victim)
	case strings.HasPrefix(p, "vFile:"):
		return s.file(p[len("vFile:"):]), nil
	}
	return nil, nil
}

// parseActions reads vCont's list: c, Csig, s, Ssig, each with :thread or for all.
func parseActions(list string) ([]action, bool) {
	var out []action
	for _, f := range strings.Split(list, ";") {
		what, who, named := strings.Cut(f, ":")
		a := action{who: threadID{idAll, idAll}}
		if named {
			var good bool
			if a.who, good = parseID(who); !good {
				return nil, false
			}
		}
		if what == "" {
			return nil, false
		}
		switch what[0] {
		case 's':
			a.step = true
		case 'c':
		case 'C', 'S':
			n, err := strconv.ParseUint(what[1:], 16, 8)
			if err != nil {
				return nil, false
			}
			a.step, a.signal = what[0] == 'S', fromGDB(int(n))
		default:
			return nil, false
		}
		out = append(out, a)
	}
	return out, true
}

// processNamed is the process that D and vKill name: a number, which means nothing without the
// extension multiprocess, as gdb does not know it then.
func (s *server) processNamed(number string) *process {
	if !s.multi {
		return s.here()
	}
	pid, err := strconv.ParseUint(number, 16, 31)
	if err != nil {
		return nil
	}
	return s.process(int(pid))
}

// detachOne serves D, for all, and D;pid.
func (s *server) detachOne(rest string) []byte {
	number, one := strings.CutPrefix(rest, ";")
	if !one {
		for len(s.processes) > 0 {
			s.leave(s.processes[0])
		}
		return ok
	}
	p := s.processNamed(number)
	if p == nil {
		return failed(unix.ESRCH)
	}
	s.leave(p)
	return ok
}

// thread serves H, which names the thread of the packets after it, and T, which asks
// whether a thread is alive.
func (s *server) thread(what byte, p string) []byte {
	if what == 'H' {
		if p == "" {
			return failed(unix.EINVAL)
		}
		p = p[1:] // g or c
	}
	id, good := parseID(p)
	if good && id.pid <= idAny && id.tid <= idAny {
		return ok // any, all: the current one serves
	}
	th := s.named(id)
	if !good || th == nil {
		return failed(unix.ESRCH)
	}
	if what == 'H' && (id.tid > idAny || th.of != s.here()) {
		s.current = th.tid
	}
	return ok
}

func (s *server) readAll() []byte {
	var out bytes.Buffer
	for _, r := range s.registers {
		v, err := s.value(s.current, r)
		if err != nil {
			v = strings.Repeat("x", r.bits/4)
		}
		out.WriteString(v)
	}
	return out.Bytes()
}

func (s *server) writeAll(p string) error {
	b, err := hex.DecodeString(p)
	if err != nil {
		return unix.EINVAL
	}
	for _, r := range s.registers {
		n := r.bits / 8
		if len(b) < n {
			break
		}
		if err := s.setValue(s.current, r, b[:n]); err != nil && !errors.Is(err, unix.EINVAL) {
			return err // EINVAL: a set that cannot be written
		}
		b = b[n:]
	}
	return nil
}

func (s *server) readRegister(p string) []byte {
	n, err := strconv.ParseUint(p, 16, 16)
	if err != nil || int(n) >= len(s.registers) {
		return failed(unix.EINVAL)
	}
	v, err := s.value(s.current, s.registers[n])
	if err != nil {
		return failed(err)
	}
	return []byte(v)
}

func (s *server) writeRegister(p string) error {
	number, value, _ := strings.Cut(p, "=")
	n, err := strconv.ParseUint(number, 16, 16)
	if err != nil || int(n) >= len(s.registers) {
		return unix.EINVAL
	}
	b, err := hex.DecodeString(value)
	if err != nil {
		return unix.EINVAL
	}
	return s.setValue(s.current, s.registers[n], b)
}

// pair reads two numbers in hex.
func pair(p, sep string) (a, b uint64, good bool) {
	first, second, found := strings.Cut(p, sep)
	a, err := strconv.ParseUint(first, 16, 64)
	b, err2 := strconv.ParseUint(second, 16, 64)
	return a, b, found && err == nil && err2 == nil
}

func (s *server) read(p string) []byte {
	addr, n, good := pair(p, ",")
	if !good {
		return failed(unix.EINVAL)
	}
	b := make([]byte, min(n, maxPacket/2))
	got, err := s.readMemory(s.here(), addr, b)
	if got == 0 && n != 0 {
		return failed(orShort(err))
	}
	return hex.AppendEncode(nil, b[:got])
}

// write serves M, with the data in hex, and X, with binary data.
func (s *server) write(how byte, p string) error {
	where, data, found := strings.Cut(p, ":")
	addr, n, good := pair(where, ",")
	b := []byte(data)
	if how == 'M' {
		var err error
		if b, err = hex.DecodeString(data); err != nil {
			return unix.EINVAL
		}
	}
	if !found || !good || uint64(len(b)) != n {
		return unix.EINVAL
	}
	if n == 0 {
		return nil // gdb asks whether X is understood
	}
	return s.writeMemory(s.here(), addr, b)
}

// breakpoint serves Z and z: breakpoints in software, also where gdb asks for
// hardware's, since the program is interpreted while it has those, and watchpoints.
func (s *server) breakpoint(set bool, p string) []byte {
	kind, place, _ := strings.Cut(p, ",")
	place, _, _ = strings.Cut(place, ";") // conditions are gdb's to look at
	addr, size, good := pair(place, ",")
	if !good {
		return failed(unix.EINVAL)
	}
	switch in := s.here(); kind {
	case "0", "1":
		if set {
			return status(s.setBreakpoint(in, addr))
		}
		return status(s.clearBreakpoint(in, addr))
	case "2", "3", "4":
		if set {
			return status(in.watch(kind[0], addr, size))
		}
		in.unwatch(kind[0], addr, size)
		return ok
	}
	return nil
}
