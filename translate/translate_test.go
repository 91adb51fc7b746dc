package translate

import (
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"emu/decoder"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const testPC = 0x1000

// blockOf translates words at testPC; nothing is mapped after them.
func blockOf(t *Translator, words []uint32) string {
	f := t.Block(testPC, fetchFrom(words))
	return f.String()
}

func fetchFrom(words []uint32) Fetch {
	return func(pc uint64) (uint32, bool) {
		n := (pc - testPC) / 4
		if pc < testPC || n >= uint64(len(words)) {
			return 0, false
		}
		return words[n], true
	}
}

// testdata/*.txtar hold guest words (a64) and their IR (ir).
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			ar, err := txtar.ParseFile(name)
			if err != nil || len(ar.Files) != 2 || ar.Files[0].Name != "a64" || ar.Files[1].Name != "ir" {
				t.Fatalf("want the sections a64 and ir: %v", err)
			}
			tr := New(Options{})
			got := blockOf(tr, parseWords(t, string(ar.Files[0].Data)))
			if err := tr.Verify(); err != nil {
				t.Error(err)
			}
			if *update {
				ar.Files[1].Data = []byte(got)
				if err := os.WriteFile(name, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want := string(ar.Files[1].Data); got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}

// parseWords reads one word in hexadecimal from each line; what follows it is a
// comment that has to be the instruction's text.
func parseWords(t *testing.T, text string) (words []uint32) {
	t.Helper()
	for line := range strings.Lines(text) {
		hex, asm, _ := strings.Cut(strings.TrimSpace(line), " ")
		w, err := strconv.ParseUint(hex, 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		pc := testPC + 4*uint64(len(words))
		if got := decoder.Decode(uint32(w)).Disasm(pc); strings.TrimSpace(asm) != got {
			t.Errorf("%s is %q, not %q", hex, got, strings.TrimSpace(asm))
		}
		words = append(words, uint32(w))
	}
	return words
}

// untranslated are the encodings of the base architecture that have no
// translation, and why.
var untranslated = map[decoder.Op]string{
	decoder.UDF_only_perm_undef:   "permanently undefined",
	decoder.HVC_EX_exception:      "undefined at EL0",
	decoder.SMC_EX_exception:      "undefined at EL0",
	decoder.ERET_64E_branch_reg:   "undefined at EL0",
	decoder.ERETAA_64E_branch_reg: "undefined at EL0",
	decoder.ERETAB_64E_branch_reg: "undefined at EL0",
	decoder.HLT_EX_exception:      "undefined without a debugger that halts the processor",
	decoder.DCPS1_DC_exception:    "undefined outside of debug state",
	decoder.DCPS2_DC_exception:    "undefined outside of debug state",
	decoder.DCPS3_DC_exception:    "undefined outside of debug state",
	decoder.DRPS_64E_branch_reg:   "undefined outside of debug state",
}

// Every encoding of the features that the guest's processor has is translated,
// except those named above.
func TestEverythingIsTranslated(t *testing.T) {
	for op := decoder.Op(1); op < decoder.NumOps; op++ {
		if c := op.Class(); c != decoder.ClassGeneral && c != decoder.ClassSystem || !allFeatures.has(op.Features()) {
			continue
		}
		if _, named := untranslated[op]; named == Translated(op) {
			t.Errorf("%v: translated is %t, on the list is %t", op, Translated(op), named)
		}
	}
}

// Features are announced only when all of their encodings are translated, with those of other
// features that the processor has.
func TestHWCAPIsTrue(t *testing.T) {
	for _, spec := range []string{"max", "max,sve=on"} {
		c, err := ParseCPU(spec)
		if err != nil {
			t.Fatal(err)
		}
		missing := map[string]decoder.Op{}
		for op := decoder.Op(1); op < decoder.NumOps; op++ {
			if row := decoder.RowOf(op); row.Privileged || row.DebugState || !c.has.has(op.Features()) || Translated(op) {
				continue
			}
			missing[op.Features()] = op
			for name := range strings.SplitSeq(op.Features(), "&") {
				if !strings.Contains(op.Features(), "FEAT_SVE&") { // of combinations
					missing[name] = op
				}
			}
		}
		for f := range c.announced() {
			if op, ok := missing[f.name]; ok {
				t.Errorf("%s: %s is announced but %v not translated", spec, f.name, op)
			}
		}
		const base = 1<<0 | 1<<1 | 1<<7 | 1<<8 // FP, ASIMD, CRC32, ATOMICS
		if hwcap, _, _ := c.HWCAP(); hwcap&base != base {
			t.Errorf("%s: HWCAP = %#x lacks basic features", spec, hwcap)
		}
	}
}

// A block of every kind of end.
func TestBlockEnds(t *testing.T) {
	tr := New(Options{MaxInsts: 4})
	const nop = 0xd503201f
	tests := []struct {
		name  string
		words []uint32
		size  uint32
		last  string
	}{
		{"limit", []uint32{nop, nop, nop, nop, nop}, 16, "jump"},
		{"unmapped word", []uint32{nop, nop}, 8, "jump"},
		{"branch", []uint32{0x14000004}, 4, "jump"},
		{"undefined word", []uint32{0, nop}, 4, "exit_arg"},
		{"nothing mapped", nil, 0, "exit_arg"},
		{"ISB", []uint32{0xd5033fdf, nop}, 4, "jump"},
		{"FPCR", []uint32{0xd51b4400, nop}, 8, "jump"},
		{"FPSR for the first time", []uint32{0xd53b4420, nop}, 4, "exit"},
	}
	for _, tt := range tests {
		f := tr.Block(testPC, fetchFrom(tt.words))
		if last := f.Insts[len(f.Insts)-1].Op().String(); f.Size != tt.size || last != tt.last {
			t.Errorf("%s: %d bytes, ends in %s; want %d, %s", tt.name, f.Size, last, tt.size, tt.last)
		}
		if err := f.Verify(); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

var loop = []uint32{
	0xa9bf7bfd, // stp x29, x30, [sp, #-16]!
	0x8b020020, // add x0, x1, x2
	0xf8408c23, // ldr x3, [x1, #8]!
	0xb8627824, // ldr w4, [x1, x2, lsl #2]
	0x9ac22085, // lsl x5, x4, x2
	0xf100043f, // cmp x1, #1
	0x9a830080, // csel x0, x4, x3, eq
	0xf82200c7, // ldadd x2, x7, [x6]
	0xa8c17bfd, // ldp x29, x30, [sp], #16
	0x54fffee1, // b.ne -36
}

// Translating allocates nothing once the memory is there.
func TestBlockAllocatesNothing(t *testing.T) {
	tr, fetch := New(Options{}), fetchFrom(loop)
	tr.Block(testPC, fetch)
	if n := testing.AllocsPerRun(100, func() { tr.Block(testPC, fetch) }); n != 0 {
		t.Errorf("%v allocations a block", n)
	}
}

func BenchmarkBlock(b *testing.B) {
	tr, fetch := New(Options{}), fetchFrom(loop)
	b.ReportAllocs()
	for b.Loop() {
		tr.Block(testPC, fetch)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(loop)), "ns/inst")
}
