//go:build linux && amd64

package amd64_test

import (
	"math/rand/v2"
	"testing"

	"emu/internal/softfp"
	"emu/ir"
	"emu/jit/host"
)

// TestBFloatDots takes operands whose products and sums overlap, cancel and lose a
// few bits, near one and at both ends of the range, which random ones seldom do.
func TestBFloatDots(t *testing.T) {
	count := 3000
	if testing.Short() {
		count = 300
	}
	for name, feat := range fpConfigs() {
		t.Run(name, func(t *testing.T) {
			n := newBench(t)
			fn := ir.NewFunc(64)
			r := rand.New(rand.NewPCG(31, 32))
			for _, op := range []ir.Op{ir.OpBFDot, ir.OpBFMMLA} {
				f := fpForm{op: op, ret: ir.V4F32, args: [3]ir.Type{ir.V4F32, ir.V8I16, ir.V8I16}}
				f.build(fn, false, 0, nil)
				for _, fpcr := range []uint32{0, softfp.FZ, 2 << softfp.RModeShift, softfp.DN} {
					if err := n.b.Compile(fn, host.Options{Features: feat, FPCR: fpcr &^ softfp.RModeMask}, &n.code); err != nil {
						t.Fatal(err)
					}
					n.m.Load(&n.code)
					for range count {
						args := bfOperands(r)
						if d := n.fpRun(f, fpcr, args, args); d != "" {
							t.Fatal(d)
						}
					}
				}
			}
		})
	}
}

// bfOperands are an accumulator and two vectors with exponents near each other.
func bfOperands(r *rand.Rand) (args [3]ir.Val) {
	spread := 1 + r.IntN(40)
	center := [3]int{127, 127, 127}
	switch r.IntN(4) {
	case 0: // products at the lower end
		center = [3]int{5, 70, 65}
	case 1: // at the upper end
		center = [3]int{250, 190, 190}
	}
	exponent := func(k int) uint64 { return uint64(min(max(center[k]+r.IntN(spread)-spread/2, 0), 254)) }
	for k := range 4 {
		x := r.Uint64()&1<<31 | exponent(0)<<23 | r.Uint64()>>(41+r.IntN(23))
		putLane(&args[0], 32, k, x)
	}
	for i := 1; i < 3; i++ {
		for k := range 8 {
			putLane(&args[i], 16, k, r.Uint64()&1<<15|exponent(i)<<7|r.Uint64()>>(57+r.IntN(7)))
		}
	}
	return args
}

func putLane(v *ir.Val, width, k int, x uint64) {
	if at := k * width; at < 64 {
		v.Lo |= x << at
	} else {
		v.Hi |= x << (at - 64)
	}
}
