package ir

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

// upperRules has the operations on vectors between which 64-bit forms are chained. What
// would make -0 of +0 in some rounding mode, such as FSUB, is not among them.
var upperRules = [NumOps]upperRule{
	OpSelect: upperLast2,
	OpVLow:   upperAlways, OpVHigh: upperAlways, OpVFrom: upperAlways, OpVTrunc: upperAlways,
	OpSQXtN: upperAlways, OpUQXtN: upperAlways, OpSQXtUN: upperAlways,
	OpBitcast: upperFirst, OpAndNot: upperFirst, OpShl: upperFirst, OpLShr: upperFirst, OpAShr: upperFirst,
	OpSRShr: upperFirst, OpURShr: upperFirst, OpAbs: upperFirst, OpNeg: upperFirst, OpFAbs: upperFirst,
	OpFSqrt: upperFirst, OpFToSI: upperFirst, OpFToUI: upperFirst, OpSIToF: upperFirst, OpUIToF: upperFirst,
	OpFRound: upperFirst, OpSShlV: upperFirst, OpUShlV: upperFirst, OpRev: upperFirst,
	OpAnd: upperEither, OpMul: upperEither,
	OpOr: upperBoth, OpXor: upperBoth, OpAdd: upperBoth, OpSub: upperBoth,
	OpSMin: upperBoth, OpSMax: upperBoth, OpUMin: upperBoth, OpUMax: upperBoth,
	OpSAbd: upperBoth, OpUAbd: upperBoth, OpFAdd: upperBoth, OpFMul: upperBoth, OpFMulX: upperBoth,
	OpFMin: upperBoth, OpFMax: upperBoth, OpFMinNM: upperBoth, OpFMaxNM: upperBoth,
	OpSQAdd: upperBoth, OpUQAdd: upperBoth, OpSQSub: upperBoth, OpUQSub: upperBoth,
	OpFMA:  upperAll3,
	OpBsl:  upperLast2,
	OpUzp1: upperPairs, OpUzp2: upperPairs,
}

// wordRules is upperRules for I64, as the W forms of integer instructions use them.
var wordRules = [NumOps]upperRule{
	OpZext: upperAlways, OpClz: upperAlways, OpCls: upperAlways, OpCtz: upperAlways, OpPopcnt: upperAlways,
	OpAndNot: upperFirst, OpLShr: upperFirst, OpUDiv: upperFirst, OpURem: upperFirst, OpUbfx: upperFirst,
	OpAnd: upperEither, OpUMin: upperEither, OpMulHiU: upperEither,
	OpOr: upperBoth, OpXor: upperBoth, OpUMax: upperBoth, OpSMin: upperBoth, OpSMax: upperBoth,
	OpSelect: upperLast2,
}

// UpperZero reports whether the upper half of v, a vector or an I64, is zero: bits 64 and up
// or bits 32 and up. known tells it of operands, which have v's type but for vectors with other lanes.
func (f *Func) UpperZero(v Value, known func(Value) bool) bool {
	if c, ok := f.ConstOf(v); ok {
		return c.Hi == 0 && (c.Type != I64 || c.Lo>>32 == 0)
	}
	if !v.IsSSA() {
		return false
	}
	i, rules := f.Insts[v], &wordRules
	switch t := f.Types[v]; {
	case t.IsVec():
		rules = &upperRules
	case t != I64 || f.shortField(i):
		return t == I64
	}
	switch rules[i.Op()] {
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
		c, ok := f.ConstOf(i.B())
		return ok && c.Lo == 0 && c.Hi == 0
	}
	return false
}

// shortField reports whether an operation on I64 gives 32 bits or fewer as its constants
// tell.
func (f *Func) shortField(i Inst) bool {
	switch i.Op() {
	case OpLShr:
		c, ok := f.ConstOf(i.B())
		return ok && c.Lo&63 >= 32
	case OpUbfx:
		return f.ImmOf(i.C()) <= 32
	}
	return false
}
