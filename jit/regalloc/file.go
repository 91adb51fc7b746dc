// Package regalloc assigns host registers. Its parts compute only; the moves,
// spills and reloads that follow from their decisions are emitted by the backend.
//
// File is the greedy allocator's book-keeping for one register class: who is in
// which register, and which register to give away next.
package regalloc

import (
	"math/bits"

	"emu/ir"
)

// MaxRegs is the largest register number a File can hold, plus one.
const MaxRegs = 32

// File is the state of one class of registers. Registers are named by their
// number in the host's encoding.
type File struct {
	owner  [MaxRegs]ir.Value
	stamp  [MaxRegs]uint32
	order  []uint8 // allocatable registers, the most welcome first
	used   uint32  // registers with an owner
	locked uint32  // registers that the current instruction needs where they are
	clock  uint32
}

// NewFile returns a File of the registers in order, the most welcome first.
func NewFile(order []uint8) File { return File{order: order} }

// Reset frees all registers.
func (f *File) Reset() {
	f.used, f.locked, f.clock = 0, 0, 0
}

// Owner returns the value in r, ir.None if r is free.
func (f *File) Owner(r uint8) ir.Value {
	if f.used>>r&1 == 0 {
		return ir.None
	}
	return f.owner[r]
}

// Bind makes v the owner of the free register r.
func (f *File) Bind(r uint8, v ir.Value) {
	if f.used>>r&1 != 0 {
		panic("BUG: regalloc: register has an owner")
	}
	f.used |= 1 << r
	f.owner[r] = v
	f.Touch(r)
}

// Free takes r from its owner. A lock on r stays.
func (f *File) Free(r uint8) { f.used &^= 1 << r }

// Touch marks r as used now, for Victim.
func (f *File) Touch(r uint8) {
	f.clock++
	f.stamp[r] = f.clock
}

// Stamp returns when r was used last, on a clock of its own.
func (f *File) Stamp(r uint8) uint32 { return f.stamp[r] }

// SetStamp sets what Stamp returns.
func (f *File) SetStamp(r uint8, stamp uint32) { f.stamp[r] = stamp }

// Order returns the allocatable registers, the most welcome first.
func (f *File) Order() []uint8 { return f.order }

// Lock keeps r from being given away until UnlockAll.
func (f *File) Lock(r uint8) { f.locked |= 1 << r }

// Locked reports whether r is locked.
func (f *File) Locked(r uint8) bool { return f.locked>>r&1 != 0 }

// Locks returns the set of locked registers; SetLocks restores it.
func (f *File) Locks() uint32 { return f.locked }

// SetLocks replaces the set of locked registers.
func (f *File) SetLocks(m uint32) { f.locked = m }

// UnlockAll ends the current instruction.
func (f *File) UnlockAll() { f.locked = 0 }

// Used returns the set of registers that have an owner.
func (f *File) Used() uint32 { return f.used }

// Pick returns a free, unlocked register that is not in avoid.
func (f *File) Pick(avoid uint32) (r uint8, ok bool) {
	busy := f.used | f.locked | avoid
	for _, r := range f.order {
		if busy>>r&1 == 0 {
			return r, true
		}
	}
	return 0, false
}

// Candidates returns the registers that Victim chooses from: those with an owner that are
// neither locked nor in avoid.
func (f *File) Candidates(avoid uint32) uint32 { return f.used &^ (f.locked | avoid) }

// Victim returns the candidate that is best given away: the one of which far says that it
// is needed last, of several the one that was not used for the longest time.
func (f *File) Victim(avoid uint32, far *[MaxRegs]uint16) (r uint8, ok bool) {
	best := uint64(0)
	for m := f.Candidates(avoid); m != 0; m &= m - 1 {
		n := uint8(bits.TrailingZeros32(m))
		if rank := uint64(far[n])<<32 | uint64(^f.stamp[n]); !ok || rank > best {
			best, r, ok = rank, n, true
		}
	}
	return r, ok
}
