package cache

import (
	"sync/atomic"
	"unsafe"

	"emu/cpu"
	"emu/jit/host"
)

// Generated code notes where its indirect branches go in tables behind the code
// memory, indexed by the branch's address. Branches that share an entry spoil each
// other's notes: what they are for are guesses. Each note of a branch is in another table: what runs
// a little writes to one of them, and a fork copies what is written.
const noteBytes = host.TargetNotes * host.NoteSites * 8

// Notes is the address of the first note of the indirect branch at pc.
func (c *Cache) Notes(pc uint64) uintptr {
	return c.arena.notes + 8*uintptr(pc>>3%host.NoteSites)
}

// Noted returns the targets noted of the indirect branch at pc, 0 where there was none
// yet.
func (c *Cache) Noted(pc uint64) (list [host.TargetNotes]uint64) {
	for k := range list {
		at := c.Notes(pc) + uintptr(8*host.NoteSites*k)
		list[k] = atomic.LoadUint64(*(**uint64)(unsafe.Pointer(&at)))
	}
	return list
}

// Expected lists where regions expect the indirect branch at site to go (see translate.Profile). ok is
// false if none has it: then all its executions are noted.
func (c *Cache) Expected(mode uint32, site uint64) (list []uint64, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	on := c.pages.lists[site&^(cpu.PageSize-1)]
	if on == nil {
		return nil, false
	}
	for _, b := range on.blocks {
		if b.Region == nil || b.Mode != mode || b.dead.Load() {
			continue
		}
		for _, g := range b.Region.Guesses {
			if g.Site == site && g.Target == 0 {
				ok = true
			} else if g.Site == site {
				list = append(list, g.Target)
			}
		}
		if len(list) > 0 {
			return list, true
		}
	}
	return nil, ok
}
