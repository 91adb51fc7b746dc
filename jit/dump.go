package jit

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"emu/cache"
	"emu/decoder"
	"emu/ir"
)

// Dump writes what each unit looks like at chosen stages.
type Dump struct {
	Stages map[string]bool // of DumpStages
	PC     *Addresses      // of units that have some of them
	W      io.Writer
	mu     sync.Mutex
}

// Addresses are those from First to Last, or if nil all.
type Addresses struct{ First, Last uint64 }

func (a *Addresses) has(pc uint64) bool { return a == nil || pc >= a.First && pc <= a.Last }

// meet reports whether any of the guest code of f is there. An instruction is in all of its bytes.
func (a *Addresses) meet(f *ir.Func) bool {
	if a == nil {
		return true
	}
	in := func(start, end uint64) bool { return start <= a.Last && a.First < end }
	if a.has(f.PC) || in(f.PC, f.PC+uint64(f.Size)) { // one that cannot be fetched has no size
		return true
	}
	return slices.ContainsFunc(f.Also, func(s ir.Span) bool { return in(s.Start, s.End) })
}

// DumpStages are the stages that -dump knows, in the order of the pipeline.
// ir is what translation gives, opt what the passes of tier 2 make of it.
var DumpStages = []string{"guest", "ir", "opt", "asm"}

// showsIR reports whether units have to have IR.
func (d *Dump) showsIR() bool { return d != nil && (d.Stages["ir"] || d.Stages["opt"]) }

// unit writes the unit that c has just compiled; b is nil for the interpreter.
func (d *Dump) unit(c *compiler, f *ir.Func, b *cache.Block) {
	if d == nil || !d.PC.meet(f) {
		return
	}
	var out strings.Builder
	fmt.Fprintf(&out, "---- unit %#x, %d guest instructions\n", f.PC, c.covered)
	if d.Stages["guest"] {
		d.guest(&out, c, f.PC, f.PC+uint64(f.Size))
		for _, s := range f.Also {
			d.guest(&out, c, s.Start, s.End)
		}
	}
	switch {
	case !d.Stages["ir"]:
	case c.passed:
		fmt.Fprintln(&out, c.raw)
	default:
		fmt.Fprintln(&out, f)
	}
	if d.Stages["opt"] && c.passed {
		fmt.Fprintln(&out, f)
	}
	if d.Stages["asm"] && b != nil {
		for _, line := range disasm(b) {
			fmt.Fprintln(&out, line)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	io.WriteString(d.W, out.String())
}

// guest lists the guest code from start to end, as far as it can be read.
func (d *Dump) guest(out *strings.Builder, c *compiler, start, end uint64) {
	for pc := start; pc < end; pc += 4 {
		if word, ok := c.fetch.word(pc); ok {
			fmt.Fprintf(out, "%#12x  %08x  %s\n", pc, word, decoder.Decode(word).Disasm(pc))
		}
	}
}
