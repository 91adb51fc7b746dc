//go:build linux && amd64

package amd64_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"emu/cpu"
	"emu/ir"
)

// unitFor builds a unit around one instruction: operands from registers or
// constants, shared or not, dying or living on, with flags alive across it or not
// - as r decides - and everything visible in the state afterwards. It returns
// false if the instruction would not be valid.
func unitFor(f *ir.Func, r *rand.Rand, op ir.Op, poly, float, vec, any, given ir.Type) bool {
	f.Reset(0x1000)
	imm := func(n int) ir.Value { return f.Const(ir.I64, uint64(n)) }
	f.Emit(ir.OpInsn, ir.Void, f.Const(ir.I64, 0x1000), ir.None, ir.None)
	row := op.Info()
	args := [3]ir.Value{ir.None, ir.None, ir.None}
	for k := range len(row.Args) {
		var t ir.Type
		switch row.Args[k] {
		case '#':
			if op == ir.OpBfi {
				w := 1 + r.IntN(64)
				args[k] = imm(r.IntN(65-w)<<8 | w)
				continue
			}
			args[k] = imm(r.IntN(1 << r.IntN(8)))
			if op == ir.OpCrc32 || op == ir.OpCrc32C || op == ir.OpRev {
				args[k] = imm(8 << r.IntN(4))
			}
			continue
		case 'T':
			t = poly
		case 'F':
			t = float
		case 'b':
			t = ir.I1
		case 'w':
			t = ir.I32
		case 'i':
			t = ir.I64
		case 'f':
			t = ir.Flags
		case 'v':
			t = vec
		case 'V':
			t = any
		}
		if k > 0 && r.IntN(6) == 0 && f.TypeOf(args[0]) == t {
			args[k] = args[0]
			continue
		}
		args[k] = operand(f, r, t, k)
	}
	flags := ir.None
	if r.IntN(2) == 0 {
		x, y := operand(f, r, ir.I64, 8), operand(f, r, ir.I64, 9)
		flags = f.Emit([]ir.Op{ir.OpSubF, ir.OpAddF}[r.IntN(2)], ir.Flags, x, y, ir.None)
	}
	t, ok := f.ResultType(op, args[0], args[1], args[2])
	if !ok {
		t = given
	}
	v := f.Emit(op, t, args[0], args[1], args[2])
	if r.IntN(4) == 0 && op.Has(ir.Pure) {
		show(f, f.Emit(op, t, args[0], args[1], args[2]), 18) // the same once more
	}
	if flags != ir.None {
		if r.IntN(2) == 0 {
			show(f, f.Emit(ir.OpFlagCond, ir.I1, flags, imm(r.IntN(16)), ir.None), 19)
		} else {
			show(f, flags, 19)
		}
	}
	show(f, v, 16)
	for k, a := range args {
		if a.IsSSA() && r.IntN(2) == 0 {
			show(f, a, 20+k)
		}
	}
	f.Emit(ir.OpJump, ir.Void, f.Const(ir.I64, 0x1004), ir.None, ir.None)
	f.Size = 4
	return f.Verify() == nil
}

// operand makes a value of type t out of register n, or a constant.
func operand(f *ir.Func, r *rand.Rand, t ir.Type, n int) ir.Value {
	if r.IntN(4) == 0 {
		lo, hi := r.Uint64(), r.Uint64()
		if r.IntN(2) == 0 {
			lo, hi = uint64(r.IntN(3))-1, 0
		}
		if t.IsVec() {
			return f.Const128(t, lo, hi)
		}
		if t.Bits() < 64 {
			lo &= 1<<t.Bits() - 1
		}
		return f.Const(t, lo)
	}
	reg := ir.Imm(n)
	switch {
	case t == ir.I1 && r.IntN(2) == 0:
		x := f.Emit(ir.OpGetX, ir.I64, reg, ir.None, ir.None)
		return f.Emit(ir.OpICmp, ir.I1, x, f.Const(ir.I64, 5), ir.Imm(r.IntN(10)))
	case t == ir.I1 && r.IntN(2) == 0:
		x := f.Emit(ir.OpGetNZCV, ir.Flags, ir.None, ir.None, ir.None)
		return f.Emit(ir.OpFlagCond, ir.I1, x, ir.Imm(r.IntN(16)), ir.None)
	case t == ir.I64:
		return f.Emit(ir.OpGetX, ir.I64, reg, ir.None, ir.None)
	case t.IsInt():
		x := f.Emit(ir.OpGetX, ir.I64, reg, ir.None, ir.None)
		if r.IntN(2) == 0 {
			x = f.Emit(ir.OpLShr, ir.I64, x, ir.Imm(r.IntN(64)), ir.None)
		}
		return f.Emit(ir.OpTrunc, t, x, ir.None, ir.None)
	case t == ir.Flags && r.IntN(2) == 0:
		x := f.Emit(ir.OpGetX, ir.I64, reg, ir.None, ir.None)
		return f.Emit(ir.OpUnpackF, ir.Flags, x, ir.None, ir.None)
	case t == ir.Flags:
		x := f.Emit(ir.OpGetX, ir.I64, reg, ir.None, ir.None)
		y := f.Emit(ir.OpGetX, ir.I64, ir.Imm(n+1), ir.None, ir.None)
		return f.Emit([]ir.Op{ir.OpSubF, ir.OpAddF}[r.IntN(2)], ir.Flags, x, y, ir.None)
	}
	return f.Emit(ir.OpGetV, t, reg, ir.None, ir.None)
}

// show makes v visible in register n.
func show(f *ir.Func, v ir.Value, n int) {
	reg := ir.Imm(n)
	switch t := f.TypeOf(v); {
	case t == ir.I64:
		f.Emit(ir.OpSetX, ir.Void, reg, v, ir.None)
	case t.IsInt():
		f.Emit(ir.OpSetX, ir.Void, reg, f.Emit(ir.OpZext, ir.I64, v, ir.None, ir.None), ir.None)
	case t == ir.Flags && n&1 == 0:
		f.Emit(ir.OpSetNZCV, ir.Void, v, ir.None, ir.None)
	case t == ir.Flags:
		f.Emit(ir.OpSetX, ir.Void, reg, f.Emit(ir.OpPackF, ir.I64, v, ir.None, ir.None), ir.None)
	case t.IsVec():
		f.Emit(ir.OpSetV, ir.Void, reg, v, ir.None)
	case t.IsFloat():
		w := f.Emit(ir.OpVFrom, t.VecOf(), v, ir.None, ir.None)
		f.Emit(ir.OpSetV, ir.Void, reg, w, ir.None)
	}
}

var (
	polyTypes  = []ir.Type{ir.I32, ir.I64, ir.V16I8, ir.V8I16, ir.V4I32, ir.V2I64}
	floatTypes = []ir.Type{ir.F16, ir.F32, ir.F64, ir.V8F16, ir.V4F32, ir.V2F64}
	vecTypes   = []ir.Type{ir.V16I8, ir.V8I16, ir.V4I32, ir.V2I64, ir.V8F16, ir.V4F32, ir.V2F64}
	anyTypes   = []ir.Type{ir.I1, ir.I8, ir.I16, ir.I32, ir.I64, ir.F16, ir.F32, ir.F64, ir.Flags,
		ir.V16I8, ir.V8I16, ir.V4I32, ir.V2I64, ir.V8F16, ir.V4F32, ir.V2F64}
)

// shapes calls fn for every combination of types that the row's letters allow.
func shapes(op ir.Op, fn func(poly, float, vec, any, given ir.Type)) {
	row := op.Info()
	pick := func(used bool, ts []ir.Type) []ir.Type {
		if used {
			return ts
		}
		return ts[:1]
	}
	for _, p := range pick(strings.Contains(row.Args, "T"), polyTypes) {
		for _, f := range pick(strings.Contains(row.Args, "F"), floatTypes) {
			for _, v := range pick(strings.Contains(row.Args, "v"), vecTypes) {
				for _, a := range pick(strings.Contains(row.Args, "V"), anyTypes) {
					for _, g := range pick(row.Ret == "X", anyTypes) {
						fn(p, f, v, a, g)
					}
				}
			}
		}
	}
}

// sensible leaves out types that a row excludes in its documentation alone.
func sensible(op ir.Op, poly, float, vec, any ir.Type) bool {
	switch op.Loud() {
	case ir.OpFCmpF, ir.OpFRecpX:
		return float.IsFloat()
	case ir.OpFRound32, ir.OpFRound64:
		return float.Lane() != ir.F16
	case ir.OpFJCvt, ir.OpFJCvtF:
		return any == ir.F64
	case ir.OpTbl, ir.OpAESE, ir.OpAESD, ir.OpAESMC, ir.OpAESIMC:
		return vec == ir.V16I8
	case ir.OpPMul:
		return poly == ir.V16I8
	case ir.OpPopcnt, ir.OpRBit:
		return poly == ir.V16I8 || !poly.IsVec()
	case ir.OpCtz, ir.OpAddF, ir.OpSubF, ir.OpAdc, ir.OpSbc, ir.OpAdcF, ir.OpSbcF, ir.OpNZ, ir.OpSDiv, ir.OpUDiv,
		ir.OpSRem, ir.OpURem, ir.OpExp, ir.OpExtr:
		return !poly.IsVec()
	case ir.OpSDot, ir.OpUDot, ir.OpUSDot, ir.OpSMMLA, ir.OpUMMLA, ir.OpUSMMLA:
		return any == ir.V4I32 && vec == ir.V16I8
	case ir.OpFMLAL:
		return any == ir.V4F32 && vec == ir.V8F16
	case ir.OpBFDot, ir.OpBFMMLA, ir.OpBFMLAL:
		return any == ir.V4F32 && vec == ir.V8I16
	case ir.OpURecpE, ir.OpURSqrtE:
		return poly == ir.V4I32
	case ir.OpSQDMulH, ir.OpSQRDMulH, ir.OpSQRDMlAH, ir.OpSQRDMlSH:
		return poly.IsVec()
	case ir.OpSHA1C, ir.OpSHA1P, ir.OpSHA1M:
		return any == ir.I32
	}
	return true
}

// TestOperations runs every operation of the table on random operands.
func TestOperations(t *testing.T) {
	trials := 60
	if testing.Short() {
		trials = 10
	}
	for name, o := range configs() {
		t.Run(name, func(t *testing.T) {
			n := newBench(t)
			f := ir.NewFunc(64)
			covered := map[ir.Op]int{}
			for op := ir.OpNop; op < ir.NumOps; op++ {
				if op.Info().Eval == nil {
					continue
				}
				shapes(op, func(poly, float, vec, any, given ir.Type) {
					if !sensible(op, poly, float, vec, any) {
						return
					}
					seed := uint64(op)<<32 | uint64(poly)<<24 | uint64(float)<<18 | uint64(vec)<<12 | uint64(any)<<6 | uint64(given)
					r := rand.New(rand.NewPCG(seed, 3))
					valid := 0
					for trial := 0; trial < trials && (valid > 0 || trial < 10); trial++ {
						if !unitFor(f, r, op, poly, float, vec, any, given) {
							continue
						}
						valid++
						prepare := func(s *cpu.State, mem []byte) { randomState(s, rand.New(rand.NewPCG(seed, uint64(trial)))) }
						if trial == 0 && !accepted(n, f, prepare) {
							return
						}
						if report := n.compare(f, o, prepare); report != "" {
							dumpFailure(report)
							t.Errorf("%v, trial %d: the engines disagree:\n%s", op, trial, report)
							return
						}
					}
					covered[op] += valid
				})
			}
			for op := ir.OpNop; op < ir.NumOps; op++ {
				if op.Info().Eval != nil && covered[op] == 0 {
					t.Errorf("no valid unit with %v was tried", op)
				}
			}
		})
	}
}

// accepted reports whether the interpreter can run f: an evaluation may not be
// defined for all types that the verifier lets through.
func accepted(n *bench, f *ir.Func, prepare func(*cpu.State, []byte)) (ok bool) {
	defer func() { ok = recover() == nil }()
	n.interpret(f, prepare)
	return true
}
