//go:build linux && amd64

package amd64_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"emu/cpu"
	"emu/internal/softfp"
	"emu/ir"
	"emu/jit/amd64"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

// The floating-point tests run one instruction on many operands, as host code and
// by ir.Row.Eval, and compare result and FPSR bit for bit.

// fpForm is an opcode with types and immediates.
type fpForm struct {
	op   ir.Op
	ret  ir.Type
	args [3]ir.Type // Void: none, or an immediate
	imm  [3]int
}

func (f fpForm) String() string {
	s := f.op.String() + " " + f.ret.String()
	info := f.op.Info().Args
	for k := range len(info) {
		if info[k] == '#' {
			s += fmt.Sprintf(" #%d", f.imm[k])
		} else {
			s += " " + f.args[k].String()
		}
	}
	return s
}

// fpForms are all floating-point opcodes in all their types.
func fpForms() (forms []fpForm) {
	add := func(op ir.Op, ret ir.Type, a, b, c ir.Type, imm ...int) {
		f := fpForm{op: op, ret: ret, args: [3]ir.Type{a, b, c}}
		info := op.Info().Args
		for k := range len(info) {
			if info[k] == '#' {
				f.imm[k] = imm[0]
				imm = imm[1:]
			}
		}
		forms = append(forms, f)
	}
	const none = ir.Void
	for _, t := range []ir.Type{ir.F32, ir.F64, ir.V4F32, ir.V2F64, ir.F16, ir.V8F16} {
		for _, op := range []ir.Op{ir.OpFAdd, ir.OpFSub, ir.OpFMul, ir.OpFDiv, ir.OpFMulX, ir.OpFMin, ir.OpFMax,
			ir.OpFMinNM, ir.OpFMaxNM, ir.OpFRecpS, ir.OpFRSqrtS} {
			add(op, t, t, t, none)
		}
		for _, op := range []ir.Op{ir.OpFSqrt, ir.OpFNeg, ir.OpFAbs, ir.OpFRecpE, ir.OpFRSqrtE} {
			add(op, t, t, none, none)
		}
		if !t.IsVec() {
			add(ir.OpFRecpX, t, t, none, none)
			add(ir.OpFCmpF, ir.Flags, t, t, none, 0)
			add(ir.OpFCmpF, ir.Flags, t, t, none, 1)
		}
		add(ir.OpFMA, t, t, t, t)
		for mode := ir.RoundEven; mode <= ir.RoundFPCR; mode++ {
			add(ir.OpFRound, t, t, none, none, int(mode), 0)
			add(ir.OpFRound, t, t, none, none, int(mode), 1)
			if t.Lane() != ir.F16 {
				add(ir.OpFRound32, t, t, none, none, int(mode))
				add(ir.OpFRound64, t, t, none, none, int(mode))
			}
			if mode == ir.RoundFPCR {
				continue
			}
			for _, op := range []ir.Op{ir.OpFToSI, ir.OpFToUI} {
				ints := []ir.Type{ir.I32, ir.I64}
				if t.IsVec() {
					ints = []ir.Type{t.IntOf()}
				}
				for _, n := range ints {
					add(op, n, t, none, none, int(mode), 0)
					if mode == ir.RoundZero {
						add(op, n, t, none, none, int(mode), 1)
						add(op, n, t, none, none, int(mode), min(n.Lane().Bits(), 13))
						add(op, n, t, none, none, int(mode), n.Lane().Bits())
					}
				}
			}
		}
		for _, op := range []ir.Op{ir.OpSIToF, ir.OpUIToF} {
			ints := []ir.Type{ir.I32, ir.I64}
			if t.IsVec() {
				ints = []ir.Type{t.IntOf()}
			}
			for _, n := range ints {
				for _, bits := range []int{0, 1, 13, n.Lane().Bits()} {
					add(op, t, n, none, none, bits)
				}
			}
		}
		ret := ir.I1
		if t.IsVec() {
			ret = t.IntOf()
		}
		for cond := range 32 {
			add(ir.OpFCmp, ret, t, t, none, cond)
		}
	}
	for _, from := range []ir.Type{ir.F16, ir.F32, ir.F64} {
		for _, to := range []ir.Type{ir.F16, ir.F32, ir.F64} {
			if from != to {
				add(ir.OpFCvt, to, from, none, none)
				add(ir.OpFCvtIEEE, to, from, none, none)
			}
		}
	}
	for _, t := range []ir.Type{ir.V8F16, ir.V4F32} {
		for _, op := range []ir.Op{ir.OpFCvt, ir.OpFCvtIEEE} {
			add(op, t.Wider(), t, none, none)
			add(op, t, t.Wider(), none, none)
		}
	}
	add(ir.OpFCvtIEEE, ir.V2F64, ir.V8F16, none, none)
	add(ir.OpFCvtIEEE, ir.V8F16, ir.V2F64, none, none)
	add(ir.OpFCvtXN, ir.F32, ir.F64, none, none)
	add(ir.OpFCvtXN, ir.V4F32, ir.V2F64, none, none)
	add(ir.OpFJCvt, ir.I32, ir.F64, none, none)
	add(ir.OpFJCvtF, ir.Flags, ir.F64, none, none)
	add(ir.OpBFCvt, ir.I16, ir.F32, none, none)
	add(ir.OpBFCvt, ir.V8I16, ir.V4F32, none, none)
	add(ir.OpBFDot, ir.V4F32, ir.V4F32, ir.V8I16, ir.V8I16)
	add(ir.OpBFMMLA, ir.V4F32, ir.V4F32, ir.V8I16, ir.V8I16)
	add(ir.OpBFMLAL, ir.V4F32, ir.V4F32, ir.V8I16, ir.V8I16)
	add(ir.OpFMLAL, ir.V4F32, ir.V4F32, ir.V8F16, ir.V8F16)
	return forms
}

// build makes the unit of form f. same makes the first two operands one value,
// negate puts FNEGs on operands, constant replaces the second by a constant.
func (f fpForm) build(fn *ir.Func, same bool, negate int, constant *ir.Val) {
	fn.Reset(0x1000)
	fn.Emit(ir.OpInsn, ir.Void, fn.Const(ir.I64, 0x1000), ir.None, ir.None)
	args := [3]ir.Value{ir.None, ir.None, ir.None}
	info := f.op.Info().Args
	for k := range len(info) {
		t := f.args[k]
		switch {
		case info[k] == '#':
			args[k] = fn.Const(ir.I64, uint64(f.imm[k]))
			continue
		case k == 1 && same:
			args[1] = args[0]
			continue
		case k == 1 && constant != nil && t.IsVec():
			args[k] = fn.Const128(t, constant.Lo, constant.Hi)
			continue
		case k == 1 && constant != nil && t.IsFloat():
			args[k] = fn.Const(t, maskTo(t, *constant).Lo)
			continue
		case t.IsInt():
			x := fn.Emit(ir.OpGetX, ir.I64, ir.Imm(k), ir.None, ir.None)
			if t != ir.I64 {
				x = fn.Emit(ir.OpTrunc, t, x, ir.None, ir.None)
			}
			args[k] = x
		default:
			args[k] = fn.Emit(ir.OpGetV, t, ir.Imm(k), ir.None, ir.None)
		}
		if negate>>k&1 != 0 {
			args[k] = fn.Emit(ir.OpFNeg, t, args[k], ir.None, ir.None)
		}
	}
	show(fn, fn.Emit(f.op, f.ret, args[0], args[1], args[2]), 16)
	fn.Emit(ir.OpJump, ir.Void, fn.Const(ir.I64, 0x1004), ir.None, ir.None)
	fn.Size = 4
}

// maskTo clears what is above a scalar of type t.
func maskTo(t ir.Type, v ir.Val) ir.Val {
	if t.IsVec() {
		return v
	}
	return ir.Val{Lo: v.Lo & (1<<(t.Bits()-1)<<1 - 1)}
}

// fpCorners are numbers at which floating-point arithmetic turns.
func fpCorners(t ir.Type) []uint64 {
	var frac, width uint
	switch t.Lane() {
	case ir.F16:
		frac, width = 10, 16
	case ir.F32:
		frac, width = 23, 32
	default:
		frac, width = 52, 64
	}
	sign := uint64(1) << (width - 1)
	inf := sign - 1<<frac
	bias := uint64(1)<<(width-2-frac) - 1
	pow := func(n int) uint64 { return (bias + uint64(n)) << frac }
	list := []uint64{
		0, 1, 1<<frac - 1, 1 << frac, 1<<frac + 1, 2 << frac, // zero, denormals, the smallest normal
		inf - 1, inf, inf + 1, inf + 1<<(frac-1), inf + 1<<(frac-1) + 5, inf + 3, // largest, infinity, NaNs
		pow(0), pow(0) - 1, pow(0) + 1, pow(-1), pow(-1) - 1, pow(-1) + 1, pow(1), pow(1) | 1<<(frac-1), // 1, 1/2, 2, 3
		pow(0) | 1<<(frac-1), pow(1) | 1<<(frac-2), // 1.5, 2.5
		pow(int(frac)) - 1, pow(int(frac)), pow(int(frac)) + 1, pow(int(frac) - 1), pow(int(frac)-1) + 1,
		bias/2<<frac | 3, bias*3/2<<frac | 5,
	}
	for _, n := range []int{7, 8, 15, 16, 31, 32, 63, 64} {
		if uint64(n) <= bias {
			list = append(list, pow(n), pow(n)-1, pow(n)+1, pow(n)-1<<(frac-7))
		}
	}
	for _, x := range list[:len(list):len(list)] {
		list = append(list, x|sign)
	}
	return list
}

// fpOperand makes an operand of type t: lanes from the corners or random.
func fpOperand(r *rand.Rand, t ir.Type) (v ir.Val) {
	w := uint(t.Lane().Bits())
	lane := func() uint64 {
		if t.Lane().IsInt() || t.IsVecInt() {
			switch r.IntN(4) {
			case 0:
				return uint64(r.IntN(5)) - 2
			case 1:
				return 1<<r.IntN(64) - uint64(r.IntN(3))
			case 2:
				return uint64(int64(r.Uint64()) >> r.IntN(64))
			}
			return r.Uint64()
		}
		c := fpCorners(t)
		switch r.IntN(8) {
		case 0:
			return r.Uint64()
		case 1:
			return c[r.IntN(len(c))] + uint64(r.IntN(7)) - 3
		case 2: // around one
			return c[12] ^ r.Uint64()>>(64-w/2) ^ uint64(r.IntN(2))<<(w-1)
		}
		return c[r.IntN(len(c))]
	}
	for k := range uint(128) / w {
		x := lane() & (1<<(w-1)<<1 - 1)
		if k*w < 64 {
			v.Lo |= x << (k * w)
		} else {
			v.Hi |= x << (k*w - 64)
		}
	}
	return v
}

// fpConfigs are the hosts that floating point is compiled for.
func fpConfigs() map[string]uint64 {
	all := x64.Detect()
	v3 := x64.AVX | x64.AVX2 | x64.FMA | x64.F16C | x64.BMI1 | x64.BMI2 | x64.LZCNT
	c := map[string]uint64{"baseline": 0}
	if all.Has(v3) {
		c["v3"] = uint64(v3)
	}
	if all.Has(v3 | x64.EVEX128) {
		c["v4"] = uint64(v3 | x64.EVEX128)
	}
	c["detected"] = uint64(all)
	return c
}

// fpRun runs the unit in n on operands and compares with the evaluation of f.
func (n *bench) fpRun(f fpForm, fpcr uint32, args, eval [3]ir.Val) string {
	s := n.m.State
	s.FPCR = fpcr // with FPCRWatched and FPCRWritten
	s.SetFPCR(s.FPMode())
	s.SetFPStatus(0)
	s.NativeSP = s.NativeTop
	for k := range args {
		s.X[k] = args[k].Lo
		s.V[k] = [2]uint64{args[k].Lo, args[k].Hi}
	}
	s.X[16], s.V[16] = 0, [2]uint64{}
	s.Enter = n.m.Entry()
	n.m.Run(amd64.ServeHelper)

	env := ir.Env{FPCR: s.FPMode()}
	var vals [3]ir.Val
	for k := range vals {
		if f.args[k] == ir.Void {
			vals[k] = ir.Val{Lo: uint64(f.imm[k])}
		} else {
			vals[k] = maskTo(f.args[k], eval[k])
		}
	}
	want := f.op.Info().Eval(&env, f.ret, f.args[0], vals[0], vals[1], vals[2])
	got := ir.Val{Lo: s.V[16][0], Hi: s.V[16][1]}
	switch {
	case f.ret == ir.Flags:
		got = ir.Val{Lo: uint64(s.PSTATE() >> 28)}
	case f.ret.IsInt():
		got = ir.Val{Lo: s.X[16]}
	}
	flags := s.FPStatus()
	if fpcr&cpu.FPCRWatched == 0 && underflowDiffers(f, want, env.FPSR) {
		flags |= env.FPSR & cpu.FPSRUnderflow
	}
	if fpcr&(softfp.FZ|cpu.FPCRWritten) == softfp.FZ {
		// DAZ raises nothing, and FTZ raises Inexact.
		flags |= env.FPSR & cpu.FPSRDenormal
		if env.FPSR&cpu.FPSRUnderflow != 0 {
			flags = flags&^cpu.FPSRInexact | env.FPSR&cpu.FPSRInexact
		}
	}
	if got == want && flags == env.FPSR {
		return ""
	}
	return fmt.Sprintf("%v fpcr %#x\n  operands %x\n  want %x fpsr %#x\n  got  %x fpsr %#x", f, fpcr, vals, want, env.FPSR, got, flags)
}

// underflowDiffers reports whether a lane of the result is the smallest normal
// number and inexact: A64 looks for underflow before rounding, the host after.
func underflowDiffers(f fpForm, r ir.Val, fpsr uint32) bool {
	if fpsr&(cpu.FPSRUnderflow|cpu.FPSRInexact) != cpu.FPSRUnderflow|cpu.FPSRInexact || !f.ret.Lane().IsFloat() {
		return false
	}
	w := uint(f.ret.Lane().Bits())
	least := fpCorners(f.ret)[3]
	for k := range uint(f.ret.Lanes()) {
		x := r.Lo >> (k * w % 64)
		if k*w >= 64 {
			x = r.Hi >> (k*w - 64)
		}
		if x&(1<<(w-1)-1) == least {
			return true
		}
	}
	return false
}

// fpModes are the values of FPCR that the native code follows.
func fpModes() (m []uint32) {
	const written = cpu.FPCRWatched | cpu.FPCRWritten
	for round := range uint32(4) {
		r := round << softfp.RModeShift
		m = append(m, r, r|softfp.DN, r|softfp.FZ, r|softfp.FZ|written)
	}
	return append(m, softfp.FZ|softfp.DN, softfp.FZ|softfp.DN|written)
}

// TestFloat judges every form. EMU_TEST_FLOAT_OPERANDS sets the number of operands
// that each is tried on, EMU_TEST_FLOAT the start of the names of those tried.
func TestFloat(t *testing.T) {
	count := 12
	if testing.Short() {
		count = 4
	}
	if n, err := strconv.Atoi(os.Getenv("EMU_TEST_FLOAT_OPERANDS")); err == nil {
		count = n
	}
	only := os.Getenv("EMU_TEST_FLOAT")
	for name, feat := range fpConfigs() {
		t.Run(name, func(t *testing.T) {
			n := newBench(t)
			fn := ir.NewFunc(64)
			failures := 0
			for i, f := range fpForms() {
				if !strings.HasPrefix(f.String(), only) {
					continue
				}
				r := rand.New(rand.NewPCG(uint64(i), 5))
				fail := map[string]int{}
				first := ""
				for _, fpcr := range append(fpModes(), softfp.FZ16, softfp.AHP|softfp.FZ) {
					for _, variant := range f.variants(r) {
						f.build(fn, variant.same, variant.negate, variant.constant)
						if err := fn.Verify(); err != nil {
							t.Fatalf("%v: %v", f, err)
						}
						if err := n.b.Compile(fn, host.Options{Features: feat, FPCR: fpcr &^ (softfp.RModeMask | cpu.FPCRWritten)}, &n.code); err != nil {
							t.Fatal(err)
						}
						n.m.Load(&n.code)
						for range (count + variant.less - 1) / variant.less {
							var args [3]ir.Val
							for k := range args {
								if f.args[k] != ir.Void {
									args[k] = fpOperand(r, f.args[k])
								}
							}
							eval := variant.operands(f, args)
							if d := n.fpRun(f, fpcr, args, eval); d != "" {
								if first == "" {
									first = d + fmt.Sprintf(" %+v\n", variant) + strings.Join(n.b.Disasm(n.code.Bytes, n.m.Entry()), "\n")
								}
								fail["n"]++
							}
						}
					}
				}
				if first != "" {
					t.Errorf("%d failures: %s", fail["n"], first)
					if failures++; failures > 3 {
						t.Fatal("too many failures")
					}
				}
			}
		})
	}
}

// variant is a way to build a form's unit.
type variant struct {
	same     bool
	negate   int
	constant *ir.Val
	less     int // how much fewer operands than normal it is run on
}

func (f fpForm) variants(r *rand.Rand) []variant {
	list := []variant{{less: 1}}
	if f.args[0] == f.args[1] {
		v := fpOperand(r, f.args[1])
		list = append(list, variant{same: true, less: 8}, variant{constant: &v, less: 8})
	}
	if f.op == ir.OpFMA {
		for m := 1; m < 8; m++ {
			list = append(list, variant{negate: m, less: 4})
		}
	}
	return list
}

// operands are the operands of the instruction itself.
func (v variant) operands(f fpForm, args [3]ir.Val) [3]ir.Val {
	if v.constant != nil {
		args[1] = *v.constant
	}
	for k := range args {
		if v.negate>>k&1 != 0 {
			args[k] = ir.OpFNeg.Info().Eval(nil, f.args[k], f.args[k], args[k], ir.Val{}, ir.Val{})
		}
	}
	if v.same {
		args[1] = args[0]
	}
	return args
}
