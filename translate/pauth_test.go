package translate_test

import (
	"math/rand/v2"
	"testing"

	"emu/cpu"
	"emu/internal/a64crypto"
	"emu/ir/interp"
	"emu/translate"
)

// single executes one instruction on s at pc, on a processor.
func single(t *testing.T, spec string, s *cpu.State, pc uint64, word uint32) cpu.Exit {
	t.Helper()
	c, err := translate.ParseCPU(spec)
	if err != nil {
		t.Fatal(err)
	}
	tr := translate.New(translate.Options{CPU: c, MaxInsts: 1})
	return new(interp.Machine).Exec(tr.Block(pc, func(uint64) (uint32, bool) { return word, true }), s)
}

func newState(t *testing.T) *cpu.State {
	t.Helper()
	s, err := cpu.NewState()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Free)
	return s
}

// Instructions of each key by each algorithm, on user and kernel addresses with
// and without tags and on noise, do what a64crypto.PointerAuth does in Go, whose
// QARMA has the vectors of its paper.
func TestPointerAuthAgainstGo(t *testing.T) {
	algorithms := map[string]a64crypto.PointerAuth{
		"max":                 {PAuth2: true, Fast: true},
		"max,pauth-qarma5=on": {PAuth2: true},
		"max,pauth-qarma3=on": {PAuth2: true, QARMA3: true},
	}
	const pc, pac, aut, pacga = 0x4000, 0xdac10020, 0xdac11020, 0x9ac23020
	r := rand.New(rand.NewPCG(31, 1))
	for spec, auth := range algorithms {
		s := newState(t)
		for range 200 {
			ptr, modifier := r.Uint64(), r.Uint64()
			switch r.IntN(4) {
			case 0:
				ptr &= 1<<48 - 1
			case 1:
				ptr |= 0xffff << 48
			case 2:
				ptr = ptr&^(0xff<<48) | 0x00<<48
			}
			for n := range s.APKeys {
				s.APKeys[n] = [2]uint64{r.Uint64(), r.Uint64()}
			}
			for n := range s.PACEnabled {
				s.PACEnabled[n] = ^uint64(0)
				key := a64crypto.PACKey{Lo: s.APKeys[n][0], Hi: s.APKeys[n][1]}
				s.X[0], s.X[1] = ptr, modifier
				single(t, spec, s, pc, pac|uint32(n)<<10)
				want := auth.Add(ptr, modifier, key)
				if s.X[0] != want {
					t.Fatalf("%s: key %d of %#x, %#x: %#x, want %#x", spec, n, ptr, modifier, s.X[0], want)
				}
				for _, signed := range []uint64{want, want ^ 1<<51, ptr} {
					s.X[0] = signed
					exit := single(t, spec, s, pc, aut|uint32(n)<<10)
					got, ok := auth.Auth(signed, modifier, key, n&1 == 1)
					if failed := exit.Kind == cpu.ExitPAC; failed == ok || ok && s.X[0] != got || failed && (s.X[0] != signed || exit.PC != pc) {
						t.Fatalf("%s: authenticating %#x with key %d: %v at %#x, %#x; want %#x, %t", spec, signed, n, exit.Kind, exit.PC, s.X[0], got, ok)
					}
				}
			}
			s.X[1], s.X[2] = ptr, modifier
			single(t, spec, s, pc, pacga)
			if want := auth.Generic(ptr, modifier, a64crypto.PACKey{Lo: s.APKeys[4][0], Hi: s.APKeys[4][1]}); s.X[0] != want {
				t.Fatalf("%s: PACGA: %#x, want %#x", spec, s.X[0], want)
			}
		}
	}
}

// Without FEAT_FPAC a wrong code gives a pointer that is not canonical; a key that
// is switched off leaves pointers alone.
func TestPointerAuthWithoutFault(t *testing.T) {
	const pc, pacia, autia = 0x4000, 0xdac10020, 0xdac11020
	s := newState(t)
	s.APKeys[0] = [2]uint64{0x1234567890abcdef, 0xfedcba0987654321}
	s.PACEnabled[0] = ^uint64(0)
	s.X[0], s.X[1] = 0xaaaa_0000_1234, 77
	single(t, "max,fpac=off", s, pc, pacia)
	s.X[0] ^= 1 << 50
	exit := single(t, "max,fpac=off", s, pc, autia)
	if exit.Kind != cpu.ExitBranch || s.X[0] != 0xaaaa_0000_1234|1<<50 {
		t.Errorf("%v, pointer %#x", exit.Kind, s.X[0])
	}
	s.PACEnabled[0] = 0
	for _, word := range []uint32{pacia, autia} {
		s.X[0] = 0x0055_aaaa_0000_1234
		if exit := single(t, "max", s, pc, word); exit.Kind != cpu.ExitBranch || s.X[0] != 0x0055_aaaa_0000_1234 {
			t.Errorf("%08x with the key off: %v, pointer %#x", word, exit.Kind, s.X[0])
		}
	}
}
