// Package irtest reads the fixtures in ir/testdata/run, which every engine has to
// pass: a unit in text form and what it computes.
package irtest

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/tools/txtar"

	"emu/cpu"
	"emu/ir"
)

// Case is one fixture.
type Case struct {
	Name string
	Text string // the unit, for ir.Parse
	Runs []Run
}

// Run is one line of a fixture's run section:
//
//	x1=3 v2=0x10 nzcv=6 mem=1,-2,3 => ret=4 x1=0 nzcv=0 mem=7 exit=fault pc=0x1004
//
// Left of the arrow stands the state before, all of it zero unless given; X0 is
// always the address of the memory, 64-bit words that continue with zeros. Right
// of it stands what has to hold afterwards. ret is the first value of a RETURN.
type Run struct {
	Line   int
	Before []Setting
	After  []Setting
}

// Setting gives one register or the memory (Words).
type Setting struct {
	Name  string
	Words []uint64
}

// MemWords is the size of the memory of a run, in 64-bit words.
const MemWords = 128

// Load reads the fixtures in dir, sorted by name.
func Load(dir string) ([]Case, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil {
		return nil, err
	}
	var cases []Case
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			return nil, err
		}
		c := Case{Name: strings.TrimSuffix(filepath.Base(file), ".txtar")}
		for _, f := range a.Files {
			switch f.Name {
			case "ir":
				c.Text = string(f.Data)
			case "run":
				if c.Runs, err = parseRuns(string(f.Data)); err != nil {
					return nil, fmt.Errorf("%s: %w", file, err)
				}
			}
		}
		if c.Text == "" || len(c.Runs) == 0 {
			return nil, fmt.Errorf("%s: no ir or no run section", file)
		}
		cases = append(cases, c)
	}
	return cases, nil
}

func parseRuns(text string) (runs []Run, err error) {
	for n, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, ";")
		if strings.TrimSpace(line) == "" {
			continue
		}
		before, after, ok := strings.Cut(line, "=>")
		if !ok {
			return nil, fmt.Errorf("run %d: no =>", n+1)
		}
		r := Run{Line: n + 1}
		if r.Before, err = parseSettings(before); err != nil {
			return nil, fmt.Errorf("run %d: %w", n+1, err)
		}
		if r.After, err = parseSettings(after); err != nil {
			return nil, fmt.Errorf("run %d: %w", n+1, err)
		}
		runs = append(runs, r)
	}
	return runs, nil
}

func parseSettings(text string) (settings []Setting, err error) {
	for _, field := range strings.Fields(text) {
		name, list, ok := strings.Cut(field, "=")
		if !ok {
			return nil, fmt.Errorf("%q is not name=value", field)
		}
		s := Setting{Name: name}
		for _, word := range strings.Split(list, ",") {
			n, err := parseWord(name, word)
			if err != nil {
				return nil, err
			}
			s.Words = append(s.Words, n)
		}
		settings = append(settings, s)
	}
	return settings, nil
}

func parseWord(name, word string) (uint64, error) {
	if name == "exit" {
		for k := range cpu.NumExitKinds {
			if k.String() == word {
				return uint64(k), nil
			}
		}
		return 0, fmt.Errorf("unknown exit %q", word)
	}
	if strings.HasPrefix(word, "-") {
		n, err := strconv.ParseInt(word, 0, 64)
		return uint64(n), err
	}
	return strconv.ParseUint(word, 0, 64)
}

// Engine runs a unit on a state until it leaves.
type Engine func(f *ir.Func, s *cpu.State) cpu.Exit

// Check runs r on an engine. s is cleared first; mem is the memory that X0 points
// to, at the address base. It returns what differs from the expectation.
func (r *Run) Check(f *ir.Func, run Engine, s *cpu.State, mem *[MemWords]uint64, base uint64) error {
	s.X, s.V, s.FPCR, s.ExclSize = [32]uint64{}, [32][2]uint64{}, 0, 0
	s.SetFPStatus(0)
	s.SetPSTATE(0)
	*mem = [MemWords]uint64{}
	s.X[0] = base
	for _, set := range r.Before {
		if err := apply(set, s, mem); err != nil {
			return err
		}
	}
	exit := run(f, s)
	for _, want := range r.After {
		have, err := read(want, exit, s, mem)
		if err != nil {
			return err
		}
		for k := range want.Words {
			if have[k] != want.Words[k] {
				return fmt.Errorf("run %d: %s is %#x, want %#x", r.Line, want.Name, have[:len(want.Words)], want.Words)
			}
		}
	}
	return nil
}

func apply(set Setting, s *cpu.State, mem *[MemWords]uint64) error {
	switch n, kind := register(set.Name); kind {
	case 'x':
		s.X[n] = set.Words[0]
	case 'v':
		copy(s.V[n][:], set.Words)
	case 'm':
		copy(mem[:], set.Words)
	case 'f':
		s.SetPSTATE(uint32(set.Words[0]) << 28)
	default:
		return fmt.Errorf("cannot set %s", set.Name)
	}
	return nil
}

func read(want Setting, exit cpu.Exit, s *cpu.State, mem *[MemWords]uint64) ([]uint64, error) {
	switch n, kind := register(want.Name); kind {
	case 'x':
		return []uint64{s.X[n]}, nil
	case 'v':
		return s.V[n][:], nil
	case 'm':
		return mem[:], nil
	case 'f':
		return []uint64{uint64(s.PSTATE() >> 28)}, nil
	}
	switch want.Name {
	case "ret":
		return exit.Arg[:], nil
	case "arg":
		return exit.Arg[:], nil
	case "exit":
		return []uint64{uint64(exit.Kind)}, nil
	case "pc":
		return []uint64{exit.PC}, nil
	case "fpsr":
		return []uint64{uint64(s.FPStatus())}, nil
	}
	return nil, fmt.Errorf("cannot check %s", want.Name)
}

// register splits x3, v31, sp, mem and nzcv.
func register(name string) (n int, kind byte) {
	switch name {
	case "sp":
		return cpu.SP, 'x'
	case "mem":
		return 0, 'm'
	case "nzcv":
		return 0, 'f'
	}
	if len(name) > 1 && (name[0] == 'x' || name[0] == 'v') {
		if n, err := strconv.Atoi(name[1:]); err == nil && n < 32 {
			return n, name[0]
		}
	}
	return 0, 0
}
