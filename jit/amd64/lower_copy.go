package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

// lowerCopy copies with REP MOVSB where that is fast (ERMS, Intel SDM vol. 1, 7.3.9.3), 64
// bytes at a time elsewhere. The direction flag is clear, as the host's ABI has it.
func lowerCopy(c *compiler, v ir.Value, in ir.Inst) {
	c.clobber()
	c.useIn(in.A(), x64.RDI)
	c.useIn(in.B(), x64.RSI)
	c.useIn(in.C(), x64.RCX)
	if c.feat.Has(x64.ERMS) {
		c.mayFault()
		c.b.Op(x64.MOVSB_REP)
		return
	}
	again, end := c.b.NewLabel(), c.b.NewLabel()
	xs := c.chunkTemps()
	c.b.RR(x64.TESTQ, x64.RCX, x64.RCX)
	c.b.Jcc(x64.EQ, end)
	c.b.Bind(again)
	c.copyChunk(x64.RDI, x64.RSI, 0, xs)
	c.b.RI(x64.ADDQ, x64.RSI, chunkSize)
	c.b.RI(x64.ADDQ, x64.RDI, chunkSize)
	c.b.RI(x64.SUBQ, x64.RCX, chunkSize)
	c.b.Jcc(x64.NE, again)
	c.b.Bind(end)
}

func lowerCopy64(c *compiler, v ir.Value, in ir.Inst) {
	to, from := c.useR(in.A()), c.useR(in.B())
	c.copyChunk(to, from, int32(c.f.ImmOf(in.C())), c.chunkTemps())
}

// lowerCopyRun does COPYUP and COPYDOWN.
func lowerCopyRun(c *compiler, v ir.Value, in ir.Inst) {
	stub := host.StubCopyUp
	if in.Op() == ir.OpCopyDown {
		stub = host.StubCopyDown
	}
	c.clobber()
	c.useIn(in.A(), x64.RDI)
	c.useIn(in.B(), x64.RSI)
	c.useIn(in.C(), x64.RCX)
	c.reserve(x64.RAX)
	c.reserve(x64.RDX)
	c.b.CallAddr(uint64(stub))
	c.defIn(v, x64.RAX)
}

func lowerSetChunk(c *compiler, v ir.Value, in ir.Inst) {
	c.b.MX(x64.MOVUPS, c.chunkPiece(in), c.useX(in.B()))
}

func lowerGetChunk(c *compiler, v ir.Value, in ir.Inst) {
	c.b.XM(x64.MOVUPS, c.defX(v), c.chunkPiece(in))
}

// chunkPiece is the piece of the chunk that SETCHUNK and GETCHUNK name.
func (c *compiler) chunkPiece(in ir.Inst) x64.Mem {
	return state(offChunk + 16*uintptr(c.f.ImmOf(in.A())))
}

// chunkSize is what OpCopy64 and OpSet64 store.
const chunkSize = 64

// uppers are registers that no value is ever in. What is not encoded by EVEX cannot name them, so
// that their upper parts slow none of that down as those of the first 16 do: no VZEROUPPER.
var uppers = []x64.Xmm{x64.X16, x64.X17, x64.X18, x64.X19}

// chunkTemps are registers for 64 bytes, as long as the host has them: of accesses that are not
// aligned fewer cross a line then.
func (c *compiler) chunkTemps() (xs []x64.Xmm) {
	_, size := chunkMove(c.feat)
	if c.feat.Has(x64.EVEX128) {
		return uppers[:chunkSize/size]
	}
	for k := int32(0); k < chunkSize; k += size {
		xs = append(xs, c.tempX())
	}
	return xs
}

// chunkMove is the instruction that moves a part of a chunk, and how many bytes that is. All
// 64 lower the frequency of Intel's first processors that have such registers, which are without
// AVX512_VBMI2.
func chunkMove(f x64.Features) (x64.Op, int32) {
	switch {
	case f.Has(x64.EVEX128 | x64.AVX512VBMI2):
		return x64.VMOVUPS.Zmm(), 64
	case f.Has(x64.AVX):
		return x64.VMOVUPS.Y(), 32
	}
	return x64.MOVUPS, 16
}

// copyChunk copies 64 bytes, from and to a distance off from the registers.
func (c *compiler) copyChunk(to, from x64.Reg, off int32, xs []x64.Xmm) {
	op, size := chunkMove(c.feat)
	for k, x := range xs {
		c.mayFault()
		c.b.XM(op, x, x64.At(from, off+int32(k)*size))
	}
	for k, x := range xs {
		c.mayFault()
		c.b.MX(op, x64.At(to, off+int32(k)*size), x)
	}
	if size == 32 && xs[0] < uppers[0] { // what follows is not encoded by VEX throughout
		c.b.Op(x64.VZEROUPPER)
	}
}

// lowerSet64 stores 64 bytes as copyChunk does, but 16 at a time where more take VZEROUPPER.
func lowerSet64(c *compiler, v ir.Value, in ir.Inst) {
	to := c.useR(in.A())
	off := int32(c.f.ImmOf(in.C()))
	op, size := x64.MOVUPS, int32(16)
	if c.feat.Has(x64.EVEX128) {
		op, size = chunkMove(c.feat)
	}
	x := c.chunkOf(in.B(), size)
	for k := int32(0); k < chunkSize; k += size {
		c.mayFault()
		c.b.MX(op, x64.At(to, off+k), x)
	}
}

// chunkOf returns a register with the eight bytes of v in each eight of its first size bytes.
func (c *compiler) chunkOf(v ir.Value, size int32) x64.Xmm {
	zero := v.IsConst() && c.constBits(v) == 0
	if size == 16 {
		x := c.tempX()
		if zero {
			c.b.XX(x64.XORPS, x, x)
		} else {
			c.b.XR(x64.MOVQXR, x, c.useR(v))
			c.b.XX(x64.PUNPCKLQDQ, x, x)
		}
		return x
	}
	x, op := uppers[0], x64.VPBROADCASTQR.Y()
	if size == chunkSize {
		op = x64.VPBROADCASTQR.Zmm()
	}
	if zero {
		c.b.XXX(x64.VPXOR, x, x, x)
	} else {
		c.b.XR(op, x, c.useR(v))
	}
	return x
}
