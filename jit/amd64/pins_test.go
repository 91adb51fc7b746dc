//go:build linux && amd64

package amd64_test

import (
	"encoding/binary"
	"testing"

	"emu/ir"
	"emu/jit/amd64"
	"emu/jit/amd64/exec"
	"emu/jit/host"
)

// TestPinsAcrossUnits: one unit changes all general registers and goes on with another by
// a linked branch. That one needs more registers than there are, changes X7 and faults:
// then State has what both have made, whether pinned or not.
func TestPinsAcrossUnits(t *testing.T) {
	none := ir.None
	first, second := ir.NewFunc(128), ir.NewFunc(256)
	first.Reset(0x1000)
	second.Reset(0x2000)
	second.Emit(ir.OpInsn, ir.Void, second.Const(ir.I64, 0x2000), none, none)
	var all [32]ir.Value
	for g := range all {
		x := first.Emit(ir.OpGetX, ir.I64, ir.Imm(g), none, none)
		x = first.Emit(ir.OpAdd, ir.I64, x, first.Const(ir.I64, uint64(100+g)), none)
		first.Emit(ir.OpSetX, ir.Void, ir.Imm(g), x, none)
		all[g] = second.Emit(ir.OpGetX, ir.I64, ir.Imm(g), none, none)
	}
	first.Emit(ir.OpJump, ir.Void, first.Const(ir.I64, 0x2000), none, none)
	sum := all[0]
	for _, x := range all[1:] {
		sum = second.Emit(ir.OpXor, ir.I64, sum, x, none)
	}
	for _, x := range all { // all of them have been needed at once
		sum = second.Emit(ir.OpMul, ir.I64, sum, x, none)
	}
	second.Emit(ir.OpSetX, ir.Void, ir.Imm(7), sum, none)
	second.Emit(ir.OpInsn, ir.Void, second.Const(ir.I64, 0x2004), none, none)
	bad := second.Emit(ir.OpAnd, ir.I64, sum, second.Const(ir.I64, 0xff8), none)
	x := second.Emit(ir.OpLoad, ir.I64, bad, ir.Imm(0), none)
	second.Emit(ir.OpSetX, ir.Void, ir.Imm(0), x, none)
	second.Emit(ir.OpJump, ir.Void, second.Const(ir.I64, 0x2008), none, none)

	n := newBench(t)
	n.load(t, second, host.Options{Verify: true})
	var code host.Code
	if err := amd64.New().Compile(first, host.Options{Verify: true}, &code); err != nil {
		t.Fatal(err)
	}
	// The second copy of the first unit has a branch that fits where it is.
	at := n.m.Append(code.Bytes, code.Relocs)
	at += uint64(len(code.Bytes)+host.CodeAlign-1) &^ (host.CodeAlign - 1)
	patch := code.Exits[0].Patch
	binary.LittleEndian.PutUint32(code.Bytes[patch:], uint32(n.m.Entry()-at-uint64(patch)-4))
	if got := n.m.Append(code.Bytes, code.Relocs); got != at {
		t.Fatalf("the unit is at %#x, not at %#x", got, at)
	}
	s := n.m.State
	want := s.X
	x7 := uint64(0)
	for g := range s.X {
		s.X[g] = uint64(g+1) * 0x123456789abcdef1
		want[g] = s.X[g] + uint64(100+g)
		x7 ^= want[g]
	}
	for _, x := range want {
		x7 *= x
	}
	want[7] = x7
	s.Enter, s.NativeSP = at, s.NativeTop
	if k := n.m.Run(nil); k != exec.FaultExit {
		t.Fatalf("left with %v", k)
	}
	if s.X != want {
		t.Errorf("X0 to X30 and SP are\n%#x, want\n%#x", s.X, want)
	}
	if s.PC != 0x2004 {
		t.Errorf("the fault is at %#x", s.PC)
	}
}
