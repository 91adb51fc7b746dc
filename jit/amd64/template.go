package amd64

import (
	"math"

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

const (
	// maxTemplate is how many instructions a block has at most.
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

// goesOn reports whether the block goes on behind the current instruction, which is a branch,
// and where.
func (t *template) goesOn() (pc uint64, ok bool) {
	if t.at == t.n-1 {
		return 0, false
	}
	return t.pcs[t.at+1], true
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
