// Package amd64 is the JIT's backend for x86-64: it lowers an ir.Func to host
// code in one linear walk.
//
// # Shape
//
// Every opcode has a lowering function in one table (lower.go). The walk calls
// them in the order of the IR; each asks for its operands in registers, gets a
// register for its result and emits instructions (alloc.go says how to write
// one). What has no lowering, or not for the type at hand, goes through Go
// (helper.go): slow, and right.
//
// Three things are kept back instead of being emitted at once:
//
//   - SETs of guest registers (state.go). The value is noted as pending and
//     stored at the next exit; a later SET of the register replaces it, and that
//     store never happens. Instructions that may fault record where pending
//     values are, so that the fault finds the exact guest state.
//   - Flags (flags.go). NZCV stays in the host's flags until something else needs
//     those; only then it is packed into a register.
//   - Single-use addresses, conditions and bit tests, which their user folds.
//
// # Registers
//
// RBP is the state pointer and RSP the native stack of call/return pairs; all
// others are allocatable. Between units the registers of host.Pins hold guest
// registers (pins.go), and everything else is in the state.
package amd64

import (
	"errors"

	"emu/ir"
	"emu/jit/asm/x64"
	"emu/jit/host"
	"emu/jit/regalloc"
)

// rState holds &State + StateBias, rStack the native stack.
const (
	rState = x64.RBP
	rStack = x64.RSP
)

// The order in which registers are given out: those of pins behind those that
// instructions need for fixed purposes, RAX (flags) very last.
var (
	gprOrder = []uint8{3, 14, 15, 2, 1, 6, 7, 8, 9, 10, 11, 12, 13, 0}
	xmmOrder = []uint8{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0}
)

// ErrSpill is returned for a unit that needs more spill slots than there are.
var ErrSpill = errors.New("amd64: the unit needs more spill slots than a thread has")

// Backend compiles for x86-64. It implements host.Backend.
type Backend struct {
	c compiler
	t template
}

// New returns a backend. It keeps its working memory from unit to unit.
func New() *Backend {
	b := &Backend{}
	c := &b.c
	c.lower = lowerTable()
	for op := range ir.NumOps {
		c.flags[op] = op.Info().Flags
	}
	c.g, c.x = regalloc.NewFile(gprOrder), regalloc.NewFile(xmmOrder)
	return b
}

// Name implements host.Backend.
func (*Backend) Name() string { return "amd64" }

// Disasm implements host.Backend.
func (*Backend) Disasm(code []byte, addr uint64) []string { return x64.Disasm(code, addr) }

// Compile implements host.Backend. It compiles once more if that is how short loops turn out to have no use for
// the polls in front of them.
func (b *Backend) Compile(f *ir.Func, o host.Options, code *host.Code) error {
	c := &b.c
	c.plain = c.plain[:0]
	if err := b.compile(f, o, code); err != nil || len(c.plain) == 0 {
		return err
	}
	return b.compile(f, o, code)
}

func (b *Backend) compile(f *ir.Func, o host.Options, code *host.Code) error {
	c := &b.c
	code.Reset()
	c.reset(f, o, code)
	c.scan()
	c.findCases()
	c.entry()
	n := len(f.Insts)
	c.pinIn()
	for i := 0; i < n; i++ {
		if in := f.Insts[i]; in.Op() == ir.OpInsn {
			c.pc, c.fallsOff = f.ImmOf(in.A()), true // every third or fourth instruction
			continue
		}
		from := c.b.Pos()
		c.step(ir.Value(i))
		if o.Verify {
			c.check(from)
		}
		if c.jump > 0 {
			i, c.jump = c.jump-1, 0
		}
	}
	if c.fallsOff {
		panic("BUG: amd64: control falls off the end of the unit")
	}
	c.pinOut(n)
	code.PC, code.Size = f.PC, f.Size
	c.finish()
	return c.err
}

// finish emits what stands behind the hot code and completes c.code.
func (c *compiler) finish() {
	code := c.code
	code.Hot = int32(c.b.Pos())
	c.emitAway()
	c.emitCold()
	c.emitTables()
	code.Bytes = append(code.Bytes, c.b.Finish()...)
	for _, r := range c.b.Relocs {
		code.Relocs = append(code.Relocs, host.Reloc{Off: r.Off, Tail: 4, Target: host.Stub(r.Target)})
	}
	for _, at := range c.b.Locks {
		code.Relocs = append(code.Relocs, host.Reloc{Off: at, Target: host.Lock})
	}
}

// compiler is the state of one walk.
type compiler struct {
	b    x64.Buffer
	f    *ir.Func
	opt  host.Options
	feat x64.Features
	code *host.Code
	err  error

	lower [ir.NumOps]lowerFn
	flags [ir.NumOps]ir.OpFlags // the rows' flags, closer together
	vals  []val
	g, x  regalloc.File
	slots [numSlots]ir.Value // owner of each spill slot, None if free
	nSlot int                // slots from here on were never used

	at  ir.Value    // the instruction being lowered
	cur [3]ir.Value // roots of its operands
	now bool        // do not put off computing at: its value is wanted

	fl   flagState
	flAt int // where in the code the host's flags became that (Options.Verify)
	flOf resultFlags

	pend  [numGuest]ir.Value // values of the SETs not stored yet
	pendM [2]uint64          // which of them are valid
	pc    uint64             // guest pc of the current INSN
	poll  ir.Inst            // the POLL in front of the CONTINUE that comes next, 0 = none

	lazies  []lazyVal // the first stands for none
	selects []host.Select

	recipe      uint32 // the last recipe written
	recipeStale bool   // pending values changed or moved since

	tables   []caseTable
	cases    []tableCase
	scopes   []scope
	plain    []int32 // starts of LOOPs that have no use for a poll in front of them
	scoped   scopeScan
	places   []place    // of the snapshots of the open scopes
	held     []ir.Value // values kept alive by the open scopes
	others   []otherUse // of values that the other arms of open IFs need last
	homes    []home     // of the results and arguments of the open scopes
	hints    []home     // registers that values had better be in
	wanted   [2]uint32  // registers, by class, that the arguments of open loops go back to
	moves    []move     // scratch: moves at a join
	replay   *moveCheck // of these, with Options.Verify
	next     nextUses   // scratch
	fixed    uint32     // general registers that instructions of the loop need for themselves
	claims   []claim    // those ahead of the walk, the last first
	weight   []uint32   // scratch: how often a loop uses values
	argOf    []ir.Value // scratch: the BLOCK_ARGs of a LOOP
	arrivals []uint32   // scratch: how often what leads to the end of a scope is executed, as weights
	changes  []uint32   // scratch: how often its CONTINUEs change them, as weights
	owners   []ir.Value // scratch: the results of a scope
	ops      []ir.Value // scratch: operands of a CONTINUE
	args     []ir.Value // scratch: operands of a variadic instruction
	jump     int        // where the walk goes on instead of at the next instruction
	cold     []coldCode
	coldFrom int // where the cold code of the instruction being lowered begins
	away     []awayCode
	awayMap  []host.PCEntry // of the arms that went away
	awayAt   awayNow
	pinsHome uint32    // in cold code that leaves: registers of pins that are not stored
	hot      x64.Label // the code that leaves with ExitHot, 0 = none
	hotNear  bool      // it has to be within reach of a short branch
	hotAt    int       // where that branch ends
	fallsOff bool
	fp       fpUnit
}

// val is what the walk knows of one SSA value. A value that needs no code of its
// own (a truncation, a bit cast) shares the place of another one, its root; the
// fields below root are then those of the root.
type val struct {
	root   ir.Value
	uses   int32    // operands, still to come, that name it or a value it is the root of
	user   ir.Value // the last instruction that uses it
	region uint32   // straight-line stretch of the unit that defines it
	slot   int16    // spill slot, -1 = none
	reg    int8     // register of its class, -1 = none
	pend   uint8    // number of guest registers that wait for it
	zbits  uint8    // all bits from this one up are zero in its register
	form   form
	holds  uint16 // uses that stand for the open scopes it is alive behind
	lazy   uint16 // how it is made when it is needed, an index of lazies; 0 = it is not lazy
	kept   uint16 // uses that stand for the lazy values made from it
	inside uint16 // scratch of planArrival: holds of scopes that are closed at a join
	inX    bool   // its class is XMM
	early  bool   // computed together with an earlier instruction
	// A float that has not been tested for being a NaN that the host chose.
	unchecked bool
}

// form is the state of a value's computation.
type form uint8

const (
	formNone  form = iota // not computed yet, or dead
	formHere              // in a register, a slot or the host's flags
	formLater             // put off until its use
	formSkip              // unused: needs no code
)

func (c *compiler) reset(f *ir.Func, o host.Options, code *host.Code) {
	c.f, c.opt, c.code, c.err, c.poll = f, o, code, nil, 0
	c.feat = x64.Features(o.Features) | x64.Baseline()
	c.b.Reset()
	n := len(f.Insts)
	if cap(c.vals) < n+len(host.Pins) {
		c.vals = make([]val, n+n/2+len(host.Pins))
	}
	c.vals = c.vals[:n+len(host.Pins)]
	types, uses := f.Types[:n], f.Uses[:n]
	fresh := val{user: ir.None, slot: -1, reg: -1, zbits: 64}
	for i := range c.vals {
		p := &c.vals[i]
		*p = fresh
		p.root = ir.Value(i)
		if i >= n {
			continue
		}
		p.uses = int32(uses[i])
		if types[i].InXMM() {
			p.inX, p.zbits = true, 128
		}
	}
	c.g.Reset()
	c.x.Reset()
	c.nSlot = 0
	c.fl = flagState{v: ir.None}
	c.flOf = resultFlags{v: ir.None}
	c.pendM = [2]uint64{}
	c.pc = f.PC
	c.recipeStale = true
	c.now, c.fallsOff = false, true
	c.fp.reset()
	c.scopes, c.places, c.held, c.homes, c.moves = c.scopes[:0], c.places[:0], c.held[:0], c.homes[:0], c.moves[:0]
	c.others = c.others[:0]
	c.hints, c.cold = c.hints[:0], c.cold[:0]
	c.claims = c.claims[:0]
	c.lazies, c.selects = append(c.lazies[:0], lazyVal{}), c.selects[:0]
	c.away, c.awayMap, c.awayAt = c.away[:0], c.awayMap[:0], awayNow{}
	c.tables, c.cases = c.tables[:0], c.cases[:0]
	c.jump, c.scoped.some, c.wanted = 0, false, [2]uint32{}
	c.hot, c.hotNear, c.fixed = 0, false, 0
}

// step lowers one instruction and ends the life of what it used last.
func (c *compiler) step(v ir.Value) {
	in := c.f.Insts[v]
	op := in.Op()
	if op == ir.OpNop || op == ir.OpArgExt {
		return // an ARG_EXT belongs to the instruction after it
	}
	p := &c.vals[v]
	if p.form == formSkip || p.early {
		return
	}
	c.at, c.coldFrom = v, len(c.cold)
	c.setCur(in)
	c.fallsOff = true
	if len(c.fp.open) > 0 {
		c.settleFor(op, in)
	}
	c.lower[op](c, v, in)
	c.g.UnlockAll()
	c.x.UnlockAll()
	if op == ir.OpMerge || op == ir.OpDefExt || op == ir.OpBlockArg {
		return // nothing in their operands to release
	}
	if p.form == formLater {
		return
	}
	if variadic(op) {
		for _, a := range c.args {
			c.release(a)
		}
	} else {
		c.releaseOperands(in)
	}
	if p.uses == 0 && p.pend == 0 && p.form == formHere && p.root == v {
		c.drop(v)
	}
	flags := c.flags[op]
	if c.scoped.some && flags&observes != 0 && flags&ir.Scope == 0 && c.poll == 0 {
		c.unsetDead(v)
	}
	if flags&ir.Terminator != 0 || op == ir.OpEndBlock {
		c.fallsOff = false
	}
}

func (c *compiler) setCur(in ir.Inst) {
	c.cur[0], c.cur[1], c.cur[2] = c.root(in.A()), c.root(in.B()), c.root(in.C())
}

func variadic(op ir.Op) bool {
	switch op {
	case ir.OpLoop, ir.OpYield, ir.OpBreak, ir.OpContinue, ir.OpReturn:
		return true
	}
	return false
}
