package translate

import (
	"math/bits"

	"emu/ir"
)

// emitter translates a region into its scopes.
type emitter struct {
	*Translator
	r       *region
	loops   map[int32]openLoop   // by header
	scopes  map[int32]ir.ScopeID // by the block that stands behind
	targets map[int32]ir.Value   // of indirect branches, by block
}

// openLoop is a LOOP whose body is being emitted.
type openLoop struct {
	scope ir.ScopeID
	polls bool // on its ways back, rather than at the header
}

// emit builds the unit from the region's structure.
func (r *region) emit(tree []stmt) {
	t := r.t
	t.Reset(r.entry)
	e := &emitter{Translator: t, r: r, loops: make(map[int32]openLoop), scopes: make(map[int32]ir.ScopeID), targets: make(map[int32]ir.Value)}
	e.stmts(tree)
	end := r.entry
	for _, n := range r.graph.order {
		b := &r.blocks[n]
		if b.ret != 0 {
			t.Also = append(t.Also, ir.Span{Start: b.pc, End: b.last() + 4})
			continue
		}
		end = max(end, b.last()+4)
	}
	t.Size = uint32(end - r.entry)
	t.covered = r.covered()
}

// stmts emits statements one after the other. What cannot be reached, because a
// branch turned out to have a constant condition, is left out.
func (e *emitter) stmts(tree []stmt) {
	for k := range tree {
		if e.Terminated() {
			return
		}
		e.stmt(&tree[k])
	}
}

func (e *emitter) stmt(n *stmt) {
	switch n.kind {
	case stmtCode:
		b := &e.r.blocks[n.block]
		e.r.guestBlock(b)
		if b.ind {
			e.targets[n.block] = e.flow.target
		}
	case stmtIf:
		e.branch(n)
	case stmtGuess:
		e.guess(n)
	case stmtIndirect:
		e.indirect(n)
	case stmtLoop:
		e.loop(n)
	case stmtScope:
		e.scopes[n.block] = e.BlockRegs(n.writes)
		e.stmts(n.body)
		e.End()
	case stmtContinue:
		e.goBack(n.block)
	case stmtBreak:
		e.BreakTo(e.scopes[n.block])
	case stmtLeave:
		e.leave(&e.r.blocks[n.block], n.edge)
	}
}

// leave leaves the region from b along to. In inlined code that is its call if X30 still
// says so: what is called then returns to where its caller expects it.
func (e *emitter) leave(b *guestBlock, to edge) {
	switch {
	case b.inTail(), to.inlined() && to.pc < to.ret:
		e.Poll(to.pc)
	case b.branch && to.pc <= b.last():
		e.Poll(b.last())
	}
	if to.inlined() && e.returnsTo(to.ret) {
		e.Call(to.pc, to.ret)
		return
	}
	e.Jump(to.pc)
}

// branch emits an IF. Where one of its arms ends, what the other one does stands behind it, where all that follows sees its values.
func (e *emitter) branch(n *stmt) {
	cond := e.flow.cond
	if c, ok := e.ConstOf(cond); ok {
		if c.Lo != 0 {
			e.stmts(n.body)
		} else {
			e.stmts(n.other)
		}
		return
	}
	e.If(cond)
	switch body, other := ends(n.body), ends(n.other); {
	case body && !other:
		e.stmts(n.body)
		e.End()
		e.stmts(n.other)
	case other && !body:
		e.Else()
		e.stmts(n.other)
		e.End()
		e.stmts(n.body)
	default:
		e.stmts(n.body)
		if len(n.other) > 0 {
			e.Else()
			e.stmts(n.other)
		}
		e.End()
	}
}

// ends reports whether control never reaches the end of tree.
func ends(tree []stmt) bool {
	if len(tree) == 0 {
		return false
	}
	switch n := &tree[len(tree)-1]; n.kind {
	case stmtLeave, stmtContinue, stmtBreak, stmtIndirect:
		return true
	case stmtIf, stmtGuess:
		return ends(n.body) && ends(n.other)
	}
	return false
}

// maxPolls bounds the ways back of a loop that have a safe point each.
const maxPolls = 2

// loop emits a LOOP. Registers that are only read inside are read before it, once.
//
// The loop's safe point stands on its ways back if these are few: what an iteration has
// written and nothing reads is at hand there, but would have to travel to the header. So it does in front of a switch's branch, each
// copy of which (region_rotate.go) becomes a jump of its own.
func (e *emitter) loop(n *stmt) {
	e.readRegs(n.reads.Minus(n.writes))
	l := openLoop{e.LoopRegs(n.writes), e.r.blocks[n.block].ind || waysBack(n.body, n.block) <= maxPolls}
	e.loops[n.block] = l
	if n.edge.to >= 0 {
		e.scopes[n.edge.to] = l.scope
	}
	pc := e.r.blocks[n.block].pc
	e.Insn(pc)
	if !l.polls {
		e.Poll(pc)
	}
	e.stmts(n.body)
	e.End()
}

// goBack goes to the header of a loop.
func (e *emitter) goBack(header int32) {
	l := e.loops[header]
	if l.polls {
		pc := e.r.blocks[header].pc
		e.Insn(pc)
		e.Poll(pc)
	}
	e.ContinueTo(l.scope)
}

// waysBack counts the places in tree that go to the header.
func waysBack(tree []stmt, header int32) (n int) {
	for k := range tree {
		s := &tree[k]
		if s.kind == stmtContinue && s.block == header {
			n++
		}
		n += waysBack(s.body, header) + waysBack(s.other, header)
	}
	return n
}

func (e *emitter) readRegs(set ir.RegSet) {
	for m := set.X; m != 0; m &= m - 1 {
		e.GetX(bits.TrailingZeros32(m))
	}
	for m := set.V; m != 0; m &= m - 1 {
		e.GetV(ir.V16I8, bits.TrailingZeros32(m))
	}
	if set.NZCV {
		e.GetNZCV()
	}
}
