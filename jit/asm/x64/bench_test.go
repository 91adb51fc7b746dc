package x64

import "testing"

// emitBlock emits what one translated block looks like: loads, arithmetic with
// register, memory and immediate operands, compares, branches, vectors.
func emitBlock(b *Buffer) int {
	end := b.NewLabel()
	b.RM(MOVQ, RAX, At(RBX, 16))
	b.RM(MOVL, RCX, AtIndex(RAX, RDX, 4, 32))
	b.RR(ADDQ, RAX, R8)
	b.RI(SUBQ, R9, 8)
	b.RI(ANDL, RCX, 0xffff)
	b.RR(CMPQ, RAX, R10)
	b.Jcc(NE, end)
	b.RRR(SHLXQ, RDI, RSI, RCX)
	b.RM(LEAQ, R11, AtIndex(RDI, RSI, 8, 0))
	b.MovImm(RDX, 0x123456789)
	b.XM(MOVUPS, X1, At(RBX, 256))
	b.XX(PADDD, X1, X2)
	b.XXX(VADDSD, X3, X4, X5)
	b.XXM(VMULSD, X3, X9, At(R12, 8))
	b.MX(MOVUPS, At(RBX, 272), X1)
	b.SetR(EQ, RCX)
	b.MR(MOVQ, At(RBX, 24), RAX)
	b.XXX(VPMINSQ, X1, X2, X3)
	b.Bind(end)
	b.JmpAddrPatch(0x1000)
	return 19
}

func BenchmarkEmit(b *testing.B) {
	var buf Buffer
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		buf.Reset()
		n += emitBlock(&buf)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/inst")
	b.ReportMetric(float64(buf.Pos()), "bytes/op")
}

func BenchmarkEmitRR(b *testing.B) {
	var buf Buffer
	buf.B = make([]byte, 0, 1<<16)
	for b.Loop() {
		if buf.Pos() > 60000 {
			buf.Reset()
		}
		buf.RR(ADDQ, RAX, R8)
	}
}

func BenchmarkEmitRM(b *testing.B) {
	var buf Buffer
	buf.B = make([]byte, 0, 1<<16)
	for b.Loop() {
		if buf.Pos() > 60000 {
			buf.Reset()
		}
		buf.RM(MOVQ, RAX, At(RBX, 16))
	}
}

func BenchmarkEmitXXX(b *testing.B) {
	var buf Buffer
	buf.B = make([]byte, 0, 1<<16)
	for b.Loop() {
		if buf.Pos() > 60000 {
			buf.Reset()
		}
		buf.XXX(VADDSD, X3, X4, X5)
	}
}

// TestEmitAllocates nothing once the buffers have grown.
func TestEmitAllocatesNothing(t *testing.T) {
	var buf Buffer
	emitBlock(&buf)
	if n := testing.AllocsPerRun(100, func() { buf.Reset(); emitBlock(&buf) }); n != 0 {
		t.Errorf("%v allocations per block", n)
	}
}
