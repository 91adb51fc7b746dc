package gdbserver

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// query serves the packets that begin with q and Q.
func (s *server) query(p string) []byte {
	name, rest, _ := strings.Cut(p, ":")
	switch name {
	case "qSupported":
		return s.supported(rest)
	case "QStartNoAckMode":
		return ok
	case "qXfer":
		return s.transfer(rest)
	case "qfThreadInfo":
		ids := make([]string, len(s.threads))
		for i, th := range s.threads {
			ids[i] = fmt.Sprintf("%x", th.tid)
		}
		return []byte("m" + strings.Join(ids, ","))
	case "qsThreadInfo":
		return []byte("l")
	case "qC":
		return fmt.Appendf(nil, "QC%x", s.current)
	case "qAttached":
		return []byte("1") // so that gdb detaches when it ends; kill kills
	case "qSymbol":
		return ok // no symbols are needed
	case "QPassSignals":
		return setSignals(s.pass, rest)
	case "QProgramSignals":
		s.deliver = map[int]bool{}
		return setSignals(s.deliver, rest)
	}
	if id, found := strings.CutPrefix(p, "qThreadExtraInfo,"); found {
		tid, err := strconv.ParseUint(id, 16, 31)
		if err != nil || s.find(int(tid)) == nil {
			return failed(unix.ESRCH)
		}
		return fmt.Appendf(nil, "%x", s.threadName(int(tid)))
	}
	return nil
}

// supported exchanges what gdb and this server know.
func (s *server) supported(theirs string) []byte {
	mine := fmt.Sprintf("PacketSize=%x;QStartNoAckMode+;QPassSignals+;QProgramSignals+;vContSupported+;swbreak+", maxPacket)
	for _, f := range strings.Split(theirs, ";") {
		if f == "exec-events+" {
			s.execEvents = true
			mine += ";exec-events+"
		}
	}
	for _, o := range objects {
		mine += ";qXfer:" + o.name + ":read+"
	}
	return []byte(mine)
}

// setSignals notes the signals that gdb lists.
func setSignals(set map[int]bool, list string) []byte {
	clear(set)
	for _, f := range strings.Split(list, ";") {
		n, err := strconv.ParseUint(f, 16, 8)
		if f != "" && err != nil {
			return failed(unix.EINVAL)
		}
		if sig := fromGDB(int(n)); sig != 0 {
			set[sig] = true
		}
	}
	return ok
}

// objects are what qXfer reads; annex names one of several.
var objects = []struct {
	name string
	read func(s *server, annex string) ([]byte, error)
}{
	{"features", func(s *server, annex string) ([]byte, error) {
		if annex != "target.xml" {
			return nil, unix.ENOENT
		}
		return []byte(description(s.features)), nil
	}},
	{"auxv", func(s *server, _ string) ([]byte, error) { return s.d.Auxv(s.pid) }},
	{"exec-file", func(s *server, _ string) ([]byte, error) { return []byte(s.program()), nil }},
	{"siginfo", func(s *server, _ string) ([]byte, error) { return s.d.Siginfo(s.current) }},
	{"threads", func(s *server, _ string) ([]byte, error) { return s.threadList(), nil }},
}

// transfer serves qXfer:object:read:annex:offset,length.
func (s *server) transfer(p string) []byte {
	f := strings.SplitN(p, ":", 4)
	if len(f) != 4 || f[1] != "read" {
		return nil
	}
	offset, n, good := pair(f[3], ",")
	if !good {
		return failed(unix.EINVAL)
	}
	for _, o := range objects {
		if o.name != f[0] {
			continue
		}
		content, err := o.read(s, f[2])
		if err != nil {
			return failed(err)
		}
		content = content[min(offset, uint64(len(content))):]
		if n = min(n, maxPacket/2); uint64(len(content)) > n {
			return append([]byte("m"), escaped(content[:n])...)
		}
		return append([]byte("l"), escaped(content)...)
	}
	return nil
}

// threadList is the object threads.
func (s *server) threadList() []byte {
	quote := strings.NewReplacer("&", "&amp;", "<", "&lt;", `"`, "&quot;")
	var b bytes.Buffer
	b.WriteString(`<?xml version="1.0"?><threads>`)
	for _, th := range s.threads {
		fmt.Fprintf(&b, `<thread id="%x" name="%s"/>`, th.tid, quote.Replace(s.threadName(th.tid)))
	}
	b.WriteString(`</threads>`)
	return b.Bytes()
}

// program is the name by which the guest was executed, from its auxiliary vector.
func (s *server) program() string {
	const atExecFn = 31
	auxv, err := s.d.Auxv(s.pid)
	if err != nil {
		return ""
	}
	for ; len(auxv) >= 16; auxv = auxv[16:] {
		if le.Uint64(auxv) != atExecFn {
			continue
		}
		name := s.cString(le.Uint64(auxv[8:]))
		if filepath.IsAbs(name) {
			return name
		}
		dir, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", s.pid))
		if err != nil {
			return name
		}
		return filepath.Join(dir, name)
	}
	return ""
}

// cString reads a string of the guest's.
func (s *server) cString(addr uint64) string {
	b := make([]byte, unix.PathMax)
	n, _ := s.readMemory(addr, b)
	text, _, _ := bytes.Cut(b[:n], []byte{0})
	return string(text)
}
