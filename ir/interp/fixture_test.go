package interp

import (
	"testing"

	"emu/cpu"
	"emu/ir"
	"emu/ir/irtest"
)

// fixtureMemory must not move, as goroutine stacks do.
var fixtureMemory [irtest.MemWords]uint64

func TestFixtures(t *testing.T) {
	cases, err := irtest.Load("../testdata/run")
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) == 0 {
		t.Fatal("no fixtures")
	}
	m, s := new(Machine), new(cpu.State)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			f, err := ir.Parse(c.Text)
			if err != nil {
				t.Fatal(err)
			}
			if err := f.Verify(); err != nil {
				t.Fatalf("%v\n%v", err, f)
			}
			for _, r := range c.Runs {
				if err := r.Check(f, m.Exec, s, &fixtureMemory, addrOf(&fixtureMemory)); err != nil {
					t.Errorf("%v\n%v", err, f)
				}
			}
		})
	}
}
