//go:build linux && amd64

package amd64

import (
	"math/rand/v2"
	"strings"
	"testing"

	"emu/cpu"
	"emu/ir"
	"emu/jit/amd64/exec"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

// straight is a straight-line unit of vector code under construction.
type straight struct {
	f    *ir.Func
	r    *rand.Rand
	all  []vecCase
	vals []ir.Value // values of vector type so far
}

// vector returns a value of type t: one that is there, of another type perhaps,
// a guest register, or now and then a constant.
func (s *straight) vector(t ir.Type) ir.Value {
	f := s.f
	switch n := s.r.IntN(10); {
	case n == 0:
		x := randomX(s.r)
		return f.Const128(t, x[0], x[1])
	case n < 3 || len(s.vals) == 0:
		return s.keep(f.Emit(ir.OpGetV, t, ir.Imm(s.r.IntN(32)), ir.None, ir.None))
	}
	// Recent values are the likeliest.
	v := s.vals[max(0, len(s.vals)-1-s.r.IntN(12))]
	if f.TypeOf(v) != t {
		v = f.Emit(ir.OpBitcast, t, v, ir.None, ir.None)
	}
	return v
}

func (s *straight) keep(v ir.Value) ir.Value {
	if s.f.TypeOf(v).IsVec() {
		s.vals = append(s.vals, v)
	}
	return v
}

// step appends one random instruction, and often a SET of its result.
func (s *straight) step() {
	f := s.f
	k := s.all[s.r.IntN(len(s.all))]
	choices := k.immChoices()
	imms := choices[s.r.IntN(len(choices))]
	var ops [3]ir.Value
	for i, t := range k.args {
		switch {
		case t == ir.Void && k.imms[i] != nil:
			ops[i] = f.Const(ir.I64, imms[i])
		case t == ir.Void:
			ops[i] = ir.None
		case t.IsVec():
			ops[i] = s.vector(t)
		default:
			ops[i] = f.Emit(ir.OpGetX, ir.I64, ir.Imm(s.r.IntN(30)), ir.None, ir.None)
			if t != ir.I64 {
				ops[i] = f.Emit(ir.OpTrunc, t, ops[i], ir.None, ir.None)
			}
		}
	}
	s.result(f.Emit(k.op, k.ret, ops[0], ops[1], ops[2]))
}

// result makes v part of the guest's state, in most cases.
func (s *straight) result(v ir.Value) {
	f := s.f
	s.keep(v)
	t := f.TypeOf(v)
	if s.r.IntN(4) == 0 {
		return
	}
	if t.IsVec() {
		f.Emit(ir.OpSetV, ir.Void, ir.Imm(s.r.IntN(32)), v, ir.None)
		return
	}
	if t != ir.I64 {
		v = f.Emit(ir.OpZext, ir.I64, v, ir.None, ir.None)
	}
	f.Emit(ir.OpSetX, ir.Void, ir.Imm(s.r.IntN(30)), v, ir.None)
}

// pair appends one of the sequences that are lowered together.
func (s *straight) pair() {
	f := s.f
	switch s.r.IntN(9) {
	case 8: // products of bottom or top lanes
		op := ir.OpSMulL + ir.Op(s.r.IntN(2))
		var factors [2]ir.Value
		for n := range factors {
			a := s.vector(ir.V4I32)
			switch s.r.IntN(5) {
			case 0, 1:
				a = f.Emit(ir.OpUzp1, ir.V4I32, a, a, ir.None)
			case 2, 3:
				a = f.Emit(ir.OpUzp2, ir.V4I32, a, a, ir.None)
			}
			if s.r.IntN(8) == 0 {
				f.Emit(ir.OpSetV, ir.Void, ir.Imm(s.r.IntN(32)), a, ir.None)
			}
			factors[n] = a
		}
		if s.r.IntN(8) == 0 {
			factors[1] = factors[0]
		}
		s.result(f.Emit(op, ir.V2I64, factors[0], factors[1], ir.None))
	case 7: // SXTL2, UXTL2
		t := intVecs[s.r.IntN(3)]
		v := f.Emit(ir.OpVHigh, t, s.vector(t), ir.None, ir.None)
		if s.r.IntN(4) == 0 {
			f.Emit(ir.OpSetV, ir.Void, ir.Imm(s.r.IntN(32)), v, ir.None)
		}
		op := ir.OpVSext
		if s.r.IntN(2) == 0 {
			op = ir.OpVZext
		}
		s.result(f.Emit(op, t.Wider(), v, ir.None, ir.None))
	case 0:
		round, mix := ir.OpAESE, ir.OpAESMC
		if s.r.IntN(2) == 0 {
			round, mix = ir.OpAESD, ir.OpAESIMC
		}
		v := f.Emit(round, ir.V16I8, s.vector(ir.V16I8), s.vector(ir.V16I8), ir.None)
		if s.r.IntN(2) == 0 {
			f.Emit(ir.OpSetV, ir.Void, ir.Imm(s.r.IntN(32)), v, ir.None)
			f.Emit(ir.OpInsn, ir.Void, f.Const(ir.I64, 0x1004), ir.None, ir.None)
		}
		v = f.Emit(mix, ir.V16I8, v, ir.None, ir.None)
		for range s.r.IntN(4) { // more rounds
			v = f.Emit(mix, ir.V16I8, f.Emit(round, ir.V16I8, v, s.vector(ir.V16I8), ir.None), ir.None, ir.None)
			if s.r.IntN(4) == 0 {
				f.Emit(ir.OpSetV, ir.Void, ir.Imm(s.r.IntN(32)), v, ir.None)
			}
		}
		if s.r.IntN(2) == 0 {
			v = f.Emit(round, ir.V16I8, v, s.vector(ir.V16I8), ir.None)
		}
		s.result(v)
	case 1:
		x, y, w := s.vector(ir.V4I32), s.vector(ir.V4I32), s.vector(ir.V4I32)
		v := f.Emit(ir.OpSHA256H, ir.V4I32, x, y, w)
		if s.r.IntN(2) == 0 {
			f.Emit(ir.OpSetV, ir.Void, ir.Imm(s.r.IntN(32)), v, ir.None)
		}
		s.keep(v)
		if s.r.IntN(4) == 0 {
			w = s.vector(ir.V4I32)
		}
		s.result(f.Emit(ir.OpSHA256H2, ir.V4I32, y, x, w))
	case 2: // a lane moved to the bottom
		t := intVecs[s.r.IntN(4)]
		if s.r.IntN(2) == 0 {
			t = []ir.Type{ir.V8F16, ir.V4F32, ir.V2F64}[s.r.IntN(3)]
		}
		v := f.Emit(ir.OpVGet, t.Lane(), s.vector(t), ir.Imm(s.r.IntN(t.Lanes())), ir.None)
		s.result(f.Emit(ir.OpVFrom, t, v, ir.None, ir.None))
	case 3:
		op := ir.OpSHA1C + ir.Op(s.r.IntN(3))
		v := f.Emit(ir.OpVGet, ir.I32, s.vector(ir.V4I32), ir.Imm(s.r.IntN(2)), ir.None)
		s.result(f.Emit(op, ir.V4I32, s.vector(ir.V4I32), v, s.vector(ir.V4I32)))
	case 4:
		t := intVecs[s.r.IntN(4)]
		a, b := s.vector(t), s.vector(t)
		v := f.Emit(ir.OpUzp1, t, a, b, ir.None)
		if s.r.IntN(2) == 0 {
			f.Emit(ir.OpSetV, ir.Void, ir.Imm(s.r.IntN(32)), v, ir.None)
		}
		w := f.Emit(ir.OpUzp2, t, a, b, ir.None)
		s.result(v)
		s.result(w)
	case 5:
		a, b := s.vector(ir.V2I64), s.vector(ir.V2I64)
		if s.r.IntN(2) == 0 {
			a = f.Emit(ir.OpVHigh, ir.V2I64, a, ir.None, ir.None)
		}
		if s.r.IntN(2) == 0 {
			b = f.Emit(ir.OpVHigh, ir.V2I64, b, ir.None, ir.None)
		}
		s.result(f.Emit(ir.OpPMulL, ir.V2I64, a, b, ir.None))
	default:
		t := intVecs[s.r.IntN(3)]
		op := ir.OpSMulL
		if s.r.IntN(2) == 0 {
			op = ir.OpUMulL
		}
		a := f.Emit(ir.OpVHigh, t, s.vector(t), ir.None, ir.None)
		b := s.vector(t)
		switch s.r.IntN(3) {
		case 0:
			b = f.Emit(ir.OpVHigh, t, b, ir.None, ir.None)
		case 1:
			b = f.Emit(ir.OpVDupL, t, b, ir.Imm(1), ir.None)
		}
		if s.r.IntN(2) == 0 {
			a, b = b, a
		}
		s.result(f.Emit(op, t.Wider(), a, b, ir.None))
	}
}

// evaluate runs the unit on s.
func evaluate(f *ir.Func, s *cpu.State) {
	env := ir.Env{}
	vals := make([]ir.Val, len(f.Insts))
	arg := func(v ir.Value) ir.Val {
		if c, ok := f.ConstOf(v); ok {
			return ir.Val{Lo: c.Lo, Hi: c.Hi}
		}
		if v == ir.None {
			return ir.Val{}
		}
		return vals[v]
	}
	for i, in := range f.Insts {
		switch op := in.Op(); op {
		case ir.OpGetV:
			x := s.V[f.ImmOf(in.A())]
			vals[i] = ir.Val{Lo: x[0], Hi: x[1]}
		case ir.OpSetV:
			x := arg(in.B())
			s.V[f.ImmOf(in.A())] = [2]uint64{x.Lo, x.Hi}
		case ir.OpGetX:
			vals[i].Lo = s.X[f.ImmOf(in.A())]
		case ir.OpSetX:
			s.X[f.ImmOf(in.A())] = arg(in.B()).Lo
		case ir.OpInsn, ir.OpExit:
		default:
			vals[i] = op.Info().Eval(&env, f.Types[i], f.TypeOf(in.A()), arg(in.A()), arg(in.B()), arg(in.C()))
		}
	}
	s.SetFPStatus(env.FPSR)
}

// TestVectorSequences runs random straight-line vector code, in which operands
// are shared, constant, dead or spilled and instructions are fused, against its
// evaluation.
func TestVectorSequences(t *testing.T) {
	m := exec.New()
	defer m.Close()
	for name, feat := range featureSets() {
		for _, noFold := range []bool{false, true} {
			if noFold {
				name += "-nofold"
			}
			t.Run(name, func(t *testing.T) { runSequences(t, m, feat, noFold, 2000) })
		}
	}
}

func runSequences(t *testing.T, m *exec.Machine, feat x64.Features, noFold bool, units int) {
	s := straight{f: ir.NewFunc(256), r: rand.New(rand.NewPCG(3, 4))}
	for _, k := range vecCases() {
		if k.splats == nil && !strings.Contains(k.String(), " f") {
			s.all = append(s.all, k)
		}
	}
	b := New()
	var code host.Code
	for unit := range units {
		f := s.f
		f.Reset(0x1000)
		s.vals = s.vals[:0]
		for range 4 + s.r.IntN(40) {
			if s.r.IntN(6) == 0 {
				s.pair()
			} else {
				s.step()
			}
		}
		f.Emit(ir.OpExit, ir.Void, f.Const(ir.I64, uint64(cpu.ExitBranch)), f.Const(ir.I64, 0x2000), ir.None)
		if err := b.Compile(f, host.Options{Features: uint64(feat), NoFold: noFold}, &code); err != nil {
			t.Fatal(err)
		}
		m.Load(&code)
		for range 3 {
			st := m.State
			st.SetFPStatus(0)
			for i := range st.V {
				st.V[i] = randomX(s.r)
			}
			for i := range st.X {
				st.X[i] = randomX(s.r)[0]
			}
			want := *st
			evaluate(f, &want)
			st.Enter = m.Entry()
			m.Run(ServeHelper)
			if st.V != want.V || st.X != want.X || st.FPStatus() != want.FPStatus() {
				for i := range st.V {
					if st.V[i] != want.V[i] {
						t.Logf("V%d: got %016x %016x, want %016x %016x", i, st.V[i][1], st.V[i][0], want.V[i][1], want.V[i][0])
					}
				}
				for i := range st.X {
					if st.X[i] != want.X[i] {
						t.Logf("X%d: got %016x, want %016x", i, st.X[i], want.X[i])
					}
				}
				t.Fatalf("unit %d: FPSR %x, want %x\n%v\n%s", unit, st.FPStatus(), want.FPStatus(), f,
					strings.Join(b.Disasm(code.Bytes[:code.Hot], 0), "\n"))
			}
		}
	}
}

// TestVectorLoweringAllocatesNothing checks that compiling vector code again needs no
// memory.
func TestVectorLoweringAllocatesNothing(t *testing.T) {
	b, f := New(), ir.NewFunc(64)
	var code host.Code
	for _, name := range []string{"host", "v2"} {
		feat := featureSets()[name]
		for _, k := range vecCases() {
			imms := k.immChoices()
			k.build(f, wayPressure, imms[len(imms)-1], [3][2]uint64{})
			compile := func() {
				if err := b.Compile(f, host.Options{Features: uint64(feat)}, &code); err != nil {
					t.Fatal(err)
				}
			}
			if n := testing.AllocsPerRun(2, compile); n != 0 {
				t.Errorf("%s: %v: %v allocations", name, k, n)
			}
		}
	}
}
