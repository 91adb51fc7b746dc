//go:build linux && amd64

package amd64_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"emu/cpu"
	"emu/ir"
	"emu/ir/interp"
	"emu/jit/amd64"
	"emu/jit/asm/x64"
)

// TestElementsAtTheEnd: of elements on both sides of the end of memory those behind it fault
// if they are accessed, and only then. Where the host goes through elements it names the address.
func TestElementsAtTheEnd(t *testing.T) {
	for name, o := range configs() {
		n := newBench(t)
		s := n.m.State
		f := ir.NewFunc(64)
		end := n.address() + uint64(len(n.mem))
		tail := n.mem[len(n.mem)-32:]
		faults, whole := 0, 0
		for seed := range uint64(4000) {
			r := rand.New(rand.NewPCG(seed, 11))
			typ := memTypes[7:][r.IntN(7)]
			size := 16
			f.Reset(0x1000)
			x := f.Emit(ir.OpGetX, ir.I64, ir.Imm(1), ir.None, ir.None)
			elements := elements(f, r, typ)
			f.Emit(ir.OpSetX, ir.Void, ir.Imm(2), x, ir.None)
			if r.IntN(2) == 0 {
				v := f.Emit(ir.OpGetV, typ, ir.Imm(3), ir.None, ir.None)
				f.Emit(ir.OpStoreP, ir.Void, v, x, elements)
			} else {
				for size > max(2, typ.Lane().Bytes()) && r.IntN(2) == 0 {
					size /= 2
				}
				show(f, f.Emit(ir.OpLoadP, typ, x, elements, ir.Imm(size)), 4)
			}
			f.Emit(ir.OpJump, ir.Void, f.Const(ir.I64, 0x1004), ir.None, ir.None)
			if err := f.Verify(); err != nil {
				t.Fatal(err)
			}
			randomState(s, r)
			s.X[1] = end - uint64(r.IntN(size+1))
			for k := range tail {
				tail[k] = byte(r.Uint32())
			}
			before, memory := *s, bytes.Clone(tail)
			var im interp.Machine
			e := im.Exec(f, s)
			want, wrote := *s, bytes.Clone(tail)

			*s = before
			copy(tail, memory)
			if err := n.b.Compile(f, o, &n.code); err != nil {
				t.Fatal(err)
			}
			n.m.Load(&n.code)
			kind := n.m.Run(amd64.ServeHelper)
			fault := kind == cpu.ExitFault
			switch {
			case kind != e.Kind, s.X != want.X, s.V != want.V:
				t.Fatalf("%s, seed %d: %v, interpreted %v; V4 %x, %x\n%v", name, seed, kind, e.Kind, s.V[4], want.V[4], f)
			case !fault && !bytes.Equal(tail, wrote):
				t.Fatalf("%s, seed %d: stored %x, interpreted %x\n%v", name, seed, tail, wrote, f)
			case fault && o.Features&uint64(x64.AVX512BW) == 0 && s.FaultAddr != e.Arg[0]:
				t.Fatalf("%s, seed %d: fault at end%+d, interpreted at end%+d\n%v", name, seed, s.FaultAddr-end, e.Arg[0]-end, f)
			case fault:
				faults++
			default:
				whole++
			}
		}
		if faults < 1000 || whole < 500 {
			t.Errorf("%s: %d faults, %d accesses without", name, faults, whole)
		}
	}
}
