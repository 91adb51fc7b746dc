package decoder

import (
	"math/rand/v2"
	"testing"
)

// Each row's own words decode to it, and RandomWord honours its contract.
func TestRandomWordsDecodeToTheirRow(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for op := Op(1); op < NumOps; op++ {
		r := RowOf(op)
		for range 50 {
			w := RandomWord(op, rng.Uint32)
			if w&r.Mask != r.Value || w&r.ShouldMask != r.ShouldValue {
				t.Fatalf("RandomWord(%s) = %#08x: fixed or should-be bits wrong", op, w)
			}
			flipped := w ^ rng.Uint32()&r.ShouldMask
			if got := Decode(flipped).Op; got != op {
				t.Fatalf("Decode(%#08x) = %s, want %s", flipped, got, op)
			}
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	words := make([]uint32, 4096)
	for i := range words {
		words[i] = RandomWord(Op(1+rng.IntN(NumOps-1)), rng.Uint32)
	}
	b.ReportAllocs()
	var sum Op
	for i := 0; b.Loop(); i++ {
		sum += Decode(words[i&4095]).Op
	}
	_ = sum
}
