package tests

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

const hotGuest = "guest/profile/hot.c"

// parseProfile reads a profile and checks that it is one that pprof accepts.
func parseProfile(t *testing.T, path string) *profile.Profile {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if err := p.CheckValid(); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	var types []string
	for _, s := range p.SampleType {
		types = append(types, s.Type+"/"+s.Unit)
	}
	if got, want := strings.Join(types, " "), "samples/count cpu/nanoseconds executions/count"; got != want {
		t.Errorf("sample types %q, want %q", got, want)
	}
	return p
}

// The indexes of the values of samples.
const (
	valueSamples = iota
	valueTime
	valueExecutions
)

// share is the part of the time whose call stack satisfies the condition.
func share(p *profile.Profile, cond func(stack []string) bool) float64 {
	var part, all int64
	for _, s := range p.Sample {
		var stack []string
		for _, l := range s.Location {
			stack = append(stack, l.Line[0].Function.Name)
		}
		all += s.Value[valueTime]
		if cond(stack) {
			part += s.Value[valueTime]
		}
	}
	return float64(part) / float64(max(all, 1))
}

// shares collects what is wrong with shares of the time. Which moments are sampled depends on
// what else the machine does, so a run may be repeated.
type shares struct{ wrong []string }

func (s *shares) within(what string, got, low, high float64) {
	if got < low || got > high {
		s.wrong = append(s.wrong, fmt.Sprintf("%s: %.3f of the time, want %.2f to %.2f", what, got, low, high))
	}
}

// sampled calls run, which profiles something, until its shares are right; three times wrong
// is an error.
func sampled(t *testing.T, run func(s *shares)) {
	t.Helper()
	var s shares
	for range 3 {
		s = shares{}
		if run(&s); len(s.wrong) == 0 {
			return
		}
	}
	t.Error(strings.Join(s.wrong, "\n"))
}

// startsWith is a condition for share: the innermost functions.
func startsWith(names ...string) func([]string) bool {
	return func(stack []string) bool {
		return len(stack) >= len(names) && strings.Join(stack[:len(names)], " ") == strings.Join(names, " ")
	}
}

// TestProfile profiles a program whose hot functions are known, in every tier.
func TestProfile(t *testing.T) {
	emu, guest := emuPath(t), build(t, hotGuest, arm64, "-O1", "-fno-omit-frame-pointer")
	for _, tier := range []struct{ flag, label, n string }{
		{"-tier=auto", "2", "4000000"},
		{"-tier=1", "1", "3000000"},
		{"-tier=2", "2", "4000000"},
		{"-tier=interp", "interp", "60000"},
	} {
		t.Run(tier.flag, func(t *testing.T) {
			var p *profile.Profile
			sampled(t, func(s *shares) {
				path := filepath.Join(t.TempDir(), "cpu.pb.gz")
				got := run(t, "", emu, tier.flag, "-profile", path, guest, tier.n)
				same(t, "hot", got, result{stdout: "1\n"})
				p = parseProfile(t, path)
				// hot runs 4/3 of the loops, cool 1/3; what a loop costs differs.
				s.within("hot, self", share(p, startsWith("hot")), 0.6, 0.97)
				s.within("cool, self", share(p, startsWith("cool")), 0.02, 0.4)
				often, seldom := share(p, startsWith("hot", "often", "main")), share(p, startsWith("hot", "seldom", "main"))
				s.within("hot called by often", often/(often+seldom), 0.6, 0.9) // three quarters
				s.within("below _start", share(p, func(s []string) bool { return s[len(s)-1] == "_start" }), 0.9, 1)
				inTier := func() (n float64) {
					var part, all int64
					for _, s := range p.Sample {
						all += s.Value[valueTime]
						if s.Label["tier"][0] == tier.label {
							part += s.Value[valueTime]
						}
					}
					return float64(part) / float64(all)
				}
				s.within("tier "+tier.label, inTier(), 0.7, 1)
			})
			if tier.label != "interp" {
				checkExecutions(t, p)
			}
			if m := p.Sample[0].Location[0].Mapping; m == nil || m.File != guest {
				t.Errorf("mapping %v, want one of %s", m, guest)
			}
		})
	}
}

// checkExecutions looks for the unit at the begin of often, which main calls 20
// times.
func checkExecutions(t *testing.T, p *profile.Profile) {
	t.Helper()
	var counts []int64
	for _, s := range p.Sample {
		if s.Value[valueExecutions] > 0 && s.Location[0].Line[0].Function.Name == "often" {
			counts = append(counts, s.Value[valueExecutions])
		}
	}
	for _, n := range counts {
		if n == 20 {
			return
		}
	}
	t.Errorf("units of often ran %d times, want one with 20", counts)
}

// A child of the program has a profile of its own, which does not repeat its
// parent's.
func TestProfileOfChildren(t *testing.T) {
	emu, guest := emuPath(t), build(t, hotGuest, arm64, "-O1", "-fno-omit-frame-pointer")
	sampled(t, func(s *shares) {
		dir := t.TempDir()
		path := filepath.Join(dir, "p")
		same(t, "hot", run(t, "", emu, "-profile", path, guest, "3000000", "fork"), result{stdout: "1\n"})
		s.within("hot in the parent", share(parseProfile(t, path), startsWith("hot")), 0.6, 0.97)
		children, _ := filepath.Glob(path + ".*")
		if len(children) != 1 {
			t.Fatalf("profiles of children: %v, want one", children)
		}
		p := parseProfile(t, children[0])
		s.within("cool in the child", share(p, startsWith("cool", "other", "main")), 0.8, 1)
		s.within("hot in the child", share(p, startsWith("hot")), 0, 0.05)
	})
}

// A child that ends before it has done anything of note leaves no profile behind.
func TestProfileOfIdleChild(t *testing.T) {
	emu, guest := emuPath(t), build(t, filepath.Join(traceGuests, "remote.c"), arm64, "-O1")
	var children []string
	for range 10 { // a sample may hit even a child that lives for 100 us
		path := filepath.Join(t.TempDir(), "p")
		got := run(t, "", emu, "-profile", path, guest, "fork")
		same(t, "fork", got, result{stdout: "child 8\n", status: 2})
		parseProfile(t, path)
		if children, _ = filepath.Glob(path + ".*"); len(children) == 0 {
			return
		}
	}
	t.Errorf("profiles of children: %v, want none", children)
}

// Go's own pprof opens the profile.
func TestProfileGoToolPprof(t *testing.T) {
	emu, guest := emuPath(t), build(t, hotGuest, arm64, "-O1", "-fno-omit-frame-pointer")
	path := filepath.Join(t.TempDir(), "p")
	run(t, "", emu, "-profile", path, guest)
	got := run(t, "", "go", "tool", "pprof", "-top", path)
	if got.status != 0 || !regexp.MustCompile(`(?m)^ *[\d.]+m?s +[\d.]+% +[\d.]+% .* hot$`).MatchString(got.stdout) {
		t.Errorf("go tool pprof -top: %v\n%s%s", got, got.stdout, got.stderr)
	}
}

func TestProfileBadFile(t *testing.T) {
	got := run(t, "", emuPath(t), "-profile", "/nonexistent/p", build(t, hotGuest, arm64, "-O1", "-fno-omit-frame-pointer"))
	if got.status != 125 || !strings.Contains(got.stderr, "/nonexistent/p") || got.stdout != "" {
		t.Errorf("%v: %s", got, got.stderr)
	}
}

func TestHotReport(t *testing.T) {
	emu, guest := emuPath(t), build(t, hotGuest, arm64, "-O1", "-fno-omit-frame-pointer")
	got := run(t, "", emu, "-hot-report", guest)
	for _, want := range []string{
		`(?m)^hot: \d+ ms of processor time in \d+ samples$`,
		`(?m)^ *\d+\.\d% +\d+\.\d%  hot$`,
		`(?m)^#1 +\d+\.\d%  tier 2, \d+ executions, \d+ guest instructions in \d+ bytes of host code, at 0x[0-9a-f]+ hot\+0x[0-9a-f]+$`,
		`(?m)^ *\d+\.\d% +0x[0-9a-f]+  [0-9a-f]{8}  \S+`,
		`eor x\d+, x\d+, x\d+, lsl #13`,
	} {
		if !regexp.MustCompile(want).MatchString(got.stderr) {
			t.Errorf("no %s in\n%s", want, tail(got.stderr))
		}
	}
}

// runShowingPID runs a command and returns the id of its process.
func runShowingPID(t *testing.T, argv ...string) (pid string) {
	t.Helper()
	got := run(t, "", append([]string{"/bin/sh", "-c", `echo $$; exec "$@"`, "sh"}, argv...)...)
	pid, _, _ = strings.Cut(got.stdout, "\n")
	if got.status != 0 {
		t.Fatalf("%v: %v\n%s", argv, got, got.stderr)
	}
	return pid
}

// The map names the code of both tiers, each range within the code cache.
func TestPerfMap(t *testing.T) {
	pid := runShowingPID(t, emuPath(t), "-perf=map", build(t, hotGuest, arm64, "-O1", "-fno-omit-frame-pointer"))
	path := "/tmp/perf-" + pid + ".map"
	defer os.Remove(path)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`^([0-9a-f]+) ([0-9a-f]+) (\S+ \[tier[12]\])$`)
	names := map[string]bool{}
	for l := range strings.Lines(string(text)) {
		m := line.FindStringSubmatch(strings.TrimSuffix(l, "\n"))
		if m == nil {
			t.Fatalf("line %q", l)
		}
		names[m[3]] = true
	}
	for _, want := range []string{"hot [tier1]", "main [tier1]", "_start [tier1]"} {
		if !names[want] {
			t.Errorf("no %q", want)
		}
	}
	if !regexp.MustCompile(`hot\+0x[0-9a-f]+ \[tier2\]`).Match(text) {
		t.Error("no code of tier 2 for hot")
	}
}

// The dump is as the kernel's tools/perf/Documentation/jitdump-specification.txt
// says.
func TestJITDump(t *testing.T) {
	pid := runShowingPID(t, emuPath(t), "-perf=jitdump", build(t, hotGuest, arm64, "-O1", "-fno-omit-frame-pointer"))
	path := "/tmp/jit-" + pid + ".dump"
	defer os.Remove(path)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	le := binary.LittleEndian
	if len(b) < 40 || le.Uint32(b) != 0x4a695444 || le.Uint32(b[4:]) != 1 || le.Uint32(b[12:]) != 62 || fmt.Sprint(le.Uint32(b[20:])) != pid {
		t.Fatalf("header % x", b[:min(len(b), 40)])
	}
	names := map[string]int{}
	last := uint64(0)
	for b = b[le.Uint32(b[8:]):]; len(b) > 0; {
		size := le.Uint32(b[4:])
		if le.Uint32(b) != 0 || uint64(size) > uint64(len(b)) || size < 56 {
			t.Fatalf("record of kind %d and %d bytes, %d are left", le.Uint32(b), size, len(b))
		}
		if now := le.Uint64(b[8:]); now < last {
			t.Errorf("times go back from %d to %d", last, now)
		} else {
			last = now
		}
		code := le.Uint64(b[40:])
		name, rest, _ := bytes.Cut(b[56:size], []byte{0})
		if uint64(len(rest)) != code || code == 0 {
			t.Errorf("%s: %d bytes of code, the record says %d", name, len(rest), code)
		}
		names[string(name)]++
		b = b[size:]
	}
	if names["hot [tier1]"] != 1 || names["main [tier1]"] != 1 {
		t.Errorf("hot: %d, main: %d records", names["hot [tier1]"], names["main [tier1]"])
	}
}

// Functions of shared libraries have names, from the symbol tables of the files
// that are mapped.
func TestProfileOfLibraries(t *testing.T) {
	flags, _, root := withMusl(t)
	guest := build(t, "kernels/memops.c", arm64, append(flags, linkDynamic, "-no-pie")...)
	sampled(t, func(s *shares) {
		path := filepath.Join(t.TempDir(), "p")
		run(t, "", emuPath(t), "-L", root, "-profile", path, guest, "400")
		s.within("memcpy and memset", share(parseProfile(t, path), func(stack []string) bool { return strings.HasPrefix(stack[0], "mem") }), 0.1, 1)
	})
}
