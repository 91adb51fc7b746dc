package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the generated files anew")

// The generated files are those that the tables give.
func TestFresh(t *testing.T) {
	files, err := generate("..")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		path := filepath.Join("..", name)
		if *update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is stale: run go generate ./decoder", name)
		}
	}
}

const testHeader = "width Rd:5 Rn:5 Rm:5 size:2\n[general test]\n"

func check(table string) error {
	rows, err := parseTable("test.tbl", testHeader+table)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if err := checkRow(r); err != nil {
			return err
		}
	}
	return checkAmbiguity(rows)
}

func TestMistakesInTheTableAreRefused(t *testing.T) {
	for _, c := range []struct{ table, want string }{
		{"A | 0000_0000_0000_0000_0000_00 Rn Rd | - | - | a", ""},
		{"A | 0000_0000_0000_0000_0000_0 Rn Rd | - | - | a", "1 bits missing"},
		{"A | 0000_0000_0000_0000_0000_000 Rn Rd | - | - | a", "more than 32 bits"},
		{"A | 0000_0000_0000_0000_0000_00 Rx Rd | - | - | a", `field "Rx" has no width`},
		{"A | 0000_0000_0000_0000_0000_00 Rn Rd | - | - ", "4 columns"},
		{"A | 0000_0000_0000_0000_0000_00 Rn Rd | Rm=11111 | - | a", `no field "Rm"`},
		{"A | 0000_0000_0000_0000_0000_00 Rn Rd | Rd=1111 | - | a", "4 bits, want 5"},
		{"A | 0000_0000_0000_0000_0000_00 Rn Rd | @Rn=Rm | - | a", "unknown mark"},
		{"A | 0000_0000_0000_0000_0000_00 Rn Rd=0xxxx | Rd=1xxxx | - | a", "never holds"},
		{"A | 0000_0000_0000_0000_0000_00 Rn Rd!11111 | Rd=11111 | - | a", "both UNDEFINED and excluded"},
		// Rows that share words.
		{"A | 0000_0000_0000_0000_0000_00 Rn Rd | - | - | a\nB | 0000_0000_0000_0000_0000_00 Rn Rd | - | - | b", "A and B both match"},
		{"A | 0000_0000_0000_0000_0000_00 Rn=0xxxx Rd | - | - | a\nB | 0000_0000_0000_0000_0000_00 Rn Rd=0xxxx | - | - | b", "A and B both match"},
		// An UNDEFINED condition is no exclusion.
		{"A | 0000_0000_0000_0000_0000_00 Rn=0xxxx Rd | Rd=0xxxx | - | a\nB | 0000_0000_0000_0000_0000_00 Rn Rd=0xxxx | - | - | b", "A and B both match"},
		{"A | 0000_0000_0000_0000_0000_00 Rn=0xxxx Rd!0xxxx | - | - | a\nB | 0000_0000_0000_0000_0000_00 Rn Rd=0xxxx | - | - | b", ""},
		// A specialisation.
		{"A | 0000_0000_0000_0000_0000_00 Rn Rd | - | - | a\nB | 0000_0000_0000_0000_0000_00 Rn 11111 | - | - | b", ""},
	} {
		err := check(c.table)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s\n refused: %v", c.table, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s\n error %v, want %q", c.table, err, c.want)
		}
	}
}

func TestComplement(t *testing.T) {
	rows, err := parseTable("test.tbl", testHeader+"A | 0000_0000_0000_0000_0000_00 Rn Rd | Rn:Rd!=0000000001|1xxxx00000 | - | a")
	if err != nil {
		t.Fatal(err)
	}
	for w := range uint32(1 << 10) {
		in := w == 1 || w>>9 == 1 && w&31 == 0
		n := 0
		for _, p := range rows[0].undefined {
			if w&p.mask == p.value {
				n++
			}
		}
		if in && n != 0 || !in && n == 0 {
			t.Fatalf("word %#b: in %d patterns of the complement, in the set: %t", w, n, in)
		}
	}
}
