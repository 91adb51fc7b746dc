package syscalls

import (
	"bytes"
	"encoding/binary"
	"testing"

	"emu/cpu"
	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// withSVE gives the guest a CPU with scalable vectors.
func (g *guest) withSVE() {
	g.Auxv = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, atHWCAP), 1<<22)
	g.sve, g.Predicates = true, true
}

// Places in the frame of a thread that no fault has stopped: the record of the V registers,
// and the one behind it.
const (
	fpAt  = frRecords
	sveAt = frRecords + fpsimdSize
)

// frameOf enters a handler and returns its frame.
func (g *guest) frameOf() []byte {
	if !g.task.pushFrame(10, &hostsig.Info{}, &sigaction{Handler: handlerPC, Flags: saSiginfo}) {
		g.t.Fatal("no frame")
	}
	f := make([]byte, frSize)
	if e := g.copyIn(f, g.task.State.X[cpu.SP]); e != 0 {
		g.t.Fatal(e)
	}
	return f
}

// onTask runs do on a guest thread whose CPU has scalable vectors.
func onTask(t *testing.T, do func(g *guest, s *cpu.State)) {
	play(t, func(g *guest) []func(*cpu.State) {
		g.withSVE()
		return []func(*cpu.State){func(s *cpu.State) {
			do(g, s)
			call(s, sysGetpid)
		}}
	})
}

// setVectors gives all vectors and predicates values.
func setVectors(s *cpu.State) (was cpu.State) {
	for i := range s.V {
		s.V[i] = [2]uint64{uint64(i), ^uint64(i)}
	}
	for i := range s.P {
		s.P[i] = uint64(0x101*i + 1)
	}
	return *s
}

// A frame has the record of the vectors as asm/sigcontext.h lays it out: SVE_SIG_ZREGS_OFFSET 16,
// SVE_SIG_PREGS_OFFSET(1) 528, SVE_SIG_FFR_OFFSET(1) 560, SVE_SIG_CONTEXT_SIZE(1) 562.
func TestFrameHasVectors(t *testing.T) {
	onTask(t, func(g *guest, s *cpu.State) {
		was := setVectors(s)
		f, le := g.frameOf(), binary.LittleEndian
		r := f[sveAt:]
		for _, c := range []struct {
			what      string
			got, want uint64
		}{
			{"magic", uint64(le.Uint32(r)), 0x53564501}, {"size", uint64(le.Uint32(r[4:])), 576}, {"vl", uint64(le.Uint16(r[8:])), 16}, {"flags", uint64(le.Uint16(r[10:])), 0},
			{"z3", le.Uint64(r[16+48:]), 3}, {"z31 high", le.Uint64(r[16+31*16+8:]), was.V[31][1]},
			{"p0", uint64(le.Uint16(r[528:])), was.P[0]}, {"p15", uint64(le.Uint16(r[528+30:])), was.P[15]}, {"ffr", uint64(le.Uint16(r[560:])), was.P[16]},
			{"padding", le.Uint64(r[562:]), 0}, {"terminator", le.Uint64(r[576:]), 0},
			{"fpsimd v3", le.Uint64(f[fpAt+16+48:]), 3},
		} {
			if c.got != c.want {
				t.Errorf("%s = %#x, want %#x", c.what, c.got, c.want)
			}
		}
		if s.P != was.P {
			t.Errorf("the handler begins with predicates %x, not those that it interrupts", s.P)
		}
		s.P, s.V = predicates{}, [32][2]uint64{}
		if !g.task.popFrame(s.X[cpu.SP]) || s.P != was.P || s.V != was.V {
			t.Errorf("returns with P %x V %x", s.P, s.V)
		}
	})
}

// With all predicates zero the record is a header.
func TestFrameWithoutPredicates(t *testing.T) {
	onTask(t, func(g *guest, s *cpu.State) {
		was := setVectors(s)
		s.P = predicates{}
		r, le := g.frameOf()[sveAt:], binary.LittleEndian
		if le.Uint32(r) != sveMagic || le.Uint32(r[4:]) != 16 || le.Uint16(r[8:]) != 16 || le.Uint64(r[16:]) != 0 {
			t.Errorf("the record is %x", r[:32])
		}
		setVectors(s)
		if !g.task.popFrame(s.X[cpu.SP]) || s.P != (predicates{}) || s.V != was.V {
			t.Errorf("returns with P %x V %x", s.P, s.V)
		}
	})
}

// Predicates of a CPU whose scalable vectors are not announced survive a handler, by a record that is there
// only if they are not zero.
func TestFrameUnannounced(t *testing.T) {
	onTask(t, func(g *guest, s *cpu.State) {
		g.Auxv, g.sve = nil, false
		was := setVectors(s)
		g.frameOf()
		s.P = predicates{}
		if !g.task.popFrame(s.X[cpu.SP]) || s.P != was.P {
			t.Errorf("P %x, want %x", s.P, was.P)
		}
		s.P = predicates{}
		if r := g.frameOf()[sveAt:]; !bytes.Equal(r[:frEnd], make([]byte, frEnd)) {
			t.Errorf("a record without predicates: %x", r[:16])
		}
		s.P[3] = 1
		if !g.task.popFrame(s.X[cpu.SP]) || s.P != (predicates{}) {
			t.Errorf("a handler leaves P %x", s.P)
		}
	})
}

// The record comes behind that of the guarded control stack, and a CPU without scalable vectors has none.
func TestFrameRecordOrder(t *testing.T) {
	kinds := func(f []byte) (all []uint32) {
		for off := frRecords; ; {
			magic, size := binary.LittleEndian.Uint32(f[off:]), int(binary.LittleEndian.Uint32(f[off+4:]))
			if all = append(all, magic); magic == 0 || size == 0 {
				return all
			}
			off += size
		}
	}
	for _, sve := range []bool{false, true} {
		want := []uint32{fpsimdMagic, esrMagic, gcsMagic, 0}
		if sve {
			want = []uint32{fpsimdMagic, esrMagic, gcsMagic, sveMagic, 0}
		}
		onTask(t, func(g *guest, s *cpu.State) {
			if g.sve = sve; sve {
				setVectors(s)
			}
			g.task.fault.esr, s.GCSPR = 0x92000006, 8
			defer func() { g.task.fault.esr, s.GCSPR = 0, 0 }()
			if got := kinds(g.frameOf()); !bytes.Equal(bytesOfAll(got), bytesOfAll(want)) {
				t.Errorf("SVE %t: records %x, want %x", sve, got, want)
			}
		})
	}
}

// rt_sigreturn takes the vectors from the record of the V registers and the predicates from that of the
// vectors, whose header alone makes them zero, as does its absence; and refuses what the kernel refuses.
func TestFrameVectorsChanged(t *testing.T) {
	le := binary.LittleEndian
	put16 := func(at int, v uint16) func([]byte) { return func(f []byte) { le.PutUint16(f[sveAt+at:], v) } }
	for _, c := range []struct {
		what    string
		change  func(f []byte)
		refused bool
		p3      uint64
	}{
		{"nothing", func([]byte) {}, false, 0x304},
		{"a predicate", put16(528+6, 0xaaaa), false, 0xaaaa},
		{"z3", func(f []byte) { le.PutUint64(f[sveAt+16+48:], 99) }, false, 0x304},
		{"v3", func(f []byte) { le.PutUint64(f[fpAt+16+48:], 3) }, false, 0x304},
		{"unknown flags", put16(10, 0x8000), false, 0x304},
		{"the header is all", func(f []byte) { le.PutUint32(f[sveAt+4:], 16); clear(f[sveAt+16 : sveAt+24]) }, false, 0},
		{"no record", func(f []byte) { clear(f[sveAt : sveAt+8]) }, false, 0},
		{"another length", put16(8, 32), true, 0},
		{"no length", put16(8, 0), true, 0},
		{"streaming mode", put16(10, sveStreams), true, 0},
		{"half a header", func(f []byte) { le.PutUint32(f[sveAt+4:], 8) }, true, 0},
		{"no room for FFR", func(f []byte) { le.PutUint32(f[sveAt+4:], 560); clear(f[sveAt+560 : sveAt+568]) }, true, 0},
		{"twice", func(f []byte) { copy(f[sveAt+576:], f[sveAt:sveAt+16]); le.PutUint32(f[sveAt+576+4:], 16) }, true, 0},
	} {
		onTask(t, func(g *guest, s *cpu.State) {
			setVectors(s)
			f := g.frameOf()
			c.change(f)
			if e := g.copyOut(s.X[cpu.SP], f); e != 0 {
				t.Fatal(e)
			}
			s.P[3], s.V[3][0] = 0x1234, 0
			switch ok := g.task.popFrame(s.X[cpu.SP]); {
			case ok == c.refused:
				t.Errorf("%s: refused is %t", c.what, !ok)
			case ok && (s.P[3] != c.p3 || s.V[3][0] != 3):
				t.Errorf("%s: P3 %#x V3 %#x", c.what, s.P[3], s.V[3][0])
			}
		})
	}
}

// A record of the vectors is refused by a CPU that has none.
func TestFrameVectorsUnknown(t *testing.T) {
	onTask(t, func(g *guest, s *cpu.State) {
		setVectors(s)
		g.frameOf()
		if g.Auxv, g.sve, g.Predicates = nil, false, false; g.task.popFrame(s.X[cpu.SP]) {
			t.Error("not refused")
		}
	})
}

// A system call makes the predicates zero, and leaves them alone where they are a part of the engine that the CPU has no
// use for.
func TestCallsDiscardPredicates(t *testing.T) {
	for _, sve := range []bool{true, false} {
		play(t, func(g *guest) []func(*cpu.State) {
			g.withSVE()
			g.sve = sve
			var was cpu.State
			return []func(*cpu.State){
				func(s *cpu.State) {
					was = setVectors(s)
					call(s, sysGetpid)
				},
				func(s *cpu.State) {
					if (s.P == predicates{}) != sve || s.V != was.V {
						t.Errorf("SVE %t: P %x", sve, s.P)
					}
					call(s, sysGetpid)
				},
			}
		})
	}
}

// prctl(2) knows one length.
func TestVectorLength(t *testing.T) {
	onTask(t, func(g *guest, s *cpu.State) {
		const set, get, einval = unix.PR_SVE_SET_VL, unix.PR_SVE_GET_VL, -int64(unix.EINVAL)
		for _, c := range []struct {
			option int
			arg    uint64
			want   int64
		}{
			{get, 0, 16}, {set, 16, 16}, {set, 32, 16}, {set, 8192, 16}, {set, 0, einval}, {set, 8, einval}, {set, 24, einval}, {set, 8208, einval},
			{set, 16 | 1<<16, einval}, {set, 16 | 1<<19, einval}, {set, 16 | 1<<32, einval},
			{set, 16 | 1<<18, 16}, {get, 0, 16}, {set, 256 | 1<<17, 16 | 1<<17}, {get, 0, 16 | 1<<17}, {set, 1, einval}, {get, 7, 16 | 1<<17},
			{set, 16 | 1<<18 | 1<<17, 16 | 1<<17}, {set, 16 | 1<<18, 16}, {get, 0, 16},
		} {
			if got := sysPrctl(g.task, &Args{uint64(c.option), c.arg}); got != c.want {
				t.Errorf("prctl(%d, %#x) = %#x, want %#x", c.option, c.arg, got, c.want)
			}
		}
		g.Auxv = nil
		for _, option := range []uint64{set, get} {
			if got := sysPrctl(g.task, &Args{option, 16}); got != einval {
				t.Errorf("without SVE prctl(%d) = %d", option, got)
			}
		}
	})
}

// NT_ARM_SVE as asm/ptrace.h lays it out: SVE_PT_FPSIMD_OFFSET 16, SVE_PT_SVE_PREGS_OFFSET(1) 528, SVE_PT_SVE_FFR_OFFSET(1)
// 560, SVE_PT_SVE_FPSR_OFFSET(1) 576, SVE_PT_SIZE(1, SVE_PT_REGS_SVE) 592.
func TestVectorRegisterSet(t *testing.T) {
	onTask(t, func(g *guest, s *cpu.State) {
		le := binary.LittleEndian
		s.SetFPStatus(cpu.FPSRInexact)
		was := setVectors(s)
		var b hostsig.Trace
		g.task.inheritVL = true
		g.task.showRegisters(&b)
		set, _, e := g.task.regsetContent(&b, ntArmSVE)
		if e != 0 || len(set) != 592 {
			t.Fatalf("%d bytes, %v", len(set), e)
		}
		for _, c := range []struct {
			what      string
			got, want uint64
		}{
			{"size", uint64(le.Uint32(set)), 592}, {"max_size", uint64(le.Uint32(set[4:])), 592}, {"vl", uint64(le.Uint16(set[8:])), 16}, {"max_vl", uint64(le.Uint16(set[10:])), 16},
			{"flags", uint64(le.Uint16(set[12:])), 1 | 2}, {"z3", le.Uint64(set[16+48:]), 3}, {"p1", uint64(le.Uint16(set[530:])), was.P[1]}, {"ffr", uint64(le.Uint16(set[560:])), was.P[16]},
			{"fpsr", uint64(le.Uint32(set[576:])), cpu.FPSRInexact}, {"fpcr", uint64(le.Uint32(set[580:])), uint64(s.FPMode())},
		} {
			if c.got != c.want {
				t.Errorf("%s = %#x, want %#x", c.what, c.got, c.want)
			}
		}
		b.P = [17]uint16{}
		short, _, _ := g.task.regsetContent(&b, ntArmSVE)
		if len(short) != 544 || le.Uint32(short) != 544 || le.Uint32(short[4:]) != 592 || le.Uint16(short[12:]) != 2 || !bytes.Equal(short[16:], b.FP[:]) {
			t.Errorf("without predicates: %x", short)
		}
		g.Auxv = nil
		if _, _, e := g.task.regsetContent(&b, ntArmSVE); e != unix.EINVAL {
			t.Errorf("without SVE: %v", e)
		}
	})
}

// What PTRACE_SETREGSET of NT_ARM_SVE and NT_PRFPREG makes of the vectors and predicates, for all
// lengths of its buffer.
func TestVectorRegistersSet(t *testing.T) {
	const flags, length = 12, 8
	long, short := make([]byte, 592), make([]byte, 544)
	le := binary.LittleEndian
	for _, set := range [][]byte{long, short} {
		le.PutUint16(set[length:], 16)
		le.PutUint64(set[16+48:], 7)
	}
	le.PutUint16(long[flags:], 1)
	le.PutUint16(long[528+6:], 0xbeef)
	le.PutUint32(long[576:], cpu.FPSRInexact)
	le.PutUint32(short[528:], cpu.FPSRInexact)
	with := func(set []byte, at int, v uint16) []byte {
		set = bytes.Clone(set)
		le.PutUint16(set[at:], v)
		return set
	}
	for _, c := range []struct {
		what   string
		kind   uint64
		set    []byte
		want   unix.Errno
		z3, p3 uint64
		fpsr   uint32
		keeps  bool // predicates and vectors that are not in the set
	}{
		{"all", ntArmSVE, long, 0, 7, 0xbeef, cpu.FPSRInexact, false},
		{"up to P", ntArmSVE, long[:544], 0, 7, 0xbeef, 0, false},
		{"half of the vectors", ntArmSVE, long[:272], 0, 7, 0, 0, false},
		{"the header", ntArmSVE, long[:16], 0, 0, 0, 0, false},
		{"short", ntArmSVE, short, 0, 7, 0, cpu.FPSRInexact, false},
		{"half of the short form", ntArmSVE, short[:272], 0, 7, 0, 0, false},
		{"short for another length", ntArmSVE, with(short, length, 64), 0, 7, 0, cpu.FPSRInexact, false},
		{"nothing", ntArmSVE, nil, unix.EINVAL, 3, 0x304, 0, true},
		{"for another length", ntArmSVE, with(long, length, 64), unix.EIO, 0, 0, 0, false},
		{"no length", ntArmSVE, with(long, length, 8), unix.EINVAL, 3, 0x304, 0, true},
		{"unknown flags", ntArmSVE, with(long, flags, 9), unix.EINVAL, 3, 0x304, 0, true},
		{"no multiple of 16", ntArmSVE, long[:584], unix.EINVAL, 3, 0x304, 0, true},
		{"NT_PRFPREG", ntPrfpreg, short[16:], 0, 7, 0, cpu.FPSRInexact, false},
		{"part of NT_PRFPREG", ntPrfpreg, short[16:272], 0, 7, 0, 0, true},
	} {
		onTask(t, func(g *guest, s *cpu.State) {
			setVectors(s)
			s.SetFPStatus(0)
			tr := &tracee{trace: &hostsig.Trace{}}
			g.task.showRegisters(tr.trace)
			g.put(64, c.set)
			iov := g.put(0, le.AppendUint64(le.AppendUint64(nil, g.mem+64), uint64(len(c.set))))
			if r := g.task.regset(tr, true, c.kind, iov); r != -int64(c.want) {
				t.Errorf("%s: %d, want %d", c.what, r, -int64(c.want))
			}
			g.task.takeRegisters(tr.trace)
			if s.V[3][0] != c.z3 || s.P[3] != c.p3 || s.FPStatus() != c.fpsr || (s.V[31] == [2]uint64{}) == c.keeps {
				t.Errorf("%s: Z3 %#x P3 %#x FPSR %#x Z31 %x", c.what, s.V[3][0], s.P[3], s.FPStatus(), s.V[31])
			}
		})
	}
}

// PTRACE_GETREGSET of NT_ARM_SVE fills what there is room for. The length that it leaves is the buffer's, but not
// more than of the longest vectors.
func TestVectorRegistersGet(t *testing.T) {
	onTask(t, func(g *guest, s *cpu.State) {
		setVectors(s)
		tr := &tracee{trace: &hostsig.Trace{}}
		g.task.showRegisters(tr.trace)
		want := sveSet(tr.trace)
		for _, c := range []struct {
			room, length uint64
			e            unix.Errno
		}{{16, 16, 0}, {592, 592, 0}, {4096, 4096, 0}, {1 << 20, 8768, 0}, {0, 0, 0}, {584, 584, unix.EINVAL}} {
			g.put(64, make([]byte, 4096))
			iov := g.put(0, binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, g.mem+64), c.room))
			r := g.task.regset(tr, false, ntArmSVE, iov)
			got := make([]byte, 4096)
			g.copyIn(got, g.mem+64)
			length, _ := load[uint64](g.Process, iov+8)
			n := min(c.room, 592)
			if c.e != 0 {
				n = 0
			}
			if r != -int64(c.e) || length != c.length || !bytes.Equal(got[:n], want[:n]) || !bytes.Equal(got[n:], make([]byte, 4096-n)) {
				t.Errorf("room for %d: returns %d, length %d, %x", c.room, r, length, got[:n])
			}
		}
	})
}
