package translate

// Loop peeling (seed 000, Loop Construction). The first iteration of an innermost
// loop is put in front of it. What it computes is known in the loop: invariant
// operations are shared with it instead of repeated, and what travels around the
// loop has the same form on both ways to the header, a scalar in a V register or
// the result of a compare, so that it can travel in that form.

const (
	maxPeeledInsts  = 64  // guest instructions of a loop
	maxPeeledRegion = 200 // of all in a region
)

// peeler peels the loops of a region.
type peeler struct {
	blocks []guestBlock
	left   int // instructions that may still be copied
}

// peel returns tree with the first iterations of its innermost loops in front of
// them.
func peel(tree []stmt, blocks []guestBlock) []stmt {
	p := &peeler{blocks: blocks, left: maxPeeledRegion}
	out, _ := p.tree(tree)
	return out
}

func (p *peeler) tree(tree []stmt) (out []stmt, loops bool) {
	for _, n := range tree {
		var inBody, inOther bool
		n.body, inBody = p.tree(n.body)
		n.other, inOther = p.tree(n.other)
		size := p.size(n.body)
		if n.kind == stmtLoop && !inBody && size <= min(maxPeeledInsts, p.left) {
			p.left -= size
			out = append(out, p.loop(n)...)
		} else {
			out = append(out, n)
		}
		loops = loops || inBody || inOther || n.kind == stmtLoop
	}
	return out, loops
}

func (p *peeler) size(tree []stmt) (insts int) {
	for _, b := range blocksIn(tree) {
		insts += p.blocks[b].insts
	}
	return insts
}

// loop is the first iteration of n and n. The block behind the loop now stands
// behind both of them.
func (p *peeler) loop(n stmt) []stmt {
	first, breaks := once(n.body, n.block, true)
	if breaks {
		first = []stmt{{kind: stmtScope, block: headerScope(n.block), body: first}}
	}
	behind := n.edge.to
	if behind < 0 {
		return append(first, n)
	}
	n.edge.to = leaves
	return []stmt{{kind: stmtScope, block: behind, body: append(first, n)}}
}

// headerScope names the BLOCK around the first iteration of the loop at header.
func headerScope(header int32) int32 { return header + maxRegionBlocks }

// once is the body of the loop at header for one iteration: control falls out of
// its end, or breaks out, where it went back. last tells that tree is the end.
func once(tree []stmt, header int32, last bool) (out []stmt, breaks bool) {
	for k, n := range tree {
		end := last && k == len(tree)-1
		switch {
		case n.kind == stmtContinue && n.block == header:
			if !end {
				out = append(out, stmt{kind: stmtBreak, block: headerScope(header)})
				breaks = true
			}
			continue
		case n.kind == stmtIf || n.kind == stmtGuess:
			var b1, b2 bool
			n.body, b1 = once(n.body, header, end)
			n.other, b2 = once(n.other, header, end)
			breaks = breaks || b1 || b2
		case n.kind == stmtScope:
			var b bool
			n.body, b = once(n.body, header, false)
			breaks = breaks || b
		}
		out = append(out, n)
	}
	return out, breaks
}
