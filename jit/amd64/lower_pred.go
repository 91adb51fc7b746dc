package amd64

import (
	"math"

	"emu/ir"
	"emu/jit/asm/x64"
	"emu/jit/host"
)

// Predicated accesses. Mostly all bytes are wanted, as in all iterations of a loop but the
// last: the hot code looks, and is a plain access then. The cold code goes through the
// elements, by instructions between memory and a lane, which need no register: each touches
// the bytes of its element alone, and a fault has the element's address.
//
// With AVX-512 the cold code is one access under a mask, and loads do nothing else: they are
// nearly as fast. Stores do, as loads that find them in the store buffer wait twice as long (on Zen 5,
// 10 cycles instead of 5). What the host leaves out does not fault. When something else does it is
// free to name any address of the access, so the engine finds out (host.GuestElements).

func lowerLoadP(c *compiler, v ir.Value, in ir.Inst) {
	n := int(c.f.ImmOf(in.C()))
	if c.isAll(in.B(), n) {
		m := c.pointer(in.A())
		d := c.defX(v)
		c.zero(v, uint8(8*n))
		c.loadAll(d, m, n)
		return
	}
	if c.evex() {
		bytes := c.useR(in.B())
		m := c.pointer(in.A())
		d := c.defX(v)
		c.zero(v, uint8(8*n))
		c.byteMask(bytes, n)
		c.mayFaultAt(c.pc, c.elementsRecipe())
		c.b.XM(x64.VMOVDQU8.MaskZ(x64.K1), d, m)
		return
	}
	c.clobber()
	bytes := c.useR(in.B())
	m := c.pointerToAll(in.A())
	d := c.defX(v)
	c.zero(v, uint8(8*n))
	p := c.unlessAll(bytes, n)
	p.emit, p.t, p.m, p.x[0] = emitLoadP, c.f.TypeOf(v), m, d
	c.loadAll(d, m, n)
	c.b.Bind(p.back)
}

func lowerStoreP(c *compiler, v ir.Value, in ir.Inst) {
	const n = 16
	all := c.isAll(in.C(), n)
	if !all {
		c.clobber()
	}
	x := c.useX(in.A())
	if all {
		m := c.pointer(in.B())
		c.mayFault()
		c.storeX(m, x, ir.V2I64)
		return
	}
	bytes := c.useR(in.C())
	m := c.pointerToAll(in.B())
	p := c.unlessAll(bytes, n)
	p.emit, p.t, p.m, p.x[0] = emitStoreP, c.f.TypeOf(in.A()), m, x
	c.mayFault()
	c.storeX(m, x, ir.V2I64)
	c.b.Bind(p.back)
}

// pointerToAll is pointer of which the displacement may be added to.
func (c *compiler) pointerToAll(a ir.Value) x64.Mem {
	m := c.pointer(a)
	if m.Disp > math.MaxInt32-16 {
		t := c.tempR()
		c.b.RM(x64.LEAQ, t, m)
		m = x64.At(t, 0)
	}
	return m
}

// isAll reports whether bytes is a constant with its low n bits set.
func (c *compiler) isAll(bytes ir.Value, n int) bool {
	k, ok := c.constI(bytes)
	return ok && ^k<<(64-n) == 0
}

// unlessAll branches to cold code unless the low n bits of bytes are set. What it does has
// the same recipe as an access that comes next.
func (c *compiler) unlessAll(bytes x64.Reg, n int) *coldCode {
	switch n {
	case 8:
		c.b.RI(x64.CMPB, bytes, -1)
	case 16:
		c.b.RI(x64.CMPW, bytes, -1)
	default:
		t := c.tempR()
		c.b.RR(x64.MOVL, t, bytes)
		c.b.RI(x64.ORL, t, -1<<n)
		c.b.RI(x64.CMPL, t, -1)
	}
	p := c.newCold(coldSlow)
	p.pc, p.reg, p.size = c.pc, bytes, n
	if c.evex() {
		p.recipe = c.elementsRecipe()
	} else {
		c.writeRecipe()
		p.recipe = c.recipe
	}
	c.b.JccNear(x64.NE, p.from)
	return p
}

// byteMask moves the low n bits of bytes to K1.
func (c *compiler) byteMask(bytes x64.Reg, n int) {
	if n == 16 {
		c.b.KR(x64.KMOVWR, x64.K1, bytes)
		return
	}
	c.b.KR(x64.KMOVBR, x64.K1, bytes)
	if n < 8 {
		c.b.KKI(x64.KSHIFTLB, x64.K1, x64.K1, uint8(8-n))
		c.b.KKI(x64.KSHIFTRB, x64.K1, x64.K1, uint8(8-n))
	}
}

// elementsRecipe writes the recipe of an access under a mask.
func (c *compiler) elementsRecipe() uint32 {
	at := uint32(len(c.code.Map.Recipes))
	c.code.Map.Mark(host.GuestElements)
	c.recipeStale = true // the rest is a recipe of its own
	c.writeRecipe()
	return at
}

// loadAll loads n bytes.
func (c *compiler) loadAll(d x64.Xmm, m x64.Mem, n int) {
	if n <= 2 {
		c.vzero(d)
	}
	c.mayFault()
	switch n {
	case 1:
		c.v3is(x64.PINSRB, d, d, inMem(m), 0)
	case 2:
		c.v3is(x64.PINSRW, d, d, inMem(m), 0)
	case 4:
		c.loadX(d, m, ir.F32)
	case 8:
		c.loadX(d, m, ir.F64)
	default:
		c.loadX(d, m, ir.V2I64)
	}
}

func emitLoadP(c *compiler, p *coldCode) {
	d := p.x[0]
	op := [4]x64.Op{x64.PINSRB, x64.PINSRW, x64.PINSRD, x64.PINSRQ}[laneIndex(p.t)]
	c.vzero(d)
	c.eachElement(p, func(m x64.Mem, lane uint8) { c.v3is(op, d, d, inMem(m), lane) })
}

func emitStoreP(c *compiler, p *coldCode) {
	if c.evex() {
		c.byteMask(p.reg, p.size)
		c.mayFaultAt(p.pc, p.recipe)
		c.b.MX(x64.VMOVDQU8.Mask(x64.K1), p.m, p.x[0])
		c.b.JmpNear(p.back)
		return
	}
	op := [4]x64.Op{x64.PEXTRB, x64.PEXTRW, x64.PEXTRD, x64.PEXTRQ}[laneIndex(p.t)]
	if c.avx() {
		op = vexOf(op)
	}
	c.eachElement(p, func(m x64.Mem, lane uint8) { c.b.MXI(op, m, p.x[0], lane) })
}

// eachElement emits an access of each element whose bit is set: one instruction.
func (c *compiler) eachElement(p *coldCode, access func(m x64.Mem, lane uint8)) {
	size := p.t.Lane().Bytes()
	for off := 0; off < p.size; off += size {
		skip := c.b.NewLabel()
		c.b.RI(x64.BTL, p.reg, int32(off))
		c.b.JccShort(x64.AE, skip)
		c.mayFaultAt(p.pc, p.recipe)
		access(p.m.Add(int32(off)), uint8(off/size))
		c.b.Bind(skip)
	}
	c.b.JmpNear(p.back)
}
