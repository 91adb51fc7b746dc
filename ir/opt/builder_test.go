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

// TestBuilderOfPredicates does so with what turns masks of lanes into numbers and back.
func TestBuilderOfPredicates(t *testing.T) {
	masks := 0
	for seed := range uint64(3000) {
		var want outcome
		var text string
		for _, plain := range []bool{true, false} {
			b := ir.NewBuilder(ir.NewFunc(64))
			b.Reset(0x1000)
			b.Plain = plain
			predicateUnit(b, rand.New(rand.NewPCG(seed, 8)))
			if err := b.Verify(); err != nil {
				t.Fatalf("seed %d, plain %v: %v\n%v", seed, plain, err, b)
			}
			have := execute(b.Func, seed, &guestMemory)
			n := 0
			for _, i := range b.Insts {
				if i.Op() == ir.OpLaneMask {
					n++
				}
			}
			if plain {
				want, text = have, b.String()
				masks += n
				continue
			}
			masks -= n
			if diff := cmp.Diff(want, have); diff != "" {
				t.Fatalf("seed %d: %s\nplain:\n%v\nbuilt:\n%v", seed, diff, text, b)
			}
		}
	}
	if masks < 1000 {
		t.Errorf("only %d masks are saved", masks)
	}
}

func predicateUnit(b *ir.Builder, r *rand.Rand) {
	types := []ir.Type{ir.V16I8, ir.V8I16, ir.V4I32, ir.V2I64, ir.V4F32}
	ty := types[r.IntN(len(types))] // mostly
	pick := func() ir.Type {
		if r.IntN(6) == 0 {
			return types[r.IntN(len(types))]
		}
		return ty
	}
	preds := []ir.Value{b.GetX(0), b.GetX(1)}
	vecs := []ir.Value{b.GetV(ir.V16I8, 0), b.GetV(ir.V16I8, 1)}
	for range 12 {
		p, q := preds[r.IntN(len(preds))], preds[r.IntN(len(preds))]
		t := pick()
		v, w := b.Bitcast(t.IntOf(), vecs[r.IntN(len(vecs))]), b.Bitcast(t.IntOf(), vecs[r.IntN(len(vecs))])
		switch r.IntN(8) {
		case 0:
			preds = append(preds, b.AndI(p, []uint64{0xffff, 0x5555, 0x1111, 0x0101, 0xff, 0}[r.IntN(6)]))
		case 1:
			preds = append(preds, b.And(p, q))
		case 2, 3:
			preds = append(preds, b.TopBits(b.Bitcast(t, v)))
		case 4, 5:
			vecs = append(vecs, b.LaneMask(t, p))
		case 6:
			vecs = append(vecs, b.ICmp(ir.Cond(r.IntN(10)), v, w))
		case 7:
			vecs = append(vecs, b.Op2([]ir.Op{ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpAndNot}[r.IntN(4)], v, w))
		}
	}
	for n := range 4 {
		b.SetX(2+n, preds[len(preds)-1-n%2])
		b.SetV(2+n, vecs[len(vecs)-1-n%2])
	}
	b.Jump(0x1004)
	b.Size = 4
}
