//go:build linux && amd64

package amd64_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"emu/cpu"
	"emu/ir"
	"emu/jit/amd64"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

// memTypes are the types that memory instructions move.
var memTypes = []ir.Type{ir.I8, ir.I16, ir.I32, ir.I64, ir.F16, ir.F32, ir.F64, ir.V16I8, ir.V8I16, ir.V4I32, ir.V2I64, ir.V8F16, ir.V4F32, ir.V2F64}

// baseReg points into the middle of the guest's memory, farReg into the page that
// faults; indexReg is small.
const (
	baseReg  = 10
	farReg   = 11
	indexReg = 12
)

func (n *bench) pointers(seed uint64) func(s *cpu.State, mem []byte) {
	return func(s *cpu.State, mem []byte) {
		r := rand.New(rand.NewPCG(seed, 4))
		randomState(s, r)
		for i := range mem {
			mem[i] = byte(r.Uint32())
		}
		s.X[baseReg] = n.address() + 64
		s.X[farReg] = n.address() + 4096 + 64
		s.X[indexReg] = uint64(r.IntN(5))
	}
}

// addressOf makes base and offset operands of many shapes, all within 64 bytes
// either side of register base.
func addressOf(f *ir.Func, r *rand.Rand, base int) (a, b ir.Value) {
	emit := func(op ir.Op, x, y ir.Value) ir.Value { return f.Emit(op, ir.I64, x, y, ir.None) }
	x := emit(ir.OpGetX, ir.Imm(base), ir.None)
	i := emit(ir.OpGetX, ir.Imm(indexReg), ir.None)
	k := f.Const(ir.I64, uint64(r.IntN(32)))
	switch r.IntN(8) {
	case 0:
		return x, ir.Imm(0)
	case 1:
		return x, k
	case 2:
		return x, emit(ir.OpShl, i, ir.Imm(r.IntN(4)))
	case 3:
		return emit(ir.OpAdd, x, k), emit(ir.OpShl, i, ir.Imm(r.IntN(4)))
	case 4:
		return emit(ir.OpAdd, x, emit(ir.OpShl, i, ir.Imm(2))), f.Const(ir.I64, 1<<64-8)
	case 5:
		w := f.Emit(ir.OpTrunc, ir.I32, i, ir.None, ir.None)
		return x, emit(ir.OpShl, f.Emit(ir.OpSext, ir.I64, w, ir.None, ir.None), ir.Imm(1))
	case 6:
		// A displacement that takes more than 32 bits in two parts.
		return emit(ir.OpAdd, x, f.Const(ir.I64, 1<<40+4)), f.Const(ir.I64, -1<<40&(1<<64-1))
	}
	return emit(ir.OpAdd, x, i), emit(ir.OpAdd, i, k)
}

// memoryUnit builds a unit around one memory instruction, with SETs before it
// that are still pending when it faults.
func memoryUnit(f *ir.Func, r *rand.Rand, op ir.Op, t ir.Type, base int) {
	f.Reset(0x1000)
	emit := func(op ir.Op, t ir.Type, x, y, z ir.Value) ir.Value { return f.Emit(op, t, x, y, z) }
	emit(ir.OpInsn, ir.Void, f.Const(ir.I64, 0x1000), ir.None, ir.None)
	pendEverything(f, r)
	emit(ir.OpInsn, ir.Void, f.Const(ir.I64, 0x1004), ir.None, ir.None)
	a, b := addressOf(f, r, base)
	if op == ir.OpLoadA || op == ir.OpStoreR { // aligned, as the translator checks
		a, b = emit(ir.OpGetX, ir.I64, ir.Imm(base), ir.None, ir.None), ir.Imm(16*r.IntN(3))
	}
	v := operand(f, r, t, 2)
	res := ir.None
	switch op {
	case ir.OpLoad, ir.OpLoadA:
		res = emit(op, t, a, b, ir.None)
	case ir.OpLoadS:
		to, bits := ir.I64, []int{8, 16, 32}[r.IntN(3)]
		if bits < 32 && r.IntN(2) == 0 {
			to = ir.I32
		}
		res = emit(op, to, a, b, ir.Imm(bits))
	case ir.OpStore, ir.OpStoreR:
		emit(op, ir.Void, v, a, b)
	case ir.OpLoadP:
		n := t.Lane().Bytes()
		for n < 16 && r.IntN(3) != 0 {
			n *= 2
		}
		res = emit(op, t, emit(ir.OpAdd, ir.I64, a, b, ir.None), elements(f, r, t), ir.Imm(n))
	case ir.OpStoreP:
		emit(op, ir.Void, v, emit(ir.OpAdd, ir.I64, a, b, ir.None), elements(f, r, t))
	default:
		// Atomics take one address, aligned.
		a = emit(ir.OpGetX, ir.I64, ir.Imm(base), ir.None, ir.None)
		switch op {
		case ir.OpCas:
			old := v
			if r.IntN(2) == 0 && base == baseReg {
				old = emit(ir.OpLoad, t, a, ir.Imm(0), ir.None) // so that it succeeds
			}
			res = emit(op, t, a, old, operand(f, r, t, 3))
		case ir.OpLoadEx:
			res = emit(op, t, a, ir.None, ir.None)
		case ir.OpStoreEx:
			if base == baseReg && r.IntN(4) != 0 {
				if r.IntN(2) == 0 {
					show(f, emit(ir.OpLoadEx, t, a, ir.None, ir.None), 22)
				} else {
					emit(ir.OpMonitor, ir.Void, a, emit(ir.OpLoad, t, a, ir.Imm(0), ir.None), ir.None)
				}
			}
			if r.IntN(8) == 0 {
				emit(ir.OpClrEx, ir.Void, ir.None, ir.None, ir.None)
			}
			if r.IntN(8) == 0 {
				emit(ir.OpStore, ir.Void, operand(f, r, t, 4), a, ir.Imm(0))
			}
			res = emit(op, ir.I32, a, v, ir.None)
		case ir.OpSet64:
			if r.IntN(4) == 0 {
				v = f.Const(ir.I64, 0)
			}
			emit(op, ir.Void, a, v, ir.Imm(64*r.IntN(2)))
		case ir.OpCopy: // what is 64 bytes further down to where base points, or back
			to := a
			from := emit(ir.OpAdd, ir.I64, emit(ir.OpGetX, ir.I64, ir.Imm(baseReg), ir.None, ir.None), f.Const(ir.I64, 1<<64-64), ir.None)
			if r.IntN(2) == 0 {
				to, from = from, to
			}
			size := f.Const(ir.I64, uint64(64*r.IntN(2)))
			if r.IntN(2) == 0 {
				size = emit(ir.OpShl, ir.I64, emit(ir.OpAnd, ir.I64, emit(ir.OpGetX, ir.I64, ir.Imm(indexReg), ir.None, ir.None), ir.Imm(1), ir.None), ir.Imm(6), ir.None)
			}
			emit(op, ir.Void, to, from, size)
		case ir.OpCopy64: // source and destination share some, or all of it, or nothing
			off := uint64(64 * r.IntN(2))
			to := emit(ir.OpAdd, ir.I64, a, f.Const(ir.I64, off), ir.None)
			from := emit(ir.OpAdd, ir.I64, to, f.Const(ir.I64, -uint64(r.IntN(65))), ir.None)
			if r.IntN(2) == 0 {
				to, from = from, to
			}
			emit(op, ir.Void, to, from, f.Const(ir.I64, -off))
		default:
			res = emit(op, t, a, v, ir.None)
		}
	}
	if res != ir.None && r.IntN(3) != 0 {
		show(f, res, 16)
	}
	if r.IntN(2) == 0 {
		show(f, v, 18)
	}
	emit(ir.OpFence, ir.Void, ir.Imm(r.IntN(4)), ir.None, ir.None)
	emit(ir.OpJump, ir.Void, f.Const(ir.I64, 0x1008), ir.None, ir.None)
	f.Size = 8
}

// elements is a predicate of elements of a vector type: often one of all of them, and mostly
// with bits that do not count.
func elements(f *ir.Func, r *rand.Rand, t ir.Type) ir.Value {
	if r.IntN(4) == 0 {
		return f.Const(ir.I64, r.Uint64()<<16|0xffff)
	}
	bits := operand(f, r, ir.I64, 7)
	if r.IntN(4) == 0 {
		bits = f.Emit(ir.OpOr, ir.I64, bits, f.Const(ir.I64, 0xffff), ir.None)
	}
	mask := f.Emit(ir.OpLaneMask, t, bits, ir.None, ir.None)
	bytes := f.Emit(ir.OpTopBits, ir.I64, f.Emit(ir.OpBitcast, ir.V16I8, mask, ir.None, ir.None), ir.None, ir.None)
	return f.Emit(ir.OpOr, ir.I64, bytes, f.Const(ir.I64, r.Uint64()<<16), ir.None)
}

// pendEverything SETs registers to values of all kinds: copies, sums, constants,
// vectors, flags; some of them in many registers, so that some get spilled.
func pendEverything(f *ir.Func, r *rand.Rand) {
	many := r.IntN(3) == 0
	for n := 20; n < 31; n++ {
		if !many && r.IntN(3) != 0 {
			continue
		}
		x := f.Emit(ir.OpGetX, ir.I64, ir.Imm(n-20), ir.None, ir.None)
		switch r.IntN(4) {
		case 0:
			x = f.Const(ir.I64, r.Uint64()>>r.IntN(64))
		case 1:
			x = f.Emit(ir.OpAdd, ir.I64, x, f.Const(ir.I64, r.Uint64()), ir.None)
		case 2:
			x = f.Emit(ir.OpXor, ir.I64, x, f.Emit(ir.OpGetX, ir.I64, ir.Imm(n-19), ir.None, ir.None), ir.None)
		}
		f.Emit(ir.OpSetX, ir.Void, ir.Imm(n), x, ir.None)
	}
	for n := 16; n < 31; n++ {
		if !many && r.IntN(3) != 0 {
			continue
		}
		v := f.Emit(ir.OpGetV, ir.V2I64, ir.Imm(n-16), ir.None, ir.None)
		if r.IntN(4) == 0 {
			v = f.Const128(ir.V2I64, r.Uint64(), r.Uint64())
		}
		f.Emit(ir.OpSetV, ir.Void, ir.Imm(n), v, ir.None)
	}
	switch r.IntN(4) {
	case 0:
		f.Emit(ir.OpSetNZCV, ir.Void, f.Const(ir.Flags, uint64(r.IntN(16))), ir.None, ir.None)
	case 1:
		f.Emit(ir.OpSetNZCV, ir.Void, operand(f, r, ir.Flags, 6), ir.None, ir.None)
	case 2:
		x := f.Emit(ir.OpGetX, ir.I64, ir.Imm(5), ir.None, ir.None)
		y := f.Emit(ir.OpGetX, ir.I64, ir.Imm(6), ir.None, ir.None)
		f.Emit(ir.OpSetNZCV, ir.Void, f.Emit(ir.OpSubF, ir.Flags, x, y, ir.None), ir.None, ir.None)
	}
}

// TestMemory runs every memory instruction on every type, where it succeeds and
// where it faults with values pending in every kind of place. The state after the
// fault has to be the interpreter's.
func TestMemory(t *testing.T) {
	trials := 40
	if testing.Short() {
		trials = 20
	}
	all := configs()
	for _, limit := range []string{"v3", "native,-avx512vbmi2"} { // chunks are copied in other ways there
		features, err := x64.ParseLimit(limit)
		if err != nil {
			t.Fatal(err)
		}
		all[limit] = host.Options{Features: uint64(x64.Detect() & features), Verify: true}
	}
	for name, o := range all {
		t.Run(name, func(t *testing.T) {
			n := newBench(t)
			f := ir.NewFunc(256)
			for op := range ir.NumOps {
				if !op.Has(ir.MemRead | ir.MemWrite) {
					continue
				}
				for _, typ := range memTypes {
					if !moves(op, typ) {
						continue
					}
					for _, base := range [...]int{baseReg, farReg} {
						r := rand.New(rand.NewPCG(uint64(op)<<8|uint64(typ), uint64(base)))
						for trial := range trials {
							memoryUnit(f, r, op, typ, base)
							if err := f.Verify(); err != nil {
								t.Fatalf("%v\n%s", err, f)
							}
							if report := n.compare(f, o, n.pointers(uint64(trial))); report != "" {
								dumpFailure(report)
								t.Fatalf("%v of %v, base x%d, trial %d:\n%s", op, typ, base, trial, report)
							}
						}
					}
				}
			}
		})
	}
}

// moves tells which types a memory instruction takes.
func moves(op ir.Op, t ir.Type) bool {
	switch op {
	case ir.OpLoad, ir.OpStore, ir.OpStoreR:
		return true
	case ir.OpLoadP, ir.OpStoreP:
		return t.IsVec()
	case ir.OpLoadA:
		return t.IsInt()
	case ir.OpLoadS, ir.OpSet64, ir.OpCopy, ir.OpCopy64:
		return t == ir.I64
	case ir.OpRmwSwp, ir.OpRmwClr, ir.OpRmwSet, ir.OpCas, ir.OpLoadEx, ir.OpStoreEx:
		return t.IsInt() || t == ir.V2I64
	}
	return t.IsInt()
}

// TestRecoveryOfUnknownFault: an instruction that cannot fault has no recipe.
func TestRecoveryOfUnknownFault(t *testing.T) {
	n := newBench(t)
	f := ir.NewFunc(16)
	f.Emit(ir.OpInsn, ir.Void, f.Const(ir.I64, 0), ir.None, ir.None)
	x := f.Emit(ir.OpGetX, ir.I64, ir.Imm(0), ir.None, ir.None)
	f.Emit(ir.OpSetX, ir.Void, ir.Imm(1), x, ir.None)
	f.Emit(ir.OpStore, ir.Void, x, x, ir.Imm(0))
	f.Emit(ir.OpJump, ir.Void, f.Const(ir.I64, 8), ir.None, ir.None)
	if err := n.b.Compile(f, host.Options{}, &n.code); err != nil {
		t.Fatal(err)
	}
	known := 0
	for off := range uint32(len(n.code.Bytes)) {
		s := *n.m.State
		s.X[1] = 77
		s.FaultGPR = [16]uint64{}
		_, _, ok := n.code.Map.Recover(0, off, &s)
		if ok {
			known++
		}
		if ok == (s.X[1] == 77) {
			t.Errorf("offset %d: recovered %v, x1 = %d", off, ok, s.X[1])
		}
	}
	if known != 1 {
		t.Errorf("%d instructions may fault, want the store alone", known)
	}
}

// TestTooManyValues: a unit that needs more spill slots than there are is refused,
// and the backend goes on with the next.
func TestTooManyValues(t *testing.T) {
	n := newBench(t)
	for _, c := range []struct {
		values int
		err    error
	}{{200, nil}, {cpu.NumSpill + 40, amd64.ErrSpill}, {20, nil}} {
		f := ir.NewFunc(1024)
		f.Reset(0x1000)
		var vals []ir.Value
		for i := range c.values {
			x := f.Emit(ir.OpGetX, ir.I64, ir.Imm(i%30), ir.None, ir.None)
			vals = append(vals, f.Emit(ir.OpAdd, ir.I64, x, f.Const(ir.I64, uint64(i)<<40), ir.None))
		}
		sum := f.Emit(ir.OpGetX, ir.I64, ir.Imm(30), ir.None, ir.None)
		for _, v := range vals {
			sum = f.Emit(ir.OpXor, ir.I64, sum, v, ir.None)
		}
		f.Emit(ir.OpSetX, ir.Void, ir.Imm(30), sum, ir.None)
		f.Emit(ir.OpJump, ir.Void, f.Const(ir.I64, 0x1004), ir.None, ir.None)
		if err := n.b.Compile(f, host.Options{}, &n.code); err != c.err {
			t.Errorf("%d values: %v, want %v", c.values, err, c.err)
		}
		if c.err != nil {
			continue
		}
		if report := n.compare(f, host.Options{Verify: true}, n.pointers(1)); report != "" {
			t.Errorf("%d values:\n%s", c.values, report)
		}
	}
}

// TestDeterministic: a backend that has compiled other units in between gives the
// same bytes for the same unit.
func TestDeterministic(t *testing.T) {
	first := map[int]string{}
	b := amd64.New()
	var code host.Code
	fb := ir.NewBuilder(ir.NewFunc(1024))
	for round := range 2 {
		for seed := range 50 {
			seed = (seed*17 + round*23) % 50
			g := ir.Random{Rand: rand.New(rand.NewPCG(uint64(seed), 9)), Insts: 80, MemX: 3, MemSize: memSize}
			fb.Reset(0x1000)
			g.Build(fb)
			if err := b.Compile(fb.Func, host.Options{}, &code); err != nil {
				t.Fatal(err)
			}
			all := fmt.Sprintf("%x %v %v %v", code.Bytes, code.Relocs, code.Exits, code.Map)
			if round == 0 {
				first[seed] = all
			} else if first[seed] != all {
				t.Fatalf("seed %d: the second compilation differs", seed)
			}
		}
	}
}
