//go:build linux && amd64

package amd64_test

import (
	"math/rand/v2"
	"testing"

	"emu/cpu"
	"emu/ir"
	"emu/jit/host"
)

// TestFloatConditions uses the flags of a float compare in every way that leaves
// them on the host.
func TestFloatConditions(t *testing.T) {
	uses := []struct {
		name string
		emit func(f *ir.Func, flags, cond ir.Value)
	}{
		{"value", func(f *ir.Func, flags, cond ir.Value) { show(f, cond, 16) }},
		{"value and flags", func(f *ir.Func, flags, cond ir.Value) {
			f.Emit(ir.OpSetNZCV, ir.Void, flags, ir.None, ir.None)
			show(f, cond, 16)
		}},
		{"select", func(f *ir.Func, flags, cond ir.Value) {
			a := f.Emit(ir.OpGetV, ir.F64, ir.Imm(2), ir.None, ir.None)
			b := f.Emit(ir.OpGetV, ir.F64, ir.Imm(3), ir.None, ir.None)
			show(f, f.Emit(ir.OpSelect, ir.F64, cond, a, b), 16)
		}},
		{"select after arithmetic", func(f *ir.Func, flags, cond ir.Value) {
			a := f.Emit(ir.OpGetV, ir.F64, ir.Imm(2), ir.None, ir.None)
			b := f.Emit(ir.OpFAdd, ir.F64, a, a, ir.None)
			show(f, f.Emit(ir.OpSelect, ir.F64, cond, a, b), 16)
			f.Emit(ir.OpSetNZCV, ir.Void, flags, ir.None, ir.None)
		}},
		{"two conditions", func(f *ir.Func, flags, cond ir.Value) {
			show(f, f.Emit(ir.OpFlagCond, ir.I1, flags, ir.Imm(4), ir.None), 17)
			show(f, cond, 16)
			show(f, f.Emit(ir.OpFlagCond, ir.I1, flags, ir.Imm(12), ir.None), 18)
		}},
		{"branch", func(f *ir.Func, flags, cond ir.Value) {
			f.Emit(ir.OpSetNZCV, ir.Void, flags, ir.None, ir.None)
			f.Emit(ir.OpJumpIf, ir.Void, cond, f.Const(ir.I64, 0x2000), f.Const(ir.I64, 0x1004))
		}},
		{"add with carry", func(f *ir.Func, flags, cond ir.Value) {
			x := f.Emit(ir.OpGetX, ir.I64, ir.Imm(1), ir.None, ir.None)
			show(f, f.Emit(ir.OpAdc, ir.I64, x, x, flags), 16)
			show(f, cond, 17)
		}},
	}
	for name, feat := range fpConfigs() {
		t.Run(name, func(t *testing.T) {
			n := newBench(t)
			f := ir.NewFunc(64)
			for _, ty := range []ir.Type{ir.F32, ir.F64, ir.F16} {
				for cc := range 16 {
					for _, use := range uses {
						for signal := range 2 {
							f.Reset(0x1000)
							f.Emit(ir.OpInsn, ir.Void, f.Const(ir.I64, 0x1000), ir.None, ir.None)
							a := f.Emit(ir.OpGetV, ty, ir.Imm(0), ir.None, ir.None)
							b := f.Emit(ir.OpGetV, ty, ir.Imm(1), ir.None, ir.None)
							flags := f.Emit(ir.OpFCmpF, ir.Flags, a, b, ir.Imm(signal))
							use.emit(f, flags, f.Emit(ir.OpFlagCond, ir.I1, flags, ir.Imm(cc), ir.None))
							if use.name != "branch" {
								f.Emit(ir.OpJump, ir.Void, f.Const(ir.I64, 0x1004), ir.None, ir.None)
							}
							f.Size = 4
							if err := f.Verify(); err != nil {
								t.Fatal(err)
							}
							r := rand.New(rand.NewPCG(uint64(cc), 9))
							for range 12 {
								seed := r.Uint64()
								report := n.compare(f, host.Options{Features: feat}, func(s *cpu.State, mem []byte) {
									r := rand.New(rand.NewPCG(seed, 3))
									randomState(s, r)
									s.SetFPCR(0)
									for k := range 4 {
										v := fpOperand(r, ty)
										s.V[k] = [2]uint64{v.Lo, v.Hi}
									}
									if r.IntN(4) == 0 {
										s.V[1] = s.V[0]
									}
								})
								if report != "" {
									t.Fatalf("%v, condition %d, %s:\n%s", ty, cc, use.name, report)
								}
							}
						}
					}
				}
			}
		})
	}
}

// TestIntegerEstimates goes through all of the 9 leading bits that URECPE and URSQRTE
// look at, with those below clear and set.
func TestIntegerEstimates(t *testing.T) {
	for name, feat := range fpConfigs() {
		t.Run(name, func(t *testing.T) {
			n := newBench(t)
			fn := ir.NewFunc(64)
			for _, op := range []ir.Op{ir.OpURecpE, ir.OpURSqrtE} {
				f := fpForm{op: op, ret: ir.V4I32, args: [3]ir.Type{ir.V4I32}}
				f.build(fn, false, 0, nil)
				if err := n.b.Compile(fn, host.Options{Features: feat}, &n.code); err != nil {
					t.Fatal(err)
				}
				n.m.Load(&n.code)
				for x := range uint64(1 << 9) {
					v := ir.Val{Lo: x<<23 | x<<55, Hi: x<<23 | 1<<23 - 1 | (^x&(1<<9-1))<<55}
					args := [3]ir.Val{v}
					if d := n.fpRun(f, 0, args, args); d != "" {
						t.Fatal(d)
					}
				}
			}
		})
	}
}

// TestHalfAndDoubleEstimates takes every half, and of doubles the bits that count with
// many exponents.
func TestHalfAndDoubleEstimates(t *testing.T) {
	for name, feat := range fpConfigs() {
		t.Run(name, func(t *testing.T) {
			n := newBench(t)
			fn := ir.NewFunc(64)
			for _, op := range []ir.Op{ir.OpFRecpE, ir.OpFRSqrtE} {
				for _, ty := range []ir.Type{ir.V8F16, ir.V2F64} {
					f := fpForm{op: op, ret: ty, args: [3]ir.Type{ty}}
					f.build(fn, false, 0, nil)
					if err := n.b.Compile(fn, host.Options{Features: feat}, &n.code); err != nil {
						t.Fatal(err)
					}
					n.m.Load(&n.code)
					for x := range uint64(1 << 14) {
						v := ir.Val{Lo: x * 0x0001_0001_0001_0001 & 0x3fff_3fff_3fff_3fff, Hi: 0x3c00_7000_4000_0400 ^ x<<32}
						v.Lo |= 0xc000_8000_4000_0000
						if ty == ir.V2F64 {
							v = ir.Val{Lo: x<<43 + 1<<61, Hi: x*0x2f1<<43 ^ x<<20}
						}
						args := [3]ir.Val{v}
						if d := n.fpRun(f, 0, args, args); d != "" {
							t.Fatal(d)
						}
					}
				}
			}
		})
	}
}

// TestEstimates goes through all leading bits of single-precision operands.
func TestEstimates(t *testing.T) {
	for name, feat := range fpConfigs() {
		t.Run(name, func(t *testing.T) {
			n := newBench(t)
			fn := ir.NewFunc(64)
			for _, op := range []ir.Op{ir.OpFRecpE, ir.OpFRSqrtE} {
				f := fpForm{op: op, ret: ir.V4F32, args: [3]ir.Type{ir.V4F32}}
				f.build(fn, false, 0, nil)
				if err := n.b.Compile(fn, host.Options{Features: feat}, &n.code); err != nil {
					t.Fatal(err)
				}
				n.m.Load(&n.code)
				for x := range uint64(1 << 17) {
					v := ir.Val{Lo: x<<47 | x<<15 ^ x&1<<14, Hi: (x^1<<10)<<15 | 0x3f800000<<32}
					args := [3]ir.Val{v}
					if d := n.fpRun(f, 0, args, args); d != "" {
						t.Fatal(d)
					}
				}
			}
		})
	}
}
