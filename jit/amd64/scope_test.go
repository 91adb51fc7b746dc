//go:build linux && amd64

package amd64_test

import (
	"math/rand/v2"
	"testing"

	"emu/cpu"
	"emu/ir"
)

// TestLoopArguments: loops whose arguments change places, from few to more than
// there are registers, of all types, some unchanged, some constant.
func TestLoopArguments(t *testing.T) {
	for name, o := range configs() {
		n := newBench(t)
		b := ir.NewBuilder(ir.NewFunc(1024))
		for args := 1; args <= 24; args++ {
			for seed := range uint64(12) {
				r := rand.New(rand.NewPCG(seed, uint64(args)))
				b.Reset(0x1000)
				b.Insn(0x1000)
				kinds := []ir.Type{ir.I64, ir.I64, ir.I32, ir.F64, ir.V4I32, ir.I1, ir.Flags}
				kind := kinds[r.IntN(len(kinds))]
				mixed := r.IntN(2) == 0
				types := make([]ir.Type, args)
				init := []ir.Value{b.I64(uint64(r.IntN(7)))}
				for k := range types {
					types[k] = kind
					if mixed {
						types[k] = kinds[r.IntN(len(kinds))]
					}
					init = append(init, operand(b.Func, r, types[k], k%20))
				}
				b.Loop(init...)
				left := b.Arg(0)
				var old []ir.Value
				for k := range types {
					old = append(old, b.Arg(k+1))
				}
				b.If(b.ICmp(ir.EQ, left, b.I64(0)))
				b.Break(0, old...)
				b.Else()
				b.End()
				next := []ir.Value{b.SubI(left, 1)}
				for k := range types {
					v := old[k]
					switch from := (k + 1 + r.IntN(2)) % args; {
					case r.IntN(8) == 0:
						v = operand(b.Func, r, types[k], k%20)
					case types[from] == types[k] && r.IntN(6) != 0:
						v = old[from]
					}
					if types[k] == ir.I64 && r.IntN(4) == 0 {
						v = b.Add(v, left)
					}
					next = append(next, v)
				}
				b.Continue(0, next...)
				first := b.End()
				for k := range types {
					show(b.Func, first+ir.Value(k), k)
				}
				b.Jump(0x1004)
				if err := b.Func.Verify(); err != nil {
					t.Fatalf("%v\n%s", err, b.Func)
				}
				report := n.compare(b.Func, o, func(s *cpu.State, mem []byte) { randomState(s, rand.New(rand.NewPCG(seed, 11))) })
				if report != "" {
					dumpFailure(report)
					t.Fatalf("%s, %d arguments, seed %d:\n%s", name, args, seed, report)
				}
			}
		}
	}
}

// FuzzUnits compares the engines on random units of the fuzzer's choice.
func FuzzUnits(f *testing.F) {
	n := newBench(f)
	b := ir.NewBuilder(ir.NewFunc(1024))
	for seed := range uint64(4) {
		f.Add(seed, uint16(50*seed), uint8(seed))
	}
	all := configs()
	names := []string{"detected", "baseline", "bmi", "nofold"}
	f.Fuzz(func(t *testing.T, seed uint64, insts uint16, config uint8) {
		g := ir.Random{Rand: rand.New(rand.NewPCG(seed, 1)), Insts: int(insts % 2000), MemX: 3, MemSize: memSize}
		b.Reset(0x1000)
		g.Build(b)
		report := n.compare(b.Func, all[names[int(config)%len(names)]], func(s *cpu.State, mem []byte) {
			r := rand.New(rand.NewPCG(seed, 2))
			randomState(s, r)
			for i := range mem {
				mem[i] = byte(r.Uint32())
			}
			s.X[3] = n.address()
		})
		if report != "" {
			t.Fatalf("the engines disagree:\n%s", report)
		}
	})
}
