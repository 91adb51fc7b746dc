package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

// X registers that wait in the lanes of a vector register: LDP and STP that only move
// (opt.Pairs). They are lazy values (lazy.go), stored from there and extracted only where
// something computes with them.

// onlyTravels reports whether all that is done with v, a lane of 64 bits, is a SET of an
// X register that is in State at the unit's borders.
func (c *compiler) onlyTravels(v ir.Value) bool {
	p := &c.vals[v]
	if c.f.Types[v] != ir.I64 || p.uses != 1 || p.user == ir.None {
		return false
	}
	in := c.f.Insts[p.user]
	return in.Op() == ir.OpSetX && !isPin(int(c.f.ImmOf(in.A())))
}

// laneFor returns which lane of which vector the lazy value that is pending for guest
// register g is.
func (c *compiler) laneFor(g int) (l *lazyVal, ok bool) {
	v, ok := c.pending(g)
	if !ok || !v.IsSSA() || !c.isLazy(v) {
		return nil, false
	}
	l = &c.lazies[c.vals[v].lazy]
	return l, l.op == host.ComputeLane
}

// storeLane stores the lazy value v to the X register g, and with it that of its
// neighbour if that is the other lane.
func (c *compiler) storeLane(g int, v ir.Value) {
	l := c.lazies[c.vals[v].lazy]
	x := c.useX(l.a)
	low, other := g, g+1
	if l.bits != 0 {
		low, other = g-1, g-1
	}
	if low >= 0 && other < int(host.GuestV) {
		if o, ok := c.laneFor(other); ok && o.a == l.a && o.bits != l.bits {
			c.b.MX(x64.MOVUPS, guestMem(low), x)
			c.unset(other)
			return
		}
	}
	c.storeLaneOf(guestMem(g), x, l.bits)
}

// storeLaneOf stores the 64 bits of x from bit n on.
func (c *compiler) storeLaneOf(m x64.Mem, x x64.Xmm, n uint8) {
	if n == 0 {
		c.b.MX(x64.MOVQX, m, x)
		return
	}
	c.b.MX(x64.MOVHPS, m, x)
}

// reliveLane extracts the lazy value v.
func (c *compiler) reliveLane(v ir.Value, l lazyVal) {
	x := c.useX(l.a)
	r := c.tempR()
	if l.bits == 0 {
		c.b.RX(x64.MOVQXR, r, x)
	} else {
		c.b.RXI(x64.PEXTRQ, r, x, 1)
	}
	c.bindR(v, r)
}

// loadLanesOver loads the vector v from m into the register of the one whose lanes the X
// registers hold until then that are SET to v's lanes next. A load that faults leaves its
// register alone.
func (c *compiler) loadLanesOver(v ir.Value, m x64.Mem) bool {
	if c.now || c.f.Types[v] != ir.V2I64 {
		return false
	}
	var lane [2]ir.Value
	var g [2]int
	n := v + 1
	for k := range lane {
		in := c.f.Insts[n]
		if in.Op() != ir.OpVGet || in.A() != v || int(c.f.ImmOf(in.B())) != k || !c.onlyTravels(n) {
			return false
		}
		lane[k] = n
		n++
	}
	for k := range g {
		in := c.f.Insts[n]
		if in.Op() != ir.OpSetX || in.B() != lane[k] || c.vals[n].form == formSkip {
			return false
		}
		g[k] = int(c.f.ImmOf(in.A()))
		n++
	}
	a, ok1 := c.laneFor(g[0])
	b, ok2 := c.laneFor(g[1])
	if !ok1 || !ok2 || g[0] == g[1] || a.a != b.a {
		return false
	}
	w := a.a
	for k := range g {
		if p := &c.vals[c.pend[g[k]]]; p.uses > 0 || p.pend != 1 {
			return false
		}
	}
	if p := &c.vals[w]; p.uses != 2 || p.kept != 2 || p.pend > 0 || p.reg < 0 {
		return false
	}
	r := x64.Xmm(c.vals[w].reg)
	c.mayFault()
	c.unset(g[0])
	c.unset(g[1])
	c.bindX(v, r)
	c.loadX(r, m, ir.V2I64)
	return true
}
