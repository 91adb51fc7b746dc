package amd64

import (
	"math/bits"

	"emu/ir"
	"emu/jit/regalloc"
)

// Which value leaves its register when all are taken: the one that is needed last (Belady,
// "A Study of Replacement Algorithms for a Virtual-Storage Computer", 1966), as far as a
// look ahead in the order of the code tells.

const (
	// How many instructions the look ahead takes, INSNs and SETs apart.
	lookAhead = 64
	// What storing a value to a slot counts, in instructions: one that is there already goes
	// first unless it is needed that much sooner.
	storeCost = 12
)

// nextUses is a look ahead for the values in the registers of one class.
type nextUses struct {
	inX  bool
	left uint32 // registers whose next use has not been seen
	dist uint16
	far  [regalloc.MaxRegs]uint16
}

// victim returns the register of f outside of avoid that is best given away.
func (c *compiler) victim(f *regalloc.File, avoid uint32) (r uint8, ok bool) {
	n := &c.next
	all := f.Candidates(avoid)
	n.inX, n.left, n.dist = f == &c.x, all, 0
	c.lookAhead()
	for m := all; m != 0; m &= m - 1 {
		k := bits.TrailingZeros32(m)
		p := &c.vals[f.Owner(uint8(k))]
		switch {
		case n.left>>k&1 != 0 && p.uses == 0:
			n.far[k] = 2 * lookAhead // it only waits to be stored
		case n.left>>k&1 != 0:
			n.far[k] = lookAhead
		}
		if p.slot >= 0 {
			n.far[k] += storeCost
		}
	}
	return f.Victim(avoid, &n.far)
}

// lookAhead finds the next uses from the current instruction on, up to where a loop
// begins again.
func (c *compiler) lookAhead() {
	n := &c.next
	for v := int(c.at) + 1; v < len(c.f.Insts) && n.dist < lookAhead; v++ {
		in := c.f.Insts[v]
		op := in.Op()
		switch op {
		case ir.OpInsn, ir.OpSetX, ir.OpSetV, ir.OpSetNZCV, ir.OpNop, ir.OpDefExt:
			continue
		}
		n.dist++
		for k := range 3 {
			if a := in.Arg(k); a.IsSSA() && c.seen(a, 0) {
				return
			}
		}
		if op == ir.OpContinue {
			return
		}
	}
}

// seen notes a use of v and reports whether no register's next use is left to be found.
// What v has been put off to is used with it.
func (c *compiler) seen(v ir.Value, depth int) bool {
	const deep = 3
	n := &c.next
	v = c.vals[v].root
	if !v.IsSSA() {
		return false
	}
	p := &c.vals[v]
	switch {
	case p.reg >= 0:
		if p.inX == n.inX && n.left>>p.reg&1 != 0 {
			n.left &^= 1 << p.reg
			n.far[p.reg] = n.dist
		}
	case depth == deep:
	case p.form == formLater:
		in := c.f.Insts[v]
		for k := range 3 {
			if a := in.Arg(k); a.IsSSA() {
				c.seen(a, depth+1)
			}
		}
	case p.lazy != 0:
		l := &c.lazies[p.lazy]
		for _, a := range [2]ir.Value{l.a, l.b} {
			if a.IsSSA() {
				c.seen(a, depth+1)
			}
		}
	}
	return n.left == 0
}
