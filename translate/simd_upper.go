package translate

import "emu/ir"

// upperRule says when the result of an operation has a zero upper half.
type upperRule uint8

const (
	upperUnknown upperRule = iota
	upperAlways
	upperFirst  // when the first operand has
	upperEither // when one of the first two operands has
	upperBoth   // when both have
	upperAll3   // when all three have
	upperLast2  // when the second and the third have
	upperPairs  // when the second operand is all zero: it makes the upper half
)

// upperRules has the operations between which 64-bit forms are chained. What
// would make -0 of +0 in some rounding mode, such as FSUB, is not among them.
var upperRules = [ir.NumOps]upperRule{
	ir.OpVLow: upperAlways, ir.OpVHigh: upperAlways, ir.OpVFrom: upperAlways, ir.OpVTrunc: upperAlways,
	ir.OpSQXtN: upperAlways, ir.OpUQXtN: upperAlways, ir.OpSQXtUN: upperAlways,
	ir.OpBitcast: upperFirst, ir.OpAndNot: upperFirst, ir.OpShl: upperFirst, ir.OpLShr: upperFirst, ir.OpAShr: upperFirst,
	ir.OpSRShr: upperFirst, ir.OpURShr: upperFirst, ir.OpAbs: upperFirst, ir.OpNeg: upperFirst, ir.OpFAbs: upperFirst,
	ir.OpFSqrt: upperFirst, ir.OpFToSI: upperFirst, ir.OpFToUI: upperFirst, ir.OpSIToF: upperFirst, ir.OpUIToF: upperFirst,
	ir.OpFRound: upperFirst, ir.OpSShlV: upperFirst, ir.OpUShlV: upperFirst, ir.OpRev: upperFirst,
	ir.OpAnd: upperEither, ir.OpMul: upperEither,
	ir.OpOr: upperBoth, ir.OpXor: upperBoth, ir.OpAdd: upperBoth, ir.OpSub: upperBoth,
	ir.OpSMin: upperBoth, ir.OpSMax: upperBoth, ir.OpUMin: upperBoth, ir.OpUMax: upperBoth,
	ir.OpSAbd: upperBoth, ir.OpUAbd: upperBoth, ir.OpFAdd: upperBoth, ir.OpFMul: upperBoth, ir.OpFMulX: upperBoth,
	ir.OpFMin: upperBoth, ir.OpFMax: upperBoth, ir.OpFMinNM: upperBoth, ir.OpFMaxNM: upperBoth,
	ir.OpSQAdd: upperBoth, ir.OpUQAdd: upperBoth, ir.OpSQSub: upperBoth, ir.OpUQSub: upperBoth,
	ir.OpFMA:  upperAll3,
	ir.OpBsl:  upperLast2,
	ir.OpUzp1: upperPairs, ir.OpUzp2: upperPairs,
}

// upperDepth bounds the search of upperZero.
const upperDepth = 4

// upperZero reports whether a vector is known to have a zero upper half. It looks
// at no more than depth operations in a chain.
func (t *Translator) upperZero(v ir.Value, depth int) bool {
	if c, ok := t.ConstOf(v); ok {
		return c.Hi == 0
	}
	if depth == 0 || !v.IsSSA() {
		return false
	}
	i := t.Insts[v]
	known := func(x ir.Value) bool { return t.upperZero(x, depth-1) }
	switch upperRules[i.Op()] {
	case upperAlways:
		return true
	case upperFirst:
		return known(i.A())
	case upperEither:
		return known(i.A()) || known(i.B())
	case upperBoth:
		return known(i.A()) && known(i.B())
	case upperAll3:
		return known(i.A()) && known(i.B()) && known(i.C())
	case upperLast2:
		return known(i.B()) && known(i.C())
	case upperPairs:
		c, ok := t.ConstOf(i.B())
		return ok && c.Lo == 0 && c.Hi == 0
	}
	return false
}
