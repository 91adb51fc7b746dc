//go:build linux && amd64

// Package exec runs one unit of generated code for the backend's tests: it maps
// it, enters it on a stack of its own, and turns faults into returns. The engine
// has its own, complete counterpart.
package exec

//lint:file-ignore U1000 the assembly beside this file uses what looks unused

import (
	"encoding/binary"
	"fmt"
	"sync"
	"unsafe"

	"emu/cpu"
	"emu/jit/asm/x64"
	"emu/jit/host"

	"golang.org/x/sys/unix"
)

// Offsets of State fields from the state register, for exec_amd64.s.
const (
	bias          = cpu.StateBias
	offMXCSR      = unsafe.Offsetof(cpu.State{}.MXCSR) - bias
	offHostMXCSR  = unsafe.Offsetof(cpu.State{}.HostMXCSR) - bias
	offHostSP     = unsafe.Offsetof(cpu.State{}.HostSP) - bias
	offNativeSP   = unsafe.Offsetof(cpu.State{}.NativeSP) - bias
	offEnter      = unsafe.Offsetof(cpu.State{}.Enter) - bias
	offFaultSig   = unsafe.Offsetof(cpu.State{}.FaultSig) - bias
	offFaultAddr  = unsafe.Offsetof(cpu.State{}.FaultAddr) - bias
	offFaultRIP   = unsafe.Offsetof(cpu.State{}.FaultRIP) - bias
	offFaultFlags = unsafe.Offsetof(cpu.State{}.FaultFlags) - bias
	offFaultGPR   = unsafe.Offsetof(cpu.State{}.FaultGPR) - bias
	offFaultXMM   = unsafe.Offsetof(cpu.State{}.FaultXMM) - bias
)

func enter(s *cpu.State)
func restorerAddr() uintptr
func faultAddr() uintptr

// What the fault handler reads.
var (
	codeLo, codeHi  uintptr
	faultExit       uintptr
	goSegv, goOther uintptr
	install         sync.Once
	enterStub       uintptr // loads the pins and jumps to RAX
)

const (
	codeSize  = 1 << 20
	stackSize = 1 << 16
	page      = 4096
	counterAt = 2 * page // the unit's counter, behind the stubs and before the unit
	targetsAt = counterAt + 64
	unitAt    = 4 * page // where the unit is installed
)

// Machine is executable memory for one unit, a State and a native stack.
type Machine struct {
	State *cpu.State
	code  []byte
	stack []byte
	table []byte // jump cache
	stubs [host.NumStubs]uintptr
	exits []host.ExitSite
	pcs   host.PCMap
	pc    uint64
	base  uintptr // address of code
	end   int     // of what is installed
}

// FaultExit is the ExitKind that Run returns for a fault in generated code.
const FaultExit = cpu.ExitFault

func mmap(n, prot int) []byte {
	b, err := unix.Mmap(-1, 0, n, prot, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		panic(err)
	}
	return b
}

// New maps a machine. All machines share one code area: use one at a time.
func New() *Machine {
	m := &Machine{
		code:  mmap(codeSize, unix.PROT_READ|unix.PROT_WRITE|unix.PROT_EXEC),
		stack: mmap(stackSize, unix.PROT_READ|unix.PROT_WRITE),
		table: mmap(host.FarJumpStart*16, unix.PROT_READ|unix.PROT_WRITE),
	}
	state := mmap(int(unsafe.Sizeof(cpu.State{}))+page, unix.PROT_READ|unix.PROT_WRITE)
	m.State = (*cpu.State)(unsafe.Pointer(&state[0]))
	m.base = uintptr(unsafe.Pointer(&m.code[0]))
	m.makeStubs()
	for i := range host.FarJumpStart {
		binary.LittleEndian.PutUint64(m.table[16*i:], ^uint64(0))
	}
	s := m.State
	s.MXCSR = 0x1f80
	s.JumpCache = uint64(uintptr(unsafe.Pointer(&m.table[0])))
	low := uint64(uintptr(unsafe.Pointer(&m.stack[0])))
	if err := unix.Mprotect(m.stack[:page], unix.PROT_NONE); err != nil {
		panic(err)
	}
	s.NativeLow = low + page
	s.NativeTop = low + stackSize - host.StackSlack - 8
	s.NativeSP = s.NativeTop
	for at := stackSize - host.StackSlack - 8; at < stackSize; at += 8 {
		binary.LittleEndian.PutUint64(m.stack[at:], uint64(m.stubs[host.StubIndirectMiss]))
	}
	codeLo, codeHi, faultExit = m.base+unitAt, m.base+codeSize, m.base
	install.Do(installHandlers)
	return m
}

// Close unmaps the machine, but for its State.
func (m *Machine) Close() {
	codeLo, codeHi = 0, 0
	for _, b := range [][]byte{m.code, m.stack, m.table} {
		if err := unix.Munmap(b); err != nil {
			panic(err)
		}
	}
}

func field(off uintptr) x64.Mem { return x64.At(x64.RBP, int32(int64(off))) }

// Fields of State that the stubs use, and that of the first general register.
const (
	offExit = unsafe.Offsetof(cpu.State{}.Exit) - bias
	offPC   = unsafe.Offsetof(cpu.State{}.PC) - bias
	offFrom = unsafe.Offsetof(cpu.State{}.ExitFrom) - bias
	offX    = int32(unsafe.Offsetof(cpu.State{}.X)) - bias
)

// stubs emits what all units share at the start of the code area.
type stubs struct {
	m *Machine
	b x64.Buffer
}

func (m *Machine) makeStubs() {
	s := &stubs{m: m}
	// The fault exit is the first: see New.
	s.b.MI(x64.MOVL, field(offExit), int32(FaultExit))
	s.leave()
	s.at(host.StubExit)
	s.leaveWithPins()
	s.leaveFrom(host.StubBranch, cpu.ExitBranch)
	s.leaveFrom(host.StubHot, cpu.ExitHot)
	s.at(host.StubPoll)
	s.b.MR(x64.MOVQ, field(offPC), x64.RCX)
	s.b.MI(x64.MOVL, field(offExit), int32(cpu.ExitPoll))
	s.leaveWithPins()
	s.at(host.StubHelper)
	s.at(host.StubCounter)
	s.b.R(x64.POP, x64.RAX)
	s.b.MR(x64.MOVQ, field(offEnter), x64.RAX)
	s.b.MR(x64.MOVQ, field(offNativeSP), x64.RSP)
	s.leave()
	s.at(host.StubCopyUp) // as little as they like
	s.at(host.StubCopyDown)
	s.b.RR(x64.XORL, x64.RAX, x64.RAX)
	s.b.Ret()
	s.at(host.StubSyscall)
	s.b.R(x64.POP, x64.RAX)
	s.b.MI(x64.MOVL, field(offExit), int32(cpu.ExitSyscall))
	s.leaveWithPins()
	s.indirect(host.StubIndirect, cpu.BranchNone)
	for t := range cpu.NumBranchTypes {
		s.indirect(host.Miss(t), t)
	}
	enterStub = m.base + uintptr(s.b.Pos())
	s.pins(func(f x64.Mem, r x64.Reg) { s.b.RM(x64.MOVQ, r, f) })
	s.b.R(x64.JMP, x64.RAX)
	m.stubs[host.Counter] = m.base + counterAt
	m.stubs[host.Targets] = m.base + targetsAt
	copy(m.code, s.b.Finish())
}

// at says that what is emitted next is stub n.
func (s *stubs) at(n host.Stub) { s.m.stubs[n] = s.m.base + uintptr(s.b.Pos()) }

// pins calls do for each pinned register with where State has it.
func (s *stubs) pins(do func(f x64.Mem, r x64.Reg)) {
	for _, p := range host.Pins {
		do(x64.At(x64.RBP, offX+8*int32(p.Guest-host.GuestX)), x64.Reg(p.Reg))
	}
}

// leave returns to Go.
func (s *stubs) leave() {
	s.b.M(x64.STMXCSR, field(offMXCSR))
	s.b.M(x64.LDMXCSR, field(offHostMXCSR))
	s.b.RM(x64.MOVQ, x64.RSP, field(offHostSP))
	s.b.Ret()
}

// leaveWithPins is leave from between units: the pins go to State.
func (s *stubs) leaveWithPins() {
	s.b.MR(x64.MOVQ, field(offNativeSP), x64.RSP)
	s.pins(func(f x64.Mem, r x64.Reg) { s.b.MR(x64.MOVQ, f, r) })
	s.leave()
}

// leaveFrom emits stub n, which is called and says from where.
func (s *stubs) leaveFrom(n host.Stub, kind cpu.ExitKind) {
	s.at(n)
	s.b.R(x64.POP, x64.RAX)
	s.b.MR(x64.MOVQ, field(offFrom), x64.RAX)
	s.b.MI(x64.MOVL, field(offExit), int32(kind))
	s.leaveWithPins()
}

// indirect emits stub n, which leaves for the pc in RAX by a branch of type t.
func (s *stubs) indirect(n host.Stub, t cpu.BranchType) {
	s.at(n)
	s.b.MR(x64.MOVQ, field(offPC), x64.RAX)
	s.b.MI(x64.MOVQ, field(offFrom), int32(t))
	s.b.MI(x64.MOVL, field(offExit), int32(cpu.ExitBranch))
	s.leaveWithPins()
}

// Load installs a unit.
func (m *Machine) Load(c *host.Code) {
	m.end = unitAt
	m.Append(c.Bytes, c.Relocs)
	m.exits = append(m.exits[:0], c.Exits...)
	m.pcs = c.Map.Clone()
	m.pc = c.PC
	m.State.Enter = m.Entry()
}

// Append installs more code behind what is there and returns its address.
func (m *Machine) Append(code []byte, relocs []host.Reloc) uint64 {
	at := m.end
	if at+len(code) > codeSize {
		panic("exec: the unit is too large")
	}
	m.end = (at + copy(m.code[at:], code) + host.CodeAlign - 1) &^ (host.CodeAlign - 1)
	for _, r := range relocs {
		if r.Target == host.Lock {
			continue
		}
		field := int(r.Off) + at
		d := int64(m.stubs[r.Target]) - int64(m.base) - int64(field) - int64(r.Tail)
		binary.LittleEndian.PutUint32(m.code[field:], uint32(int32(d)))
	}
	return uint64(m.base) + uint64(at)
}

// Entry is the host address of the unit.
func (m *Machine) Entry() uint64 { return uint64(m.base) + unitAt }

// Stub is the host address of a stub.
func (m *Machine) Stub(n host.Stub) uint64 { return uint64(m.stubs[n]) }

// SetStub makes units that are loaded from now on use the code at an address for a stub.
func (m *Machine) SetStub(n host.Stub, addr uint64) { m.stubs[n] = uintptr(addr) }

// Counter is the unit's execution counter.
func (m *Machine) Counter() *uint32 {
	return (*uint32)(unsafe.Pointer(&m.code[counterAt]))
}

// Link redirects exit site n to a host address.
func (m *Machine) Link(n int, to uint64) {
	e := m.exits[n]
	at := m.Entry() + uint64(e.Patch)
	binary.LittleEndian.PutUint32(m.code[unitAt+int(e.Patch):], uint32(int32(int64(to)-int64(at)-4)))
}

// SetJump enters a pair in the jump cache, for branches of type t.
func (m *Machine) SetJump(pc, addr uint64, t cpu.BranchType) {
	i := (pc>>2%host.JumpCacheEntries + uint64(t)) * 16
	binary.LittleEndian.PutUint64(m.table[i:], pc)
	binary.LittleEndian.PutUint64(m.table[i+8:], addr)
}

// Run enters at State.Enter and returns how the unit was left. Helper calls are
// served by serve, faults are recovered.
func (m *Machine) Run(serve func(*cpu.State)) cpu.ExitKind {
	s := m.State
	for {
		enter(s)
		switch k := cpu.ExitKind(s.Exit); k {
		case cpu.ExitHelper:
			serve(s)
		case FaultExit:
			off := s.FaultRIP - m.Entry()
			if _, kind, ok := m.pcs.Recover(m.pc, uint32(off), s); !ok {
				panic(fmt.Sprintf("exec: unexpected fault at offset %#x, address %#x", off, s.FaultAddr))
			} else if kind == host.FaultStack {
				s.NativeSP = s.NativeTop
				return cpu.ExitBranch
			}
			return k
		case cpu.ExitBranch:
			m.branched()
			return k
		case cpu.ExitHot:
			s.PC = m.pc
			return k
		default:
			return k
		}
	}
}

// branched sets PC after a direct branch to its target.
func (m *Machine) branched() {
	for _, e := range m.exits {
		if m.State.ExitFrom == m.Entry()+uint64(e.End) {
			m.State.PC = e.Target
		}
	}
}

// sigaction is struct kernel_sigaction.
type sigaction struct{ handler, flags, restorer, mask uintptr }

func installHandlers() {
	for _, sig := range []unix.Signal{unix.SIGSEGV, unix.SIGBUS} {
		var old sigaction
		rtSigaction(sig, nil, &old)
		if sig == unix.SIGSEGV {
			goSegv = old.handler
		} else {
			goOther = old.handler
		}
		now := old
		now.handler, now.restorer = faultAddr(), restorerAddr()
		now.flags |= 0x0c000004 // SA_SIGINFO, SA_ONSTACK, SA_RESTORER
		rtSigaction(sig, &now, nil)
	}
}

func rtSigaction(sig unix.Signal, set, old *sigaction) {
	if _, _, e := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(set)), uintptr(unsafe.Pointer(old)), 8, 0, 0); e != 0 {
		panic(e)
	}
}
