package translate

import (
	"emu/cpu"
	"emu/decoder"
	"emu/internal/softfp"
	"emu/ir"
)

// Options are the choices of an engine that change what is emitted.
type Options struct {
	// MaxInsts limits the guest instructions of a unit, 0 means 64.
	MaxInsts int
	// MaxRegionInsts limits the guest instructions of a region, 0 means 400.
	MaxRegionInsts int
	// SyncOnISB makes ISB leave with ExitSync instead of ending the block, for an
	// engine that applies code changes late.
	SyncOnISB bool
	// CounterHz is the frequency of CNTVCT_EL0 that CNTFRQ_EL0 reports, 0 means
	// 1 GHz (what the Arm ARM asks for from Armv8.6 on).
	CounterHz uint64
	// CPU is the guest's processor, nil means the model max.
	CPU *CPU
	// Guarded tells of the pages that FEAT_BTI guards, nil means none.
	Guarded BranchTargets
}

const (
	defaultMaxInsts  = 64
	defaultCounterHz = 1_000_000_000
)

// Fetch reads the guest word at pc. ok is false when no executable memory is
// there.
type Fetch func(pc uint64) (word uint32, ok bool)

// Translator turns guest code into IR, one unit after the other. It reuses its
// memory: a unit is valid until the next one is asked for. A Translator is for
// one goroutine at a time.
type Translator struct {
	*ir.Builder
	opts   Options
	cpu    *CPU
	tables *dispatch // of cpu, once there is something to translate
	pc     uint64    // of the current instruction
	word   uint32
	fpcr   uint32 // under which the next units run

	tags      tagMode     // what is done about tags in addresses
	unchecked bool        // the current instruction's accesses are not checked
	checked   []alignment // of addresses in the current unit
	askew     bool        // SP is misaligned, see checkStack
	gcs       bool        // calls and returns use the guarded control stack
	preds     predicates  // that are known in the current straight code
	stackSet  bool        // the current instruction may have changed that
	flow      flow        // how the current guest block ends
	covered   int         // guest instructions of the last unit
	region    *region     // the memory of the last one
	leftOut   []uint64    // branch targets that it does not have because of its profile
	kept      []uint64    // branch targets that it has because of its profile
	early     bool        // what its profile says of the function at its entry
	guesses   []Guess     // what it expects of indirect branches
}

// New returns a Translator.
func New(o Options) *Translator {
	if o.MaxInsts <= 0 {
		o.MaxInsts = defaultMaxInsts
	}
	if o.MaxRegionInsts <= 0 {
		o.MaxRegionInsts = defaultRegionInsts
	}
	if o.CounterHz == 0 {
		o.CounterHz = defaultCounterHz
	}
	if o.CPU == nil {
		o.CPU = maxCPU
	}
	if !o.CPU.BTI() {
		o.Guarded = nil
	}
	return &Translator{Builder: ir.NewBuilder(ir.NewFunc(1024)), opts: o, cpu: o.CPU}
}

// SetMode says for which cpu.State.CodeMode the units are that are translated from
// now on. Of FPCR's fields those of FEAT_AFP matter that change what registers
// instructions read and write, FPMode; the others matter to the operations only.
func (t *Translator) SetMode(mode uint32) {
	t.fpcr = cpu.FPCROf(mode)
	t.askew = mode&cpu.ModeStack != 0
	t.gcs = mode&cpu.ModeGCS != 0
	switch {
	case mode&cpu.ModeTags != 0:
		t.tags = tagsChecked
	case mode&cpu.ModeTopByte != 0:
		t.tags = tagsStripped
	default:
		t.tags = tagsFault
	}
}

// FPMode are the fields of FPCR that a unit's IR depends on.
const FPMode = softfp.AH | softfp.NEP

// Block translates the basic block at pc. It ends with the first branch or exit,
// after Options.MaxInsts instructions, or before a word that cannot be fetched;
// then it goes on with a Jump to the next instruction.
//
// A pc that cannot be executed gives a unit with Size 0 that only leaves, for the
// engine to run but not to keep: ExitAlign with Arg[0] = pc where it is not a
// multiple of 4 (Arm ARM D1.4.7, PC alignment fault), and ExitFetch
// where the first word cannot be fetched. That of an address with a top byte only
// goes on to the one without.
func (t *Translator) Block(pc uint64, fetch Fetch) *ir.Func {
	t.leftOut, t.kept, t.guesses, t.early = t.leftOut[:0], t.kept[:0], t.guesses[:0], false
	t.Reset(pc)
	t.pc, t.covered = pc, 0
	t.startStraight()
	if marked(pc) {
		return t.landing(pc, fetch)
	}
	if pc&3 != 0 {
		t.Insn(pc)
		t.ExitArg(cpu.ExitAlign, pc, t.I64(pc))
		return t.Func
	}
	for range t.opts.MaxInsts {
		word, ok := fetch(t.pc)
		if !ok && t.pc == pc {
			t.Insn(pc)
			t.ExitArg(cpu.ExitFetch, pc, t.I64(pc))
			return t.Func
		}
		if !ok || t.Full() {
			break
		}
		t.instruction(word)
		t.Size += 4
		t.covered++
		t.pc += 4
		if t.Terminated() {
			return t.Func
		}
	}
	t.Jump(t.pc)
	return t.Func
}

// instruction emits one instruction.
func (t *Translator) instruction(word uint32) {
	t.word = word
	t.Insn(t.pc)
	i := decoder.Decode(word)
	if t.tables == nil {
		t.tables = t.cpu.tables()
	}
	fn := t.tables.fn[i.Op]
	if fn == nil {
		fn = t.cpu.unannounced(i.Op)
	}
	if fn == nil {
		t.undefined()
		return
	}
	t.unchecked = t.tags >= tagsChecked && tagUnchecked(i)
	t.stackSet = false
	t.checkStack(i)
	fn(t, i)
	t.leaveStack()
}

// startStraight begins code that is entered at one place only.
func (t *Translator) startStraight() {
	t.checked, t.preds.known, t.preds.flags.known = t.checked[:0], 0, false
}

// undefined raises the undefined instruction exception for the current word.
func (t *Translator) undefined() {
	t.ExitArg(cpu.ExitUndefined, t.pc, t.I64(uint64(t.word)))
}

// Covered is the number of guest instructions that the last unit translates.
func (t *Translator) Covered() int { return t.covered }

// LeftOut lists the branch targets that the last region has not, as its Profile did
// not ask for them. It is valid until the next region.
func (t *Translator) LeftOut() []uint64 { return t.leftOut }

// Kept lists the branch targets that the Profile of the last region asked for. It is
// valid until the next region.
func (t *Translator) Kept() []uint64 { return t.kept }

// Early is what the Profile of the last region said of the function at its entry, false if
// that does not return without a call.
func (t *Translator) Early() bool { return t.early }

// next is the address of the instruction after the current one.
func (t *Translator) next() uint64 { return t.pc + 4 }
