package ir

import "testing"

func mustParse(t *testing.T, text string) *Func {
	t.Helper()
	f, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Verify(); err != nil {
		t.Fatal(err)
	}
	return f
}

func TestEditsFollowChains(t *testing.T) {
	f := mustParse(t, `
a:i64 = getx #1
b:i64 = add a, 0
c:i64 = add b, 0
d:i64 = mul c, b
return a, b, c, d
`)
	var e Edits
	e.Reset(f)
	e.Replace(2, 1)
	e.Replace(1, 0)
	if v := e.Get(2); v != 0 {
		t.Errorf("v2 becomes v%d", v)
	}
	if !e.Apply(f) {
		t.Error("nothing was replaced")
	}
	if err := f.Verify(); err != nil {
		t.Fatalf("%v\n%v", err, f)
	}
	f.Kill(2)
	f.Kill(1)
	if !f.Sparse() {
		t.Errorf("%d of %d are NOPs, which is more than a quarter", f.NOPs(), len(f.Insts))
	}
	f.Compact()
	if err := f.Verify(); err != nil {
		t.Fatalf("%v\n%v", err, f)
	}
	const want = "func 0x0 size 0\nv0:i64 = getx #1\nv1:i64 = mul v0, v0\nreturn v0, v0, v0, v1\n"
	if f.NOPs() != 0 || f.String() != want {
		t.Errorf("compacted to\n%v\nwant\n%s", f, want)
	}
}

func TestReplaceAllUsesByConstant(t *testing.T) {
	f := mustParse(t, "a:i64 = getx #1\nb:i64 = add a, a\nreturn b, a\n")
	f.ReplaceAllUses(0, Imm(7))
	if err := f.Verify(); err != nil {
		t.Fatal(err)
	}
	if f.Uses[0] != 0 || f.String() != "func 0x0 size 0\nv0:i64 = getx #1\nv1:i64 = add 7, 7\nreturn v1, 7\n" {
		t.Errorf("%d uses left in\n%v", f.Uses[0], f)
	}
}

func TestKillRefusesUsed(t *testing.T) {
	f := mustParse(t, "a:i64 = getx #1\nreturn a\n")
	defer func() {
		if recover() == nil {
			t.Error("a value in use was deleted")
		}
	}()
	f.Kill(0)
}

func TestConditions(t *testing.T) {
	r := []uint64{0, 1, 5, 1 << 63, ^uint64(0)}
	for c := EQ; c <= SGE; c++ {
		for _, x := range r {
			for _, y := range r {
				if compare(c, 64, x, y) == compare(c.Not(), 64, x, y) || compare(c, 64, x, y) != compare(c.Swap(), 64, y, x) {
					t.Errorf("%v: not %v, swapped %v, of %#x and %#x", c, c.Not(), c.Swap(), x, y)
				}
			}
		}
	}
}
