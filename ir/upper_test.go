package ir

import (
	"math/rand/v2"
	"testing"
)

// Where upperRules says so, the upper half of a result is zero: the evaluation
// of the operation agrees for random lower halves, all vector types and all
// rounding modes.
func TestUpperRules(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	for op := range NumOps {
		rule, row := upperRules[op], op.Info()
		if rule == upperUnknown || op == OpVFrom {
			continue
		}
		checked := 0
		for ty := V16I8; ty <= V2F64; ty++ {
			result, ok := upperResult(op, ty)
			if !ok {
				continue
			}
			for range 200 {
				env := Env{FPCR: r.Uint32() & (1<<25 | 1<<24 | 3<<22)}
				v := upperOperands(row.Args, rule, r)
				if op == OpRev {
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

// TestWordRules is the same for wordRules and the upper halves of I64.
func TestWordRules(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 3))
	for op := range NumOps {
		rule, row := wordRules[op], op.Info()
		if rule == upperUnknown {
			continue
		}
		from := I64
		if op == OpZext {
			from = I32
		}
		for range 2000 {
			v := upperOperands(row.Args, rule, r)
			for k := range v {
				v[k].Lo >>= r.IntN(64)
				if v[k].Hi == 0 && row.Args[min(k, len(row.Args)-1)] != '#' {
					v[k].Lo &= 1<<32 - 1 // what the rule asks for
				}
				v[k].Hi = 0
			}
			if op == OpUbfx {
				v[1], v[2] = Val{Lo: r.Uint64() % 20}, Val{Lo: 33 + r.Uint64()%10}
			}
			if got := row.Eval(new(Env), I64, from, v[0], v[1], v[2]); got.Lo>>32 != 0 {
				t.Fatalf("%v of %x: %x", op, v, got)
			}
		}
	}
}

// upperResult is the result type of op on vectors of type ty; ok is false where
// the operation does not take the type.
func upperResult(op Op, ty Type) (result Type, ok bool) {
	isInt := ty.IsVecInt()
	switch op {
	case OpVTrunc, OpSQXtN, OpUQXtN, OpSQXtUN:
		return ty.Narrower(), isInt && ty != V16I8
	case OpFToSI, OpFToUI:
		return ty.IntOf(), !isInt
	case OpSIToF, OpUIToF:
		return floatOf(ty), isInt && ty != V16I8
	case OpMul:
		return ty, isInt
	case OpSelect:
		return ty, true
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
func upperOperands(args string, rule upperRule, r *rand.Rand) (v [3]Val) {
	for k := range len(args) {
		switch args[k] {
		case '#', 'i', 'b':
			v[k] = Val{Lo: 1 + r.Uint64()%5}
			continue
		}
		v[k] = Val{Lo: r.Uint64(), Hi: r.Uint64()}
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
				v[k] = Val{}
			}
		}
		if zero {
			v[k].Hi = 0
		}
	}
	return v
}

// floatOf is the float vector of the shape of an integer vector with lanes of 16
// bits or more.
func floatOf(ty Type) Type { return V8F16 + (ty - V8I16) }
