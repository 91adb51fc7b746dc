package translate

import (
	"math/rand/v2"
	"testing"

	"emu/ir"
)

// Where upperRules says so, the upper half of a result is zero: the evaluation
// of the operation agrees for random lower halves, all vector types and all
// rounding modes.
func TestUpperRules(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	for op := range ir.NumOps {
		rule, row := upperRules[op], op.Info()
		if rule == upperUnknown || op == ir.OpVFrom {
			continue
		}
		checked := 0
		for ty := ir.V16I8; ty <= ir.V2F64; ty++ {
			result, ok := upperResult(op, ty)
			if !ok {
				continue
			}
			for range 200 {
				env := ir.Env{FPCR: r.Uint32() & (1<<25 | 1<<24 | 3<<22)}
				v := upperOperands(row.Args, rule, r)
				if op == ir.OpRev {
					v[1].Lo = 64
				}
				got := row.Eval(&env, result, ty, v[0], v[1], v[2])
				if got.Hi != 0 {
					t.Fatalf("%v %v of %x, FPCR %#x: %x", op, ty, v, env.FPCR, got)
				}
				checked++
			}
		}
		if checked == 0 {
			t.Errorf("%v was not checked", op)
		}
	}
}

// upperResult is the result type of op on vectors of type ty; ok is false where
// the operation does not take the type.
func upperResult(op ir.Op, ty ir.Type) (result ir.Type, ok bool) {
	isInt := ty.IsVecInt()
	switch op {
	case ir.OpVTrunc, ir.OpSQXtN, ir.OpUQXtN, ir.OpSQXtUN:
		return ty.Narrower(), isInt && ty != ir.V16I8
	case ir.OpFToSI, ir.OpFToUI:
		return ty.IntOf(), !isInt
	case ir.OpSIToF, ir.OpUIToF:
		return floatOf(ty), isInt && ty != ir.V16I8
	case ir.OpMul:
		return ty, isInt
	}
	switch op.Info().Args[0] {
	case 'T':
		return ty, isInt
	case 'F':
		return ty, !isInt
	}
	return ty, true
}

// upperOperands are random operands that fulfil the rule: vectors with what has to
// be zero, shift amounts and other immediates.
func upperOperands(args string, rule upperRule, r *rand.Rand) (v [3]ir.Val) {
	for k := range len(args) {
		switch args[k] {
		case '#', 'i':
			v[k] = ir.Val{Lo: 1 + r.Uint64()%5}
			continue
		}
		v[k] = ir.Val{Lo: r.Uint64(), Hi: r.Uint64()}
		if r.IntN(3) == 0 {
			v[k].Lo = 0x7ff8_0000_7fc0_7e00 >> r.IntN(3)
		}
		zero := false
		switch rule {
		case upperFirst:
			zero = k == 0
		case upperEither:
			zero = k == int(r.Uint32()%2) || k == 1 && v[0].Hi != 0
		case upperBoth, upperAll3:
			zero = true
		case upperLast2:
			zero = k > 0
		case upperPairs:
			if k == 1 {
				v[k] = ir.Val{}
			}
		}
		if zero {
			v[k].Hi = 0
		}
	}
	return v
}
