//go:build linux && amd64

package amd64_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"emu/cpu"
	"emu/ir"
	"emu/jit/amd64"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

// sumLoop is a loop that loads two vectors, adds their product to a third one and counts down to zero with
// flags: the loaded vectors and the flags are written and not read in it.
func sumLoop(t *testing.T) *ir.Func {
	return parse(t, `func 0x1000 size 24
v0:i64 = getx #3
v1:v4f32 = getv #0
v2:v16i8 = getv #1
v4:i64 = getx #0
v5:v16i8 = getv #2
loop v4, v1, v2, v5
v10:i64 = blockarg #0
v11:v4f32 = blockarg #1
v12:v16i8 = blockarg #2
v13:v16i8 = blockarg #3
v14:flags = subf v10, 0
setx #0, v10
setv #0, v11
setv #1, v12
setv #2, v13
setnzcv v14
insn #0x1000
v20:i64 = shl v10, 4
v21:i64 = sub v0, v20
v22:v16i8 = load v21, 0
setv #1, v22
insn #0x1004
v23:v16i8 = load v21, 64
setv #2, v23
insn #0x1008
v24:v4f32 = bitcast v22
v25:v4f32 = bitcast v23
v26:v4f32 = fma v11, v24, v25
setv #0, v26
insn #0x100c
v30:i64 = sub v10, 1
v31:flags = subf v10, 1
setx #0, v30
setnzcv v31
insn #0x1010
v33:i1 = cond.ne v31
if v33
insn #0x1000
poll #0x1000
continue #0, v30, v26, v22, v23
else
jump #0x1014
end_block
end_block
`)
}

// TestPollAtTop: where nothing has to be moved on a loop's way back that has a poll, the way back is one
// branch, to a poll in front of the loop's first instruction.
func TestPollAtTop(t *testing.T) {
	const features = x64.AVX | x64.AVX2 | x64.FMA // the same on every host
	b := amd64.New()
	var code host.Code
	if err := b.Compile(sumLoop(t), host.Options{Features: uint64(features), Verify: true, AlignLoops: true}, &code); err != nil {
		t.Fatal(err)
	}
	lines := b.Disasm(code.Bytes[:code.Hot], 0)
	text := strings.Join(lines, "\n")
	top := -1
	for n, line := range lines {
		var at int
		switch {
		case strings.Contains(line, "cmp dword ptr [rbp"):
			if top >= 0 {
				t.Fatalf("two polls\n%s", text)
			}
			if _, err := fmt.Sscanf(line, "%v", &top); err != nil {
				t.Fatal(err)
			}
			if top%host.LoopAlign != 0 {
				t.Errorf("the loop with its poll begins at %#x\n%s", top, text)
			}
		case top >= 0 && strings.HasSuffix(line, fmt.Sprintf("jnz %#x", top)):
			for _, inside := range lines[:n] {
				if fmt.Sscanf(inside, "%v", &at); at > top && (strings.Contains(inside, "\tmovaps") || strings.Contains(inside, "jmp")) {
					t.Errorf("the loop has %q\n%s", inside, text)
				}
			}
			return
		}
	}
	t.Errorf("no branch to a poll\n%s", text)
}

// TestNoPollAtTopWhereThingsMove: a short loop whose way back has to move something has no use for a poll in front of it, and begins
// where that would be.
func TestNoPollAtTopWhereThingsMove(t *testing.T) {
	f := parse(t, `func 0x1000 size 12
v0:i64 = getx #0
v1:i64 = getx #1
loop v0, v1
v3:i64 = blockarg #0
v4:i64 = blockarg #1
setx #0, v3
setx #1, v4
insn #0x1000
v8:i64 = load v3, 0
setx #2, v8
insn #0x1004
v11:i1 = icmp.ne v8, 0
if v11
insn #0x1000
poll #0x1000
continue #0, v4, v3
else
jump #0x1008
end_block
end_block
`)
	b := amd64.New()
	var code host.Code
	if err := b.Compile(f, host.Options{Verify: true, AlignLoops: true}, &code); err != nil {
		t.Fatal(err)
	}
	polls, at := 0, -1
	lines := b.Disasm(code.Bytes[:code.Hot], 0)
	for _, line := range lines {
		switch {
		case strings.Contains(line, "cmp dword ptr [rbp"):
			polls++
		case at < 0 && polls == 0 && strings.Contains(line, "qword ptr [r") && !strings.Contains(line, "[rbp"):
			if _, err := fmt.Sscanf(line, "%v", &at); err != nil {
				t.Fatal(err)
			}
		}
	}
	if polls != 1 || at < 0 || at%host.LoopAlign != 0 {
		t.Errorf("%d polls, and the loop begins at %#x\n%s", polls, at, strings.Join(lines, "\n"))
	}
}

// TestLoadsOverTheOldValue: a vector that a load replaces is in the load's register, and is what the guest's
// register holds if the load faults, in one iteration or another, and if a poll leaves.
func TestLoadsOverTheOldValue(t *testing.T) {
	n := newBench(t)
	f := sumLoop(t)
	faults, polls := 0, 0
	for name, o := range configs() {
		for seed := range uint64(60) {
			report := n.compare(f, o, func(s *cpu.State, mem []byte) {
				r := rand.New(rand.NewPCG(seed, 23))
				randomState(s, r)
				for k := range mem {
					mem[k] = byte(r.Uint32())
				}
				s.X[0] = 1 + seed%20
				s.X[3] = n.address() + 4096 - 16*(seed%7) // what is behind 4096 cannot be read
				s.Pending = uint32(seed / 40)
			})
			if report != "" {
				t.Fatalf("%s, seed %d:\n%s", name, seed, report)
			}
			switch cpu.ExitKind(n.m.State.Exit) {
			case cpu.ExitFault:
				faults++
			case cpu.ExitPoll:
				polls++
			}
		}
	}
	if faults < 40 || polls < 20 {
		t.Errorf("only %d faults and %d polls", faults, polls)
	}
}

// TestResultsWhereTheLoopWantsThem: a result that goes around a loop is made in the register where it goes, a copy of an operand
// that ends there as well, so that the way back is one branch.
func TestResultsWhereTheLoopWantsThem(t *testing.T) {
	f := parse(t, `func 0x1000 size 40
v0:i64 = getx #3
v1:i64 = getx #0
v2:i64 = getx #5
loop v1, v2
v5:i64 = blockarg #0
v6:i64 = blockarg #1
setx #0, v5
setx #5, v6
insn #0x1000
loop v5, v6, 8
v10:i64 = blockarg #0
v11:i64 = blockarg #1
v12:i64 = blockarg #2
setx #0, v10
setx #5, v11
setx #2, v12
insn #0x1004
v20:i8 = load v10, 0
insn #0x1008
v22:i32 = zext v20
v23:i32 = add v22, i32:32
v24:i64 = zext v23
setx #5, v24
insn #0x100c
v26:i64 = add v10, 1
setx #0, v26
insn #0x1010
v28:i32 = trunc v12
v29:i32 = sub v28, i32:1
v30:i64 = zext v29
setx #2, v30
insn #0x1014
v33:i1 = icmp.ne v29, i32:0
if v33
insn #0x1004
poll #0x1004
continue #0, v26, v24, v30
else
break #0, v26, v24, v30
end_block
end_block
v40:i64, v41:i64, v42:i64 = merge
setx #0, v40
setx #5, v41
setx #2, v42
insn #0x1018
v50:i1 = icmp.ult v40, v0
if v50
insn #0x1000
poll #0x1000
continue #0, v40, v41
else
jump #0x101c
end_block
end_block
`)
	b := amd64.New()
	var code host.Code
	if err := b.Compile(f, host.Options{Verify: true}, &code); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(b.Disasm(code.Bytes[:code.Hot], 0), "\n")
	_, loop, _ := strings.Cut(text, "byte ptr")
	if loop, _, ok := strings.Cut(loop, "\tcmp rsi"); !ok || strings.Contains(loop, "\tmov ") {
		t.Errorf("the inner loop moves something\n%s", text)
	}
	n := newBench(t)
	for seed := range uint64(100) {
		report := n.compare(f, host.Options{Verify: true}, func(s *cpu.State, mem []byte) {
			for k := range mem {
				mem[k] = byte(uint64(k) * seed)
			}
			s.X[0], s.Pending = n.address()+seed, uint32(seed/70)
			s.X[3] = s.X[0] + seed%40
			if seed%4 == 1 {
				s.X[0], s.X[3] = n.address()+4080+seed%16, n.address()+5000
			}
		})
		if report != "" {
			t.Fatalf("seed %d: %s", seed, report)
		}
	}
}
