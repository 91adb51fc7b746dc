package gdbserver

import (
	"bytes"
	"fmt"
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
		var ids []string
		for th := range s.known() {
			ids = append(ids, s.id(th.of, th.tid))
		}
		if ids == nil {
			return []byte("l")
		}
		return []byte("m" + strings.Join(ids, ","))
	case "qsThreadInfo":
		return []byte("l")
	case "qC":
		th := s.find(s.current)
		if th == nil {
			return failed(unix.ESRCH)
		}
		return []byte("QC" + s.id(th.of, th.tid))
	case "qAttached":
		return []byte("1") // so that gdb detaches when it ends; kill kills
	case "qSymbol":
		return ok // no symbols are needed
	case "QCatchSyscalls":
		return s.catchCalls(rest)
	case "qMemTags":
		return s.readTags(rest)
	case "QMemTags":
		return status(s.writeTags(rest))
	case "QPassSignals":
		return setSignals(s.pass, rest)
	case "QProgramSignals":
		s.deliver = map[int]bool{}
		return setSignals(s.deliver, rest)
	}
	if id, found := strings.CutPrefix(p, "qThreadExtraInfo,"); found {
		who, good := parseID(id)
		th := s.named(who)
		if !good || th == nil {
			return failed(unix.ESRCH)
		}
		return fmt.Appendf(nil, "%x", th.name())
	}
	return nil
}

// supported exchanges what gdb and this server know.
func (s *server) supported(theirs string) []byte {
	mine := fmt.Sprintf("PacketSize=%x;QStartNoAckMode+;QPassSignals+;QProgramSignals+;QCatchSyscalls+;vContSupported+;swbreak+", maxPacket)
	extensions := s.extensions()
	for _, f := range strings.Split(theirs, ";") {
		name, yes := strings.CutSuffix(f, "+")
		if want := extensions[name]; want != nil && yes {
			*want = true
			mine += ";" + f
		}
	}
	for _, o := range objects {
		mine += ";qXfer:" + o.name + ":read+"
	}
	return []byte(mine)
}

// extensions are what gdb is only told of if it says that it knows it.
func (s *server) extensions() map[string]*bool {
	list := map[string]*bool{
		"multiprocess": &s.multi, "fork-events": &s.forkEvents, "vfork-events": &s.vforkEvents, "exec-events": &s.execEvents,
		"no-resumed": &s.noResumed,
	}
	if s.hasTags {
		list["memory-tagging"] = new(bool) // what gdb then asks is answered
	}
	return list
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
	{"auxv", func(s *server, _ string) ([]byte, error) {
		p := s.here()
		if p == nil {
			return nil, unix.ESRCH
		}
		return s.d.Auxv(p.pid)
	}},
	{"exec-file", func(s *server, pid string) ([]byte, error) {
		p := s.here()
		if n, err := strconv.ParseUint(pid, 16, 31); err == nil {
			p = s.process(int(n))
		}
		if p == nil {
			return nil, unix.ESRCH
		}
		return []byte(s.program(p)), nil
	}},
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
	for th := range s.known() {
		fmt.Fprintf(&b, `<thread id="%s" name="%s"/>`, s.id(th.of, th.tid), quote.Replace(th.name()))
	}
	b.WriteString(`</threads>`)
	return b.Bytes()
}

// program is the name of the file that a process executes.
func (s *server) program(p *process) string {
	name, _ := s.d.ProcLink(fmt.Sprintf("/proc/%d/exe", p.pid))
	return name
}
