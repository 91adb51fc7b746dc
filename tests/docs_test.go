package tests

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"emu/decoder"
	"emu/translate"
)

var update = flag.Bool("update", false, "rewrite generated files")

// TestDocsAreFresh compares docs/a64-coverage.md with the tables it comes from.
func TestDocsAreFresh(t *testing.T) {
	const path = "../docs/a64-coverage.md"
	var want bytes.Buffer
	if err := decoder.Coverage(&want, translate.Translated); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%s is stale; run make gen", path)
	}
}
