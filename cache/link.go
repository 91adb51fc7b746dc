package cache

import (
	"slices"
	"sync/atomic"
	"unsafe"
)

// Exit is a direct branch out of a block: a 32-bit displacement in its code that
// leads to the block's own exit stub until it is linked.
type Exit struct {
	Target uint64 // guest pc
	Patch  uint32 // offset of the displacement, 4-byte aligned in memory
	Stub   uint32 // offset of the exit stub
	End    uint32 // offset behind the exit stub
	Site   uint16 // of a branch that the block goes on behind: 1 + guest instructions from its pc
	Entry  bool   // the target is a loop header, a function or where a call returns to

	from, to   *Block // to is nil if the exit is not linked
	next, prev *Exit  // the list of the exits that lead to `to`
}

// at is the address of the exit's displacement.
func (e *Exit) at() uintptr { return e.from.Addr + uintptr(e.Patch) }

// ExitAt returns the exit whose stub ends at addr, nil if there is none any more.
func (c *Cache) ExitAt(addr uintptr) *Exit {
	b := c.FindAddr(addr - 1)
	if b == nil {
		return nil
	}
	for i := range b.Exits {
		if e := &b.Exits[i]; b.Addr+uintptr(e.End) == addr {
			return e
		}
	}
	return nil
}

// Link makes the exit e lead straight to `to`. It does nothing if either block is
// gone, or if e is nil.
func (c *Cache) Link(e *Exit, to *Block) {
	if e == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.link(e, to)
}

func (c *Cache) link(e *Exit, to *Block) {
	if e.from.dead.Load() || to.dead.Load() || e.from.Mode != to.Mode || e.to != nil || e.Target != to.PC {
		return
	}
	e.lead(to)
	setDisp(e.at(), to.Addr)
	c.stats.Links++
}

// LinkExits leads the exits of blocks straight to what is there already.
func (c *Cache) LinkExits(blocks ...*Block) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, b := range blocks {
		for i := range b.Exits {
			e := &b.Exits[i]
			if e.to != nil {
				continue
			}
			if to := c.blocks.find(Key{e.Target, b.Mode}); to != nil {
				c.link(e, to)
			}
		}
	}
}

// lead enters e into the list of `to`.
func (e *Exit) lead(to *Block) {
	e.to, e.prev, e.next = to, nil, to.in
	if to.in != nil {
		to.in.prev = e
	}
	to.in = e
}

// Without returns a region that leads to b and left it out, nil if there is none.
func (c *Cache) Without(b *Block) *Block {
	c.mu.Lock()
	defer c.mu.Unlock()
	for e := b.in; e != nil; e = e.next {
		if r := e.from; !r.dead.Load() && r.Region != nil && slices.Contains(r.Region.LeftOut, b.PC) {
			return r
		}
	}
	return c.imageWithout(b)
}

// unlink leads all exits that lead to b back to their stubs: those of dead blocks
// too, since a thread may still be inside of one, or return there.
func (b *Block) unlink() {
	for e := b.in; e != nil; {
		next := e.next
		e.to, e.next, e.prev = nil, nil, nil
		setDisp(e.at(), e.from.Addr+uintptr(e.Stub))
		e = next
	}
	b.in = nil
}

// forgetExits takes b's exits out of the lists of their targets: its code bytes
// are about to be reused.
func (b *Block) forgetExits() {
	for i := range b.Exits {
		e := &b.Exits[i]
		if e.to == nil {
			continue
		}
		if e.prev != nil {
			e.prev.next = e.next
		} else {
			e.to.in = e.next
		}
		if e.next != nil {
			e.next.prev = e.prev
		}
		e.to, e.next, e.prev = nil, nil, nil
	}
}

// takeOver leads the branches to old to b instead, and drops old.
func (c *Cache) takeOver(old, b *Block) {
	if old.image != nil {
		c.retire(old.image, old.unit)
	}
	for e := old.in; e != nil; {
		next := e.next
		e.lead(b)
		setDisp(e.at(), b.Addr)
		e = next
	}
	old.in = nil
	c.drop(old)
	c.stats.Replaced++
}

// setDisp stores the displacement at patch so that the branch goes to addr.
func setDisp(patch, addr uintptr) {
	atomic.StoreInt32(disp(patch), int32(int64(addr)-int64(patch)-4))
}

// dispAt is where the branch leads whose displacement is at patch.
func dispAt(patch uintptr) (addr uintptr) {
	return uintptr(int64(patch) + 4 + int64(atomic.LoadInt32(disp(patch))))
}

func disp(patch uintptr) *int32 { return (*int32)(unsafe.Pointer(&bytes(patch, 4)[0])) }
