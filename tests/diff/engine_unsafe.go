package diff

import (
	"testing"
	"unsafe"

	"emu/cpu"
	"emu/ir"
	"emu/ir/interp"
	"emu/translate"

	"golang.org/x/sys/unix"
)

// Exec executes one unit on s, whose PC is the unit's.
type Exec func(f *ir.Func, s *cpu.State) cpu.Exit

// Engine executes cases block by block in this process.
type Engine struct {
	t     *translate.Translator
	exec  Exec
	state *cpu.State
	mem   *[MemPage]byte
	tags  *cpu.Memory // where the processor has FEAT_MTE
	check bool        // memory has tags that are checked
	gcs   *cpu.Memory // where there is a guarded control stack
	keys  *Keys       // of pointer authentication; nil: all are switched off
}

// NewEngine returns an Engine that translates with opts and executes with exec. It
// maps the guest's memory at its fixed place until the test ends.
func NewEngine(t testing.TB, opts translate.Options, exec Exec) *Engine {
	t.Helper()
	base := uintptr(MemBase)
	p, err := unix.MmapPtr(-1, 0, *(*unsafe.Pointer)(unsafe.Pointer(&base)), MemPage, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_FIXED_NOREPLACE)
	if err != nil {
		t.Fatalf("mapping %#x: %v", uint64(MemBase), err)
	}
	s, err := cpu.NewState()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Free()
		if err := unix.MunmapPtr(p, MemPage); err != nil {
			t.Error(err)
		}
	})
	return &Engine{translate.New(opts), exec, s, (*[MemPage]byte)(p), nil, false, nil, nil}
}

// NewInterpTags is NewInterpCPU for cases whose memory has tags that are checked.
func NewInterpTags(t testing.TB, spec string) *Engine {
	t.Helper()
	e := NewInterpCPU(t, spec)
	e.check = true
	const flags = unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_FIXED
	if err := unix.MunmapPtr(unsafe.Pointer(e.mem), MemPage); err != nil {
		t.Fatal(err)
	}
	if _, errno := e.tags.Map(MemBase, MemPage, unix.PROT_READ|unix.PROT_WRITE|cpu.ProtMTE, flags, -1, 0); errno != 0 {
		t.Fatal(errno)
	}
	return e
}

// NewInterp returns an Engine on the interpreter.
func NewInterp(t testing.TB) *Engine { return NewInterpCPU(t, "max") }

// NewInterpCPU is NewInterp with a processor as the flag -cpu names it.
func NewInterpCPU(t testing.TB, spec string) *Engine {
	t.Helper()
	p, err := translate.ParseCPU(spec)
	if err != nil {
		t.Fatal(err)
	}
	e := NewEngine(t, translate.Options{CPU: p}, new(interp.Machine).Exec)
	if p.MTE() {
		e.tags = cpu.NewMemory()
		if err := e.tags.EnableTags(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(e.tags.DisableTags)
	}
	return e
}

// Run executes the cases and returns the state in which each one ended.
func (e *Engine) Run(t testing.TB, cases []Case) []State {
	t.Helper()
	out := make([]State, len(cases))
	for n := range cases {
		e.load(&cases[n].In)
		out[n] = e.store(e.run(t, &cases[n]))
	}
	return out
}

// maxBlocks ends cases that never end.
const maxBlocks = 10_000

func (e *Engine) run(t testing.TB, c *Case) cpu.Exit {
	for range maxBlocks {
		e.t.SetMode(e.state.CodeMode())
		f := e.t.Block(e.state.PC, c.word)
		if err := f.Verify(); err != nil {
			t.Fatalf("%08x: %v\n%v", c.Words, err, f)
		}
		exit := e.exec(f, e.state)
		if exit.Kind == cpu.ExitTag {
			exit = e.exec(e.t.Single(exit.PC, c.word), e.state)
		}
		e.state.PC = exit.PC
		switch exit.Kind {
		case cpu.ExitBranch, cpu.ExitSync, cpu.ExitMode, cpu.ExitYield:
			continue
		}
		return exit
	}
	t.Fatalf("%08x: no end after %d blocks", c.Words, maxBlocks)
	return cpu.Exit{}
}

func (e *Engine) load(in *State) {
	s := e.state
	*s = cpu.State{}
	copy(s.X[:], in.X[:])
	s.X[cpu.SP], s.PC = in.SP, CodeStart
	s.SetPSTATE(in.NZCV)
	s.FPCR, s.FPSR = in.FPCR, in.FPSR
	s.V = in.V
	for n := range s.P {
		s.P[n] = uint64(in.P[n])
	}
	s.TagExclude = cpu.NoTags
	if e.keys != nil {
		s.APKeys = *e.keys
		for n := range s.PACEnabled {
			s.PACEnabled[n] = ^uint64(0)
		}
	}
	if e.gcs != nil {
		e.loadGCS(in)
	}
	if e.check {
		s.TagFaults, s.TopBytes, s.TagExclude = cpu.TagSync, true, ^uint64(TagSet)&cpu.NoTags
		e.tags.SetTags(MemBase, in.Tags[:])
	}
	clear(e.mem[:])
	copy(e.mem[:], in.Mem[:])
	copy(e.mem[MemPage-MemTail:], in.Mem[:])
}

func (e *Engine) store(exit cpu.Exit) State {
	s := e.state
	out := State{SP: s.X[cpu.SP], PC: s.PC, NZCV: s.PSTATE(), FPCR: s.FPCR, FPSR: s.FPSR, V: s.V}
	copy(out.X[:], s.X[:31])
	copy(out.Mem[:], e.mem[:])
	for n, p := range s.P {
		out.P[n] = uint16(p)
	}
	if s.QC != 0 {
		out.FPSR |= 1 << 27
	}
	switch exit.Kind {
	case cpu.ExitUndefined, cpu.ExitPAC:
		out.Sig = uint32(unix.SIGILL)
	case cpu.ExitBreakpoint:
		out.Sig = uint32(unix.SIGTRAP)
	case cpu.ExitAlign:
		out.Sig, out.Addr = uint32(unix.SIGBUS), exit.Arg[0]
	case cpu.ExitFault:
		out.Sig, out.Addr = uint32(exit.Arg[1]), exit.Arg[0]
	case cpu.ExitGCS:
		out.Sig, out.Addr = uint32(unix.SIGSEGV), s.PC
	case cpu.ExitFetch, cpu.ExitTagFault:
		out.Sig, out.Addr = uint32(unix.SIGSEGV), exit.Arg[0]
	case cpu.ExitShadow:
		out.Sig, out.Addr = uint32(unix.SIGSEGV), exit.Arg[0]&^1
	}
	if e.gcs != nil {
		e.storeGCS(&out)
	}
	if e.check {
		copy(out.Tags[:], e.tags.Tags(MemBase, MemSize/cpu.Granule))
		out.Addr &= 1<<cpu.TagShift - 1
	}
	return out
}
