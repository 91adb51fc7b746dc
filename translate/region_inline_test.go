package translate

import (
	"strings"
	"testing"

	"emu/ir"
	"emu/ir/opt"
)

// A function that returns early is inlined as far as that: where it goes on to call others,
// the region calls it in the middle. fib is the function that it does this to itself.
func TestCallingWaysStayCalls(t *testing.T) {
	words := []uint32{
		0xf100041f, // 0x00 fib: cmp x0, #1
		0x540001ad, // 0x04 b.le 0x38
		0xa9be7bfd, // 0x08 stp x29, x30, [sp, #-32]!
		0xa90153f3, // 0x0c stp x19, x20, [sp, #16]
		0xaa0003f3, // 0x10 mov x19, x0
		0xd1000400, // 0x14 sub x0, x0, #1
		0x97fffffa, // 0x18 bl fib
		0xaa0003f4, // 0x1c mov x20, x0
		0xd1000a60, // 0x20 sub x0, x19, #2
		0x97fffff7, // 0x24 bl fib
		0x8b000280, // 0x28 add x0, x20, x0
		0xa94153f3, // 0x2c ldp x19, x20, [sp, #16]
		0xa8c27bfd, // 0x30 ldp x29, x30, [sp], #32
		0xd65f03c0, // 0x34 ret
		0xd65f03c0, // 0x38 ret
	}
	f := New(Options{}).Region(testPC, fetchFrom(words), nil)
	if err := f.Verify(); err != nil {
		t.Fatal(err)
	}
	text := f.String()
	for _, call := range []string{"call #0x1008, #0x101c", "call #0x1008, #0x1028"} {
		if strings.Count(text, call) != 1 {
			t.Errorf("no %s:\n%s", call, text)
		}
	}
	if n := strings.Count(text, "call "); n != 2 {
		t.Errorf("%d calls, want 2:\n%s", n, text)
	}
	inlined := 0
	for _, s := range f.Also {
		inlined += int(s.End-s.Start) / 4
		if s.Start >= testPC+8 && s.Start < testPC+0x38 {
			t.Errorf("code that calls is inlined: %v", s)
		}
	}
	if inlined != 6 {
		t.Errorf("%d instructions are inlined, want CMP, B.LE and RET twice: %v", inlined, f.Also)
	}
}

// A function with a frame has its return address back from memory. If that may have changed
// meanwhile it is compared.
func TestInlinedReturnIsCompared(t *testing.T) {
	const add, store = 0x91000400, 0xf9000041
	for _, tt := range []struct {
		inside uint32
		rets   int
	}{{add, 0}, {store, 2}} { // in the loop and its first iteration
		words := []uint32{
			0x94000003, // 0x00 bl 0x0c
			0xb5ffffe0, // 0x04 cbnz x0, 0x00
			0xd4000001, // 0x08 svc #0
			0xa9be7bfd, // 0x0c stp x29, x30, [sp, #-32]!
			tt.inside,  // 0x10 add x0, x0, #1 or str x1, [x2]
			0xa8c27bfd, // 0x14 ldp x29, x30, [sp], #32
			0xd65f03c0, // 0x18 ret
		}
		f := New(Options{}).Region(testPC, fetchFrom(words), nil)
		opt.Run(opt.NewWork(), f, opt.Passes, nil)
		if err := f.Verify(); err != nil {
			t.Fatal(err)
		}
		rets := 0
		for _, i := range f.Insts {
			if i.Op() == ir.OpRet {
				rets++
			}
		}
		if rets != tt.rets || len(f.Also) == 0 {
			t.Errorf("%d returns are compared, want %d:\n%v", rets, tt.rets, f)
		}
	}
}
