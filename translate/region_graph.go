package translate

import "slices"

// graph is what is known of the control flow of a region. Blocks are named by
// their index; block 0 is the entry.
type graph struct {
	order []int32 // reachable blocks in reverse post order
	rpo   []int32 // place of each block in order, -1 = not reachable
	idom  []int32 // immediate dominator; the entry's is itself
	ins   []int32 // number of forward edges into each block
	loops []natLoop
	inner []int32 // innermost loop of each block, -1 = none
}

// natLoop is a natural loop. Loops with the same header are one.
type natLoop struct {
	header int32
	body   blockSet // with the header
	parent int32    // the loop around it, -1 = none
}

// build analyses blocks, and returns them with those that it has added. What makes the graph irreducible, an edge
// back to a block that does not dominate where it comes from, is made to leave the region if it cannot be undone by a
// copy of a block.
func (g *graph) build(blocks []guestBlock) []guestBlock {
	for splits := maxSplits; ; splits-- {
		g.number(blocks)
		g.dominators(blocks)
		var split, cut bool
		if blocks, split, cut = g.reduce(blocks, splits > 0); !split && !cut {
			break
		}
	}
	g.countIns(blocks)
	g.findLoops(blocks)
	return blocks
}

// number finds the reverse post order.
func (g *graph) number(blocks []guestBlock) {
	n := len(blocks)
	g.rpo = make([]int32, n)
	seen := make([]bool, n)
	post := make([]int32, 0, n)
	var visit func(b int32)
	visit = func(b int32) {
		seen[b] = true
		// The last successor first: it then comes last in the order, and the way
		// straight on stays together.
		for k := len(blocks[b].succ) - 1; k >= 0; k-- {
			if to := blocks[b].succ[k].to; to >= 0 && !seen[to] {
				visit(to)
			}
		}
		post = append(post, b)
	}
	visit(0)
	g.order = make([]int32, len(post))
	for k := range g.rpo {
		g.rpo[k] = -1
	}
	for k, b := range post {
		at := len(post) - 1 - k
		g.order[at], g.rpo[b] = b, int32(at)
	}
}

// dominators is the iterative algorithm of Cooper, Harvey and Kennedy, "A Simple,
// Fast Dominance Algorithm" (2001).
func (g *graph) dominators(blocks []guestBlock) {
	g.idom = make([]int32, len(blocks))
	for k := range g.idom {
		g.idom[k] = -1
	}
	g.idom[0] = 0
	preds := make([][]int32, len(blocks))
	for _, b := range g.order {
		for _, e := range blocks[b].succ {
			if e.to >= 0 {
				preds[e.to] = append(preds[e.to], b)
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, b := range g.order[1:] {
			dom := int32(-1)
			for _, p := range preds[b] {
				switch {
				case g.idom[p] < 0:
				case dom < 0:
					dom = p
				default:
					dom = g.intersect(p, dom)
				}
			}
			if g.idom[b] != dom {
				g.idom[b], changed = dom, true
			}
		}
	}
}

func (g *graph) intersect(a, b int32) int32 {
	for a != b {
		for g.rpo[a] > g.rpo[b] {
			a = g.idom[a]
		}
		for g.rpo[b] > g.rpo[a] {
			b = g.idom[b]
		}
	}
	return a
}

func (g *graph) dominates(a, b int32) bool {
	for g.rpo[b] > g.rpo[a] {
		b = g.idom[b]
	}
	return a == b
}

// back reports whether an edge goes back in the order.
func (g *graph) back(from, to int32) bool { return g.rpo[to] <= g.rpo[from] }

// A region has up to maxSplits copies of blocks of up to maxSplitInsts instructions that make it reducible.
const (
	maxSplits     = 8
	maxSplitInsts = 16
)

// reduce cuts edges that make the graph irreducible, up to the first that a copy of a block undoes, if there may be one.
func (g *graph) reduce(blocks []guestBlock, maySplit bool) (grown []guestBlock, split, cut bool) {
	for _, b := range g.order {
		for k := range blocks[b].succ {
			e := &blocks[b].succ[k]
			if e.to < 0 || !g.back(b, e.to) || g.dominates(e.to, b) {
				continue
			}
			if maySplit && len(blocks) < maxRegionBlocks {
				if grown, ok := g.split(blocks, b, e); ok {
					return grown, true, cut
				}
			}
			e.to, cut = leaves, true
		}
	}
	return blocks, false, cut
}

// split makes the graph less irreducible by a copy of a block at one of the ends of e, an edge of b: of b for the ways from
// the block that e goes to, or of that one for e, whichever is shorter ("node splitting" in Aho, Lam, Sethi and Ullman,
// "Compilers", 2006, section 9.7.6).
func (g *graph) split(blocks []guestBlock, b int32, e *edge) ([]guestBlock, bool) {
	n := int32(len(blocks))
	copied := func(b int32) guestBlock {
		blk := blocks[b]
		blk.succ = slices.Clone(blk.succ)
		return blk
	}
	short := func(b int32) bool { return blocks[b].insts <= maxSplitInsts && !blocks[b].ind }
	if short(b) && (!short(e.to) || blocks[b].insts < blocks[e.to].insts) {
		blk, head, moved := copied(b), e.to, false
		for _, p := range g.order {
			for k := range blocks[p].succ {
				if in := &blocks[p].succ[k]; in.to == b && g.dominates(head, p) {
					in.to, moved = n, true
				}
			}
		}
		if moved {
			return append(blocks, blk), true
		}
	}
	if !short(e.to) {
		return nil, false
	}
	blk := copied(e.to)
	e.to = n
	return append(blocks, blk), true
}

func (g *graph) countIns(blocks []guestBlock) {
	g.ins = make([]int32, len(blocks))
	for _, b := range g.order {
		for _, e := range blocks[b].succ {
			if e.to >= 0 && !g.back(b, e.to) {
				g.ins[e.to]++
			}
		}
	}
}

// findLoops finds the natural loops, outer ones first.
func (g *graph) findLoops(blocks []guestBlock) {
	g.loops = nil
	g.inner = make([]int32, len(blocks))
	for k := range g.inner {
		g.inner[k] = -1
	}
	preds := make([]blockSet, len(blocks))
	for _, b := range g.order {
		for _, e := range blocks[b].succ {
			if e.to >= 0 {
				preds[e.to].add(b)
			}
		}
	}
	for _, h := range g.order {
		var body, work blockSet
		preds[h].each(func(p int32) {
			if g.back(p, h) {
				work.add(p)
			}
		})
		if work == 0 {
			continue
		}
		body.add(h)
		for work &^= body; work != 0; {
			var next blockSet
			work.each(func(b int32) { next |= preds[b] })
			body |= work
			work = next &^ body
		}
		// The header's innermost loop so far is the one around it, since headers
		// come in the order of dominance.
		parent := g.inner[h]
		n := int32(len(g.loops))
		g.loops = append(g.loops, natLoop{h, body, parent})
		body.each(func(b int32) { g.inner[b] = n })
	}
}

// loopAt is the loop with header b, nil if there is none.
func (g *graph) loopAt(b int32) *natLoop {
	if n := g.inner[b]; n >= 0 && g.loops[n].header == b {
		return &g.loops[n]
	}
	return nil
}
