// Package diff runs short sequences of A64 instructions on qemu-aarch64 and on
// emu's engines, from arbitrary register and memory contents, and compares the
// states in which they end.
//
//	cases := []diff.Case{{Words: []uint32{0x8b020020}, In: diff.RandomState(rng)}}
//	want := diff.NewQemu(t).Run(t, cases)
//	got := diff.NewInterp(t).Run(cases)
//	diff.Compare(t, cases, want, got)
//
// A case starts at CodeStart in a page that is otherwise filled with BRK, so that
// every case ends in a signal: SIGTRAP after the last instruction or at the target
// of a branch, or the one that an instruction raises. Cases should not contain
// system calls.
package diff

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"emu/cpu"
	"emu/decoder"
)

// Where things are in the guest.
const (
	MemBase   = 0x5000_0000 // a page of memory, in which the first MemSize bytes are part of the state; 32 bits can point to it
	MemSize   = 1024
	MemPage   = 4096
	MemTail   = 128 // the last bytes of the page, before a case the same as the first
	CodePage  = 0x5001_0000
	CodeStart = CodePage + 2048
	MaxWords  = 14
	TagSet    = 0x7ff6 // the tags that the guest includes, where memory has tags

	Filler = 0xd42b4b40 // BRK #0x5a5a, all over the code page
)

// State is the guest state before or after a case.
type State struct {
	X          [31]uint64
	SP, PC     uint64
	NZCV       uint32 // bits 31:28
	FPCR, FPSR uint32
	Sig        uint32 // signal that ended the case, 5 = SIGTRAP is the normal end
	Addr       uint64 // si_addr of SIGSEGV and SIGBUS
	V          [32][2]uint64
	Mem        [MemSize]byte
	Tags       [MemSize / 16]byte // of the memory, where it has them
	GCSPR      uint64             // of cases with a guarded control stack
	GCS        [GCSEntries]uint64 // its entries from GCSAt on; zero below GCSPR after the case
	P          [20]uint16         // of cases with SVE: P0 to P15, FFR, nothing
}

// Case is a sequence of at most MaxWords instructions and the state before.
type Case struct {
	Words []uint32
	In    State
}

func (c *Case) word(pc uint64) (uint32, bool) {
	if pc < CodePage || pc >= CodePage+4096 {
		return 0, false
	}
	if n := (pc - CodeStart) / 4; n < uint64(len(c.Words)) {
		return c.Words[n], true
	}
	return Filler, true
}

// CodePage is the contents of the page of code.
func (c *Case) CodePage() []byte {
	page := make([]byte, 0, MemPage)
	for pc := uint64(CodePage); pc < CodePage+MemPage; pc += 4 {
		w, _ := c.word(pc)
		page = binary.LittleEndian.AppendUint32(page, w)
	}
	return page
}

// appendTest encodes a case for runner.c.
func appendTest(b []byte, c *Case) []byte {
	if len(c.Words) > MaxWords {
		panic("BUG: diff: too many words in a case")
	}
	b = binary.LittleEndian.AppendUint64(b, uint64(len(c.Words)))
	for n := range MaxWords {
		var w uint32
		if n < len(c.Words) {
			w = c.Words[n]
		}
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return append(b, c.In.bytes()...)
}

// Corner returns an interesting 64-bit value: small numbers, single bits, masks,
// or noise.
func Corner(r *rand.Rand) uint64 {
	switch r.IntN(8) {
	case 0:
		return uint64(r.IntN(4)) - 2
	case 1:
		return 1 << r.IntN(64)
	case 2:
		return 1<<r.IntN(64) - 1
	case 3:
		return uint64(int64(-1) << r.IntN(64))
	case 4:
		return uint64(r.Uint32())
	case 5:
		return uint64(int64(int32(r.Uint32())))
	}
	return r.Uint64()
}

// RandomState returns a state of corner values and noise. FPCR is zero, FPSR too.
func RandomState(r *rand.Rand) State {
	var s State
	for n := range s.X {
		s.X[n] = Corner(r)
	}
	s.SP = MemBase + 512
	s.NZCV = r.Uint32() & 0xf000_0000
	for n := range s.V {
		s.V[n] = [2]uint64{Corner(r), Corner(r)}
	}
	for n := range s.Mem {
		s.Mem[n] = byte(r.Uint32())
	}
	return s
}

// Compare reports the cases whose results differ, with all that differs; a few
// examples of each encoding at most. It returns the first encodings of those cases.
func Compare(t *testing.T, cases []Case, want, got []State) map[decoder.Op]bool {
	t.Helper()
	shown := map[string]int{}
	failed := map[string]int{}
	ops := map[decoder.Op]bool{}
	for n := range cases {
		d := difference(&want[n], &got[n])
		if d == "" {
			continue
		}
		if len(cases[n].Words) > 0 {
			ops[decoder.Decode(cases[n].Words[0]).Op] = true
		}
		var text strings.Builder
		key := ""
		for _, w := range cases[n].Words {
			i := decoder.Decode(w)
			fmt.Fprintf(&text, "  %08x %v\n", w, i.Op)
			key += i.Op.String() + " "
		}
		failed[key]++
		if shown[key]++; shown[key] > 2 || len(shown) > 40 {
			continue
		}
		t.Errorf("case %d:\n%s%s", n, text.String(), describe(&cases[n].In, &want[n], &got[n]))
	}
	for key, n := range failed {
		t.Errorf("%s: %d cases differ", key, n)
	}
	return ops
}

// difference says whether two results differ; addresses of faults may be off by
// the size of an access, since one of its bytes is what faults.
func difference(want, got *State) string {
	w, g := *want, *got
	if d := int64(w.Addr - g.Addr); d > -64 && d < 64 {
		w.Addr, g.Addr = 0, 0
	}
	if w == g {
		return ""
	}
	return "differs"
}

// describe lists inputs and results, with a star where the results differ.
func describe(in, want, got *State) string {
	var b strings.Builder
	line := func(name string, i, w, g any) {
		if w != g {
			fmt.Fprintf(&b, "  * %-5s in %16x want %16x got %16x\n", name, i, w, g)
		} else if i != w {
			fmt.Fprintf(&b, "    %-5s in %16x  ->  %16x\n", name, i, w)
		}
	}
	for n := range in.X {
		line(fmt.Sprintf("x%d", n), in.X[n], want.X[n], got.X[n])
	}
	line("sp", in.SP, want.SP, got.SP)
	line("pc", uint64(CodeStart), want.PC, got.PC)
	line("nzcv", in.NZCV, want.NZCV, got.NZCV)
	line("fpcr", in.FPCR, want.FPCR, got.FPCR)
	line("fpsr", in.FPSR, want.FPSR, got.FPSR)
	line("sig", uint32(0), want.Sig, got.Sig)
	line("addr", uint64(0), want.Addr, got.Addr)
	for n := range in.V {
		for h := range 2 {
			line(fmt.Sprintf("v%d.%d", n, h), in.V[n][h], want.V[n][h], got.V[n][h])
		}
	}
	for n := 0; n < MemSize; n += 8 {
		word := func(s *State) uint64 { return binary.LittleEndian.Uint64(s.Mem[n:]) }
		line(fmt.Sprintf("+%d", n), word(in), word(want), word(got))
	}
	for n := range cpu.NumP + 1 {
		line(fmt.Sprintf("p%d", n), in.P[n], want.P[n], got.P[n])
	}
	line("gcspr", in.GCSPR, want.GCSPR, got.GCSPR)
	for n := range in.GCS {
		line(fmt.Sprintf("gcs%d", n), in.GCS[n], want.GCS[n], got.GCS[n])
	}
	for n := range in.Tags {
		line(fmt.Sprintf("tag+%d", 16*n), in.Tags[n], want.Tags[n], got.Tags[n])
	}
	fmt.Fprintf(&b, "    inputs:")
	for n := range in.X {
		fmt.Fprintf(&b, " x%d=%x", n, in.X[n])
	}
	b.WriteString("\n")
	return b.String()
}
