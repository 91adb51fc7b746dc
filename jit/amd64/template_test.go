//go:build linux && amd64

package amd64_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"emu/cpu"
	"emu/decoder"
	"emu/ir/interp"
	"emu/ir/irtest"
	"emu/jit/amd64"
	"emu/jit/asm/x64"
	"emu/jit/host"
	"emu/translate"

	"golang.org/x/sys/unix"
)

// templateBench runs blocks in two ways: by template, and their translation by the
// interpreter of the IR.
type templateBench struct {
	*bench
	memory []byte // around which registers and the pc point: literals reach a megabyte
	before []byte // what near holds before each run
	data   uint64 // the middle of near
	pc     uint64
	tr     *translate.Translator
	interp interp.Machine
	words  []uint32
	goOn   bool // blocks go on behind branches

	through int // how often one did
	left    int // how often a template has left an instruction to the engine
}

const (
	templateAddr   = 0x2345_6000_0000
	templateWindow = 4 << 20
	templateNear   = 1 << 17
	// How far an address and an extended and shifted index of 32 bits are apart at most: nothing
	// else is there.
	templateReach = 1 << 36
)

func newTemplateBench(t testing.TB) *templateBench {
	// Far from everything else: stores go astray here.
	at := uintptr(templateAddr - templateReach)
	p, err := unix.MmapPtr(-1, 0, *(*unsafe.Pointer)(unsafe.Pointer(&at)), 2*templateReach, unix.PROT_NONE,
		unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_FIXED_NOREPLACE|unix.MAP_NORESERVE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.MunmapPtr(p, 2*templateReach) })
	memory := unsafe.Slice((*byte)(p), 2*templateReach)[templateReach:][:templateWindow]
	if err := unix.Mprotect(memory, unix.PROT_READ|unix.PROT_WRITE); err != nil {
		t.Fatal(err)
	}
	n := &templateBench{bench: newBench(t), memory: memory, tr: translate.New(translate.Options{})}
	n.interp.Watch = irtest.Astray(templateAddr-templateReach, templateAddr+templateReach)
	n.data = uint64(uintptr(unsafe.Pointer(&memory[templateWindow/2])))
	n.pc = n.data + templateNear
	for kind := range cpu.NumBranchTypes {
		n.m.SetJump(0x7777_0000_0000+4*(host.JumpCacheEntries-1), 0, kind) // else its pc is that of all ones
	}
	rnd := rand.New(rand.NewPCG(3, 4))
	for k := range n.near() {
		n.near()[k] = byte(rnd.Uint32())
	}
	n.before = bytes.Clone(n.near())
	return n
}

func (n *templateBench) near() []byte {
	return n.memory[templateWindow/2-templateNear:][:2*templateNear]
}

func (n *templateBench) fetch(pc uint64) (uint32, bool) {
	if k := (pc - n.pc) / 4; pc >= n.pc && k < uint64(len(n.words)) {
		return n.words[k], true
	}
	return 0, false
}

// onward lets blocks go on at most words, if goOn is set.
func (n *templateBench) onward(pc uint64) bool {
	_, ok := n.fetch(pc)
	return n.goOn && ok && pc>>2%4 != 0
}

// translated runs the block from pc on by its translation from the machine's state. Where the
// template has gone on behind a branch there are several.
func (n *templateBench) translated(pc uint64) cpu.Exit {
	s := n.m.State
	e := n.interp.Exec(n.tr.Block(pc, n.fetch), s)
	k, _ := slices.BinarySearch(n.code.Onward, pc+1) // they lie one behind the other
	for _, next := range n.code.Onward[k:] {
		if e.Kind != cpu.ExitBranch || s.PC != next {
			break
		}
		n.through++
		e = n.interp.Exec(n.tr.Block(next, n.fetch), s)
	}
	return e
}

// prepare makes registers that are addresses, small numbers or anything.
func (n *templateBench) prepare(r *rand.Rand) {
	s := n.m.State
	randomState(s, r)
	for k := range s.X {
		if r.IntN(3) == 0 {
			s.X[k] = n.data + uint64(r.IntN(64))
		}
	}
	s.X[cpu.SP] = n.data + uint64(16*r.IntN(16))
	s.PC = n.pc
	if r.IntN(16) == 0 {
		s.Pending = cpu.PendSignal
	}
}

// compare runs the words in both ways from the machine's state; done is false if they
// have no template, or would access memory that is not the test's.
func (n *templateBench) compare(t *testing.T, o host.Options) (done bool) {
	t.Helper()
	s := n.m.State
	for k, w := range n.words {
		binary.LittleEndian.PutUint32(n.memory[templateWindow/2+templateNear+4*k:], w)
	}
	if !n.b.Template(n.pc, 0, n.fetch, n.onward, o, &n.code) {
		return false
	}
	before := *s
	near := n.near()
	defer copy(near, n.before)
	e := n.translated(n.pc)
	if e.Kind == cpu.ExitDebug {
		return false
	}
	arg := e.Arg[0]
	if e.Kind == cpu.ExitFault {
		arg &^= 4095
	} else {
		arg = 0
	}
	want := resultOf(s, e.Kind, arg, near)
	after := bytes.Clone(near)

	*s = before
	copy(near, n.before)
	n.m.Load(&n.code)
	kind := n.m.Run(amd64.ServeHelper)
	arg = 0
	switch kind {
	case cpu.ExitTag: // the engine does the instruction
		n.left++
		rest := n.translated(s.PC)
		if kind = rest.Kind; kind == cpu.ExitFault {
			arg = rest.Arg[0] &^ 4095
		}
	case cpu.ExitFault:
		arg = s.FaultAddr &^ 4095
		if s.FaultAddr == 0 && (s.PC != want.pc || e.Kind != kind) {
			return true // an address with a top byte, which the interpreter ignores
		}
		if s.FaultAddr == 0 {
			arg = want.arg // not canonical: the host does not name it
		}
	}
	got := resultOf(s, kind, arg, near)
	d := want.diff(&got)
	if d == "" && !bytes.Equal(near, after) {
		d = "memory differs\n"
	}
	if d != "" {
		for k, w := range n.words {
			d += decoder.Decode(w).Disasm(n.pc+uint64(4*k)) + "\n"
		}
		t.Fatalf("%shost:\n%s", d, strings.Join(n.b.Disasm(n.code.Bytes, n.m.Entry()), "\n"))
	}
	return true
}

// templateConfigs are the hosts that templates are compared on.
func templateConfigs() map[string]host.Options {
	return map[string]host.Options{
		"detected": {Features: uint64(x64.Detect()), Pairing: true, FastPAC: true},
		"baseline": {Pairing: true, FastPAC: true},
		"pairs":    {Features: uint64(x64.Detect()), Pairing: true, FastPAC: true, AtomicPairs: true},
	}
}

const tpidrField = 3<<14 | 3<<11 | 13<<7 | 2 // op0:op1:CRn:CRm:op2

// randomWord is a word of an encoding, of which more are done than of any.
func (n *templateBench) randomWord(op decoder.Op, r *rand.Rand) uint32 {
	w := decoder.RandomWord(op, r.Uint32)
	if op == decoder.MRS_RS_systemmove {
		w = w&^(0xffff<<5) | tpidrField<<5
	}
	return w
}

// likely gives an instruction a base that is mapped, and a small index.
func (n *templateBench) likely(w uint32, r *rand.Rand) {
	s, i := n.m.State, decoder.Decode(w)
	s.X[i.Rn()] = n.data + uint64(16*r.IntN(256))
	if i.Rm() != i.Rn() && i.Rm() != cpu.SP {
		s.X[i.Rm()] = uint64(r.IntN(4096)) - 2048
	}
}

// Every encoding that has a template does by it what its translation does.
func TestTemplatesAgainstTranslation(t *testing.T) {
	n := newTemplateBench(t)
	for name, o := range templateConfigs() {
		r := rand.New(rand.NewPCG(1, 2))
		known := 0
		for _, op := range amd64.TemplateOps() {
			done := 0
			const tries = 40
			for range tries {
				w := n.randomWord(op, r)
				n.prepare(r)
				if r.IntN(8) != 0 {
					n.likely(w, r)
				}
				n.words = []uint32{w}
				if n.compare(t, o) {
					done++
				}
			}
			if done == 0 {
				t.Logf("%s: %v has no template", name, op)
				continue
			}
			known++
		}
		t.Logf("%s: %d encodings", name, known)
		if known < 280 {
			t.Errorf("%s: only %d encodings have a template", name, known)
		}
	}
}

// Blocks of several instructions, of few registers so that they depend on each other:
// what stays in registers, flags that need not be packed, faults in the middle.
func TestTemplateBlocks(t *testing.T) {
	count := 15000
	if testing.Short() {
		count = 4000
	}
	ops := amd64.TemplateOps()
	n := newTemplateBench(t)
	for name, o := range templateConfigs() {
		r := rand.New(rand.NewPCG(5, 6))
		done := 0
		for range count {
			n.prepare(r)
			n.words = n.words[:0]
			few := [...]uint32{1, 5, 6, 19, 21, 30, 31, uint32(r.IntN(32))}
			if r.IntN(8) == 0 { // an address, as compilers write it
				rd := few[r.IntN(6)]
				add := uint32(0x91000000) | r.Uint32N(4096)<<10 | rd<<5 | rd
				n.words = append(n.words, n.randomWord(decoder.ADRP_only_pcreladdr, r)&^0x1f|rd, add)
			}
			for k := 2 + r.IntN(6); k > 0; k-- {
				op := ops[r.IntN(len(ops))]
				w := n.randomWord(op, r)
				for _, at := range [...]uint32{0, 5, 16, 10} { // Rd or Rt, Rn, Rm, Ra or Rt2
					v := w&^(0x1f<<at) | few[r.IntN(len(few))]<<at
					if r.IntN(4) != 0 && op != decoder.MRS_RS_systemmove && decoder.Decode(v).Op == op {
						w = v
					}
				}
				n.words = append(n.words, w)
			}
			for _, k := range few[:5] {
				n.m.State.X[k] = n.data + uint64(16*r.IntN(256))
			}
			if n.compare(t, o) {
				done++
			}
		}
		t.Logf("%s: %d blocks", name, done)
		if done < count/10 {
			t.Errorf("%s: only %d blocks of %d have a template", name, done, count)
		}
	}
}

// TestTemplateEndsInAddress: a block whose last instructions are ADRP and ADD, which share a
// template, goes on behind both. Once it went on at the ADD, which was done twice.
func TestTemplateEndsInAddress(t *testing.T) {
	n := newTemplateBench(t)
	for name, o := range templateConfigs() {
		r := rand.New(rand.NewPCG(7, 8))
		for rd := range uint32(31) {
			n.prepare(r)
			add := uint32(0x91000000) | r.Uint32N(4096)<<10 | rd<<5 | rd
			n.words = append(n.words[:0], n.randomWord(decoder.ADRP_only_pcreladdr, r)&^0x1f|rd, add)
			if !n.compare(t, o) {
				t.Errorf("%s: no template", name)
			}
		}
	}
}

// near makes a branch go so many words forward.
func near(op decoder.Op, w, words uint32) uint32 {
	switch op.Group() {
	case "branch_imm":
		return w&^0x3ffffff | words
	case "testbranch":
		return w&^(0x3fff<<5) | words<<5
	}
	return w&^(0x7ffff<<5) | words<<5
}

// Blocks that go on behind branches, and at their targets: what stays in registers over them, and
// registers and flags where they leave.
func TestTemplatesGoOn(t *testing.T) {
	count := 10000
	if testing.Short() {
		count = 2000
	}
	ops := amd64.TemplateOps()
	var branches, others []decoder.Op
	for _, op := range ops {
		switch op.Group() {
		case "condbranch", "compbranch", "testbranch", "branch_imm":
			branches = append(branches, op)
		default:
			others = append(others, op)
		}
	}
	n := newTemplateBench(t)
	n.goOn = true
	for name, o := range templateConfigs() {
		r := rand.New(rand.NewPCG(7, 8))
		done := 0
		n.through = 0
		for range count {
			n.prepare(r)
			n.words = n.words[:0]
			few := [...]uint32{1, 5, 6, 19, 21, 30, 31, uint32(r.IntN(32))}
			word := func(op decoder.Op, fields ...uint32) {
				w := n.randomWord(op, r)
				for _, at := range fields {
					v := w&^(0x1f<<at) | few[r.IntN(len(few))]<<at
					if r.IntN(4) != 0 && op != decoder.MRS_RS_systemmove && decoder.Decode(v).Op == op {
						w = v
					}
				}
				n.words = append(n.words, w)
			}
			for range 2 + r.IntN(3) {
				for range r.IntN(4) {
					word(others[r.IntN(len(others))], 0, 5, 16, 10)
				}
				op := branches[r.IntN(len(branches))]
				if op.Group() == "condbranch" || op.Group() == "branch_imm" {
					word(op)
				} else {
					word(op, 0)
				}
				if r.IntN(2) == 0 { // forward, to near where the block may go on
					n.words[len(n.words)-1] = near(op, n.words[len(n.words)-1], 2+r.Uint32N(6))
				}
			}
			for _, k := range few[:5] {
				n.m.State.X[k] = n.data + uint64(16*r.IntN(256))
			}
			if n.compare(t, o) {
				done++
			}
		}
		t.Logf("%s: %d blocks, %d times behind a branch", name, done, n.through)
		if done < count/10 || n.through < count/20 {
			t.Errorf("%s: only %d blocks of %d have a template, %d times one went on", name, done, count, n.through)
		}
	}
}

// BenchmarkTemplate measures an instruction of a block, decoding included.
func BenchmarkTemplate(b *testing.B) {
	n := newTemplateBench(b)
	n.words = []uint32{
		0xa9be7bfd, // stp x29, x30, [sp, #-32]!
		0x910003fd, // mov x29, sp
		0xf9000bf3, // str x19, [sp, #16]
		0xf9400bf5, // ldr x21, [sp, #16]
		0xf10006bf, // cmp x21, #1
		0x54000000, // b.eq .
	}
	o := host.Options{Features: uint64(x64.Detect()), Pairing: true, Count: true}
	b.ReportAllocs()
	for b.Loop() {
		if !n.b.Template(n.pc, 0, n.fetch, nil, o, &n.code) {
			b.Fatal("no template")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(n.words)), "ns/inst")
}

// TestTemplatePAC signs return addresses and checks them: right codes without the engine, wrong ones, addresses with a
// top byte or of the kernel, and keys that are off.
func TestTemplatePAC(t *testing.T) {
	const paciasp, pacibsp, autiasp, autibsp = 0xd503233f, 0xd503237f, 0xd50323bf, 0xd50323ff
	n := newTemplateBench(t)
	s := n.m.State
	r := rand.New(rand.NewPCG(11, 12))
	for name, o := range templateConfigs() {
		for _, c := range []struct {
			name  string
			words []uint32
			top   uint64 // of X30
			key   uint64 // PACEnabled
			left  bool   // an instruction to the engine
		}{
			{"key A", []uint32{paciasp, autiasp}, 0, ^uint64(0), false},
			{"key B", []uint32{pacibsp, autibsp}, 0, ^uint64(0), false},
			{"other keys", []uint32{paciasp, autibsp}, 0, ^uint64(0), true},
			{"off", []uint32{paciasp, autibsp}, 0, 0, false},
			{"signed twice", []uint32{paciasp, paciasp}, 0, ^uint64(0), true},
			{"not signed", []uint32{autiasp}, 0, ^uint64(0), true},
			{"top byte", []uint32{paciasp, autiasp}, 0x12 << 56, ^uint64(0), true},
			{"kernel", []uint32{paciasp, autiasp}, 0xffff << 48, ^uint64(0), true},
			{"between others", []uint32{0xeb03005f, paciasp, 0x54000041, autiasp}, 0, ^uint64(0), false}, // cmp x2, x3; ...; b.ne .+8
		} {
			n.left = 0
			for range 200 {
				n.prepare(r)
				s.Pending = 0
				s.X[30] = c.top | r.Uint64()&(1<<48-1)
				for k := range s.APKeys {
					s.APKeys[k] = [2]uint64{r.Uint64(), r.Uint64()}
				}
				for k := range s.PACEnabled {
					s.PACEnabled[k] = c.key
				}
				n.words = c.words
				if !n.compare(t, o) {
					t.Fatalf("%s, %s: no template", name, c.name)
				}
			}
			if got := n.left > 100; got != c.left || !c.left && n.left > 4 { // one code in 128 is right by chance
				t.Errorf("%s, %s: left to the engine %d times", name, c.name, n.left)
			}
		}
	}
}
