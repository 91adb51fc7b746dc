package tests

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"emu/decoder"
	"emu/internal/softfp"
	"emu/jit/amd64"
	"emu/jit/asm/x64"
	"emu/jit/host"
	"emu/translate"
)

const (
	icountFile   = "testdata/icount.txt"
	mostUsedFile = "testdata/most_used.txt"
	nextUsedFile = "testdata/next_used.txt"
	rareFile     = "testdata/rare_used.txt"
)

// hosts are feature sets for which code is generated, whatever this host has.
var hosts = []struct {
	name string
	feat x64.Features
}{
	{"avx512fp16", modernHost | x64.AVX512FP16},
	{"avx512", modernHost},
	{"v3", x64.Baseline() | x64.AVX | x64.AVX2 | x64.FMA | x64.F16C | x64.BMI1 | x64.BMI2 | x64.LZCNT | x64.AES | x64.PCLMUL},
	{"v2", x64.Baseline()},
}

const modernHost = x64.AVX | x64.AVX2 | x64.FMA | x64.F16C | x64.BMI1 | x64.BMI2 | x64.LZCNT | x64.EVEX128 | x64.AVX512CD | x64.AVX512VBMI |
	x64.AVX512VBMI2 | x64.AVX512BITALG | x64.AVX512VPOPCNTDQ | x64.AVX512VNNI | x64.GFNI | x64.AES | x64.PCLMUL | x64.SHA

// counter counts the host instructions of single guest instructions in tier 1.
type counter struct {
	backend *amd64.Backend
	tr      *translate.Translator
	code    host.Code
}

// compile compiles a block with one instruction, and tells whether it calls out of
// generated code, always or in cold code.
func (c *counter) compile(t *testing.T, word uint32, feat x64.Features, fpcr uint32) (calls, rarely bool) {
	t.Helper()
	f := c.tr.Block(0x10000, func(uint64) (uint32, bool) { return word, true })
	if err := c.backend.Compile(f, host.Options{Features: uint64(feat | x64.Baseline()), FPCR: fpcr}, &c.code); err != nil {
		t.Fatalf("%08x: %v", word, err)
	}
	for _, r := range c.code.Relocs {
		if r.Target == host.StubHelper {
			calls, rarely = calls || r.Off < c.code.Hot, true
		}
	}
	return calls, rarely
}

// count is the number of host instructions of the hot code of a block with one
// instruction, with all loads and stores of guest registers and the exit, and
// whether it calls out of generated code there.
func (c *counter) count(t *testing.T, word uint32, feat x64.Features) (n int, calls bool) {
	calls, _ = c.compile(t, word, feat, 0)
	for _, line := range c.backend.Disasm(c.code.Bytes[:c.code.Hot], 0) {
		if !strings.Contains(line, "nop") {
			n++
		}
	}
	return n, calls
}

// lines are the lines of a file but for comments.
func lines(t *testing.T, path string) (list []string) {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			list = append(list, line)
		}
	}
	return list
}

// TestInstructionCounts compares the host instructions of the 500 most used
// encodings, and of those of half precision, BFloat16 and alike, with what is on record,
// and fails if one has become more. None of them calls out of generated code on hosts of the last ten years (x86-64-v3).
func TestInstructionCounts(t *testing.T) {
	c := counter{backend: amd64.New(), tr: translate.New(translate.Options{MaxInsts: 1})}
	ops := opsByName()
	var b strings.Builder
	fmt.Fprintf(&b, "# Host instructions of a block of one guest instruction in tier 1: loads and stores of guest\n"+
		"# registers and the exit included (that of NOP is the exit alone), cold code not. + calls out of\n# generated code.\n%-32s", "")
	for _, h := range hosts {
		fmt.Fprintf(&b, "%12s", h.name)
	}
	b.WriteByte('\n')
	r := rand.New(rand.NewPCG(11, 12))
	for _, name := range slices.Concat([]string{"NOP_HI_hints"}, lines(t, mostUsedFile), lines(t, rareFile)) {
		op := ops[name]
		if !translate.Translated(op) {
			if !raises[name] {
				t.Errorf("%s is not translated", name)
			}
			continue
		}
		word := distinctWord(op, r)
		fmt.Fprintf(&b, "%-32s", name)
		for _, h := range hosts {
			n, calls := c.count(t, word, h.feat)
			fmt.Fprintf(&b, "%12s", fmt.Sprint(n, map[bool]string{true: "+"}[calls]))
			if calls && h.name != "v2" {
				t.Errorf("%s calls out of generated code on %s (%08x)", name, h.name, word)
			}
		}
		b.WriteByte('\n')
	}
	if *update {
		if err := os.WriteFile(icountFile, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	recorded := map[string][]string{}
	for _, line := range lines(t, icountFile) {
		if f := strings.Fields(line); len(f) == 1+len(hosts) {
			recorded[f[0]] = f[1:]
		}
	}
	for line := range strings.Lines(b.String()) {
		f := strings.Fields(line)
		if len(f) != 1+len(hosts) || ops[f[0]] == 0 {
			continue
		}
		old := recorded[f[0]]
		if old == nil {
			t.Errorf("%s has no record in %s: run with -update", f[0], icountFile)
			continue
		}
		for n, h := range hosts {
			if now, before := instructions(f[1+n]), instructions(old[n]); now > before {
				t.Errorf("%s on %s: %d host instructions, were %d; if that is meant, run with -update", f[0], h.name, now, before)
			} else if now < before {
				t.Logf("%s on %s: %d host instructions, were %d: run with -update", f[0], h.name, now, before)
			}
		}
	}
}

func opsByName() map[string]decoder.Op {
	ops := map[string]decoder.Op{}
	for op := decoder.Op(1); op < decoder.NumOps; op++ {
		ops[op.String()] = op
	}
	return ops
}

// TestNoCalls looks for calls out of generated code, cold code included, in the 700 most
// used encodings, for operands, rounding modes and default NaNs of all kinds. There are none
// on hosts of the last ten years but for those in mayCall.
func TestNoCalls(t *testing.T) {
	c := counter{backend: amd64.New(), tr: translate.New(translate.Options{MaxInsts: 1})}
	ops := opsByName()
	r := rand.New(rand.NewPCG(13, 14))
	modes := []uint32{0, softfp.DN}
	for round := range uint32(4) {
		modes = append(modes, round<<softfp.RModeShift)
	}
	for _, name := range slices.Concat(lines(t, mostUsedFile), lines(t, nextUsedFile)) {
		op := ops[name]
		if !translate.Translated(op) {
			continue
		}
		_, may := mayCall[name]
		found := false
		for range 20 {
			word := decoder.RandomWord(op, r.Uint32)
			for _, h := range hosts {
				for _, fpcr := range modes {
					if h.name == "v2" {
						continue
					}
					_, calls := c.compile(t, word, h.feat, fpcr)
					found = found || calls
					if calls && !may {
						t.Fatalf("%s calls out of generated code on %s, FPCR %#x (%08x)", name, h.name, fpcr, word)
					}
				}
			}
		}
		if may && !found {
			t.Errorf("%s does not call out of generated code: mayCall is stale", name)
		}
	}
}

// mayCall are the encodings among the 700 most used that call out of generated code, and
// when. None of the first 500 does.
var mayCall = map[string]string{
	"FCVTZS_asimdshf_C": "half precision: saturation",
}

// instructions is the number in a field of icountFile.
func instructions(field string) int {
	n, err := strconv.Atoi(strings.TrimSuffix(field, "+"))
	if err != nil {
		panic("BUG: " + icountFile + ": " + err.Error())
	}
	return n
}

// raises are encodings among the most used that raise an exception.
var raises = map[string]bool{"UDF_only_perm_undef": true}

// distinctWord is a word of the encoding that names different general registers
// below X16 where it can.
func distinctWord(op decoder.Op, r *rand.Rand) uint32 {
	var best uint32
	most := -1
	for range 200 {
		w := decoder.RandomWord(op, r.Uint32)
		i := decoder.Decode(w)
		regs := map[uint32]bool{}
		for _, n := range []uint32{i.Rd(), i.Rn(), i.Rm(), i.Ra()} {
			if n < 16 {
				regs[n] = true
			}
		}
		if len(regs) > most {
			best, most = w, len(regs)
		}
	}
	return best
}
