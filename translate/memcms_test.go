package translate_test

import (
	"bytes"
	"testing"

	"emu/cpu"
	"emu/decoder"
	"emu/ir/interp"
	"emu/tests/diff"
	"emu/translate"
)

// CPYP, CPYM, CPYE and their CPYF and SET relatives move what memmove and memset
// would, and leave the registers at the ends.
func TestMemoryCopySet(t *testing.T) {
	e := diff.NewInterp(t)
	cpy := []uint32{enc(decoder.CPYP_CPY_memcms, 0, 2, 1), enc(decoder.CPYM_CPY_memcms, 0, 2, 1), enc(decoder.CPYE_CPY_memcms, 0, 2, 1)}
	cpyf := []uint32{enc(decoder.CPYFP_CPY_memcms, 0, 2, 1), enc(decoder.CPYFM_CPY_memcms, 0, 2, 1), enc(decoder.CPYFE_CPY_memcms, 0, 2, 1)}
	set := []uint32{enc(decoder.SETP_SET_memcms, 0, 2, 1), enc(decoder.SETM_SET_memcms, 0, 2, 1), enc(decoder.SETE_SET_memcms, 0, 2, 1)}
	for _, tt := range []struct {
		name    string
		words   []uint32
		to      int
		forward bool
	}{
		{"CPYF apart", cpyf, 600, true},
		{"CPY apart", cpy, 600, true},
		{"CPY to just below", cpy, 95, true},
		{"CPY to just above", cpy, 103, false},
		{"CPY to far above", cpy, 140, false},
		{"SET", set, 300, true},
	} {
		for _, size := range []int{0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 257, 300, 350} {
			c := diff.Case{Words: tt.words}
			for n := range c.In.Mem {
				c.In.Mem[n] = byte(n * 7)
			}
			c.In.X[0], c.In.X[1], c.In.X[2] = diff.MemBase+uint64(tt.to), diff.MemBase+100, uint64(size)
			isSet := tt.name == "SET"
			if isSet {
				c.In.X[1] = 0x1a5
			}
			want := c.In.Mem
			from := c.In.Mem[100:]
			if isSet {
				from = bytes.Repeat([]byte{0xa5}, size)
			}
			copy(want[tt.to:tt.to+size], from)
			got := e.Run(t, []diff.Case{c})[0]
			end := uint64(size)
			if !tt.forward && tt.to < 100+size {
				end = 0 // backward: the addresses come back to the start
			}
			x1 := c.In.X[1] + end
			if isSet {
				x1 = c.In.X[1]
			}
			if got.Mem != want || got.X[0] != c.In.X[0]+end || got.X[1] != x1 || got.X[2] != 0 || got.Sig != 5 {
				t.Errorf("%s, %d bytes: memory right: %t, x0 %+d, x1 %+d, x2 %d, signal %d", tt.name, size,
					got.Mem == want, int64(got.X[0]-c.In.X[0]), int64(got.X[1]-c.In.X[1]), got.X[2], got.Sig)
			}
		}
	}
}

// A fault in the middle leaves in the registers what is left to do.
func TestMemorySetFault(t *testing.T) {
	c := diff.Case{Words: []uint32{enc(decoder.SETP_SET_memcms, 0, 2, 1), enc(decoder.SETM_SET_memcms, 0, 2, 1)}}
	c.In.X[0], c.In.X[1], c.In.X[2] = diff.MemBase+diff.MemPage-40, 7, 100
	got := diff.NewInterp(t).Run(t, []diff.Case{c})[0]
	if got.Sig != 11 || got.PC != diff.CodeStart+4 || got.Addr != diff.MemBase+diff.MemPage ||
		got.X[0]+got.X[2] != c.In.X[0]+100 || got.X[0] > diff.MemBase+diff.MemPage {
		t.Errorf("signal %d at %#x, address %#x, x0 %#x, x2 %d", got.Sig, got.PC, got.Addr, got.X[0], got.X[2])
	}
}

// A copy that faulted in the middle goes on from its registers with the result of one that did
// not: what it has written and its registers do not tell it may read again only where source
// and destination are apart.
func TestMemoryCopyResumes(t *testing.T) {
	e := diff.NewInterp(t)
	words := []uint32{enc(decoder.CPYP_CPY_memcms, 0, 2, 1), enc(decoder.CPYM_CPY_memcms, 0, 2, 1), enc(decoder.CPYE_CPY_memcms, 0, 2, 1)}
	resume := append([]uint32{0xd51b4203}, words[1:]...) // MSR NZCV, X3
	for _, distance := range []uint64{1, 5, 15, 16, 40, 63, 64, 65, 100, 150} {
		for _, size := range []uint64{20, 63, 64, 100, 150, 200, 300, 450} {
			if distance >= size { // it would be forward, and fault at once
				continue
			}
			c := diff.Case{Words: words}
			for n := range c.In.Mem {
				c.In.Mem[n] = byte(n * 7)
			}
			// Backward, to memory that begins in the middle of the destination.
			c.In.X[1] = diff.MemBase - size/2
			c.In.X[0], c.In.X[2] = c.In.X[1]+distance, size
			want := c.In.Mem
			got := e.Run(t, []diff.Case{c})[0]
			if got.Sig != 11 || got.X[0]-got.X[1] != distance || got.X[0] != c.In.X[0]+got.X[2] {
				t.Errorf("distance %d, %d bytes: signal %d, x0 %+d, x2 %d", distance, size, got.Sig, int64(got.X[0]-c.In.X[0]), got.X[2])
				continue
			}
			// What is left goes on a page higher, where nothing faults: the same bytes for it.
			c.In.Mem = got.Mem
			const up = 512
			copy(c.In.Mem[up-size/2:], make([]byte, size/2))
			copy(c.In.Mem[up:], got.Mem[:up])
			copy(want[up:], want[:up])
			copy(want[up-size/2:], make([]byte, size/2))
			copy(want[up-size/2+distance:][:size], append([]byte(nil), want[up-size/2:][:size]...))
			c.Words, c.In.X, c.In.X[3] = resume, got.X, uint64(got.NZCV)
			c.In.X[0], c.In.X[1] = c.In.X[0]+up, c.In.X[1]+up
			end := e.Run(t, []diff.Case{c})[0]
			if end.Sig != 5 || end.X[2] != 0 || !bytes.Equal(end.Mem[up-size/2:up+size], want[up-size/2:up+size]) {
				t.Errorf("distance %d, %d bytes: signal %d, x2 %d, memory right: false", distance, size, end.Sig, end.X[2])
			}
		}
	}
}

// Exits carry the kind, the pc and the argument that package cpu documents.
func TestExits(t *testing.T) {
	s, err := cpu.NewState()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Free()
	const pc = 0x4000
	m, tr := new(interp.Machine), translate.New(translate.Options{SyncOnISB: true})
	for _, tt := range []struct {
		name    string
		word    uint32
		pending uint32
		kind    cpu.ExitKind
		pc, arg uint64
	}{
		{"svc #5", 0xd40000a1, 0, cpu.ExitSyscall, pc + 4, 5},
		{"brk #7", 0xd42000e0, 0, cpu.ExitBreakpoint, pc, 7},
		{"udf #3", 0x00000003, 0, cpu.ExitUndefined, pc, 3},
		{"unallocated", 0xffffffff, 0, cpu.ExitUndefined, pc, 0xffffffff},
		{"ic ivau, x1", 0xd50b7521, 0, cpu.ExitSync, pc + 4, 0x1234},
		{"isb", 0xd5033fdf, 0, cpu.ExitSync, pc + 4, 0},
		{"yield", 0xd503203f, 0, cpu.ExitYield, pc + 4, 0},
		{"wfe", 0xd503205f, 0, cpu.ExitYield, pc + 4, 0},
		{"msr fpcr, x1", 0xd51b4401, 0, cpu.ExitMode, pc + 4, 0},
		{"ldar x0, [x1]", 0xc8dffc20, 0, cpu.ExitAlign, pc, 0x1234},
		{"b back", 0x17ffffff, 0, cpu.ExitBranch, pc - 4, 0},
		{"b back, pending", 0x17ffffff, 1, cpu.ExitPoll, pc, 0},
		{"b forward, pending", 0x14000002, 1, cpu.ExitBranch, pc + 8, 0},
		{"ret x1, pending", 0xd65f0020, 1, cpu.ExitBranch, 0x1234, 0},
		{"blr x30, pending", 0xd63f03c0, 1, cpu.ExitBranch, 0x30, uint64(cpu.BranchCall)}, // the target is a safe point
	} {
		s.X[1], s.X[30], s.PC, s.Pending = 0x1234, 0x30, pc, tt.pending
		f := tr.Block(pc, func(at uint64) (uint32, bool) { return tt.word, at == pc })
		exit := m.Exec(f, s)
		if exit.Kind != tt.kind || exit.PC != tt.pc || exit.Arg[0] != tt.arg {
			t.Errorf("%s: %v at %#x, argument %#x; want %v at %#x, %#x", tt.name, exit.Kind, exit.PC, exit.Arg[0], tt.kind, tt.pc, tt.arg)
		}
	}
}
