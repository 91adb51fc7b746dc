package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// vectorIntOps lowers the integer vector shapes of polymorphic opcodes. What is
// missing goes through Go: divisions, remainders and powers, which no SIMD
// instruction computes, and the reciprocal estimates, which are table look-ups
// that programs hardly use.
var vectorIntOps = [ir.NumOps]lowerFn{
	ir.OpAdd:    lanewise(addOps),
	ir.OpSub:    lanewise(subOps),
	ir.OpMul:    lowerVMul,
	ir.OpAnd:    vlogic(x64.PAND),
	ir.OpOr:     vlogic(x64.POR),
	ir.OpXor:    vlogic(x64.PXOR),
	ir.OpAndNot: lowerVAndNot,
	ir.OpOrNot:  lowerVOrNot,
	ir.OpNot:    lowerVNot,
	ir.OpNeg:    lowerVNeg,
	ir.OpAbs:    lowerVAbs,
	ir.OpShl:    shiftBy(shiftLeft),
	ir.OpLShr:   shiftBy(shiftRightU),
	ir.OpAShr:   shiftBy(shiftRightS),
	ir.OpRor:    lowerVRor,
	ir.OpClz:    lowerVClz,
	ir.OpCls:    lowerVCls,
	ir.OpCtz:    lowerVCtz,
	ir.OpPopcnt: lowerVPopcnt,
	ir.OpRBit:   lowerVRBit,
	ir.OpRev:    lowerVRev,
	ir.OpUbfx:   lowerVBitfield,
	ir.OpSbfx:   lowerVBitfield,
	ir.OpBfi:    lowerVBfi,
	ir.OpICmp:   lowerVICmp,
	ir.OpSMin:   vminmax(&sminOps),
	ir.OpSMax:   vminmax(&smaxOps),
	ir.OpUMin:   vminmax(&uminOps),
	ir.OpUMax:   vminmax(&umaxOps),

	ir.OpPMul:   lowerPMul,
	ir.OpAddP:   lowerAddP,
	ir.OpSMaxP:  pairwise(&smaxOps),
	ir.OpSMinP:  pairwise(&sminOps),
	ir.OpUMaxP:  pairwise(&umaxOps),
	ir.OpUMinP:  pairwise(&uminOps),
	ir.OpSAbd:   absDiff(&sminOps, &smaxOps),
	ir.OpUAbd:   absDiff(&uminOps, &umaxOps),
	ir.OpSHAdd:  halvingAdd(shiftRightS),
	ir.OpUHAdd:  halvingAdd(shiftRightU),
	ir.OpSRHAdd: roundingHalvingAdd(shiftRightS),
	ir.OpURHAdd: roundingHalvingAdd(shiftRightU),
	ir.OpSHSub:  halvingSub(shiftRightS),
	ir.OpUHSub:  halvingSub(shiftRightU),
	ir.OpSRShr:  roundingShift(shiftRightS),
	ir.OpURShr:  roundingShift(shiftRightU),
}

// shapeOps lowers vector opcodes without a polymorphic operand.
var shapeOps = [ir.NumOps]lowerFn{
	ir.OpVDup:     lowerVDup,
	ir.OpVDupL:    lowerVDupL,
	ir.OpVSet:     lowerVSet,
	ir.OpVInsL:    lowerVInsL,
	ir.OpVHigh:    lowerVHigh,
	ir.OpVCombine: lowerVCombine,
	ir.OpZip1:     interleave(laneOps{x64.PUNPCKLBW, x64.PUNPCKLWD, x64.PUNPCKLDQ, x64.PUNPCKLQDQ}),
	ir.OpZip2:     interleave(laneOps{x64.PUNPCKHBW, x64.PUNPCKHWD, x64.PUNPCKHDQ, x64.PUNPCKHQDQ}),
	ir.OpUzp1:     lowerUzp,
	ir.OpUzp2:     lowerUzp,
	ir.OpTrn1:     lowerTrn,
	ir.OpTrn2:     lowerTrn,
	ir.OpExt:      lowerExt,
	ir.OpTbl:      lowerTbl,
	ir.OpBsl:      lowerBsl,
	ir.OpVSext:    extend(x64.PMOVSXBW, x64.PMOVSXWD, x64.PMOVSXDQ),
	ir.OpVZext:    extend(x64.PMOVZXBW, x64.PMOVZXWD, x64.PMOVZXDQ),
	ir.OpVTrunc:   lowerVTrunc,
	ir.OpSMulL:    lowerMulL,
	ir.OpUMulL:    lowerMulL,
	ir.OpPMulL:    lowerPMulL,
	ir.OpAddV:     lowerAddV,
	ir.OpSMaxV:    lowerMinMaxV,
	ir.OpSMinV:    lowerMinMaxV,
	ir.OpUMaxV:    lowerMinMaxV,
	ir.OpUMinV:    lowerMinMaxV,
	ir.OpSAddLP:   lowerSAddLP,
	ir.OpUAddLP:   lowerUAddLP,
}
