package a64crypto

import (
	"math/rand/v2"
	"testing"
)

// The test vectors of the QARMA paper for a 64-bit state, five rounds either
// side of the reflector.
func TestQARMAVectors(t *testing.T) {
	const (
		w0, k0   = 0x84be85ce9804e94b, 0xec2802d4e0a488e9
		tweak, p = 0x477d469dec0b8762, 0xfb623599da6e8127
	)
	tests := []struct {
		name        string
		sub, invSub nibbles
		want        uint64
	}{
		{"sigma 1", qarmaSub1, qarmaSub1, 0x544b0ab95bda7c3a},
		{"sigma 2", qarmaSub, qarmaInvSub, 0xc003b93999b33765},
	}
	for _, test := range tests {
		if got := qarma(p, tweak, w0, k0, 4, test.sub, test.invSub); got != test.want {
			t.Errorf("%s: %#x, want %#x", test.name, got, test.want)
		}
	}
	five := PointerAuth{}
	if got := five.ComputePAC(p, tweak, PACKey{Lo: k0, Hi: w0}); got != tests[1].want {
		t.Errorf("ComputePAC with QARMA5 = %#x, want %#x", got, tests[1].want)
	}
	if got := five.Generic(p, tweak, PACKey{Lo: k0, Hi: w0}); got != 0xc003b93900000000 {
		t.Errorf("PACGA = %#x", got)
	}
}

// QARMA is built so that the inverse cipher is the cipher with related keys;
// wrong tables or orders in any round break one of these identities.
func TestQARMAStructure(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		x := r.Uint64()
		for _, pair := range [][2]uint64{
			{x, qarmaInvSub.substitute(qarmaSub.substitute(x))},
			{x, qarmaSub1.substitute(qarmaSub1.substitute(x))},
			{x, cellInvShuffle.permute(cellShuffle.permute(x))},
			{x, prevTweak(nextTweak(x))},
			{x, mixCells(mixCells(x))},
		} {
			if pair[0] != pair[1] {
				t.Fatalf("%#x came back as %#x", pair[0], pair[1])
			}
		}
	}
}

// QARMA3 differs from QARMA5 in its S-box and the number of rounds, both of
// which TestQARMAVectors covers; here, that the short cipher depends on
// every input bit.
func TestQARMA3Diffusion(t *testing.T) {
	p := PointerAuth{QARMA3: true}
	r := rand.New(rand.NewPCG(7, 8))
	key := PACKey{Lo: r.Uint64(), Hi: r.Uint64()}
	data, modifier := r.Uint64(), r.Uint64()
	base := p.ComputePAC(data, modifier, key)
	for i := range 64 {
		bit := uint64(1) << i
		for _, other := range []uint64{
			p.ComputePAC(data^bit, modifier, key),
			p.ComputePAC(data, modifier^bit, key),
			p.ComputePAC(data, modifier, PACKey{Lo: key.Lo ^ bit, Hi: key.Hi}),
			p.ComputePAC(data, modifier, PACKey{Lo: key.Lo, Hi: key.Hi ^ bit}),
		} {
			if other == base {
				t.Errorf("bit %d has no effect", i)
			}
		}
	}
}

func TestPointerAuthRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, p := range []PointerAuth{{}, {QARMA3: true}, {Enhanced: true}, {PAuth2: true}} {
		forged := 0
		for range 2000 {
			key := PACKey{Lo: r.Uint64(), Hi: r.Uint64()}
			ptr, modifier := r.Uint64()&^(0x7f<<48|1<<55), r.Uint64() // user, any top byte
			signed := p.Add(ptr, modifier, key)
			if Strip(signed) != ptr || signed>>55 != ptr>>55 {
				t.Fatalf("%+v: %#x signed is %#x, stripped %#x", p, ptr, signed, Strip(signed))
			}
			if got, ok := p.Auth(signed, modifier, key, false); !ok || got != ptr {
				t.Fatalf("%+v: %#x authenticates as %#x, %v", p, signed, got, ok)
			}
			bad, ok := p.Auth(signed^1<<50, modifier, key, true)
			if ok {
				t.Fatalf("%+v: tampered %#x passes", p, signed)
			}
			if bad&codeMask(bad) == 0 {
				t.Fatalf("%+v: failed pointer %#x is canonical", p, bad)
			}
			if !p.PAuth2 && bad>>53&3 != 0b10 {
				t.Fatalf("failed pointer %#x lacks the B key's error code", bad)
			}
			if _, ok := p.Auth(signed, modifier+1, key, false); ok {
				forged++
			}
		}
		if forged > 60 { // 7 bits: about 16 of 2000 by chance
			t.Errorf("%+v: %d of 2000 wrong modifiers pass", p, forged)
		}
	}
}

func TestPointerAuthKernelAddress(t *testing.T) {
	p := PointerAuth{}
	key := PACKey{Lo: 1, Hi: 2}
	const ptr = 0xffff_8000_1234_5678
	signed := p.Add(ptr, 3, key)
	if signed>>55&1 != 1 || Strip(signed) != ptr || signed>>56 == 0xff && signed>>48&0x7f == 0x7f {
		t.Errorf("signed %#x", signed)
	}
	if got, ok := p.Auth(signed, 3, key, false); !ok || got != ptr {
		t.Errorf("authenticates as %#x, %v", got, ok)
	}
	if got, ok := p.Auth(signed^1<<60, 3, key, false); ok || got>>61&3 != 0b01 {
		t.Errorf("tampered one gives %#x, %v", got, ok)
	}
}

// A pointer that is not canonical must not get a valid code.
func TestNonCanonicalPointerIsSpoiled(t *testing.T) {
	key := PACKey{Lo: 11, Hi: 12}
	const ptr = 0x0001_0000_1234_5678
	for _, p := range []PointerAuth{{}, {PAuth2: true}} {
		if got, ok := p.Auth(p.Add(ptr, 5, key), 5, key, false); ok {
			t.Errorf("%+v: authenticates as %#x", p, got)
		}
	}
	if got := (PointerAuth{Enhanced: true}).Add(ptr, 5, key); got != Strip(ptr) {
		t.Errorf("FEAT_EPAC: %#x, want a zero code", got)
	}
}

// Bits 54:48 all set below a clear bit 55 are as wrong as any other mix: the
// extension is judged together with bit 55 (found by TestQEMU).
func TestOnesBelowClearBit55AreNotCanonical(t *testing.T) {
	key := PACKey{Lo: 21, Hi: 22}
	const ptr = 0x657f_d8cc_5f49_726e
	p := PointerAuth{}
	if got, ok := p.Auth(p.Add(ptr, 5, key), 5, key, false); ok {
		t.Errorf("authenticates as %#x", got)
	}
}
