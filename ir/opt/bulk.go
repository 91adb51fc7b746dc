package opt

import (
	"slices"

	"emu/ir"
)

// Bulk puts a COPYUP or COPYDOWN in front of a loop that copies 64 bytes each time around, in
// pieces of 16 of which it stores what the iteration before has loaded: the C libraries' memcpy
// and memmove. It does most of the iterations that the loop is certain to do, with the host's
// longest registers. The loop does the rest, and what faults.
//
// Among the instructions of an iteration the order of accesses changes: all 64 bytes are loaded
// before 64 are stored. COPYUP and COPYDOWN see to it that these do not overlap, and the
// architecture promises no order of either (Arm ARM B2.3.1). Two iterations stay in order.
//
// It assumes that Pairs has made vectors of loads and stores, and that they flow as such (Sink).
func Bulk(w *Work, f *ir.Func) {
	b := &w.bulk
	b.f, b.b, b.found = f, w.builder, b.found[:0]
	structured := false
	for n, i := range f.Insts {
		if i.Op() != ir.OpLoop {
			continue
		}
		if !structured {
			structured = true
			if f.Structure(&w.scopes) != nil {
				panic("the unit's scopes are broken")
			}
			b.s = &w.scopes
		}
		if c, ok := b.match(n); ok {
			b.found = append(b.found, c)
		}
	}
	if len(b.found) == 0 {
		return
	}
	w.rebuild.Enter, w.rebuild.Entered = b.enter, b.copy
	w.again(f)
}

// chunk is what COPYUP and COPYDOWN copy at a time, and piece what an iteration loads and stores at once.
const (
	chunk  = 64
	piece  = 16
	pieces = chunk / piece
)

type bulk struct {
	f     *ir.Func
	s     *ir.Structure
	b     *ir.Builder
	found []copyLoop

	scope  int32      // of the loop at hand
	args   []ir.Value // the loop's arguments, None where nothing reads one
	next   []ir.Value // what its CONTINUE passes for them
	loads  []pieceAt  // of the iteration; arg is the pointer
	stores []pieceAt
	ops    []ir.Value
}

// copyLoop is a LOOP that Bulk is for. Its arguments are named by their numbers.
type copyLoop struct {
	loop     int
	up       bool        // the pointers step up
	steps    []step      // arguments that each iteration changes by 64
	pieces   [pieces]int // the arguments that hold what is stored next, by ascending addresses
	to, from address     // of the first chunk to be stored, of the first one to be loaded
	left     address     // so many bytes are certain to be copied, if this is positive
}

// address is an argument and what to add to it.
type address struct {
	arg int
	off uint64
}

// step is an argument to which each iteration adds 64, or from which it takes them.
type step struct {
	arg int
	add bool
}

// pieceAt is a load or store of 16 bytes.
type pieceAt struct {
	value ir.Value // loaded or stored
	at    address
}

// match reports whether the LOOP at n is one.
func (b *bulk) match(n int) (c copyLoop, ok bool) {
	c.loop = n
	if b.s.Scopes[b.s.Of[n]].Backs != 1 {
		return c, false
	}
	last := b.body(n)
	return c, last >= 0 && b.rounds(&c, last) && b.flow(&c) && c.copies(b)
}

// body reads the loop at n up to the IF that goes round or leaves, and returns that, -1 if there is something else.
func (b *bulk) body(n int) int {
	b.ops = b.f.Operands(n, b.ops[:0])
	b.args = b.args[:0]
	for range b.ops {
		b.args = append(b.args, ir.None)
	}
	b.loads, b.stores = b.loads[:0], b.stores[:0]
	b.scope = b.s.Of[n]
	for n++; ; n++ {
		i := b.f.Insts[n]
		switch op := i.Op(); {
		case op == ir.OpBlockArg:
			b.args[b.f.ImmOf(i.A())] = ir.Value(n)
		case op == ir.OpLoad && b.f.Types[n].Bytes() == piece:
			at, ok := b.address(i.A(), i.B())
			if !ok {
				return -1
			}
			b.loads = append(b.loads, pieceAt{ir.Value(n), at})
		case op == ir.OpStore && b.f.TypeOf(i.A()).Bytes() == piece:
			at, ok := b.address(i.B(), i.C())
			if !ok {
				return -1
			}
			b.stores = append(b.stores, pieceAt{i.A(), at})
		case op == ir.OpIf:
			if len(b.loads) != pieces || len(b.stores) != pieces {
				return -1
			}
			return n
		case !harmless(op):
			return -1
		}
	}
}

// harmless reports whether op neither accesses memory nor leaves the loop but at its safe point.
func harmless(op ir.Op) bool {
	switch op {
	case ir.OpNop, ir.OpInsn, ir.OpPoll, ir.OpArgExt, ir.OpSetX, ir.OpSetV, ir.OpSetNZCV:
		return true
	}
	return op.Has(ir.Pure)
}

// address is where base + off is, if that is an argument and a constant.
func (b *bulk) address(base, off ir.Value) (address, bool) {
	a, ok := b.displaced(base)
	c, isConst := b.f.ConstOf(off)
	a.off += c.Lo
	return a, ok && isConst
}

// displaced takes v apart into an argument and a constant.
func (b *bulk) displaced(v ir.Value) (a address, ok bool) {
	for v.IsSSA() {
		i := b.f.Insts[v]
		c, isConst := b.f.ConstOf(i.B())
		switch op := i.Op(); {
		case op == ir.OpBlockArg:
			a.arg = int(b.f.ImmOf(i.A()))
			return a, b.s.Of[v] == b.scope && b.f.Types[v] == ir.I64
		case op == ir.OpAdd && isConst:
			a.off += c.Lo
		case op == ir.OpSub && isConst:
			a.off -= c.Lo
		default:
			return a, false
		}
		v = i.A()
	}
	return a, false
}

// rounds reads the IF at n: it has to be the last thing in the loop, and to go round while a counter is above a
// bound or not equal to it.
func (b *bulk) rounds(c *copyLoop, n int) bool {
	sc := &b.s.Scopes[b.s.Of[n]]
	if sc.Exits != 0 {
		return false
	}
	for at := n + 1; at < int(sc.End); at++ {
		i := b.f.Insts[at]
		if i.Op() != ir.OpContinue || b.s.Of[at] != b.scope {
			continue
		}
		b.next = append(b.next[:0], b.f.Operands(at, b.ops[:0])[1:]...)
		start := n
		if at > int(sc.Else) {
			start = int(sc.Else)
		}
		for at--; at > start; at-- {
			if !harmless(b.f.Insts[at].Op()) {
				return false
			}
		}
		return b.counts(c, b.f.Insts[n].A(), start == n)
	}
	return false
}

// Conditions of the A64 that hold for a first operand of SUBS that is above the second one. Their opposites differ in
// the lowest bit.
const (
	condNE = 1
	condCS = 2
	condHI = 8
)

// counts takes apart cond, which goes round where it is is. The counter loses 64 an iteration: for as many bytes as it is
// above its bound the loop goes round.
func (b *bulk) counts(c *copyLoop, cond ir.Value, is bool) bool {
	if !cond.IsSSA() {
		return false
	}
	i := b.f.Insts[cond]
	if i.Op() != ir.OpFlagCond || !i.A().IsSSA() {
		return false
	}
	code := b.f.ImmOf(i.B())
	if !is {
		code ^= 1
	}
	flags := b.f.Insts[i.A()]
	if flags.Op() != ir.OpSubF || code != condHI && code != condCS && code != condNE {
		return false
	}
	counter, ok := b.displaced(flags.A())
	bound, isConst := b.f.ConstOf(flags.B())
	counter.off -= bound.Lo
	c.left = counter
	return ok && isConst && (code == condNE || int64(bound.Lo) >= 0)
}

// flow tells what each argument is for.
func (b *bulk) flow(c *copyLoop) bool {
	found := 0
	for k, arg := range b.args {
		if arg == ir.None || b.next[k] == arg {
			continue
		}
		if slices.ContainsFunc(b.loads, func(l pieceAt) bool { return l.value == b.next[k] }) {
			if found == pieces {
				return false
			}
			c.pieces[found] = k
			found++
			continue
		}
		to, ok := b.displaced(b.next[k])
		if !ok || to.arg != k || int64(to.off) != chunk && int64(to.off) != -chunk {
			return false
		}
		c.steps = append(c.steps, step{k, int64(to.off) > 0})
	}
	return found == pieces
}

// copies reports whether each piece is stored where it has been loaded, but for the distance of the two pointers, and
// whether the pieces are a chunk.
func (c *copyLoop) copies(b *bulk) bool {
	slices.SortFunc(c.pieces[:], func(j, k int) int { return int(int64(b.stored(j).off - b.stored(k).off)) })
	c.to, c.from = b.stored(c.pieces[0]), b.loaded(c.pieces[0])
	for n, k := range c.pieces {
		to, from, off := b.stored(k), b.loaded(k), uint64(n*piece)
		if to != (address{c.to.arg, c.to.off + off}) || from != (address{c.from.arg, c.from.off + off}) {
			return false
		}
	}
	to, ok1 := c.stepOf(c.to.arg)
	from, ok2 := c.stepOf(c.from.arg)
	left, ok3 := c.stepOf(c.left.arg)
	c.up = to
	return ok1 && ok2 && ok3 && to == from && !left && c.to.arg != c.from.arg
}

// stepOf tells in which direction each iteration changes an argument, ok whether it does.
func (c *copyLoop) stepOf(arg int) (add, ok bool) {
	for _, s := range c.steps {
		if s.arg == arg {
			return s.add, true
		}
	}
	return false, false
}

// stored is where argument k is stored.
func (b *bulk) stored(k int) address {
	for _, s := range b.stores {
		if s.value == b.args[k] {
			return s.at
		}
	}
	return address{arg: -1}
}

// loaded is where the next iteration's argument k comes from.
func (b *bulk) loaded(k int) address {
	for _, l := range b.loads {
		if l.value == b.next[k] {
			return l.at
		}
	}
	return address{arg: -1}
}

// worth is how many bytes a loop has to have left for a copy in front of it to be worth it.
const worth = 4 * chunk

// at returns the number of the loop among found that the LOOP at n is, -1 if it is none.
func (b *bulk) at(n int) int {
	return slices.IndexFunc(b.found, func(c copyLoop) bool { return c.loop == n })
}

// enter tells when the LOOP at n, if it is one of those found, has enough left.
func (b *bulk) enter(n int, args []ir.Value) (cond ir.Value) {
	k := b.at(n)
	if k < 0 {
		return ir.None
	}
	return b.b.ICmp(ir.SGE, b.place(args, b.found[k].left), b.b.I64(worth))
}

// copy emits the copy in front of the LOOP at n.
func (b *bulk) copy(n int, args []ir.Value) {
	c := &b.found[b.at(n)]
	for n, k := range c.pieces {
		b.b.OpT(ir.OpSetChunk, ir.Void, ir.Imm(n), args[k], ir.None)
	}
	op := ir.OpCopyDown
	if c.up {
		op = ir.OpCopyUp
	}
	done := b.b.OpT(op, ir.I64, b.place(args, c.to), b.place(args, c.from), b.place(args, c.left))
	for n, k := range c.pieces {
		args[k] = b.b.OpT(ir.OpGetChunk, b.b.TypeOf(args[k]), ir.Imm(n), ir.None, ir.None)
	}
	for _, s := range c.steps {
		if s.add {
			args[s.arg] = b.b.Add(args[s.arg], done)
		} else {
			args[s.arg] = b.b.Sub(args[s.arg], done)
		}
	}
}

// place emits an address.
func (b *bulk) place(args []ir.Value, a address) ir.Value { return b.b.AddI(args[a.arg], a.off) }
