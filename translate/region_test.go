package translate

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"emu/cpu"
	"emu/ir"
	"emu/ir/interp"
	"emu/ir/opt"

	"github.com/google/go-cmp/cmp"
)

const (
	switchCases = 16
	maxSwitches = 8
)

// What the programs point to must not move, as goroutine stacks do.
var (
	regionMemory [4]uint64
	regionLinks  [64]uint64
	regionTable  [maxSwitches * switchCases]int32
)

// execute runs a program until the system call at its end, in units made by unit. It
// returns the final state and memory, and the number of units that ran.
func execute(t *testing.T, p program, seed uint64, unit func(pc uint64) *ir.Func) (s *cpu.State, mem [4]uint64, units int) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 12))
	s = new(cpu.State)
	for n := range s.X {
		s.X[n] = r.Uint64() >> r.IntN(64)
		s.V[n] = [2]uint64{r.Uint64(), r.Uint64()}
	}
	for n := range regionMemory {
		regionMemory[n] = r.Uint64()
	}
	s.X[27] = uint64(uintptr(unsafe.Pointer(&regionMemory)))
	regionTable = p.table
	s.X[26] = uint64(uintptr(unsafe.Pointer(&regionTable)))
	s.X[25] = uint64(uintptr(unsafe.Pointer(&regionLinks)))
	s.X[24] = 30
	s.X[28] = 50
	s.SetPSTATE(r.Uint32() & 0xf0000000)
	s.PC = testPC
	var m interp.Machine
	programs := make(map[uint64]*interp.Program)
	for units = 1; ; units++ {
		p := programs[s.PC]
		if p == nil {
			f := unit(s.PC)
			if err := f.Verify(); err != nil {
				t.Fatalf("seed %d: unit at %#x: %v\n%v", seed, s.PC, err, f)
			}
			p = interp.Compile(f)
			programs[s.PC] = p
		}
		switch exit := m.Run(p, s); exit.Kind {
		case cpu.ExitBranch:
			if units > 1e6 {
				t.Fatalf("seed %d does not end", seed)
			}
		case cpu.ExitSyscall:
			if s.ExclSize == 0 {
				s.ExclAddr, s.ExclVal = 0, [2]uint64{} // of a closed monitor
			}
			return s, regionMemory, units
		default:
			t.Fatalf("seed %d: exit %v at %#x", seed, exit.Kind, exit.PC)
		}
	}
}

// somePasses leaves out about half of the passes.
func somePasses(seed uint64) []opt.Pass {
	r := rand.New(rand.NewPCG(seed, 31))
	return slices.DeleteFunc(slices.Clone(opt.Passes), func(opt.Pass) bool { return r.IntN(2) == 0 })
}

// Random control flow, irreducible one included, does the same in regions as in
// basic blocks, with the whole program, few instructions, or the blocks that were
// executed before in a region.
func TestRegionsKeepMeaning(t *testing.T) {
	saved, guesses, joined, switches, calls := 0, 0, 0, 0, 0
	w := opt.NewWork()
	for seed := range uint64(800) {
		random := randomProgram(seed, 4+int(seed%37))
		fetch := fetchFrom(random.words)
		tr := New(Options{})
		seen := make(map[uint64]bool)
		want, wantMem, blocks := execute(t, random, seed, func(pc uint64) *ir.Func {
			seen[pc] = true
			return tr.Block(pc, fetch)
		})
		for name, how := range map[string]struct {
			limit   int
			profile *Profile
			passes  []opt.Pass
		}{
			"all":      {0, nil, nil},
			"small":    {10, nil, nil},
			"executed": {0, &Profile{Runs: func(pc uint64) bool { return seen[pc] }}, nil},
			"passes":   {0, nil, opt.Passes},
			"some":     {0, nil, somePasses(seed)},
			"guessed":  {0, &Profile{Runs: func(uint64) bool { return true }, Targets: guessSome(random, seed)}, nil},
			"expected": {0, &Profile{Runs: func(uint64) bool { return true }, Expected: expectAll(random)}, opt.Passes},
			"both":     {0, &Profile{Runs: func(pc uint64) bool { return seen[pc] }, Targets: guessSome(random, seed)}, opt.Passes},
		} {
			tr := New(Options{MaxRegionInsts: how.limit})
			have, haveMem, units := execute(t, random, seed, func(pc uint64) *ir.Func {
				f := tr.Region(pc, fetch, how.profile)
				guesses += len(tr.Guessed())
				isCall := func(g Guess) bool { return random.words[(g.Site-testPC)/4]>>21 == 0xd63f0000>>21 }
				calls += severalAt(slices.DeleteFunc(slices.Clone(tr.Guessed()), func(g Guess) bool { return !isCall(g) }))
				switches += severalAt(slices.DeleteFunc(slices.Clone(tr.Guessed()), isCall))
				opt.Run(w, f, how.passes, func(p *opt.Pass, f *ir.Func) {
					if err := f.Verify(); err != nil {
						t.Fatalf("seed %d: %s: %v", seed, p.Name, err)
					}
				})
				for _, i := range f.Insts {
					if i.Op() >= ir.OpRmwAdd && i.Op() <= ir.OpCas {
						joined++
					}
				}
				return f
			})
			if diff := cmp.Diff(want, have, cmp.AllowUnexported(cpu.State{})); diff != "" || wantMem != haveMem {
				t.Fatalf("seed %d, %s: state differs (blocks -, regions +): %s\n%v\n%v", seed, name, diff, wantMem, haveMem)
			}
			saved += blocks - units
		}
	}
	if joined < 1000 {
		t.Errorf("%d pairs of exclusives became one access", joined)
	}
	if guesses < 1000 {
		t.Errorf("%d guesses", guesses)
	}
	if switches < 1000 {
		t.Errorf("%d switches with several targets", switches)
	}
	if calls < 200 {
		t.Errorf("%d calls with several targets", calls)
	}
	if saved <= 0 {
		t.Error("regions execute no fewer units than blocks")
	}
}

// severalAt counts the guesses that are not the only one of their branch, but for the last.
func severalAt(list []Guess) (n int) {
	for k := range list[min(len(list), 1):] {
		if list[k].Site == list[k+1].Site {
			n++
		}
	}
	return n
}

// Ways that the profile does not know are left out and listed, also those of a
// function that is inlined because it calls on such a way only.
func TestLeftOut(t *testing.T) {
	words := []uint32{
		0x94000003, // 0x00 bl 0x0c
		0xb4ffffe0, // 0x04 cbz x0, 0x00
		0xd4000001, // 0x08 svc #0
		0xb5000061, // 0x0c cbnz x1, 0x18
		0x91000400, // 0x10 add x0, x0, #1
		0xd65f03c0, // 0x14 ret
		0xaa1e03ec, // 0x18 mov x12, x30
		0x97fffff9, // 0x1c bl 0x00
		0xd65f0180, // 0x20 ret x12
	}
	ran := map[uint64]bool{testPC: true, testPC + 0x04: true, testPC + 0x0c: true, testPC + 0x10: true}
	tr := New(Options{})
	f := tr.Region(testPC, fetchFrom(words), &Profile{Runs: func(pc uint64) bool { return ran[pc] }})
	if err := f.Verify(); err != nil {
		t.Fatal(err)
	}
	// 0x08 is not inside of the loop, and 0x18 is a call's way.
	if diff := cmp.Diff([]uint64{testPC + 0x18, testPC + 0x08}, tr.LeftOut()); diff != "" {
		t.Errorf("left out (want -, have +): %s", diff)
	}
	if diff := cmp.Diff([]uint64{testPC + 0x10, testPC}, tr.Kept()); diff != "" {
		t.Errorf("kept (want -, have +): %s", diff)
	}
	if diff := cmp.Diff([]ir.Span{{Start: testPC + 0x0c, End: testPC + 0x10}, {Start: testPC + 0x10, End: testPC + 0x18}}, f.Also); diff != "" {
		t.Errorf("the function is not inlined:\n%v", f)
	}
	tr.Block(testPC, fetchFrom(words))
	if len(tr.LeftOut()) != 0 || len(tr.Kept()) != 0 {
		t.Error("a block has a profile")
	}
}

// Code may be unmapped while the background compiler reads it: after any number of words
// there is a unit, which nobody installs. A region without a block was a panic.
func TestRegionOfVanishingCode(t *testing.T) {
	words := []uint32{
		0xb4000080, // 0x00 cbz x0, 0x10
		0x97ffffff, // 0x04 bl 0x00
		0x94000003, // 0x08 bl 0x14
		0xd65f03c0, // 0x0c ret
		0x91000421, // 0x10 add x1, x1, #1
		0xd65f03c0, // 0x14 ret
	}
	profile := &Profile{Runs: func(uint64) bool { return true }, Early: func(uint64, []uint64) bool { return true }}
	tr := New(Options{})
	for left := 0; ; left++ {
		reads, all := 0, fetchFrom(words)
		f := tr.Region(testPC, func(pc uint64) (uint32, bool) {
			reads++
			w, ok := all(pc)
			return w, ok && reads <= left
		}, profile)
		if err := f.Verify(); err != nil {
			t.Fatalf("%d words: %v", left, err)
		}
		if reads <= left {
			return
		}
	}
}

// The structure holds every block once, and its scopes are the graph's.
func TestStructure(t *testing.T) {
	for seed := range uint64(500) {
		random := randomProgram(seed, 4+int(seed%40))
		tr := New(Options{})
		r := &region{t: tr, fetch: fetchFrom(random.words), entry: testPC, limit: tr.opts.MaxRegionInsts}
		if seed%2 > 0 {
			r.profile = &Profile{Runs: func(uint64) bool { return true }, Targets: guessSome(random, seed)}
		}
		r.scan()
		r.probe()
		r.blocks = r.graph.build(r.blocks)
		tree := structure(&r.graph, r.blocks)
		count := make(map[int32]int)
		for _, b := range blocksIn(tree) {
			count[b]++
		}
		for _, b := range r.graph.order {
			if count[b] != 1 {
				var out strings.Builder
				format(&out, tree, 0)
				t.Fatalf("seed %d: block %d occurs %d times:\n%s", seed, b, count[b], out.String())
			}
		}
	}
}

// TestTwoWaysIntoALoop: a copy of a block undoes them. If the blocks are long, a way back leaves the region.
func TestTwoWaysIntoALoop(t *testing.T) {
	for _, c := range []struct{ first, second, leave int }{{1, 1, 0}, {1, 2 * maxSplitInsts, 0}, {2 * maxSplitInsts, 1, 0}, {2 * maxSplitInsts, 2 * maxSplitInsts, 1}} {
		words := []uint32{0xb4000000 | uint32(c.first+1)<<5}                    // cbz x0, to the second
		words = append(words, slices.Repeat([]uint32{0x91000421}, c.first)...)  // add x1, x1, #1
		words = append(words, slices.Repeat([]uint32{0x91000442}, c.second)...) // add x2, x2, #1
		words = append(words, 0x54000000|uint32(1-len(words))&0x7ffff<<5|1)     // b.ne, to the first
		words = append(words, 0xd65f03c0)                                       // ret
		tr := New(Options{})
		r := &region{t: tr, fetch: fetchFrom(words), entry: testPC, limit: tr.opts.MaxRegionInsts}
		r.scan()
		r.structure()
		leave := 0
		for _, b := range r.graph.order {
			for _, e := range r.blocks[b].succ {
				if e.to < 0 && e.pc != testPC+4*uint64(len(words)-1) {
					leave++
				}
			}
		}
		if leave != c.leave {
			t.Errorf("%d and %d instructions: %d ways leave the loop, want %d", c.first, c.second, leave, c.leave)
		}
	}
}

// TestWhatGoesOnStandsBehind: where an arm leaves, what goes on in the other one stands behind the IF, so that a register that is read there
// and again behind is read once. A loop whose first iteration is peeled had an argument for it.
func TestWhatGoesOnStandsBehind(t *testing.T) {
	fetch := fetchFrom([]uint32{
		0x39400002, // ldrb w2, [x0]
		0x7100805f, // cmp w2, #32
		0x54000080, // b.eq, to the end
		0x91000400, // add x0, x0, #1
		0xeb00009f, // cmp x4, x0
		0x54ffff61, // b.ne, to the start
		0xd65f03c0, // ret
	})
	tr := New(Options{})
	f := tr.Region(testPC, fetch, &Profile{Runs: func(pc uint64) bool { return pc < testPC+4*6 }})
	opt.Run(opt.NewWork(), f, opt.Passes, nil)
	reads := 0
	for _, in := range f.Insts {
		switch {
		case in.Op() == ir.OpGetX && f.ImmOf(in.A()) == 4:
			reads++
		case in.Op() == ir.OpBlockArg && f.ImmOf(in.A()) > 1:
			t.Errorf("the loop has argument %d, want two, X0 and X2", f.ImmOf(in.A()))
		}
	}
	if reads != 1 {
		t.Errorf("X4 is read %d times", reads)
	}
}

// BenchmarkRegion translates a region and runs the passes over it.
func BenchmarkRegion(b *testing.B) {
	fetch := fetchFrom(randomProgram(5, 40).words)
	tr := New(Options{})
	w := opt.NewWork()
	b.ReportAllocs()
	insts := 0
	for b.Loop() {
		f := tr.Region(testPC, fetch, nil)
		opt.Run(w, f, opt.Passes, nil)
		insts += tr.Covered()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(insts), "ns/inst")
}
