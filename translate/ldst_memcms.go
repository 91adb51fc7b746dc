package translate

import (
	"emu/decoder"
	"emu/ir"
)

// Memory copy and memory set (FEAT_MOPS). Of the two ways in which a processor may
// keep what is left to do in the registers this one takes option B (PSTATE.C set):
// the addresses advance and Xn counts down. The prologue moves no bytes, the main
// instruction moves all of them, and the epilogue what an interrupted main
// instruction has left. The registers are right after each chunk, so that a fault
// or a signal stops the loop and executing the instruction again goes on with it.
//
// Forms that differ in privilege or in hints about reuse are the same at EL0.

var memoryGroups = []groupRule{
	{decoder.ClassGeneral, "memcms", memoryCopySet, false},
}

const (
	// What the prologues saturate Xn to (Arm ARM, CPYP and SETP).
	maxCopy       = 1<<55 - 1
	maxForward    = 1<<63 - 1
	flagsForward  = 0b0010 // C: option B, forward
	flagsBackward = 0b1010 // N and C: option B, backward
	condMI        = 4
	addressBits   = 56 // those that the prologue of CPY compares
)

// CPYF{P|M|E}*, CPY{P|M|E}* [<Xd>]!, [<Xs>]!, <Xn>!; SET{P|M|E}* [<Xd>]!, <Xn>!, <Xs>
func memoryCopySet(t *Translator, i decoder.Inst) {
	d, s, n := i.Rd(), i.Rs(), i.Rn()
	stage, set := i.Bits(23, 22), i.Bits(23, 22) == 3
	if set {
		stage = i.Bits(15, 14)
	}
	overlap := i.Bit(26) == 1
	switch {
	case d == s || d == n || s == n || d == 31 || n == 31 || s == 31 && !set,
		set && overlap && !t.cpu.mte:
		t.undefined()
	case set && overlap:
		t.setTags(stage == 0, d, n, s)
	case stage == 0 && !overlap:
		t.SetX(n, t.Op2(ir.OpUMin, t.X(n), t.I64(maxForward)))
		t.SetNZCV(t.Const(ir.Flags, flagsForward))
	case stage == 0:
		t.copyPrologue(d, s, n)
	case set:
		t.setBytes(d, n, s, stage == 1)
	case !overlap:
		t.copyBytes(forward, d, s, n, stage == 1)
	default:
		t.If(t.cond(condMI))
		t.copyBytes(backward, d, s, n, stage == 1)
		t.Else()
		t.copyBytes(forward, d, s, n, stage == 1)
		t.End()
	}
}

// copyPrologue chooses the direction: backward where the destination lies in the
// source behind its start.
func (t *Translator) copyPrologue(d, s, n uint32) {
	size := t.Op2(ir.OpUMin, t.X(n), t.I64(maxCopy))
	field := func(v ir.Value) ir.Value { return t.Op3(ir.OpUbfx, v, ir.Imm(0), ir.Imm(addressBits)) }
	to, from := field(t.X(d)), field(t.X(s))
	behind := t.Zext(ir.I64, t.ICmp(ir.ULT, from, to))
	inside := t.Zext(ir.I64, t.ICmp(ir.ULT, to, t.Add(from, size)))
	backward := t.ICmp(ir.NE, t.And(behind, inside), ir.Imm(0))
	shift := t.Select(backward, size, ir.Imm(0))
	flags := t.Select(backward, t.Const(ir.Flags, flagsBackward), t.Const(ir.Flags, flagsForward))
	t.SetX(d, t.Add(t.X(d), shift))
	t.SetX(s, t.Add(t.X(s), shift))
	t.SetX(n, size)
	t.SetNZCV(flags)
}

// mover moves what is left of a copy or set.
type mover struct {
	*Translator
	direction direction
	n         uint32    // the register with the number of bytes
	ends      []uint32  // those with addresses
	written   ir.RegSet // all of them
	// value is what goes to where ends[0]+off is, of the type.
	value func(ty ir.Type, off ir.Value) ir.Value
	// whole moves a chunk to where ends[0]+off is.
	whole func(off ir.Value)
}

type direction int

const (
	forward  direction = 1
	backward direction = -1
)

const (
	chunkSize    = 64 // what OpCopy64 and OpSet64 store
	leastAligned = 4 * chunkSize
	leastStretch = 16 << 10
	mostStretch  = 1 << 15
)

// copyBytes is a main instruction, for which all may be left to do, or an epilogue.
func (t *Translator) copyBytes(to direction, d, s, n uint32, main bool) {
	m := mover{
		t, to, n, []uint32{d, s}, ir.RegSet{X: 1<<d | 1<<s | 1<<n},
		func(ty ir.Type, off ir.Value) ir.Value { return t.Load(ty, t.X(s), off) },
		func(off ir.Value) { t.Op3(ir.OpCopy64, t.X(d), t.X(s), off) },
	}
	if !main {
		m.rest()
		return
	}
	// Chunks and what is left behind them are moved in pieces before the registers change. A
	// fault in the middle starts them again, which source and destination must not notice.
	t.If(t.overlap(d, s, chunkSize))
	m.overlapping()
	t.Else()
	m.most()
	m.tail()
	t.End()
}

// overlap is whether size bytes at two addresses share any.
func (t *Translator) overlap(d, s uint32, size uint64) ir.Value {
	distance := t.AddI(t.Sub(t.X(d), t.X(s)), size-1)
	return t.ICmp(ir.ULT, t.Op3(ir.OpUbfx, distance, ir.Imm(0), ir.Imm(addressBits)), t.I64(2*size-1))
}

// setBytes is copyBytes for SET.
func (t *Translator) setBytes(d, n, s uint32, main bool) {
	const everyByte = 0x0101010101010101
	all := t.Mul(t.Zext(ir.I64, t.Trunc(ir.I8, t.X(s))), t.I64(everyByte))
	m := mover{
		t, forward, n, []uint32{d}, ir.RegSet{X: 1<<d | 1<<n},
		func(ty ir.Type, off ir.Value) ir.Value {
			switch {
			case ty.InXMM():
				return t.VDup(all)
			case ty == ir.I64:
				return all
			}
			return t.Trunc(ty, all)
		},
		func(off ir.Value) { t.Op3(ir.OpSet64, t.X(d), all, off) },
	}
	if !main {
		m.rest()
		return
	}
	m.most()
	m.tail()
}

// move moves a piece at a distance from where the registers point.
func (m *mover) move(ty ir.Type, off ir.Value) {
	m.Store(m.value(ty, off), m.X(m.ends[0]), off)
}

// advance says that n bytes have been moved.
func (m *mover) advance(n ir.Value) {
	for _, r := range m.ends {
		if m.direction == forward {
			m.SetX(r, m.Add(m.X(r), n))
		} else {
			m.SetX(r, m.Sub(m.X(r), n))
		}
	}
	m.SetX(m.n, m.Sub(m.X(m.n), n))
}

// loop executes the steps, which advance by size bytes or more, until less is left.
func (m *mover) loop(size int, step func()) {
	m.LoopRegs(m.written)
	m.poll()
	m.If(m.ICmp(ir.ULT, m.X(m.n), m.I64(uint64(size))))
	m.Break(0)
	m.End()
	step()
	m.Continue(0)
	m.End()
}

// from is the offset of the byte k of the next size bytes.
func (m *mover) from(size, k int) ir.Value {
	if m.direction == backward {
		k -= size
	}
	return m.I64(uint64(int64(k)))
}

// rest moves what may overlap at any distance, or little: the registers are right after
// each step, which loads all of its bytes before it stores one and which faults as a whole
// or not at all, as it stores to one page. The direction keeps later steps' sources apart
// from what earlier ones have stored.
func (m *mover) rest() {
	m.If(m.ICmp(ir.NE, m.X(m.n), ir.Imm(0)))
	m.loop(ir.V2I64.Bytes(), func() { m.step(ir.V2I64, ir.V2I64.Bytes()) })
	m.bits(m.X(m.n), ir.V2I64.Bytes())
	m.End()
}

// overlapping is rest for what may be long: most of it goes in chunks that begin at
// multiples of their size, so that none lies in two pages.
func (m *mover) overlapping() {
	if !m.cpu.mte { // a page has many granules
		m.If(m.ICmp(ir.UGE, m.X(m.n), m.I64(leastAligned)))
		m.align()
		m.fours()
		m.loop(chunkSize, m.chunk)
		m.End()
	}
	m.rest()
}

// align moves what lies between where the destination's register points and a multiple of
// a chunk.
func (m *mover) align() {
	ahead := m.X(m.ends[0])
	if m.direction == forward {
		ahead = m.Neg(ahead)
	}
	m.bits(ahead, chunkSize)
}

// bits moves as many bytes as n is modulo the size, a power of two: one step for each bit.
func (m *mover) bits(n ir.Value, size int) {
	for k, ty := range [...]ir.Type{ir.I8, ir.I16, ir.I32, ir.I64, ir.V2I64, ir.V2I64} {
		if 1<<k < size {
			m.If(m.ICmp(ir.NE, m.AndI(n, 1<<k), ir.Imm(0)))
			m.step(ty, 1<<k)
			m.End()
		}
	}
}

// step moves size bytes in pieces of the type, all of which it loads first.
func (m *mover) step(ty ir.Type, size int) {
	var values, offs []ir.Value
	for k := 0; k < size; k += ty.Bytes() {
		off := m.from(size, k)
		values, offs = append(values, m.value(ty, off)), append(offs, off)
	}
	for k, v := range values {
		m.Store(v, m.X(m.ends[0]), offs[k])
	}
	m.advance(m.I64(uint64(size)))
}

// stretches copies upward what is long enough for the host's own copy instruction to be
// faster than chunks, and as far as source and destination do not overlap: a fault starts a
// stretch again.
func (m *mover) stretches() {
	d, s := m.ends[0], m.ends[1]
	m.loop(leastStretch, func() {
		size := m.AndI(m.Op2(ir.OpUMin, m.X(m.n), m.I64(mostStretch)), ^uint64(chunkSize-1))
		m.If(m.overlap(d, s, mostStretch))
		m.Break(0)
		m.End()
		m.Op3(ir.OpCopy, m.X(d), m.X(s), size)
		m.advance(size)
	})
}

// most moves all but less than a chunk, if there is that much. The first of some chunks makes
// the others begin at multiples of their size, as each store would be in two lines otherwise:
// it moves some of what the second one does.
func (m *mover) most() {
	m.If(m.ICmp(ir.UGE, m.X(m.n), m.I64(chunkSize)))
	if m.tags == tagsFault {
		m.If(m.ICmp(ir.UGE, m.X(m.n), m.I64(leastAligned)))
		m.whole(m.from(chunkSize, 0))
		ahead := m.AndI(m.X(m.ends[0]), chunkSize-1)
		if m.direction == forward {
			ahead = m.Sub(m.I64(chunkSize), ahead)
		}
		m.advance(ahead)
		if m.direction == forward && len(m.ends) == 2 {
			m.stretches()
		}
		m.fours()
		m.End()
	}
	m.loop(chunkSize, m.chunk)
	m.End()
}

// fours moves four chunks at a time.
func (m *mover) fours() {
	m.loop(4*chunkSize, func() {
		for range 4 {
			m.chunk()
		}
	})
}

// chunk is a step of a whole chunk. Loads go in front of stores, as one right behind a store
// to the same place of another page waits for it.
func (m *mover) chunk() {
	if m.tags != tagsFault {
		m.step(ir.V2I64, chunkSize)
		return
	}
	m.whole(m.from(chunkSize, 0))
	m.advance(m.I64(chunkSize))
}

// tail moves less than a chunk, without a loop: pieces at both ends that may overlap.
func (m *mover) tail() {
	n := m.X(m.n)
	first := func(k int) ir.Value { // the byte k
		if m.direction == backward {
			return m.Sub(m.I64(uint64(k)), n)
		}
		return m.I64(uint64(k))
	}
	last := func(k int) ir.Value { // the byte k from the end
		if m.direction == backward {
			return m.I64(-uint64(k))
		}
		return m.SubI(n, uint64(k))
	}
	least := func(k uint64) { m.If(m.ICmp(ir.UGE, n, m.I64(k))) }
	least(16)
	{
		m.move(ir.V2I64, first(0))
		least(32)
		m.move(ir.V2I64, first(16))
		m.move(ir.V2I64, last(32))
		m.End()
		m.move(ir.V2I64, last(16))
	}
	m.Else()
	{
		least(8)
		m.move(ir.I64, first(0))
		m.move(ir.I64, last(8))
		m.Else()
		least(4)
		m.move(ir.I32, first(0))
		m.move(ir.I32, last(4))
		m.Else()
		least(1)
		middle := m.LShrI(n, 1)
		if m.direction == backward {
			middle = m.Sub(middle, n)
		}
		m.move(ir.I8, first(0))
		m.move(ir.I8, middle)
		m.move(ir.I8, last(1))
		m.End()
		m.End()
		m.End()
	}
	m.End()
	m.advance(n)
}
