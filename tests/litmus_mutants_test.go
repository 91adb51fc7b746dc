package tests

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// orderMutant is a change to emu that breaks the guest's memory order, or makes an access
// less than atomic.
type orderMutant struct {
	name, file string
	old, new   string // of the file's text; old is there once
	args       string // for the guest: lse2
	// seen are lines of the guest of which one tells it; "hangs": it does not end.
	seen []string
}

// orderMutants are what TestLitmus has to notice. What x86-64 orders by itself cannot be
// broken: a store-release that is a plain store still comes behind earlier accesses, and
// loads stay in order. What is left are stores before later loads, locked instructions,
// accesses in two halves, and the passes of tier 2 that leave loads and atomics out.
var orderMutants = []orderMutant{
	{"DMB ISH is nothing", "jit/amd64/lower_mem.go",
		"if c.f.ImmOf(in.A()) == ir.FenceAll {", "if false {", "", []string{"SB+dmbs", "R+dmbs"}},
	{"STLR is a store", "jit/amd64/lower_mem.go",
		"c.b.MR(exact(x64.XCHGB, t), m, r)", "c.b.MR(exact(x64.MOVB, t), m, r)", "", []string{"SB+stlr-ldars"}},
	{"LDADD without LOCK", "jit/amd64/lower_atomic.go",
		"c.b.LockMR(exact(x64.XADDB, t), m, r)", "c.b.MR(exact(x64.XADDB, t), m, r)", "", []string{"counters", "hangs"}},
	{"STXR without LOCK", "jit/amd64/lower_atomic.go",
		"c.b.LockMR(exact(x64.CMPXCHGB, t), x64.At(a, 0), n)", "c.b.MR(exact(x64.CMPXCHGB, t), x64.At(a, 0), n)", "", []string{"counters"}},
	{"CAS without LOCK", "jit/amd64/lower_atomic.go",
		"n := c.useR(in.C())\n\tc.mayFault()\n\tc.b.LockMR(", "n := c.useR(in.C())\n\tc.mayFault()\n\tc.b.MR(", "", []string{"counters"}},
	{"CASP is two loads", "jit/amd64/lower_atomic.go",
		"\tc.pairOut(x64.RBX, x64.RCX, in.C())\n\tc.mayFault()\n\tc.b.LockM(x64.CMPXCHG16B, m)\n",
		"\tc.pairOut(x64.RBX, x64.RCX, in.C())\n\tc.mayFault()\n\tc.b.LockM(x64.CMPXCHG16B, m)\n\tc.b.RM(x64.MOVQ, x64.RAX, m)\n\tc.b.RM(x64.MOVQ, x64.RDX, m.Add(8))\n",
		"", []string{"CASP torn"}},
	{"LDP is two loads with FEAT_LSE2", "translate/ldst_pair.go",
		"case i.Bit(30) == 0 && t.cpu.lse2:", "case i.Bit(30) == 0 && t.cpu.lse2 && i.Bit(22) == 0:", "lse2", []string{"LDP and STP torn"}},
	{"STP is two stores with FEAT_LSE2", "translate/ldst_pair.go",
		"case i.Bit(30) == 0 && t.cpu.lse2:", "case i.Bit(30) == 0 && t.cpu.lse2 && i.Bit(22) == 1:", "lse2", []string{"LDP and STP torn", "LDR q and STP torn"}},
	{"LoadElim looks beyond acquires and atomics", "ir/opt/loadelim.go",
		"op.Has(ir.MemRead|ir.MemWrite|ir.Acquire|ir.Release) && op != ir.OpLoadS && op != ir.OpLoadP || ", "", "",
		[]string{"MP+stlr+again-ldar", "MP+stlr+again-ldapr", "MP+stlr+again-ldaxr", "MP+stlr+again-ldaddal"}},
	{"LoadElim looks beyond barriers", "ir/opt/loadelim.go",
		"|| op.Has(ir.Effect) && op != ir.OpInsn", "", "", []string{"MP+dmb.st+again-dmb.ld", "MP+dmb.st+again-dmb"}},
	{"address dependencies are folded", "ir/simplify.go",
		"func (f *Func) zeroLanes(t Type) Value {\n\tif !t.IsVec() {", "func (f *Func) zeroLanes(t Type) Value {\n\tif false {", "", []string{"MP+dmb.st+again-addr"}},
	{"LICM moves loads", "ir/opt/licm.go",
		"case ir.OpGetX, ir.OpGetV, ir.OpGetNZCV, ir.OpGetSys:", "case ir.OpGetX, ir.OpGetV, ir.OpGetNZCV, ir.OpGetSys, ir.OpLoad:", "", []string{"hangs"}},
	{"compare-and-swap loops store", "ir/opt/exclusive.go",
		"old := x.b.Op3(ir.OpCas, get(i.A()), get(ir.Value(p.load)), get(i.B()))",
		"old := get(ir.Value(p.load))\n\t\t\tx.b.Emit(ir.OpStore, ir.Void, get(i.B()), get(i.A()), ir.Imm(0))", "", []string{"counters"}},
}

// TestLitmusSeesMutants looks whether there is what each of orderMutants changes, and with EMU_MUTANTS
// set builds it and looks whether TestLitmus would fail. That takes minutes: make mutants. All are seen at the first try on a machine with two
// processors and nothing else to do, most a thousand times in 100,000 cells; threads that
// do not run at the same time, because others have the processors, see none.
func TestLitmusSeesMutants(t *testing.T) {
	guest := ""
	for _, m := range orderMutants {
		t.Run(m.name, func(t *testing.T) {
			path := filepath.Join("..", m.file)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(string(data), m.old); n != 1 {
				t.Fatalf("%s: %d times %q", m.file, n, m.old)
			}
			if os.Getenv("EMU_MUTANTS") == "" {
				return
			}
			if guest == "" {
				guest = litmusGuest(t)
			}
			emu := buildMutant(t, path, strings.Replace(string(data), m.old, m.new, 1))
			for _, tier := range []string{"-tier=1", "-tier=2"} {
				if got := litmus(t, emu, guest, tier, m.args); noticed(got, m.seen) {
					t.Logf("%s: %q", tier, got)
					return
				}
			}
			t.Errorf("TestLitmus does not see it")
		})
	}
}

// noticed reports whether one of seen is in what litmus returned.
func noticed(got, seen []string) bool {
	for _, line := range got {
		for _, s := range seen {
			if strings.HasPrefix(line, s+" ") {
				return true
			}
		}
	}
	return false
}

// buildMutant builds emu with other text in the file at path.
func buildMutant(t *testing.T, path, text string) string {
	t.Helper()
	dir := t.TempDir()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	mutant, overlay, emu := filepath.Join(dir, "mutant.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "emu")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {path: mutant}})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{mutant: []byte(text), overlay: replace} {
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("make", "-C", "..", "build", "BIN="+emu, "GOFLAGS=-overlay="+overlay)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return emu
}
