//go:build linux && amd64

package amd64_test

import (
	"strings"
	"testing"

	"emu/cpu"
	"emu/jit/amd64"
	"emu/jit/host"
)

// TestNothingIsStoredForWhatALoopSetsFirst: what a loop SETs before anything can look need not be in the state when it
// goes back, though it begins with an IF.
func TestNothingIsStoredForWhatALoopSetsFirst(t *testing.T) {
	f := parse(t, `func 0x1000 size 32
v0:i64 = getx #4
v1:i64 = getx #0
v2:i64 = getx #3
loop v1, v2
v7:i64 = blockarg #0
v8:i64 = blockarg #1
insn #0x1000
v14:i1 = icmp.ne v8, 0
if v14
yield v8
else
insn #0x1004
v21:i64 = mul v7, 5
yield v21
v25:i64 = merge
setx #3, v25
insn #0x1008
v30:i64 = add v7, 1
setx #0, v30
insn #0x100c
v33:flags = subf v0, v30
setnzcv v33
insn #0x1010
v36:i1 = cond.eq v33
if v36
jump #0x1020
else
yield
merge
insn #0x1014
v43:i8 = load v30, 0
v44:i64 = zext v43
setx #2, v44
insn #0x1018
v48:flags = subf v44, 32
setnzcv v48
insn #0x101c
v51:i1 = cond.ne v48
if v51
insn #0x1000
poll #0x1000
continue #0, v30, v25
else
jump #0x1024
end_block
end_block
`)
	be := amd64.New()
	var code host.Code
	if err := be.Compile(f, host.Options{Verify: true}, &code); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(be.Disasm(code.Bytes[:code.Hot], 0), "\n")
	if strings.Contains(text, "lahf") { // nor in front of exits, which have cold code for it
		t.Errorf("the loop stores flags\n%s", text)
	}
	n := newBench(t)
	for seed := range uint64(200) {
		report := n.compare(f, host.Options{Verify: true}, func(s *cpu.State, mem []byte) {
			for k := range mem {
				mem[k] = byte(33 + (uint64(k)+seed)%17)
			}
			mem[64+seed%29] = 32
			s.X[0], s.X[3], s.Pending = n.address()+63, seed%3, uint32(seed/150)
			s.X[4] = s.X[0] + seed%31
			if seed%4 == 1 {
				s.X[0] = n.address() + 4090 // what is behind 4096 cannot be read
			}
		})
		if report != "" {
			t.Fatalf("seed %d: %s", seed, report)
		}
	}
}
