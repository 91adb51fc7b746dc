package decoder

import "testing"

// Texts that show the notation, and those of SVE2.1 and B16B16, which the binutils that
// TestDisasmAgreesWithObjdump runs do not know.
func TestDisasmSVE(t *testing.T) {
	for _, c := range []struct {
		word uint32
		text string
	}{
		{0x04000440, "add z0.b, p1/m, z0.b, z2.b"},
		{0x45420820, "uaddlb z0.h, z1.b, z2.b"},
		{0x05c201c0, "mov z0.d, #0x7fff"},
		{0x05000540, "orr z0.h, z0.h, #0x7ff"},
		{0x2578ffe0, "mov z0.h, #-256"},
		{0x25e0e003, "add z3.d, z3.d, #0, lsl #8"},
		{0x044087a0, "asr z0.s, p1/m, z0.s, #3"},
		{0x45282020, "sqshrnb z0.b, z1.h, #8"},
		{0x05242020, "mov z0.s, s1"},
		{0x05362020, "mov z0.h, z1.h[5]"},
		{0x44ba0820, "mla z0.s, z1.s, z2.s[3]"},
		{0x65588400, "fadd z0.h, p1/m, z0.h, #0.5"},
		{0x655a8420, "fmul z0.h, p1/m, z0.h, #2.0"},
		{0x4500dc20, "cadd z0.b, z0.b, z1.b, #270"},
		{0x64824420, "fcmla z0.s, p1/m, z1.s, z2.s, #180"},
		{0x25024440, "mov p0.b, p1/z, p2.b"},
		{0x25814420, "mov p0.b, p1.b"},
		{0x25014640, "not p0.b, p1/z, p2.b"},
		{0x25004650, "mov p0.b, p1/m, p2.b"},
		{0x25104450, "brka p0.b, p1/m, p2.b"},
		{0x2598e080, "ptrue p0.s, vl4"},
		{0x0420e3e0, "cntb x0"},
		{0x04f2e000, "incd x0, pow2, mul #3"},
		{0x04aff3e0, "sqincw x0, w0, all, mul #16"},
		{0x25e20c20, "whilelo p0.d, w1, w2"},
		{0xa5034440, "ld1sh {z0.d}, p1/z, [x2, x3, lsl #1]"},
		{0xa42fe7ff, "ld2b {z31.b, z0.b}, p1/z, [sp, #-2, mul vl]"},
		{0xa5c2e440, "ld3d {z0.d-z2.d}, p1/z, [x2, #6, mul vl]"},
		{0x85634440, "ld1w {z0.s}, p1/z, [x2, z3.s, sxtw #2]"},
		{0xe4dfa440, "st1h {z0.d}, p1, [z2.d, #62]"},
		{0xa4082440, "ld1rqb {z0.b}, p1/z, [x2, #-128]"},
		{0x85a00020, "ldr p0, [x1, #-256, mul vl]"},
		{0xc463c443, "prfw pldl2strm, p1, [x2, z3.d, lsl #2]"},
		{0x0462ac20, "adr z0.d, [z1.d, z2.d, uxtw #3]"},
		{0x04a2a020, "adr z0.s, [z1.s, z2.s]"},
		{0x25b94440, "psel p0, p1, p2.h[w13, 5]"},
		{0x2560753f, "pext {p15.h, p0.h}, pn9[1]"},
		{0x25e07310, "pext p0.d, pn8[3]"},
		{0x25a07812, "ptrue pn10.s"},
		{0x25208660, "cntp x0, pn3.b, vlx4"},
		{0x25624038, "whilegt pn8.h, x1, x2, vlx2"},
		{0x25225432, "whilelt {p2.b, p3.b}, x1, x2"},
		{0x04452440, "addqv v0.8h, p1, z2.h"},
		{0x053e2420, "dupq z0.h, z1.h[7]"},
		{0x05ec3820, "pmov p0.d, z1[6]"},
		{0x052b3820, "pmov z0, p1.b"},
		{0x45314040, "sqcvtn z0.h, {z2.s, z3.s}"},
		{0x45b02840, "sqrshrn z0.h, {z2.s, z3.s}, #16"},
		{0x643a4020, "fdot z0.s, z1.h, z2.h[3]"},
		{0xc403a440, "ld1q {z0.q}, p1/z, [z2.d, x3]"},
		{0xa5112440, "ld1w {z0.q}, p1/z, [x2, #1, mul vl]"},
		{0xa04ee445, "ldnt1d {z4.d-z7.d}, pn9/z, [x2, #-8, mul vl]"},
		{0xa0232042, "st1h {z2.h, z3.h}, pn8, [x2, x3, lsl #1]"},
		{0xe4630440, "st2q {z0.q, z1.q}, p1, [x2, x3, lsl #4]"},
		{0x65020020, "bfadd z0.h, z1.h, z2.h"},
		{0x646a0820, "bfmla z0.h, z1.h, z2.h[5]"},
		{0x04902440, "movprfx z0.s, p1/z, z2.s"},
	} {
		i := Decode(c.word)
		if got := i.Disasm(0); got != c.text {
			t.Errorf("%#08x %s: %q, want %q", c.word, i.Op, got, c.text)
		}
	}
}
