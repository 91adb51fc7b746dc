package amd64

import (
	"emu/internal/softfp"
	"emu/ir"
	"emu/jit/asm/x64"
)

// BFloat16: conversions, which round and raise exceptions as others do, and dot
// products, which round to odd, count denormals as zeros and raise none. The host's
// instructions of AVX512_BF16 do neither.

// bfRoundsUp is the least magnitude that becomes infinity.
const bfRoundsUp = 0x7f7f8000

// lowerBFCvt rounds to nearest by integer arithmetic. Zeros and normal numbers are
// computed here.
func lowerBFCvt(c *compiler, v ir.Value, in ir.Inst) {
	switch k := kindOf(c.f.TypeOf(in.A())); {
	case !c.native(k):
		viaGo(c, v, in)
	case k.scalar():
		c.bfCvtScalar(v, in)
	default:
		c.bfCvtVector(v, in)
	}
}

func (c *compiler) bfCvtScalar(v ir.Value, in ir.Inst) {
	c.clobber()
	a := c.useX(in.A())
	r, q := c.defR(v), c.tempR()
	c.zero(v, 16)
	f := c.newFP(fpGo, in, kF32, 0, inReg(a))
	f.inR, f.r = true, r
	c.testDirected()
	directed := c.branchFP(x64.NE, f)
	site := c.b.NewLabel()
	c.b.RX(x64.MOVDX, r, a)
	c.b.RR(x64.MOVL, q, r)
	c.b.RI(x64.ANDL, q, 1<<31-1)
	c.b.JccShort(x64.EQ, site) // zero
	c.b.RI(x64.SUBL, q, 1<<23)
	c.b.RI(x64.CMPL, q, bfRoundsUp-1<<23)
	p := c.branchFP(x64.AE, f)
	c.b.Bind(site)
	c.b.RI(x64.TESTL, r, 1<<16-1)
	c.raiseInexact(x64.NE, q)
	c.b.RR(x64.MOVL, q, r)
	c.b.RI(x64.SHRL, q, 16)
	c.b.RI(x64.ANDL, q, 1)
	c.b.RI(x64.ADDL, r, 1<<15-1)
	c.b.RR(x64.ADDL, r, q)
	c.b.RI(x64.SHRL, r, 16)
	c.b.Bind(p.back)
	c.b.Bind(directed.back)
}

// raiseInexact raises Inexact if cc holds. r is scratch.
func (c *compiler) raiseInexact(cc x64.Cond, r x64.Reg) {
	c.b.SetR(cc, r)
	c.b.RR(x64.MOVZBL, r, r)
	c.b.RI(x64.SHLL, r, 4)
	c.b.MR(x64.ORL, state(offFPSR), r)
}

func (c *compiler) bfCvtVector(v ir.Value, in ir.Inst) {
	c.clobber()
	a := c.useX(in.A())
	d := c.defX(v)
	t, u := c.tempX(), c.tempX()
	r := c.tempR()
	f := c.newFP(fpGo, in, kV4F32, d, inReg(a))
	c.testDirected()
	directed := c.branchFP(x64.NE, f)
	c.v3m(x64.PAND, t, a, c.splat(2, signBit(2)-1))
	c.vload(d, c.splat(2, fpLeastNormal[2]))
	c.v3(x64.PCMPGTD, d, d, t)
	c.vzero(u)
	c.v3(x64.PCMPEQD, u, u, t)
	c.v3(x64.PANDN, u, u, d)
	c.v3m(x64.PCMPGTD, t, t, c.splat(2, bfRoundsUp-1))
	c.v3(x64.POR, u, u, t)
	c.v2(x64.PTEST, u, u)
	p := c.branchFP(x64.NE, f)
	c.vload(t, c.splat(2, 1<<16-1))
	c.v2(x64.PTEST, t, a)
	c.raiseInexact(x64.NE, r)
	c.vsh(x64.PSRLD, u, a, 16)
	c.v3m(x64.PAND, u, u, c.splat(2, 1))
	c.v3m(x64.PADDD, t, a, c.splat(2, 1<<15-1))
	c.v3(x64.PADDD, t, t, u)
	c.vsh(x64.PSRLD, t, t, 16)
	c.vzero(u)
	c.v3(x64.PACKUSDW, d, t, u)
	c.b.Bind(p.back)
	c.b.Bind(directed.back)
}

// MXCSR with exceptions masked and rounding to nearest, denormals as zeros on both
// sides or not at all.
const (
	mxPlain = 0x1f80
	mxFlush = mxPlain | 1<<15 | 1<<6
)

// bfDots has what BFDOT and BFMMLA do: sums of two products each, to be added one
// after the other.
type bfDots struct {
	c         *compiler
	w         [2][3]x64.Xmm // two products; and a spare register
	t, u      x64.Xmm
	a, n, m   x64.Xmm
	mxcsr     x64.Mem
	operation ir.Inst
}

func lowerBFDot(c *compiler, v ir.Value, in ir.Inst) {
	s, ok := c.newDots(v, in, 1)
	if !ok {
		return
	}
	s.products(0, s.n, s.m)
	s.add(v, 1)
}

// lowerBFMMLA: element (i, j) of the result adds two dot products of pairs of row i
// of the one matrix and of row j of the other.
func lowerBFMMLA(c *compiler, v ir.Value, in ir.Inst) {
	s, ok := c.newDots(v, in, 2)
	if !ok {
		return
	}
	for n := range uint8(2) {
		row, column := s.w[n][0], s.w[n][1]
		c.v2i(x64.PSHUFD, row, s.n, n|n<<2|(2+n)<<4|(2+n)<<6)
		c.v2i(x64.PSHUFD, column, s.m, n|(2+n)<<2|n<<4|(2+n)<<6)
		s.products(int(n), row, column)
	}
	s.add(v, 2)
}

// newDots begins the operation in, with its products under flushing.
func (c *compiler) newDots(v ir.Value, in ir.Inst, terms int) (s *bfDots, ok bool) {
	if c.opt.FPCR&(softfp.AH|softfp.FIZ|softfp.EBF) != 0 {
		viaGo(c, v, in)
		return nil, false
	}
	c.clobber()
	s = &bfDots{c: c, a: c.useX(in.A()), n: c.useX(in.B()), m: c.useX(in.C()), mxcsr: argMem16(0), operation: in}
	for n := range terms {
		for k := range s.w[n] {
			s.w[n][k] = c.tempX()
		}
	}
	s.t, s.u = c.tempX(), c.tempX()
	c.b.M(x64.STMXCSR, s.mxcsr)
	c.b.M(x64.LDMXCSR, c.b.Lit32(mxFlush))
	return s, true
}

// products multiplies the pairs of n and m. They are exact unless they are tiny or
// infinite. n and m may be the registers of the results.
func (s *bfDots) products(term int, n, m x64.Xmm) {
	c, w := s.c, &s.w[term]
	upper := c.splat(2, 0xffff0000)
	c.v3m(x64.PAND, s.t, n, upper)
	c.v3m(x64.PAND, s.u, m, upper)
	c.v3(x64.MULPS, w[2], s.t, s.u)
	c.vsh(x64.PSLLD, s.t, n, 16)
	c.vsh(x64.PSLLD, s.u, m, 16)
	c.v3(x64.MULPS, w[1], s.t, s.u)
}

// add adds the sums of products to the accumulator. Every sum is rounded to odd, and
// zero if it is tiny. What ends as an infinity or a NaN goes through Go.
func (s *bfDots) add(v ir.Value, terms int) {
	c := s.c
	c.b.M(x64.LDMXCSR, c.b.Lit32(mxPlain))
	d := c.defX(v)
	acc := c.tempX()
	s.flush(acc, s.a)
	for n := range terms {
		w := &s.w[n]
		s.sum(w)
		s.flush(w[0], w[0])
		sum := [3]x64.Xmm{w[1], w[0], acc}
		s.sum(&sum)
		acc, w[1] = w[1], acc
		s.flush(acc, acc)
	}
	c.b.M(x64.LDMXCSR, s.mxcsr)
	c.vmov(d, acc)
	c.v3m(x64.PAND, s.t, acc, c.splat(2, signBit(2)-1))
	c.v3m(x64.PCMPGTD, s.t, s.t, c.splat(2, fpInfinity[2]-1))
	c.v2(x64.PTEST, s.t, s.t)
	f := c.newFP(fpGo, s.operation, kV4F32, d, inReg(s.a), inReg(s.n), inReg(s.m))
	c.b.Bind(c.branchFP(x64.NE, f).back)
}

// sum makes w[0] the sum of w[1] and w[2] rounded to odd.
func (s *bfDots) sum(w *[3]x64.Xmm) {
	s.c.v3(x64.ADDPS, w[0], w[1], w[2])
	s.c.oddSum(kV4F32, w, s.t, s.u)
}

// flush emits d = a with zeros of the same sign for what is tiny.
func (s *bfDots) flush(d, a x64.Xmm) {
	c := s.c
	c.v3m(x64.PAND, s.t, a, c.splat(2, signBit(2)-1))
	c.v3m(x64.PCMPGTD, s.t, s.t, c.splat(2, fpLeastNormal[2]-1))
	c.v3m(x64.POR, s.t, s.t, c.splat(2, signBit(2)))
	c.v3(x64.PAND, d, a, s.t)
}
