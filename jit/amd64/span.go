package amd64

import (
	"math"
	"math/bits"
	"slices"

	"emu/ir"
)

// span is what is known of an integer: it is in [low, high], and its lower zeros bits are zero. I64s are signed,
// narrower types unsigned.
type span struct {
	low, high int64
	zeros     int
}

// spanSteps bounds how many operations one question looks at.
const spanSteps = 512

// anySpan is what is known of each value of type t.
func anySpan(t ir.Type) span {
	if w := t.Bits(); w < 64 {
		return span{0, 1<<w - 1, 0}
	}
	return span{math.MinInt64, math.MaxInt64, 0}
}

// signedSpan is what is known of a value of n bits, at most 64, that was sign-extended.
func signedSpan(n uint64) span {
	return span{-1 << (n - 1), 1<<(n-1) - 1, 0}
}

// join is what is known of a value that is one of s or one of o.
func (s span) join(o span) span {
	return span{min(s.low, o.low), max(s.high, o.high), min(s.zeros, o.zeros)}
}

// spanner answers one question. It goes through the arguments of loops to all values that they may have.
type spanner struct {
	c      *compiler
	steps  int
	args   []ir.Value // of loops, which are being looked at
	copied int        // the value looked at is a mere copy of what comes to args from here on
}

// spanOf tells what is known of v, an integer.
func (c *compiler) spanOf(v ir.Value) span {
	q := spanner{c: c, steps: spanSteps}
	s, some := q.of(v)
	if !some { // the argument of a loop that is never entered
		return anySpan(c.f.TypeOf(v))
	}
	return s
}

// of tells it for v. It is nothing where v is only what a loop's argument was in the iteration before.
func (q *spanner) of(v ir.Value) (s span, some bool) {
	f := q.c.f
	t := f.TypeOf(v)
	s = anySpan(t)
	if v.IsConst() {
		k := q.c.constBits(v)
		return span{int64(k), int64(k), bits.TrailingZeros64(k)}, true
	}
	if q.steps--; q.steps < 0 || !t.IsInt() {
		return s, true
	}
	in := f.Insts[v]
	if in.Op() == ir.OpBlockArg {
		return q.argument(v, int(f.ImmOf(in.A())))
	}
	copied := q.copied
	q.copied = len(q.args)
	switch in.Op() {
	case ir.OpLoadS:
		if t == ir.I64 {
			s = signedSpan(f.ImmOf(in.C()))
		}
	case ir.OpZext, ir.OpSext:
		w := f.TypeOf(in.A()).Bits()
		switch from, _ := q.of(in.A()); {
		case in.Op() == ir.OpZext || from.high < 1<<(w-1):
			s = from
		case t == ir.I64:
			s = signedSpan(uint64(w))
			s.zeros = from.zeros
		}
	case ir.OpAnd:
		if k := int64(q.c.constBits(in.B())); in.B().IsConst() && k >= 0 {
			s = span{0, k, bits.TrailingZeros64(uint64(k))}
		}
	case ir.OpShl, ir.OpAdd:
		if in.B().IsConst() {
			s = q.sum(in, s)
		}
	}
	q.copied = copied
	return s, true
}

// sum is of for a shift by a constant, or the sum with one, of a type of which any is known.
func (q *spanner) sum(in ir.Inst, any span) span {
	from, _ := q.of(in.A())
	by := int64(q.c.constBits(in.B()))
	var s span
	if in.Op() == ir.OpShl {
		if by < 0 || by >= int64(q.c.f.TypeOf(in.A()).Bits()) {
			return any
		}
		s = span{from.low << by, from.high << by, from.zeros + int(by)}
		if s.low>>by != from.low || s.high>>by != from.high {
			s.low, s.high = any.low, any.high
		}
	} else {
		s = span{from.low + by, from.high + by, min(from.zeros, bits.TrailingZeros64(uint64(by)))}
		if (s.low < from.low) != (by < 0) || (s.high < from.high) != (by < 0) {
			s.low, s.high = any.low, any.high
		}
	}
	if s.low < any.low || s.high > any.high {
		s.low, s.high = any.low, any.high
	}
	return s
}

// argument is of for argument n of a loop, the BLOCKARG v.
func (q *spanner) argument(v ir.Value, n int) (s span, some bool) {
	if at := slices.Index(q.args, v); at >= 0 {
		return anySpan(q.c.f.TypeOf(v)), at < q.copied
	}
	q.args = append(q.args, v)
	f, of := q.c.f, q.c.scoped.tree.Of
	sc := &q.c.scoped.tree.Scopes[of[v]]
	add := func(inst, operand int) {
		q.c.ops = f.Operands(inst, q.c.ops[:0])
		o, has := q.of(q.c.ops[operand])
		switch {
		case has && some:
			s = s.join(o)
		case has:
			s, some = o, true
		}
	}
	add(int(sc.Start), n)
	for k := sc.Start + 1; k < sc.End; k++ {
		if f.Insts[k].Op() == ir.OpContinue && of[k] == of[v] {
			add(int(k), n+1)
		}
	}
	q.args = q.args[:len(q.args)-1]
	return s, some
}
