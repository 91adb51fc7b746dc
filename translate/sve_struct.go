package translate

import (
	"emu/decoder"
	"emu/ir"
)

// SVE loads and stores of structures: LD2 to LD4 and ST2 to ST4, of which a predicate says
// which structures are accessed. Bits 22:21 are one less than how many registers there are.
var sveStructures = []groupRule{
	{decoder.ClassSVE, "mem_eld_ss", loadStructures, false},
	{decoder.ClassSVE, "mem_eld_si", loadStructures, false},
	{decoder.ClassSVE, "mem_est_ss", storeStructures, false},
	{decoder.ClassSVE, "mem_est_si", storeStructures, false},
}

// someStructures says which structures an instruction transfers: mostly all. The pieces are
// those of memory, with 16 bytes, that it stores.
type someStructures struct {
	active ir.Value // a predicate of elements
	pieces [4]ir.Value
}

// transferOf is what an instruction transfers.
func (t *Translator) transferOf(i decoder.Inst, write bool) structures {
	size, regs := msz(i), int(i.Bits(22, 21))+1
	s := structures{Translator: t, ty: intVec(size), base: t.sum(t.contiguous(i, size, 16*regs)), bytes: 16, regs: regs}
	p := t.P(pg(i))
	if t.isAllTrue(p, size) {
		t.accessAll(address{s.base, ir.Imm(0)}, 16*regs, write)
		return s
	}
	s.some = &someStructures{active: p}
	if t.tags >= tagsChecked { // all of them before the first access
		for piece, bytes := range s.activeBytes() {
			t.accessElements(s.at(piece), bytes, 16, 1<<size, write)
		}
		t.unchecked = true
	}
	return s
}

// at is the address of a piece of memory.
func (s *structures) at(piece int) ir.Value { return s.AddI(s.base, uint64(16*piece)) }

// activeBytes are the bytes in the pieces of memory of the structures that are transferred.
func (s *structures) activeBytes() []ir.Value {
	lanes := s.Bitcast(ir.V16I8, s.op1(ir.OpLaneMask, s.ty, s.some.active))
	bytes := make([]ir.Value, s.regs)
	for piece := range bytes {
		bytes[piece] = s.TopBits(s.op2(ir.OpTbl, ir.V16I8, lanes, s.structureIndex(piece)))
	}
	return bytes
}

// loadSome loads the pieces of memory with zeros for what is not transferred.
func (s *structures) loadSome() (m [4]ir.Value) {
	s.If(s.areActive(s.some.active, sizeOf(s.ty)))
	for piece := range s.regs {
		m[piece] = s.Load(s.ty, s.base, ir.Imm(16*piece))
	}
	s.Yield(m[:s.regs]...)
	s.Else()
	for piece, bytes := range s.activeBytes() {
		m[piece] = s.LoadP(s.ty, s.at(piece), bytes, 16)
	}
	s.Yield(m[:s.regs]...)
	first := s.End()
	for piece := range s.regs {
		m[piece] = first + ir.Value(piece)
	}
	return m
}

// storeSome stores the pieces of memory.
func (s *structures) storeSome() {
	s.If(s.areActive(s.some.active, sizeOf(s.ty)))
	for piece := range s.regs {
		s.Store(s.some.pieces[piece], s.base, ir.Imm(16*piece))
	}
	s.Else()
	for piece, bytes := range s.activeBytes() {
		s.StoreP(s.some.pieces[piece], s.at(piece), bytes)
	}
	s.End()
}

// structureIndex has for each byte of a piece of memory a byte of the element of a register
// that has the number of the structure there.
func (s *structures) structureIndex(piece int) ir.Value {
	size := s.ty.Lane().Bytes()
	var b [16]byte
	for p := range b {
		b[p] = byte((16*piece + p) / size / s.regs * size)
	}
	return s.bytesConst(b)
}

// LD2B and its kind { <Zt1>.<T>, ... }, <Pg>/Z, [<Xn|SP>{, #imm, MUL VL}]; [<Xn|SP>, <Xm>{, LSL #amount}]
func loadStructures(t *Translator, i decoder.Inst) {
	s := t.transferOf(i, false)
	t.setVregs(i, s.load(true), s.regs)
}

// ST2B and its kind { <Zt1>.<T>, ... }, <Pg>, [<Xn|SP>{, #imm, MUL VL}]; [<Xn|SP>, <Xm>{, LSL #amount}]
func storeStructures(t *Translator, i decoder.Inst) {
	s := t.transferOf(i, true)
	s.store(t.vregs(i, s.ty, s.regs), true)
	if s.some != nil {
		s.storeSome()
	}
}
