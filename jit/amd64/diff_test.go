//go:build linux && amd64

package amd64_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"emu/cpu"
	"emu/ir"
	"emu/ir/interp"
	"emu/ir/irtest"
	"emu/jit/amd64"
	"emu/jit/amd64/exec"
	"emu/jit/asm/x64"
	"emu/jit/host"

	"golang.org/x/sys/unix"
)

// The tests run each unit in the interpreter and as host code, on equal states
// and memory, and compare everything that a guest could see.

const memSize = 256

// benchSize is all memory that units access; the second page of it faults.
const benchSize = 2 * 4096

// bench is what a comparison needs.
type bench struct {
	m    *exec.Machine
	b    *amd64.Backend
	mem  []byte
	code host.Code

	// unwatched says that units are compiled for guests that have not looked at FPSR:
	// they may miss UFC, see mendTiny.
	unwatched bool
}

func newBench(t testing.TB) *bench {
	mem, err := unix.Mmap(-1, 0, benchSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	// The last page faults.
	if err := unix.Mprotect(mem[4096:], unix.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	m := exec.New()
	t.Cleanup(func() {
		m.Close()
		unix.Munmap(mem)
	})
	return &bench{m: m, b: amd64.New(), mem: mem[:4096]}
}

// randomState fills the guest's registers.
func randomState(s *cpu.State, r *rand.Rand) {
	pick := func() uint64 {
		switch r.IntN(6) {
		case 0:
			return uint64(r.IntN(4))
		case 1:
			return ^uint64(r.IntN(4))
		case 2:
			return 1 << r.IntN(64)
		case 3:
			return uint64(int64(int32(r.Uint32())))
		}
		return r.Uint64()
	}
	for i := range s.X {
		s.X[i] = pick()
	}
	for i := range s.V {
		s.V[i] = [2]uint64{pick(), pick()}
	}
	s.SetPSTATE(uint32(r.IntN(16)) << 28)
	s.PC, s.FPSR, s.QC = 0, 0, 0
	s.ExclAddr, s.ExclSize, s.ExclVal = 0, 0, [2]uint64{}
	s.TPIDR, s.TPIDR2 = pick(), pick()
	s.ExitArg = [4]uint64{}
	s.SetFPStatus(0)
	s.Pending = 0
	s.NativeSP = s.NativeTop
	for i := range s.Spill {
		s.Spill[i] = [2]uint64{0xdead0000dead0000, 0xdead0000dead0000}
	}
}

// result is what a guest can see of a run.
type result struct {
	kind  cpu.ExitKind
	arg   uint64
	x     [32]uint64
	v     [32][2]uint64
	pc    uint64
	nzcv  uint32
	fpsr  uint32
	excl  [4]uint64
	tpidr [2]uint64
	mem   []byte
}

func resultOf(s *cpu.State, kind cpu.ExitKind, arg uint64, mem []byte) result {
	if s.ExclSize == 0 {
		s.ExclAddr, s.ExclVal = 0, [2]uint64{} // of a closed monitor
	}
	return result{
		kind: kind, arg: arg, x: s.X, v: s.V, pc: s.PC, nzcv: s.PSTATE(), fpsr: s.FPStatus(),
		excl:  [4]uint64{s.ExclAddr, s.ExclSize, s.ExclVal[0], s.ExclVal[1]},
		tpidr: [2]uint64{s.TPIDR, s.TPIDR2}, mem: bytes.Clone(mem[:memSize]),
	}
}

// diff lists the differences between what the interpreter and the host code did.
func (a *result) diff(b *result) string {
	var s strings.Builder
	line := func(name string, x, y any) {
		if x != y {
			fmt.Fprintf(&s, "  %-6s interp %x\n         host   %x\n", name, x, y)
		}
	}
	line("kind", a.kind.String(), b.kind.String())
	line("arg", a.arg, b.arg)
	line("pc", a.pc, b.pc)
	line("nzcv", a.nzcv, b.nzcv)
	line("fpsr", a.fpsr, b.fpsr)
	line("tpidr", a.tpidr, b.tpidr)
	line("excl", a.excl, b.excl)
	for i := range a.x {
		line(fmt.Sprintf("x%d", i), a.x[i], b.x[i])
	}
	for i := range a.v {
		line(fmt.Sprintf("v%d", i), a.v[i], b.v[i])
	}
	if !bytes.Equal(a.mem, b.mem) {
		fmt.Fprintf(&s, "  memory interp %x\n         host   %x\n", a.mem, b.mem)
	}
	return s.String()
}

// interpret runs f in the interpreter on the state that prepare makes.
func (n *bench) interpret(f *ir.Func, prepare func(*cpu.State, []byte)) cpu.Exit {
	prepare(n.m.State, n.mem)
	var im interp.Machine
	return im.Exec(f, n.m.State)
}

// compare runs f on both engines from the same state, made by prepare, and
// returns a report if they disagree. What accesses memory that is not the bench's is not
// compared.
func (n *bench) compare(f *ir.Func, o host.Options, prepare func(s *cpu.State, mem []byte)) string {
	s := n.m.State
	prepare(s, n.mem)
	before := *s
	memory := bytes.Clone(n.mem)

	start := n.address()
	im := interp.Machine{Watch: irtest.Astray(start, start+benchSize)}
	e := im.Exec(f, s)
	arg := e.Arg[0]
	switch e.Kind {
	case cpu.ExitDebug:
		return ""
	case cpu.ExitBranch:
		arg = 0
	case cpu.ExitFault:
		arg &^= 4095 // which byte of a wide access is named first is the engine's choice
	}
	want := resultOf(s, e.Kind, arg, n.mem)

	*s = before
	copy(n.mem, memory)
	if err := n.b.Compile(f, o, &n.code); err != nil {
		return err.Error()
	}
	n.m.Load(&n.code)
	kind := n.m.Run(amd64.ServeHelper)
	arg = s.ExitArg[0]
	if kind == cpu.ExitFault {
		arg = s.FaultAddr &^ 4095
	}
	got := resultOf(s, kind, arg, n.mem)
	if n.unwatched {
		got.fpsr |= want.fpsr & cpu.FPSRUnderflow
	}
	if d := want.diff(&got); d != "" {
		return d + "ir:\n" + f.String() + "host:\n" + strings.Join(n.b.Disasm(n.code.Bytes, n.m.Entry()), "\n")
	}
	return ""
}

// configs are the option sets that every comparison runs under.
func configs() map[string]host.Options {
	all := uint64(x64.Detect())
	return map[string]host.Options{
		"detected": {Features: all, Verify: true},
		"baseline": {Verify: true},
		"bmi":      {Features: all & uint64(x64.BMI1|x64.BMI2|x64.LZCNT), Verify: true},
		"nofold":   {Features: all, NoFold: true, Verify: true},
	}
}

// integerOps are opcodes without vectors and floats.
func integerOps(op ir.Op) bool { return op >= ir.OpAdd && op <= ir.OpUnpackF && op != ir.OpFCmpF }

var (
	seeds = flag.Int("seeds", 200, "random `units` and loops of each kind")
	first = flag.Int("first", 0, "the `seed` to begin with")
)

func TestRandomUnits(t *testing.T) {
	for name, o := range configs() {
		for _, family := range []struct {
			name  string
			allow func(ir.Op) bool
			insts int
		}{{"integer", integerOps, 40}, {"pressure", integerOps, 400}, {"all", nil, 60}} {
			t.Run(name+"/"+family.name, func(t *testing.T) {
				n := newBench(t)
				b := ir.NewBuilder(ir.NewFunc(1024))
				for seed := *first; seed < *first+*seeds; seed++ {
					r := rand.New(rand.NewPCG(uint64(seed), 1))
					g := ir.Random{Rand: r, Insts: family.insts, Allow: family.allow, MemX: 3, MemSize: memSize}
					b.Reset(0x1000)
					g.Build(b)
					if err := b.Func.Verify(); err != nil {
						t.Fatalf("seed %d: %v\n%s", seed, err, b.Func)
					}
					report := n.compare(b.Func, o, func(s *cpu.State, mem []byte) {
						r := rand.New(rand.NewPCG(uint64(seed), 2))
						randomState(s, r)
						for i := range mem {
							mem[i] = byte(r.Uint32())
						}
						s.X[3] = n.address()
					})
					if report != "" {
						dumpFailure(report)
						t.Fatalf("seed %d: the engines disagree:\n%s", seed, report)
					}
				}
			})
		}
	}
}

// dumpFailure keeps a report too long for the console where EMU_TEST_DUMP says.
func dumpFailure(report string) {
	if path := os.Getenv("EMU_TEST_DUMP"); path != "" {
		os.WriteFile(path, []byte(report), 0o644)
	}
}
