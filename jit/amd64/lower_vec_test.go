//go:build linux && amd64

package amd64

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"emu/cpu"
	"emu/ir"
	"emu/jit/amd64/exec"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

// Ways in which operands reach an instruction.
const (
	wayLast     = 1 << iota // nothing else uses the operands
	wayLive                 // the operands are needed afterwards
	waySame                 // the vector operands are one value
	wayPressure             // all registers are taken
	wayConstA
	wayConstB
	wayZeroB
	wayFirst // the first operand alone is needed afterwards
)

var ways = []int{wayLast, wayLive, waySame, waySame | wayLive, wayPressure, wayPressure | wayLive, wayConstA, wayConstB, wayZeroB, wayFirst}

// corners are lanes at which integer operations change their behaviour.
var corners = []uint64{0, ^uint64(0), 0x8080808080808080, 0x7f7f7f7f7f7f7f7f, 0x8000800080008000, 0x7fff7fff7fff7fff,

	0x8000000080000000, 0x7fffffff7fffffff, 1 << 63, 1<<63 - 1, 0x0101010101010101, 0x0001000100010001, 1<<32 | 1, 1,
	0xff81ff81ff81ff81, 0x00f800f800f800f8, 0xfffffffefffffffe, 0x0f0f0f0f0f0f0f0f}

// randomX returns a vector: random, of corners, or with small lanes, which are
// sensible shift amounts and table indices.
func randomX(r *rand.Rand) [2]uint64 {
	one := func() uint64 {
		switch r.IntN(6) {
		case 0, 1:
			return r.Uint64()
		case 2:
			return corners[r.IntN(len(corners))]
		case 3:
			return corners[r.IntN(len(corners))] ^ 1<<r.IntN(64)
		case 4:
			return r.Uint64() & 0x1f1f1f1f1f1f1f1f
		}
		// Small amounts of both signs in lanes of 16 bits.
		var x uint64
		for i := range 4 {
			x |= uint64(uint16(int16(r.IntN(40)-20))) << (16 * i)
		}
		return x
	}
	if r.IntN(8) == 0 {
		x := one()
		return [2]uint64{x, x}
	}
	return [2]uint64{one(), one()}
}

const pressure = 14

// build makes the unit that computes one case in one way.
func (k vecCase) build(f *ir.Func, way int, imms [3]uint64, konst [3][2]uint64) (ops [3]ir.Value) {
	f.Reset(0x1000)
	var extra [pressure]ir.Value
	if way&wayPressure != 0 {
		for i := range extra {
			extra[i] = f.Emit(ir.OpGetV, ir.V2I64, ir.Imm(4+i), ir.None, ir.None)
		}
	}
	first := ir.None
	for i := range ops {
		t := k.args[i]
		switch {
		case t == ir.Void && k.imms[i] != nil:
			ops[i] = f.Const(ir.I64, imms[i])
		case t == ir.Void:
			ops[i] = ir.None
		case i == 0 && way&wayConstA != 0, i == 1 && way&(wayConstB|wayZeroB) != 0:
			lo, hi := konst[i][0], konst[i][1]
			if !t.IsVec() {
				hi = 0
				lo &= ^uint64(0) >> (64 - t.Bits())
			}
			ops[i] = f.Const128(t, lo, hi)
		case way&waySame != 0 && first != ir.None && t.IsVec():
			ops[i] = first
			if f.TypeOf(first) != t {
				ops[i] = f.Emit(ir.OpBitcast, t, first, ir.None, ir.None)
			}
		case t.InXMM():
			ops[i] = f.Emit(ir.OpGetV, t, ir.Imm(i), ir.None, ir.None)
		default:
			x := f.Emit(ir.OpGetX, ir.I64, ir.Imm(i), ir.None, ir.None)
			if t != ir.I64 {
				x = f.Emit(ir.OpTrunc, t, x, ir.None, ir.None)
			}
			ops[i] = x
		}
		if first == ir.None && t.IsVec() && ops[i].IsSSA() {
			first = ops[i]
		}
	}
	v := f.Emit(k.op, k.ret, ops[0], ops[1], ops[2])
	if k.ret.IsVec() {
		f.Emit(ir.OpSetV, ir.Void, ir.Imm(31), v, ir.None)
	} else {
		if k.ret != ir.I64 {
			v = f.Emit(ir.OpZext, ir.I64, v, ir.None, ir.None)
		}
		f.Emit(ir.OpSetX, ir.Void, ir.Imm(30), v, ir.None)
	}
	live := ops[:]
	if way&wayFirst != 0 {
		live = ops[:1]
	}
	if way&(wayLive|wayFirst) != 0 {
		for i, a := range live {
			if k.args[i].IsVec() {
				f.Emit(ir.OpSetV, ir.Void, ir.Imm(28+i), a, ir.None)
			}
		}
	}
	if way&wayPressure != 0 {
		for i, a := range extra {
			f.Emit(ir.OpSetV, ir.Void, ir.Imm(4+(i+1)%pressure), a, ir.None)
		}
	}
	f.Emit(ir.OpExit, ir.Void, f.Const(ir.I64, uint64(cpu.ExitBranch)), f.Const(ir.I64, 0x2000), ir.None)
	return ops
}

// immChoices returns every combination of a case's immediates.
func (k vecCase) immChoices() (all [][3]uint64) {
	all = [][3]uint64{{}}
	for i, list := range k.imms {
		if list == nil {
			continue
		}
		var next [][3]uint64
		for _, c := range all {
			for _, n := range list {
				c[i] = n
				next = append(next, c)
			}
		}
		all = next
	}
	return all
}

// vecRunner compiles and runs cases and compares them with ir.Row.Eval.
type vecRunner struct {
	m    *exec.Machine
	b    *Backend
	f    *ir.Func
	code host.Code
	r    *rand.Rand
}

func (x *vecRunner) try(t *testing.T, k vecCase, way int, imms [3]uint64, feat x64.Features, runs int) bool {
	var konst [3][2]uint64
	for i := range konst {
		if way&wayZeroB == 0 {
			konst[i] = randomX(x.r)
			if x.r.IntN(4) == 0 { // a mask of lanes
				konst[i] = [2]uint64{0xffff0000ffffffff << (16 * x.r.IntN(3)), 0x00000000ffff0000}
			}
		}
	}
	if k.splats != nil {
		way |= wayConstB
		n := repeat(laneIndex(k.ret), k.splats[x.r.IntN(len(k.splats))])
		konst[1] = [2]uint64{n, n}
	}
	ops := k.build(x.f, way, imms, konst)
	if err := x.b.Compile(x.f, host.Options{Features: uint64(feat)}, &x.code); err != nil {
		t.Fatal(err)
	}
	x.m.Load(&x.code)
	s := x.m.State
	for i := range s.V {
		s.V[i] = randomX(x.r)
	}
	s.MXCSR = 0x1f80
	for range runs {
		s.SetFPStatus(0)
		for i := range ops {
			s.V[i] = randomX(x.r)
			s.X[i] = randomX(x.r)[0]
		}
		if k.op == ir.OpShl || k.op == ir.OpLShr || k.op == ir.OpAShr {
			s.X[1] = uint64(x.r.IntN(70))
		}
		before := s.V
		var args [3]ir.Val
		for i, a := range ops {
			ty := k.args[i]
			if c, ok := x.f.ConstOf(a); ok && a != ir.None {
				args[i] = ir.Val{Lo: c.Lo, Hi: c.Hi}
			} else if ty.IsVec() {
				n := i
				if way&waySame != 0 {
					n = 0
				}
				args[i] = ir.Val{Lo: s.V[n][0], Hi: s.V[n][1]}
			} else if ty != ir.Void {
				args[i] = ir.Val{Lo: s.X[i] & (^uint64(0) >> (64 - ty.Bits()))}
			}
		}
		env := ir.Env{}
		want := k.op.Info().Eval(&env, k.ret, k.args[0], args[0], args[1], args[2])
		s.Enter = x.m.Entry()
		if kind := x.m.Run(ServeHelper); kind != cpu.ExitBranch {
			t.Fatalf("%v: exit %v", k, kind)
		}
		got := ir.Val{Lo: s.V[31][0], Hi: s.V[31][1]}
		if !k.ret.IsVec() {
			got = ir.Val{Lo: s.X[30]}
		}
		bad := ""
		if got != want {
			bad = "result"
		}
		if q := s.FPStatus()&cpu.FPSRSaturated != 0; q != (env.FPSR&cpu.FPSRSaturated != 0) {
			bad += fmt.Sprintf(" QC=%v", q)
		}
		if s.MXCSR != 0x1f80 {
			bad += fmt.Sprintf(" MXCSR=%x", s.MXCSR)
		}
		for i, a := range ops {
			if way&wayLive == 0 && (way&wayFirst == 0 || i > 0) || !k.args[i].IsVec() {
				continue
			}
			if (ir.Val{Lo: s.V[28+i][0], Hi: s.V[28+i][1]}) != args[i] {
				bad += fmt.Sprintf(" operand %d (%v) changed", i, a)
			}
		}
		if way&wayPressure != 0 {
			for i := range pressure {
				if s.V[4+(i+1)%pressure] != before[4+i] {
					bad += fmt.Sprintf(" V%d changed", 4+i)
				}
			}
		}
		if bad != "" {
			t.Errorf("%v %v, way %#x: %s\n a %016x %016x\n b %016x %016x\n c %016x %016x\n got  %016x %016x\n want %016x %016x\n%s", k, imms, way, bad,
				args[0].Hi, args[0].Lo, args[1].Hi, args[1].Lo, args[2].Hi, args[2].Lo, got.Hi, got.Lo, want.Hi, want.Lo,
				strings.Join(x.b.Disasm(x.code.Bytes[:x.code.Hot], 0), "\n"))
			return false
		}
	}
	return true
}

// TestVectorLowering runs every vector opcode in every lane type and way against
// its evaluation.
func TestVectorLowering(t *testing.T) {
	m := exec.New()
	defer m.Close()
	for name, feat := range featureSets() {
		t.Run(name, func(t *testing.T) {
			x := vecRunner{m: m, b: New(), f: ir.NewFunc(64), r: rand.New(rand.NewPCG(1, 2))}
			for _, k := range vecCases() {
				if k.op.Info().Eval == nil {
					t.Errorf("%v has no evaluation", k)
					continue
				}
				choices := k.immChoices()
				runs := 24
				if len(choices) > 4 {
					runs = 8
				}
				if k.splats != nil {
					choices = make([][3]uint64, 3*len(k.splats))
				}
			next:
				for _, imms := range choices {
					for _, way := range ways {
						if !x.try(t, k, way, imms, feat, runs) {
							break next
						}
					}
				}
			}
		})
	}
}
