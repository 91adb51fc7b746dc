package x64

import (
	"encoding/binary"
	"testing"
)

// rel32At is where the 4-byte displacement at offset at leads.
func rel32At(b []byte, at int) int { return at + 4 + int(int32(binary.LittleEndian.Uint32(b[at:]))) }

// TestCut moves a piece with branches out of it in both directions, one within it, a
// relocation and a literal.
func TestCut(t *testing.T) {
	var b Buffer
	for range 2 { // the second time with the memory of the first
		b.Reset()
		b.Nop(3)
		before := b.Here()
		away, after := b.NewLabel(), b.NewLabel()
		b.JccNear(EQ, away)
		hot := b.Pos() - 4
		b.BeginCut()
		b.Nop(1)
		b.Jmp(before)
		inner := b.NewLabel()
		b.JccNear(NE, inner)
		b.JmpNear(after)
		b.XM(MOVUPS, 1, b.Lit128(1, 2))
		b.JmpAddr(0x1234)
		b.Bind(inner)
		b.Ret()
		p := b.EndCut()
		if b.Pos() != hot+4 {
			t.Fatalf("the cut leaves %d bytes", b.Pos()-hot-4)
		}
		b.Nop(200)
		b.Bind(after)
		b.Nop(7)
		was := hot + 4
		by := b.Paste(away, p)
		code := b.B
		if by&3 != 0 || by < 200 {
			t.Fatalf("moved by %d", by)
		}
		at := was + by
		start := at
		if rel32At(code, hot) != start {
			t.Errorf("the branch there leads to %d, not %d", rel32At(code, hot), start)
		}
		at += 1 + 1 // NOP, JMP
		if got, _ := b.Offset(before); rel32At(code, at) != got {
			t.Errorf("the branch back leads to %d, not %d", rel32At(code, at), got)
		}
		at += 4 + 2
		if got, _ := b.Offset(inner); rel32At(code, at) != got || got <= start {
			t.Errorf("the inner branch leads to %d, not %d", rel32At(code, at), got)
		}
		at += 4 + 1
		if got, _ := b.Offset(after); rel32At(code, at) != got {
			t.Errorf("the branch on leads to %d, not %d", rel32At(code, at), got)
		}
		at += 4 + 3 // MOVUPS xmm1, [rip+disp]
		lit := at
		at += 4 + 1
		if len(b.Relocs) != 1 || int(b.Relocs[0].Off) != at || b.Relocs[0].Target != 0x1234 {
			t.Errorf("relocations %v, want one at %d", b.Relocs, at)
		}
		if code[at+4] != 0xc3 {
			t.Errorf("the piece ends in %#x", code[at+4])
		}
		code = b.Finish()
		if n := rel32At(code, lit); binary.LittleEndian.Uint64(code[n:]) != 1 {
			t.Errorf("the literal is not at %d", n)
		}
	}
}

// TestCutMisuse: what would leave hot code referring into a piece, and nesting.
func TestCutMisuse(t *testing.T) {
	for name, f := range map[string]func(b *Buffer){
		"nested": func(b *Buffer) { b.BeginCut(); b.Nop(1); b.BeginCut() },
		"label from before": func(b *Buffer) {
			l := b.NewLabel()
			b.BeginCut()
			b.Bind(l)
		},
	} {
		t.Run(name, func(t *testing.T) {
			var b Buffer
			b.Nop(1)
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f(&b)
		})
	}
}

// TestLocksOfCuts: offsets of LOCK prefixes move with the piece that they are in.
func TestLocksOfCuts(t *testing.T) {
	var b Buffer
	for range 2 {
		b.Reset()
		away := b.NewLabel()
		b.LockMR(XADDQ, At(RAX, 0), RCX)
		b.JccNear(EQ, away)
		b.BeginCut()
		b.LockMI(ORL, At(RSP, 0), 0)
		p := b.EndCut()
		b.LockM(CMPXCHG16B, At(RDI, 8))
		b.Nop(200)
		b.Paste(away, p)
		if len(b.Locks) != 3 || b.Locks[2] < 200 {
			t.Fatalf("prefixes at %d", b.Locks)
		}
		for _, at := range b.Locks {
			if b.B[at] != 0xf0 {
				t.Errorf("at %d: %#x", at, b.B[at])
			}
		}
	}
}
