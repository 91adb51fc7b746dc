package opt

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"emu/ir"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden runs the passes that name the sections behind "in", one after the
// other, and compares what each leaves.
func TestGolden(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.txtar")
	if len(files) == 0 {
		t.Fatal("no golden files")
	}
	byName := make(map[string]Pass)
	for _, p := range Passes {
		byName[p.Name] = p
	}
	w := NewWork()
	shown := make(map[string]bool)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			f, err := ir.Parse(string(a.Files[0].Data))
			if err != nil {
				t.Fatal(err)
			}
			if err := f.Verify(); err != nil {
				t.Fatal(err)
			}
			for n := 1; n < len(a.Files); n++ {
				section := &a.Files[n]
				p, ok := byName[section.Name]
				if !ok {
					t.Fatalf("no pass %q", section.Name)
				}
				shown[p.Name] = true
				Run(w, f, []Pass{p}, nil)
				if err := f.Verify(); err != nil {
					t.Fatalf("after %s: %v\n%v", p.Name, err, f)
				}
				if *update {
					section.Data = []byte(f.String())
				} else if diff := cmp.Diff(string(section.Data), f.String()); diff != "" {
					t.Errorf("after %s: %s", p.Name, diff)
				}
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	for _, p := range Passes {
		if !shown[p.Name] {
			t.Errorf("no golden file shows what %s does", p.Name)
		}
	}
}
