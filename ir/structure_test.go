package ir

import "testing"

// A Structure can be used for one Func after the other: nothing of the first
// stays.
func TestStructureIsReset(t *testing.T) {
	b := NewBuilder(NewFunc(16))
	b.If(b.Trunc(I1, b.GetX(0)))
	b.Else()
	b.End()
	b.Jump(4)
	var s Structure
	for range 2 {
		if err := b.Func.Structure(&s); err != nil {
			t.Fatal(err)
		}
		if len(s.Scopes) != 1 || len(s.Of) != len(b.Insts) {
			t.Fatalf("%d scopes, %d places for %d instructions", len(s.Scopes), len(s.Of), len(b.Insts))
		}
	}
}
