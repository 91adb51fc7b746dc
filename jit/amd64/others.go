package amd64

import (
	"math/bits"

	"emu/ir"
)

// Values that the first arm of an IF does not need to its end, but the second one does. The
// second one starts from the snapshot in front of the IF, so that their registers and slots
// are free in the first one behind their last use there: as long as that is lowered, val.uses
// and val.user are of what is not in the second one.

// otherUse is what the second arm of an IF needs of a value.
type otherUse struct {
	v, user ir.Value // user is val.user
	uses    int32    // that many of val.uses
	holds   uint16   // and of val.holds, which are in uses as well
}

// leaveToOther takes away what s, an IF whose THEN arm is lowered first, needs in the ELSE arm.
func (c *compiler) leaveToOther(s *scope) {
	sc := c.info(s)
	inOther := func(n ir.Value) bool { return n != ir.None && int32(n) > sc.Else && int32(n) < sc.End }
	for _, q := range c.placesOf(&s.entry) {
		if p := &c.vals[q.v]; inOther(p.user) && p.lazy == 0 && p.kept == 0 && q.v != c.fl.v {
			c.others = append(c.others, otherUse{v: q.v, user: p.user})
			p.user = ir.Value(sc.Start)
		}
	}
	others := c.others[s.others:]
	if len(others) > 0 {
		for n := sc.Start + 1; n < sc.End; n++ {
			if in := c.f.Insts[n]; c.vals[n].form != formSkip && in.Op() != ir.OpDefExt {
				for k := range 3 {
					c.useOfOther(others, c.root(in.Arg(k)), n, n < sc.Else)
				}
			}
		}
	}
	c.leaveHolds(s)
	for _, o := range c.others[s.others:] {
		p := &c.vals[o.v]
		p.uses -= o.uses
		p.holds -= o.holds
		if p.uses == 0 && p.pend == 0 {
			c.drop(o.v)
		}
	}
}

// useOfOther notes a use of v by instruction n, in the first arm or in the second one.
func (c *compiler) useOfOther(others []otherUse, v ir.Value, n int32, first bool) {
	if !v.IsSSA() {
		return
	}
	for k := range others {
		if o := &others[k]; o.v == v {
			if first {
				c.vals[v].user = ir.Value(n)
			} else {
				o.uses++
			}
		}
	}
}

// leaveHolds notes what capturePending holds for the second arm of s.
func (c *compiler) leaveHolds(s *scope) {
	n := s.held
	for w := range s.entry.pendM {
		for m := s.entry.pendM[w]; m != 0; m &= m - 1 {
			v := s.entry.pend[w<<6+bits.TrailingZeros64(m)]
			switch {
			case !v.IsSSA():
				continue
			case s.across[w]&(m&-m) != 0 || c.vals[v].lazy != 0 || v == c.fl.v:
				c.held[n] = v
				n++
				continue
			}
			k := s.others
			for k < len(c.others) && c.others[k].v != v {
				k++
			}
			if k == len(c.others) {
				c.others = append(c.others, otherUse{v: v, user: c.vals[v].user})
			}
			c.others[k].uses++
			c.others[k].holds++
		}
	}
	c.held = c.held[:n]
}

// takeFromOther gives back what leaveToOther has taken away.
func (c *compiler) takeFromOther(s *scope) {
	for _, o := range c.others[s.others:] {
		p := &c.vals[o.v]
		p.user = o.user
		p.uses += o.uses
		p.holds += o.holds
	}
	c.others = c.others[:s.others]
}

// leftHolds reports whether scope number k, an IF in its first arm, has left a hold on v to the
// second one.
func (c *compiler) leftHolds(k int, v ir.Value) bool {
	to := len(c.others)
	if k+1 < len(c.scopes) {
		to = c.scopes[k+1].others
	}
	for _, o := range c.others[c.scopes[k].others:to] {
		if o.v == v && o.holds > 0 {
			return true
		}
	}
	return false
}
