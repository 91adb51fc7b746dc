package translate

import (
	bin "encoding/binary"
	"math/rand/v2"
	"testing"

	"emu/decoder"
)

// No word makes the translator panic or emit IR that the verifier refuses.
func TestEveryWordTranslates(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	tr := New(Options{})
	check := func(words []uint32) {
		t.Helper()
		if f := tr.Block(testPC, fetchFrom(words)); f.Verify() != nil {
			t.Fatalf("%08x: %v\n%v", words, f.Verify(), f)
		}
	}
	for op := decoder.Op(1); op < decoder.NumOps; op++ {
		for range 20 {
			check([]uint32{decoder.RandomWord(op, r.Uint32)})
		}
	}
	for range 100_000 {
		check([]uint32{r.Uint32()})
	}
}

func FuzzBlock(f *testing.F) {
	var seed []byte
	for _, w := range loop {
		seed = bin.LittleEndian.AppendUint32(seed, w)
	}
	f.Add(seed)
	tr := New(Options{})
	f.Fuzz(func(t *testing.T, code []byte) {
		var words []uint32
		for ; len(code) >= 4 && len(words) < 64; code = code[4:] {
			words = append(words, bin.LittleEndian.Uint32(code))
		}
		if f := tr.Block(testPC, fetchFrom(words)); f.Verify() != nil {
			t.Fatalf("%08x: %v\n%v", words, f.Verify(), f)
		}
	})
}
