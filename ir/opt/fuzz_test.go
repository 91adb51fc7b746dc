package opt

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"emu/cpu"
	"emu/ir"
	"emu/ir/interp"
)

const memX = 5

// guestMemory must not move, as goroutine stacks do.
var guestMemory [8]uint64

// outcome is all that a unit can change.
type outcome struct {
	Exit cpu.Exit
	X    [32]uint64
	V    [32][2]uint64
	NZCV uint32
	FPSR uint32
	Mem  [8]uint64
}

// execute runs f on a state made from seed.
func execute(f *ir.Func, seed uint64, mem *[8]uint64) outcome {
	r := rand.New(rand.NewPCG(seed, 2))
	s := new(cpu.State)
	for n := range s.X {
		s.X[n] = r.Uint64() >> r.IntN(64)
		s.V[n] = [2]uint64{r.Uint64(), r.Uint64() >> r.IntN(64)}
	}
	for n := range mem {
		mem[n] = r.Uint64()
	}
	s.X[memX] = uint64(uintptr(unsafe.Pointer(mem)))
	s.SetPSTATE(r.Uint32())
	s.FPCR = []uint32{0, 1 << 24, 1 << 25, 1 << 22, 3 << 22}[r.IntN(5)]
	o := outcome{Exit: new(interp.Machine).Exec(f, s), X: s.X, V: s.V, NZCV: s.PSTATE(), FPSR: s.FPSR}
	o.Mem = *mem
	return o
}

// check runs all passes and some of them over a random unit; each pass has to leave a
// valid unit that has the same outcome.
func check(t *testing.T, w *Work, seed uint64, insts int) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 3))
	checkPasses(t, w, seed, insts, Passes)
	checkPasses(t, w, seed, insts, slices.DeleteFunc(slices.Clone(Passes), func(Pass) bool { return r.IntN(2) == 0 }))
}

func checkPasses(t *testing.T, w *Work, seed uint64, insts int, passes []Pass) {
	t.Helper()
	f := ir.NewFunc(256)
	b := ir.NewBuilder(f)
	b.Reset(0x1000)
	r := ir.Random{Rand: rand.New(rand.NewPCG(seed, 1)), Insts: insts, MemX: memX, MemSize: 64, Faults: seed%2 == 0}
	r.Build(b)
	mem := &guestMemory
	want := execute(f, seed, mem)
	before := f.String()
	Run(w, f, passes, func(p *Pass, f *ir.Func) {
		if err := f.Verify(); err != nil {
			t.Fatalf("seed %d: %s leaves an invalid unit: %v\nbefore:\n%v\nafter:\n%v", seed, p.Name, err, before, f)
		}
		if diff := cmp.Diff(want, execute(f, seed, mem)); diff != "" {
			t.Fatalf("seed %d: %s changes what the unit does: %v\nbefore:\n%v\nafter:\n%v", seed, p.Name, diff, before, f)
		}
		before = f.String()
	})
}

func TestPassesKeepMeaning(t *testing.T) {
	w := NewWork()
	for seed := range uint64(600) {
		check(t, w, seed, 20+int(seed%200))
	}
}

func FuzzPasses(f *testing.F) {
	f.Add(uint64(1), uint16(100))
	w := NewWork()
	f.Fuzz(func(t *testing.T, seed uint64, insts uint16) { check(t, w, seed, int(insts%400)) })
}

func TestWithout(t *testing.T) {
	passes, err := Without("licm,constfold")
	if err != nil || len(passes) != len(Passes)-2 || CheckOrder(passes) != nil {
		t.Errorf("%d of %d passes, %v", len(passes), len(Passes), err)
	}
	for _, list := range []string{"", "nothing", "dce,dce"} {
		if _, err := Without(list); err == nil {
			t.Errorf("%q is accepted", list)
		}
	}
}

func TestOrderIsChecked(t *testing.T) {
	swapped := []Pass{{Name: "getset"}, {Name: "constfold"}}
	if CheckOrder(swapped) == nil {
		t.Error("getset before constfold is accepted")
	}
	if err := CheckOrder(Passes[:2]); err != nil {
		t.Error(err)
	}
}

func BenchmarkPasses(b *testing.B) {
	w := NewWork()
	f := ir.NewFunc(512)
	builder := ir.NewBuilder(f)
	builder.Reset(0x1000)
	r := ir.Random{Rand: rand.New(rand.NewPCG(3, 1)), Insts: 300, MemX: memX, MemSize: 64}
	r.Build(builder)
	bin, _ := f.MarshalBinary()
	g := ir.NewFunc(512)
	b.ReportAllocs()
	for b.Loop() {
		if err := g.UnmarshalBinary(bin); err != nil {
			b.Fatal(err)
		}
		Run(w, g, Passes, nil)
	}
	b.ReportMetric(float64(len(f.Insts)), "insts")
}
