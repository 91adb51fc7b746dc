package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"emu/cpu"
	"emu/jit/profile"
)

// profiling is what -profile, -hot-report and -perf ask for.
type profiling struct {
	*profile.Profiler
	path   string // absolute, "" = no pprof profile
	report bool
	to     io.Writer
	pid    int
}

// perfListeners are the values of -perf.
var perfListeners = map[string]func() profile.Listener{
	"map":     func() profile.Listener { return profile.NewPerfMap("/tmp") },
	"jitdump": func() profile.Listener { return profile.NewJITDump("/tmp") },
}

func perfKind(c *config, v string) error {
	if perfListeners[v] == nil {
		return fmt.Errorf("%q: want map or jitdump", v)
	}
	c.perf = v
	return nil
}

// profiling returns nil if the user asks for nothing of the kind. Messages and the
// report go to w.
func (c *config) profiling(mem *cpu.Memory, w io.Writer) (*profiling, error) {
	if c.profile == "" && !c.hotReport && c.perf == "" {
		return nil, nil
	}
	p := &profiling{Profiler: profile.New(mem, c.sysroot), report: c.hotReport, to: w, pid: os.Getpid()}
	if c.perf != "" {
		p.Listen(perfListeners[c.perf]())
	}
	if c.profile == "" {
		return p, nil
	}
	var err error
	if p.path, err = filepath.Abs(c.profile); err != nil { // the guest may change the directory
		return nil, err
	}
	f, err := os.Create(p.path) // what is wrong with it had better be known now
	if err != nil {
		return nil, err
	}
	return p, f.Close()
}

// write writes what was collected. A child of the program that was started, which
// is emulated as well, has a file of its own, FILE.PID, if it is worthwhile: one of a
// shell mostly executes a program or exits.
func (p *profiling) write() {
	if p == nil {
		return
	}
	if err := p.writeFile(); err != nil {
		fmt.Fprintln(p.to, "emu: -profile:", err)
	}
	if p.report {
		p.WriteReport(p.to)
	}
}

func (p *profiling) writeFile() error {
	if p.path == "" {
		return nil
	}
	path := p.path
	if pid := os.Getpid(); pid != p.pid {
		if !p.Worthwhile() {
			return nil
		}
		path = fmt.Sprintf("%s.%d", path, pid)
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := p.WritePprof(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
