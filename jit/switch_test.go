package jit

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"emu/cache"
)

// switchBench is a loop with a switch: cases, the k-th of which is at word caseAt(k) and adds
// k+1 to X0, which a table of distances in bytes leads to.
type switchBench struct {
	*testBench
	table []uint8 // case by index
	in    []byte  // the indices, of the guest
}

const (
	switchHead  = 10
	switchTable = 1 << 20 // bytes from the base
	switchIn    = 2 << 20
	switchRuns  = 50_000
)

func caseAt(k int) int { return 20 + 8*k }

func addToX0(n int) uint32 { return 0x91000000 | uint32(n)<<10 }

// useHot makes n the threshold of tier 2 during a test.
func (b *testBench) useHot(t *testing.T, n uint32) {
	before := b.e.opts.Hot
	b.e.opts.Hot = n
	t.Cleanup(func() { b.e.opts.Hot = before })
}

// newSwitchBench puts the loop there, with up to 14 cases. These lead back to its head, each by a branch of its own, and it is
// entered in one of them.
func newSwitchBench(t *testing.T, cases int) *switchBench {
	b := &switchBench{testBench: newTestBench(t)}
	for k := range cases {
		b.table = append(b.table, uint8(k))
	}
	b.useHot(t, DefaultHot/4)
	b.put(switchHead,
		0x384014a3,                     // ldrb w3, [x5], #1
		0x7100007f|uint32(cases-1)<<10, // cmp w3, #cases-1
		0x54000008|uint32(caseAt(0)-switchHead-2)<<5, // b.hi, to case 0
		0x38634883, // ldrb w3, [x4, w3, uxtw]
		0x10000066, // adr x6, behind the branch
		0x8b2388c3, // add x3, x6, w3, sxtb #2
		0xd61f0060, // br x3
	)
	for k := range cases {
		b.put(caseAt(k), addToX0(k+1), subX1, cbnzX1(switchHead-caseAt(k)-2), brk)
	}
	b.in = b.bytes(switchIn, switchRuns)
	return b
}

// bytes is guest memory off bytes from the base.
func (b *switchBench) bytes(off, n int) []byte {
	return unsafe.Slice((*byte)(guestPointer(b.base+uint64(off))), n)
}

// run does the loop with random indices, each as often as it is in often, and compares the sum.
func (b *switchBench) run(t *testing.T, seed uint64, often []byte) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 41))
	table, want := b.bytes(switchTable, len(b.table)), uint64(1) // it begins in case 0
	for k := range table {
		table[k] = byte(caseAt(int(b.table[k])) - switchHead - 7)
	}
	for k := range b.in {
		b.in[k] = often[r.IntN(len(often))]
		if k < switchRuns-1 {
			want += uint64(b.add(b.in[k]))
		}
	}
	b.s.X[0], b.s.X[1] = 0, switchRuns
	b.s.X[4], b.s.X[5] = b.base+switchTable, b.base+switchIn
	b.until(t, caseAt(0))
	if b.s.X[0] != want {
		t.Fatalf("indices %d: x0 = %d, want %d", often, b.s.X[0], want)
	}
}

// add is what the case of an index adds.
func (b *switchBench) add(index byte) uint32 {
	k := 0
	if int(index) < len(b.table) {
		k = int(b.table[index])
	}
	return b.code[caseAt(k)] >> 10 & 0xfff
}

// region is the one at the loop's head, nil if there is none yet.
func (b *switchBench) region() *cache.Block {
	if u := b.e.cache.Lookup(cache.Key{PC: b.pc(switchHead), Mode: b.s.CodeMode()}); u != nil && u.Region != nil {
		return u
	}
	return nil
}

// hot runs the loop until its head is a region, and returns that.
func (b *switchBench) hot(t *testing.T, often []byte) *cache.Block {
	t.Helper()
	for seed := range uint64(300) {
		b.run(t, seed, often)
		if u := b.region(); u != nil {
			return u
		}
	}
	t.Fatal("no region")
	return nil
}

// A loop with a switch is one region, with the cases that nearly all of its executions
// go to. Others, tables that change, and cases whose code changes do what they do.
func TestSwitch(t *testing.T) {
	b := newSwitchBench(t, 8)
	u := b.hot(t, []byte{3, 3, 1, 1, 6})
	var to []uint64
	made := u.Region.Guesses
	for _, g := range made {
		if g.Site != b.pc(switchHead+6) {
			t.Errorf("a guess of the branch at %#x", g.Site)
		}
		to = append(to, g.Target)
	}
	slices.Sort(to) // which of them the notes have most often is a matter of chance
	if !slices.Equal(to, []uint64{b.pc(caseAt(1)), b.pc(caseAt(3)), b.pc(caseAt(6))}) {
		t.Errorf("guesses %x, want %x, %x and %x", to, b.pc(caseAt(1)), b.pc(caseAt(3)), b.pc(caseAt(6)))
	}
	if end := b.pc(caseAt(6)); u.PC+uint64(u.Size) < end {
		t.Errorf("the region ends at %#x, want the case at %#x in it", u.PC+uint64(u.Size), end)
	}
	b.run(t, 1, []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 255})
	b.run(t, 2, []byte{4, 4, 4, 5})
	if u = b.region(); u == nil || !slices.Equal(u.Region.Guesses, made) {
		t.Errorf("targets that were not expected made it %v, with guesses %x before", u, made)
	}
	slices.Reverse(b.table)
	b.run(t, 3, []byte{3, 3, 3, 3, 1, 1, 6})
	b.run(t, 4, []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 255})
	b.put(caseAt(1), addToX0(100))
	if b.region() == u {
		t.Error("the region has stayed when one of its cases changed")
	}
	b.run(t, 5, []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 255})
	b.hot(t, []byte{6, 6, 6, 2})
	b.put(caseAt(1), addToX0(200))
	b.run(t, 6, []byte{6, 6, 6, 2})
}

// A loop with a switch of more cases than comparisons are worth is one region with all that run, if its table
// can be found. Others, tables that change, and cases whose code changes do what they do.
func TestSwitchOfManyCases(t *testing.T) {
	b := newSwitchBench(t, 14)
	b.put(switchHead-4,
		0x90000004|switchTable>>12>>2<<5,    // adrp x4, the table
		0x91000084|uint32(b.base)&0xfff<<10, // add x4, x4, #the table's offset in its page
	)
	often := []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	u := b.hot(t, often)
	var to []uint64
	for _, g := range u.Region.Guesses {
		if g.Site != b.pc(switchHead+6) {
			t.Errorf("a guess of the branch at %#x", g.Site)
		}
		to = append(to, g.Target)
	}
	slices.Sort(to)
	var want []uint64
	for k := range often {
		want = append(want, b.pc(caseAt(k)))
	}
	if !slices.Equal(to, want) {
		t.Errorf("guesses %x, want %x", to, want)
	}
	b.run(t, 1, append(often, 13, 14, 255))
	slices.Reverse(b.table)
	b.run(t, 2, append(often, 13, 14, 255))
	for k := range b.table {
		b.table[k] = 13
	}
	b.run(t, 3, append(often, 13, 14, 255))
	b.put(caseAt(5), addToX0(100))
	if b.region() == u {
		t.Error("the region has stayed when one of its cases changed")
	}
	b.run(t, 4, append(often, 13, 14, 255))
}

// Cases have no copies of a switch that the loop around it goes on from, and have them where
// it does not.
func TestSwitchTails(t *testing.T) {
	copies := func(often []byte) (n int) {
		b := newSwitchBench(t, 8)
		site := b.pc(switchHead + 6)
		for seed := range uint64(60) {
			b.run(t, seed, often)
		}
		for k := range 8 {
			u := b.e.cache.Lookup(cache.Key{PC: b.pc(caseAt(k)), Mode: b.s.CodeMode()})
			if u == nil || u.Region == nil {
				continue
			}
			for _, s := range u.Also {
				if s.Start <= site && site < s.End {
					n++
				}
			}
		}
		return n
	}
	if n := copies([]byte{1, 1, 3}); n != 0 {
		t.Errorf("%d copies of a switch with two targets", n)
	}
}

// Where a branch goes is told from more than its last few executions, and also if that
// changes with each of them.
func TestNotesReachBack(t *testing.T) {
	const one, two, n = 100, 200, 30_000
	for name, c := range map[string]struct {
		differ      bool
		first, then uint64
		share       float64 // of one
	}{
		"at the end":  {false, n, 1000, 0.7},
		"in turn":     {true, n, 2, 0.5},
		"one of them": {false, n, 2, 1},
	} {
		b := newTestBench(t)
		b.useHot(t, DefaultHot)
		b.put(0, eorX2X3, brX2)
		b.put(one, subX1, cbnzX1(-one-1), brk)
		b.put(two, subX1, cbnzX1(-two-1), brk)
		b.s.X[3] = 0
		if c.differ {
			b.s.X[3] = b.pc(one) ^ b.pc(two)
		}
		b.s.X[1], b.s.X[2] = c.first, b.pc(one)
		b.until(t, 0)
		b.s.X[1], b.s.X[2] = c.then, b.pc(two)
		b.until(t, 0)
		list, of := b.e.targets(nil)(b.pc(1))
		share := 0.0
		for _, to := range list {
			if to.PC == b.pc(one) {
				share = float64(to.N) / float64(of)
			}
		}
		if share < c.share-0.2 || share > c.share+0.2 {
			t.Errorf("%s: %x of %d, want %x with a share of %.1f", name, list, of, b.pc(one), c.share)
		}
	}
}
