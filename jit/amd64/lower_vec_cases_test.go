//go:build linux && amd64

package amd64

import (
	"strings"

	"emu/ir"
	"emu/jit/asm/x64"
)

// vecCase is one opcode at one combination of types.
type vecCase struct {
	op   ir.Op
	ret  ir.Type
	args [3]ir.Type // Void for operands that are absent or immediate
	imms [3][]uint64
	// splats are constants for all lanes of the second operand; if not nil, it is
	// one of those.
	splats []uint64
}

func (k vecCase) String() string {
	s := k.op.String() + " " + k.ret.String()
	for i, t := range k.args {
		switch {
		case t != ir.Void:
			s += " " + t.String()
		case k.imms[i] != nil:
			s += " #"
		}
	}
	return s
}

var intVecs = []ir.Type{ir.V16I8, ir.V8I16, ir.V4I32, ir.V2I64}

// upTo returns lo, ..., hi.
func upTo(lo, hi int) (r []uint64) {
	for n := lo; n <= hi; n++ {
		r = append(r, uint64(n))
	}
	return r
}

// vecCases lists every opcode and shape that the vector lowerings have to serve.
func vecCases() (all []vecCase) {
	add := func(op ir.Op, ret ir.Type, args ...ir.Type) *vecCase {
		k := vecCase{op: op, ret: ret}
		copy(k.args[:], args)
		all = append(all, k)
		return &all[len(all)-1]
	}
	lanewise := func(types []ir.Type, ops ...ir.Op) {
		for _, op := range ops {
			for _, t := range types {
				n := strings.Count(op.Info().Args, "T")
				add(op, t, []ir.Type{t, t, t}[:n]...)
			}
		}
	}
	lanewise(intVecs, ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpAndNot, ir.OpOrNot,
		ir.OpNot, ir.OpNeg, ir.OpAbs, ir.OpClz, ir.OpCls, ir.OpCtz, ir.OpPopcnt, ir.OpRBit,
		ir.OpSMin, ir.OpSMax, ir.OpUMin, ir.OpUMax,
		ir.OpAddP, ir.OpSMaxP, ir.OpSMinP, ir.OpUMaxP, ir.OpUMinP, ir.OpSAbd, ir.OpUAbd,
		ir.OpSHAdd, ir.OpUHAdd, ir.OpSRHAdd, ir.OpURHAdd, ir.OpSHSub, ir.OpUHSub,
		ir.OpSShlV, ir.OpUShlV, ir.OpSRShlV, ir.OpURShlV, ir.OpShlV, ir.OpLshrV, ir.OpAshrV, ir.OpSMulH, ir.OpUMulH,
		ir.OpSQAdd, ir.OpUQAdd, ir.OpSQSub, ir.OpUQSub, ir.OpSUQAdd, ir.OpUSQAdd, ir.OpSQAbs, ir.OpSQNeg,
		ir.OpSQShlV, ir.OpUQShlV, ir.OpSQRShlV, ir.OpUQRShlV)
	for _, op := range []ir.Op{ir.OpSQShlV, ir.OpUQShlV} { // amounts as immediates give them
		for _, t := range intVecs {
			k := add(op, t, t, t)
			k.splats = upTo(0, t.Lane().Bits()-1)
		}
	}
	lanewise(intVecs[1:3], ir.OpSQDMulH, ir.OpSQRDMulH, ir.OpSQRDMlAH, ir.OpSQRDMlSH)
	lanewise(intVecs[:1], ir.OpSQDMulH.Quiet(), ir.OpSQRDMulH.Quiet(), ir.OpSQRDMlAH.Quiet(), ir.OpSQRDMlSH.Quiet())
	lanewise(intVecs[2:], ir.OpBExt, ir.OpBDep)
	lanewise(intVecs[:1], ir.OpPMul)
	lanewise(intVecs[2:3], ir.OpURecpE, ir.OpURSqrtE)

	for i, t := range intVecs {
		w := 8 << i
		for _, op := range []ir.Op{ir.OpShl, ir.OpLShr, ir.OpAShr} {
			add(op, t, t).imms[1] = []uint64{0, 1, uint64(w / 2), uint64(w - 1), uint64(w), 64, 200}
			add(op, t, t, ir.I64)
		}
		add(ir.OpRor, t, t).imms[1] = append(upTo(0, w), 100)
		add(ir.OpSRShr, t, t).imms[1] = upTo(1, w)
		add(ir.OpURShr, t, t).imms[1] = upTo(1, w)
		add(ir.OpSQShlU, t, t).imms[1] = upTo(0, w-1)
		add(ir.OpICmp, t, t, t).imms[2] = upTo(0, 9)
		for n := 2 * w; n <= 64; n *= 2 {
			add(ir.OpRev, t, t).imms[1] = []uint64{uint64(n)}
		}
		for _, op := range []ir.Op{ir.OpUbfx, ir.OpSbfx} {
			k := add(op, t, t)
			k.imms[1], k.imms[2] = []uint64{0, uint64(w / 2)}, []uint64{1, uint64(w / 2)}
		}
		add(ir.OpBfi, t, t, t).imms[2] = []uint64{uint64(w / 2), 1<<8 | uint64(w-1), uint64(w-1)<<8 | 1, uint64(w)}

		add(ir.OpLaneMask, t, ir.I64)
		add(ir.OpTopBits, ir.I64, t)
		add(ir.OpVDup, t, t.Lane())
		for _, vt := range []ir.Type{ir.V8F16, ir.V4F32, ir.V2F64} {
			if vt.IntOf() != t {
				continue
			}
			add(ir.OpVDupL, vt, vt).imms[1] = upTo(0, vt.Lanes()-1)
			for _, op := range []ir.Op{ir.OpZip1, ir.OpUzp2, ir.OpTrn1, ir.OpVCombine} {
				add(op, vt, vt, vt)
			}
			add(ir.OpBsl, vt, vt, vt, vt)
		}
		add(ir.OpVDupL, t, t).imms[1] = upTo(0, t.Lanes()-1)
		add(ir.OpVGet, t.Lane(), t).imms[1] = upTo(0, t.Lanes()-1)
		add(ir.OpVSet, t, t, t.Lane()).imms[2] = upTo(0, t.Lanes()-1)
		k := add(ir.OpVInsL, t, t, t)
		for to := range t.Lanes() {
			for _, from := range []int{0, to, t.Lanes() - 1, t.Lanes() / 2} {
				k.imms[2] = append(k.imms[2], uint64(to<<4|from))
			}
		}
		add(ir.OpVFrom, t, t.Lane())
		add(ir.OpVLow, t, t)
		add(ir.OpVHigh, t, t)
		for _, op := range []ir.Op{ir.OpVCombine, ir.OpZip1, ir.OpZip2, ir.OpUzp1, ir.OpUzp2, ir.OpTrn1, ir.OpTrn2} {
			add(op, t, t, t)
		}
		add(ir.OpBsl, t, t, t, t)
		for _, op := range []ir.Op{ir.OpAddV, ir.OpSMaxV, ir.OpSMinV, ir.OpUMaxV, ir.OpUMinV} {
			add(op, t.Lane(), t)
		}
		if wide := t.Wider(); wide != ir.Void {
			for _, op := range []ir.Op{ir.OpVSext, ir.OpVZext, ir.OpSAddLP, ir.OpUAddLP} {
				add(op, wide, t)
			}
			for _, op := range []ir.Op{ir.OpSMulL, ir.OpUMulL} {
				add(op, wide, t, t)
			}
			for _, op := range []ir.Op{ir.OpVTrunc, ir.OpSQXtN, ir.OpUQXtN, ir.OpSQXtUN} {
				add(op, t, wide)
			}
		}
	}
	add(ir.OpExt, ir.V16I8, ir.V16I8, ir.V16I8).imms[2] = upTo(0, 15)
	add(ir.OpTbl, ir.V16I8, ir.V16I8, ir.V16I8)
	add(ir.OpPMulL, ir.V8I16, ir.V16I8, ir.V16I8)
	add(ir.OpPMulL, ir.V2I64, ir.V2I64, ir.V2I64)
	for _, t := range intVecs[1:3] {
		add(ir.OpSQDMulL, t.Wider(), t, t)
	}
	add(ir.OpSQDMulL.Quiet(), ir.V8I16, ir.V16I8, ir.V16I8)
	for _, op := range []ir.Op{ir.OpSDot, ir.OpUDot, ir.OpUSDot, ir.OpSMMLA, ir.OpUMMLA, ir.OpUSMMLA} {
		add(op, ir.V4I32, ir.V4I32, ir.V16I8, ir.V16I8)
	}
	for _, k := range all {
		if k.op.Has(ir.SetsQC) {
			k.op = k.op.Quiet()
			all = append(all, k)
		}
	}
	return append(all, cryptoCases()...)
}

// cryptoCases lists the cryptographic opcodes and checksums.
func cryptoCases() (all []vecCase) {
	for op := ir.OpAESE; op <= ir.OpSM4EKey; op++ {
		t := ir.V4I32
		switch {
		case op <= ir.OpAESIMC:
			t = ir.V16I8
		case op >= ir.OpSHA512H && op <= ir.OpSHA512SU1:
			t = ir.V2I64
		}
		k := vecCase{op: op, ret: t, args: [3]ir.Type{t, t, t}}
		for i := len(op.Info().Args); i < 3; i++ {
			k.args[i] = ir.Void
		}
		if op >= ir.OpSHA1C && op <= ir.OpSHA1M {
			k.args[1] = ir.I32
		}
		all = append(all, k)
	}
	for _, op := range []ir.Op{ir.OpCrc32, ir.OpCrc32C} {
		all = append(all, vecCase{op: op, ret: ir.I32, args: [3]ir.Type{ir.I32, ir.I64}, imms: [3][]uint64{2: {8, 16, 32, 64}}})
	}
	return all
}

// featureSets are the hosts that the lowerings are tested for, as far as this
// one can run them.
func featureSets() map[string]x64.Features {
	here := x64.Detect()
	sets := map[string]x64.Features{
		"host": here,
		"avx2": here & (x64.Baseline() | x64.AVX | x64.AVX2 | x64.BMI1 | x64.BMI2 | x64.LZCNT | x64.FMA | x64.F16C | x64.AES | x64.PCLMUL),
		"gfni": here & (x64.Baseline() | x64.GFNI | x64.AES | x64.PCLMUL | x64.SHA),
		"v2":   x64.Baseline(),
	}
	return sets
}
