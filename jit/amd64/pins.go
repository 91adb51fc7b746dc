package amd64

import (
	"math/bits"

	"emu/ir"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

// Pinned registers (host.Pins) are in host registers at the borders of units. Within
// a unit they are like other guest registers: what comes in is a SET that is pending
// from the start, of a value that stands behind the unit's instructions. Where the
// unit is left all of them go home again.

// pinned is what follows from host.Pins. pinned.home is by guest register, -1 for those
// that are not pinned.
var pinned = func() (p struct {
	regs  uint32 // host registers
	set   regSet // guest registers
	home  [numGuest]int8
	insts []ir.Inst // what pinIn puts behind a unit, and its types
	types []ir.Type
}) {
	for g := range p.home {
		p.home[g] = -1
	}
	for _, pin := range host.Pins {
		g := int(pin.Guest)
		p.regs |= 1 << pin.Reg
		p.set[g>>6] |= 1 << (g & 63)
		p.home[g] = int8(pin.Reg)
		p.insts = append(p.insts, ir.MakeInst(ir.OpGetX, ir.Imm(g), ir.None, ir.None))
		p.types = append(p.types, ir.I64)
	}
	return p
}()

// link is the guest register that calls set, and linkPin where it is between units.
const link = int(host.GuestX) + 30

var linkPin = x64.Reg(pinned.home[link])

// isPin reports whether guest register g is pinned.
func isPin(g int) bool { return pinned.home[g] >= 0 }

// atHome reports whether v, which is pending for the pinned register g, is in its
// register.
func (c *compiler) atHome(g int, v ir.Value) bool {
	return v.IsSSA() && c.vals[v].reg == pinned.home[g]
}

// pinIn makes the pins' registers their values.
func (c *compiler) pinIn() {
	v := ir.Value(len(c.f.Insts))
	c.f.Insts = append(c.f.Insts, pinned.insts...)
	c.f.Types = append(c.f.Types, pinned.types...)
	for n, p := range host.Pins {
		w := v + ir.Value(n)
		q := &c.vals[w]
		q.reg, q.form, q.pend = int8(p.Reg), formHere, 1
		c.g.Bind(p.Reg, w)
		c.pend[p.Guest] = w
	}
	c.pendM = pinned.set
	c.recipeStale = true
}

// pinOut takes the values of pinIn off the unit again.
func (c *compiler) pinOut(n int) {
	c.f.Insts, c.f.Types = c.f.Insts[:n], c.f.Types[:n]
}

// goHome moves the pins to their registers; the unit is left then. The registers of
// keep stay as they are, all others are lost. The host's flags stay.
func (c *compiler) goHome(keep ...x64.Reg) {
	load, away := pinned.set, false
	for _, p := range host.Pins {
		g := int(p.Guest)
		if v, ok := c.pending(g); ok {
			load[g>>6] &^= 1 << (g & 63)
			away = away || !c.atHome(g, v)
		}
	}
	if away {
		for _, p := range host.Pins {
			if v, ok := c.pending(int(p.Guest)); ok {
				c.planMove(home(p.Reg), v)
			}
		}
		for _, r := range keep {
			c.moves = append(c.moves, move{home(r), home(r), ir.None, false, false})
		}
		c.emitMoves()
	}
	for w := range load {
		for m := load[w]; m != 0; m &= m - 1 {
			g := w<<6 + bits.TrailingZeros64(m)
			c.b.RM(x64.MOVQ, x64.Reg(pinned.home[g]), guestMem(g))
		}
	}
	if len(c.scopes) == 0 && !c.opt.Verify {
		c.pendM = [2]uint64{} // the unit ends here, and nobody looks at the books again
		return
	}
	c.unsetAll()
}

// pinsAcross returns the pins that loop id leaves as they are, and holds their values:
// they stay pending in the loop and behind it.
func (c *compiler) pinsAcross(id int32) (across regSet) {
	info := &c.scoped.info[id]
	for _, p := range host.Pins {
		g := int(p.Guest)
		w, bit := g>>6, uint64(1)<<(g&63)
		if v, ok := c.pending(g); ok && v.IsSSA() && c.vals[v].reg >= 0 && (info.sets[w]|info.again[w]|info.head[w])&bit == 0 {
			across[w] |= bit
			c.holdOne(v)
			c.held = append(c.held, v)
		}
	}
	return across
}

// thinPins stores n of the pins that pinsAcross has chosen, if there are as many that
// the loop does not use otherwise, and returns how many registers that has freed.
func (c *compiler) thinPins(n int, mine func(ir.Value) int32, across regSet) (freed int) {
	for k := len(host.Pins) - 1; k >= 0 && freed < n; k-- {
		g := int(host.Pins[k].Guest)
		v, ok := c.pending(g)
		if !ok || across[g>>6]>>(g&63)&1 == 0 || c.weight[v] > 0 || c.vals[v].uses != c.pinsOf(v, across)+mine(v) {
			continue
		}
		c.storePending(v)
		if mine(v) == 0 {
			c.unbind(v)
		}
		freed++
	}
	return freed
}

// pinsLeft returns those of the pins that still are in registers and pending. Their values
// are in compiler.held from index held on, where pinsAcross has put them; the others' are
// let go.
func (c *compiler) pinsLeft(across regSet, held int) regSet {
	n := held
	for _, p := range host.Pins {
		g := int(p.Guest)
		w, bit := g>>6, uint64(1)<<(g&63)
		if across[w]&bit == 0 {
			continue
		}
		v := c.pend[g]
		_, waits := c.pending(g)
		if waits && c.vals[v].reg >= 0 {
			c.held[n] = v
			n++
			continue
		}
		across[w] &^= bit
		if waits {
			c.store(g)
		}
		c.letGoOne(v)
	}
	c.held = c.held[:n]
	return across
}

// pinsOf counts the pins of set whose pending value is v.
func (c *compiler) pinsOf(v ir.Value, set regSet) (n int32) {
	for _, p := range host.Pins {
		if g := int(p.Guest); set[g>>6]>>(g&63)&1 != 0 && c.pend[g] == v {
			n++
		}
	}
	return n
}

// hintPin notes that v, which the pinned register g is SET to, had better be where g
// lives at the unit's borders.
func (c *compiler) hintPin(g int, v ir.Value) {
	for v.IsSSA() && c.hints[v] == noHome {
		c.hints[v] = home(pinned.home[g])
		in := c.f.Insts[v]
		if op := in.Op(); op != ir.OpZext && op != ir.OpTrunc {
			return
		}
		v = in.A()
	}
}
