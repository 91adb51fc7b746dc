package decoder

import (
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/arch/arm64/arm64asm"
)

// arm64asmDiffers reports words that x/arch spells in another way.
func arm64asmDiffers(i Inst, want string) bool {
	switch {
	case want == "hint": // it knows few hints by name
		return i.Word&0xfffff01f == 0xd503201f
	case i.Op == RPRFM_R_ldst_regoff: // it decodes the PRFM that older versions had there
		return want == "prfm"
	case i.Op == DSB_BO_barriers: // no ssbb, pssbb
		return want == "dsb"
	case i.Op == BFM_32M_bitfield || i.Op == BFM_64M_bitfield: // no bfc
		return want == "bfm" && i.Rn() == 31
	case i.Op == B_only_condbranch: // 1110 and 1111 both mean always
		return want == "b.al" && i.Word&15 == 15
	}
	return false
}

// Where golang.org/x/arch knows a word, the mnemonics agree.
func TestMnemonicAgreesWithArm64asm(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	compared := 0
	for op := Op(1); op < NumOps; op++ {
		reported := false
		for range 20 {
			w := RandomWord(op, rng.Uint32)
			theirs, err := arm64asm.Decode([]byte{byte(w), byte(w >> 8), byte(w >> 16), byte(w >> 24)})
			if err != nil {
				continue
			}
			compared++
			want, _, _ := strings.Cut(arm64asm.GNUSyntax(theirs), " ")
			want = strings.ToLower(want)
			if got := Decode(w).Mnemonic(); got != want && !arm64asmDiffers(Decode(w), want) && !reported {
				reported = true
				t.Errorf("%#08x %s: %q, want %q", w, op, Decode(w).Disasm(0), arm64asm.GNUSyntax(theirs))
			}
		}
	}
	t.Logf("%d words compared", compared)
}
