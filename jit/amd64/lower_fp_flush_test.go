//go:build linux && amd64

package amd64_test

import (
	"math/rand/v2"
	"testing"

	"emu/cpu"
	"emu/internal/softfp"
	"emu/ir"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

// TestDenormalsOfTwoOperands: the tests of both operands for denormals lead to the same cold code, also where
// registers are short: none may be spilled between them, as the first one's way does not come through there.
func TestDenormalsOfTwoOperands(t *testing.T) {
	n := newBench(t)
	f := ir.NewFunc(256)
	for _, ty := range []ir.Type{ir.F32, ir.F64} {
		b := ir.NewBuilder(f)
		b.Reset(0x1000)
		b.Insn(0x1000)
		var regs []ir.Value
		for k := range 31 {
			regs = append(regs, b.GetX(k))
		}
		sum := b.Op2(ir.OpFMaxNM, b.GetV(ty, 0), b.GetV(ty, 1))
		b.SetV(2, sum)
		for k, v := range regs { // none of which is where it was
			b.SetX((k+1)%31, b.AddI(v, uint64(k)))
		}
		b.Jump(0x1004)
		f.Size = 4
		if err := f.Verify(); err != nil {
			t.Fatal(err)
		}
		for denormal := range 2 {
			o := host.Options{Features: uint64(x64.Detect()), FPCR: softfp.FZ | cpu.FPCRWritten | cpu.FPCRWatched, Verify: true}
			report := n.compare(f, o, func(s *cpu.State, mem []byte) {
				randomState(s, rand.New(rand.NewPCG(uint64(denormal), 1)))
				s.SetFPCR(o.FPCR)
				s.V[0], s.V[1] = [2]uint64{0x3ff0000040000000}, [2]uint64{0x3ff0000040000000}
				s.V[denormal] = [2]uint64{1}
			})
			if report != "" {
				t.Fatalf("%v, operand %d is a denormal:\n%s", ty, denormal, report)
			}
		}
	}
}
