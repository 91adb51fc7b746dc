package cpu

import "golang.org/x/sys/unix"

// Protection bits that arm64 adds to mprotect(2). Regions keep them.
const (
	ProtBTI  = 0x10
	ProtMTE  = 0x20
	protMask = unix.PROT_READ | unix.PROT_WRITE | unix.PROT_EXEC | ProtBTI | ProtMTE
)

// BranchType is PSTATE.BTYPE: the kind of an indirect branch whose target has not been executed yet. Where the target is in
// a guarded page it has to be a landing pad for that kind (FEAT_BTI; Arm ARM D8.4.8).
type BranchType uint8

// The types.
const (
	BranchNone BranchType = iota // a return, or no indirect branch
	BranchIP                     // BR by X16 or X17, or from a page that is not guarded
	BranchCall                   // BLR
	BranchJump                   // other BR
	NumBranchTypes
)

// BranchBy is the type of a branch to Xn, with link or not, in a page that is guarded or not.
func BranchBy(n uint32, link, guarded bool) BranchType {
	switch {
	case link:
		return BranchCall
	case guarded && n != 16 && n != 17:
		return BranchJump
	}
	return BranchIP
}

// Between an indirect branch and its target State.PC has the branch's type in its top byte, which A64 user space ignores,
// if the address space has guarded pages.
const branchTypeShift = 56

// Mark returns pc with type t in its top byte; addresses of the kernel stay as they are.
func (t BranchType) Mark(pc uint64) uint64 {
	if pc&userBit != 0 {
		return pc
	}
	return Untagged(pc) | uint64(t)<<branchTypeShift
}

// Marked is the inverse of Mark.
func Marked(pc uint64) (target uint64, t BranchType) {
	if pc&userBit != 0 {
		return pc, BranchNone
	}
	return Untagged(pc), BranchType(pc >> branchTypeShift & (uint64(NumBranchTypes) - 1))
}

// Lands reports whether a guarded page may be entered at word by a branch of type t. PACIASP and PACIBSP are no
// targets of jumps: Linux sets SCTLR_EL1.BT0.
func (t BranchType) Lands(word uint32) bool {
	const (
		bti, btiTargets = 0xd503241f, 3 << 6
		paciasp         = 0xd503233f
		pacibsp         = 0xd503237f
		brkMask, brk    = 0xffe0001f, 0xd4200000
		hlt             = 0xd4400000
	)
	switch {
	case t == BranchNone, word&brkMask == brk, word&brkMask == hlt:
		return true
	case word == paciasp, word == pacibsp:
		return t != BranchJump
	case word&^btiTargets != bti:
		return false
	}
	calls, jumps := word>>6&1 != 0, word>>7&1 != 0
	switch t {
	case BranchCall:
		return calls
	case BranchJump:
		return jumps
	}
	return calls || jumps
}

// guardBranches notes that memory has got protection prot: from the first guarded executable page on indirect branches are
// checked. What they have led to before was in other pages. The lock is held.
func (m *Memory) guardBranches(prot int) {
	const guarded = unix.PROT_EXEC | ProtBTI
	if prot&guarded == guarded {
		m.bti.Store(true)
	}
}

// HasBTI reports whether the guest has, or had, executable pages with ProtBTI.
func (m *Memory) HasBTI() bool { return m.bti.Load() }

// BTI reports whether addr is in a page with ProtBTI.
func (m *Memory) BTI(addr uint64) bool {
	if !m.HasBTI() {
		return false
	}
	r, ok := m.Find(addr)
	return ok && r.Prot&ProtBTI != 0
}
