//go:build linux && amd64

package amd64_test

import (
	"fmt"
	"testing"

	"emu/cpu"
	"emu/ir"
)

// TestNarrowLogicFillsTheRegister: a constant of 8 or 16 bits is an immediate with its sign,
// so that AND, OR and XOR of it leave bits above the type, which an extension has to clear.
func TestNarrowLogicFillsTheRegister(t *testing.T) {
	n := newBench(t)
	for name, o := range configs() {
		for _, op := range []string{"and", "or", "xor"} {
			for ty, k := range map[string]string{"i8": "0x80", "i16": "0x8000"} {
				text := fmt.Sprintf("func 0x1000 size 4\ninsn #0x1000\nv1:i64 = getx #0\nv2:%[2]s = trunc v1\nv3:i64 = zext v2\nv4:%[2]s = trunc v3\n"+
					"v5:%[2]s = %[1]s v4, %[2]s:%[3]s\nv6:i64 = zext v5\nsetx #1, v6\nv8:%[2]s = %[1]s v2, %[2]s:%[3]s\nv9:i64 = zext v8\nsetx #2, v9\njump #0x1004\n", op, ty, k)
				f, err := ir.Parse(text)
				if err != nil {
					t.Fatalf("%v\n%s", err, text)
				}
				for _, x := range []uint64{0, 0xff, 0x8180, ^uint64(0)} {
					if d := n.compare(f, o, func(s *cpu.State, mem []byte) { s.X[0] = x }); d != "" {
						t.Errorf("%s: %s of %s and %#x:\n%s", name, op, ty, x, d)
					}
				}
			}
		}
	}
}
