package amd64

import (
	"emu/ir"
	"emu/jit/asm/x64"
)

// home is a place that a value can be moved to: general registers from 0, vector
// registers from homeX, spill slots from homeSlot.
type home int16

const (
	homeX    home = 32
	homeSlot home = 64
	homeTemp home = homeSlot + numSlots // memory in the state for breaking cycles
	noHome   home = -1                  // of a constant, or of what nobody needs
)

func (h home) isR() bool    { return h >= 0 && h < homeX }
func (h home) isX() bool    { return h >= homeX && h < homeSlot }
func (h home) isSlot() bool { return h >= homeSlot }

func (h home) mem() x64.Mem {
	if h >= homeTemp {
		return state(offHelperArg + 16*uintptr(h-homeTemp))
	}
	return slotMem(int16(h - homeSlot))
}

// homeOf is where v is now.
func (c *compiler) homeOf(v ir.Value) home {
	p := &c.vals[v]
	switch {
	case p.reg >= 0 && p.inX:
		return homeX + home(p.reg)
	case p.reg >= 0:
		return home(p.reg)
	case p.slot >= 0:
		return homeSlot + home(p.slot)
	}
	panic("BUG: amd64: a value that has to move is nowhere: " + c.f.Insts[v].Op().String())
}

// move is one of several that happen at once.
type move struct {
	dst, src home
	v        ir.Value // a constant if src is noHome
	inX      bool     // class of the value
	done     bool
}

// planMove adds a move of v, which is materialized or constant, to dst.
func (c *compiler) planMove(dst home, v ir.Value) {
	if v.IsConst() {
		c.moves = append(c.moves, move{dst, noHome, v, c.f.TypeOf(v).InXMM(), false})
		return
	}
	src := c.homeOf(v)
	if p := &c.vals[v]; p.slot >= 0 && dst == homeSlot+home(p.slot) {
		src = dst // besides a register
	}
	c.moves = append(c.moves, move{dst, src, v, c.vals[v].inX, false})
}

// moved reports whether the planned moves need any code.
func (c *compiler) moved() bool {
	for i := range c.moves {
		if m := &c.moves[i]; m.dst != m.src {
			return true
		}
	}
	return false
}

// emitMoves emits the planned moves, all reading before any writes. Whatever is
// not moved, if only to where it is, may be lost. The host's flags are lost.
func (c *compiler) emitMoves() {
	c.replay = nil
	if c.opt.Verify {
		c.beginReplay()
		defer c.replay.end(c)
	}
	keep, stays := c.dropIdleMoves()
	for {
		progress, stuck := c.emitFree(keep)
		switch {
		case stuck < 0:
			c.moves = c.moves[:0]
			return
		case progress:
			continue
		}
		// Only cycles are left. Save what stuck overwrites elsewhere.
		m := &c.moves[stuck]
		if to, ok := c.spareNow(stays); ok && !c.readsX(m.dst) {
			c.breakCycle(m.dst, home(to), false, keep)
			keep[0] |= 1 << to
			stays |= 1 << to
			continue
		}
		if m.dst.isR() && m.src.isR() {
			c.swap(stuck)
			continue
		}
		// Its reader ends the cycle before another one has to be broken.
		to := homeTemp
		if r, ok := spare(c.x.Order(), keep[1]); ok {
			to = homeX + home(r)
			keep[1] |= 1 << r
		}
		c.breakCycle(m.dst, to, c.readsX(m.dst), keep)
	}
}

// beginReplay has the moves checked as they are emitted.
func (c *compiler) beginReplay() {
	c.replay = &moveCheck{}
	for i, m := range c.moves {
		for _, n := range c.moves[:i] {
			if n.dst == m.dst {
				c.fail("v%d and v%d move to the same place", m.v, n.v)
			}
		}
	}
	c.replay.begin(c.moves)
}

// dropIdleMoves drops moves to where the value is. keep are the registers that hold
// something now or will, general ones first; stays the general ones that hold something
// behind the moves.
func (c *compiler) dropIdleMoves() (keep [2]uint32, stays uint32) {
	left := 0
	for _, m := range c.moves {
		if m.dst.isR() {
			stays |= 1 << m.dst
		}
		for _, h := range [...]home{m.dst, m.src} {
			if h.isR() {
				keep[0] |= 1 << h
			} else if h.isX() {
				keep[1] |= 1 << (h - homeX)
			}
		}
		if m.dst != m.src {
			c.moves[left] = m
			left++
		}
	}
	c.moves = c.moves[:left]
	return keep, stays
}

// emitFree emits moves whose place nothing has to be read from any more, one after the
// other. progress: there were any. stuck is the last that has to wait, -1 if all are done.
func (c *compiler) emitFree(keep [2]uint32) (progress bool, stuck int) {
	stuck = -1
	for i := range c.moves {
		m := &c.moves[i]
		switch {
		case m.done:
		case c.isSource(m.dst, i):
			stuck = i
		default:
			c.emitMove(m, keep)
			m.done, progress = true, true
		}
	}
	return progress, stuck
}

// swap makes a move between general registers by exchanging them: what was to be read
// from one is in the other then.
func (c *compiler) swap(number int) {
	m := &c.moves[number]
	c.b.RR(x64.XCHGQ, x64.Reg(m.dst), x64.Reg(m.src))
	c.replay.swapped(m.dst, m.src)
	m.done = true
	for i := range c.moves {
		n := &c.moves[i]
		if n.done {
			continue
		}
		switch n.src {
		case m.dst:
			n.src = m.src
		case m.src:
			n.src = m.dst
		}
		n.done = n.src == n.dst
	}
}

// breakCycle copies what is in from to another place, where those that still have to read
// it do so.
func (c *compiler) breakCycle(from, to home, inX bool, keep [2]uint32) {
	c.emitMove(&move{dst: to, src: from, inX: inX}, keep)
	for i := range c.moves {
		if n := &c.moves[i]; !n.done && n.src == from {
			n.src = to
		}
	}
}

// readsX reports whether what is in h has still to be read as a vector.
func (c *compiler) readsX(h home) bool {
	for i := range c.moves {
		if m := &c.moves[i]; !m.done && m.src == h && m.inX {
			return true
		}
	}
	return false
}

// spareNow returns a general register that is not in stays and that no move still has to
// read.
func (c *compiler) spareNow(stays uint32) (uint8, bool) {
	for i := range c.moves {
		if m := &c.moves[i]; !m.done && m.src.isR() {
			stays |= 1 << m.src
		}
	}
	return spare(c.g.Order(), stays)
}

// isSource reports whether a move other than number skip still has to read h.
func (c *compiler) isSource(h home, skip int) bool {
	for i := range c.moves {
		if m := &c.moves[i]; !m.done && i != skip && m.src == h {
			return true
		}
	}
	return false
}

// spare returns an allocatable register that is not in busy.
func spare(order []uint8, busy uint32) (uint8, bool) {
	for _, r := range order {
		if busy>>r&1 == 0 {
			return r, true
		}
	}
	return 0, false
}

// emitMove emits one move. Registers outside of keep may be used for it.
func (c *compiler) emitMove(m *move, keep [2]uint32) {
	dst, src := m.dst, m.src
	c.replay.moved(m)
	switch {
	case dst.isR() && src == noHome:
		c.b.MovImm(x64.Reg(dst), c.constBits(m.v))
	case dst.isX() && src == noHome:
		c.loadConstX(x64.Xmm(dst-homeX), m.v)
	case src == noHome:
		c.storeImm(dst.mem(), c.constLo(m))
		if m.inX {
			k, _ := c.f.ConstOf(m.v)
			c.storeImm(dst.mem().Add(8), k.Hi)
		}
	case dst.isR() && src.isR():
		c.b.RR(x64.MOVQ, x64.Reg(dst), x64.Reg(src))
	case dst.isR() && src.isX():
		c.b.RX(x64.MOVQXR, x64.Reg(dst), x64.Xmm(src-homeX))
	case dst.isX() && src.isR():
		c.b.XR(x64.MOVQXR, x64.Xmm(dst-homeX), x64.Reg(src))
	case dst.isR():
		c.b.RM(x64.MOVQ, x64.Reg(dst), src.mem())
	case src.isR():
		c.b.MR(x64.MOVQ, dst.mem(), x64.Reg(src))
	case dst.isX() && src.isX():
		c.b.XX(x64.MOVAPS, x64.Xmm(dst-homeX), x64.Xmm(src-homeX))
	case dst.isX():
		c.b.XM(slotMove(m.inX), x64.Xmm(dst-homeX), src.mem())
	case src.isX():
		c.b.MX(slotMove(m.inX), dst.mem(), x64.Xmm(src-homeX))
	default:
		c.moveMemory(dst.mem(), src.mem(), m.inX, keep)
	}
}

func (c *compiler) constLo(m *move) uint64 {
	if m.inX {
		k, _ := c.f.ConstOf(m.v)
		return k.Lo
	}
	return c.constBits(m.v)
}

// storeImm stores a constant without a register.
func (c *compiler) storeImm(m x64.Mem, n uint64) {
	if uint64(int64(int32(n))) == n {
		c.b.MI(x64.MOVQ, m, int32(n))
		return
	}
	c.b.MI(x64.MOVL, m, int32(n))
	c.b.MI(x64.MOVL, m.Add(4), int32(n>>32))
}

// slotMove moves a slot by way of a vector register. A general register's value, which may
// be in one for a while, fills 8 bytes of it: reading more than was written would have to wait until that
// has left the store buffer.
func slotMove(inX bool) x64.Op {
	if inX {
		return x64.MOVUPS
	}
	return x64.MOVQX
}

// moveMemory copies a slot.
func (c *compiler) moveMemory(dst, src x64.Mem, inX bool, keep [2]uint32) {
	if x, ok := spare(c.x.Order(), keep[1]); ok {
		op := slotMove(inX)
		c.replay.lost(homeX + home(x))
		c.b.XM(op, x64.Xmm(x), src)
		c.b.MX(op, dst, x64.Xmm(x))
		return
	}
	r, ok := spare(c.g.Order(), keep[0])
	if ok {
		c.replay.lost(home(r))
	}
	last := state(offHelperRet)
	if !ok {
		r = uint8(x64.RAX)
		c.b.MR(x64.MOVQ, last, x64.RAX)
	}
	for off := int32(0); off < int32(8+8*b2i(inX)); off += 8 {
		c.b.RM(x64.MOVQ, x64.Reg(r), src.Add(off))
		c.b.MR(x64.MOVQ, dst.Add(off), x64.Reg(r))
	}
	if !ok {
		c.b.RM(x64.MOVQ, x64.RAX, last)
	}
}
