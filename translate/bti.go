package translate

import (
	"emu/cpu"
	"emu/ir"
)

// Branch target identification (FEAT_BTI). A processor keeps the kind of the last
// indirect branch in PSTATE.BTYPE, and the first instruction in a guarded page
// must be a landing pad for it. Here the kind travels with the target: where the
// address space has guarded pages, indirect branches other than RET put it into
// the top byte of the address that they go to, which A64 user space ignores. The
// unit of such an address (landing) checks the instruction once, when it is
// translated, and is nothing but a direct jump to the address without the byte, or
// the exception. So a program without guarded pages pays nothing, one with them
// two instructions and a jump, and blocks have one translation however they are
// reached.
//
// A signal that arrives between a branch and its target finds the type there too,
// and its frame has it in PSTATE.BTYPE.

// BranchTargets tells of guarded pages; *cpu.Memory does.
type BranchTargets interface {
	// HasBTI reports whether there are any executable ones. When this becomes true
	// all translations are dropped.
	HasBTI() bool
	// BTI reports whether pc is in one.
	BTI(pc uint64) bool
}

// branchType is PSTATE.BTYPE.
type branchType uint64

const (
	typeNone branchType = iota
	typeIP              // BR by X16 or X17, or from a page that is not guarded
	typeCall            // BLR
	typeJump            // other BR
)

// tagShift is where the top byte of an address begins.
const tagShift = 56

func (t *Translator) guards() bool { return t.opts.Guarded != nil && t.opts.Guarded.HasBTI() }

// target is the address of an indirect branch, with its type where that matters.
func (t *Translator) target(v ir.Value, kind branchType) ir.Value {
	if !t.guards() {
		return v
	}
	return t.OrI(t.AndI(v, 1<<tagShift-1), uint64(kind)<<tagShift)
}

// jumpType is the type of BR by register n.
func (t *Translator) jumpType(n uint32) branchType {
	if n == 16 || n == 17 || !t.guards() || !t.opts.Guarded.BTI(t.pc) {
		return typeIP
	}
	return typeJump
}

// tagged reports whether pc is an address of user space with a top byte.
func tagged(pc uint64) bool { return pc>>tagShift != 0 && pc>>(tagShift-1)&1 == 0 }

// landing is the unit of a tagged address.
func (t *Translator) landing(pc uint64, fetch Fetch) *ir.Func {
	target := pc & (1<<tagShift - 1)
	t.Also = append(t.Also, ir.Span{Start: target, End: target + 4})
	if t.guards() && t.opts.Guarded.BTI(target) {
		if word, ok := fetch(target); ok && !landingPad(word, branchType(pc>>tagShift)) {
			t.ExitArg(cpu.ExitBTI, target, t.I64(pc>>tagShift))
			return t.Func
		}
	}
	t.Jump(target)
	return t.Func
}

// landingPad reports whether a guarded page may be entered at word by a branch.
// PACIASP and PACIBSP are no targets of jumps: Linux sets SCTLR_EL1.BT0.
func landingPad(word uint32, kind branchType) bool {
	const (
		bti, btiTargets = 0xd503241f, 3 << 6
		paciasp         = 0xd503233f
		pacibsp         = 0xd503237f
		brkMask, brk    = 0xffe0001f, 0xd4200000
		hlt             = 0xd4400000
	)
	switch {
	case kind == typeNone, word&brkMask == brk, word&brkMask == hlt:
		return true
	case word == paciasp, word == pacibsp:
		return kind != typeJump
	case word&^btiTargets != bti:
		return false
	}
	calls, jumps := word>>6&1 != 0, word>>7&1 != 0
	switch kind {
	case typeCall:
		return calls
	case typeJump:
		return jumps
	}
	return calls || jumps
}
