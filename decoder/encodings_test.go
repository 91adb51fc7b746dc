package decoder

import (
	"bufio"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// fact is what testdata/encodings.txt and encodings_sve.txt say of one encoding. The files
// were not made from the tables.
type fact struct {
	name                    string
	mask, value             uint32
	shouldMask, shouldValue uint32
	features                string
	excluded                []Pattern
	allocated, undefined    []uint32
}

func facts(t *testing.T) []fact {
	t.Helper()
	return append(factsIn(t, "testdata/encodings.txt"), factsIn(t, "testdata/encodings_sve.txt")...)
}

func factsIn(t *testing.T, path string) []fact {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []fact
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		parts := strings.Split(lines.Text(), "|")
		var x fact
		var excluded string
		if _, err := fmt.Sscanf(parts[0], "%s %x %x %x %x %s %s", &x.name, &x.mask, &x.value,
			&x.shouldMask, &x.shouldValue, &x.features, &excluded); err != nil {
			t.Fatalf("%q: %v", lines.Text(), err)
		}
		if x.features == "base" {
			x.features = ""
		}
		if excluded != "-" {
			for _, e := range strings.Split(excluded, ",") {
				x.excluded = append(x.excluded, parseExclusion(t, e))
			}
		}
		x.allocated, x.undefined = hexWords(t, parts[1]), hexWords(t, parts[2])
		out = append(out, x)
	}
	return out
}

// parseExclusion reads hi:lo=pattern.
func parseExclusion(t *testing.T, s string) Pattern {
	t.Helper()
	var hi, lo int
	var pat string
	if _, err := fmt.Sscanf(s, "%d:%d=%s", &hi, &lo, &pat); err != nil || len(pat) != hi-lo+1 {
		t.Fatalf("bad exclusion %q", s)
	}
	var p Pattern
	for n, d := range pat {
		if bit := uint32(1) << (hi - n); d != 'x' {
			p.Mask |= bit
			p.Value |= bit * uint32(d-'0')
		}
	}
	return p
}

func hexWords(t *testing.T, s string) (words []uint32) {
	t.Helper()
	for _, f := range strings.Fields(s) {
		var w uint32
		if _, err := fmt.Sscanf(f, "%x", &w); err != nil {
			t.Fatalf("bad word %q", f)
		}
		words = append(words, w)
	}
	return words
}

// The table holds the encodings of the inventory and no others.
func TestTableMatchesInventory(t *testing.T) {
	rowsByName := map[string]*Row{}
	for n := range Rows() {
		rowsByName[Rows()[n].Name] = &Rows()[n]
	}
	known := facts(t)
	if len(known) != NumOps-1 {
		t.Errorf("%d encodings in the inventory, %d in the table", len(known), NumOps-1)
	}
	// The inventory makes the half-precision FCMLA by element conditional on a
	// box that is fixed in it, so that it always needs FEAT_FP16.
	featuresDiffer := map[string]string{"FCMLA_asimdelem_C_H": "FEAT_FCMA&FEAT_FP16"}
	for _, x := range known {
		r := rowsByName[x.name]
		if r == nil {
			t.Errorf("%s is not in the table", x.name)
			continue
		}
		if r.Mask != x.mask || r.Value != x.value || r.ShouldMask != x.shouldMask || r.ShouldValue != x.shouldValue {
			t.Errorf("%s: mask %#08x value %#08x should %#08x %#08x, want %#08x %#08x %#08x %#08x", x.name,
				r.Mask, r.Value, r.ShouldMask, r.ShouldValue, x.mask, x.value, x.shouldMask, x.shouldValue)
		}
		if want, ok := featuresDiffer[x.name]; ok {
			x.features = want
		}
		if r.Features != x.features {
			t.Errorf("%s: features %q, want %q", x.name, r.Features, x.features)
		}
		for _, w := range x.allocated {
			if got := Decode(w).Op; got.String() != x.name {
				t.Errorf("Decode(%#08x) = %s, want %s", w, got, x.name)
			}
		}
		for _, w := range x.undefined {
			if got := Decode(w).Op; got != UNALLOCATED {
				t.Errorf("Decode(%#08x) = %s, want UNALLOCATED: an UNDEFINED %s", w, got, x.name)
			}
		}
	}
}

// Random words, uniform and near each encoding, decode to the encoding that a
// search through all masks finds.
func TestDecodeAgreesWithLinearSearch(t *testing.T) {
	known := facts(t)
	search := func(w uint32) *fact {
		var best *fact
	next:
		for n := range known {
			x := &known[n]
			if w&x.mask != x.value || best != nil && bits.OnesCount32(x.mask) < bits.OnesCount32(best.mask) {
				continue
			}
			for _, p := range x.excluded {
				if p.Matches(w) {
					continue next
				}
			}
			best = x
		}
		return best
	}
	rng := rand.New(rand.NewPCG(5, 6))
	check := func(w uint32) {
		op := Decode(w).Op
		x := search(w)
		switch {
		case x == nil && op != UNALLOCATED:
			t.Errorf("Decode(%#08x) = %s, want UNALLOCATED", w, op)
		case x != nil && op != UNALLOCATED && op.String() != x.name:
			t.Errorf("Decode(%#08x) = %s, want %s", w, op, x.name)
		case x != nil && op == UNALLOCATED && len(x.undefined) == 0:
			t.Errorf("Decode(%#08x) = UNALLOCATED, want %s", w, x.name)
		}
	}
	for range 50_000 {
		check(rng.Uint32())
	}
	for n := range known {
		for range 20 {
			w := rng.Uint32()&^known[n].mask | known[n].value
			check(w)
			check(w ^ 1<<rng.IntN(32))
		}
	}
}

// Words that no version of the architecture up to Armv9.4 allocates outside SME.
func TestUnallocated(t *testing.T) {
	for _, w := range []uint32{
		0xffffffff, 0x00010000, 0xd4000000, 0xd69f0000, 0xd503201e,
		0xc0000000,            // SME
		0x9a000c00,            // ADC with bits in opcode2
		0x120003e0 | 0x3f<<10, // AND (immediate), reserved bitmask
		0x0bc00000,            // ADD (shifted register) with ROR
		0x0ee0b800,            // ABS of one doubleword in a vector
		0x04140000,            // SDIV of bytes in a vector of SVE
		0x05000700 | 0x3f<<5,  // ORR of one, reserved bitmask
	} {
		if i := Decode(w); i.Op != UNALLOCATED {
			t.Errorf("Decode(%#08x) = %s, want UNALLOCATED", w, i.Op)
		}
	}
	if got, want := (Inst{Word: 0xffffffff}).Disasm(0), ".inst 0xffffffff ; undefined"; got != want {
		t.Errorf("Disasm of an unallocated word = %q, want %q", got, want)
	}
}

func FuzzDecode(f *testing.F) {
	for _, w := range []uint32{0, 0x91000420, 0xd503201f, 0xd53bd041, 0x4e083c20, 0x04000440, 0xffffffff} {
		f.Add(w)
	}
	f.Fuzz(func(t *testing.T, w uint32) {
		i := Decode(w)
		if i.Word != w {
			t.Fatalf("Decode(%#08x).Word = %#08x", w, i.Word)
		}
		if i.Op != UNALLOCATED && w&RowOf(i.Op).Mask != RowOf(i.Op).Value {
			t.Fatalf("Decode(%#08x) = %s, whose fixed bits differ", w, i.Op)
		}
		if text := i.Disasm(0x1000); strings.Contains(text, "  ") || strings.HasSuffix(text, " ") || strings.Contains(text, ", ,") {
			t.Fatalf("%#08x: text %q", w, text)
		}
		i.Operands(0)
		i.Features()
	})
}
