package translate_test

import (
	"math/rand/v2"
	"testing"

	"emu/decoder"
	"emu/tests/diff"
	"emu/translate"
)

// Accesses whose predicate is known to be all true are what they are if it only is that.
func TestSVEKnownPredicates(t *testing.T) {
	interp := diff.NewInterpCPU(t, diff.SVE)
	r := rand.New(rand.NewPCG(3, 8))
	for op := decoder.Op(1); op < decoder.NumOps; op++ {
		if !diff.OfSVE(op) || !translate.Translated(op) || !diff.AccessesMemory(op) {
			continue
		}
		cases := diff.SVEVectors(op, 24, r)
		for n := range cases {
			c := &cases[n]
			if pg, ok := decoder.Decode(c.Words[0]).Field("Pg"); ok {
				c.In.P[pg] = 0xffff
			}
		}
		interp.Reach(t, cases, r)
		want := interp.Run(t, cases)
		for n := range cases {
			c := &cases[n]
			pg, ok := decoder.Decode(c.Words[0]).Field("Pg")
			if !ok {
				continue
			}
			const ptrue = 0x2518e3e0 // PTRUE P0.B
			c.Words = append([]uint32{ptrue | pg}, c.Words...)
			c.In.P[pg] = 0
			want[n].PC += 4
		}
		diff.Compare(t, cases, want, interp.Run(t, cases))
	}
}
