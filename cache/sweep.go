package cache

import (
	"golang.org/x/sys/unix"
)

// Invalidated blocks keep their code and what is known of it, as threads may be inside.
// When there is much of that, of a library that was unloaded or of what a guest's own
// compiler has thrown away, it is given back: whole pages of code to the kernel, the rest
// to the garbage collector. The addresses are used again when their region is.

// sweepBytes is how much invalidated code makes a sweep worth its while.
const sweepBytes = 1 << 20

// sweep gives back the memory of invalidated blocks. As for an eviction each thread is
// asked to leave generated code and waited for. The lock is held.
func (c *Cache) sweep(self *Thread) {
	c.waitForThreads(self)
	c.deadBytes = 0
	c.stats.Sweeps++
	for i := range c.arena.regions {
		c.stats.FreedBytes += uint64(c.arena.sweep(&c.arena.regions[i]))
	}
}

// waitForThreads returns when no thread but self has been in generated code since: none
// has an address in it left. The lock is held.
func (c *Cache) waitForThreads(self *Thread) {
	c.evictions.Add(1)
	for t := range c.users {
		if t != self {
			t.interrupt()
		}
	}
}

// sweep drops the dead blocks of r and gives pages without living ones back to the
// kernel. It returns their size.
func (a *arena) sweep(r *region) (freed uintptr) {
	a.lists.Lock()
	defer a.lists.Unlock()
	blocks := r.blocks
	r.blocks, r.starts, r.pages = r.blocks[:0], r.starts[:0], r.pages[:0]
	from := (r.start + codePage - 1) &^ (codePage - 1)
	dead := false // there was one since the last living block: its pages are present
	for _, b := range blocks {
		if b.dead.Load() {
			b.forgetExits()
			dead = true
			continue
		}
		if dead {
			freed += release(from, b.Addr&^(codePage-1))
		}
		from = max(from, (b.Addr+uintptr(b.Len)+codePage-1)&^(codePage-1))
		dead = false
		r.add(b)
	}
	clear(blocks[len(r.blocks):])
	if dead {
		freed += release(from, r.next&^(codePage-1))
	}
	return freed
}

// release gives the pages from..to back to the kernel.
func release(from, to uintptr) uintptr {
	if from >= to {
		return 0
	}
	if _, _, errno := unix.Syscall(unix.SYS_MADVISE, from, to-from, unix.MADV_DONTNEED); errno != 0 {
		panic("BUG: cache: giving code memory back: " + errno.Error())
	}
	return to - from
}
