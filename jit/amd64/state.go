package amd64

import (
	"math/bits"

	"emu/cpu"
	"emu/ir"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

// numGuest is the number of guest registers whose SETs are kept back, numbered
// as host.Guest.
const numGuest = int(host.GuestNZCV) + 1

// guestMem is where guest register g lives in the state.
func guestMem(g int) x64.Mem {
	switch {
	case g < int(host.GuestV):
		return state(offX + 8*uintptr(g))
	case g < int(host.GuestNZCV):
		return state(offV + 16*uintptr(g-int(host.GuestV)))
	}
	return state(offNZCV)
}

// pending returns the value that guest register g waits for.
func (c *compiler) pending(g int) (v ir.Value, ok bool) {
	return c.pend[g], c.pendM[g>>6]>>(g&63)&1 != 0
}

// set makes v the pending value of guest register g. What was pending before is
// never stored.
func (c *compiler) set(g int, v ir.Value) {
	v = c.ready(v)
	if v.IsSSA() {
		c.vals[v].pend++
	}
	c.unset(g)
	c.pend[g] = v
	c.pendM[g>>6] |= 1 << (g & 63)
	c.recipeStale = true
}

// unset forgets what is pending for g.
func (c *compiler) unset(g int) {
	old, ok := c.pending(g)
	if !ok {
		return
	}
	c.pendM[g>>6] &^= 1 << (g & 63)
	c.recipeStale = true
	if !old.IsSSA() {
		return
	}
	p := &c.vals[old]
	p.pend--
	if p.pend == 0 && p.uses == 0 {
		c.drop(old)
	}
}

// flush stores everything that is pending but for pins, which goHome moves. The host's
// flags keep their meaning, though perhaps not their kind.
func (c *compiler) flush() { c.flushBut(pinned.set) }

// flushAll is flush for pinned registers as well.
func (c *compiler) flushAll() { c.flushBut(regSet{}) }

func (c *compiler) flushBut(keep regSet) {
	// Packing NZCV takes RAX, which may be full: first, while the most is free.
	if _, ok := c.pending(int(host.GuestNZCV)); ok {
		c.store(int(host.GuestNZCV))
	}
	c.flushRegs(keep)
}

// flushRegs stores all that is pending but NZCV and the registers of keep. The host's
// flags stay.
func (c *compiler) flushRegs(keep regSet) {
	const nzcv = uint64(1) << (host.GuestNZCV & 63)
	for c.pendM[0]&^keep[0] != 0 {
		c.store(bits.TrailingZeros64(c.pendM[0] &^ keep[0]))
	}
	for c.pendM[1]&^nzcv != 0 {
		c.store(64 + bits.TrailingZeros64(c.pendM[1]&^nzcv))
	}
}

// storePending stores v to all guest registers that wait for it.
func (c *compiler) storePending(v ir.Value) {
	for w := range c.pendM {
		for m := c.pendM[w]; m != 0; m &= m - 1 {
			if g := w<<6 + bits.TrailingZeros64(m); c.pend[g] == v {
				c.store(g)
			}
		}
	}
}

// store writes the pending value of g to the state.
func (c *compiler) store(g int) {
	v := c.pend[g]
	locks, xlocks := c.g.Locks(), c.x.Locks()
	m := guestMem(g)
	switch {
	case g == int(host.GuestNZCV):
		if v.IsConst() {
			c.b.MI(x64.MOVW, m, int32(int16(c.constBits(v))))
		} else {
			c.b.MR(x64.MOVW, m, c.useR(v))
		}
	case g >= int(host.GuestV):
		if v.IsConst() {
			k, _ := c.f.ConstOf(v)
			c.storeConst(m, k.Lo)
			c.storeConst(m.Add(8), k.Hi)
		} else if c.isLazy(v) {
			c.storeLow(m, v)
		} else {
			c.b.MX(x64.MOVUPS, m, c.useX(v))
		}
	case v.IsConst():
		c.storeConst(m, c.constBits(v))
	case c.isLazy(v):
		c.storeLane(g, v)
	default:
		c.b.MR(x64.MOVQ, m, c.useR(v))
	}
	c.g.SetLocks(locks)
	c.x.SetLocks(xlocks)
	c.unset(g)
}

// storeConst stores a 64-bit constant.
func (c *compiler) storeConst(m x64.Mem, n uint64) {
	if uint64(int64(int32(n))) == n {
		c.b.MI(x64.MOVQ, m, int32(n))
		return
	}
	locks := c.g.Locks()
	r := c.tempR()
	c.b.MovImm(r, n)
	c.b.MR(x64.MOVQ, m, r)
	c.g.SetLocks(locks)
}

// writeRecipe makes c.recipe describe where all pending values are now.
func (c *compiler) writeRecipe() {
	if !c.recipeStale {
		return
	}
	m := &c.code.Map
	c.recipe = uint32(len(m.Recipes))
	mask := uint64(0)
	for n, p := range host.Pins {
		if v, ok := c.pending(int(p.Guest)); ok && c.atHome(int(p.Guest), v) {
			mask |= 1 << n
		}
	}
	if mask != 0 {
		m.Add(host.GuestPins, host.Loc{Kind: host.LocConst, Lo: mask})
	}
	for w := range c.pendM {
		for s := c.pendM[w]; s != 0; s &= s - 1 {
			g := w<<6 + bits.TrailingZeros64(s)
			v := c.pend[g]
			if isPin(g) && c.atHome(g, v) {
				continue
			}
			if k, r, ok := c.inReg(v); ok {
				m.AddReg(host.Guest(g), k, r)
				continue
			}
			m.Add(host.Guest(g), c.locate(v))
		}
	}
	m.End()
	c.recipeStale = false
}

// inReg returns the register of v, if it is in one.
func (c *compiler) inReg(v ir.Value) (k host.LocKind, r uint8, ok bool) {
	if !v.IsSSA() || c.vals[v].reg < 0 {
		return 0, 0, false
	}
	k = host.LocGPR
	if c.vals[v].inX {
		k = host.LocXMM
	}
	return k, uint8(c.vals[v].reg), true
}

// locate says where v is.
func (c *compiler) locate(v ir.Value) host.Loc {
	if v.IsConst() {
		k, _ := c.f.ConstOf(v)
		if k.Type.Bits() > 64 {
			return host.Loc{Kind: host.LocConst128, Lo: k.Lo, Hi: k.Hi}
		}
		return host.Loc{Kind: host.LocConst, Lo: c.constBits(v)}
	}
	p := &c.vals[v]
	switch {
	case p.reg >= 0 && p.inX:
		return host.Loc{Kind: host.LocXMM, Index: uint16(p.reg)}
	case p.reg >= 0:
		return host.Loc{Kind: host.LocGPR, Index: uint16(p.reg)}
	case p.slot >= 0:
		return host.Loc{Kind: host.LocSpill, Index: uint16(p.slot)}
	case p.lazy != 0: // not the host's flags: they change sooner
		return c.locateLazy(v)
	case c.fl.v == v:
		return host.Loc{Kind: c.fl.kind}
	}
	panic("BUG: amd64: a pending value is nowhere")
}

// mayFault records that the instruction emitted next may fault.
func (c *compiler) mayFault() {
	c.writeRecipe()
	c.mayFaultAt(c.pc, c.recipe)
}

// mayFaultAt is mayFault for an instruction of the guest's pc, with a recipe that was written
// before.
func (c *compiler) mayFaultAt(pc uint64, recipe uint32) {
	c.code.Map.Entries = append(c.code.Map.Entries, host.PCEntry{
		Off:    uint32(c.b.Pos()),
		PC:     int32(int64(pc - c.f.PC)),
		Recipe: recipe,
	})
}

// mayOverflow records that the instruction emitted next may run off the native
// stack. All state is stored; the guest goes on at the callee.
func (c *compiler) mayOverflow(to callee) {
	m := &c.code.Map
	at := uint32(len(m.Recipes))
	g := host.GuestPC
	if to.branch != cpu.BranchNone {
		g = host.GuestTarget + host.Guest(to.branch)
	}
	m.Add(g, to.at)
	m.End()
	m.Entries = append(m.Entries, host.PCEntry{Off: uint32(c.b.Pos()), PC: int32(int64(c.pc - c.f.PC)), Recipe: at})
}

func lowerGetX(c *compiler, v ir.Value, in ir.Inst) {
	g := int(c.f.ImmOf(in.A()))
	if w, ok := c.pending(g); ok {
		c.alias(v, w)
		return
	}
	c.b.RM(x64.MOVQ, c.defR(v), guestMem(g))
}

func lowerSetX(c *compiler, v ir.Value, in ir.Inst) {
	c.set(int(c.f.ImmOf(in.A())), in.B())
}

func lowerGetV(c *compiler, v ir.Value, in ir.Inst) {
	g := int(host.GuestV) + int(c.f.ImmOf(in.A()))
	t := c.f.TypeOf(v)
	w, ok := c.pending(g)
	if ok && w.IsSSA() && !t.InXMM() {
		c.settleAll()
	}
	switch {
	case !t.InXMM() && ok && w.IsSSA():
		c.fromX(v, c.useX(w), t.Bits())
		return
	case !t.InXMM() && ok:
		k, _ := c.f.ConstOf(w)
		c.b.MovImm(c.defR(v), k.Lo)
		return
	case !t.InXMM():
		c.loadR(c.defR(v), guestMem(g), t)
		return
	case ok:
		if w.IsSSA() || t.IsVec() {
			c.alias(v, w)
			return
		}
		k, _ := c.f.ConstOf(w)
		c.loadConstLow(c.defX(v), k.Lo)
		return
	}
	c.loadX(c.defX(v), guestMem(g), t)
	c.zero(v, uint8(t.Bits()))
}

func lowerSetV(c *compiler, v ir.Value, in ir.Inst) {
	c.set(int(host.GuestV)+int(c.f.ImmOf(in.A())), in.B())
}

func lowerGetNZCV(c *compiler, v ir.Value, in ir.Inst) {
	if w, ok := c.pending(int(host.GuestNZCV)); ok {
		c.alias(v, w)
		return
	}
	c.b.RM(x64.MOVZWL, c.defR(v), guestMem(int(host.GuestNZCV)))
	c.zero(v, 16)
}

func lowerSetNZCV(c *compiler, v ir.Value, in ir.Inst) {
	c.set(int(host.GuestNZCV), in.A())
}

func lowerInsn(c *compiler, v ir.Value, in ir.Inst) { c.pc = c.f.ImmOf(in.A()) }

// sysOffset is where the state keeps a system register, and its size.
func sysOffset(r ir.SysReg) (off uintptr, bytes int) {
	switch r {
	case ir.SysTPIDR:
		return offTPIDR, 8
	case ir.SysTPIDRRO:
		return offTPIDRRO, 8
	case ir.SysTPIDR2:
		return offTPIDR2, 8
	case ir.SysModes:
		return offModes, 8
	case ir.SysGCSPR:
		return offGCSPR, 8
	case ir.SysGCSMode:
		return offGCSMode, 8
	case ir.SysFPCR:
		return offFPCR, 4
	}
	switch {
	case r >= ir.SysPACEnabled && r < ir.SysPACEnabled+cpu.NumAPKeys-1:
		return offPACEnabled + 8*uintptr(r-ir.SysPACEnabled), 8
	case r >= ir.SysAPKeys && r < ir.SysPACEnabled:
		return offAPKeys + 8*uintptr(r-ir.SysAPKeys), 8
	case r >= ir.SysP && r <= ir.SysFFR:
		return offP + 8*uintptr(r-ir.SysP), 8
	}
	panic("BUG: amd64: unknown system register")
}

func lowerGetSys(c *compiler, v ir.Value, in ir.Inst) {
	off, n := sysOffset(ir.SysReg(c.f.ImmOf(in.A())))
	if n == 4 {
		c.b.RM(x64.MOVL, c.defR(v), state(off))
		c.zero(v, 32)
		return
	}
	c.b.RM(x64.MOVQ, c.defR(v), state(off))
}

func lowerSetSys(c *compiler, v ir.Value, in ir.Inst) {
	r := ir.SysReg(c.f.ImmOf(in.A()))
	switch r {
	case ir.SysFPCR:
		viaGo(c, v, in) // it sets the host's modes too
		return
	case ir.SysRMode:
		c.setRMode(in.B())
		return
	}
	off, _ := sysOffset(r)
	c.b.MR(x64.MOVQ, state(off), c.useR(in.B()))
}
