//go:build linux && amd64

package amd64_test

import (
	"testing"

	"emu/jit/amd64"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

// typical is the body of a Go function's loop: loads, address arithmetic, a
// compare and a branch.
const typical = `func 0x1e3dc size 40
insn #0x1e3dc
v1:i64 = getx #31
v2:i64 = load v1, 232
setx #0, v2
insn #0x1e3e0
v5:i64 = load v1, 240
setx #1, v5
insn #0x1e3e4
v8:i64 = getx #2
v9:i64 = shl v8, 3
v10:i64 = load v5, v9
setx #3, v10
insn #0x1e3e8
v13:i64 = add v10, 16
setx #3, v13
insn #0x1e3ec
store v13, v1, 176
insn #0x1e3f0
v17:i64 = add v8, 1
setx #2, v17
insn #0x1e3f4
v20:flags = subf v17, v2
setnzcv v20
insn #0x1e3f8
v23:i1 = cond.lt v20
jump_if v23, #0x1e3dc, #0x1e3fc
`

// BenchmarkCompile measures tier 1's backend on a typical unit of 8 guest
// instructions. It allocates nothing.
func BenchmarkCompile(b *testing.B) {
	f := parse(b, typical)
	back := amd64.New()
	o := host.Options{Features: uint64(x64.Detect())}
	var code host.Code
	b.ReportAllocs()
	for b.Loop() {
		if err := back.Compile(f, o, &code); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(back.Disasm(code.Bytes[:code.Hot], 0)))/8, "host-insts/guest-inst")
}

// TestCompileAllocatesNothing: in the steady state a backend reuses its memory.
func TestCompileAllocatesNothing(t *testing.T) {
	f := parse(t, typical)
	back := amd64.New()
	o := host.Options{Features: uint64(x64.Detect()), Count: true, Pairing: true}
	var code host.Code
	run := func() {
		if err := back.Compile(f, o, &code); err != nil {
			t.Fatal(err)
		}
	}
	run()
	if n := testing.AllocsPerRun(100, run); n != 0 {
		t.Errorf("%v allocations a unit", n)
	}
}
