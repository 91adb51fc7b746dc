package translate

import "slices"

// Rotation. A loop around a switch mostly begins with what finds out where to go: it loads an operation, compares
// its number with that of the cases, and loads from the table. In regions each case has a copy of that at its end, as far as
// there is room, and the loop begins at the branch: there is no other branch on the way from case to case, and each
// of them branches from a place of its own, as units of interpreters do (region_tail.go).
//
// What the copied loads have to tell of flags if they fault is then those of a compare on every way that does not
// compare something else, and the operands of that travel instead (opt.Sink).

// maxCopied is how many instructions of copies a region has.
const maxCopied = 400

// rotator copies what leads to a switch.
type rotator struct {
	r      *region
	chain  []int32 // from the entry on, without the switch's branch
	left   int     // instructions that may still be copied
	shared []int32 // the copies of chain for what has no room for its own
}

// rotate makes a switch's branch, if it is in a loop at the entry, the loop's header.
func (r *region) rotate() {
	chain := r.toSwitch()
	if chain == nil {
		return
	}
	c := rotator{r: r, chain: chain, left: maxCopied}
	if len(r.blocks)+1+len(chain) > maxRegionBlocks || !r.splitBranch(chain[len(chain)-1]) {
		return
	}
	for b := range int32(len(r.blocks)) {
		at := slices.Index(chain, b)
		for k := range r.blocks[b].succ {
			switch to := slices.Index(chain, r.blocks[b].succ[k].to); {
			case to < 0 || at >= 0 && to == at+1:
			case at >= 0:
				r.blocks[b].succ[k].to = leaves // to an earlier one: the loop would have a second way in
			default:
				next := c.copyFrom(to)
				r.blocks[b].succ[k].to = next
			}
		}
	}
	r.graph.build(r.blocks)
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

// copyFrom returns where a copy of the chain from its block number k on begins.
func (c *rotator) copyFrom(k int) int32 {
	insts := 0
	for _, b := range c.chain[k:] {
		insts += c.r.blocks[b].insts
	}
	if insts <= c.left && len(c.r.blocks)+len(c.chain[k:])+len(c.chain) <= maxRegionBlocks { // room is left for the shared one
		c.left -= insts
		return c.copyBlocks(k)[0]
	}
	if c.shared == nil {
		c.shared = c.copyBlocks(0)
	}
	return c.shared[k]
}

// copyBlocks appends a copy of the chain from its block number k on.
func (c *rotator) copyBlocks(k int) (copies []int32) {
	r := c.r
	for i, b := range c.chain[k:] {
		n := int32(len(r.blocks))
		blk := r.blocks[b]
		blk.succ = slices.Clone(blk.succ)
		for j := range blk.succ {
			e := &blk.succ[j]
			switch to := slices.Index(c.chain, e.to); {
			case to < 0:
			case to == k+i+1:
				e.to = n + 1
			default:
				e.to = leaves
			}
		}
		r.blocks = append(r.blocks, blk)
		copies = append(copies, n)
	}
	return copies
}

// toSwitch lists the blocks from the entry, the header of a loop that is too large to be peeled, to a switch in that loop, if there
// is no other way than to leave the region or go back.
func (r *region) toSwitch() (chain []int32) {
	l := r.graph.loopAt(0)
	if l == nil {
		return nil
	}
	insts := 0
	l.body.each(func(b int32) { insts += r.blocks[b].insts })
	if insts <= maxPeeledInsts {
		return nil
	}
	for b := int32(0); l.body.has(b) && !slices.Contains(chain, b); {
		blk := &r.blocks[b]
		chain = append(chain, b)
		if blk.ind {
			if blk.call || len(blk.succ) <= maxTargets {
				return nil
			}
			return chain
		}
		next := int32(leaves)
		for _, e := range blk.succ {
			switch {
			case e.to < 0 || slices.Contains(chain, e.to):
			case next >= 0:
				return nil
			default:
				next = e.to
			}
		}
		if next < 0 {
			return nil
		}
		b = next
	}
	return nil
}
