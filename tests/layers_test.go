package tests

import (
	"encoding/json"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// layers is the order of the packages: a package imports only from its own layer
// and below. docs/ARCHITECTURE.md explains it.
var layers = [][]string{
	{"emu/cpu", "emu/decoder", "emu/ir", "emu/internal"},
	{"emu/ir/opt", "emu/ir/interp", "emu/translate", "emu/loader", "emu/jit/regalloc", "emu/jit/asm", "emu/jit/host", "emu/jit/profile", "emu/jit/tier0"},
	{"emu/jit/amd64", "emu/cache"},
	{"emu/jit"},
	{"emu/syscalls"},
	{"emu/cmd", "emu/tests"},
}

// independent are pairs that must not know of each other although the layers
// would allow it.
var independent = [][2]string{{"emu/syscalls", "emu/jit"}}

func layerOf(pkg string) int {
	best, at := "", -1
	for n, layer := range layers {
		for _, p := range layer {
			if (pkg == p || strings.HasPrefix(pkg, p+"/")) && len(p) > len(best) {
				best, at = p, n
			}
		}
	}
	return at
}

func TestLayers(t *testing.T) {
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "../...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := d.Decode(&p); err == io.EOF {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		from := layerOf(p.ImportPath)
		if from < 0 {
			t.Errorf("%s has no layer", p.ImportPath)
		}
		for _, to := range p.Imports {
			if !strings.HasPrefix(to, "emu/") {
				continue
			}
			if layerOf(to) > from {
				t.Errorf("%s imports %s, which is above it", p.ImportPath, to)
			}
			for _, pair := range independent {
				if p.ImportPath == pair[0] && (to == pair[1] || strings.HasPrefix(to, pair[1]+"/")) {
					t.Errorf("%s imports %s", p.ImportPath, to)
				}
			}
		}
	}
}
