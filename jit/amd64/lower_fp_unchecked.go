package amd64

import "emu/ir"

// Unchecked results. A sum, difference, product, quotient, root or fused product of
// which an operand is a NaN is a NaN. So a result that goes into another such operation
// need not be tested for being one where only that would notice: the test of the last
// result stands for all. One test does for two other results. Its cold code does the operations once more, in their order,
// and mends each. Until then the operands stay where they are, and what is not tested
// may be a NaN of the wrong sign or payload; whatever could tell has it tested before.

// unchecked is an operation whose result has not been tested.
type unchecked struct {
	v     ir.Value
	redo  fpRoutine
	kind  fpKind
	neg   [3]bool
	args  [3]ir.Value // roots and constants; None behind the last
	alone bool        // no other one's test stands for it: it waits for one to be tested with
	need  bool        // settle: tested now
}

// maxUnchecked bounds how many results wait, whose operands take registers; that many
// have to be free besides.
const (
	maxUnchecked  = 10
	uncheckedRoom = 2
)

// redoOf is the routine that repeats an operation and mends its result.
var redoOf = [ir.NumOps]fpRoutine{
	ir.OpFAdd: fpRedoAdd, ir.OpFSub: fpRedoSub, ir.OpFMul: fpRedoMul, ir.OpFDiv: fpRedoDiv, ir.OpFSqrt: fpRedoSqrt, ir.OpFMA: fpRedoFMA,
}

// testLater is in the place of the test of the result v, which has been computed from
// args, with their signs changed as neg says. It reports false if the test has to be
// made as if nothing was unchecked.
func (c *compiler) testLater(v ir.Value, op ir.Op, k fpKind, neg [3]bool, args ...ir.Value) bool {
	if k.half() || c.fz() || c.watched() {
		return false
	}
	room := c.roomToWait()
	later := room && c.testedWith(v, k)
	alone := room && !later && !c.hasAlone(k) && c.followed(v, k)
	wait := later || alone
	for _, a := range args {
		a = c.root(a)
		wait = wait || a.IsSSA() && c.vals[a].unchecked
	}
	if !wait {
		return false
	}
	u := unchecked{v: v, redo: redoOf[op], kind: k, neg: neg, alone: alone, args: [3]ir.Value{ir.None, ir.None, ir.None}}
	for n, a := range args {
		a = c.root(a)
		u.args[n] = a
		if a.IsSSA() {
			c.vals[a].uses++
		}
	}
	c.fp.open = append(c.fp.open, u)
	c.vals[v].unchecked = true
	c.recipeStale = true
	if !later && !alone {
		c.settle(v)
	}
	return true
}

// roomToWait reports whether one more result may be left unchecked.
func (c *compiler) roomToWait() bool {
	if c.now || c.opt.NoFold || len(c.fp.open) >= maxUnchecked {
		return false
	}
	free := 0
	for _, r := range c.x.Order() {
		free += b2i(c.x.Owner(r) == ir.None)
	}
	return free >= uncheckedRoom
}

// hasAlone reports whether a result of kind k waits for another one.
func (c *compiler) hasAlone(k fpKind) bool {
	for n := range c.fp.open {
		if u := &c.fp.open[n]; u.alone && u.kind == k {
			return true
		}
	}
	return false
}

// followed reports whether an operation of kind k comes before anything that can look at
// v, which is a result of that kind.
func (c *compiler) followed(v ir.Value, k fpKind) bool {
	for n := int(v) + 1; n < len(c.f.Insts); n++ {
		in := c.f.Insts[n]
		op := in.Op()
		switch {
		case op == ir.OpInsn || op == ir.OpNop:
		case c.flags[op]&(observes|ir.Scope|ir.Terminator) != 0:
			return false
		case redoOf[op] != 0 && c.f.Types[n] == c.f.Types[v] && c.passesNaNs(op, k):
			return true
		}
	}
	return false
}

// testedWith reports whether v, of kind k, goes into an operation further on whose test
// can stand for v's.
func (c *compiler) testedWith(v ir.Value, k fpKind) bool {
	p := &c.vals[v]
	if p.user == ir.None || c.vals[p.user].region != p.region {
		return false
	}
	u := p.user
	if c.f.Insts[u].Op() == ir.OpFNeg && c.foldsNeg(u) {
		u = c.vals[u].user
	}
	return c.passesNaNs(c.f.Insts[u].Op(), k)
}

// passesNaNs reports whether the host does op for kind k and its result is a NaN
// wherever an operand is one.
func (c *compiler) passesNaNs(op ir.Op, k fpKind) bool {
	if op == ir.OpFMA {
		return c.nativeFMA(k)
	}
	return redoOf[op] != 0 && c.native(k)
}

// settleFor tests what the instruction in could tell from what it should be.
func (c *compiler) settleFor(op ir.Op, in ir.Inst) {
	flags := c.flags[op]
	switch {
	case flags&(ir.Scope|ir.Terminator|ir.Effect) != 0:
		c.settleAll()
		return
	case flags&observes != 0:
		c.settleVisible()
	}
	asIs := false // an operand may be a NaN that the host chose
	switch op {
	case ir.OpFAdd, ir.OpFSub, ir.OpFMul, ir.OpFDiv, ir.OpFSqrt, ir.OpFMA:
		asIs = c.passesNaNs(op, kindOf(c.f.TypeOf(c.at)))
	case ir.OpFCmpF, ir.OpFToSI, ir.OpFToUI:
		asIs = true // all NaNs are the same to them
	case ir.OpFNeg:
		asIs = c.foldsNeg(c.at)
	case ir.OpSetV:
		return // it only waits
	case ir.OpBitcast:
		if c.f.TypeOf(c.at).InXMM() {
			return // the same value
		}
	case ir.OpVFrom:
		if c.onlySet(c.at) {
			return // so is this, or it is made when it is looked at
		}
	}
	for k := range 3 {
		a := c.root(in.Arg(k))
		if !a.IsSSA() {
			continue
		}
		if c.vals[a].unchecked {
			if !asIs {
				c.settle(a)
			}
			continue
		}
		// A lazy value would be copied from what it is made from.
		if n := c.vals[a].lazy; n != 0 {
			if b := c.lazies[n].a; b.IsSSA() && c.vals[b].unchecked {
				c.settle(b)
			}
		}
	}
}

// settleAll tests everything.
func (c *compiler) settleAll() {
	for n := len(c.fp.open); n > 0; n = len(c.fp.open) {
		c.settle(c.fp.open[n-1].v)
	}
}

// settleVisible tests what guest registers wait for.
func (c *compiler) settleVisible() {
	for n := len(c.fp.open) - 1; n >= 0; n-- {
		if v := c.fp.open[n].v; c.vals[v].pend > 0 || c.vals[v].kept > 0 {
			c.settle(v)
			n = len(c.fp.open)
		}
	}
}

// settle tests the unchecked v, and with it what it was computed from.
func (c *compiler) settle(v ir.Value) {
	open := c.fp.open
	c.clobber()
	kind := c.needs(v)
	x := c.useX(v)
	y := x
	for n := range open {
		if u := &open[n]; !u.need && u.kind == kind && (u.alone || c.vals[u.v].pend > 0) && !c.isOperand(u.v) {
			y = c.useX(u.v)
			u.need = true
			c.needOperands()
			break
		}
	}
	cc := c.unordered(kind, x, inReg(y))
	p := c.newCold(coldSlow)
	p.emit, p.site = emitMends, int32(len(c.fp.mends))
	for n := range open {
		if open[n].need {
			c.fp.mends = append(c.fp.mends, c.mendOf(&open[n]))
		}
	}
	c.fp.mends[len(c.fp.mends)-1].last = true
	c.b.JccNear(cc, p.from)
	c.b.Bind(p.back)
	c.closeTested()
	if c.at == v {
		return // registers stay locked until its lowering is done
	}
	c.g.UnlockAll()
	c.x.UnlockAll()
}

// needs marks v, and what it was computed from, as tested now. It returns v's kind.
func (c *compiler) needs(v ir.Value) (kind fpKind) {
	for n := range c.fp.open {
		u := &c.fp.open[n]
		if u.need = u.v == v; u.need {
			kind = u.kind
		}
	}
	c.needOperands()
	return kind
}

func (c *compiler) needOperands() {
	open := c.fp.open
	for n := len(open) - 1; n >= 0; n-- {
		if !open[n].need {
			continue
		}
		for _, a := range open[n].args {
			for m := range open[:n] {
				open[m].need = open[m].need || open[m].v == a
			}
		}
	}
}

// isOperand reports whether another result that waits was computed from v.
func (c *compiler) isOperand(v ir.Value) bool {
	for n := range c.fp.open {
		for _, a := range c.fp.open[n].args {
			if a == v {
				return true
			}
		}
	}
	return false
}

// closeTested takes what is needed out of the list, and lets its operands go.
func (c *compiler) closeTested() {
	c.recipeStale = true
	for n := 0; n < len(c.fp.open); {
		if !c.fp.open[n].need {
			n++
			continue
		}
		c.closeAt(n)
		n = 0 // others may be gone with it
	}
}

// closeAt takes entry n out of the list. What its operands were made from may follow.
func (c *compiler) closeAt(n int) {
	u := c.fp.open[n]
	c.fp.open = append(c.fp.open[:n], c.fp.open[n+1:]...)
	c.vals[u.v].unchecked = false
	for _, a := range u.args {
		if a.IsSSA() {
			c.release(a)
		}
	}
}

// forgetUnchecked ends the wait of v, which nothing will look at any more.
func (c *compiler) forgetUnchecked(v ir.Value) {
	for n := range c.fp.open {
		if c.fp.open[n].v == v {
			c.closeAt(n)
			return
		}
	}
}
