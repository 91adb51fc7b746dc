package tests

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"emu/decoder"
	"emu/tests/diff"
	"emu/translate"
)

// undefinedWords is how many random words without an instruction
// TestUndefinedWordsAgainstQemu executes.
const undefinedWords = 20_000

// auditedQemu is the version of qemu-aarch64 whose model max the audit is about. An
// older one lacks too much.
const auditedQemu = 11

// later are encodings that qemu-aarch64 11 executes as part of Armv9.5 and v9.6, which
// the decoder's table does not have; the masks cover whole encoding groups.
var later = []struct {
	mask, value uint32
	feature     string
}{
	{0x7e000000, 0x74000000, "FEAT_CMPBR"},
	{0x7f20fc00, 0x1e200000, "FEAT_FPRCVT"},
	{0xbfe0fc00, 0x0ec01c00, "FEAT_FAMINMAX"},
	{0xbfe0fc00, 0x2ec01c00, "FEAT_FAMINMAX"},
	{0xbfa0fc00, 0x0ea0dc00, "FEAT_FAMINMAX"},
	{0xbfa0fc00, 0x2ea0dc00, "FEAT_FAMINMAX"},
	{0xbfe0fc00, 0x2ec03c00, "FEAT_FP8"}, // FSCALE
	{0xbfa0fc00, 0x2ea0fc00, "FEAT_FP8"},
	{0xbfa0fc00, 0x0e00f400, "FEAT_FP8"}, // FCVTN
	{0xbf3ffc00, 0x2e217800, "FEAT_FP8"}, // F1CVTL, F2CVTL, BF1CVTL, BF2CVTL
	{0xbfa0fc00, 0x0e00fc00, "FEAT_FP8DOT2, FEAT_FP8DOT4"},
	{0xbf80f400, 0x0f000000, "FEAT_FP8DOT2, FEAT_FP8DOT4"},
	{0xbfe0fc00, 0x0ec0fc00, "FEAT_FP8FMA"},
	{0xbfa0fc00, 0x0e00c400, "FEAT_FP8FMA"},
	{0xbfc0f400, 0x0fc00000, "FEAT_FP8FMA"},
	{0xbf80f400, 0x2f008000, "FEAT_FP8FMA"},
	{0xff60fc00, 0x6e00ec00, "FEAT_F8F16MM, FEAT_F8F32MM"},
	{0xffe09c00, 0x4e801000, "FEAT_LUT"},
	{0xffe08c00, 0x4ec00000, "FEAT_LUT"},
	{0xffe0bc00, 0x4e402000, "FEAT_LUT"},
	{0xffe09c00, 0x4e401000, "FEAT_LUT"},
}

// notTranslated are what qemu-aarch64 11 executes of Armv9.4 and emu does not, by the
// beginning of the encoding's name or the place of the system register or operation
// (op0 op1 CRn CRm op2), with what docs/a64-coverage.md says about it.
var notTranslated = map[string]string{
	"3 3 13 0 5": "FEAT_SME: TPIDR2_EL0",
	"3 3 4 2 2":  "FEAT_SME: SVCR",
	"3 3 4 4 2":  "FEAT_FPMR, of Armv9.5",
}

func isLater(w uint32) bool {
	for _, l := range later {
		if w&l.mask == l.value {
			return true
		}
	}
	return false
}

func auditor(t *testing.T) *diff.Emulator {
	t.Helper()
	qemu, _ := diff.NewestQemu(t, auditedQemu)
	return qemu
}

const sigill = 4

// Every encoding of the table that qemu-aarch64 executes with -cpu max is translated, and
// verified against it if that can be, but for those in notTranslated.
func TestEncodingsAgainstQemu(t *testing.T) {
	qemu, isVerified := auditor(t), verified(t)
	r := rand.New(rand.NewPCG(12, 1))
	const tries = 16
	var cases []diff.Case
	var ops []decoder.Op
	for op := decoder.Op(1); op < decoder.NumOps; op++ {
		if op != decoder.SVC_EX_exception && (!translate.Translated(op) || !diff.InQemu(op, auditedQemu)) {
			ops = append(ops, op)
			for range tries {
				cases = append(cases, diff.RandomCase(op, r))
			}
		}
		if translate.Translated(op) && diff.Random(op) && diff.InQemu(op, auditedQemu) && !isVerified(op) {
			t.Errorf("%v is not verified", op)
		}
	}
	got := qemu.Run(t, cases)
	for n, op := range ops {
		executed := slices.ContainsFunc(got[n*tries:(n+1)*tries], func(s diff.State) bool { return s.Sig != sigill })
		name, _, _ := strings.Cut(op.String(), "_")
		_, known := notTranslated[name[:min(len(name), 5)]]
		switch {
		case executed && translate.Translated(op):
			t.Errorf("qemu executes %v, which it is said to lack", op)
		case executed != known && !translate.Translated(op):
			t.Errorf("%v: executed by qemu: %t, known to be missing: %t", op, executed, known)
		}
	}
	t.Logf("%d encodings that are not translated or that qemu is said to lack", len(ops))
}

// All of the space of system registers, instructions and operations of EL0 and of the
// identification registers, and samples of the rest, are undefined where qemu-aarch64
// has nothing there.
func TestSystemSpaceAgainstQemu(t *testing.T) {
	qemu := auditor(t)
	r := rand.New(rand.NewPCG(12, 2))
	var cases []diff.Case
	var places []string
	for _, kind := range []uint32{0xd5080000, 0xd5280000, 0xd5180000, 0xd5100000, 0xd5380000, 0xd5300000} { // SYS, SYSL, MSR, MRS
		for k := range uint32(1 << 14) {
			op1, crn := k>>11, k>>7&15
			whole := op1 == 3 || op1 == 0 && crn == 0 || kind>>19&3 == 1 && crn == 7
			if !whole && r.IntN(16) != 0 {
				continue
			}
			w := kind | k<<5 | 1
			place := fmt.Sprint(w>>19&3, op1, crn, k>>3&15, k&7)
			if place == "3 3 4 2 2" { // MSR SVCR would put qemu into streaming mode
				continue
			}
			c := diff.Case{Words: []uint32{w}, In: diff.RandomState(r)}
			c.In.X[1] = diff.MemBase + 256
			cases, places = append(cases, c), append(places, place)
		}
	}
	ours := diff.NewEmulator(t, emuPath(t), "-tier=1", "-cpu="+diff.LikeQemu(auditedQemu)).Run(t, cases)
	for n, want := range qemu.Run(t, cases) {
		_, known := notTranslated[places[n]]
		theirs, our := want.Sig == sigill, ours[n].Sig == sigill
		if theirs != our && !(known && our) {
			t.Errorf("%08x (%s): undefined in qemu: %t, in emu: %t", cases[n].Words[0], places[n], theirs, our)
		}
		if our && (ours[n].PC != diff.CodeStart || ours[n].X != cases[n].In.X) {
			t.Errorf("%08x is undefined at %#x, or changes registers", cases[n].Words[0], ours[n].PC)
		}
	}
	t.Logf("%d words", len(cases))
}

// Words that the table does not have, random ones and neighbours of its encodings, and
// words of encodings that are not translated, raise SIGILL with the exact pc and change
// nothing, as in qemu-aarch64: what that executes besides is from after Armv9.4.
func TestUndefinedWordsAgainstQemu(t *testing.T) {
	qemu := auditor(t)
	r := rand.New(rand.NewPCG(12, 3))
	var cases []diff.Case
	for len(cases) < undefinedWords {
		w := r.Uint32()
		if r.IntN(4) != 0 {
			w = decoder.RandomWord(decoder.Op(1+r.IntN(decoder.NumOps-1)), r.Uint32)
			for range r.IntN(4) {
				w ^= 1 << r.IntN(32)
			}
		}
		if op := decoder.Decode(w).Op; op != 0 && translate.Translated(op) || beyondBase(w) {
			continue
		}
		cases = append(cases, diff.Case{Words: []uint32{w}, In: diff.RandomState(r)})
	}
	want := qemu.Run(t, cases)
	cpu := "-cpu=" + diff.LikeQemu(auditedQemu)
	engines := [][]diff.State{
		diff.NewInterpCPU(t, diff.LikeQemu(auditedQemu)).Run(t, cases),
		diff.NewEmulator(t, emuPath(t), "-tier=auto", "-cold=100", cpu).Run(t, cases), // tier 0
		diff.NewEmulator(t, emuPath(t), "-tier=1", cpu).Run(t, cases),
		diff.NewEmulator(t, emuPath(t), "-tier=2", cpu).Run(t, cases),
	}
	for n := range cases {
		w := cases[n].Words[0]
		exact := cases[n].In
		exact.Sig, exact.PC = sigill, diff.CodeStart
		for e, states := range engines {
			got := &states[n]
			got.Addr = 0
			if *got != exact {
				t.Errorf("%08x, engine %d: signal %d at %#x, or registers that changed", w, e, got.Sig, got.PC)
			}
		}
		name, _, _ := strings.Cut(decoder.Decode(w).Op.String(), "_")
		if _, known := notTranslated[name[:min(len(name), 5)]]; want[n].Sig != sigill && !known {
			t.Errorf("%08x: undefined here, signal %d in qemu", w, want[n].Sig)
		}
	}
}

// beyondBase are words that the audit of undefined words leaves out: those of SVE and
// SME, which emu does not have, of Armv9.5 on, and those that qemu serves itself, SVC
// and HLT.
func beyondBase(w uint32) bool {
	sve, sme := w>>25&15 == 2, w>>31 == 1 && w>>25&15 == 0
	exception := w>>24 == 0xd4
	return sve || sme || exception || isLater(w)
}
