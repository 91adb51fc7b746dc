package translate

import (
	"slices"
	"testing"

	"emu/ir"
	"emu/ir/opt"
)

// TestSwitchesOfManyTargets: that eight targets have 29 of 32 notes happens to an interpreter with fourteen
// operations, too. A region goes on behind a switch if they have hardly less than all.
func TestSwitchesOfManyTargets(t *testing.T) {
	words := []uint32{
		0x38401403, // ldrb w3, [x0], #1
		0x7100447f, // cmp w3, #17
		0x54000108, // b.hi, to the end
		0x38634824, // ldrb w4, [x1, w3, uxtw]
		0x10000065, // adr x5, behind the branch
		0x8b2488a4, // add x4, x5, w4, sxtb #2
		0xd61f0080, // br x4
	}
	const cases = 14
	site, first := testPC+4*uint64(len(words)-1), testPC+4*uint64(len(words))
	for k := range cases {
		words = append(words, 0x91000442, 0x14000000|uint32(2*(cases-k)-1)) // add x2, x2, #1; b, to the end
	}
	words = append(words, 0xf10004c6, 0x54000001|uint32(-(len(words)+1)&0x7ffff)<<5, 0xd65f03c0) // subs x6, x6, #1; b.ne, to the start; ret
	for _, c := range []struct {
		notes []int // by target
		on    int   // targets that the region goes on at
	}{
		{[]int{9, 4, 4, 3, 3, 2, 2, 2, 1, 1, 1}, 0},
		{[]int{6, 4, 4, 4, 4, 3, 3, 2, 1, 1}, 0},
		{[]int{12, 8, 6, 3, 1, 1, 1}, 7},
		{[]int{12, 7, 5, 3, 1, 1, 1, 1, 1}, 8},
	} {
		var list []Target
		of := 0
		for k, n := range c.notes {
			list, of = append(list, Target{first + 8*uint64(k), n}), of+n
		}
		tr := New(Options{})
		tr.Region(testPC, fetchFrom(words), &Profile{
			Runs:    func(uint64) bool { return true },
			Targets: func(at uint64) ([]Target, int) { return list, of },
		})
		want := []Guess{{site, 0}}
		if c.on > 0 {
			want = nil
			for _, to := range list[:c.on] {
				want = append(want, Guess{site, to.PC})
			}
		}
		if got := tr.Guessed(); !slices.Equal(got, want) {
			t.Errorf("notes %v: the region expects %x, want %x", c.notes, got, want)
		}
	}
}

// TestRotation: a loop around a switch of many cases begins at the switch's branch, and each case ends in a copy of what leads there,
// as far as there is room. Then the loop passes no flags on: a compare's operands do.
func TestRotation(t *testing.T) {
	for _, c := range []struct{ cases, body, copies int }{{12, 6, 13}, {30, 4, 10}} { // body: instructions of a case
		cases, body := c.cases, c.body
		words := []uint32{
			0xaa0203e5,                       // mov x5, x2
			0x38401403,                       // ldrb w3, [x0], #1
			0x7100007f | uint32(cases-1)<<10, // cmp w3, #cases-1
			0x54ffffa8,                       // b.hi, to the start
			0x38634824,                       // ldrb w4, [x1, w3, uxtw]
			0x10000065,                       // adr x5, behind the branch
			0x8b2488a4,                       // add x4, x5, w4, sxtb #2
			0xd61f0080,                       // br x4
		}
		const table = 1 << 20
		set := []uint32{0x90000001 | table>>12>>2<<5} // adrp x1
		words = append(set, words...)
		head := testPC + 4*uint64(len(set))
		site := testPC + 4*uint64(len(words)-1)
		var targets []uint64
		for k := range cases {
			targets = append(targets, site+4+4*uint64(body*k))
			words = append(words, slices.Repeat([]uint32{0x8b050042}, body-1)...)        // add x2, x2, x5
			words = append(words, 0x14000000|uint32(1+min(k%5, 1)-len(words))&(1<<26-1)) // b, to the start or behind the first instruction
		}
		tr := New(Options{})
		r := &region{t: tr, entry: head, limit: tr.opts.MaxRegionInsts, fetch: fetchFrom(words), profile: &Profile{
			Runs:    func(uint64) bool { return true },
			Targets: func(uint64) ([]Target, int) { return []Target{{targets[3], 2}}, 8 },
			Load:    func(addr uint64, size int) (uint64, bool) { return (targets[addr-testPC-table] - site - 4) / 4, true },
		}}
		r.scan()
		tree := r.structure()
		loops, copies := 0, 0
		var find func(tree []stmt)
		find = func(tree []stmt) {
			for _, n := range tree {
				b := &r.blocks[n.block]
				switch {
				case n.kind == stmtLoop && b.pc == site:
					loops++
				case n.kind == stmtLoop:
					t.Errorf("%d cases: a loop at %#x", cases, b.pc)
				case n.kind == stmtCode && b.last() == site-4:
					copies++
				}
				find(n.body)
				find(n.other)
			}
		}
		find(tree)
		if loops != 1 || copies < c.copies || len(r.blocks) > maxRegionBlocks {
			t.Errorf("%d cases: %d loops and %d copies in %d blocks, want 1 and %d or more", cases, loops, copies, len(r.blocks), c.copies)
		}
		r.emit(tree)
		opt.Run(opt.NewWork(), tr.Func, opt.Passes, nil)
		if err := tr.Verify(); err != nil {
			t.Fatal(err)
		}
		for v, i := range tr.Insts {
			if i.Op() == ir.OpBlockArg && tr.Types[v] == ir.Flags {
				t.Errorf("%d cases: the loop's argument v%d is flags", cases, v)
			}
		}
	}
}

// TestRotationOfInnerLoop: an interpreter in a loop, whose cases go on at its start, behind it, or in the loop around it, and whose
// first operation has been fetched in front. Some of the cases used to leave, and all came to one branch.
func TestRotationOfInnerLoop(t *testing.T) {
	const cases, body, start = 14, 4, 4
	const table = 1 << 20
	words := []uint32{
		0x90000001 | table>>12>>2<<5, // adrp x1
		0x910004c6,                   // add x6, x6, #1: the loop around it
		0x52800003,                   // mov w3, #0
		0x14000005,                   // b, to the load from the table
		0xaa0203e5,                   // mov x5, x2
		0x38401403,                   // ldrb w3, [x0], #1
		0x7100007f | (cases-1)<<10,   // cmp w3, #cases-1
		0x54ffffa8,                   // b.hi, to the move
		0x38634824,                   // ldrb w4, [x1, w3, uxtw]
		0x10000065,                   // adr x5, behind the branch
		0x8b2488a4,                   // add x4, x5, w4, sxtb #2
		0xd61f0080,                   // br x4
	}
	site := testPC + 4*uint64(len(words)-1)
	var targets []uint64
	for k := range cases {
		targets = append(targets, site+4+4*uint64(body*k))
		words = append(words, slices.Repeat([]uint32{0x8b050042}, body-1)...) // add x2, x2, x5
		to := start + min(k%5, 1)
		if k == 6 {
			to = 1
		}
		words = append(words, 0x14000000|uint32(to-len(words))&(1<<26-1)) // b
	}
	tr := New(Options{})
	r := &region{t: tr, entry: testPC + 4, limit: tr.opts.MaxRegionInsts, fetch: fetchFrom(words), profile: &Profile{
		Runs:    func(uint64) bool { return true },
		Targets: func(uint64) ([]Target, int) { return []Target{{targets[3], 2}}, 8 },
		Load:    func(addr uint64, size int) (uint64, bool) { return (targets[addr-testPC-table] - site - 4) / 4, true },
	}}
	r.scan()
	tree := r.structure()
	loops, fetches := 0, 0
	for _, b := range blocksIn(tree) {
		blk := &r.blocks[b]
		if l := r.graph.loopAt(b); l != nil && blk.pc == site {
			loops++
		}
		if blk.last() == site-4 {
			fetches++
		}
		for _, e := range blk.succ {
			if e.to < 0 {
				t.Errorf("block %d at %#x leaves to %#x", b, blk.pc, e.pc)
			}
		}
	}
	if loops != 1 || fetches < cases {
		t.Errorf("%d loops and %d copies of what leads to the branch, want 1 and %d or more", loops, fetches, cases)
	}
	r.emit(tree)
	opt.Run(opt.NewWork(), tr.Func, opt.Passes, nil)
	if err := tr.Verify(); err != nil {
		t.Fatal(err)
	}
}
