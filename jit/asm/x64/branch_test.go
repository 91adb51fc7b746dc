package x64

import (
	"encoding/binary"
	"strings"
	"testing"
)

// listing returns the mnemonics and operands of code, one per line.
func listing(code []byte, base uint64) string {
	var s strings.Builder
	for _, line := range Disasm(code, base) {
		s.WriteString(line[strings.LastIndexByte(line, '\t')+1:])
		s.WriteByte('\n')
	}
	return s.String()
}

func checkListing(t *testing.T, code []byte, want string) {
	t.Helper()
	if got := listing(code, 0x1000); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func mustPanic(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if s, _ := recover().(string); !strings.HasPrefix(s, "BUG: x64: ") || !strings.Contains(s, want) {
			t.Errorf("panic %q, want BUG: ... %s", s, want)
		}
	}()
	f()
}

func TestBranchForms(t *testing.T) {
	var b Buffer
	top, end := b.Here(), b.NewLabel()
	b.Jcc(NE, end)      // 6 bytes: forward
	b.JccShort(GT, end) // 2
	b.JmpShort(end)     // 2
	b.Jmp(end)          // 5
	b.Jcc(B, top)       // 2: backward
	b.Jmp(top)          // 2
	b.Call(top)         // 5
	b.Jrcxz(end)        // 2
	b.Bind(end)
	b.Ret()
	b.RetI(8)
	checkListing(t, b.Finish(), `jnz 0x101a
jnle 0x101a
jmp 0x101a
jmp 0x101a
jb 0x1000
jmp 0x1000
call 0x1000
jrcxz 0x101a
ret
ret 0x8
`)
}

// TestBackwardReach has the last target that a rel8 reaches and the first it does not.
func TestBackwardReach(t *testing.T) {
	for _, c := range []struct{ pad, size int }{{126, 2}, {127, 5}} {
		var b Buffer
		l := b.Here()
		b.Nop(c.pad)
		b.Jmp(l)
		if n := b.Pos() - c.pad; n != c.size {
			t.Errorf("jump over %d bytes takes %d bytes, want %d", c.pad, n, c.size)
		}
		lines := Disasm(b.Finish(), 0x1000)
		if last := lines[len(lines)-1]; !strings.HasSuffix(last, "jmp 0x1000") {
			t.Error(last)
		}
	}
}

func TestShortReach(t *testing.T) {
	reach := func(pad int) {
		var b Buffer
		l := b.NewLabel()
		b.JmpShort(l)
		b.Nop(pad)
		b.Bind(l)
	}
	reach(127)
	mustPanic(t, "short branch out of reach", func() { reach(128) })
}

func TestPatchableAlignment(t *testing.T) {
	for pad := range 8 {
		var b Buffer
		var open []int
		emit := []func() int{
			b.JmpOpen,
			func() int { return b.JccOpen(EQ) },
			b.CallOpen,
			func() int { return b.JmpAddrPatch(0x5000) },
			func() int { return b.JccAddrPatch(EQ, 0x5000) },
			func() int { return b.CallAddrPatch(0x5000) },
		}
		for i, f := range emit {
			b.Nop(pad)
			at := f()
			if at%4 != 0 || at+4 != b.Pos() {
				t.Errorf("pad %d, branch %d: displacement at %d, instruction ends at %d", pad, i, at, b.Pos())
			}
			if i < 3 {
				open = append(open, at)
			}
		}
		for _, at := range open {
			b.Land(at)
			if d := int(int32(binary.LittleEndian.Uint32(b.B[at:]))); at+4+d != b.Pos() {
				t.Errorf("pad %d: the branch with its displacement at %d leads %d bytes on, not to %d", pad, at, d, b.Pos())
			}
		}
		if n := strings.Count(listing(b.Finish(), 0), ".byte"); n != 0 {
			t.Errorf("pad %d: %d undecodable instructions", pad, n)
		}
	}
}

func TestRelocs(t *testing.T) {
	var b Buffer
	b.JmpAddr(0x7000)
	b.CallAddr(0x800)
	b.JccAddr(A, 0x1000)
	for _, r := range b.Relocs {
		if err := r.Apply(b.B, 0x1000); err != nil {
			t.Fatal(err)
		}
	}
	checkListing(t, b.Finish(), "jmp 0x7000\ncall 0x800\njnbe 0x1000\n")
	for _, base := range []uint64{0x7000 + 1<<31, 1<<63 + 0x7000} {
		if err := b.Relocs[0].Apply(b.B, base); err == nil {
			t.Errorf("no error from base %#x", base)
		}
	}
}

// TestLabelOperand has RIP-relative operands before and after their label, with
// an addend and with immediates of each size behind the displacement.
func TestLabelOperand(t *testing.T) {
	var b Buffer
	before := b.Here()
	b.Quad(0xc3c3c3c3c3c3c3c3)
	after := b.NewLabel()
	for _, l := range []Label{before, after} {
		b.RM(LEAQ, RAX, AtLabel(l))
		b.RM(MOVQ, RCX, AtLabel(l).Add(8))
		b.MI(ADDL, AtLabel(l), 1)
		b.MI(ADDL, AtLabel(l), 0x1000)
		b.MI(ADDW, AtLabel(l), 0x1000)
		b.XMI(PSHUFD, X1, AtLabel(l), 7)
		b.XXM(VADDSD, X1, X2, AtLabel(l))
		b.XXMI(VSHUFPS, X1, X2, AtLabel(l), 3)
		b.XXM(VADDSD, X17, X2, AtLabel(l).Add(-8))
	}
	b.Bind(after)
	code := b.Finish()
	for pos, i := 8, 0; pos < len(code); i++ {
		_, n := disasmOne(code[pos:], 0)
		tail := [...]int{0, 0, 1, 4, 2, 1, 0, 1, 0}[i%9]
		addend := [...]int{0, 8, 0, 0, 0, 0, 0, 0, -8}[i%9]
		disp := int(int32(binary.LittleEndian.Uint32(code[pos+n-tail-4:])))
		want := addend
		if i >= 9 {
			want += len(code)
		}
		if got := pos + n + disp; got != want {
			t.Errorf("instruction %d refers to %d, want %d", i, got, want)
		}
		pos += n
	}
}

func TestLiterals(t *testing.T) {
	var b Buffer
	a := b.Lit64(0x1122334455667788)
	b.RM(MOVQ, RAX, a)
	b.XM(MOVAPS, X0, b.Lit128(1, 2))
	b.RM(MOVL, RAX, b.Lit32(7))
	if b.Lit64(0x1122334455667788) != a {
		t.Error("an equal literal is not shared")
	}
	if b.Lit32(0x55667788) == a {
		t.Error("literals of different size are shared")
	}
	code := b.Finish()
	at := func(end int) int { return end + int(int32(binary.LittleEndian.Uint32(code[end-4:]))) }
	if p := at(7); p%8 != 0 || binary.LittleEndian.Uint64(code[p:]) != 0x1122334455667788 {
		t.Errorf("64-bit literal at %d", p)
	}
	if p := at(14); p%16 != 0 || binary.LittleEndian.Uint64(code[p:]) != 1 || binary.LittleEndian.Uint64(code[p+8:]) != 2 {
		t.Errorf("128-bit literal at %d", p)
	}
	if p := at(20); p%4 != 0 || binary.LittleEndian.Uint32(code[p:]) != 7 {
		t.Errorf("32-bit literal at %d", p)
	}
}

func TestLabelMistakes(t *testing.T) {
	mustPanic(t, "unbound label", func() {
		var b Buffer
		b.Jmp(b.NewLabel())
		b.Finish()
	})
	mustPanic(t, "bound twice", func() {
		var b Buffer
		b.Bind(b.Here())
	})
	var b Buffer
	b.NewLabel() // unbound but unused
	b.Finish()
	b.Jmp(b.NewLabel())
	b.Reset()
	b.Finish()
}

func TestNops(t *testing.T) {
	for n := range 40 {
		var b Buffer
		b.Nop(n)
		b.Ret()
		lines := Disasm(b.Finish(), 0)
		if want := (n+8)/9 + 1; b.Pos() != n+1 || len(lines) != want {
			t.Errorf("Nop(%d): %d bytes in %d instructions, want %d", n, b.Pos()-1, len(lines)-1, want-1)
		}
		for _, l := range lines[:len(lines)-1] {
			if !strings.Contains(l, "nop") && !strings.Contains(l, "xchg ax, ax") {
				t.Error(l)
			}
		}
	}
}
