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
	"emu/jit/amd64"
	"emu/jit/asm/x64"
	"emu/jit/host"
	"emu/translate"
)

const (
	icountFile   = "testdata/icount.txt"
	mostUsedFile = "testdata/most_used.txt"
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

// count is the number of host instructions of the hot code of a block with one
// instruction, with all loads and stores of guest registers and the exit, and
// whether it calls out of generated code, always or in cold code.
func (c *counter) count(t *testing.T, word uint32, feat x64.Features) (n int, calls, rarely bool) {
	f := c.tr.Block(0x10000, func(uint64) (uint32, bool) { return word, true })
	if err := c.backend.Compile(f, host.Options{Features: uint64(feat | x64.Baseline())}, &c.code); err != nil {
		t.Fatalf("%08x: %v", word, err)
	}
	for _, r := range c.code.Relocs {
		if r.Target == host.StubHelper {
			calls, rarely = calls || r.Off < c.code.Hot, true
		}
	}
	for _, line := range c.backend.Disasm(c.code.Bytes[:c.code.Hot], 0) {
		if !strings.Contains(line, "nop") {
			n++
		}
	}
	return n, calls, rarely
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
// and fails if one has become more. None of them calls out of generated code on hosts of the last ten years (x86-64-v3),
// and of the 500 none in cold code either, but for what mayCall lists.
func TestInstructionCounts(t *testing.T) {
	c := counter{backend: amd64.New(), tr: translate.New(translate.Options{MaxInsts: 1})}
	ops := map[string]decoder.Op{}
	for op := decoder.Op(1); op < decoder.NumOps; op++ {
		ops[op.String()] = op
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Host instructions of a block of one guest instruction in tier 1: loads and stores of guest\n"+
		"# registers and the exit included (that of NOP is the exit alone), cold code not. + calls out of\n# generated code.\n%-32s", "")
	for _, h := range hosts {
		fmt.Fprintf(&b, "%12s", h.name)
	}
	b.WriteByte('\n')
	mostUsed := map[string]bool{}
	for _, name := range lines(t, mostUsedFile) {
		mostUsed[name] = true
	}
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
			n, calls, rarely := c.count(t, word, h.feat)
			fmt.Fprintf(&b, "%12s", fmt.Sprint(n, map[bool]string{true: "+"}[calls]))
			if calls && h.name != "v2" {
				t.Errorf("%s calls out of generated code on %s (%08x)", name, h.name, word)
			}
			if _, may := mayCall[name]; rarely && h.name != "v2" && !may && mostUsed[name] {
				t.Errorf("%s calls out of generated code in cold code on %s (%08x)", name, h.name, word)
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

// mayCall are the encodings among the most used whose cold code calls out of generated code, with the
// operands for which it does and what the call costs where the hot code takes 1 to 4 ns
// (in a loop of nothing else, -host v3). On hosts with AVX-512 only FRECPE and FRECPS do.
var mayCall = map[string]string{
	"FCVTZU_32D_float2int":  "saturation, 210 ns: before AVX-512 the host converts signed numbers only",
	"FCVTZU_64D_float2int":  "as above",
	"FCVTZU_asimdmisc_R":    "saturation in a lane, 280 ns",
	"FMAX_asimdsame_only":   "a NaN in a lane, 430 ns: MAXPS raises Invalid Operation for quiet ones",
	"FMIN_asimdsame_only":   "as above",
	"FMAXNM_asimdsame_only": "as above",
	"FMINNM_asimdsame_only": "as above",
	"FMAXNM_S_floatdp2":     "a NaN, 280 ns",
	"FMAXNM_D_floatdp2":     "as above",
	"FMINNM_S_floatdp2":     "as above",
	"FMINNM_D_floatdp2":     "as above",
	"FRECPE_asimdmisc_R":    "zeros, denormals, infinities, NaNs and what has a denormal reciprocal, 270 ns",
	"FRECPS_asimdsame_only": "an infinity or a NaN, 430 ns",
}

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
