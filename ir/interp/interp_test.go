package interp

import (
	"sync"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"emu/cpu"
	"emu/ir"
)

func addrOf[T any](p *T) uint64 { return uint64(uintptr(unsafe.Pointer(p))) }

// TestSumLoop is the program of seed 003, the corrected form of seed 000's.
func TestSumLoop(t *testing.T) {
	array := make([]int64, 100)
	want := int64(0)
	for n := range array {
		array[n] = int64(n*37%23 - 11)
		want += max(0, array[n])
	}
	b := ir.NewBuilder(ir.NewFunc(64))
	b.Loop(b.I64(0), b.I64(0))
	sum, i := b.Arg(0), b.Arg(1)
	b.If(b.ICmp(ir.SLT, i, b.I64(100)))
	val := b.Load(ir.I64, b.I64(addrOf(&array[0])), b.ShlI(i, 3))
	b.If(b.ICmp(ir.SGT, val, b.I64(0)))
	b.Yield(b.Add(sum, val))
	b.Else()
	b.Yield(sum)
	next := b.End()
	b.Continue(0, next, b.AddI(i, 1))
	b.Else()
	b.Break(0, sum)
	b.End()
	b.Return(b.End())
	exit := new(Machine).Exec(b.Func, new(cpu.State))
	if exit.Kind != cpu.ExitHalt || int64(exit.Arg[0]) != want {
		t.Errorf("%v %d, want %d", exit.Kind, int64(exit.Arg[0]), want)
	}
}

// guard maps one page that can be read and written before one that cannot be
// accessed and returns the address of the second.
func guard(t *testing.T) uint64 {
	t.Helper()
	mem, err := unix.Mmap(-1, 0, 8192, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Munmap(mem) })
	if err := unix.Mprotect(mem[4096:], unix.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	return addrOf(&mem[4096])
}

func TestFaultIsExact(t *testing.T) {
	bad := guard(t)
	for _, c := range []struct {
		name       string
		addr, want uint64
		emit       func(b *ir.Builder, addr ir.Value)
	}{
		{"load", bad, bad, func(b *ir.Builder, a ir.Value) { b.Load(ir.I64, a, b.I64(0)) }},
		{"load across", bad - 4, bad, func(b *ir.Builder, a ir.Value) { b.Load(ir.I64, a, b.I64(0)) }},
		{"store", bad + 8, bad + 8, func(b *ir.Builder, a ir.Value) { b.Store(b.I32(1), a, b.I64(0)) }},
		{"null", 0, 0, func(b *ir.Builder, a ir.Value) { b.Load(ir.I8, a, b.I64(0)) }},
		{"tagged null", 0xa5 << 56, 0, func(b *ir.Builder, a ir.Value) { b.Load(ir.I8, a, b.I64(0)) }},
		{"not canonical", 1 << 52, 1 << 52, func(b *ir.Builder, a ir.Value) { b.Load(ir.I8, a, b.I64(0)) }},
		{"atomic", bad, bad, func(b *ir.Builder, a ir.Value) { b.Op2(ir.OpRmwAdd, a, b.I64(1)) }},
		{"128-bit", bad, bad, func(b *ir.Builder, a ir.Value) { b.OpT(ir.OpLoadEx, ir.V2I64, a, ir.None, ir.None) }},
		{"set", bad - 16, bad, func(b *ir.Builder, a ir.Value) { b.Op3(ir.OpSet64, a, b.I64(1), ir.Imm(0)) }},
	} {
		b := ir.NewBuilder(ir.NewFunc(64))
		b.Insn(0x1000)
		b.SetX(1, b.I64(7))
		b.Insn(0x1004)
		c.emit(b, b.GetX(0))
		b.SetX(1, b.I64(8))
		b.Jump(0x1008)
		s := new(cpu.State)
		s.X[0] = c.addr
		exit := new(Machine).Exec(b.Func, s)
		if exit.Kind != cpu.ExitFault || exit.PC != 0x1004 || exit.Arg[0] != c.want || s.X[1] != 7 || s.PC != 0x1004 {
			t.Errorf("%s: %v at %#x, address %#x, X1 = %d; want a fault at 0x1004, address %#x, X1 = 7",
				c.name, exit.Kind, exit.PC, exit.Arg[0], s.X[1], c.want)
		}
	}
}

// shared is what atomics are tried on. Its place is a number to them, for which no stack stays where it is
// and the collector keeps nothing.
var shared [4]uint64

func TestExclusiveAndAtomics(t *testing.T) {
	base := (addrOf(&shared) + 15) &^ 15
	word := at[[2]uint64](base)
	run := func(emit func(b *ir.Builder) ir.Value) uint64 {
		b := ir.NewBuilder(ir.NewFunc(64))
		b.Return(emit(b))
		exit := new(Machine).Exec(b.Func, new(cpu.State))
		if exit.Kind != cpu.ExitHalt {
			t.Fatalf("%v", exit)
		}
		return exit.Arg[0]
	}
	none := ir.None
	for _, ty := range []ir.Type{ir.I8, ir.I16, ir.I32, ir.I64} {
		*word = [2]uint64{0x1122334455667788, 0x99aabbccddeeff00}
		old := run(func(b *ir.Builder) ir.Value {
			return b.Op2(ir.OpRmwAdd, b.I64(base+8-uint64(ty.Bytes())), b.Const(ty, 0xff>>(8-min(8, ty.Bits()))))
		})
		want := uint64(0x1122334455667788) >> (64 - ty.Bits())
		if old != want {
			t.Errorf("%v: old value %#x, want %#x", ty, old, want)
		}
		if sum := word[0] >> (64 - ty.Bits()); sum != (want+0xff)&(^uint64(0)>>(64-ty.Bits())) || word[1] != 0x99aabbccddeeff00 {
			t.Errorf("%v: memory %#x", ty, *word)
		}
	}
	*word = [2]uint64{1, 2}
	if st := run(func(b *ir.Builder) ir.Value {
		a := b.I64(base)
		v := b.OpT(ir.OpLoadEx, ir.V2I64, a, none, none)
		return b.Op2(ir.OpStoreEx, a, b.Add(v, v))
	}); st != 0 || *word != [2]uint64{2, 4} {
		t.Errorf("128-bit exclusive: status %d, memory %v", st, *word)
	}
	if st := run(func(b *ir.Builder) ir.Value {
		a := b.I64(base)
		b.OpT(ir.OpLoadEx, ir.I64, a, none, none)
		b.Store(b.I64(77), a, b.I64(0))
		return b.Op2(ir.OpStoreEx, a, b.I64(5))
	}); st != 1 || word[0] != 77 {
		t.Errorf("exclusive after another store: status %d, memory %v", st, *word)
	}
}

func TestAtomicsAreAtomic(t *testing.T) {
	base := (addrOf(&shared) + 15) &^ 15
	for _, size := range []uint64{1, 2, 4, 8, 16} {
		*at[[2]uint64](base) = [2]uint64{}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 5000 {
					swap(base, size, func(v ir.Val) ir.Val { return ir.Val{Lo: v.Lo + 1, Hi: v.Hi + 2} })
				}
			})
		}
		wg.Wait()
		if v := loadAtomic(base, size); v.Lo != 20000&mask(size) || size == 16 && v.Hi != 40000 {
			t.Errorf("%d bytes: %v after 20000 increments", size, v)
		}
	}
}

func BenchmarkSumLoop(b *testing.B) {
	array := make([]int64, 100)
	bl := ir.NewBuilder(ir.NewFunc(64))
	bl.Loop(bl.I64(0), bl.I64(0))
	sum, i := bl.Arg(0), bl.Arg(1)
	bl.If(bl.ICmp(ir.SLT, i, bl.I64(100)))
	val := bl.Load(ir.I64, bl.I64(addrOf(&array[0])), bl.ShlI(i, 3))
	bl.Continue(0, bl.Add(sum, val), bl.AddI(i, 1))
	bl.Else()
	bl.Break(0, sum)
	bl.End()
	bl.Return(bl.End())
	p, m, s := Compile(bl.Func), new(Machine), new(cpu.State)
	b.ReportAllocs()
	for b.Loop() {
		m.Run(p, s)
	}
}

// BenchmarkBlock is a basic block of the size that tier 1 sees.
func BenchmarkBlock(b *testing.B) {
	bl := ir.NewBuilder(ir.NewFunc(64))
	for n := range 5 {
		bl.Insn(0x1000 + 4*uint64(n))
		bl.SetX(n+1, bl.AddI(bl.GetX(n), 0x1234))
	}
	bl.JumpIf(bl.Op2(ir.OpFlagCond, bl.Op2(ir.OpSubF, bl.GetX(1), bl.GetX(2)), ir.Imm(1)), 0x1000, 0x2000)
	p, m, s := Compile(bl.Func), new(Machine), new(cpu.State)
	b.ReportAllocs()
	for b.Loop() {
		m.Run(p, s)
	}
}
