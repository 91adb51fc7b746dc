package tier0

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"
	"unsafe"

	"emu/cpu"
	"emu/decoder"
	"emu/internal/a64crypto"
	"emu/ir/interp"
	"emu/ir/irtest"
	"emu/translate"

	"golang.org/x/sys/unix"
)

// window is guest memory around which registers and the pc point: loads of literals
// reach a megabyte in both directions.
const window = 4 << 20

// nearby is how far other accesses reach that do not fault.
const nearby = 1 << 17

// reach is how far an address and an extended and shifted index of 32 bits are apart at
// most. Nothing is mapped there but the window: stores to what random indices make
// once hit the memory of Go's runtime.
const reach = 1 << 36

// judge executes instructions in two ways.
type judge struct {
	memory []byte
	before []byte // what near holds before each run
	after  []byte // and after that of the interpreter
	data   uint64 // the middle of near
	pc     uint64
	tr     *translate.Translator
	interp interp.Machine
	direct *Machine
	words  []uint32
}

func newJudge(t testing.TB) *judge {
	t.Helper()
	around, err := unix.Mmap(-1, 0, 2*reach, unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Munmap(around) })
	memory := around[reach-window/2:][:window]
	if err := unix.Mprotect(memory, unix.PROT_READ|unix.PROT_WRITE); err != nil {
		t.Fatal(err)
	}
	j := &judge{memory: memory, data: uint64(uintptr(unsafe.Pointer(&memory[window/2]))), tr: translate.New(translate.Options{})}
	j.pc = j.data + nearby
	start := uint64(uintptr(unsafe.Pointer(&around[0])))
	j.interp.Watch = irtest.Astray(start, start+2*reach)
	j.direct = New(func(pc uint64) (start, end uint64, ok bool) {
		start, end = j.pc, j.pc+4*uint64(len(j.words))
		return start, end, start <= pc && pc < end
	})
	j.direct.FastPAC = true
	rnd := rand.New(rand.NewPCG(3, 4))
	for n := range j.near() {
		j.near()[n] = byte(rnd.Uint32())
	}
	j.before = append(j.before, j.near()...)
	return j
}

// fetch reads from words, which stand at pc.
func (j *judge) fetch(pc uint64) (uint32, bool) {
	if n := (pc - j.pc) / 4; pc >= j.pc && n < uint64(len(j.words)) {
		return j.words[n], true
	}
	return 0, false
}

// near are the bytes that an instruction can reach whose base points to the middle, but
// for literals, which are only loaded.
func (j *judge) near() []byte { return j.memory[window/2-nearby:][:2*nearby] }

// place puts the words to be executed at the pc.
func (j *judge) place(words ...uint32) {
	j.words = words
	j.direct.Forget()
	for n, w := range words {
		binary.LittleEndian.PutUint32(j.memory[window/2+nearby+4*n:], w)
	}
}

// state is random, with registers that are addresses, small numbers or anything but
// addresses of something else: of powers of two only those that are none.
func (j *judge) state(rnd *rand.Rand) *cpu.State {
	s := &cpu.State{PC: j.pc, NZCV: cpu.PackNZCV(rnd.Uint32()), TPIDR: rnd.Uint64()}
	for n := range s.X {
		switch rnd.IntN(4) {
		case 0:
			s.X[n] = rnd.Uint64()
		case 1:
			s.X[n] = uint64(rnd.IntN(16)) - 8
		case 2:
			s.X[n] = 1 << [...]int{rnd.IntN(12), 47 + rnd.IntN(17)}[rnd.IntN(2)]
		case 3:
			s.X[n] = j.data + uint64(rnd.IntN(64))
		}
	}
	for n := range s.V {
		s.V[n] = [2]uint64{rnd.Uint64(), rnd.Uint64()}
	}
	return s
}

// run executes words from s, in here or by the interpreter of the IR, and returns
// whether it got to the end, or would have accessed memory that is not the judge's.
func (j *judge) run(s *cpu.State, direct bool) (done, astray bool) {
	if direct {
		_, done = j.direct.Run(s, func() bool { return false })
		return done, false
	}
	exit := j.interp.Exec(j.tr.Block(s.PC, j.fetch), s)
	return exit.Kind == cpu.ExitBranch || exit.Kind == cpu.ExitMode, exit.Kind == cpu.ExitDebug // SP is misaligned
}

// compare executes an instruction in both ways. It returns whether it is executed here.
func (j *judge) compare(t *testing.T, s *cpu.State) bool {
	t.Helper()
	near := j.near()
	want, got := *s, *s
	wantDone, astray := j.run(&want, false)
	j.after = append(j.after[:0], near...)
	copy(near, j.before)
	if astray {
		return false
	}
	done, _ := j.run(&got, true)
	text := ""
	for n, w := range j.words {
		text += decoder.Decode(w).Disasm(j.pc+uint64(4*n)) + "; "
	}
	if !done { // as a whole, be it that it faults or for an address with a top byte
		want = *s
		copy(j.after, j.before)
	} else if !wantDone {
		t.Fatalf("%s: interpreted it does not get to the end", text)
	}
	if got != want {
		t.Errorf("%s: pc %#x, nzcv %#x, interpreted %#x, %#x", text, got.PC-j.pc, got.NZCV, want.PC-j.pc, want.NZCV)
		for n := range got.X {
			if got.X[n] != want.X[n] {
				t.Errorf("X%d from %#x to %#x, interpreted %#x", n, s.X[n], got.X[n], want.X[n])
			}
		}
		for n := range got.V {
			if got.V[n] != want.V[n] {
				t.Errorf("V%d from %#x to %#x, interpreted %#x", n, s.V[n], got.V[n], want.V[n])
			}
		}
		t.FailNow()
	}
	if !bytes.Equal(j.after, near) {
		t.Fatalf("%s: memory differs", text)
	}
	copy(near, j.before)
	return done
}

// mostlySigned makes keys, and X30 mostly what the instructions that sign and authenticate it meet in programs.
func mostlySigned(op decoder.Op, s *cpu.State, rnd *rand.Rand) {
	for k := range s.APKeys {
		s.APKeys[k] = [2]uint64{rnd.Uint64(), rnd.Uint64()}
	}
	for k := range s.PACEnabled {
		s.PACEnabled[k] = ^uint64(0)
	}
	if rnd.IntN(8) == 0 {
		return
	}
	auth, key := a64crypto.PointerAuth{Fast: true, PAuth2: true}, cpu.KeyIA
	switch op {
	case decoder.PACIASP_HI_hints, decoder.PACIBSP_HI_hints:
		s.X[30] &= 1<<48 - 1
	case decoder.AUTIBSP_HI_hints:
		key = cpu.KeyIB
		fallthrough
	case decoder.AUTIASP_HI_hints:
		k := s.APKeys[key]
		s.X[30] = auth.Add(s.X[30]&(1<<48-1), s.X[cpu.SP], a64crypto.PACKey{Lo: k[0], Hi: k[1]})
	}
}

// Every encoding that is executed here does what its translation does.
func TestAgainstTranslation(t *testing.T) {
	j := newJudge(t)
	rnd := rand.New(rand.NewPCG(1, 2))
	rows := table()
	known := 0
	for op := decoder.Op(1); op < decoder.NumOps; op++ {
		if rows.of(op).fn == nil {
			continue
		}
		known++
		done := 0
		const tries = 40
		for range tries {
			word := decoder.RandomWord(op, rnd.Uint32)
			s := j.state(rnd)
			i := decoder.Decode(word)
			if op == decoder.MRS_RS_systemmove {
				word = word&^(0xffff<<5) | tpidr<<5
			}
			if rnd.IntN(8) != 0 { // mostly without a fault
				s.X[i.Rn()] = j.data + uint64(rnd.IntN(4096))
				if i.Rm() != i.Rn() {
					s.X[i.Rm()] = uint64(rnd.IntN(4096)) - 2048
				}
			}
			s.X[cpu.SP] &^= 15
			mostlySigned(op, s, rnd)
			j.place(word)
			if j.compare(t, s) {
				done++
			}
		}
		if done < tries/2 {
			t.Errorf("%v: %d of %d are executed here", op, done, tries)
		}
	}
	if known < 200 {
		t.Errorf("only %d encodings are executed here", known)
	}
	t.Logf("%d encodings", known)
}

// An access that faults in the middle of a block leaves the state of the instruction
// before it, and the pc at it.
func TestFault(t *testing.T) {
	j := newJudge(t)
	s := &cpu.State{PC: j.pc}
	s.X[1], s.X[2] = 8, 7
	j.place(
		0x91000442, // add x2, x2, #1
		0xf8408423, // ldr x3, [x1], #8
		0xd65f03c0, // ret
	)
	if blocks, done := j.direct.Run(s, func() bool { return true }); blocks != 0 || done {
		t.Errorf("%d blocks, done = %v", blocks, done)
	}
	if s.PC != j.pc+4 || s.X[1] != 8 || s.X[2] != 8 || s.X[3] != 0 {
		t.Errorf("pc %#x, x1 %d, x2 %d, x3 %d", s.PC-j.pc, s.X[1], s.X[2], s.X[3])
	}
}

// A block ends where SP gets misaligned.
func TestMisalignedStack(t *testing.T) {
	j := newJudge(t)
	s := &cpu.State{PC: j.pc}
	s.X[cpu.SP] = j.data &^ 15
	j.place(
		0xd10043ff, // sub sp, sp, #16
		0xd10023ff, // sub sp, sp, #8
		0xf94003e1, // ldr x1, [sp]
		0xd65f03c0, // ret
	)
	if blocks, done := j.direct.Run(s, func() bool { return true }); blocks != 0 || !done || s.PC != j.pc+8 || s.X[1] != 0 {
		t.Errorf("%d blocks, done = %v, pc %#x, x1 %#x", blocks, done, s.PC-j.pc, s.X[1])
	}
}

// What is not executed here declines the whole block, whatever comes before it.
func TestDeclines(t *testing.T) {
	j := newJudge(t)
	s := &cpu.State{PC: j.pc}
	j.place(0x91000442, 0xd4000001) // add x2, x2, #1; svc #0
	if blocks, done := j.direct.Run(s, func() bool { return true }); blocks != 0 || done || s.PC != j.pc || s.X[2] != 0 {
		t.Errorf("%d blocks, done = %v, pc %#x, x2 %d", blocks, done, s.PC-j.pc, s.X[2])
	}
}

// A return takes the pair of its call off the native stack, and leaves that of another.
func TestReturnPops(t *testing.T) {
	j := newJudge(t)
	stack := (*[8]uint64)(unsafe.Pointer(&j.memory[0]))
	top := uint64(uintptr(unsafe.Pointer(stack)))
	stack[1] = j.pc + 64
	for _, c := range []struct{ to, sp uint64 }{{j.pc + 64, top + 16}, {j.pc + 68, top}} {
		s := &cpu.State{PC: j.pc, NativeSP: top, NativeTop: top + 32}
		s.X[30] = c.to
		j.place(0xd65f03c0) // ret
		if _, done := j.direct.Run(s, func() bool { return false }); !done || s.PC != c.to || s.NativeSP != c.sp {
			t.Errorf("done = %v, pc %#x, sp %#x: want %#x, %#x", done, s.PC, s.NativeSP, c.to, c.sp)
		}
		if j.direct.Branch != Indirect {
			t.Errorf("branch %d", j.direct.Branch)
		}
	}
}

// BenchmarkRun measures an instruction, decoding included.
func BenchmarkRun(b *testing.B) {
	j := newJudge(b)
	s := &cpu.State{PC: j.pc}
	s.X[cpu.SP] = j.data
	j.place(
		0xa9be7bfd, // stp x29, x30, [sp, #-32]!
		0x910003fd, // mov x29, sp
		0xf9000bf3, // str x19, [sp, #16]
		0xf9400bf3, // ldr x19, [sp, #16]
		0xf100067f, // cmp x19, #1
		0xa8c27bfd, // ldp x29, x30, [sp], #32
		0x54000000, // b.eq .
	)
	b.ReportAllocs()
	for b.Loop() {
		s.PC = j.pc
		j.direct.Run(s, func() bool { return false })
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(j.words)), "ns/inst")
}
