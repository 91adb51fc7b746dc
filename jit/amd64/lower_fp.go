package amd64

import (
	"emu/cpu"
	"emu/internal/softfp"
	"emu/ir"
	"emu/jit/asm/x64"
)

// Floating point. The host's units give A64's results but for NaNs, saturation
// and a few signs of zero, so an operation is lowered to the host's instruction,
// a check that costs a compare and a branch that is never taken, and cold code
// (lower_fp_cold.go) that mends the result. Exceptions accumulate in MXCSR, which
// cpu.State.FPStatus merges into FPSR: an instruction must not be executed on
// operands for which it raises what A64 would not.
//
// With FPCR.FZ some flags differ. Once a guest has written them they are checked behind each operation, or Go
// computes (lower_fp_flush.go), see "Modes of FPCR" in docs/RATIONALE.md.
//
// FPCR is a property of the unit (host.Options.FPCR) but for the rounding mode, which
// MXCSR has. Default NaNs and FZ are native. Halves with FZ16 or in the alternative format, and
// FEAT_AFP, are rare enough to be left to Go, which computes with package softfp.

// fpKind is a floating-point type as an index of tables of instructions.
type fpKind uint8

const (
	kF32 fpKind = iota
	kF64
	kV4F32
	kV2F64
	kF16
	kV8F16
	numKinds
)

func kindOf(t ir.Type) fpKind {
	return [...]fpKind{ir.F16: kF16, ir.F32: kF32, ir.F64: kF64, ir.V8F16: kV8F16, ir.V4F32: kV4F32, ir.V2F64: kV2F64}[t]
}

func (k fpKind) scalar() bool { return k == kF32 || k == kF64 || k == kF16 }
func (k fpKind) half() bool   { return k >= kF16 }
func (k fpKind) double() bool { return k == kF64 || k == kV2F64 }

// width is the index of the lane width, as in laneOps.
func (k fpKind) width() int { return [...]int{2, 3, 2, 3, 1, 1}[k] }

// formats are the bits of some numbers by lane width.
var (
	fpDefaultNaN  = [4]uint64{1: 0x7e00, 2: 0x7fc00000, 3: 0x7ff8000000000000}
	fpQuietBit    = [4]uint64{1: 1 << 9, 2: 1 << 22, 3: 1 << 51}
	fpInfinity    = [4]uint64{1: 0x7c00, 2: 0x7f800000, 3: 0x7ff0000000000000}
	fpHalf        = [4]uint64{1: 0x3800, 2: 0x3f000000, 3: 0x3fe0000000000000}
	fpLeastNormal = [4]uint64{1: 1 << 10, 2: 1 << 23, 3: 1 << 52}
	fpMinusOne    = [4]uint64{1: 0xbc00, 2: 0xbf800000, 3: 0xbff0000000000000}
)

// fpOps is an instruction for each kind: SSE forms, whose VEX form is the next
// constant, then the EVEX forms of AVX512-FP16.
type fpOps [numKinds]x64.Op

var (
	fpAdd  = fpOps{x64.ADDSS, x64.ADDSD, x64.ADDPS, x64.ADDPD, x64.VADDSH, x64.VADDPH}
	fpSub  = fpOps{x64.SUBSS, x64.SUBSD, x64.SUBPS, x64.SUBPD, x64.VSUBSH, x64.VSUBPH}
	fpMul  = fpOps{x64.MULSS, x64.MULSD, x64.MULPS, x64.MULPD, x64.VMULSH, x64.VMULPH}
	fpDiv  = fpOps{x64.DIVSS, x64.DIVSD, x64.DIVPS, x64.DIVPD, x64.VDIVSH, x64.VDIVPH}
	fpSqrt = fpOps{x64.SQRTSS, x64.SQRTSD, x64.SQRTPS, x64.SQRTPD, x64.VSQRTSH, x64.VSQRTPH}
	fpCmp  = fpOps{x64.CMPSS, x64.CMPSD, x64.CMPPS, x64.CMPPD}
	fpCmpK = fpOps{x64.VCMPSSK, x64.VCMPSDK, x64.VCMPPSK, x64.VCMPPDK, x64.VCMPSHK, x64.VCMPPHK}
	fpComi = fpOps{kF32: x64.COMISS, kF64: x64.COMISD, kF16: x64.VCOMISH}
	fpUcom = fpOps{kF32: x64.UCOMISS, kF64: x64.UCOMISD, kF16: x64.VUCOMISH}
)

// addFP enters the floating-point opcodes in the table of lowerings.
func addFP(t *[ir.NumOps]lowerFn) {
	for op, fn := range map[ir.Op]lowerFn{
		ir.OpFAdd: fpArith(&fpAdd), ir.OpFSub: fpArith(&fpSub), ir.OpFMul: fpArith(&fpMul), ir.OpFDiv: fpArith(&fpDiv),
		ir.OpFSqrt: lowerFSqrt, ir.OpFNeg: lowerFNeg, ir.OpFAbs: lowerFAbs, ir.OpFMA: lowerFMA, ir.OpFMLAL: lowerFMLAL,
		ir.OpFMin: withoutDenormals(fpMinMax(false, false)), ir.OpFMax: withoutDenormals(fpMinMax(true, false)),
		ir.OpFMinNM: withoutDenormals(fpMinMax(false, true)), ir.OpFMaxNM: withoutDenormals(fpMinMax(true, true)),
		ir.OpFCmp: withoutDenormals(lowerFCmp), ir.OpFCmpF: lowerFCmpF, ir.OpFRound: withoutDenormals(lowerFRound), ir.OpFCvt: lowerFCvt, ir.OpFCvtIEEE: lowerFCvt,
		ir.OpFToSI: withoutDenormals(lowerFToSI), ir.OpFToUI: withoutDenormals(lowerFToUI), ir.OpSIToF: lowerSIToF, ir.OpUIToF: lowerUIToF,
		ir.OpFRecpS: withoutDenormals(lowerFRecpS), ir.OpFRSqrtS: withoutDenormals(lowerFRSqrtS), ir.OpFRecpE: lowerFRecpE, ir.OpFRSqrtE: lowerFRSqrtE,
		ir.OpBFCvt: lowerBFCvt, ir.OpBFDot: lowerBFDot, ir.OpBFMMLA: lowerBFMMLA, ir.OpFMulX: lowerFMulX,
		ir.OpFRound32: withoutDenormals(roundWithin(32)), ir.OpFRound64: withoutDenormals(roundWithin(64)), ir.OpFRecpX: withoutDenormals(lowerFRecpX), ir.OpFCvtXN: withoutDenormals(lowerFCvtXN),
		ir.OpFJCvt: lowerFJCvt, ir.OpFJCvtF: lowerFJCvtF,
	} {
		t[op] = fn
	}
}

// notNative are the fields of FPCR that the host's units cannot follow. EBF is about BFDOT
// and BFMMLA only, NEP about what the translator makes of scalar results, FZ16 and AHP about
// half precision (fz16, lowerFCvt).
const notNative = softfp.FIZ | softfp.AH

// native reports whether operations of kind k run on the host's units.
func (c *compiler) native(k fpKind) bool {
	return c.opt.FPCR&notNative == 0 && (c.fp.noDenormals || !(c.fz() && c.watched())) && (!k.half() || c.fp16() && !c.fz16())
}

func (c *compiler) fp16() bool { return c.feat.Has(x64.EVEX128 | x64.AVX512FP16) }

// dn reports whether FPCR.DN makes every NaN result the default NaN.
func (c *compiler) dn() bool { return c.opt.FPCR&softfp.DN != 0 }

// watched reports whether the guest looks at FPSR.
func (c *compiler) watched() bool { return c.opt.FPCR&cpu.FPCRWatched != 0 }

// fz reports whether denormals of single and double precision count as zero: the
// host runs with DAZ and FTZ then (cpu.State.SetFPCR).
func (c *compiler) fz() bool { return c.opt.FPCR&softfp.FZ != 0 }

// fz16 reports whether denormals of half precision count as zero in arithmetic, which is left
// to Go then. Conversions to other formats keep them.
func (c *compiler) fz16() bool { return c.opt.FPCR&softfp.FZ16 != 0 }

// f3 emits d = a op s. d is not s.
func (c *compiler) f3(ops *fpOps, k fpKind, d, a x64.Xmm, s vsrc) {
	switch {
	case !k.half():
		c.v3s(ops[k], d, a, s)
	case s.mem:
		c.b.XXM(ops[k], d, a, s.m)
	default:
		c.b.XXX(ops[k], d, a, s.x)
	}
}

// splatK is a literal with a number in lane 0 of a scalar, or in all lanes.
func (c *compiler) splatK(k fpKind, bits *[4]uint64) x64.Mem {
	return c.splatBits(k, bits[k.width()])
}

// splatBits is splatK with any bits.
func (c *compiler) splatBits(k fpKind, n uint64) x64.Mem {
	if k.scalar() {
		return c.b.Lit128(n, 0)
	}
	return c.splat(k.width(), n)
}

// upperZero notes that the scalar v is alone in its register if all of the
// operands that it was computed from are: host instructions take the rest of
// their result from the first source.
func (c *compiler) upperZero(v ir.Value, from ...ir.Value) {
	n := uint8(c.f.TypeOf(v).Bits())
	for _, a := range from {
		if r := c.root(a); r.IsSSA() && c.vals[r].zbits > n {
			return
		}
	}
	c.zero(v, n)
}

// elsewhere lowers v, of kind k, where the host's units do not. Half precision goes by way
// of half, which computes in singles, unless the host has its own for the operation; what
// is not native goes through Go. It reports whether that was so.
func (c *compiler) elsewhere(v ir.Value, in ir.Inst, k fpKind, ownHalf, native bool, half func()) bool {
	switch {
	case k.half() && !ownHalf && c.halfAsSingle():
		half()
	case !native:
		viaGo(c, v, in)
	default:
		return false
	}
	return true
}

// fpArith lowers operations of two operands that are one instruction.
func fpArith(ops *fpOps) lowerFn {
	return func(c *compiler, v ir.Value, in ir.Inst) {
		k := kindOf(c.f.TypeOf(v))
		flushes := c.flushes(k)
		if c.elsewhere(v, in, k, c.fp16(), flushes || c.native(k), func() { c.halfArith(v, in, ops) }) {
			return
		}
		c.clobber()
		a := c.asideX(v, in.A(), c.useX(in.A()))
		b := c.srcX(in.B())
		if !b.mem {
			b.x = c.asideX(v, in.B(), b.x)
		}
		d := c.defX(v)
		c.upperZero(v, in.A(), in.B())
		if flushes {
			c.beginFlushing()
			c.f3(ops, k, d, a, b)
			c.mendFlushed(in, k, d, [3]bool{}, inReg(a), b)
			return
		}
		c.f3(ops, k, d, a, b)
		if c.testLater(v, in.Op(), k, [3]bool{}, in.A(), in.B()) {
			return
		}
		if ops == &fpMul || ops == &fpDiv {
			c.mendTiny(in, k, d, [3]bool{}, inReg(a), b)
			return
		}
		c.mendNaN(in, k, d, inReg(a), b)
	}
}

// lowerFSqrt: a NaN operand comes out right, the root of a negative number does
// not.
func lowerFSqrt(c *compiler, v ir.Value, in ir.Inst) {
	k := kindOf(c.f.TypeOf(v))
	flushes := c.flushes(k)
	if c.elsewhere(v, in, k, c.fp16(), flushes || c.native(k), func() { c.halfSqrt(v, in) }) {
		return
	}
	c.clobber()
	a := c.useX(in.A())
	d := c.defX(v)
	c.upperZero(v, in.A())
	if flushes {
		c.beginFlushing()
	}
	switch k {
	case kV4F32, kV2F64:
		c.v2(fpSqrt[k], d, a)
	case kV8F16:
		c.b.XX(fpSqrt[k], d, a)
	default:
		c.f3(&fpSqrt, k, d, a, inReg(a))
	}
	if flushes {
		c.mendFlushed(in, k, d, [3]bool{}, inReg(a))
		return
	}
	if c.testLater(v, in.Op(), k, [3]bool{}, in.A(), in.A()) {
		return
	}
	c.mendNaN(in, k, d, inReg(a), inReg(a))
}

// lowerFMulX: as FMUL but for infinity times zero, which is 2 and raises nothing.
// Infinities and NaNs are left to cold code.
func lowerFMulX(c *compiler, v ir.Value, in ir.Inst) {
	k := kindOf(c.f.TypeOf(v))
	flushes := c.flushes(k)
	if c.elsewhere(v, in, k, false, !k.half() && (flushes || c.native(k)), func() { c.halfMulX(v, in) }) {
		return
	}
	c.clobber()
	a, b := c.useX(in.A()), c.srcX(in.B())
	d := c.defX(v)
	if flushes {
		c.upperZero(v, in.A(), in.B())
		c.beginFlushing()
		c.f3(&fpMul, k, d, a, b)
		c.mendFlushed(in, k, d, [3]bool{}, inReg(a), b)
		return
	}
	s := c.newSteps(k, d, a, b)
	c.v2(x64.PTEST, d, d)
	back := c.arm(x64.NE, s.product)
	c.f3(&fpMul, k, d, a, b)
	c.b.Bind(back)
	c.mendTiny(in, k, d, [3]bool{}, inReg(a), b)
	c.upperZero(v, in.A(), in.B())
}

// signMask is a literal of the sign bit of lane 0 of a scalar, or of all lanes.
func (c *compiler) signMask(t ir.Type, flip uint64) x64.Mem {
	w := laneIndex(t)
	n := signBit(w)
	if t.IsVec() {
		return c.splat(w, n^flip&(signBit(w)<<1-1))
	}
	return c.b.Lit128(n^flip, flip)
}

// lowerFNeg is put off if a fused multiplication can take it in.
func lowerFNeg(c *compiler, v ir.Value, in ir.Inst) {
	if c.foldsNeg(v) && c.later(v) {
		return
	}
	c.binS(v, x64.PXOR, in.A(), inMem(c.signMask(c.f.TypeOf(v), 0)))
	c.keepUpper(v, in.A())
}

// foldsNeg reports whether the FNEG v is put off until a fused multiplication.
func (c *compiler) foldsNeg(v ir.Value) bool {
	p := &c.vals[v]
	return p.user != ir.None && c.f.Insts[p.user].Op() == ir.OpFMA && c.nativeFMA(kindOf(c.f.TypeOf(v))) && c.mayWait(v)
}

func lowerFAbs(c *compiler, v ir.Value, in ir.Inst) {
	c.binS(v, x64.PAND, in.A(), inMem(c.signMask(c.f.TypeOf(v), ^uint64(0))))
	c.keepUpper(v, in.A())
}

// keepUpper is upperZero for operations on scalars and vectors alike.
func (c *compiler) keepUpper(v ir.Value, from ...ir.Value) {
	if !c.f.TypeOf(v).IsVec() {
		c.upperZero(v, from...)
	}
}
