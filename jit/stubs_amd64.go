package jit

import (
	"unsafe"

	"emu/cache"
	"emu/cpu"
	"emu/jit/amd64"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

const (
	offPC        = unsafe.Offsetof(cpu.State{}.PC) - stateBias
	offExitFrom  = unsafe.Offsetof(cpu.State{}.ExitFrom) - stateBias
	offJumpCache = unsafe.Offsetof(cpu.State{}.JumpCache) - stateBias
	offP         = unsafe.Offsetof(cpu.State{}.P) - stateBias
	offFarMask   = unsafe.Offsetof(cpu.State{}.FarMask) - stateBias
)

// field is the memory operand of a State field at an offset from the state
// register.
func field(off uintptr) x64.Mem { return x64.At(x64.RBP, int32(int64(off))) }

// makeStubs builds the engine's own host code at the start of the cache: what
// generated code jumps to when it leaves a unit.
//
// predicates: the guest's CPU has some, which system calls clear. f is what stubs may use of the host.
func makeStubs(c *cache.Cache, predicates bool, f x64.Features) (stubs [host.NumStubs]uintptr, fault uintptr) {
	m := stubMaker{cache: c, predicates: predicates, features: f}
	m.makeExits()
	m.makeCalls()
	m.makeIndirect()
	fault = m.add(func(b *x64.Buffer) {
		// The thread stays InGuest: the unit knows where the guest's registers are.
		b.MR(x64.MOVQ, field(offNativeSP), x64.RSP)
		b.MI(x64.MOVL, field(offExit), int32(cpu.ExitFault))
		leave(b)
	})
	return m.stubs, fault
}

// stubMaker makes stubs; one jumps to others that were made before.
type stubMaker struct {
	cache      *cache.Cache
	predicates bool
	features   x64.Features
	b          x64.Buffer
	stubs      [host.NumStubs]uintptr
}

// add makes a stub of the code that build emits, and returns its address.
func (m *stubMaker) add(build func(b *x64.Buffer)) uintptr {
	return m.cache.AddStub(func(addr uintptr) []byte {
		m.b.Reset()
		build(&m.b)
		code := m.b.Finish()
		for _, r := range m.b.Relocs {
			if err := r.Apply(code, uint64(addr)); err != nil {
				panic("BUG: jit: stub: " + err.Error())
			}
		}
		return code
	})
}

// leave goes back to Go.
func leave(b *x64.Buffer) {
	b.M(x64.STMXCSR, field(offMXCSR))
	b.M(x64.LDMXCSR, field(offHostMXCSR))
	b.RM(x64.MOVQ, x64.RSP, field(offHostSP))
	b.Ret()
}

// leaveFrom leaves with the address behind the call in State.ExitFrom. The thread stays
// InGuest: the unit it comes from knows where it goes to.
func leaveFrom(kind cpu.ExitKind) func(*x64.Buffer) {
	return func(b *x64.Buffer) {
		b.R(x64.POP, x64.RAX)
		b.MR(x64.MOVQ, field(offExitFrom), x64.RAX)
		b.MI(x64.MOVL, field(offExit), int32(kind))
		b.MR(x64.MOVQ, field(offNativeSP), x64.RSP)
		storePins(b)
		leave(b)
	}
}

// makeExits makes the ways into generated code, and those out of it between units.
func (m *stubMaker) makeExits() {
	// raw leaves with all state stored.
	raw := m.add(func(b *x64.Buffer) {
		b.MR(x64.MOVQ, field(offNativeSP), x64.RSP)
		b.MI(x64.MOVL, field(offInGuest), 0)
		leave(b)
	})
	m.stubs[host.StubExit] = m.add(func(b *x64.Buffer) {
		storePins(b)
		b.JmpAddr(uint64(raw))
	})
	enterStub = m.add(func(b *x64.Buffer) {
		loadPins(b)
		b.R(x64.JMP, x64.RAX)
	})
	syscallDone = m.add(func(b *x64.Buffer) {
		loadPins(b)
		b.Ret()
	})
	m.stubs[host.StubBranch] = m.add(leaveFrom(cpu.ExitBranch))
	m.stubs[host.StubHot] = m.add(leaveFrom(cpu.ExitHot))
	m.stubs[host.StubPoll] = m.add(func(b *x64.Buffer) {
		b.MR(x64.MOVQ, field(offPC), x64.RCX)
		b.MI(x64.MOVL, field(offExit), int32(cpu.ExitPoll))
		b.JmpAddr(uint64(m.stubs[host.StubExit]))
	})
}

// makeCalls makes what generated code calls in the middle of a unit.
func (m *stubMaker) makeCalls() {
	m.stubs[host.StubHelper] = m.add(func(b *x64.Buffer) {
		// The thread stays InGuest: the unit it returns to must not be evicted.
		b.R(x64.POP, x64.RAX)
		b.MR(x64.MOVQ, field(offEnter), x64.RAX)
		b.MR(x64.MOVQ, field(offNativeSP), x64.RSP)
		b.MI(x64.MOVL, field(offExit), int32(cpu.ExitHelper))
		leave(b)
	})
	m.makeCopies()
	syscall, counter := initDirect()
	m.stubs[host.StubSyscall] = m.add(func(b *x64.Buffer) {
		storePins(b)
		if m.predicates {
			clearPredicates(b)
		}
		b.MovImm(x64.RAX, uint64(syscall))
		b.R(x64.JMP, x64.RAX)
	})
	m.stubs[host.StubCounter] = m.stubs[host.StubHelper]
	if counter != 0 {
		m.stubs[host.StubCounter] = m.add(func(b *x64.Buffer) {
			b.MovImm(x64.RAX, uint64(counter))
			b.R(x64.JMP, x64.RAX)
		})
	}
}

// makeCopies makes the loops that copy memory.
func (m *stubMaker) makeCopies() {
	fault := firstStubFault
	for _, s := range []host.Stub{host.StubCopyUp, host.StubCopyDown} {
		var faults []amd64.CopyFault
		m.stubs[s] = m.add(func(b *x64.Buffer) {
			faults = amd64.CopyStub(b, m.features, s == host.StubCopyDown)
		})
		for _, f := range faults {
			copyFaults[fault].at, copyFaults[fault].resume = m.stubs[s]+uintptr(f.At), m.stubs[s]+uintptr(f.Resume)
			fault++
		}
	}
}

// makeIndirect makes the look-up of indirect branches, whose target is in RAX: in a set of
// the thread's jump cache, then in the other place that the target may have.
func (m *stubMaker) makeIndirect() {
	unknown := m.makeMiss(cpu.BranchNone)
	for t := cpu.BranchNone + 1; t < cpu.NumBranchTypes; t++ {
		m.makeMiss(t)
	}
	m.stubs[host.StubIndirect] = m.add(func(b *x64.Buffer) {
		b.MI(x64.CMPL, field(offPending), 0)
		b.JccAddr(x64.NE, uint64(unknown))
		b.RR(x64.MOVL, x64.RCX, x64.RAX)
		b.RI(x64.SHRL, x64.RCX, 2)
		b.RI(x64.ANDL, x64.RCX, host.JumpCacheEntries-1)
		b.RI(x64.SHLL, x64.RCX, 4)
		b.RM(x64.ADDQ, x64.RCX, field(offJumpCache))
		b.RM(x64.CMPQ, x64.RAX, x64.At(x64.RCX, 0))
		b.JccAddr(x64.NE, uint64(m.stubs[host.StubIndirectMiss]))
		b.M(x64.JMP, x64.At(x64.RCX, 8))
	})
}

// makeMiss makes the look-up in the second table for branches of type t, and returns what leaves for what is in neither.
func (m *stubMaker) makeMiss(t cpu.BranchType) (unknown uintptr) {
	unknown = m.add(func(b *x64.Buffer) {
		b.MR(x64.MOVQ, field(offPC), x64.RAX)
		b.MI(x64.MOVQ, field(offExitFrom), int32(t))
		b.MI(x64.MOVL, field(offExit), int32(cpu.ExitBranch))
		b.JmpAddr(uint64(m.stubs[host.StubExit]))
	})
	m.stubs[host.Miss(t)] = m.add(func(b *x64.Buffer) {
		look := b.NewLabel()
		b.MI(x64.TESTL, field(offJumpCache), cpu.JumpMiss)
		b.JccShort(x64.EQ, look)
		b.LockMI(x64.ANDL, field(offJumpCache), ^cpu.JumpMiss) // before Pending is looked at
		b.MI(x64.CMPL, field(offPending), 0)
		b.JccAddr(x64.NE, uint64(unknown))
		b.Bind(look)
		second := 16 * (int32(host.FarJumpStart) + int32(t))
		b.RRI(x64.IMULL, x64.RCX, x64.RAX, int32(host.FarJumpFactor-1<<32))
		b.RI(x64.SHRL, x64.RCX, host.FarJumpShift)
		b.RM(x64.ANDL, x64.RCX, field(offFarMask))
		b.RM(x64.ADDQ, x64.RCX, field(offJumpCache))
		b.RM(x64.CMPQ, x64.RAX, x64.At(x64.RCX, second))
		b.JccAddr(x64.NE, uint64(unknown))
		b.M(x64.JMP, x64.At(x64.RCX, second+8))
	})
	return unknown
}

func pinField(p host.Pin) x64.Mem {
	return x64.At(x64.RBP, int32(offX)+8*int32(p.Guest-host.GuestX))
}

func storePins(b *x64.Buffer) {
	for _, p := range host.Pins {
		b.MR(x64.MOVQ, pinField(p), x64.Reg(p.Reg))
	}
}

func loadPins(b *x64.Buffer) {
	for _, p := range host.Pins {
		b.RM(x64.MOVQ, x64.Reg(p.Reg), pinField(p))
	}
}

// clearPredicates makes SVE's registers beyond the vectors zero.
func clearPredicates(b *x64.Buffer) {
	const size = unsafe.Sizeof(cpu.State{}.P)
	b.XX(x64.XORPS, x64.X0, x64.X0)
	at := uintptr(0)
	for ; at+16 <= size; at += 16 {
		b.MX(x64.MOVUPS, field(offP+at), x64.X0)
	}
	b.MI(x64.MOVQ, field(offP+at), 0)
}

// Where the assembly goes on: with the pins loaded, to RAX or back to the unit that made
// a system call. Written once, before the first guest instruction.
var (
	enterStub   uintptr //lint:ignore U1000 entry_amd64.s jumps there
	syscallDone uintptr //lint:ignore U1000 direct_amd64.s jumps there
)
