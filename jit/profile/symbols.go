package profile

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"emu/cpu"
	"emu/loader"

	"golang.org/x/sys/unix"
)

// symbolizer names guest addresses by the files that are mapped there.
type symbolizer struct {
	mem     *cpu.Memory
	sysroot string

	mu    sync.Mutex
	files map[string]*loader.Symbols // by path; nil = no ELF file
	lines map[string]*loader.Lines   // likewise; nil = not known
}

func newSymbolizer(mem *cpu.Memory, sysroot string) *symbolizer {
	return &symbolizer{mem: mem, sysroot: sysroot, files: make(map[string]*loader.Symbols), lines: make(map[string]*loader.Lines)}
}

// place is what is known of an address.
type place struct {
	region   cpu.Region
	mapped   bool
	function string // "" = unknown
	delta    uint64 // from the function's begin
}

// find looks pc up.
func (s *symbolizer) find(pc uint64) (p place) {
	p.region, p.mapped = s.mem.Find(pc)
	if !p.mapped {
		return p
	}
	if table := s.table(&p.region); table != nil {
		p.function, p.delta, _ = table.Find(pc - p.region.Start + p.region.Offset)
	}
	return p
}

// table returns the symbols of the file that is mapped at r.
func (s *symbolizer) table(r *cpu.Region) *loader.Symbols {
	s.mu.Lock()
	defer s.mu.Unlock()
	return ofFile(s.files, r, s.read)
}

// ofFile is what read says of the file that is mapped at r, which is asked once; the zero value if it has no name.
func ofFile[T any](known map[string]T, r *cpu.Region, read func(r *cpu.Region) T) (t T) {
	if r.Ino == 0 || !strings.HasPrefix(r.Path, "/") {
		return t
	}
	t, ok := known[r.Path]
	if !ok {
		t = read(r)
		known[r.Path] = t
	}
	return t
}

// read reads the symbols of r's file.
func (s *symbolizer) read(r *cpu.Region) *loader.Symbols {
	f := s.open(r)
	if f == nil {
		return nil
	}
	defer f.Close()
	t, err := loader.ReadSymbols(f)
	if err != nil {
		return nil
	}
	return t
}

// open opens r's file, if it is still the one that was mapped.
func (s *symbolizer) open(r *cpu.Region) *os.File {
	for _, path := range []string{r.Path, filepath.Join(s.sysroot, r.Path)} {
		f, err := os.Open(path)
		if err != nil {
			continue
		}
		var st unix.Stat_t
		if unix.Fstat(int(f.Fd()), &st) == nil && st.Ino == r.Ino {
			return f
		}
		f.Close()
	}
	return nil
}

// frames are the functions and source lines at pc, the innermost first, as far as its file or the file with its debugging
// information has them.
func (s *symbolizer) frames(p *place, pc uint64) []loader.Frame {
	if !p.mapped {
		return nil
	}
	r := &p.region
	s.mu.Lock()
	defer s.mu.Unlock()
	l := ofFile(s.lines, r, s.readLines)
	if l == nil {
		return nil
	}
	return l.Find(pc - r.Start + r.Offset)
}

// hasLines reports whether frames has found any in the file that is mapped at r.
func (s *symbolizer) hasLines(r *cpu.Region) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lines[r.Path] != nil
}

// readLines reads the lines of r's file.
func (s *symbolizer) readLines(r *cpu.Region) *loader.Lines {
	f := s.open(r)
	if f == nil {
		return nil
	}
	defer f.Close()
	// Debugging information is looked for by the guest's names, in the root file system first.
	var opened []*os.File
	defer func() {
		for _, f := range opened {
			f.Close()
		}
	}()
	name := r.Path
	if inside, ok := strings.CutPrefix(name, s.sysroot+"/"); ok && s.sysroot != "" {
		name = "/" + inside
	}
	return loader.ReadLines(f, name, func(name string) (io.ReaderAt, bool) {
		for _, path := range []string{filepath.Join(s.sysroot, name), name} {
			if f, err := os.Open(path); err == nil {
				opened = append(opened, f)
				return f, true
			}
		}
		return nil, false
	})
}

// name is pc as function+offset, else as file+offset or as a number.
func (s *symbolizer) name(pc uint64) string {
	switch p := s.find(pc); {
	case p.function != "" && p.delta == 0:
		return p.function
	case p.function != "":
		return fmt.Sprintf("%s+%#x", p.function, p.delta)
	case p.mapped && p.region.Path != "":
		return fmt.Sprintf("%s+%#x", filepath.Base(p.region.Path), pc-p.region.Start+p.region.Offset)
	}
	return fmt.Sprintf("%#x", pc)
}

// sameFunction reports whether two addresses are known to be of one function.
func (s *symbolizer) sameFunction(a, b uint64) bool {
	pa, pb := s.find(a), s.find(b)
	return pa.function != "" && pa.function == pb.function && a-pa.delta == b-pb.delta
}

// executable reports whether there is guest code at pc.
func (s *symbolizer) executable(pc uint64) bool {
	r, ok := s.mem.Find(pc)
	return ok && r.Prot&unix.PROT_EXEC != 0
}

// function is the name of the function at pc, else that of its file in brackets.
func (s *symbolizer) function(pc uint64) string {
	at := s.find(pc)
	return at.label()
}

// label is the function's name; all that is unknown of a file counts as one.
func (p *place) label() string {
	switch {
	case p.function != "":
		return p.function
	case p.region.Path != "":
		return "[" + strings.Trim(filepath.Base(p.region.Path), "[]") + "]"
	}
	return "[anonymous]"
}
