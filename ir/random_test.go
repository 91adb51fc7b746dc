package ir

import (
	"math/rand/v2"
	"testing"
)

func randomFunc(seed uint64, insts int) *Func {
	b := NewBuilder(NewFunc(256))
	b.Reset(0x1000)
	r := Random{Rand: rand.New(rand.NewPCG(seed, 1)), Insts: insts, MemX: 5, MemSize: 64}
	r.Build(b)
	return b.Func
}

func TestRandomIsValidAndRoundTrips(t *testing.T) {
	for seed := range uint64(1000) {
		f := randomFunc(seed, 120)
		if err := f.Verify(); err != nil {
			t.Fatalf("seed %d: %v\n%v", seed, err, f)
		}
		text := f.String()
		g, err := Parse(text)
		if err != nil {
			t.Fatalf("seed %d: %v\n%v", seed, err, f)
		}
		if again := g.String(); again != text {
			t.Fatalf("seed %d: printed, parsed and printed\n%v\ngives\n%v", seed, text, again)
		}
		if err := g.Verify(); err != nil {
			t.Fatalf("seed %d after parsing: %v\n%v", seed, err, g)
		}
		bin, err := f.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		h := NewFunc(16)
		if err := h.UnmarshalBinary(bin); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if again := h.String(); again != text || h.Verify() != nil {
			t.Fatalf("seed %d: the binary form of\n%v\ngives\n%v", seed, text, again)
		}
	}
}
