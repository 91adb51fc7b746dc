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

// verifiedFile lists what make nightly found without a difference in TestInstructions.
const verifiedFile = "testdata/verified.txt"

// verified reports whether an encoding is in verifiedFile, keyedRecord or sveRecord.
func verified(t *testing.T) func(decoder.Op) bool {
	names := map[string]bool{}
	for _, path := range []string{verifiedFile, keyedRecord, sveRecord} {
		for _, line := range lines(t, path) {
			names[line] = true
		}
	}
	return func(op decoder.Op) bool { return names[op.String()] }
}

// TestDocsAreFresh compares docs/a64-coverage.md with the tables it comes from.
func TestDocsAreFresh(t *testing.T) {
	const path = "../docs/a64-coverage.md"
	var want bytes.Buffer
	if err := decoder.Coverage(&want, translate.Translated, verified(t)); err != nil {
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
