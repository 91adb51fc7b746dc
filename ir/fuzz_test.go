package ir

import (
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"
)

// FuzzIRText: whatever Parse accepts prints to what parses to the same, and
// neither Verify nor the passes' foundations crash on it.
func FuzzIRText(f *testing.F) {
	for _, dir := range []string{"run", "verify"} {
		files, _ := filepath.Glob("testdata/" + dir + "/*.txtar")
		for _, file := range files {
			a, err := txtar.ParseFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(string(a.Files[0].Data))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		first, err := Parse(text)
		if err != nil {
			return
		}
		printed := first.String()
		second, err := Parse(printed)
		if err != nil {
			t.Fatalf("%v\nin the print\n%s\nof\n%s", err, printed, text)
		}
		if again := second.String(); again != printed {
			t.Fatalf("prints as\n%s\nand then as\n%s", printed, again)
		}
		if first.Verify() != nil {
			return
		}
		bin, err := first.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		third := NewFunc(1)
		if err := third.UnmarshalBinary(bin); err != nil {
			t.Fatal(err)
		}
		if again := third.String(); again != printed {
			t.Fatalf("the binary form of\n%s\ngives\n%s", printed, again)
		}
	})
}

// FuzzIRBinary: no bytes crash the reader or the verifier.
func FuzzIRBinary(f *testing.F) {
	for seed := range uint64(4) {
		bin, err := randomFunc(seed, 5).MarshalBinary()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(bin)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		g := NewFunc(1)
		if g.UnmarshalBinary(data) != nil {
			return
		}
		if err := g.Verify(); err == nil {
			_ = g.String()
		}
	})
}
