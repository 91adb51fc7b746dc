//go:build linux && amd64

package amd64_test

import (
	"math/rand/v2"
	"testing"

	"emu/cpu"
	"emu/ir"
)

// TestFlagsMadeAnew uses flags that the host has lost and that are computed again from
// their operands, in instructions that change the host's flags themselves: once PACKF
// left the flags that its own shift had made to the next condition.
func TestFlagsMadeAnew(t *testing.T) {
	const lost = `
v0:i64 = getx #0
v1:i64 = getx #1
v2:i64 = getx #2
v3:flags = subf v0, v1
v4:i64 = mulhis v0, v2
setx #4, v4
`
	const after = `
v90:i1 = cond.ne v3
v91:i64 = zext v90
v92:i1 = cond.lt v3
v93:i64 = zext v92
setx #6, v91
setx #7, v93
setx #1, v0
setx #0, v1
jump #0x1004
`
	n := newBench(t)
	for _, c := range []struct{ name, text string }{
		{"packf", "v5:i64 = packf v3\nsetx #5, v5"},
		{"sum of conditions", "v5:i1 = cond.eq v3\nv6:i64 = zext v5\nv7:i64 = add v2, v6\nv8:i1 = cond.cs v3\nv9:i64 = zext v8\nv10:i64 = sub v7, v9\nsetx #5, v10"},
		{"carry", "v5:i64 = adc v0, v2, v3\nv6:flags = adcf v0, v2, v3\nv7:i64 = packf v6\nsetx #5, v5\nsetx #3, v7"},
		{"select", "v5:i1 = cond.gt v3\nv6:i1 = trunc v2\nv7:i64 = select v5, v2, v0\nv8:flags = select v6, v3, flags:5\nv9:i64 = packf v8\nsetx #5, v9\nsetx #3, v7"},
		{"mask of a condition", "v5:i1 = cond.le v3\nv6:i64 = sext v5\nv7:i64 = and v6, v2\nv8:flags = nz v7\nv9:i64 = packf v8\nsetx #5, v9"},
	} {
		f, err := ir.Parse("func 0x1000 size 4\n" + lost[1:] + c.text + after)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if err := f.Verify(); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for name, o := range configs() {
			for seed := range uint64(20) {
				report := n.compare(f, o, func(s *cpu.State, mem []byte) {
					r := rand.New(rand.NewPCG(seed, 3))
					randomState(s, r)
					if r.IntN(4) == 0 {
						s.X[1] = s.X[0]
					}
				})
				if report != "" {
					t.Fatalf("%s, %s: the engines disagree:\n%s", c.name, name, report)
				}
			}
		}
	}
}
