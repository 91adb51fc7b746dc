package amd64

import (
	"testing"

	"emu/ir"
)

// TestMoveCheck: the checker accepts an exchange that goes by way of a third place and
// refuses one that overwrites what it still needs, and a detour over a place in use.
func TestMoveCheck(t *testing.T) {
	a, b, d := move{dst: 1, src: 2}, move{dst: 2, src: 1}, move{dst: 3, src: 3}
	for _, test := range []struct {
		name  string
		steps func(k *moveCheck)
		ok    bool
	}{
		{"detour", func(k *moveCheck) {
			k.moved(&move{dst: 9, src: 1})
			k.moved(&a)
			k.moved(&move{dst: 2, src: 9})
		}, true},
		{"exchange", func(k *moveCheck) { k.swapped(1, 2) }, true},
		{"overwritten", func(k *moveCheck) { k.moved(&a); k.moved(&b) }, false},
		{"forgotten", func(k *moveCheck) { k.moved(&a) }, false},
		{"scratch in use", func(k *moveCheck) { k.lost(3); k.swapped(1, 2) }, false},
	} {
		var k moveCheck
		k.begin([]move{a, b, d})
		test.steps(&k)
		func() {
			defer func() {
				if r := recover(); (r == nil) != test.ok {
					t.Errorf("%s: %v", test.name, r)
				}
			}()
			k.end(&compiler{f: ir.NewFunc(4)})
		}()
	}
}
