package amd64

import (
	"math/bits"
	"slices"

	"emu/ir"
	"emu/jit/host"
)

// moreAcross returns the registers that stay pending across loop id though they are not pinned, and keeps their values. In a loop around
// it many are: what that one passes from iteration to iteration. To store them takes time whenever the inner loop begins,
// which may be for a few iterations each. They are constants, in slots, or needed anyway.
func (c *compiler) moreAcross(id int32) (across regSet) {
	if !slices.ContainsFunc(c.scopes, func(s scope) bool { return s.op == ir.OpLoop }) {
		return across
	}
	info := &c.scoped.info[id]
	for w := range c.pendM {
		for m := c.pendM[w] &^ (info.sets[w] | info.again[w] | info.head[w] | pinned.set[w]); m != 0; m &= m - 1 {
			g := w<<6 + bits.TrailingZeros64(m)
			v := c.pend[g]
			if g == int(host.GuestNZCV) {
				continue
			}
			if v.IsSSA() {
				if p := &c.vals[v]; p.lazy != 0 || p.slot < 0 && (p.reg < 0 || p.uses == 0) {
					continue
				}
				c.holdOne(v)
			}
			across[w] |= m & -m
		}
	}
	return across
}

// holdMore has the innermost scope to come hold what moreAcross has kept.
func (c *compiler) holdMore(across regSet) {
	for w := range across {
		for m := across[w]; m != 0; m &= m - 1 {
			if v := c.pend[w<<6+bits.TrailingZeros64(m)]; v.IsSSA() {
				c.held = append(c.held, v)
			}
		}
	}
}
