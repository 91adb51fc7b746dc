package amd64

import (
	"math/bits"
	"slices"

	"emu/ir"
)

// What a loop needs most: the weights by which lowerLoop gives registers to what comes into a loop and
// to its arguments.

const (
	oneUse   = 1 << 10     // weight of a use, half of it that of passing a value on
	leastUse = oneUse >> 6 // what weighs less is used where the loop is left, if at all
	maxDeep  = 9           // logarithm of how much more a use in inner loops weighs at most
)

// weigh weighs how often loop id uses what is defined in front of it and its arguments, and returns about how
// many other values are alive in it at once; it also notes the registers that its instructions need for
// themselves. Uses in inner loops weigh more, those in one of a table's cases as much less as there are cases,
// those behind a BLOCK as what breaks out of it, and those where the loop is left next to nothing.
func (c *compiler) weigh(id int32) (temps int) {
	if cap(c.weight) < len(c.vals) {
		c.weight = make([]uint32, len(c.vals), cap(c.vals))
	}
	c.weight = c.weight[:len(c.vals)]
	clear(c.weight)
	sc := &c.scoped.tree.Scopes[id]
	c.changes = slices.Grow(c.changes[:0], len(c.argOf))[:len(c.argOf)]
	clear(c.changes)
	c.fixed = 0
	c.arrivals = slices.Grow(c.arrivals[:0], len(c.scoped.tree.Scopes))[:len(c.scoped.tree.Scopes)]
	clear(c.arrivals)
	w := weighing{c: c}
	defs := 0
	for n := sc.Start + 1; n < sc.End; n++ {
		in := c.f.Insts[n]
		op := in.Op()
		w.enter(n, op)
		switch op {
		case ir.OpEndBlock, ir.OpSetX, ir.OpSetV, ir.OpSetNZCV, ir.OpInsn, ir.OpPoll, ir.OpPause, ir.OpNop:
			continue
		}
		if c.f.Types[n] != ir.Void && op != ir.OpBlockArg && op != ir.OpMerge && op != ir.OpDefExt {
			defs++
		}
		if n >= w.away {
			c.fixed |= c.fixedBy(in)
		}
		unit := w.unit(n, op)
		if op == ir.OpContinue && c.scoped.tree.Of[n] == id {
			c.noteChanges(n, 2*unit)
		}
		for k := range 3 {
			if a := in.Arg(k); a.IsSSA() {
				if a = c.vals[a].root; a.IsSSA() {
					c.weight[a] += unit
				}
			}
		}
	}
	c.weighChanges()
	return min(defs/2, 5)
}

// noteChanges adds unit to compiler.changes for each argument that the CONTINUE n changes.
func (c *compiler) noteChanges(n int32, unit uint32) {
	c.ops = c.f.Operands(int(n), c.ops[:0])
	for k, a := range c.ops[1:] {
		if c.root(a) != c.argOf[k] {
			c.changes[k] += unit
		}
	}
}

// weighChanges makes arguments that the loop uses and changes weigh more: were they not in registers, they would be
// stored each time.
func (c *compiler) weighChanges() {
	for k, w := range c.argOf {
		if w != ir.None && c.weight[w] >= leastUse {
			c.weight[w] += c.changes[k]
		}
	}
}

// weighing is where weigh's walk is.
type weighing struct {
	c      *compiler
	depth  int   // inner loops around the instruction
	rowEnd int32 // where the cases around it end, or what is behind a BLOCK
	row    int   // logarithm of how much less that weighs
	away   int32 // where the arm around it ends that leaves its loop
}

// enter comes to instruction n.
func (w *weighing) enter(n int32, op ir.Op) {
	scopes, of := w.c.scoped.tree.Scopes, w.c.scoped.tree.Of
	if n >= w.rowEnd {
		w.row = 0
	}
	switch op {
	case ir.OpLoop:
		w.depth++
	case ir.OpEndBlock:
		if scopes[of[n]].Op == ir.OpLoop {
			w.depth--
		}
	case ir.OpIf:
		sc := &scopes[of[n]]
		if k := w.c.caseAt(ir.Value(n)); k != nil && n >= w.rowEnd {
			t := &w.c.tables[k.table]
			w.rowEnd, w.row = sc.End, bits.Len(uint(t.cases[1]-t.cases[0]))-1
		}
		if !w.c.scoped.info[of[n]].stays[0] {
			w.away = max(w.away, sc.Else)
		}
	case ir.OpElse:
		if !w.c.scoped.info[of[n]].stays[1] {
			w.away = max(w.away, scopes[of[n]].End)
		}
	case ir.OpBreak, ir.OpYield:
		if n < w.away {
			w.c.arrivals[of[n]]++
		} else {
			w.c.arrivals[of[n]] += oneUse >> w.row
		}
	case ir.OpMerge:
		w.behind(of[n])
	}
}

// behind comes to what is behind scope k.
func (w *weighing) behind(k int32) {
	sc := &w.c.scoped.tree.Scopes[k]
	if sc.Op != ir.OpBlock || sc.Parent < 0 {
		return
	}
	if around := &w.c.scoped.tree.Scopes[sc.Parent]; around.Op != ir.OpIf {
		w.row, w.rowEnd = max(bits.Len(oneUse)-bits.Len32(w.c.arrivals[k]), 0), around.End
	}
}

// unit is what one use by instruction n weighs.
func (w *weighing) unit(n int32, op ir.Op) uint32 {
	unit := uint32(oneUse)
	switch op {
	case ir.OpArgExt, ir.OpContinue, ir.OpBreak, ir.OpYield:
		unit /= 2
	default:
		unit <<= min(3*w.depth, maxDeep)
	}
	if n < w.away {
		if w.depth == 0 {
			return 1
		}
		return unit >> 3
	}
	return max(unit>>w.row, 1)
}
