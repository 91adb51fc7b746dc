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

// activeStructures is the transfer of an instruction.
func (t *Translator) activeStructures(i decoder.Inst, write bool) structures {
	size, regs := msz(i), int(i.Bits(22, 21))+1
	ty := intVec(size)
	s := structures{Translator: t, ty: ty, base: t.sum(t.contiguous(i, size, 16*regs)), bytes: 16, regs: regs}
	p := t.P(pg(i))
	if t.isAllTrue(p, size) {
		t.accessAll(address{s.base, ir.Imm(0)}, 16*regs, write)
		return s
	}
	s.predicated = true
	lanes := t.Bitcast(ir.V16I8, t.op1(ir.OpLaneMask, ty, p))
	for chunk := range regs {
		s.active[chunk] = t.TopBits(t.op2(ir.OpTbl, ir.V16I8, lanes, s.structureIndex(chunk)))
	}
	if t.tags >= tagsChecked { // all of them before the first access
		for chunk := range regs {
			t.accessElements(t.AddI(s.base, uint64(16*chunk)), s.active[chunk], 16, 1<<size, write)
		}
		t.unchecked = true
	}
	return s
}

// structureIndex has for each byte of a chunk of memory a byte of the element of a register
// that has the number of the structure there.
func (s *structures) structureIndex(chunk int) ir.Value {
	size := s.ty.Lane().Bytes()
	var b [16]byte
	for p := range b {
		b[p] = byte((16*chunk + p) / size / s.regs * size)
	}
	return s.bytesConst(b)
}

// LD2B and its kind { <Zt1>.<T>, ... }, <Pg>/Z, [<Xn|SP>{, #imm, MUL VL}]; [<Xn|SP>, <Xm>{, LSL #amount}]
func loadStructures(t *Translator, i decoder.Inst) {
	s := t.activeStructures(i, false)
	t.setVregs(i, s.load(true), s.regs)
}

// ST2B and its kind { <Zt1>.<T>, ... }, <Pg>, [<Xn|SP>{, #imm, MUL VL}]; [<Xn|SP>, <Xm>{, LSL #amount}]
func storeStructures(t *Translator, i decoder.Inst) {
	s := t.activeStructures(i, true)
	s.store(t.vregs(i, s.ty, s.regs), true)
}
