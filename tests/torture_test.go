package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"emu/tests/need"
)

// tortureSource is where Debian's package gcc-12-source puts GCC's sources.
const tortureSource = "/usr/src/gcc-12/gcc-12*.tar.xz"

// mostUnbuilt is how many of GCC's programs may fail to build: some want options
// or headers that the cross compiler lacks.
const mostUnbuilt = 20

// unpackGCC extracts a folder of GCC's testsuite once and returns its path.
func unpackGCC(t *testing.T, folder string) string {
	t.Helper()
	dir, err := filepath.Abs("../bin/suites")
	if err != nil {
		t.Fatal(err)
	}
	find := func() string {
		list, _ := filepath.Glob(dir + "/gcc-*/gcc/testsuite/" + folder)
		if len(list) == 0 {
			return ""
		}
		return list[0]
	}
	if d := find(); d != "" {
		return d
	}
	tars, _ := filepath.Glob(tortureSource)
	if len(tars) == 0 {
		need.Missing(t, "GCC's sources are not installed; get them with: apt-get install gcc-12-source")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("tar", "xf", tars[0], "-C", dir, "--wildcards", "*/gcc/testsuite/"+folder+"/*").CombinedOutput()
	if err != nil || find() == "" {
		t.Fatalf("unpacking %s: %v\n%s", tars[0], err, out)
	}
	return find()
}

var directive = regexp.MustCompile(`dg-(?:additional-)?options\s+\{?\s*"([^"]*)"[ \t}]*(\{[^}]*\})?`)

// dgOptions are the compiler options that a program asks for on this target.
func dgOptions(src string) []string {
	var opts []string
	for _, m := range directive.FindAllStringSubmatch(src, -1) {
		if target := m[2]; target != "" {
			hit := regexp.MustCompile(`aarch64|\*-\*-\*|lp64|int32plus|linux|size20plus|size32plus|int128`).MatchString(target)
			if hit == strings.Contains(target, "!") {
				continue
			}
		}
		opts = append(opts, strings.Fields(m[1])...)
	}
	return opts
}

// GCC's execute tests exit with 0 when the code does what C says, at -O0 and -O2: every fourth one at
// one of them, by turns, or with EMU_TORTURE=all all at both. Most of the time goes into building them.
// What does not build is counted; all that builds has to pass. Tier 2, whose forced regions
// of the C library take longer than all else here, runs the optimised ones.
func TestGCCTorture(t *testing.T) {
	if testing.Short() {
		t.Skip("412 programs: left out by -short")
	}
	gcc := need.Tool(t, "aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu")
	dir := unpackGCC(t, "gcc.c-torture/execute")
	var sources []string
	for _, pattern := range []string{"*.c", "ieee/*.c"} {
		list, _ := filepath.Glob(filepath.Join(dir, pattern))
		sources = append(sources, list...)
	}
	suite := newSuite(t)
	all, leastRuns := os.Getenv("EMU_TORTURE") == "all", int64(1000)
	if all {
		leastRuns = 8230
	}
	for i, l := range []struct {
		level string
		tiers []string
	}{{"O0", []string{"interp", "1"}}, {"O2", []string{"interp", "1", "2"}}} {
		for j, src := range sources {
			if !all && j%8 != 4*i {
				continue
			}
			name := l.level + "/" + strings.TrimSuffix(strings.TrimPrefix(src, dir+"/"), ".c")
			suite.add(name, l.tiers, func() (string, bool) { return buildTorture(gcc, src, l.level, name) })
		}
	}
	suite.end(leastRuns, mostUnbuilt)
}

func buildTorture(gcc, src, level, name string) (prog string, ok bool) {
	prog, err := filepath.Abs(filepath.Join(guestDir, "torture", name))
	if err != nil {
		return "", false
	}
	if _, err := os.Stat(prog); err == nil {
		return prog, true
	}
	text, err := os.ReadFile(src)
	if err != nil || os.MkdirAll(filepath.Dir(prog), 0o755) != nil {
		return "", false
	}
	args := append([]string{"-w", "-pipe", "-std=gnu17", "-" + level, "-static"}, dgOptions(string(text))...)
	args = append(args, linkFast()...)
	cmd := exec.Command(gcc, append(args, src, "-o", prog, "-lm", "-lpthread")...)
	cmd.Dir = filepath.Dir(src)
	return prog, cmd.Run() == nil
}

// linkFast are the options for a linker that takes half the time, where there is one. What it links
// statically cannot cancel threads.
func linkFast() []string {
	if _, err := exec.LookPath("aarch64-linux-gnu-ld.gold"); err != nil {
		return nil
	}
	return []string{"-fuse-ld=gold"}
}
