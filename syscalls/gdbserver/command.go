package gdbserver

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
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
	case 'D':
		return ok, nil
	case 'k':
		unix.Kill(s.pid, unix.SIGKILL)
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
	reply, err := s.resume(actions)
	s.reason = reply
	return []byte(reply), err
}

// legacyResume reads c, s, C and S: what gdb says if it does not know vCont.
func legacyResume(current int, p string) []action {
	a := action{tid: current, step: p[0] == 's' || p[0] == 'S'}
	if p[0] == 'C' || p[0] == 'S' {
		n, _ := strconv.ParseUint(p[1:min(3, len(p))], 16, 8)
		a.signal = fromGDB(int(n))
	}
	if a.step {
		return []action{a}
	}
	return []action{a, {tid: -1}}
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
		unix.Kill(s.pid, unix.SIGKILL)
		s.conn.write(ok)
		return nil, errGone
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
		a := action{tid: -1}
		if named && who != "-1" {
			tid, err := strconv.ParseUint(who, 16, 31)
			if err != nil {
				return nil, false
			}
			a.tid = int(tid)
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

// thread serves H, which names the thread of the packets after it, and T, which asks
// whether a thread is alive.
func (s *server) thread(what byte, p string) []byte {
	if what == 'H' {
		if p == "" {
			return failed(unix.EINVAL)
		}
		p = p[1:] // g or c
	}
	if p == "0" || p == "-1" {
		return ok // any, all: the current one serves
	}
	tid, err := strconv.ParseUint(p, 16, 31)
	if err != nil || s.find(int(tid)) == nil {
		return failed(unix.ESRCH)
	}
	if what == 'H' {
		s.current = int(tid)
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
	got, err := s.readMemory(addr, b)
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
	return s.writeMemory(addr, b)
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
	switch kind {
	case "0", "1":
		if set {
			return status(s.setBreakpoint(addr))
		}
		return status(s.clearBreakpoint(addr))
	case "2", "3", "4":
		if set {
			return status(s.watch(kind[0], addr, size))
		}
		s.unwatch(kind[0], addr, size)
		return ok
	}
	return nil
}

// someone is a thread whose memory is the program's: any.
func (s *server) someone() int {
	if len(s.threads) > 0 {
		return s.threads[0].tid
	}
	return s.pid
}

// threadName is a thread's name.
func (s *server) threadName(tid int) string {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/comm", s.pid, tid))
	return strings.TrimSpace(string(b))
}
