package opt

import (
	"testing"
	"unsafe"

	"emu/cpu"
	"emu/ir"
	"emu/ir/interp"
	"emu/ir/irtest"
)

// fixtureMemory must not move, as goroutine stacks do.
var fixtureMemory [irtest.MemWords]uint64

// TestFixturesAfterPasses runs the fixtures once more behind each pass.
func TestFixturesAfterPasses(t *testing.T) {
	cases, err := irtest.Load("../testdata/run")
	if err != nil {
		t.Fatal(err)
	}
	w, m, s := NewWork(), new(interp.Machine), new(cpu.State)
	base := uint64(uintptr(unsafe.Pointer(&fixtureMemory)))
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			f, err := ir.Parse(c.Text)
			if err != nil {
				t.Fatal(err)
			}
			Run(w, f, Passes, func(p *Pass, f *ir.Func) {
				if err := f.Verify(); err != nil {
					t.Fatalf("%s: %v\n%v", p.Name, err, f)
				}
				for _, r := range c.Runs {
					if err := r.Check(f, m.Exec, s, &fixtureMemory, base); err != nil {
						t.Errorf("%s: %v\n%v", p.Name, err, f)
					}
				}
			})
		})
	}
}
