package decoder

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"emu/tests/need"
)

const objdump = "aarch64-linux-gnu-objdump"

// objdumpText disassembles the words, the first at address 0, one text a word,
// without comments and with single blanks.
func objdumpText(t *testing.T, words []uint32) []string {
	t.Helper()
	need.Tool(t, objdump, "binutils-aarch64-linux-gnu")
	image := make([]byte, 0, 4*len(words))
	for _, w := range words {
		image = binary.LittleEndian.AppendUint32(image, w)
	}
	file := filepath.Join(t.TempDir(), "words.bin")
	if err := os.WriteFile(file, image, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(objdump, "-D", "-z", "-b", "binary", "-m", "aarch64", file).Output()
	if err != nil {
		t.Fatalf("%s: %v", objdump, err)
	}
	texts := make([]string, 0, len(words))
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		cols := strings.SplitN(lines.Text(), "\t", 3)
		if len(cols) < 3 || !strings.HasSuffix(cols[0], ":") {
			continue
		}
		texts = append(texts, normalise(cols[2]))
	}
	if len(texts) != len(words) {
		t.Fatalf("%s printed %d instructions for %d words", objdump, len(texts), len(words))
	}
	return texts
}

func normalise(text string) string {
	text, _, _ = strings.Cut(text, "//")
	text = strings.Join(strings.Fields(text), " ")
	return strings.ReplaceAll(text, ", ", ",")
}

// A difference is a reason for which the text may differ from objdump's.
type difference struct {
	why   string
	holds func(i Inst, want string) bool
}

func opNamed(name string) func(Inst, string) bool {
	return func(i Inst, _ string) bool { return i.Op.String() == name }
}

// notKnown holds for words of the features that binutils 2.40 prints as
// undefined or as a plain hint.
func notKnown(features ...string) func(Inst, string) bool {
	return func(i Inst, want string) bool {
		if !strings.Contains(want, "undefined") && !strings.HasPrefix(want, "hint") {
			return false
		}
		for _, f := range strings.Split(i.Features(), "&") {
			if slices.Contains(features, f) {
				return true
			}
		}
		return false
	}
}

var knownDifferences = []difference{
	{"newer than binutils 2.40", notKnown("FEAT_THE", "FEAT_D128", "FEAT_LRCPC3", "FEAT_LSE128", "FEAT_SYSREG128",
		"FEAT_SYSINSTR128", "FEAT_CHK", "FEAT_GCS", "FEAT_SVE2p1", "FEAT_SVE_B16B16")},
	{"binutils 2.40 takes much of SVE2.1 for PSEL", func(i Inst, want string) bool {
		return i.Features() == "FEAT_SVE2p1" && i.Op != PSEL_P_PPI_ && strings.HasPrefix(want, "psel ")
	}},
	{"binutils 2.40 prints PRFM for the range prefetch", opNamed("RPRFM_R_ldst_regoff")},
	{"binutils 2.40 prints hint #0x6", opNamed("DGH_HI_hints")},
	{"binutils 2.40 has the name clearbhb", opNamed("CLRBHB_HI_hints")},
	{"names newer than binutils 2.40", func(i Inst, _ string) bool {
		text := i.Disasm(0)
		for _, name := range []string{"gcs", "fpmr", "cosp", "brb", "trcit"} {
			if strings.Contains(text, name) {
				return true
			}
		}
		return false
	}},
	{"CONSTRAINED UNPREDICTABLE: t == t2, or write-back to a loaded register", func(i Inst, want string) bool {
		return strings.HasPrefix(i.Op.String(), "LDPSW_") && strings.Contains(want, "undefined") &&
			(i.Rt() == i.Rt2() || i.Rn() == i.Rt() || i.Rn() == i.Rt2())
	}},
	{"CONSTRAINED UNPREDICTABLE: equal registers, or register 31", func(i Inst, want string) bool {
		d, n, s := i.Rd(), i.Rn(), i.Rs()
		return strings.Contains(i.Features(), "FEAT_MOPS") && strings.Contains(want, "undefined") &&
			(d == n || d == s || n == s || d == 31 || n == 31 || s == 31)
	}},
	{"binutils knows registers of EL2, EL3 and the debug and trace units", func(i Inst, want string) bool {
		return (i.Op == MRS_RS_systemmove || i.Op == MSR_SR_systemmove) && (i.Bit(19) == 0 || i.Bits(18, 16) != 0 && i.Bits(18, 16) != 3)
	}},
	{"binutils takes an immediate above 1 for a register of op0 = 0", func(i Inst, want string) bool {
		return i.Op == MSR_SI_pstate && i.Bits(11, 8) > 1 && strings.HasPrefix(want, "msr s0_")
	}},
}

func knownDifference(i Inst, want string) bool {
	for _, d := range knownDifferences {
		if d.holds(i, want) {
			return true
		}
	}
	return false
}

// sampleWords returns words of every encoding: random ones, ones with boxes of
// all zeros or all ones and equal registers, and ones of every alias.
func sampleWords(perOp int) []uint32 {
	rng := rand.New(rand.NewPCG(3, 4))
	var words []uint32
	for op := Op(1); op < NumOps; op++ {
		r := RowOf(op)
		add := func(w uint32) {
			if Decode(w).Op == op {
				words = append(words, w)
			}
		}
		for range perOp {
			w := RandomWord(op, rng.Uint32)
			words = append(words, w)
			for _, f := range r.Fields() {
				box := (uint32(1)<<(f.Hi-f.Lo+1) - 1) << f.Lo &^ r.Mask
				switch rng.IntN(4) {
				case 0:
					w |= box
				case 1:
					w &^= box
				}
			}
			add(w)
			if from, to, ok := twoBoxes(r, rng); ok {
				mask := uint32(1)<<(to.Hi-to.Lo+1) - 1
				add(w&^(mask<<to.Lo) | w>>from.Lo&mask<<to.Lo&^r.Mask | r.Value)
			}
			for _, a := range r.Aliases {
				for _, p := range a.When {
					add(RandomWord(op, rng.Uint32)&^p.Mask | p.Value)
				}
			}
		}
	}
	return words
}

// twoBoxes returns two boxes of the same width, which may be registers, if there are any.
func twoBoxes(r *Row, rng *rand.Rand) (from, to Field, ok bool) {
	var pairs [][2]Field
	for _, a := range r.Fields() {
		for _, b := range r.Fields() {
			if a != b && a.Hi-a.Lo == b.Hi-b.Lo && a.Hi-a.Lo > 1 {
				pairs = append(pairs, [2]Field{a, b})
			}
		}
	}
	if len(pairs) == 0 {
		return from, to, false
	}
	pair := pairs[rng.IntN(len(pairs))]
	return pair[0], pair[1], true
}

// The text of words of every encoding is what objdump prints.
func TestDisasmAgreesWithObjdump(t *testing.T) {
	compareWithObjdump(t, sampleWords(40))
}

// So are the names of all system registers and operations.
func TestSystemNamesAgreeWithObjdump(t *testing.T) {
	var words []uint32
	for key := range uint32(1 << 15) {
		words = append(words, 0xd5300001|key<<5)
	}
	for key := range uint32(1 << 14) {
		words = append(words, 0xd5080001|key<<5, 0xd508001f|key<<5)
	}
	compareWithObjdump(t, words)
}

func compareWithObjdump(t *testing.T, words []uint32) {
	texts := objdumpText(t, words)
	differ := map[Op]int{}
	known := 0
	for n, w := range words {
		i := Decode(w)
		got := normalise(i.Disasm(uint64(4 * n)))
		if got == texts[n] {
			continue
		}
		if knownDifference(i, texts[n]) {
			known++
			continue
		}
		if differ[i.Op]++; differ[i.Op] <= 3 {
			t.Errorf("%08x %s:\n got  %s\n want %s", w, i.Op, got, texts[n])
		}
	}
	if len(differ) > 0 {
		t.Errorf("%d encodings differ", len(differ))
	}
	t.Logf("%d words compared, %d known differences", len(words), known)
}
