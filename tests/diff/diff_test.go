package diff

import (
	"math/rand/v2"
	"testing"
)

// The runner restores and saves every part of the state: a case without
// instructions changes nothing but PC and signal.
func TestQemuRoundTrip(t *testing.T) {
	q := NewQemu(t)
	r := rand.New(rand.NewPCG(1, 1))
	cases := make([]Case, 50)
	want := make([]State, len(cases))
	for n := range cases {
		s := RandomState(r)
		s.SP = r.Uint64() &^ 15
		s.FPCR, s.FPSR = r.Uint32()&0x07c80000, r.Uint32()&0x0800009f
		cases[n].In = s
		s.PC, s.Sig = CodeStart, 5
		want[n] = s
	}
	Compare(t, cases, want, q.Run(t, cases))
	Compare(t, cases, want, NewInterp(t).Run(t, cases))
}

// ADD, a store through SP and a load fault: values, memory, signal and address.
func TestQemuExecutes(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	in := RandomState(r)
	in.X[1], in.X[2], in.X[5] = 40, 2, 0x3_0000_0000
	c := []Case{{Words: []uint32{0x8b020020, 0xf90003e0, 0xf94008a3}, In: in}} // add x0,x1,x2; str x0,[sp]; ldr x3,[x5,#16]
	for name, got := range map[string]State{"qemu": NewQemu(t).Run(t, c)[0], "interp": NewInterp(t).Run(t, c)[0]} {
		if got.X[0] != 42 || got.Mem[512] != 42 || got.X[3] != in.X[3] {
			t.Errorf("%s: x0 = %d, memory %d, x3 changed: %t", name, got.X[0], got.Mem[512], got.X[3] != in.X[3])
		}
		if got.Sig != 11 || got.Addr != 0x3_0000_0010 || got.PC != CodeStart+8 {
			t.Errorf("%s: signal %d at %#x, address %#x", name, got.Sig, got.PC, got.Addr)
		}
	}
}
