package opt

import (
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"emu/ir"
)

// TestBulk changes the loop of testdata/bulk.txtar: copies that are written in another way are found, and loops that are
// none, or that the passes before have not made good, are left as they are.
func TestBulk(t *testing.T) {
	a, err := txtar.ParseFile("testdata/bulk.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what  string
		found bool
		edits []string // pairs: what to replace, by what
	}{
		{"the loop itself", true, nil},
		{"until it is at a bound", true, []string{"cond.hi f", "cond.cs f"}},
		{"until it is equal", true, []string{"cond.hi f", "cond.ne f", "subf n1, 64", "subf n1, -64"}},
		{"the other way round", true, []string{
			"cond.hi f", "cond.ls f", "if e\n", "if e\n    setx #4, s1\n    jump #0x2000\n  else\n",
			"  else\n    setx #4, s1\n    jump #0x2000\n  end_block", "  end_block"}},
		{"in another order", true, []string{"store a1, q1, 16\n  p2:i64 = add p1, 64\n  a2:v2i64 = load p1, 16", "p2:i64 = add p1, 64\n  a2:v2i64 = load p2, -48\n  store a1, q1, 16"}},
		{"an argument that is not needed", true, []string{"  s1:i64 = blockarg #7\n", "", "    setx #4, s1\n", "", "d2, s1", "d2, n1"}},

		{"a piece from elsewhere", false, []string{"c2:v2i64 = load p1, 48", "c2:v2i64 = load p1, 56"}},
		{"a piece twice", false, []string{"store c1, q1, 48", "store b1, q1, 48"}},
		{"a piece to elsewhere", false, []string{"store c1, q1, 48", "store c1, q1, 80"}},
		{"stored at once", false, []string{"store d1, q1, 64\n  d2:v16i8 = load p1, 64", "d2:v16i8 = load p1, 64\n  store d2, q1, 64"}},
		{"changed on the way round", false, []string{"continue #0, p2, n2, q2, a2", "z:v2i64 = add a2, b2\n    continue #0, p2, n2, q2, z"}},
		{"pointers that part", false, []string{"q2:i64 = add q1, 64", "q2:i64 = sub q1, 64"}},
		{"a pointer that steps over something", false, []string{"q2:i64 = add q1, 64", "q2:i64 = add q1, 80"}},
		{"a pointer that stays", false, []string{"continue #0, p2", "continue #0, p1"}},
		{"one more store", false, []string{"store d1, q1, 64", "store d1, q1, 64\n  store n1, q1, 128"}},
		{"one more load", false, []string{"store d1, q1, 64", "store d1, q1, 64\n  z:i64 = load s1, 0"}},
		{"a counter that grows", false, []string{"n2:i64 = sub n1, 64", "n2:i64 = add n1, 64"}},
		{"a counter that is slow", false, []string{"n2:i64 = sub n1, 64", "n2:i64 = sub n1, 32"}},
		{"no counter", false, []string{"f:flags = subf n1, 64", "f:flags = subf s1, 64"}},
		{"goes on below the bound", false, []string{"cond.hi f", "cond.cc f"}},
		{"a signed comparison", false, []string{"cond.hi f", "cond.gt f"}},
		{"a bound that is more than any address", false, []string{"subf n1, 64", "subf n1, -64"}},
		{"counts something else, too", false, []string{"insn #0x1000", "insn #0x1000\n  z:i64 = add s1, 8", "d2, s1", "d2, z"}},
		{"an effect on the way round", false, []string{"    poll #0x1000\n", "    y:i64 = counter\n    poll #0x1000\n"}},
		{"another way out", false, []string{"insn #0x1000", "insn #0x1000\n  g:i1 = icmp.eq p1, 0\n  if g\n    jump #0x3000\n  else\n    yield\n  merge"}},
	} {
		t.Run(c.what, func(t *testing.T) {
			text := string(a.Files[0].Data)
			for k := 0; k < len(c.edits); k += 2 {
				was := text
				if text = strings.Replace(text, c.edits[k], c.edits[k+1], 1); text == was {
					t.Fatalf("no %q", c.edits[k])
				}
			}
			f, err := ir.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			Run(NewWork(), f, []Pass{{Name: "bulk", Fn: Bulk}}, nil)
			if err := f.Verify(); err != nil {
				t.Fatal(err)
			}
			if found := strings.Contains(f.String(), "copyup"); found != c.found {
				t.Errorf("found: %t\n%v", found, f)
			}
		})
	}
}
