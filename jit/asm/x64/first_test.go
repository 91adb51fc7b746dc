package x64

import "testing"

func TestFirst(t *testing.T) {
	var b Buffer
	l := b.NewLabel()
	b.RR(ADDQ, RAX, RBX)
	b.RM(MOVL, RCX, At(RDI, 8))
	b.MR(MOVQ, AtIndex(RSP, R9, 4, 0x1000), RSI)
	b.MR(MOVB, At(R13, 0), RSI)
	b.RI(SUBQ, RSP, 24)
	b.RI(SUBW, RSP, 1024)
	b.RC(SHLQ, R9)
	b.RI(SHLL, R9, 1)
	b.RRR(SHLXQ, RAX, RCX, R10)
	b.RM(MOVZBL, RAX, AtLabel(l))
	b.Jcc(NE, l)
	b.SetR(LT, RSI)
	b.CMovRR(CMOVQ, LT, R8, R9)
	b.LockMR(XADDQ, At(RBP, 0), RAX)
	b.LockM(CMPXCHG16B, At(R12, 0))
	b.Op(RDTSCP)
	b.Bind(l)
	b.Jcc(A, l)
	b.RRI(IMULQ, RAX, RBX, 1000)
	b.R(IMULQ, R8)
	b.R(BSWAPQ, R8)
	b.R(PUSH, R12)
	b.M(PUSH, At(R12, 3))
	b.JmpPatch(l)
	b.MovImm(R9, 0x123456789a)
	b.RM(MOVQ, RAX, b.Lit64(5))
	for _, s := range Disasm(b.Finish(), 0x1000) {
		t.Log(s)
	}
	t.Log(Detect())
}
