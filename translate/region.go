package translate

import (
	"math/bits"
	"sync"

	"emu/cpu"
	"emu/decoder"
	"emu/ir"
)

// A region is the unit of tier 2: the guest's control-flow graph around an entry,
// with its loops, as one Func. It is made in five steps:
//
//	region_scan.go       guest instructions to basic blocks along direct branches
//	region_inline.go     into functions that return without a call
//	region_guess.go      and along indirect ones to functions that are inlined
//	region_switch.go     and to the cases of switches
//	region_graph.go      reverse post order, dominators, natural loops
//	region_structure.go  scopes from dominators (Ramsey, "Beyond Relooper", 2022)
//	region_peel.go       first iterations of innermost loops in front of them
//	region_emit.go       translation of the blocks inside of the scopes
//
// Registers travel from block to block as values of the builder: each loop takes
// those that are written in it as arguments, each BLOCK gives those as results.

// Profile is what is known of how a program ran. A nil Profile keeps everything and
// guesses nothing.
type Profile struct {
	// Runs tells whether the branch target pc is executed often enough to be part of
	// a region.
	Runs func(pc uint64) bool
	// RunsCase tells the same of the case of a switch at pc, of which there may be many. It may be nil: then Runs does.
	RunsCase func(pc uint64) bool
	// Targets tells where the indirect branch at site went in the last of its executions,
	// most often first, and how many these were. It may be nil.
	Targets func(site uint64) (list []Target, of int)
	// Expected lists where regions that have the switch or the indirect call at site expect it to go, nowhere if
	// a switch leaves them; ok is false if no region has it. It may be nil.
	Expected func(site uint64) (list []uint64, ok bool)
	// Load reads size bytes of the guest's memory at addr. It may be nil.
	Load func(addr uint64, size int) (v uint64, ok bool)
	// Early tells whether a good part of the executions of the function at entry, which goes on to call others
	// at the places in calling, returned before. It may be nil: then all do.
	Early func(entry uint64, calling []uint64) bool
}

// Target is where an indirect branch went N times.
type Target struct {
	PC uint64
	N  int
}

// Guess is where a region expects the indirect branch at Site to go. Switches and calls may have several; a switch
// that has one with a Target of 0 may go anywhere, and leaves.
type Guess struct{ Site, Target uint64 }

// Limits of a region. The number of blocks is that of a blockSet.
const (
	defaultRegionInsts = 400
	maxRegionBlocks    = 64
	maxRegionSpan      = 64 << 10
	maxInlinedInsts    = 40
)

// place is a guest address. Code of a function that is called there and inlined
// has places of its own for each call: ret is where that call returns to, 0 for
// code that is not inlined.
type place struct{ pc, ret uint64 }

// blockSet is a set of blocks by index.
type blockSet uint64

func (s blockSet) has(b int32) bool { return s>>b&1 != 0 }
func (s *blockSet) add(b int32)     { *s |= 1 << b }

// each calls fn for the blocks of s in ascending order.
func (s blockSet) each(fn func(b int32)) {
	for ; s != 0; s &= s - 1 {
		fn(int32(bits.TrailingZeros64(uint64(s))))
	}
}

// leaves is the block index of what is outside of the region.
const leaves = -1

// edge is a way out of a block: to a place that is block to or outside of the
// region.
type edge struct {
	place
	to int32
}

// guestBlock is a guest basic block. Its last instruction is a branch, or leaves,
// or the next one is a branch target.
type guestBlock struct {
	place
	insts  int            // number of instructions
	branch bool           // the last one is a direct branch
	ind    bool           // the last one is an indirect branch, succ are the guesses
	call   bool           // with link
	kind   cpu.BranchType // of an indirect branch
	succ   []edge         // none: it leaves by itself. Two: taken, not taken
	reads  ir.RegSet
	writes ir.RegSet
}

// guestInst is an instruction of the guest. It is read once, so that all steps see
// the same.
type guestInst struct {
	word   uint32
	kind   flowKind
	target place   // of flowJump and flowCond, where an inlined call goes and a return
	goes   []place // of flowInd and flowIndCall: where it is guessed to go, most often first
}

// last is the address of the block's last instruction.
func (b *guestBlock) last() uint64 { return b.pc + 4*uint64(b.insts-1) }

// region is a region under construction.
type region struct {
	t       *Translator
	fetch   Fetch
	profile *Profile
	entry   uint64
	limit   int // guest instructions

	places   placeTable
	work     []place      // starts of blocks in the order of their discovery
	known    []function   // that were looked at for inlining
	switches []switchGoes // that were looked at
	stays    []place      // ways of inlined functions that leave the region
	seen     int          // instructions
	blocks   []guestBlock // the entry is the first
	graph    graph
}

// flow is how the guest block that is being translated ends.
type flow struct {
	capture bool     // direct branches are noted here instead of emitted
	inlined bool     // a call goes to code of the region
	ret     uint64   // where a return goes in inlined code
	ended   bool     // a branch was noted
	guess   bool     // an indirect branch is noted as well
	target  ir.Value // of that
	cond    ir.Value // of the branch, None if it is always taken
}

// jump ends a block with a direct branch.
func (t *Translator) jump(target uint64) {
	if t.flow.capture {
		t.flow.ended, t.flow.cond = true, ir.None
		return
	}
	t.Jump(target)
}

// jumpIf ends a block with a conditional direct branch.
func (t *Translator) jumpIf(cond ir.Value, taken, next uint64) {
	if t.flow.capture {
		t.flow.ended, t.flow.cond = true, cond
		return
	}
	t.JumpIf(cond, taken, next)
}

// inlinedReturn ends a block with a return to target from inlined code. Where the call
// returns to mostly is known: it has set X30 to a constant, and the code does not call. A
// function with a frame has loaded it again, and it is compared.
func (t *Translator) inlinedReturn(target ir.Value) bool {
	if t.flow.ret == 0 {
		return false
	}
	c, known := t.ConstOf(target)
	switch {
	case t.Plain || known && c.Lo == t.flow.ret:
	case known:
		return false
	default:
		t.If(t.ICmp(ir.NE, target, t.I64(t.flow.ret)))
		t.Ret(target)
		t.End()
	}
	t.jump(t.flow.ret)
	return true
}

// Region translates the region at entry. Where it is entered is its lowest
// address: branches to lower ones leave, so that a region with a loop at its
// entry is that loop. With a profile such a region has no code behind the loop
// either: what comes behind gets hot by itself, or does not matter.
//
// Small functions that call none are inlined. Func.Size reaches to the end of the
// last instruction that is not inlined; there may be addresses in between that are
// not part of the region. Func.Also is the inlined code. A pc that cannot be executed gives the
// same unit as Block.
func (t *Translator) Region(entry uint64, fetch Fetch, profile *Profile) *ir.Func {
	if entry&3 != 0 {
		return t.Block(entry, fetch)
	}
	r := t.region
	if r == nil {
		r = &region{t: t}
		t.region = r
	}
	r.fetch, r.profile, r.entry, r.limit, r.seen = fetch, profile, entry, t.opts.MaxRegionInsts, 0
	if r.scan(); len(r.blocks) == 0 {
		return t.Block(entry, fetch)
	}
	r.emit(r.structure())
	t.flow = flow{}
	return t.Func
}

// structure puts the region into scopes.
func (r *region) structure() []stmt {
	r.probe()
	r.blocks = r.graph.build(r.blocks)
	if r.profile != nil {
		r.keepLoop()
		r.rotate()
	}
	tree := peel(structure(&r.graph, r.blocks), r.blocks)
	collect(tree, r.blocks)
	return tree
}

// keepLoop reduces a region with a loop at its entry to that loop.
func (r *region) keepLoop() {
	g := &r.graph
	l := g.loopAt(0)
	if l == nil {
		return
	}
	cut := false
	for b := range r.blocks {
		for k := range r.blocks[b].succ {
			if e := &r.blocks[b].succ[k]; e.to >= 0 && !l.body.has(e.to) {
				e.to, cut = leaves, true
			}
		}
	}
	if cut {
		r.blocks = g.build(r.blocks)
	}
}

// covered is the number of guest instructions in the region.
func (r *region) covered() (n int) {
	for _, b := range r.graph.order {
		n += r.blocks[b].insts
	}
	return n
}

// flowKind is how an instruction passes control on, as far as its encoding tells.
type flowKind uint8

const (
	flowNext    flowKind = iota // to the next instruction, or it leaves
	flowJump                    // to its target
	flowCond                    // to its target or the next instruction
	flowEnd                     // out of the region
	flowCall                    // BL: out of the region, or to its target if that is inlined
	flowRet                     // RET: out of the region, or out of inlined code
	flowInd                     // BR: out of the region, or in inlined code to what is guessed
	flowIndCall                 // BLR: out of the region, or to what is guessed and inlined
)

// flowKinds is the kind of each encoding.
var flowKinds = sync.OnceValue(buildFlowKinds)

func buildFlowKinds() *[decoder.NumOps]flowKind {
	kinds := new([decoder.NumOps]flowKind)
	for op := decoder.Op(1); op < decoder.NumOps; op++ {
		switch op.Group() {
		case "branch_reg", "exception":
			kinds[op] = flowEnd
		case "condbranch", "compbranch", "testbranch":
			kinds[op] = flowCond
		}
	}
	kinds[decoder.B_only_branch_imm] = flowJump
	kinds[decoder.BL_only_branch_imm] = flowCall
	kinds[decoder.RET_64R_branch_reg] = flowRet
	kinds[decoder.BR_64_branch_reg] = flowInd
	kinds[decoder.BLR_64_branch_reg] = flowIndCall
	return kinds
}
