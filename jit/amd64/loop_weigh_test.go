package amd64

import (
	"fmt"
	"strings"
	"testing"

	"emu/ir"
)

// TestRegistersGoToWhatStaysInTheLoop: what a loop needs only where it is left, however often there, takes no register
// from what each iteration uses.
func TestRegistersGoToWhatStaysInTheLoop(t *testing.T) {
	const used, late = 7, 6
	b := ir.NewBuilder(ir.NewFunc(256))
	b.Reset(0x1000)
	b.Insn(0x1000)
	var each, end []ir.Value
	for k := range late {
		end = append(end, b.GetX(1+k))
	}
	for k := range used {
		each = append(each, b.GetX(10+k))
	}
	b.Loop(b.GetX(0))
	b.Poll(0x1000)
	sum := b.Arg(0)
	b.SetX(0, sum)
	for _, v := range each {
		sum = b.Add(b.RorI(sum, 7), v)
	}
	b.If(b.ICmp(ir.NE, sum, each[0]))
	b.Continue(0, sum)
	b.Else()
	for range 5 {
		for _, v := range end {
			sum = b.Add(b.RorI(sum, 9), v)
		}
	}
	b.SetX(0, sum)
	b.Jump(0x1010)
	b.End()
	b.End()
	text := hotCode(t, b.Func)
	_, loop, ok := strings.Cut(text, "[rbp+0x6c]") // the poll
	if ok {
		loop, _, ok = strings.Cut(loop, "jmp")
	}
	if !ok {
		t.Fatalf("no loop:\n%s", text)
	}
	if strings.Contains(loop, fmt.Sprintf("rbp+%#x", slotMem(0).Disp>>8)) {
		t.Errorf("the loop has a value in a slot:\n%s", text)
	}
}

// TestRegistersGoToWhatIsUsedMost: that the initial value of an argument is in a register does not give that to the argument if another one
// is used more.
func TestRegistersGoToWhatIsUsedMost(t *testing.T) {
	const fixed, kept, first = 5, 8, 0x123456
	b := ir.NewBuilder(ir.NewFunc(256))
	b.Reset(0x1000)
	b.Insn(0x1000)
	var each, args []ir.Value
	for k := range fixed {
		each = append(each, b.GetX(20+k))
	}
	for k := range kept {
		args = append(args, b.AddI(b.GetX(k), 77))
	}
	b.Loop(append(args, b.I64(first))...)
	b.Poll(0x1000)
	var vals []ir.Value
	for k := range kept {
		vals = append(vals, b.SubI(b.Arg(k), uint64(k+1)))
	}
	sum := b.Arg(kept)
	for range 3 {
		for _, v := range each {
			sum = b.Add(b.RorI(sum, 7), b.Xor(v, b.Arg(kept)))
		}
	}
	b.SetX(0, sum)
	b.If(b.ICmp(ir.NE, vals[0], b.I64(0)))
	b.Continue(0, append(vals, sum)...)
	b.Else()
	b.Jump(0x1010)
	b.End()
	b.End()
	text := hotCode(t, b.Func)
	if !strings.Contains(text, fmt.Sprintf(", %#x", first)) || strings.Contains(text, fmt.Sprintf("], %#x", first)) {
		t.Errorf("what is used most is in a slot:\n%s", text)
	}
}
