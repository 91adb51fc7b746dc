package jit

import "emu/cache"

// A block that is compiled has had its executions in tier 0, and mostly so have those that
// it leads to: they would be next, one by one, each with a way out of generated code to
// the dispatcher and back. So they are compiled with it and linked to each other. What has
// run less stays in tier 0.

// maxFollow bounds how many blocks are compiled at once: the guest waits meanwhile.
const maxFollow = 32

// follow compiles blocks that first leads to, directly or over others of them, and
// links them all. p is the plan of first.
func (c *compiler) follow(t *cache.Thread, first *cache.Block, p *plan, gen uint64) {
	e := c.engine
	batch := append(c.batch[:0], first)
	if e.cold != nil {
		batch = c.successors(t, batch, p, gen)
	}
	e.cache.LinkExits(batch...)
	clear(batch)
	c.batch = batch
}

// successors appends to batch what the blocks in it lead to.
func (c *compiler) successors(t *cache.Thread, batch []*cache.Block, p *plan, gen uint64) []*cache.Block {
	e := c.engine
	for n := 0; n < len(batch); n++ {
		from := batch[n]
		for i := range from.Exits {
			x := &from.Exits[i]
			k := cache.Key{PC: x.Target, Mode: from.Mode}
			if len(batch) == maxFollow {
				return batch
			}
			if !c.coldDone(k.PC) {
				continue // or it has a unit
			}
			file := c.storeFor(k)
			if file != nil && (file.Foreign() || e.cache.Dropped()) && file.Has(k.PC) {
				continue // it is restored when it is reached, with what follows it there
			}
			f, u, ok := c.template(k, p)
			if !ok {
				continue
			}
			u.entry = x.Entry
			b, installed := c.install(t, k, u, p, file, gen)
			if installed != b {
				return batch // another thread is at it, or the guest changes its code
			}
			c.made(k, f, u, b, p, file, gen)
			batch = append(batch, b)
		}
	}
	return batch
}
