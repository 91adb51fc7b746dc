package syscalls

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite generated files")

// unistd reads the numbers of x/sys/unix for an architecture from its source.
func unistd(t *testing.T, arch string) map[string]int {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/sys").Output()
	if err != nil {
		t.Skipf("no source of golang.org/x/sys: %v", err)
	}
	src, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "unix", "zsysnum_linux_"+arch+".go"))
	if err != nil {
		t.Fatal(err)
	}
	nrs := map[string]int{}
	for _, m := range regexp.MustCompile(`SYS_(\w+)\s+= (\d+)`).FindAllStringSubmatch(string(src), -1) {
		nrs[strings.ToLower(m[1])], _ = strconv.Atoi(m[2])
	}
	return nrs
}

// TestNumbers compares the table with the arm64 numbers and its host numbers
// with the x86-64 ones, by name.
func TestNumbers(t *testing.T) {
	guest, host := unistd(t, "arm64"), unistd(t, "amd64")
	delete(guest, "arch_specific_syscall") // the base of a range, not a call
	table := Table()
	for name, nr := range guest {
		if table[nr].Name != name {
			t.Errorf("%d is %q, want %q", nr, table[nr].Name, name)
		}
	}
	for i := range table {
		r := table[i]
		if r.Class == Unused {
			continue
		}
		if _, ok := guest[r.Name]; !ok {
			t.Errorf("%d %s is not an arm64 system call", i, r.Name)
		}
		if r.Host != noHost && int(r.Host) != host[r.Name] {
			t.Errorf("%s goes to host call %d, want %d", r.Name, r.Host, host[r.Name])
		}
	}
}

// TestUnistdList compares the table with a checked-in list of asm-generic's
// unistd.h numbers as Linux 6.12 has them.
func TestUnistdList(t *testing.T) {
	list, err := os.ReadFile("testdata/unistd.txt")
	if err != nil {
		t.Fatal(err)
	}
	table, seen := Table(), map[int]bool{}
	for _, line := range strings.Split(strings.TrimSpace(string(list)), "\n") {
		f := strings.Fields(line)
		nr, err := strconv.Atoi(f[0])
		if err != nil || len(f) != 2 {
			t.Fatalf("bad line %q", line)
		}
		seen[nr] = true
		if table[nr].Name != f[1] {
			t.Errorf("%d is %q, want %q", nr, table[nr].Name, f[1])
		}
	}
	const last = 462 // mseal, the newest of Linux 6.12
	for nr := range last + 1 {
		if table[nr].Class != Unused && !seen[nr] {
			t.Errorf("%d %s is not in the list", nr, table[nr].Name)
		}
	}
}

func TestRowsAreWhole(t *testing.T) {
	table := Table()
	for i := range table {
		r := table[i]
		switch {
		case r.Class == Unused:
			continue
		case r.Class == Refuse && (r.Errno == 0 || r.Note == "" && r.Name != "restart_syscall"):
			t.Errorf("%s is refused without errno or reason", r.Name)
		case (r.Class == Direct || r.Class == Pass) && (r.fn != nil || r.Host == noHost):
			t.Errorf("%s: a %v call needs a host number and no handler", r.Name, r.Class)
		case (r.Class == Convert || r.Class == Emulate) && r.fn == nil:
			t.Errorf("%s: no handler", r.Name)
		case r.Class == Convert && r.Note == "":
			t.Errorf("%s: does not say what is converted", r.Name)
		case len(r.Args) > 6:
			t.Errorf("%s: %d arguments", r.Name, len(r.Args))
		}
		for _, k := range r.Args {
			if k.isFlags() && flagSets[k] == nil {
				t.Errorf("%s: no flag set for kind %d", r.Name, k)
			}
			if r.Class == Direct && k == Path {
				t.Errorf("%s: paths are not translated in direct calls", r.Name)
			}
		}
	}
}

func TestFreshDocs(t *testing.T) {
	const file = "../docs/syscalls.md"
	var b bytes.Buffer
	if err := WriteDocs(&b); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if old, err := os.ReadFile(file); err != nil || !bytes.Equal(old, b.Bytes()) {
		t.Errorf("%s is out of date: go test ./syscalls -run FreshDocs -update", file)
	}
}

// TestPointersAreChecked: each argument that is a pointer by the host's reading of
// it has a size, unless a handler looks at it: the kernel must not come upon emu's own
// memory.
func TestPointersAreChecked(t *testing.T) {
	table := Table()
	for i := range table {
		r := table[i]
		if r.Class != Pass && r.Class != Direct {
			continue
		}
		for n, k := range r.Args {
			if k != Addr || r.inner != nil {
				continue
			}
			known := false
			for _, p := range r.pointees {
				known = known || int(p.arg) == n
			}
			if !known {
				t.Errorf("%s: nothing says what argument %d points to", r.Name, n)
			}
		}
	}
}
