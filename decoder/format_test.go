package decoder

import (
	"slices"
	"testing"
)

// Texts that show the notation, and those of instructions newer than the
// binutils that TestDisasmAgreesWithObjdump runs.
func TestDisasm(t *testing.T) {
	for _, c := range []struct {
		word uint32
		text string
	}{
		{0x91004020, "add x0, x1, #0x10"},
		{0x914007ff, "add sp, sp, #0x1, lsl #12"},
		{0x910003fd, "mov x29, sp"},
		{0xd2824680, "mov x0, #0x1234"},
		{0x92800000, "mov x0, #0xffffffffffffffff"},
		{0xf2a24680, "movk x0, #0x1234, lsl #16"},
		{0xaa0103e0, "mov x0, x1"},
		{0x8b214c20, "add x0, x1, w1, uxtw #3"},
		{0x8b2163ff, "add sp, sp, x1"},
		{0xeb01001f, "cmp x0, x1"},
		{0x531c6c20, "lsl w0, w1, #4"},
		{0xd3431c20, "ubfx x0, x1, #3, #5"},
		{0x9a9f17e0, "cset x0, eq"},
		{0xa9bf7bfd, "stp x29, x30, [sp, #-16]!"},
		{0xf9400420, "ldr x0, [x1, #8]"},
		{0xf9400020, "ldr x0, [x1]"},
		{0xf8627820, "ldr x0, [x1, x2, lsl #3]"},
		{0x54000041, "b.ne 0x1008"},
		{0xd65f03c0, "ret"},
		{0xd65f0020, "ret x1"},
		{0xd53bd041, "mrs x1, tpidr_el0"},
		{0xd50b7521, "ic ivau, x1"},
		{0xd503201f, "nop"},
		{0xd5033bbf, "dmb ish"},
		{0xd5033fdf, "isb"},
		{0x1e6e1000, "fmov d0, #1.000000000000000000e+00"},
		{0x4e228420, "add v0.16b, v1.16b, v2.16b"},
		{0x4f828020, "mul v0.4s, v1.4s, v2.s[0]"},
		{0x4c4020bf, "ld1 {v31.16b, v0.16b, v1.16b, v2.16b}, [x5]"},
		{0x4c4020a0, "ld1 {v0.16b-v3.16b}, [x5]"},
		{0x4d40a0bf, "ld3 {v31.s, v0.s, v1.s}[2], [x5]"},
		{0xb8e20020, "ldaddal w2, w0, [x1]"},
		{0x48227c40, "casp x2, x3, x0, x1, [x2]"},
		{0x19410400, "cpyfm [x0]!, [x1]!, x0!"},
		// FEAT_THE, FEAT_D128
		{0x19220860, "rcwcas x2, x0, [x3]"},
		{0x19229060, "rcwclrp x0, x2, [x3]"},
		// FEAT_LSE128
		{0x19228060, "swpp x0, x2, [x3]"},
		{0x19621060, "ldclrpl x0, x2, [x3]"},
		// FEAT_LRCPC3
		{0x99021880, "stilp w0, w2, [x4]"},
		{0xd9420880, "ldiapp x0, x2, [x4], #16"},
		{0x9980081f, "stlr wzr, [x0, #-4]!"},
		{0x1d008820, "stlur b0, [x1, #8]"},
		{0x0d018420, "stl1 {v0.d}[0], [x1]"},
		// FEAT_GCS, FEAT_CHK, FEAT_CLRBHB, FEAT_SYSREG128, FEAT_SYSINSTR128
		{0xd91f0c20, "gcsstr x0, [x1]"},
		{0xd503227f, "gcsb dsync"},
		{0xd503251f, "chkfeat"},
		{0xd50322df, "clrbhb"},
		{0xd5702000, "mrrs x0, x1, s2_0_c2_c0_0"},
		{0xd5488122, "tlbip vae1os, x2, x3"},
		{0xd548813f, "tlbip vae1os, xzr, xzr"},
		{0xd54b0040, "sysp #3, C0, C0, #2, x0, x1"},
		// FEAT_RPRFM
		{0xf8a24838, "rprfm pldkeep, x2, [x1]"},
	} {
		i := Decode(c.word)
		if got := i.Disasm(0x1000); got != c.text {
			t.Errorf("%#08x %s: %q, want %q", c.word, i.Op, got, c.text)
		}
	}
}

func TestOperands(t *testing.T) {
	for _, c := range []struct {
		word uint32
		want []string
	}{
		{0xd503201f, nil},
		{0xffffffff, nil},
		{0xa9bf7bfd, []string{"x29", "x30", "[sp, #-16]!"}},
		{0x4d40a0bf, []string{"{v31.s, v0.s, v1.s}[2]", "[x5]"}},
		{0x8b020c20, []string{"x0", "x1", "x2", "lsl #3"}},
	} {
		if got := Decode(c.word).Operands(0); !slices.Equal(got, c.want) {
			t.Errorf("%#08x: operands %q, want %q", c.word, got, c.want)
		}
	}
}
