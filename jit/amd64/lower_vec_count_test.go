//go:build linux && amd64

package amd64

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"emu/ir"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

const countsFile = "testdata/vector_counts.txt"

// Feature sets by name, from a fixed list: the counts depend on no host.
var countedSets = []struct {
	name string
	feat x64.Features
}{
	{"avx512", x64.Baseline() | x64.EVEX128 | x64.AVX512CD | x64.AVX512VBMI | x64.AVX512VBMI2 | x64.AVX512BITALG |
		x64.AVX512VPOPCNTDQ | x64.AVX512VNNI | x64.GFNI | x64.AES | x64.PCLMUL | x64.SHA | x64.BMI2},
	{"avx2", x64.Baseline() | x64.AVX | x64.AVX2 | x64.AES | x64.PCLMUL | x64.BMI2},
	{"v2", x64.Baseline()},
}

// count compiles one case and returns the number of host instructions that are
// not there for an empty unit, loads and stores of the guest's registers
// included, and whether it calls Go.
func (k vecCase) count(t *testing.T, b *Backend, f *ir.Func, feat x64.Features) (n int, viaGo bool) {
	imms := k.immChoices()
	konst := [3][2]uint64{}
	way := wayLast
	if k.splats != nil {
		way |= wayConstB
		x := repeat(laneIndex(k.ret), k.splats[len(k.splats)/2])
		konst[1] = [2]uint64{x, x}
	}
	k.build(f, way, imms[len(imms)/2], konst)
	var code host.Code
	if err := b.Compile(f, host.Options{Features: uint64(feat)}, &code); err != nil {
		t.Fatal(err)
	}
	for _, r := range code.Relocs {
		if r.Target == host.StubHelper {
			return 0, true
		}
	}
	// Without the loads of operands, the store of the result, and the exit.
	frame := 0
	for i, ty := range k.args {
		if ty != ir.Void && ty.InXMM() && (k.splats == nil || i != 1) {
			frame++
		}
	}
	if !k.ret.InXMM() {
		frame-- // X0 to X3 are pinned: neither loads nor stores
	}
	return len(b.Disasm(code.Bytes[:code.Hot], 0)) - frame - 1, false
}

// TestVectorInstructionCounts keeps the number of host instructions of every
// vector opcode, with operands in registers that end there: a change of it is
// seen in review.
func TestVectorInstructionCounts(t *testing.T) {
	b, f := New(), ir.NewFunc(64)
	empty := vecCase{op: ir.OpVLow, ret: ir.V2I64, args: [3]ir.Type{ir.V2I64}}
	exit, _ := empty.count(t, b, f, x64.Baseline())
	exit-- // the MOVQ itself
	var out strings.Builder
	fmt.Fprintf(&out, "%-36s", "opcode, result and operands")
	for _, s := range countedSets {
		fmt.Fprintf(&out, "%8s", s.name)
	}
	for _, k := range vecCases() {
		name := k.String()
		if k.splats != nil {
			name += " const"
		}
		fmt.Fprintf(&out, "\n%-36s", name)
		for _, s := range countedSets {
			if n, viaGo := k.count(t, b, f, s.feat); viaGo {
				fmt.Fprintf(&out, "%8s", "go")
			} else {
				fmt.Fprintf(&out, "%8d", n-exit)
			}
		}
	}
	out.WriteByte('\n')
	if *update {
		if err := os.WriteFile(countsFile, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(countsFile)
	if err != nil {
		t.Fatal(err)
	}
	if out.String() != string(want) {
		t.Errorf("instruction counts changed; if that is meant, run the test with -update\n%s", out.String())
	}
}

// TestVectorOpcodesThroughGo lists what is not lowered, and why.
func TestVectorOpcodesThroughGo(t *testing.T) {
	const (
		newer = "the instructions are newer than the baseline"
	)
	reasons := map[string]map[ir.Op]string{
		"v2": {
			ir.OpAESE: newer, ir.OpAESD: newer, ir.OpAESMC: newer, ir.OpAESIMC: newer,
			ir.OpPMulL: newer, ir.OpCrc32: newer, ir.OpSM4E: newer, ir.OpSM4EKey: newer, ir.OpBExt: newer, ir.OpBDep: newer,
		},
	}
	b, f := New(), ir.NewFunc(64)
	known := map[ir.Op]bool{}
	for _, s := range countedSets { // each set is a part of the one before
		for op := range reasons[s.name] {
			known[op] = true
		}
		used := map[ir.Op]bool{}
		for _, k := range vecCases() {
			if _, viaGo := k.count(t, b, f, s.feat); viaGo {
				used[k.op] = true
				if !known[k.op] {
					t.Errorf("%s: %v goes through Go", s.name, k)
				}
			}
		}
		for op := range known {
			if !used[op] {
				t.Errorf("%s: %v is lowered; take it off the list", s.name, op)
			}
		}
	}
}
