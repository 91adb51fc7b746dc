package tests

import (
	"bufio"
	"crypto/sha256"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"emu/decoder"
	"emu/tests/diff"
)

var (
	vectors     = flag.Int("vectors", 30, "vectors an encoding in TestInstructions; make nightly takes 2000")
	only        = flag.String("only", "", "run TestInstructions on encodings that start with this only")
	record      = flag.String("record", "", "file for TestInstructions to write the verified encodings to")
	progressDir = flag.String("progress", "", "directory in which TestInstructions and its kin note the encodings that agreed; a run leaves out what is there")
	shard       = flag.String("shard", "1/1", "K/N: run TestInstructions and its kin on the Kth of N parts of the encodings")
)

// chunk is how many cases run in one guest process.
const chunk = 10_000

// bulk takes many encodings through the engines, batch by batch. With -shard parts of it run
// in processes of their own, and with -progress what they have done outlives them: a run
// goes on where others were interrupted, and one that finds everything done sums up.
type bulk struct {
	name string // of its files in -progress
	ops  []decoder.Op
	each int // vectors an encoding
	// check runs a batch and returns its encodings that differ.
	check func(batch []decoder.Op) (differ map[decoder.Op]bool)
}

// run returns the encodings that agreed, those that earlier runs noted included.
func (b bulk) run(t *testing.T) (agreed []decoder.Op) {
	t.Helper()
	part, parts := shardOf(t)
	var done map[string]bool
	note := func(decoder.Op) {}
	if *progressDir != "" {
		dir := filepath.Join(*progressDir, fmt.Sprintf("%s-%d", sourceHash(t), *vectors))
		done = notedIn(t, dir, b.name)
		f := create(t, dir, fmt.Sprintf("%s.%dof%d", b.name, part, parts))
		note = func(op decoder.Op) {
			if _, err := fmt.Fprintln(f, op); err != nil {
				t.Fatal(err)
			}
		}
	}
	var todo []decoder.Op
	for n, op := range b.ops {
		if n%parts == part-1 && !done[op.String()] {
			todo = append(todo, op)
		}
	}
	start, finished := time.Now(), 0
	for batch := range slices.Chunk(todo, max(1, chunk/b.each)) {
		differ := b.check(batch)
		for _, op := range batch {
			if !differ[op] {
				agreed = append(agreed, op)
				note(op)
			}
		}
		finished += len(batch)
		if *progressDir != "" {
			past := time.Since(start)
			left := past * time.Duration(len(todo)-finished) / time.Duration(finished)
			t.Logf("%s %s: %d of %d encodings, %v; %v to go", b.name, *shard, finished, len(todo), past.Round(time.Second), left.Round(time.Second))
		}
	}
	for _, op := range b.ops {
		if done[op.String()] {
			agreed = append(agreed, op)
		}
	}
	slices.Sort(agreed)
	t.Logf("%s %s: %d encodings, %d vectors; %d encodings were done before", b.name, *shard, len(todo), len(todo)*b.each, len(done))
	return agreed
}

func shardOf(t *testing.T) (part, parts int) {
	if n, err := fmt.Sscanf(*shard, "%d/%d", &part, &parts); n != 2 || err != nil || part < 1 || part > parts {
		t.Fatalf("-shard %q: want K/N", *shard)
	}
	return part, parts
}

// notedIn are the encodings that the runs of a name have noted in dir.
func notedIn(t *testing.T, dir, name string) map[string]bool {
	noted := map[string]bool{}
	files, err := filepath.Glob(filepath.Join(dir, name+".*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		for s := bufio.NewScanner(f); s.Scan(); {
			noted[s.Text()] = true
		}
		f.Close()
	}
	return noted
}

// create opens a file to append to.
func create(t *testing.T, dir, name string) *os.File {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// sourceHash is one of all that decides how instructions are executed and compared: what is
// noted holds for this source only, but changes of documents and other tests leave it alone.
func sourceHash(t *testing.T) string {
	h := sha256.New()
	for _, root := range []string{"../cmd", "../cpu", "../decoder", "../translate", "../ir", "../jit", "../cache", "../loader", "../syscalls", "../internal", "diff"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			ext := filepath.Ext(path)
			if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") || !strings.Contains(" .go .s .h .c .tbl ", " "+ext+" ") {
				return err
			}
			data, err := os.ReadFile(path)
			fmt.Fprintf(h, "%s %d\n%s", path, len(data), data)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:6])
}

// writeVerified writes what docs/a64-coverage.md counts as verified.
func writeVerified(t *testing.T, path string, ops []decoder.Op, version int) {
	var b strings.Builder
	fmt.Fprintf(&b, "# Encodings that ran %d vectors each without a difference in the interpreter, tiers 0, 1 and 2\n", *vectors)
	fmt.Fprintf(&b, "# and qemu-aarch64 %d: written by make nightly.\n", version)
	for _, op := range ops {
		if diff.InQemu(op, version) {
			fmt.Fprintln(&b, op)
		}
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
