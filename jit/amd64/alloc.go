package amd64

import (
	"math/bits"

	"emu/cpu"
	"emu/ir"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

// How to write a lowering function, in this order:
//
//  1. clobber() if any instruction it emits changes the host's flags. Nothing
//     may come before that, since packing flags takes registers.
//  2. reserve(r) or useIn(v, r) for operands and temporaries that have to be in
//     fixed registers.
//  3. useR(v), useX(v) for operands that are only read; useZ and useS give 32-bit
//     and narrower values zero- or sign-extended.
//  4. one of the ways to get a result register:
//     defR(v), defX(v): a fresh register, distinct from all of the above;
//     copyR(v, a), copyX(v, a): the same holding a, to be changed in place - a's
//     own register if this is a's last use, and then useR(a) is no longer
//     possible;
//     overR(v, a, b), overX: a fresh register, or that of an operand that ends
//     here - for a single instruction that reads all before it writes.
//     defIn(v, r): the reserved register r.
//  5. tempR(), tempX(): scratch registers.
//  6. internal branches, only after all of that: no call that may move values may
//     stand behind one.
//
// Registers got here stay locked until the instruction ends; operands are
// released by the walk, never by a lowering function. Constants are operands like
// others: useR loads them. A value whose result register is narrower than 64 bits
// has unspecified upper bits unless zero(v, n) says otherwise.

const numSlots = cpu.NumSpill

// root resolves a value that shares another one's place. It may be a constant.
func (c *compiler) root(v ir.Value) ir.Value {
	if v.IsSSA() {
		return c.vals[v].root
	}
	return v
}

// alias makes v share the place of a.
func (c *compiler) alias(v, a ir.Value) {
	r := c.ready(a)
	p := &c.vals[v]
	p.root, p.form = r, formHere
	if r.IsSSA() {
		q := &c.vals[r]
		q.uses += p.uses
		if p.user != ir.None && (q.user == ir.None || p.user > q.user) {
			q.user = p.user
			c.usedUntil(r)
		}
	}
}

// ready returns the root of v, computed if it had been put off.
func (c *compiler) ready(v ir.Value) ir.Value {
	if v = c.root(v); v.IsSSA() && c.vals[v].form == formLater {
		c.force(v)
		v = c.root(v)
	}
	return v
}

// dies reports whether the current instruction is the last to need v.
func (c *compiler) dies(v ir.Value) bool {
	v = c.root(v)
	if !v.IsSSA() {
		return false
	}
	p := &c.vals[v]
	if left := p.uses - c.usesNow(v); left > 0 && (p.kept == 0 || left > c.keptByFlags(v)) {
		return false
	}
	return p.pend == 0 || p.pend == 1 && c.replaced(v) >= 0
}

// replaced returns the guest register that v waits for if the instruction after
// the current one SETs it to the current one's result, -1 otherwise: X0 in
// ADD X0, X0, #1. Then v is not needed after the current instruction, provided
// that nothing can look at the guest's registers in between.
func (c *compiler) replaced(v ir.Value) int {
	if c.now || c.f.Insts[c.at].Op().Has(observes|ir.FPStatus|ir.SetsQC) {
		return -1
	}
	after := func(n ir.Value) ir.Value {
		for n++; c.vals[n].early; n++ {
		}
		return n
	}
	r := c.at
	next := after(r)
	in := c.f.Insts[next]
	if in.Op() == ir.OpZext && in.A() == r {
		r, next = next, after(next) // of a W register
		in = c.f.Insts[next]
	}
	g := int(host.GuestX)
	switch in.Op() {
	case ir.OpSetX:
	case ir.OpSetV:
		g = int(host.GuestV)
	default:
		return -1
	}
	if in.B() != r || c.vals[next].form == formSkip {
		return -1
	}
	g += int(c.f.ImmOf(in.A()))
	if w, ok := c.pending(g); !ok || w != v {
		return -1
	}
	return g
}

// consume takes the dying operand a out of its register, for the current
// instruction to change it.
func (c *compiler) consume(a ir.Value) {
	if c.vals[a].kept > 0 {
		c.unset(int(host.GuestNZCV))
	}
	if c.vals[a].pend > 0 {
		c.unset(c.replaced(a))
	}
	c.unbind(a)
}

// usesNow counts the operands of the current instruction that are v.
func (c *compiler) usesNow(v ir.Value) (n int32) {
	for _, a := range c.cur {
		if a == v {
			n++
		}
	}
	return n
}

// release ends one use of v.
func (c *compiler) release(v ir.Value) {
	if v = c.root(v); !v.IsSSA() {
		return
	}
	p := &c.vals[v]
	p.uses--
	if p.uses > 0 {
		return
	}
	if p.uses < 0 {
		panic("BUG: amd64: more uses than counted")
	}
	if p.form == formLater {
		p.form = formNone
		c.releaseOperands(c.f.Insts[v])
		return
	}
	if p.pend == 0 {
		c.drop(v)
	}
}

func (c *compiler) releaseOperands(in ir.Inst) {
	if a := in.A(); a.IsSSA() {
		c.release(a)
	}
	if b := in.B(); b.IsSSA() {
		c.release(b)
	}
	if x := in.C(); x.IsSSA() {
		c.release(x)
	}
}

// drop frees everything that holds the dead value v.
func (c *compiler) drop(v ir.Value) {
	p := &c.vals[v]
	c.unbind(v)
	if p.slot >= 0 {
		c.slots[p.slot] = ir.None
		p.slot = -1
	}
	if c.fl.v == v {
		c.fl.v = ir.None
	}
	p.form = formNone
	if p.lazy != 0 {
		c.endLazy(v)
	}
}

// unbind takes v out of its register.
func (c *compiler) unbind(v ir.Value) {
	p := &c.vals[v]
	if p.reg < 0 {
		return
	}
	if p.inX {
		c.x.Free(uint8(p.reg))
	} else {
		c.g.Free(uint8(p.reg))
	}
	p.reg = -1
	if p.pend > 0 || p.kept > 0 {
		c.recipeStale = true
	}
}

// bindR makes r, which is free, the place of v.
func (c *compiler) bindR(v ir.Value, r x64.Reg) {
	p := &c.vals[v]
	p.reg, p.form = int8(r), formHere
	c.g.Bind(uint8(r), v)
	c.g.Lock(uint8(r))
	if p.pend > 0 || p.kept > 0 {
		c.recipeStale = true
	}
}

func (c *compiler) bindX(v ir.Value, r x64.Xmm) {
	p := &c.vals[v]
	p.reg, p.form = int8(r), formHere
	c.x.Bind(uint8(r), v)
	c.x.Lock(uint8(r))
	if p.pend > 0 || p.kept > 0 {
		c.recipeStale = true
	}
}

// tempR returns a scratch register for the current instruction.
func (c *compiler) tempR() x64.Reg { return c.tempNot(0) }

// tempNot is tempR avoiding a set of registers.
func (c *compiler) tempNot(avoid uint32) x64.Reg {
	r, ok := c.g.Pick(avoid | c.wanted[0])
	if !ok && c.wanted[0] != 0 {
		r, ok = c.g.Pick(avoid)
	}
	if !ok {
		if r, ok = c.g.Victim(avoid, c.cheap); !ok {
			panic("BUG: amd64: all general registers are locked")
		}
		c.evict(c.g.Owner(r))
	}
	c.g.Lock(r)
	return x64.Reg(r)
}

// tempX returns a scratch vector register for the current instruction.
func (c *compiler) tempX() x64.Xmm {
	r, ok := c.x.Pick(c.wanted[1])
	if !ok && c.wanted[1] != 0 {
		r, ok = c.x.Pick(0)
	}
	if !ok {
		if r, ok = c.x.Victim(0, c.cheap); !ok {
			panic("BUG: amd64: all vector registers are locked")
		}
		c.evict(c.x.Owner(r))
	}
	c.x.Lock(r)
	return x64.Xmm(r)
}

// evict takes v out of its register: a value that only waits to be stored is
// stored, any other goes to its slot.
func (c *compiler) evict(v ir.Value) {
	p := &c.vals[v]
	if p.uses == 0 && p.pend > 0 {
		c.storePending(v)
		if p.reg < 0 {
			return // that was the last that kept it alive
		}
	}
	c.spill(v)
	c.unbind(v)
}

// spill stores v, which is in a register, to its slot. The host's flags stay.
func (c *compiler) spill(v ir.Value) {
	p := &c.vals[v]
	if p.slot >= 0 {
		return
	}
	p.slot = c.newSlot(v)
	if p.inX {
		c.b.MX(x64.MOVUPS, slotMem(p.slot), x64.Xmm(p.reg))
		return
	}
	c.b.MR(x64.MOVQ, slotMem(p.slot), x64.Reg(p.reg))
}

// newSlot returns a free spill slot, owned by v.
func (c *compiler) newSlot(v ir.Value) int16 {
	for i := range c.nSlot {
		if c.slots[i] == ir.None {
			c.slots[i] = v
			return int16(i)
		}
	}
	if c.nSlot == numSlots {
		c.err = ErrSpill
		return numSlots - 1
	}
	c.slots[c.nSlot] = v
	c.nSlot++
	return int16(c.nSlot - 1)
}

// useR returns a general register that holds v until the instruction ends. It
// must not be changed. The host's flags stay as they are.
func (c *compiler) useR(v ir.Value) x64.Reg {
	v = c.ready(v)
	if v.IsConst() {
		r := c.tempR()
		c.b.MovImm(r, c.constBits(v))
		return r
	}
	p := &c.vals[v]
	if p.reg < 0 {
		switch {
		case p.slot >= 0:
			r := c.tempR()
			c.b.RM(x64.MOVQ, r, slotMem(p.slot))
			c.bindR(v, r)
		case c.fl.v == v:
			c.pack()
		case p.lazy != 0:
			if c.relive(v); p.reg < 0 {
				c.pack()
			}
		default:
			panic("BUG: amd64: use of a value that is nowhere: " + c.f.Insts[v].Op().String())
		}
	}
	c.g.Lock(uint8(p.reg))
	c.g.Touch(uint8(p.reg))
	return x64.Reg(p.reg)
}

// inSlot returns the slot of a general value that is only there: an instruction can
// read it without a register, which are short then.
func (c *compiler) inSlot(v ir.Value) (x64.Mem, bool) {
	if v = c.root(v); !v.IsSSA() {
		return x64.Mem{}, false
	}
	p := &c.vals[v]
	if p.inX || p.form != formHere || p.reg >= 0 || p.slot < 0 {
		return x64.Mem{}, false
	}
	return slotMem(p.slot), true
}

// constBits is what a register holds for a constant operand; flags take the form
// of State.NZCV.
func (c *compiler) constBits(v ir.Value) uint64 {
	k, _ := c.f.ConstOf(v)
	if k.Type == ir.Flags {
		return uint64(cpu.PackNZCV(uint32(k.Lo) << 28))
	}
	return k.Lo
}

// constI returns the value of an integer constant operand.
func (c *compiler) constI(v ir.Value) (n uint64, ok bool) {
	v = c.root(v)
	if !v.IsConst() {
		return 0, false
	}
	k, _ := c.f.ConstOf(v)
	return k.Lo, true
}

// const32 returns a constant operand of type t as the sign-extended immediate of
// an instruction of that width, if it is one.
func (c *compiler) const32(v ir.Value, t ir.Type) (n int32, ok bool) {
	k, ok := c.constI(v)
	if !ok {
		return 0, false
	}
	switch t {
	case ir.I64:
		n = int32(k)
		return n, int64(n) == int64(k)
	case ir.I16:
		return int32(int16(k)), true
	case ir.I8, ir.I1:
		return int32(int8(k)), true
	}
	return int32(k), true
}

// useX returns a vector register that holds v until the instruction ends. It
// must not be changed.
func (c *compiler) useX(v ir.Value) x64.Xmm {
	v = c.root(v)
	if v.IsConst() {
		r := c.tempX()
		c.loadConstX(r, v)
		return r
	}
	p := &c.vals[v]
	if p.reg < 0 {
		if p.slot < 0 && p.lazy != 0 {
			return c.reliveX(v)
		}
		if p.slot < 0 {
			panic("BUG: amd64: use of a value that is nowhere: " + c.f.Insts[v].Op().String())
		}
		r := c.tempX()
		c.b.XM(x64.MOVUPS, r, slotMem(p.slot))
		c.bindX(v, r)
	}
	c.x.Lock(uint8(p.reg))
	c.x.Touch(uint8(p.reg))
	return x64.Xmm(p.reg)
}

func (c *compiler) loadConstX(r x64.Xmm, v ir.Value) {
	k, _ := c.f.ConstOf(v)
	if k.Lo == 0 && k.Hi == 0 {
		c.b.XX(x64.XORPS, r, r)
		return
	}
	c.b.XM(x64.MOVUPS, r, c.b.Lit128(k.Lo, k.Hi))
}

// defR gives v, a result, a fresh register.
func (c *compiler) defR(v ir.Value) x64.Reg {
	r := x64.RAX
	c.takeOver(v)
	if n, ok := c.hint(v); ok {
		r = x64.Reg(n)
		c.g.Lock(n)
	} else if c.wantsRAX(v) {
		c.g.Lock(uint8(r))
	} else {
		r = c.tempR()
	}
	c.bindR(v, r)
	return r
}

// wantsRAX reports whether v had better be in RAX, which is free: its user needs
// it there.
func (c *compiler) wantsRAX(v ir.Value) bool {
	u := c.vals[v].user
	if u == ir.None || c.g.Owner(uint8(x64.RAX)) != ir.None || c.g.Locked(uint8(x64.RAX)) {
		return false
	}
	in := c.f.Insts[u]
	switch in.Op() {
	case ir.OpRet, ir.OpJumpInd, ir.OpCallInd, ir.OpSDiv, ir.OpUDiv, ir.OpSRem, ir.OpURem, ir.OpMulHiS, ir.OpMulHiU:
		return in.A() == v
	case ir.OpCas:
		return in.B() == v
	}
	return false
}

// defX gives v, a result, a fresh vector register.
func (c *compiler) defX(v ir.Value) x64.Xmm {
	c.takeOver(v)
	r, ok := c.hint(v)
	if !ok {
		r = uint8(c.tempX())
	}
	c.bindX(v, x64.Xmm(r))
	return x64.Xmm(r)
}

// defIn gives v the reserved register r.
func (c *compiler) defIn(v ir.Value, r x64.Reg) { c.bindR(v, r) }

// take hands the register of a, which the current instruction uses last, to v.
func (c *compiler) take(v, a ir.Value) {
	r := c.vals[a].reg
	c.consume(a)
	if c.vals[v].inX {
		c.bindX(v, x64.Xmm(r))
		return
	}
	c.bindR(v, x64.Reg(r))
}

// canTake reports whether a's register may become a result.
func (c *compiler) canTake(a ir.Value) bool {
	a = c.root(a)
	return a.IsSSA() && c.vals[a].reg >= 0 && c.dies(a)
}

// copyR gives v a register that holds a, for the current instruction to change.
func (c *compiler) copyR(v, a ir.Value) x64.Reg {
	a = c.ready(a)
	if a.IsConst() {
		r := c.defR(v)
		c.b.MovImm(r, c.constBits(a))
		return r
	}
	s := c.useR(a)
	if c.dies(a) {
		c.take(v, a)
		return s
	}
	r := c.defR(v)
	c.moveR(r, s, c.f.TypeOf(v))
	return r
}

// scratchR returns a scratch register that holds a, for the current instruction
// to change: a's own if this is its last use.
func (c *compiler) scratchR(a ir.Value) x64.Reg {
	a = c.ready(a)
	if a.IsConst() {
		return c.useR(a)
	}
	s := c.useR(a)
	if c.dies(a) {
		c.consume(a)
		return s
	}
	r := c.tempR()
	c.b.RR(x64.MOVQ, r, s)
	return r
}

// copyX is copyR for vector registers.
func (c *compiler) copyX(v, a ir.Value) x64.Xmm {
	a = c.root(a)
	if a.IsConst() {
		r := c.defX(v)
		c.loadConstX(r, a)
		return r
	}
	s := c.useX(a)
	if c.dies(a) {
		c.take(v, a)
		return s
	}
	r := c.defX(v)
	c.b.XX(x64.MOVAPS, r, s)
	return r
}

// overR gives v a register for one instruction that reads all of its operands
// before it writes: a's or b's if they end here. Both have to be in registers.
func (c *compiler) overR(v, a, b ir.Value) x64.Reg {
	for _, o := range [2]ir.Value{a, b} {
		if o != ir.None && c.canTake(o) && !c.vals[c.root(o)].inX {
			o = c.root(o)
			r := c.vals[o].reg
			c.take(v, o)
			return x64.Reg(r)
		}
	}
	return c.defR(v)
}

// overX is overR for vector registers.
func (c *compiler) overX(v, a, b ir.Value) x64.Xmm {
	for _, o := range [2]ir.Value{a, b} {
		if o != ir.None && c.canTake(o) && c.vals[c.root(o)].inX {
			o = c.root(o)
			r := c.vals[o].reg
			c.take(v, o)
			return x64.Xmm(r)
		}
	}
	return c.defX(v)
}

// reserve frees register r for the current instruction and locks it. The host's
// flags stay as they are.
func (c *compiler) reserve(r x64.Reg) {
	n := uint8(r)
	if v := c.g.Owner(n); v != ir.None {
		if c.g.Locked(n) {
			panic("BUG: amd64: reserve of a locked register")
		}
		to, ok := c.g.Pick(0)
		if !ok || c.vals[v].uses == 0 {
			c.evict(v)
		} else {
			c.b.RR(x64.MOVQ, x64.Reg(to), r)
			locks := c.g.Locks()
			c.unbind(v)
			c.bindR(v, x64.Reg(to))
			c.g.SetLocks(locks)
		}
	} else if c.g.Locked(n) {
		panic("BUG: amd64: reserve of a locked register")
	}
	c.g.Lock(n)
}

// useIn reserves r and puts v in it, for the current instruction to change.
func (c *compiler) useIn(v ir.Value, r x64.Reg) {
	v = c.ready(v)
	if v.IsSSA() {
		p := &c.vals[v]
		if p.reg == int8(r) {
			if c.dies(v) && c.usesNow(v) == 1 {
				c.g.Lock(uint8(r))
				c.consume(v)
				return
			}
			c.reserve(r) // moves v away; r still holds it
			return
		}
		if p.reg < 0 && p.slot < 0 {
			c.useR(v)
		}
	}
	c.reserve(r)
	c.loadInto(r, v)
}

// loadInto copies v to r, which is reserved or scratch.
func (c *compiler) loadInto(r x64.Reg, v ir.Value) {
	v = c.ready(v)
	if v.IsConst() {
		c.b.MovImm(r, c.constBits(v))
		return
	}
	p := &c.vals[v]
	if p.reg < 0 && p.slot >= 0 {
		c.b.RM(x64.MOVQ, r, slotMem(p.slot))
		return
	}
	// The copy is all that is needed: where v lives may be reserved next.
	locks := c.g.Locks()
	if s := c.useR(v); s != r {
		c.b.RR(x64.MOVQ, r, s)
	}
	c.g.SetLocks(locks)
}

// moveR copies a register at the width of t. 32-bit copies clear the upper half.
func (c *compiler) moveR(dst, src x64.Reg, t ir.Type) {
	if t == ir.I64 {
		c.b.RR(x64.MOVQ, dst, src)
		return
	}
	c.b.RR(x64.MOVL, dst, src)
}

// zero notes that all bits of v's register from bit n up are zero.
func (c *compiler) zero(v ir.Value, n uint8) { c.vals[v].zbits = n }

// zbits returns from which bit on the register of v is known to be zero.
func (c *compiler) zbits(v ir.Value) uint8 {
	v = c.root(v)
	if v.IsConst() {
		return uint8(bits.Len64(c.constBits(v))) // loaded zero-extended
	}
	return c.vals[v].zbits
}

// useZ returns a register that holds v, of at most n bits, zero-extended from n
// bits (8, 16 or 32) to 64. The host's flags stay.
func (c *compiler) useZ(v ir.Value, n uint8) x64.Reg {
	v = c.ready(v)
	if v.IsConst() {
		r := c.tempR()
		k := c.constBits(v)
		c.b.MovImm(r, k&(1<<n-1))
		return r
	}
	r := c.useR(v)
	p := &c.vals[v]
	if p.zbits <= n {
		return r
	}
	if p.slot < 0 && p.pend == 0 && c.f.TypeOf(v).Bits() <= int(n) {
		// The upper bits mean nothing to anyone: clear them for all.
		c.extend(r, r, n)
		p.zbits = n
		return r
	}
	t := c.tempR()
	c.extend(t, r, n)
	return t
}

// extend zero-extends the low n bits (8, 16, 32) of src.
func (c *compiler) extend(dst, src x64.Reg, n uint8) {
	switch n {
	case 8:
		c.b.RR(x64.MOVZBL, dst, src)
	case 16:
		c.b.RR(x64.MOVZWL, dst, src)
	default:
		c.b.RR(x64.MOVL, dst, src)
	}
}

// extendS sign-extends the low n bits (8, 16, 32) of src to a type.
func (c *compiler) extendS(dst, src x64.Reg, n int, to ir.Type) {
	switch {
	case n == 8 && to == ir.I64:
		c.b.RR(x64.MOVSBQ, dst, src)
	case n == 8:
		c.b.RR(x64.MOVSBL, dst, src)
	case n == 16 && to == ir.I64:
		c.b.RR(x64.MOVSWQ, dst, src)
	case n == 16:
		c.b.RR(x64.MOVSWL, dst, src)
	case to == ir.I64:
		c.b.RR(x64.MOVSLQ, dst, src)
	default:
		c.b.RR(x64.MOVL, dst, src)
	}
}

// later puts off computing v until its only user asks for it. It reports whether
// that is possible; else the caller has to compute it now.
func (c *compiler) later(v ir.Value) bool {
	p := &c.vals[v]
	if c.now || c.opt.NoFold || p.uses != 1 || p.user == ir.None || c.vals[p.user].region != p.region {
		return false
	}
	p.form = formLater
	return true
}

// waiting returns the instruction of a value that was put off.
func (c *compiler) waiting(v ir.Value) (in ir.Inst, ok bool) {
	if v = c.root(v); v.IsSSA() && c.vals[v].form == formLater {
		return c.f.Insts[v], true
	}
	return 0, false
}

// force computes v now if it was put off. It may change the host's flags if v's
// lowering does; conditions and addresses do not.
func (c *compiler) force(v ir.Value) {
	if c.vals[v].form != formLater {
		return
	}
	at, cur, now := c.at, c.cur, c.now
	in := c.f.Insts[v]
	c.vals[v].form = formNone
	c.at, c.now = v, true
	c.setCur(in)
	c.lower[in.Op()](c, v, in)
	c.releaseOperands(in)
	c.at, c.cur, c.now = at, cur, now
}
