package translate

import "slices"

// Rotation. A loop around a switch mostly begins with what finds out where to go: it loads an operation, compares
// its number with that of the cases, and loads from the table. In regions each case has a copy of that at its end, as far as
// there is room, and the loop begins at the branch: there is no other branch on the way from case to case, and each
// of them branches from a place of its own, as units of interpreters do (region_tail.go).
//
// What the copied loads have to tell of flags if they fault is then those of a compare on every way that does not
// compare something else, and the operands of that travel instead (opt.Sink).

const (
	// maxCopied is how many instructions of copies a region has.
	maxCopied = 400
	// maxLead is the length of blocks where cases come together that are copied.
	maxLead = 16
)

// rotator copies what leads to a switch.
type rotator struct {
	r      *region
	next   []int32 // of each block that leads to the switch the one it goes on at, of the last that one itself; leaves for others
	left   int     // instructions that may still be copied
	shared []int32 // the copies of these blocks for what has no room for its own, leaves where there is none
}

// rotate makes a switch's branch, if it is in a loop, the loop's header.
func (r *region) rotate() {
	next, last, ok := r.leads()
	if !ok {
		return
	}
	c := rotator{r: r, next: next, left: maxCopied, shared: slices.Repeat([]int32{leaves}, len(next))}
	if len(r.blocks)+1+c.leading() > maxRegionBlocks || !r.splitBranch(last) {
		return
	}
	for b := range int32(len(r.blocks)) {
		for k := range r.blocks[b].succ {
			to := r.blocks[b].succ[k].to
			switch {
			case !c.leadsOn(to) || c.leadsOn(b) && to == next[b]:
			case c.leadsOn(b):
				r.blocks[b].succ[k].to = leaves // to an earlier one: the loop would have a second way in
			default:
				copied := c.copyFrom(to)
				r.blocks[b].succ[k].to = copied
			}
		}
	}
	r.blocks = r.graph.build(r.blocks)
}

// leads finds a switch in a loop that is too large to be peeled, and what leads to it: the way from the entry, and short blocks where
// cases come together, which may have other ways on as well. last is the block that the switch's branch ends.
func (r *region) leads() (next []int32, last int32, ok bool) {
	next = slices.Repeat([]int32{leaves}, len(r.blocks))
	chain := r.toSwitch()
	if chain != nil {
		for k, b := range chain[1:] {
			next[chain[k]] = b
		}
		last = chain[len(chain)-1]
	} else if last, ok = r.switchInLoop(); !ok {
		return nil, 0, false
	}
	next[last] = last
	ways := r.waysIn()
	several := chain != nil || ways[last] > 1
	for again := true; again; {
		again = false
		for _, b := range r.graph.order {
			if next[b] >= 0 || ways[b] < 2 || r.blocks[b].insts > maxLead {
				continue
			}
			for _, e := range r.blocks[b].succ {
				if e.to >= 0 && next[e.to] >= 0 && !r.blocks[b].ind {
					next[b], again, several = e.to, true, true
					break
				}
			}
		}
	}
	return next, last, several // else a copy would change nothing
}

// waysIn counts the edges into each block.
func (r *region) waysIn() []int {
	ways := make([]int, len(r.blocks))
	for _, b := range r.graph.order {
		for _, e := range r.blocks[b].succ {
			if e.to >= 0 {
				ways[e.to]++
			}
		}
	}
	return ways
}

// splitBranch makes the branch at the end of block b one of its own, the last.
func (r *region) splitBranch(b int32) bool {
	s := &r.blocks[b]
	if s.insts == 1 {
		return false
	}
	branch := *s
	branch.pc, branch.insts = s.last(), 1
	s.insts--
	s.ind, s.succ = false, []edge{{branch.place, int32(len(r.blocks))}}
	r.blocks = append(r.blocks, branch)
	return true
}

// leadsOn reports whether block b is one that leads to the switch.
func (c *rotator) leadsOn(b int32) bool { return b >= 0 && int(b) < len(c.next) && c.next[b] >= 0 }

// leading counts these blocks.
func (c *rotator) leading() (n int) {
	for _, to := range c.next {
		if to >= 0 {
			n++
		}
	}
	return n
}

// copyFrom returns where a copy of the way from block b to the switch begins.
func (c *rotator) copyFrom(b int32) int32 {
	insts, blocks := 0, 0
	for at := b; ; at = c.next[at] {
		insts += c.r.blocks[at].insts
		blocks++
		if c.next[at] == at {
			break
		}
	}
	if insts > c.left || len(c.r.blocks)+blocks+c.leading() > maxRegionBlocks { // room is left for the shared ones
		return c.share(b)
	}
	c.left -= insts
	return c.copyWay(b)
}

// copyWay copies the way from block b to the switch.
func (c *rotator) copyWay(b int32) int32 {
	first := c.copyBlock(b)
	if to := c.next[b]; to != b {
		c.lead(first, c.copyWay(to))
	}
	return first
}

// share returns the shared copy of block b.
func (c *rotator) share(b int32) int32 {
	if c.shared[b] < 0 {
		c.shared[b] = c.copyBlock(b)
		if to := c.next[b]; to != b {
			c.lead(c.shared[b], c.share(to))
		}
	}
	return c.shared[b]
}

// copyBlock appends a copy of block b, of which lead says where it goes on. The last one goes on at the branch.
func (c *rotator) copyBlock(b int32) int32 {
	r := c.r
	blk := r.blocks[b]
	blk.succ = slices.Clone(blk.succ)
	for j := range blk.succ {
		if e := &blk.succ[j]; c.leadsOn(e.to) && e.to != c.next[b] {
			e.to = leaves
		}
	}
	r.blocks = append(r.blocks, blk)
	return int32(len(r.blocks)) - 1
}

// lead makes block b, a copy, go on at the copy next.
func (c *rotator) lead(b, next int32) {
	for j := range c.r.blocks[b].succ {
		if e := &c.r.blocks[b].succ[j]; c.leadsOn(e.to) {
			e.to = next
		}
	}
}

// toSwitch lists the blocks from the entry, the header of a loop that is too large to be peeled, to a switch in that loop, if there
// is no other way than to leave the region or go back.
func (r *region) toSwitch() (chain []int32) {
	l := r.graph.loopAt(0)
	if l == nil || !r.tooLarge(l) {
		return nil
	}
	for b := int32(0); b >= 0 && l.body.has(b); b = r.onlyWay(b, chain) {
		chain = append(chain, b)
		if r.blocks[b].ind {
			if !r.isSwitch(b) {
				return nil
			}
			return chain
		}
	}
	return nil
}

// switchInLoop finds a switch in a loop that is too large to be peeled.
func (r *region) switchInLoop() (b int32, ok bool) {
	for _, b := range r.graph.order {
		if n := r.graph.inner[b]; n >= 0 && r.isSwitch(b) && r.tooLarge(&r.graph.loops[n]) {
			return b, true
		}
	}
	return 0, false
}

// isSwitch reports whether block b ends in a branch to more targets than comparisons are made for.
func (r *region) isSwitch(b int32) bool {
	blk := &r.blocks[b]
	return blk.ind && !blk.call && len(blk.succ) > maxTargets
}

func (r *region) tooLarge(l *natLoop) bool {
	insts := 0
	l.body.each(func(b int32) { insts += r.blocks[b].insts })
	return insts > maxPeeledInsts
}

// onlyWay is the block that b goes on at if it does not leave the region or go to one of those besides; leaves if there are several.
func (r *region) onlyWay(b int32, besides []int32) int32 {
	next := int32(leaves)
	for _, e := range r.blocks[b].succ {
		switch {
		case e.to < 0 || slices.Contains(besides, e.to):
		case next >= 0:
			return leaves
		default:
			next = e.to
		}
	}
	return next
}
