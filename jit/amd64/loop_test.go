//go:build linux && amd64

package amd64_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"emu/cpu"
	"emu/internal/softfp"
	"emu/ir"
	"emu/ir/opt"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

// TestLoops: random nests of loops do the same as in the interpreter: with polls
// taken, with faults at any iteration, on few and many registers.
func TestLoops(t *testing.T) {
	n := newBench(t)
	f := ir.NewFunc(8192)
	var g loopGen
	all := uint64(x64.Detect())
	kinds := map[cpu.ExitKind]int{}
	vectors := 0 // units in which pairs have become vectors
	var plain result
	for seed := uint64(*first); seed < uint64(*first+*seeds); seed++ {
		some := rand.New(rand.NewPCG(seed, 24))
		subset := slices.DeleteFunc(slices.Clone(opt.Passes), func(opt.Pass) bool { return some.IntN(2) == 0 })
		for k, passes := range [][]opt.Pass{nil, opt.Passes, subset} {
			g.build(f, seed, passes)
			if err := f.Verify(); err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, f)
			}
			o := host.Options{Verify: true}
			if seed%3 > 0 {
				o.Features = all
			}
			o.NoFold = seed%5 == 0
			if seed%7 == 3 {
				o.FPCR = softfp.DN
			}
			if seed%4 == 1 { // which has FPCRWatched
				o.FPCR |= softfp.FZ | cpu.FPCRWritten
			}
			if n.unwatched = seed%2 == 0; !n.unwatched {
				o.FPCR |= cpu.FPCRWatched
			}
			report := n.compare(f, o, func(s *cpu.State, mem []byte) {
				r := rand.New(rand.NewPCG(seed, 22))
				randomState(s, r)
				for i := range mem {
					mem[i] = byte(r.Uint32())
				}
				s.X[3] = n.address() + 4096 - 48 - 16*uint64(r.IntN(12))
				if r.IntN(2) == 0 {
					s.X[3] = n.address()
				}
				s.X[5] = uint64(r.IntN(40))
				s.FPCR = o.FPCR
				s.SetFPCR(o.FPCR)
				for n := range 8 * r.IntN(2) {
					s.V[n] = [2]uint64{floats(r), floats(r)}
				}
				if r.IntN(8) == 0 {
					s.Pending = 1
				}
				s.Pauses = r.Uint32N(8)
			})
			if report != "" {
				dumpFailure(report)
				t.Fatalf("seed %d, passes %d: the engines disagree:\n%s", seed, k, report)
			}
			s := n.m.State
			kinds[cpu.ExitKind(s.Exit)]++
			after := resultOf(s, cpu.ExitKind(s.Exit), 0, n.mem)
			if k == 0 {
				plain = after
				continue
			}
			if d := plain.diff(&after); d != "" {
				t.Fatalf("seed %d: passes %d change what it does:\n%s", seed, k, d)
			}
			vectors += hasPairs(f)
		}
	}
	if kinds[cpu.ExitFault] < *seeds/20 || kinds[cpu.ExitPoll] < *seeds/20 || kinds[cpu.ExitYield] < *seeds/20 {
		t.Errorf("too few faults, polls or yields: %v", kinds)
	}
	if vectors < *seeds/10 {
		t.Errorf("only %d of %d units have pairs in vectors", vectors, *seeds)
	}
}

// hasPairs is 1 if f stores a vector that was loaded as two lanes, 0 else.
func hasPairs(f *ir.Func) int {
	for _, in := range f.Insts {
		if in.Op() == ir.OpStore && f.TypeOf(in.A()) == ir.V2I64 {
			return 1
		}
	}
	return 0
}

// TestBitTestForgetsResultFlags: a condition of packed flags tests a bit, after
// which the host's flags are no longer those of the result before it.
func TestBitTestForgetsResultFlags(t *testing.T) {
	n := newBench(t)
	f := parse(t, `func 0x1000 size 8
		insn #0x1000
		v1:i64 = getx #0
		v2:i64 = getx #1
		v3:i64 = and v1, v2
		v4:flags = getnzcv
		v5:i1 = cond.vc v4
		v6:i64 = zext v5
		setx #2, v6
		v8:flags = nz v3
		setnzcv v8
		setx #3, v3
		jump #0x1008`)
	for seed := range uint64(200) {
		report := n.compare(f, host.Options{Verify: true}, func(s *cpu.State, mem []byte) {
			randomState(s, rand.New(rand.NewPCG(seed, 23)))
		})
		if report != "" {
			t.Fatalf("seed %d:\n%s", seed, report)
		}
	}
}
