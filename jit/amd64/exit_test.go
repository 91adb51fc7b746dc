//go:build linux && amd64

package amd64_test

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"emu/cpu"
	"emu/ir"
	"emu/jit/amd64"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

// parse reads a unit from its text.
func parse(t testing.TB, text string) *ir.Func {
	t.Helper()
	f, err := ir.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Verify(); err != nil {
		t.Fatal(err)
	}
	return f
}

// load compiles and installs f.
func (n *bench) load(t testing.TB, f *ir.Func, o host.Options) {
	t.Helper()
	if err := n.b.Compile(f, o, &n.code); err != nil {
		t.Fatal(err)
	}
	n.m.Load(&n.code)
	n.m.State.Enter = n.m.Entry()
	n.m.State.NativeSP = n.m.State.NativeTop
}

// TestExitSites: an unlinked branch reports itself, aligned for patching, and a
// linked one goes where it was sent.
func TestExitSites(t *testing.T) {
	n := newBench(t)
	s := n.m.State
	f := parse(t, `func 0x1000 size 8
		insn #0x1000
		v1:i64 = getx #0
		v2:i1 = icmp v1, 0, #1
		jump_if v2, #0x2000, #0x7fff12345678`)
	n.load(t, f, host.Options{})
	if len(n.code.Exits) != 2 {
		t.Fatalf("%d exits", len(n.code.Exits))
	}
	for i, c := range []struct {
		x0   uint64
		kind host.ExitSiteKind
		pc   uint64
	}{{1, host.SiteCond, 0x2000}, {0, host.SiteJump, 0x7fff12345678}} {
		e := n.code.Exits[i]
		if e.Kind != c.kind || e.Target != c.pc || e.Patch%4 != 0 {
			t.Errorf("exit %d: %+v", i, e)
		}
		if to := e.Patch + 4 + int32(binary.LittleEndian.Uint32(n.code.Bytes[e.Patch:])); to != e.Cold {
			t.Errorf("exit %d leads to %d, its cold code is at %d", i, to, e.Cold)
		}
		s.X[0], s.Enter = c.x0, n.m.Entry()
		if k := n.m.Run(amd64.ServeHelper); k != cpu.ExitBranch || s.PC != c.pc || s.ExitFrom != n.m.Entry()+uint64(e.End) {
			t.Errorf("exit %d: %v to %#x from %#x", i, k, s.PC, s.ExitFrom)
		}
	}
	// The second exit's cold code, reached from the first: PC tells.
	n.m.Link(0, n.m.Entry()+uint64(n.code.Exits[1].Cold))
	s.X[0], s.Enter = 1, n.m.Entry()
	if n.m.Run(amd64.ServeHelper); s.PC != 0x7fff12345678 {
		t.Errorf("a linked exit went to %#x", s.PC)
	}
}

// TestIndirect: the jump cache is used if it has the pc, else the dispatcher.
func TestIndirect(t *testing.T) {
	for text, kind := range map[string]cpu.BranchType{
		"jump_ind v1, #1":          cpu.BranchIP,
		"jump_ind v1, #3":          cpu.BranchJump,
		"ret v1":                   cpu.BranchNone,
		"call_ind v1, #0x1004, #2": cpu.BranchCall,
	} {
		n := newBench(t)
		s := n.m.State
		f := parse(t, "func 0x1000 size 4\ninsn #0x1000\nv1:i64 = getx #30\nsetx #5, 9\n"+text)
		for _, pc := range []uint64{0x4000, 0x4000 + host.JumpCacheEntries*4, 0xffff_ffff_ffff_fffc, 2} {
			n.load(t, f, host.Options{})
			s.X[30], s.X[5] = pc, 0
			if k := n.m.Run(amd64.ServeHelper); k != cpu.ExitBranch || s.PC != pc || s.ExitFrom != uint64(kind) || s.X[5] != 9 {
				t.Errorf("%s: missing %#x: %v at %#x, from %#x, x5=%d", text, pc, k, s.PC, s.ExitFrom, s.X[5])
			}
		}
		// A hit runs the code in the cache: here a unit's own, which counts.
		f = parse(t, "func 0x1000 size 4\ninsn #0x1000\nv1:i64 = getx #5\nv2:i64 = sub v1, 1\nsetx #5, v2\nv4:i1 = icmp v2, 0, #0\nv5:i64 = getx #6\nv6:i64 = select v4, 0x4000, v5\n"+replaceValue(text, "v1", "v6"))
		n.load(t, f, host.Options{})
		s.X[5], s.X[6] = 10, 0x1000
		n.m.SetJump(0x1000, n.m.Entry(), kind)
		if n.m.Run(amd64.ServeHelper); s.X[5] != 0 || s.PC != 0x4000 {
			t.Errorf("%s: x5 = %d at %#x, want 0 at 0x4000", text, s.X[5], s.PC)
		}
		// What branches of other types may go to is not found.
		n = newBench(t)
		s = n.m.State
		n.load(t, f, host.Options{})
		s.X[5], s.X[6] = 10, 0x1000
		for other := range cpu.NumBranchTypes {
			if other != kind {
				n.m.SetJump(0x1000, n.m.Entry(), other)
			}
		}
		if n.m.Run(amd64.ServeHelper); s.X[5] != 9 || s.PC != 0x1000 {
			t.Errorf("%s: x5 = %d at %#x, want 9 at 0x1000", text, s.X[5], s.PC)
		}
	}
}

func replaceValue(text, from, to string) string {
	for i := 0; i+len(from) <= len(text); i++ {
		if text[i:i+len(from)] == from {
			return text[:i] + to + text[i+len(from):]
		}
	}
	return text
}

// TestCounter: a counted unit leaves with ExitHot once, with nothing done yet.
func TestCounter(t *testing.T) {
	n := newBench(t)
	s := n.m.State
	f := parse(t, "func 0x7fff00001000 size 4\ninsn #0x7fff00001000\nv1:i64 = getx #0\nv2:i64 = add v1, 1\nsetx #0, v2\njump #0x1004")
	n.load(t, f, host.Options{Count: true})
	*n.m.Counter() = 3
	s.X[0] = 0
	for i, want := range []cpu.ExitKind{cpu.ExitBranch, cpu.ExitBranch, cpu.ExitHot, cpu.ExitBranch} {
		s.Enter = n.m.Entry()
		if k := n.m.Run(amd64.ServeHelper); k != want {
			t.Errorf("run %d: %v, want %v", i, k, want)
		}
		if want == cpu.ExitHot && (s.PC != f.PC || s.X[0] != 2) {
			t.Errorf("hot at %#x, x0 %d", s.PC, s.X[0])
		}
	}
	if s.X[0] != 3 {
		t.Errorf("x0 = %d, want 3", s.X[0])
	}
}

// TestPoll: a set Pending leaves with the exact state, whatever is kept back and
// wherever it is.
func TestPoll(t *testing.T) {
	for name, o := range configs() {
		n := newBench(t)
		f := ir.NewFunc(256)
		for seed := range uint64(300) {
			r := rand.New(rand.NewPCG(seed, 5))
			f.Reset(0x1000)
			pendEverything(f, r)
			f.Emit(ir.OpPoll, ir.Void, f.Const(ir.I64, 0x7fff00001000), ir.None, ir.None)
			x := f.Emit(ir.OpGetNZCV, ir.Flags, ir.None, ir.None, ir.None)
			c := f.Emit(ir.OpFlagCond, ir.I1, x, ir.Imm(r.IntN(16)), ir.None)
			f.Emit(ir.OpJumpIf, ir.Void, c, f.Const(ir.I64, 0x1000), f.Const(ir.I64, 0x1004))
			for _, pending := range []uint32{0, 1} {
				report := n.compare(f, o, func(s *cpu.State, mem []byte) {
					randomState(s, rand.New(rand.NewPCG(seed, 6)))
					s.Pending = pending
				})
				if report != "" {
					dumpFailure(report)
					t.Fatalf("%s, seed %d, pending %d:\n%s", name, seed, pending, report)
				}
			}
		}
	}
}

// TestPollOnTheWayBack: a poll in front of a CONTINUE leaves with what the iteration has written, also in
// registers that the header SETs at once and for which nothing has to be kept otherwise.
func TestPollOnTheWayBack(t *testing.T) {
	n := newBench(t)
	b := ir.NewBuilder(ir.NewFunc(256))
	b.Reset(0x1000)
	b.Insn(0x1000)
	loop := b.LoopRegs(ir.RegSet{X: 7})
	b.Insn(0x1004)
	left := b.AddI(b.GetX(0), ^uint64(0))
	b.SetX(0, left)
	b.SetX(1, b.Add(b.GetX(1), b.GetX(2)))
	b.SetX(2, b.GetX(0))
	b.If(b.ICmp(ir.EQ, left, b.I64(0)))
	b.BreakTo(loop)
	b.Else()
	b.Insn(0x1000)
	b.Poll(0x1000)
	b.ContinueTo(loop)
	b.End()
	b.End()
	b.Jump(0x1008)
	b.Size = 8
	if err := b.Verify(); err != nil {
		t.Fatal(err)
	}
	for name, o := range configs() {
		for _, pending := range []uint32{0, 1} {
			report := n.compare(b.Func, o, func(s *cpu.State, mem []byte) {
				randomState(s, rand.New(rand.NewPCG(1, 1)))
				s.X[0], s.Pending = 5, pending
			})
			if report != "" {
				t.Fatalf("%s, pending %d:\n%s", name, pending, report)
			}
		}
	}
}

// TestSideExit: an IF that only leaves does so with the exact state.
func TestSideExit(t *testing.T) {
	for name, o := range configs() {
		n := newBench(t)
		f := ir.NewFunc(256)
		taken := 0
		for seed := range uint64(400) {
			r := rand.New(rand.NewPCG(seed, 7))
			f.Reset(0x1000)
			x := operand(f, r, ir.I64, 7)
			pendEverything(f, r)
			v := ir.Void
			none := ir.None
			cond := operand(f, r, ir.I1, 3)
			if r.IntN(2) == 0 {
				a := f.Emit(ir.OpAnd, ir.I64, x, f.Const(ir.I64, 3), none)
				cond = f.Emit(ir.OpICmp, ir.I1, a, ir.Imm(0), ir.Imm(int(ir.NE)))
			}
			f.Emit(ir.OpIf, v, cond, none, none)
			pc := f.Const(ir.I64, 0x7fff00001000)
			if r.IntN(2) == 0 {
				f.Emit(ir.OpExit, v, ir.Imm(int(cpu.ExitSyscall)), pc, none)
			} else {
				f.Emit(ir.OpExitArg, v, ir.Imm(int(cpu.ExitAlign)), pc, x)
			}
			f.Emit(ir.OpElse, v, none, none, none)
			f.Emit(ir.OpYield, v, none, none, none)
			f.Emit(ir.OpMerge, v, none, none, none)
			show(f, x, 16)
			f.Emit(ir.OpJump, v, f.Const(ir.I64, 0x1004), none, none)
			if err := f.Verify(); err != nil {
				t.Fatal(err)
			}
			report := n.compare(f, o, func(s *cpu.State, mem []byte) { randomState(s, rand.New(rand.NewPCG(seed, 8))) })
			if report != "" {
				dumpFailure(report)
				t.Fatalf("%s, seed %d:\n%s", name, seed, report)
			}
			if n.m.State.PC != 0x1004 {
				taken++
			}
		}
		if taken < 100 || taken > 300 {
			t.Errorf("%s: %d of 400 side exits taken", name, taken)
		}
	}
}

// TestPairing: a call pushes where it returns to; the callee's RET comes back
// there without the dispatcher; a RET to elsewhere does not.
func TestPairing(t *testing.T) {
	for _, ret := range []uint64{0x1004, 0x7fff00001004} {
		n := newBench(t)
		s := n.m.State
		o := host.Options{Pairing: true}

		// The callee, run on its own first: an empty native stack does not match.
		callee := parse(t, "func 0x2000 size 4\ninsn #0x2000\nv1:i64 = getx #1\nv2:i64 = add v1, 1\nsetx #1, v2\nv4:i64 = getx #30\nret v4")
		n.load(t, callee, o)
		calleeBytes := append([]byte(nil), n.code.Bytes...)
		calleeRelocs := append([]host.Reloc(nil), n.code.Relocs...)
		s.X[1], s.X[30] = 0, 0x5000
		if k := n.m.Run(amd64.ServeHelper); k != cpu.ExitBranch || s.PC != 0x5000 || s.NativeSP != s.NativeTop {
			t.Fatalf("unpaired return: %v at %#x", k, s.PC)
		}

		caller := ir.NewFunc(16)
		caller.Reset(0x1000)
		caller.Emit(ir.OpInsn, ir.Void, caller.Const(ir.I64, 0x1000), ir.None, ir.None)
		caller.Emit(ir.OpSetX, ir.Void, ir.Imm(30), caller.Const(ir.I64, ret), ir.None)
		caller.Emit(ir.OpCall, ir.Void, caller.Const(ir.I64, 0x2000), caller.Const(ir.I64, ret), ir.None)
		n.load(t, caller, o)
		kinds := []host.ExitSiteKind{host.SiteCall, host.SiteRet}
		for i, e := range n.code.Exits {
			if e.Kind != kinds[i] || e.Patch%4 != 0 {
				t.Errorf("exit %d: %+v", i, e)
			}
		}
		// Not linked: the dispatcher is told of the call, with the frame pushed.
		if k := n.m.Run(amd64.ServeHelper); k != cpu.ExitBranch || s.PC != 0x2000 || s.X[30] != ret || s.NativeSP != s.NativeTop-16 {
			t.Fatalf("unlinked call: %v at %#x, x30=%#x, sp %d", k, s.PC, s.X[30], int64(s.NativeSP-s.NativeTop))
		}
		// The dispatcher goes on in the callee, which returns to the continuation.
		at := n.m.Append(calleeBytes, calleeRelocs)
		s.Enter = at
		if k := n.m.Run(amd64.ServeHelper); k != cpu.ExitBranch || s.PC != ret || s.NativeSP != s.NativeTop {
			t.Fatalf("paired return: %v at %#x, sp %d", k, s.PC, int64(s.NativeSP-s.NativeTop))
		}
		if want := n.m.Entry() + uint64(n.code.Exits[1].End); s.ExitFrom != want {
			t.Errorf("the continuation left from %#x, want %#x", s.ExitFrom, want)
		}
		// Linked: all of it in one go.
		n.m.Link(0, at)
		s.Enter, s.X[1] = n.m.Entry(), 0
		if n.m.Run(amd64.ServeHelper); s.PC != ret || s.X[1] != 1 || s.NativeSP != s.NativeTop {
			t.Errorf("linked call: at %#x, x1=%d", s.PC, s.X[1])
		}
		// Recursion without end: the native stack overflows again and again, and
		// the guest never notices.
		n.m.Link(0, n.m.Entry())
		s.Enter = n.m.Entry()
		for range 3 {
			if k := n.m.Run(amd64.ServeHelper); k != cpu.ExitBranch || s.PC != 0x2000 || s.X[30] != ret || s.NativeSP != s.NativeTop {
				t.Fatalf("native stack overflow: %v at %#x", k, s.PC)
			}
			s.Enter = n.m.Entry()
		}
	}
}

// TestReturnOnEmptyStack: no pc matches an empty native stack, 0 included.
func TestReturnOnEmptyStack(t *testing.T) {
	n := newBench(t)
	s := n.m.State
	n.load(t, parse(t, "func 0x2000 size 4\ninsn #0x2000\nv1:i64 = getx #30\nret v1"), host.Options{Pairing: true})
	for _, pc := range []uint64{0, 1, 4, ^uint64(0), n.m.Stub(host.StubIndirectMiss)} {
		s.Enter, s.X[30], s.NativeSP = n.m.Entry(), pc, s.NativeTop
		if k := n.m.Run(amd64.ServeHelper); k != cpu.ExitBranch || s.PC != pc {
			t.Errorf("return to %#x: %v at %#x", pc, k, s.PC)
		}
	}
}

// TestPairingIndirect is TestPairing for BLR.
func TestPairingIndirect(t *testing.T) {
	n := newBench(t)
	s := n.m.State
	o := host.Options{Pairing: true}
	callee := parse(t, "func 0x2000 size 4\ninsn #0x2000\nv1:i64 = getx #1\nv2:i64 = add v1, 1\nsetx #1, v2\nv4:i64 = getx #30\nret v4")
	n.load(t, callee, o)
	calleeBytes := append([]byte(nil), n.code.Bytes...)
	calleeRelocs := append([]host.Reloc(nil), n.code.Relocs...)
	f := parse(t, "func 0x1000 size 4\ninsn #0x1000\nv1:i64 = getx #2\nsetx #30, 0x7fff00001004\ncall_ind v1, #0x7fff00001004, #2")
	n.load(t, f, o)
	at := n.m.Append(calleeBytes, calleeRelocs)
	s.X[1], s.X[2] = 0, 0x2000
	if k := n.m.Run(amd64.ServeHelper); k != cpu.ExitBranch || s.PC != 0x2000 || s.NativeSP != s.NativeTop-16 {
		t.Fatalf("missed indirect call: %v at %#x, sp %d", k, s.PC, int64(s.NativeSP-s.NativeTop))
	}
	s.Enter = at
	if n.m.Run(amd64.ServeHelper); s.PC != 0x7fff00001004 || s.NativeSP != s.NativeTop || s.X[1] != 1 {
		t.Errorf("return from a missed indirect call: %#x, x1=%d", s.PC, s.X[1])
	}
	n.m.SetJump(0x2000, at, cpu.BranchCall)
	s.Enter = n.m.Entry()
	if n.m.Run(amd64.ServeHelper); s.PC != 0x7fff00001004 || s.NativeSP != s.NativeTop || s.X[1] != 2 {
		t.Errorf("indirect call: %#x, x1=%d", s.PC, s.X[1])
	}
	n.m.SetJump(0x2000, n.m.Entry(), cpu.BranchCall)
	s.Enter = n.m.Entry()
	if k := n.m.Run(amd64.ServeHelper); k != cpu.ExitBranch || s.PC != 0x2000 || s.NativeSP != s.NativeTop {
		t.Errorf("native stack overflow: %v at %#x", k, s.PC)
	}
}

// TestExitArgument: kinds, pcs and arguments arrive.
func TestExitArgument(t *testing.T) {
	n := newBench(t)
	s := n.m.State
	for _, c := range []struct {
		text string
		kind cpu.ExitKind
		pc   uint64
		arg  uint64
	}{
		{"exit.syscall #0x1004", cpu.ExitSyscall, 0x1004, 0},
		{"exit_arg.undefined #0x7fff00001000, i32:0xd503201f", cpu.ExitUndefined, 0x7fff00001000, 0xd503201f},
		{"v1:i64 = getx #0\nv2:i32 = trunc v1\nexit_arg.align #0x1000, v2", cpu.ExitAlign, 0x1000, 0x9abcdef0},
		{"v1:i64 = getx #0\nexit_arg.align #0x1000, v1", cpu.ExitAlign, 0x1000, 0x123456789abcdef0},
		{"v1:i64 = getx #0\nreturn v1", cpu.ExitHalt, 0x1000, 0x123456789abcdef0},
	} {
		n.load(t, parse(t, "func 0x1000 size 4\ninsn #0x1000\n"+c.text), host.Options{Features: uint64(x64.Detect())})
		s.X[0], s.ExitArg[0] = 0x123456789abcdef0, 0
		if k := n.m.Run(amd64.ServeHelper); k != c.kind || s.PC != c.pc || s.ExitArg[0] != c.arg {
			t.Errorf("%s: %v pc %#x arg %#x", c.text, k, s.PC, s.ExitArg[0])
		}
	}
}
