package amd64

import (
	"math/bits"
	"slices"

	"emu/ir"
	"emu/jit/asm/x64"
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
// and those where the loop is left next to nothing.
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
	rowEnd int32 // where the cases around it end
	row    int   // logarithm of their number
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

// fixedBy returns the registers that an instruction moves others out of, as it works in these alone: of those
// that are frequent in loops.
func (c *compiler) fixedBy(in ir.Inst) uint32 {
	const ax, cx, dx = 1 << x64.RAX, 1 << x64.RCX, 1 << x64.RDX
	switch in.Op() {
	case ir.OpUDiv, ir.OpSDiv, ir.OpURem, ir.OpSRem:
		if !c.f.TypeOf(in.A()).IsVec() {
			return ax | dx
		}
	case ir.OpMulHiS:
		return ax | dx
	case ir.OpMulHiU:
		if c.feat.Has(x64.BMI2) {
			return dx
		}
		return ax | dx
	case ir.OpShl, ir.OpLShr, ir.OpAShr:
		if !c.feat.Has(x64.BMI2) && !in.B().IsConst() && !c.f.TypeOf(in.A()).IsVec() {
			return cx
		}
	case ir.OpRor:
		if !in.B().IsConst() && !c.f.TypeOf(in.A()).IsVec() {
			return cx
		}
	case ir.OpCas, ir.OpStoreEx:
		return ax
	}
	return 0
}

// clearFixed moves what stays in registers around a loop out of those that the loop's instructions need for themselves.
func (c *compiler) clearFixed(mine func(ir.Value) int32) {
	for m := c.fixed & c.g.Used(); m != 0; m &= m - 1 {
		r := uint8(bits.TrailingZeros32(m))
		v := c.g.Owner(r)
		if c.vals[v].uses <= mine(v) {
			continue
		}
		to, ok := c.g.Pick(c.fixed)
		if !ok {
			return
		}
		c.b.RR(x64.MOVQ, x64.Reg(to), x64.Reg(r))
		locks := c.g.Locks()
		c.unbind(v)
		c.bindR(v, x64.Reg(to))
		c.g.SetLocks(locks)
	}
}
