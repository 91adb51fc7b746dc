package translate

import (
	"slices"

	"emu/ir"
)

// stmt is a piece of structured control flow.
type stmt struct {
	kind  stmtKind
	block int32  // what it is about, see the kinds
	edge  edge   // stmtLeave, stmtGuess: where to
	body  []stmt // LOOP and BLOCK: inside; IF: the branch is taken
	other []stmt // IF: it is not
	// Registers that the guest blocks inside of a LOOP or BLOCK read and write.
	reads, writes ir.RegSet
}

type stmtKind uint8

const (
	stmtCode     stmtKind = iota // translate the block
	stmtIf                       // on the branch that ends the block
	stmtLoop                     // the block is its header
	stmtScope                    // a BLOCK; the block stands behind it
	stmtContinue                 // go to the header
	stmtBreak                    // leave the LOOP or BLOCK that the block stands behind
	stmtLeave                    // leave the region from the block
	stmtGuess                    // IF the indirect branch that ends the block goes along edge
	stmtIndirect                 // it goes elsewhere
)

// structurer turns a reducible graph into scopes (Ramsey, "Beyond Relooper: recursive
// translation of unstructured control flow to structured control flow", 2022):
// walk the dominator tree; a block with several ways in stands behind a BLOCK
// around all of them, a loop header opens a LOOP.
//
// Two things differ from the paper. Code that a loop leaves to stands behind the
// LOOP rather than inside of the arm that leaves, so that the loop's body is the
// loop. And a BLOCK that is left only by falling out of its end disappears, which
// makes IF/ELSE with a merge of the usual diamonds.
type structurer struct {
	g        *graph
	blocks   []guestBlock
	children [][]int32 // of the dominator tree, with loop exits below the loop's header
	joins    blockSet  // blocks that stand behind a scope
	breaks   []int     // number of BREAKs to each of them
}

func structure(g *graph, blocks []guestBlock) []stmt {
	s := &structurer{g: g, blocks: blocks, children: make([][]int32, len(blocks)), breaks: make([]int, len(blocks))}
	for _, b := range g.order[1:] {
		at := g.idom[b]
		exits := false
		// The outermost loop around the dominator that does not hold b.
		for l := g.inner[at]; l >= 0 && !g.loops[l].body.has(b); l = g.loops[l].parent {
			at, exits = g.loops[l].header, true
		}
		s.children[at] = append(s.children[at], b) // in ascending order
		if exits || g.ins[b] > 1 {
			s.joins.add(b)
		}
	}
	return s.tree(0, leaves)
}

// tree is the code dominated by b. Control that reaches its end goes on at block
// fall; leaves means that it must not.
func (s *structurer) tree(b, fall int32) []stmt {
	var joins, behind []int32
	loop := s.g.loopAt(b)
	for _, c := range s.children[b] {
		switch {
		case !s.joins.has(c):
		case loop != nil && !loop.body.has(c):
			behind = append(behind, c)
		default:
			joins = append(joins, c)
		}
	}
	if loop == nil {
		return s.within(b, joins, fall)
	}
	return s.around(b, joins, behind, fall)
}

// within is b with the BLOCKs in front of joins, the nearest one innermost.
func (s *structurer) within(b int32, joins []int32, fall int32) []stmt {
	if len(joins) == 0 {
		return s.code(b, fall)
	}
	next := joins[len(joins)-1]
	out := s.scope(next, s.within(b, joins[:len(joins)-1], next))
	return append(out, s.tree(next, fall)...)
}

// around is the LOOP at b and what it leaves to. Its own MERGE is where the
// nearest of these starts.
func (s *structurer) around(b int32, joins, behind []int32, fall int32) []stmt {
	if len(behind) <= 1 {
		out := []stmt{{kind: stmtLoop, block: b, body: s.within(b, joins, leaves)}}
		if len(behind) == 1 {
			out[0].edge.to = behind[0]
			return append(out, s.tree(behind[0], fall)...)
		}
		out[0].edge.to = leaves
		return out
	}
	next := behind[len(behind)-1]
	out := s.scope(next, s.around(b, joins, behind[:len(behind)-1], next))
	return append(out, s.tree(next, fall)...)
}

// scope puts body into a BLOCK if something leaves it in the middle.
func (s *structurer) scope(next int32, body []stmt) []stmt {
	if s.breaks[next] == 0 {
		return body
	}
	return []stmt{{kind: stmtScope, block: next, body: body}}
}

func (s *structurer) code(b, fall int32) []stmt {
	out := []stmt{{kind: stmtCode, block: b}}
	if s.blocks[b].ind {
		n := stmt{kind: stmtIndirect, block: b}
		if len(s.blocks[b].succ) > 1 {
			fall = leaves // BREAKs instead of a merge at the end of each comparison
		}
		for _, guess := range slices.Backward(s.blocks[b].succ) {
			if guess.to >= 0 {
				n = stmt{kind: stmtGuess, block: b, edge: guess, body: s.branch(b, guess, fall), other: []stmt{n}}
			}
		}
		return append(out, n)
	}
	switch succ := s.blocks[b].succ; len(succ) {
	case 1:
		out = append(out, s.branch(b, succ[0], fall)...)
	case 2:
		out = append(out, stmt{kind: stmtIf, block: b, body: s.branch(b, succ[0], fall), other: s.branch(b, succ[1], fall)})
	}
	return out
}

// branch goes along an edge out of b.
func (s *structurer) branch(b int32, e edge, fall int32) []stmt {
	switch {
	case e.to < 0:
		return []stmt{{kind: stmtLeave, block: b, edge: e}}
	case s.g.back(b, e.to):
		return []stmt{{kind: stmtContinue, block: e.to}}
	case !s.joins.has(e.to):
		return s.tree(e.to, fall)
	case e.to == fall:
		return nil
	}
	s.breaks[e.to]++
	return []stmt{{kind: stmtBreak, block: e.to}}
}

// collect fills in which registers are read and written where.
func collect(tree []stmt, blocks []guestBlock) (reads, writes ir.RegSet) {
	for k := range tree {
		n := &tree[k]
		if n.kind == stmtCode {
			n.reads, n.writes = blocks[n.block].reads, blocks[n.block].writes
		} else {
			r1, w1 := collect(n.body, blocks)
			r2, w2 := collect(n.other, blocks)
			n.reads, n.writes = r1.Union(r2), w1.Union(w2)
		}
		reads, writes = reads.Union(n.reads), writes.Union(n.writes)
	}
	return reads, writes
}

// blocksIn lists the blocks that are translated in a tree, for checks.
func blocksIn(tree []stmt) (list []int32) {
	for _, n := range tree {
		if n.kind == stmtCode {
			list = append(list, n.block)
		}
		list = slices.Concat(list, blocksIn(n.body), blocksIn(n.other))
	}
	return list
}
