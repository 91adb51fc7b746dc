package amd64

import (
	"math"
	"sync"

	"emu/decoder"
	"emu/ir"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

// Templates. Most blocks are compiled once and run a few hundred times: for them the IR
// and its walk cost more than they give. So a block whose instructions are all common
// ones - integers, branches, loads and stores - is emitted without IR, each
// instruction by the function of its encoding group.
//
// Registers are written through: a pin is in its host register and any other
// guest register in the state as soon as the instruction that sets it is done. So the
// recipe of every fault is the same, and cold code has nothing to store. What was loaded
// or computed stays in one of templateRegs for the rest of the block, so that it is not
// loaded again. NZCV is in the state wherever something may look at it; what makes flags
// that the block itself overwrites before that does not pack them.
//
// The code's conventions are those of all units (package host). Every encoding that
// has a template is tested against its translation.

// templateFn emits an instruction, or declines the block. It does its accesses to memory
// before it changes any guest register.
type templateFn func(t *template, i decoder.Inst)

// templateRule says which function emits the encodings of a group that the base of
// Armv8 has.
type templateRule struct {
	class decoder.Class
	group string
	fn    templateFn
	flags templateFlags
}

// templateFlags are the properties of a group.
type templateFlags uint8

const (
	templateEnds    templateFlags = 1 << iota // the block ends with it
	templateCond                              // unless it goes on behind it
	templateMemory                            // it may fault: State has to be right
	templateSets                              // it sets NZCV
	templateSetsS                             // it sets NZCV if bit 29 is set
	templateSetsAnd                           // it sets NZCV if bits 30:29 are
	templateReads                             // it reads NZCV
	templateStack                             // it may leave behind itself if Rd is SP
)

type templateRow struct {
	fn    templateFn
	flags templateFlags
}

var templateTable = sync.OnceValue(func() *[decoder.NumOps]templateRow {
	t := new([decoder.NumOps]templateRow)
	type key struct {
		class decoder.Class
		group string
	}
	rules := make(map[key]templateRule)
	for _, list := range [][]templateRule{templateIntRules, templateFlagRules, templateMemoryRules, templateBranchRules} {
		for _, r := range list {
			rules[key{r.class, r.group}] = r
		}
	}
	var last key // the encodings of a group are neighbours
	var r templateRule
	for op := decoder.Op(1); op < decoder.NumOps; op++ {
		if k := (key{op.Class(), op.Group()}); k != last {
			last, r = k, rules[k]
		}
		if r.fn != nil && op.Features() == "" {
			t[op] = templateRow{r.fn, r.flags}
		}
	}
	for op, fn := range templateOps {
		t[op] = templateRow{fn: fn}
	}
	return t
})

// templateRegs hold guest registers that are not pinned. RAX, RCX and RDX are for the
// templates themselves; RAX has NZCV while template.packed says so.
var templateRegs = [...]x64.Reg{x64.RBX, x64.R14, x64.R15}

const (
	maxTemplate = 64
	// shortTemplate is how many instructions mostly take few enough bytes for a short
	// branch over them. A block of which that is not true is emitted twice.
	shortTemplate = 6
	// maxOnward is how many branches a block may go on behind.
	maxOnward = 7
	// maxSite bounds how many guest instructions from its start a block may go on
	// (host.ExitSite.Site).
	maxSite = 1<<16 - 2
)

// template is the state of emitting one block.
type template struct {
	c *compiler
	b *x64.Buffer
	f ir.Func // has the pc only

	rows  *[decoder.NumOps]templateRow
	insts [maxTemplate]decoder.Inst
	steps [maxTemplate]templateRow
	pcs   [maxTemplate]uint64
	keep  [maxTemplate]bool // the NZCV that it sets has to be in the state
	n     int
	first int // instructions up to the first branch
	at    int // the instruction being emitted

	pc       uint64 // of that
	declined bool

	held   [len(templateRegs)]int8 // guest register that each of templateRegs holds, -1 = none
	locked uint8                   // those that the current instruction uses
	next   uint8                   // which is reused next
	known  uint32                  // guest registers with a known value
	value  [32]uint64

	live   host.LocKind // how the host's flags are NZCV: LocFlagsAdd, LocFlagsSub, or noFlags
	packed bool         // AX is NZCV

	recipe    uint32
	hasRecipe bool
}

const noFlags host.LocKind = 0

// Template implements host.Backend.
func (b *Backend) Template(pc uint64, most int, fetch func(pc uint64) (uint32, bool), onward func(pc uint64) bool, o host.Options, code *host.Code) bool {
	t := &b.t
	if most <= 0 || most > maxTemplate {
		most = maxTemplate
	}
	if !o.Pairing || o.NoFold || !t.decode(pc, most, fetch, onward) {
		return false
	}
	t.c, t.b, t.f.PC = &b.c, &b.c.b, pc
	if t.emitAll(o, code) {
		return true
	}
	if t.n == t.first {
		return false
	}
	t.n = t.first // what declined was behind it, mostly
	return t.emitAll(o, code)
}

// emitAll emits the block that t.insts holds. It returns false if an instruction declines.
func (t *template) emitAll(o host.Options, code *host.Code) bool {
	t.findKept()
	if t.n <= shortTemplate {
		if done, again := t.emit(o, code, true); !again {
			return done
		}
	}
	done, _ := t.emit(o, code, false)
	return done
}

// emit is emitAll behind findKept. again
// is true if the block was taken for short (near) and is not.
func (t *template) emit(o host.Options, code *host.Code, near bool) (done, again bool) {
	c, pc := t.c, t.f.PC
	code.Reset()
	c.reset(&t.f, o, code)
	c.hotNear = near
	t.held = [len(templateRegs)]int8{-1, -1, -1}
	t.known, t.live, t.packed, t.hasRecipe, t.declined = 0, noFlags, false, false, false
	c.entry()
	for t.at = 0; t.at < t.n; t.at++ {
		t.pc = t.pcs[t.at]
		t.locked, c.pc = 0, t.pc
		t.steps[t.at].fn(t, t.insts[t.at])
		if t.declined {
			return false, false
		}
	}
	if t.steps[t.n-1].flags&templateEnds == 0 {
		t.exit(t.pcs[t.n-1] + 4) // t.pc may be one before, see lowHalf
	}
	code.PC = pc
	t.cover(code)
	if near && c.hot != 0 && c.b.Pos()-c.hotAt > math.MaxInt8 {
		return false, true
	}
	c.finish()
	return true, false
}

// decode reads the block at pc. It returns false if an instruction up to the first branch
// has no template.
func (t *template) decode(pc uint64, most int, fetch func(pc uint64) (uint32, bool), onward func(pc uint64) bool) bool {
	if pc&3 != 0 {
		return false
	}
	if t.rows == nil {
		t.rows = templateTable()
	}
	t.first = 0
	last := 0 // instructions up to the last branch
	sides := 0
	start := pc
	for t.n = 0; t.n < most; {
		w, ok := fetch(pc)
		if !ok {
			break
		}
		i := decoder.Decode(w)
		r := t.rows[i.Op]
		if r.fn == nil {
			t.n = last
			break
		}
		t.insts[t.n], t.steps[t.n], t.pcs[t.n] = i, r, pc
		t.n++
		if r.flags&templateEnds == 0 {
			pc += 4
			continue
		}
		if last = t.n; t.first == 0 {
			t.first = last
		}
		if onward == nil || sides == maxOnward || pc-start > 4*maxSite {
			break
		}
		next := wayOn(i, r, pc, onward)
		if next == 0 {
			break
		}
		pc = next
		sides++
	}
	if t.first == 0 {
		t.first = t.n
	}
	return t.n > 0
}

// wayOn is where a block goes on that the branch i at pc ends else, 0 for nowhere: behind a
// conditional branch, or at the target of one that leads forward and does not call.
func wayOn(i decoder.Inst, r templateRow, pc uint64, onward func(pc uint64) bool) uint64 {
	cond := r.flags&templateCond != 0
	if cond && onward(pc+4) {
		return pc + 4
	}
	target, ok := i.BranchTarget(pc)
	if !ok || target <= pc+4 || !cond && i.Bit(31) == 1 || !onward(target) {
		return 0
	}
	return target
}

// cover notes in code which instructions the block has.
func (t *template) cover(code *host.Code) {
	code.Size = 0
	code.Also, code.Onward = code.Also[:0], code.Onward[:0]
	end := t.f.PC
	for k, pc := range t.pcs[:t.n] {
		if k > 0 && t.steps[k-1].flags&templateEnds != 0 {
			code.Onward = append(code.Onward, pc)
		}
		switch n := len(code.Also); {
		case pc != end:
			code.Also = append(code.Also, ir.Span{Start: pc, End: pc + 4})
		case n > 0:
			code.Also[n-1].End = pc + 4
		default:
			code.Size += 4
		}
		end = pc + 4
	}
}

// goesOn reports whether the block goes on behind the current instruction, which is a branch,
// and where.
func (t *template) goesOn() (pc uint64, ok bool) {
	if t.at == t.n-1 {
		return 0, false
	}
	return t.pcs[t.at+1], true
}

// setsFlags reports whether instruction k sets NZCV.
func (t *template) setsFlags(k int) bool {
	switch f := t.steps[k].flags; {
	case f&templateSets != 0:
		return true
	case f&templateSetsS != 0:
		return t.insts[k].Bit(29) == 1
	case f&templateSetsAnd != 0:
		return t.insts[k].Bits(30, 29) == 3
	}
	return false
}

// findKept finds out which flags something looks at that is not the next instruction.
func (t *template) findKept() {
	wanted := true // behind the block
	for k := t.n - 1; k >= 0; k-- {
		f := t.steps[k].flags
		wanted = wanted || f&templateCond != 0
		if t.setsFlags(k) {
			t.keep[k], wanted = wanted, false
		}
		if f&templateMemory != 0 || f&templateStack != 0 && t.insts[k].Rd() == 31 || f&templateReads != 0 && (k == 0 || !t.setsFlags(k-1)) {
			wanted = true
		}
	}
}

// Registers. Number 31 is the zero register in x, and SP in xsp.

// x returns a register that holds general register n; that is tmp if n is 31.
func (t *template) x(n uint32, tmp x64.Reg) x64.Reg {
	if n == 31 {
		t.load(tmp, 0)
		return tmp
	}
	return t.xsp(n)
}

// xsp returns the register that holds general register n or SP.
func (t *template) xsp(n uint32) x64.Reg {
	if r := pinned.home[n]; r >= 0 {
		return x64.Reg(r)
	}
	k, ok := t.holder(n)
	if !ok {
		t.b.RM(x64.MOVQ, templateRegs[k], guestMem(int(n)))
	}
	return templateRegs[k]
}

// holder returns which of templateRegs is for guest register n, and whether it holds it
// already. It is locked.
func (t *template) holder(n uint32) (k int, ok bool) {
	for k, g := range t.held {
		if g == int8(n) {
			t.locked |= 1 << k
			return k, true
		}
	}
	for {
		k = int(t.next)
		if t.next++; int(t.next) == len(t.held) {
			t.next = 0
		}
		if t.locked>>k&1 == 0 {
			t.held[k] = int8(n)
			t.locked |= 1 << k
			return k, false
		}
	}
}

// def returns the register for a new value of general register or SP n, which is not
// the zero register. It may be that of an operand. set has to follow.
func (t *template) def(n uint32) x64.Reg {
	t.known &^= 1 << n
	if r := pinned.home[n]; r >= 0 {
		return x64.Reg(r)
	}
	k, _ := t.holder(n)
	return templateRegs[k]
}

// set completes a def: the register that it returned holds the value.
func (t *template) set(n uint32) {
	if pinned.home[n] >= 0 {
		return
	}
	k, _ := t.holder(n)
	t.b.MR(x64.MOVQ, guestMem(int(n)), templateRegs[k])
}

// put sets general register n, 31 = none, to what a scratch register holds.
func (t *template) put(n uint32, r x64.Reg) {
	if n == 31 {
		return
	}
	t.known &^= 1 << n
	if p := pinned.home[n]; p >= 0 {
		t.b.RR(x64.MOVQ, x64.Reg(p), r)
		return
	}
	t.forget(n)
	t.b.MR(x64.MOVQ, guestMem(int(n)), r)
}

// forget makes no register hold guest register n.
func (t *template) forget(n uint32) {
	for k, g := range t.held {
		if g == int8(n) {
			t.held[k] = -1
		}
	}
	t.known &^= 1 << n
}

// constant sets general register n, which is not the zero register, to v.
func (t *template) constant(n uint32, v uint64) {
	t.load(t.def(n), v)
	t.setTo(n, v)
}

// setTo is set where the value is known to be v.
func (t *template) setTo(n uint32, v uint64) {
	t.set(n)
	t.known |= 1 << n
	t.value[n] = v
}

// load loads a constant into r. The host's flags stay if they are NZCV.
func (t *template) load(r x64.Reg, v uint64) {
	if t.live == noFlags {
		t.b.MovImmFlags(r, v)
		return
	}
	t.b.MovImm(r, v)
}

// sizedOp is op, an operation of 32 bits, in the width of the instruction.
func sizedOp(i decoder.Inst, op x64.Op) x64.Op {
	if i.Word>>31 == 0 {
		return op
	}
	return wide(op, ir.I64)
}

// move copies a register in the width of the instruction.
func (t *template) move(i decoder.Inst, dst, src x64.Reg) {
	if dst != src || i.Word>>31 == 0 {
		t.b.RR(sizedOp(i, x64.MOVL), dst, src)
	}
}

// pinsRecipe returns the recipe for a fault anywhere: all pins are at home.
func (t *template) pinsRecipe() uint32 {
	if !t.hasRecipe {
		m := &t.c.code.Map
		t.recipe, t.hasRecipe = uint32(len(m.Recipes)), true
		m.Add(host.GuestPins, host.Loc{Kind: host.LocConst, Lo: 1<<len(host.Pins) - 1})
		m.End()
	}
	return t.recipe
}

// mayFault records that the host instruction emitted next may fault.
func (t *template) mayFault() {
	m := &t.c.code.Map
	m.Entries = append(m.Entries, host.PCEntry{Off: uint32(t.b.Pos()), PC: int32(t.pc - t.f.PC), Recipe: t.pinsRecipe()})
}

// side returns cold code that leaves for the dispatcher at a guest pc.
func (t *template) side() *coldCode {
	p := t.c.newCold(coldSide)
	p.recipe = t.pinsRecipe()
	return p
}
