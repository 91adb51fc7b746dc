package tests

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"emu/decoder"
	"emu/internal/a64crypto"
	"emu/tests/diff"
	"emu/translate"
)

// keyedRecord is the file for TestKeyedInstructions to write what it verified to, if
// -record names one for TestInstructions.
const keyedRecord = "testdata/verified_keyed.txt"

// Every encoding that signs or authenticates pointers, with each of Arm's algorithms,
// ends in the same state as in qemu-aarch64, pointers that were signed with other keys
// or not at all included, which fault (FEAT_FPAC, FEAT_FPACCOMBINE). A program cannot read
// its keys: those of qemu follow from -seed, and the guest under emu gets the same by
// ptrace(2). The implementation defined algorithm is each emulator's own.
func TestKeyedInstructions(t *testing.T) {
	const seed = 20260411
	judge, version := diff.NewestQemu(t, auditedQemu)
	launcher := build(t, "guest/isa/withkeys.c", arm64, "-O1")
	var keyed []decoder.Op
	for op := decoder.Op(1); op < decoder.NumOps; op++ {
		if translate.Translated(op) && diff.Keyed(op) && strings.HasPrefix(op.String(), *only) {
			keyed = append(keyed, op)
		}
	}
	agreed := map[decoder.Op]int{} // with how many algorithms
	for _, algorithm := range []struct {
		name string
		auth a64crypto.PointerAuth
	}{
		{"qarma5", a64crypto.PointerAuth{PAuth2: true}},
		{"qarma3", a64crypto.PointerAuth{PAuth2: true, QARMA3: true}},
	} {
		t.Run(algorithm.name, func(t *testing.T) {
			option := ",pauth-" + algorithm.name + "=on"
			qemu := diff.NewEmulator(t, judge.Name(), "-seed", fmt.Sprint(seed), "-cpu", "max,sve=off"+option)
			r := rand.New(rand.NewPCG(31, 2))
			keys := keysOf(t, qemu, seed, algorithm.auth, r)
			program := []string{launcher}
			for _, k := range keys {
				program = append(program, strconv.FormatUint(k[0], 10), strconv.FormatUint(k[1], 10))
			}
			cpu := diff.LikeQemu(version) + option
			engines := []engine{
				{"tier 0", diff.NewEmulator(t, emuPath(t), "-tier=auto", "-cold=100", "-cpu="+cpu).Under(program...)},
				{"tier 1", diff.NewEmulator(t, emuPath(t), "-tier=1", "-cpu="+cpu).Under(program...)},
				{"tier 2", diff.NewEmulator(t, emuPath(t), "-tier=2", "-cpu="+cpu).Under(program...)},
			}
			interp := diff.NewInterpCPU(t, cpu).WithKeys(keys)
			ran, ends := 0, map[uint32]int{}
			for _, op := range (bulk{name: algorithm.name, ops: keyed, each: *vectors, check: func(batch []decoder.Op) map[decoder.Op]bool {
				var cases []diff.Case
				for _, op := range batch {
					r := rand.New(rand.NewPCG(31, uint64(op)))
					of := diff.KeyedVectors(op, *vectors, r)
					interp.Reach(t, of, r)
					cases = append(cases, of...)
				}
				got := interp.Run(t, cases)
				for _, s := range got {
					ends[s.Sig]++
				}
				ran += len(batch)
				return compareEngines(t, cases, got, qemu, version, engines)
			}}).run(t) {
				agreed[op]++
			}
			t.Logf("%d ran to their end, %d failed to authenticate", ends[5], ends[sigill])
			if total := ran * *vectors; ran == len(keyed) && (ends[5] < total/4 || ends[sigill] < total/8) {
				t.Errorf("ends by signal: %v", ends)
			}
		})
	}
	if *record != "" && *only == "" {
		var good []decoder.Op
		for _, op := range keyed {
			if agreed[op] == 2 {
				good = append(good, op)
			}
		}
		writeVerified(t, keyedRecord, good, version)
	}
}

// keysOf are the keys that programs have under a qemu with -seed.
func keysOf(t *testing.T, qemu *diff.Emulator, seed uint64, auth a64crypto.PointerAuth, r *rand.Rand) *diff.Keys {
	t.Helper()
	const pacia = 0xdac10020 // PACIA X0, X1
	c := diff.Case{Words: []uint32{pacia}, In: diff.RandomState(r)}
	c.In.X[0], c.In.X[1] = 0x0000_5555_1234_5678, 0x0123_4567_89ab_cdef
	got := qemu.Run(t, []diff.Case{c})[0]
	signed := got.X[0]
	keys, err := diff.QemuKeys(seed, auth, c.In.X[0], c.In.X[1], signed)
	if err != nil {
		t.Fatal(err)
	}
	return keys
}
