package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"emu/tests/need"
)

// TestProfileLines has the source lines of a program in its profile, and the functions that are inlined. They are
// in the program, or in a file of their own that its name or its build id leads to.
func TestProfileLines(t *testing.T) {
	const source = "guest/profile/inlined.c"
	whole := build(t, source, arm64, "-O1", "-g", "-Wl,--build-id=0xabcdef0123", "-fno-omit-frame-pointer")
	objcopy := need.Tool(t, "aarch64-linux-gnu-objcopy", "binutils-aarch64-linux-gnu")
	copying := func(args ...string) {
		if got := run(t, "", append([]string{objcopy}, args...)...); got.status != 0 {
			t.Fatalf("objcopy %v: %s", args, got.stderr)
		}
	}
	for name, prepare := range map[string]func(dir string) (args []string){
		"own": func(string) []string { return []string{whole} },
		"link": func(dir string) []string {
			guest, debug := filepath.Join(dir, "guest"), filepath.Join(dir, ".debug", "guest.debug")
			if err := os.Mkdir(filepath.Dir(debug), 0o755); err != nil {
				t.Fatal(err)
			}
			copying("--only-keep-debug", whole, debug)
			copying("--strip-debug", "--remove-section=.note.gnu.build-id", "--add-gnu-debuglink="+debug, whole, guest)
			return []string{guest}
		},
		"build id": func(dir string) []string {
			debug := filepath.Join(dir, "usr/lib/debug/.build-id/ab/cdef0123.debug")
			if err := os.MkdirAll(filepath.Dir(debug), 0o755); err != nil {
				t.Fatal(err)
			}
			copying("--only-keep-debug", whole, debug)
			copying("--strip-all", whole, filepath.Join(dir, "guest"))
			return []string{"-L", dir, "/guest"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			args := prepare(t.TempDir())
			sampled(t, func(s *shares) {
				path := filepath.Join(t.TempDir(), "p")
				got := run(t, "", append(append([]string{emuPath(t), "-profile", path}, args...), "20000000")...)
				same(t, "inlined", got, result{stdout: "1\n"})
				p := parseProfile(t, path)
				s.within("mix in work", lineShare(p, source, []string{"mix", "work"}, []string{"x ^", "// the call"}), 0.3, 1)
				list := run(t, "", "go", "tool", "pprof", "-list", "^mix$", path)
				if !strings.Contains(list.stdout, "return x ^ x << 17;") {
					t.Errorf("pprof -list printed\n%s%s", list.stdout, list.stderr)
				}
			})
		})
	}
}

// lineShare is the part of the time in code of these functions, the innermost first, whose lines in source
// contain texts.
func lineShare(p *profile.Profile, source string, functions, texts []string) float64 {
	var part, all int64
	for _, s := range p.Sample {
		all += s.Value[valueTime]
		lines := s.Location[0].Line
		if len(lines) != len(functions) || !s.Location[0].Mapping.HasLineNumbers {
			continue
		}
		fits := true
		for i, l := range lines {
			text, err := os.ReadFile(l.Function.Filename)
			all := strings.Split(string(text), "\n")
			fits = fits && err == nil && strings.HasSuffix(l.Function.Filename, source) && l.Function.Name == functions[i] &&
				l.Line > 0 && int(l.Line) <= len(all) && strings.Contains(all[l.Line-1], texts[i]) && strings.Contains(all[l.Function.StartLine-1], functions[i])
		}
		if fits {
			part += s.Value[valueTime]
		}
	}
	return float64(part) / float64(max(all, 1))
}
