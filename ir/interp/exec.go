package interp

import (
	"runtime"
	"runtime/debug"
	"sync/atomic"

	"emu/cpu"
	"emu/ir"
)

// Machine evaluates programs for one thread.
type Machine struct {
	// Helper and HelperV serve HELPER and HELPERV; nil is the function Helper for
	// the first.
	Helper  func(s *cpu.State, id ir.HelperID, a, b uint64) uint64
	HelperV func(e *ir.Env, id ir.HelperID, t ir.Type, a, b ir.Val) ir.Val
	// Counter is CNTVCT_EL0; nil counts nanoseconds.
	Counter func() uint64
	// Classify gives the signal and si_code of a fault at addr; nil says
	// SIGSEGV, SEGV_MAPERR.
	Classify func(addr uint64, write bool) (sig, code uint64)
	// Watch tells whether an access is watched, and the first address that is: Run leaves
	// with ExitDebug before it. nil: none is. Addresses have no tags.
	Watch func(addr, size uint64, load, store bool) (hit uint64, ok bool)

	vals []ir.Val
	env  ir.Env
	pc   uint64 // of the last INSN
	acc  access // the memory access under way

	compiler compiler
	prog     Program
}

// Exec evaluates f on s until it leaves. RETURN gives ExitHalt with the values
// in Arg, a vector in two of them. Prepare f with Compile to run it repeatedly.
func (m *Machine) Exec(f *ir.Func, s *cpu.State) cpu.Exit {
	m.compiler.compile(f, &m.prog)
	return m.Run(&m.prog, s)
}

// Run evaluates p on s until it leaves. The state is exact at every exit, and
// s.PC is the exit's PC.
func (m *Machine) Run(p *Program, s *cpu.State) (exit cpu.Exit) {
	if len(m.vals) <= p.slots { // void instructions may name the slot after the last
		m.vals = make([]ir.Val, p.slots+p.slots/2+1)
	}
	copy(m.vals[slotZero+1:], p.consts)
	m.pc = p.PC
	m.env = ir.Env{FPCR: s.FPCR, FPSR: s.FPSR}
	old := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(old)
		s.FPSR = m.env.FPSR
		if r := recover(); r != nil {
			exit = m.fault(r)
		}
		s.PC = exit.PC
	}()
	return m.loop(p, s)
}

// fault turns the panic of a guest memory access into an exit; any other panic
// goes on.
func (m *Machine) fault(r any) cpu.Exit {
	if hit, ok := r.(watched); ok {
		m.acc = access{}
		return cpu.Exit{Kind: cpu.ExitDebug, PC: m.pc, Arg: [4]uint64{uint64(hit)}}
	}
	e, ok := r.(runtime.Error)
	if !ok || m.acc.size == 0 {
		panic(r)
	}
	// The runtime keeps addresses in the first page to itself, and for one that
	// is not canonical the kernel gives none.
	addr := untag(m.acc.addr)
	if e, ok := e.(interface{ Addr() uintptr }); ok && uint64(e.Addr())-addr < m.acc.size {
		addr = uint64(e.Addr())
	}
	sig, code := uint64(sigSEGV), uint64(segvMapErr)
	if m.Classify != nil {
		sig, code = m.Classify(addr, m.acc.write)
	}
	write := m.acc.write
	m.acc = access{}
	return cpu.Exit{Kind: cpu.ExitFault, PC: m.pc, Arg: [4]uint64{addr, sig, code, cpu.DataAbort(code, write)}}
}

const (
	sigSEGV    = 11
	segvMapErr = 1
)

func (m *Machine) loop(p *Program, s *cpu.State) cpu.Exit {
	vals := m.vals
	steps := p.steps
	for pc := 0; ; pc++ {
		st := &steps[pc]
		switch st.kind {
		case kEval:
			vals[st.dst] = st.eval(&m.env, st.t, st.at, vals[st.a], vals[st.b], vals[st.c])
		case kInsn:
			m.pc = st.imm
		case kGetX:
			vals[st.dst] = ir.Val{Lo: s.X[st.imm&31]}
		case kSetX:
			s.X[st.imm&31] = vals[st.b].Lo
		case kGetV:
			v := &s.V[st.imm&31]
			vals[st.dst] = narrow(st.t, ir.Val{Lo: v[0], Hi: v[1]})
		case kSetV:
			s.V[st.imm&31] = [2]uint64{vals[st.b].Lo, vals[st.b].Hi}
		case kLoad:
			vals[st.dst] = m.load(st.t, vals[st.a].Lo+vals[st.b].Lo)
		case kStore:
			m.store(st.at, vals[st.b].Lo+vals[st.c].Lo, vals[st.a])
		case kJump:
			for k := st.moves.from; k < st.moves.to; k++ {
				mv := p.moves[k]
				vals[mv.dst] = vals[mv.src]
			}
			pc = int(st.next) - 1
		case kIf:
			if vals[st.a].Lo&1 == 0 {
				pc = int(st.next) - 1
			}
		case kState:
			m.state(st, s)
		case kMemory:
			if addr, ok := m.memory(st, s); !ok {
				return cpu.Exit{Kind: cpu.ExitAlign, PC: m.pc, Arg: [4]uint64{addr}}
			}
		case kPoll:
			if atomic.LoadUint32(&s.Pending) != 0 {
				return cpu.Exit{Kind: cpu.ExitPoll, PC: st.imm}
			}
		case kPause:
			if s.Pauses == 0 {
				return cpu.Exit{Kind: cpu.ExitYield, PC: st.imm}
			}
			s.Pauses--
		case kExit:
			return m.exit(p, st)
		}
	}
}

// narrow clears what lies above a scalar of type t.
func narrow(t ir.Type, v ir.Val) ir.Val {
	if t.IsVec() {
		return v
	}
	if n := t.Bits(); n < 64 {
		v.Lo &= 1<<n - 1
	}
	return ir.Val{Lo: v.Lo}
}

func (m *Machine) exit(p *Program, st *step) cpu.Exit {
	switch st.op {
	case ir.OpJump, ir.OpCall:
		return cpu.Exit{Kind: cpu.ExitBranch, PC: st.imm}
	case ir.OpJumpIf:
		if m.vals[st.a].Lo&1 != 0 {
			return cpu.Exit{Kind: cpu.ExitBranch, PC: st.imm}
		}
		return cpu.Exit{Kind: cpu.ExitBranch, PC: st.imm2}
	case ir.OpJumpInd, ir.OpCallInd, ir.OpRet:
		return cpu.Exit{Kind: cpu.ExitBranch, PC: m.vals[st.a].Lo, Arg: [4]uint64{st.imm}}
	case ir.OpExit:
		return cpu.Exit{Kind: cpu.ExitKind(st.imm), PC: st.imm2}
	case ir.OpExitArg:
		return cpu.Exit{Kind: cpu.ExitKind(st.imm), PC: st.imm2, Arg: [4]uint64{m.vals[st.c].Lo}}
	}
	exit := cpu.Exit{Kind: cpu.ExitHalt, PC: m.pc}
	n := 0
	for _, mv := range p.moves[st.moves.from:st.moves.to] {
		v := m.vals[mv.src]
		for _, word := range []uint64{v.Lo, v.Hi}[:words(ir.Type(mv.dst))] {
			if n < len(exit.Arg) {
				exit.Arg[n] = word
				n++
			}
		}
	}
	return exit
}

func words(t ir.Type) int {
	if t.IsVec() {
		return 2
	}
	return 1
}
