package cache

import (
	"sync/atomic"
	"unsafe"

	"emu/jit/host"
)

// Generated code notes where its indirect branches go in a table behind the code
// memory, indexed by the branch's address. Branches that share an entry spoil each
// other's notes: what they are for are guesses.
const (
	noteSites = 4096
	noteBytes = noteSites * host.TargetNotes * 8
)

// notes are those of one branch.
type notes [host.TargetNotes]uint64

// Notes is the address of what is noted of the indirect branch at pc. Branches that are
// near each other are near each other there: a fork copies what is written.
func (c *Cache) Notes(pc uint64) uintptr {
	return c.arena.notes + uintptr(pc>>3%noteSites)*unsafe.Sizeof(notes{})
}

// Noted returns the targets noted of the indirect branch at pc, 0 where there was none
// yet.
func (c *Cache) Noted(pc uint64) (list [host.TargetNotes]uint64) {
	at := c.Notes(pc)
	p := *(**notes)(unsafe.Pointer(&at))
	for k := range list {
		list[k] = atomic.LoadUint64(&p[k])
	}
	return list
}
