package jit

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"

	"emu/cpu"
	"emu/decoder"
)

// Trace writes every instruction that the guest executes, with the registers that it
// changed. The engine then interprets one instruction at a time.
type Trace struct {
	PC *Addresses
	W  io.Writer
	mu sync.Mutex
}

// tracer is the Runner of a traced thread.
type tracer struct {
	*interpreter
	trace *Trace
}

// Run executes guest code until something needs the kernel's attention.
func (r *tracer) Run(s *cpu.State) cpu.Exit {
	for {
		if atomic.LoadUint32(&s.Pending) != 0 {
			return cpu.Exit{Kind: cpu.ExitPoll, PC: s.PC}
		}
		if exit := r.Step(s); exit.Kind != cpu.ExitBranch {
			return exit
		}
	}
}

// Step executes and writes the instruction at s.PC.
func (r *tracer) Step(s *cpu.State) cpu.Exit {
	pc := s.PC
	before := registersOf(s)
	exit := r.interpreter.Step(s)
	if r.trace.PC.has(pc) {
		r.write(pc, &before, s)
	}
	return exit
}

// registers are what a trace shows changes of.
type registers struct {
	x          [32]uint64
	v          [32][2]uint64
	p          [cpu.NumP + 1]uint64
	nzcv       uint32
	fpcr, fpsr uint32
}

func registersOf(s *cpu.State) registers {
	return registers{s.X, s.V, s.P, s.PSTATE(), s.FPCR, s.FPStatus()}
}

func (r *tracer) write(pc uint64, before *registers, s *cpu.State) {
	after := registersOf(s)
	var b strings.Builder
	fmt.Fprintf(&b, "%d %#12x  %s", s.Tid, pc, r.instruction(pc))
	for n := range after.x {
		if after.x[n] != before.x[n] {
			name := fmt.Sprintf("x%d", n)
			if n == cpu.SP {
				name = "sp"
			}
			fmt.Fprintf(&b, "  %s=%#x", name, after.x[n])
		}
	}
	if after.nzcv != before.nzcv {
		fmt.Fprintf(&b, "  nzcv=%04b", after.nzcv>>28)
	}
	for n := range after.v {
		if after.v[n] != before.v[n] {
			fmt.Fprintf(&b, "  v%d=0x%016x:%016x", n, after.v[n][1], after.v[n][0])
		}
	}
	for n := range after.p {
		if after.p[n] != before.p[n] {
			name := fmt.Sprintf("p%d", n)
			if n == cpu.NumP {
				name = "ffr"
			}
			fmt.Fprintf(&b, "  %s=%#04x", name, after.p[n])
		}
	}
	if after.fpcr != before.fpcr {
		fmt.Fprintf(&b, "  fpcr=%#x", after.fpcr)
	}
	if after.fpsr != before.fpsr {
		fmt.Fprintf(&b, "  fpsr=%#x", after.fpsr)
	}
	line := strings.TrimRight(b.String(), " ") + "\n"
	r.trace.mu.Lock()
	defer r.trace.mu.Unlock()
	io.WriteString(r.trace.W, line)
}

// instruction is the instruction at pc as text; it has just been executed, but may
// have unmapped itself.
func (r *tracer) instruction(pc uint64) string {
	comp := r.engine.pool.Get().(*compiler)
	defer r.engine.pool.Put(comp)
	comp.fetch.reset()
	word, ok := comp.fetch.word(pc)
	if !ok {
		return "(no code)"
	}
	return fmt.Sprintf("%08x  %-36s", word, decoder.Decode(word).Disasm(pc))
}
