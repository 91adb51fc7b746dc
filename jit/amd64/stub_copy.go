package amd64

import (
	"emu/cpu"
	"emu/jit/asm/x64"
)

// CopyFault is an instruction of a copying stub that accesses the guest's memory, and where the stub
// goes on if it faults: offsets.
type CopyFault struct{ At, Resume int }

// MostCopyFaults is how many there are in a stub at most.
const MostCopyFaults = 10

const (
	leastCopy = 2 * cpu.ChunkSize // bytes: what begin does, and the least that rounds does
	copyRound = 4096              // bytes that rounds copies before it looks whether somebody waits
)

// CopyStub emits host.StubCopyUp, or StubCopyDown, and returns what may fault in it. A chunk is loaded
// while the one before is still there, so that an access that faults leaves one to go on with. Without AVX the
// loops themselves are as fast, and the stub copies nothing.
func CopyStub(b *x64.Buffer, f x64.Features, down bool) []CopyFault {
	s := copyStub{b: b, first: x64.X12, step: cpu.ChunkSize}
	s.op, s.size = chunkMove(f)
	if down {
		s.step = -s.step
	}
	if s.high = f.Has(x64.EVEX128); s.high {
		s.first = uppers[0]
	}
	ret := b.NewLabel()
	b.RR(x64.XORL, x64.RAX, x64.RAX)
	if f.Has(x64.AVX) {
		s.none, s.end = b.NewLabel(), b.NewLabel()
		s.begin(ret)
		s.rounds()
		b.Bind(s.end)
		s.move(func(x x64.Xmm, at int32) { b.MX(s.op, s.pending(at), x) })
		b.Bind(s.none)
		if down {
			b.R(x64.NEGQ, x64.RAX)
		}
		if !s.high {
			b.Op(x64.VZEROUPPER)
			s.saved(func(x x64.Xmm, m x64.Mem) { b.XM(x64.MOVUPS, x, m) })
		}
	}
	b.Bind(ret)
	b.Ret()
	for k := range s.faults {
		s.faults[k].Resume, _ = b.Offset(s.resume[k])
	}
	return s.faults
}

// copyStub emits one. RDI is where a chunk is stored, RSI where the next one is loaded, RCX how many
// bytes to copy, and RAX how far that has come; RDX is free.
type copyStub struct {
	b         *x64.Buffer
	op        x64.Op // the instruction that moves
	size      int32  // so many bytes of a chunk
	first     x64.Xmm
	high      bool  // the registers are of those that no value is ever in
	step      int32 // from chunk to chunk
	none, end x64.Label

	faults []CopyFault
	resume []x64.Label // of faults
}

// move emits a move of each part of a chunk.
func (s *copyStub) move(one func(x x64.Xmm, at int32)) {
	for at := int32(0); at < cpu.ChunkSize; at += s.size {
		one(s.first+x64.Xmm(at/s.size), at)
	}
}

// pending is the byte at of the chunk in State.
func (s *copyStub) pending(at int32) x64.Mem { return state(offChunk + uintptr(at)) }

// saved emits a move of each register that may hold a value.
func (s *copyStub) saved(one func(x x64.Xmm, m x64.Mem)) {
	for k := range 2 * x64.Xmm(cpu.ChunkSize/s.size) {
		one(s.first+k, saveX(s.first+k))
	}
}

// mayFault notes that the next instruction may fault, and goes on at l then.
func (s *copyStub) mayFault(l x64.Label) {
	s.faults = append(s.faults, CopyFault{At: s.b.Pos()})
	s.resume = append(s.resume, l)
}

// begin goes to ret if there is too little to do or chunks overlap. It stores the first chunk in
// pieces, as which it has been stored in State, and loads the second one.
func (s *copyStub) begin(ret x64.Label) {
	b := s.b
	b.RI(x64.ANDQ, x64.RCX, -cpu.ChunkSize)
	b.RI(x64.CMPQ, x64.RCX, leastCopy)
	b.Jcc(x64.LT, ret)
	b.RR(x64.MOVQ, x64.RDX, x64.RDI)
	b.RR(x64.SUBQ, x64.RDX, x64.RSI)
	b.RI(x64.ADDQ, x64.RDX, cpu.ChunkSize-1)
	b.RI(x64.CMPQ, x64.RDX, 2*(cpu.ChunkSize-1))
	b.Jcc(x64.BE, ret)
	small := x64.VMOVUPS
	if !s.high {
		small = x64.MOVUPS
		s.saved(func(x x64.Xmm, m x64.Mem) { b.MX(x64.MOVUPS, m, x) })
	}
	for at := int32(0); at < cpu.ChunkSize; at += 16 {
		b.XM(small, s.first, s.pending(at))
		s.mayFault(s.none)
		b.MX(small, x64.At(x64.RDI, at), s.first)
	}
	s.move(func(x x64.Xmm, at int32) {
		s.mayFault(s.none)
		b.XM(s.op, x, x64.At(x64.RSI, at))
	})
	b.RI(x64.ADDQ, x64.RAX, s.step)
	b.RI(x64.SUBQ, x64.RCX, cpu.ChunkSize)
}

// rounds loads chunks and stores those before them until none is left or somebody waits, for which it looks
// in front of each copyRound: in front of each chunk makes loads that are not aligned 1.4 times as long.
func (s *copyStub) rounds() {
	b := s.b
	next := x64.Xmm(cpu.ChunkSize / s.size)
	round := b.Here()
	b.MI(x64.CMPL, state(offPending), 0)
	b.Jcc(x64.NE, s.end)
	b.MovImm(x64.RDX, copyRound)
	b.RR(x64.CMPQ, x64.RCX, x64.RDX)
	b.CMovRR(x64.CMOVQ, x64.B, x64.RDX, x64.RCX)
	b.RR(x64.SUBQ, x64.RCX, x64.RDX)
	again := b.Here()
	s.move(func(x x64.Xmm, at int32) {
		s.mayFault(s.end)
		b.XM(s.op, x+next, x64.AtIndex(x64.RSI, x64.RAX, 1, at))
	})
	s.move(func(x x64.Xmm, at int32) {
		s.mayFault(s.end)
		b.MX(s.op, x64.AtIndex(x64.RDI, x64.RAX, 1, at), x)
	})
	s.move(func(x x64.Xmm, at int32) { b.XX(s.op, x, x+next) })
	b.RI(x64.ADDQ, x64.RAX, s.step)
	b.RI(x64.SUBQ, x64.RDX, cpu.ChunkSize)
	b.Jcc(x64.NE, again)
	b.RR(x64.TESTQ, x64.RCX, x64.RCX)
	b.Jcc(x64.NE, round)
}
