package ir

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite generated files")

// TestDocsAreFresh compares the tables of docs/ir.md with the rows.
func TestDocsAreFresh(t *testing.T) {
	const path = "../docs/ir.md"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const end = "-update -->\n"
	at := strings.Index(string(page), end)
	if at < 0 {
		t.Fatalf("%s has no mark where the tables begin", path)
	}
	at += len(end)
	want := docTables()
	if *update {
		if err := os.WriteFile(path, []byte(string(page[:at])+want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(page[at:])); diff != "" {
		t.Errorf("%s is stale; run go test ./ir -run Docs -update\n%s", path, diff)
	}
}

func docTables() string {
	var w strings.Builder
	for _, family := range families {
		fmt.Fprintf(&w, "\n### %s\n\n| operation | operands | result | properties | meaning |\n|---|---|---|---|---|\n", family.title)
		for _, r := range family.rows {
			fmt.Fprintf(&w, "| `%s` | %s | %s | %s | %s |\n", r.Name, orDash(strings.Join(strings.Split(r.Args, ""), " ")), r.Ret, orDash(r.Flags.String()), r.Doc)
		}
	}
	return strings.ReplaceAll(w.String(), " * |", ` \* |`)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
