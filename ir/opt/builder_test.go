package opt

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"emu/ir"
)

// TestBuilderKeepsMeaning compares units that were built with and without
// folding, sharing and the register map.
func TestBuilderKeepsMeaning(t *testing.T) {
	for seed := range uint64(800) {
		checkBuilder(t, seed, 20+int(seed%150))
	}
}

func FuzzBuilder(f *testing.F) {
	f.Add(uint64(1), uint16(100))
	f.Fuzz(func(t *testing.T, seed uint64, insts uint16) { checkBuilder(t, seed, int(insts%300)) })
}

func checkBuilder(t *testing.T, seed uint64, insts int) {
	t.Helper()
	var want outcome
	var text string
	for _, plain := range []bool{true, false} {
		b := ir.NewBuilder(ir.NewFunc(256))
		b.Reset(0x1000)
		b.Plain = plain
		r := ir.Random{Rand: rand.New(rand.NewPCG(seed, 7)), Insts: insts, MemX: memX, MemSize: 64, Faults: seed%2 == 0}
		r.Build(b)
		if err := b.Verify(); err != nil {
			t.Fatalf("seed %d, plain %v: %v\n%v", seed, plain, err, b)
		}
		have := execute(b.Func, seed, &guestMemory)
		if plain {
			want, text = have, b.String()
			continue
		}
		if diff := cmp.Diff(want, have); diff != "" {
			t.Fatalf("seed %d: %s\nplain:\n%v\nbuilt:\n%v", seed, diff, text, b)
		}
	}
}
