package profile

import (
	"fmt"
	"os"
	"strings"
)

// PerfMap is the file in which Linux perf looks up names of generated code:
// /tmp/perf-PID.map, a line for each range (tools/perf/Documentation/jit-interface.txt).
// Code that replaces other code at an address is known by the later line.
type PerfMap struct {
	dir   string
	pid   int
	lines []string // all of them, for the map of a child
}

// NewPerfMap returns the Listener that writes the map into dir, which perf wants to
// be /tmp.
func NewPerfMap(dir string) *PerfMap { return &PerfMap{dir: dir} }

// Installed is Listener's. What cannot be written is left out: perf then shows
// numbers.
func (m *PerfMap) Installed(u *Unit, name string) {
	if u.Addr == 0 {
		return
	}
	line := fmt.Sprintf("%x %x %s\n", u.Addr, u.Host, label(u, name))
	m.lines = append(m.lines, line)
	flags := os.O_APPEND
	if pid := os.Getpid(); pid != m.pid { // the first unit, or the first in the child of a fork
		m.pid = pid
		line, flags = strings.Join(m.lines, ""), os.O_CREATE|os.O_TRUNC
	}
	appendTo(fmt.Sprintf("%s/perf-%d.map", m.dir, m.pid), flags, []byte(line))
}

// appendTo opens, writes and closes a file: a descriptor that stayed open would be
// one that the guest sees.
func appendTo(path string, flags int, data []byte) error {
	f, err := os.OpenFile(path, flags|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// label is how perf shows a unit.
func label(u *Unit, name string) string { return fmt.Sprintf("%s [tier%s]", name, u.Tier) }
