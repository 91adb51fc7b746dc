package translate

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"emu/decoder"
	"emu/ir"
	"emu/ir/opt"

	"golang.org/x/tools/txtar"
)

// testdata/region/*.txtar hold guest words (a64), the scopes that they are put
// into (blocks by number, in the order of their addresses), and the IR after all
// passes; perhaps in front of them where indirect branches go (targets: a branch, a target, how
// often).
func TestRegionGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/region/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	for _, name := range files {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(name)
			if err != nil || len(ar.Files) < 3 {
				t.Fatalf("want the sections a64, scopes and ir: %v", err)
			}
			tr := New(Options{})
			r := &region{t: tr, entry: testPC, limit: tr.opts.MaxRegionInsts}
			golden := ar.Files
			if len(golden) > 3 {
				r.profile = profileOf(t, string(golden[0].Data))
				golden = golden[1:]
			}
			var words []uint32
			var listing strings.Builder
			for line := range strings.Lines(string(golden[0].Data)) {
				w, err := strconv.ParseUint(strings.Fields(line)[0], 16, 32)
				if err != nil {
					t.Fatal(err)
				}
				text := decoder.Decode(uint32(w)).Disasm(testPC + 4*uint64(len(words)))
				fmt.Fprintf(&listing, "%08x %s\n", w, text)
				words = append(words, uint32(w))
			}
			r.fetch = fetchFrom(words)
			r.scan()
			tree := r.structure()
			var scopes strings.Builder
			format(&scopes, tree, 0)
			r.emit(tree)
			opt.Run(opt.NewWork(), tr.Func, opt.Passes, func(p *opt.Pass, _ *ir.Func) {
				if err := tr.Verify(); err != nil {
					t.Fatalf("after %s: %v", p.Name, err)
				}
			})
			for n, got := range []string{listing.String(), scopes.String(), tr.Func.String()} {
				if want := string(golden[n].Data); got != want && !*update {
					t.Errorf("%s: got\n%swant\n%s", golden[n].Name, got, want)
				}
				golden[n].Data = []byte(got)
			}
			if *update {
				if err := os.WriteFile(name, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// profileOf is a profile with the targets in lines of a branch, a target and its executions.
func profileOf(t *testing.T, lines string) *Profile {
	t.Helper()
	list, of := make(map[uint64][]Target), make(map[uint64]int)
	for line := range strings.Lines(lines) {
		var site uint64
		var to Target
		if _, err := fmt.Sscanf(line, "%v %v %d", &site, &to.PC, &to.N); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		list[site] = append(list[site], to)
		of[site] += to.N
	}
	return &Profile{
		Runs:    func(uint64) bool { return true },
		Targets: func(site uint64) ([]Target, int) { return list[site], of[site] },
	}
}

// format prints a tree with blocks by number, one statement a line.
func format(out *strings.Builder, tree []stmt, depth int) {
	indent := strings.Repeat("  ", depth)
	for _, n := range tree {
		switch n.kind {
		case stmtCode:
			fmt.Fprintf(out, "%s%d\n", indent, n.block)
		case stmtIf:
			fmt.Fprintf(out, "%sif %d\n", indent, n.block)
			format(out, n.body, depth+1)
			if len(n.other) > 0 {
				fmt.Fprintf(out, "%selse\n", indent)
				format(out, n.other, depth+1)
			}
		case stmtGuess:
			fmt.Fprintf(out, "%sif %d goes to %#x\n", indent, n.block, n.edge.pc)
			format(out, n.body, depth+1)
			fmt.Fprintf(out, "%selse\n", indent)
			format(out, n.other, depth+1)
		case stmtIndirect:
			fmt.Fprintf(out, "%sleave indirectly\n", indent)
		case stmtLoop:
			fmt.Fprintf(out, "%sloop %d\n", indent, n.block)
			format(out, n.body, depth+1)
		case stmtScope:
			fmt.Fprintf(out, "%sblock before %d\n", indent, n.block)
			format(out, n.body, depth+1)
		case stmtContinue:
			fmt.Fprintf(out, "%scontinue %d\n", indent, n.block)
		case stmtBreak:
			fmt.Fprintf(out, "%sbreak to %d\n", indent, n.block)
		case stmtLeave:
			fmt.Fprintf(out, "%sleave to %#x\n", indent, n.edge.pc)
		}
	}
}
