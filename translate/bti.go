package translate

import (
	"emu/cpu"
	"emu/decoder"
	"emu/ir"
)

// Branch target identification (FEAT_BTI). A processor keeps the kind of the last
// indirect branch in PSTATE.BTYPE, and the first instruction in a guarded page
// must be a landing pad for it. Generated code has no instruction for that: its indirect
// branches look their targets up by kind (host.JumpCacheEntries), and what looks up those that are not found
// checks them. So programs with guarded pages run the same code as others; whether a page is guarded only tells the kind
// of its branches by other registers than X16 and X17, and which targets may be guessed.
//
// What is not found has its kind in the top byte of State.PC (cpu.BranchType.Mark) if the address space has guarded
// pages: a signal that arrives then has it in its frame, as PSTATE.BTYPE. The unit of such an
// address is nothing but a direct jump to the address without the byte, or the exception.

// BranchTargets tells of guarded pages; *cpu.Memory does.
type BranchTargets interface {
	// HasBTI reports whether there are any executable ones.
	HasBTI() bool
	// BTI reports whether pc is in one.
	BTI(pc uint64) bool
}

// guarded reports whether pc is in a guarded page.
func (t *Translator) guarded(pc uint64) bool {
	return t.opts.Guarded != nil && t.opts.Guarded.BTI(pc)
}

// branchType is the type of i at pc, a branch to a register.
func (t *Translator) branchType(pc uint64, i decoder.Inst) cpu.BranchType {
	return cpu.BranchBy(i.Rn(), i.Bit(21) == 1, t.guarded(pc))
}

// marked reports whether pc is an address of user space with a top byte.
func marked(pc uint64) bool { return cpu.Untagged(pc) != pc }

// landing is the unit of an address with a top byte.
func (t *Translator) landing(pc uint64, fetch Fetch) *ir.Func {
	target, kind := cpu.Marked(pc)
	t.Also = append(t.Also, ir.Span{Start: target, End: target + 4})
	if target%4 == 0 && t.guarded(target) {
		if word, ok := fetch(target); ok && !kind.Lands(word) {
			t.ExitArg(cpu.ExitBTI, target, t.I64(uint64(kind)))
			return t.Func
		}
	}
	t.Jump(target)
	return t.Func
}

// lands reports whether the indirect branch at site may go to pc.
func (r *region) lands(site, pc uint64) bool {
	if !r.t.guarded(pc) {
		return true
	}
	branch, ok := r.fetch(site)
	word, known := r.fetch(pc)
	return ok && known && r.t.branchType(site, decoder.Decode(branch)).Lands(word)
}
