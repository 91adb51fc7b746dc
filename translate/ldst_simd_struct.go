package translate

import (
	"emu/decoder"
	"emu/ir"
)

// Advanced SIMD load and store structures: LD1 to LD4 and ST1 to ST4 of multiple
// structures, of a single structure to one lane, and to all lanes (LD1R ...).
// Bit 23 selects post-indexing by Rm, or by the size transferred for Rm = 31.
var ldstStructureGroups = []groupRule{
	{decoder.ClassAdvsimd, "asisdlse", multipleStructures, false},
	{decoder.ClassAdvsimd, "asisdlsep", multipleStructures, false},
	{decoder.ClassAdvsimd, "asisdlso", singleStructure, false},
	{decoder.ClassAdvsimd, "asisdlsop", singleStructure, false},
}

// vregs reads n registers from Rt on; numbers wrap around after 31.
func (t *Translator) vregs(i decoder.Inst, ty ir.Type, n int) (v [4]ir.Value) {
	for k := range n {
		v[k] = t.V((i.Rt()+uint32(k))&31, ty)
	}
	return v
}

// setVregs writes n registers from Rt on.
func (t *Translator) setVregs(i decoder.Inst, v [4]ir.Value, n int) {
	for k := range n {
		t.SetV((i.Rt()+uint32(k))&31, v[k])
	}
}

// postIndex writes back the base of the post-index forms.
func (t *Translator) postIndex(i decoder.Inst, base ir.Value, bytes int) {
	switch {
	case i.Bit(23) == 0:
	case i.Rm() == 31:
		t.SetXSP(i.Rn(), t.AddI(base, uint64(bytes)))
	default:
		t.SetXSP(i.Rn(), t.Add(base, t.X(i.Rm())))
	}
}

// multipleStructures is LD1 to LD4 and ST1 to ST4 { <Vt>.<T>, ... }, [<Xn|SP>]
// and the post-index forms. LD1 and ST1 with up to four registers do not
// interleave.
func multipleStructures(t *Translator, i decoder.Inst) {
	ty := intVec(i.Bits(11, 10))
	regs, interleave := structureShape(i.Bits(15, 12))
	s := structures{Translator: t, ty: ty, base: t.XSP(i.Rn()), bytes: 8, regs: regs}
	if quad(i) {
		s.bytes = 16
	}
	t.accessAll(address{s.base, ir.Imm(0)}, regs*s.bytes, i.Bit(22) == 0)
	if i.Bit(22) == 1 {
		t.setVregs(i, s.load(interleave), regs)
	} else {
		s.store(t.vregs(i, ty, regs), interleave)
	}
	t.postIndex(i, s.base, regs*s.bytes)
}

// structureShape decodes the opcode field: how many registers, and whether the
// memory holds structures of that many elements.
func structureShape(opcode uint32) (regs int, interleave bool) {
	switch opcode {
	case 0b0000:
		return 4, true
	case 0b0010:
		return 4, false
	case 0b0100:
		return 3, true
	case 0b0110:
		return 3, false
	case 0b1000:
		return 2, true
	case 0b1010:
		return 2, false
	}
	return 1, false
}

// structures is one transfer of regs registers of 8 or 16 bytes.
type structures struct {
	*Translator
	ty    ir.Type
	base  ir.Value
	bytes int
	regs  int
	some  *someStructures // that are transferred, nil for all
}

// chunk loads up to 16 bytes at an offset, zero-extended to a vector.
func (s *structures) chunk(off, bytes int) ir.Value {
	if bytes < 16 {
		return s.Bitcast(s.ty, s.VFrom(s.Load(ir.F64, s.base, ir.Imm(off))))
	}
	return s.Load(s.ty, s.base, ir.Imm(off))
}

// put stores the low 8 or all 16 bytes of a vector.
func (s *structures) put(v ir.Value, off, bytes int) {
	if s.some != nil {
		s.some.pieces[off/16] = s.Bitcast(s.ty, v)
		return
	}
	if bytes < 16 {
		v = s.VGet(s.Bitcast(ir.V2F64, v), 0)
	}
	s.Store(v, s.base, ir.Imm(off))
}

// chunks loads all of the memory in pieces of 16 bytes and at most one of 8.
func (s *structures) chunks() (v [4]ir.Value) {
	if s.some != nil {
		return s.loadSome()
	}
	total := s.regs * s.bytes
	for off := 0; off < total; off += 16 {
		v[off/16] = s.chunk(off, min(16, total-off))
	}
	return v
}

func (s *structures) load(interleave bool) (v [4]ir.Value) {
	switch {
	case !interleave:
		for k := range s.regs {
			v[k] = s.chunk(k*s.bytes, s.bytes)
		}
		return v
	case s.regs == 2:
		return s.load2()
	case s.regs == 3 && s.ty == ir.V2I64:
		return s.load3Doubles()
	case s.regs == 3:
		return s.load3()
	}
	return s.load4()
}

func (s *structures) store(v [4]ir.Value, interleave bool) {
	switch {
	case !interleave:
		for k := range s.regs {
			s.put(v[k], k*s.bytes, s.bytes)
		}
	case s.regs == 2:
		s.store2(v)
	case s.regs == 3 && s.ty == ir.V2I64:
		s.store3Doubles(v)
	case s.regs == 3:
		s.store3(v)
	default:
		s.store4(v)
	}
}

func (s *structures) split(a, b ir.Value) (even, odd ir.Value) {
	return s.op2(ir.OpUzp1, s.ty, a, b), s.op2(ir.OpUzp2, s.ty, a, b)
}

func (s *structures) join(a, b ir.Value) (low, high ir.Value) {
	return s.op2(ir.OpZip1, s.ty, a, b), s.op2(ir.OpZip2, s.ty, a, b)
}

func (s *structures) load2() (v [4]ir.Value) {
	m := s.chunks()
	if s.bytes == 8 {
		m[1] = s.zero(s.ty)
	}
	v[0], v[1] = s.split(m[0], m[1])
	return v
}

func (s *structures) store2(v [4]ir.Value) {
	low, high := s.join(v[0], v[1])
	s.put(low, 0, 16)
	if s.bytes == 16 {
		s.put(high, 16, 16)
	}
}

// load4 splits twice: into elements 0 and 2 of the structures and elements 1 and
// 3, then each of them.
func (s *structures) load4() (v [4]ir.Value) {
	m := s.chunks()
	even, odd := s.split(m[0], m[1])
	even2, odd2 := s.zero(s.ty), s.zero(s.ty)
	if s.bytes == 16 {
		even2, odd2 = s.split(m[2], m[3])
	}
	v[0], v[2] = s.split(even, even2)
	v[1], v[3] = s.split(odd, odd2)
	return v
}

// store4 is the reverse. Of 8-byte registers the lower halves give all.
func (s *structures) store4(v [4]ir.Value) {
	even, even2 := s.join(v[0], v[2])
	odd, odd2 := s.join(v[1], v[3])
	var m [4]ir.Value
	m[0], m[1] = s.join(even, odd)
	if s.bytes == 16 {
		m[2], m[3] = s.join(even2, odd2)
	}
	for off := 0; off < 4*s.bytes; off += 16 {
		s.put(m[off/16], off, 16)
	}
}

// singleStructure is LD1 to LD4 and ST1 to ST4 { <Vt>.<Ts>, ... }[<index>],
// [<Xn|SP>], LD1R to LD4R { <Vt>.<T>, ... }, [<Xn|SP>], the post-index forms, and
// LDAP1 and STL1 { <Vt>.D }[<index>], [<Xn|SP>].
func singleStructure(t *Translator, i decoder.Inst) {
	regs := int(i.Bit(13)<<1|i.Bit(21)) + 1
	ty, lane, all := laneShape(i)
	elem := ty.Lane()
	base := t.XSP(i.Rn())
	ordered := i.Bit(23) == 0 && i.Bit(16) == 1
	if ordered {
		t.checkAlign(base, elem.Bytes())
	}
	t.accessAll(address{base, ir.Imm(0)}, regs*elem.Bytes(), i.Bit(22) == 0)
	var v [4]ir.Value
	for k := range regs {
		a := address{base, ir.Imm(k * elem.Bytes())}
		switch reg := (i.Rt() + uint32(k)) & 31; {
		case i.Bit(22) == 0 && ordered:
			t.storeReleaseSIMD(t.VGet(t.V(reg, ty), lane), a)
		case i.Bit(22) == 0:
			t.Store(t.VGet(t.V(reg, ty), lane), a.base, a.off)
		case ordered:
			v[k] = t.loadAcquireSIMD(elem, a)
		default:
			v[k] = t.Load(elem, a.base, a.off)
		}
	}
	if i.Bit(22) == 1 {
		for k := range regs {
			reg := (i.Rt() + uint32(k)) & 31
			if all {
				t.SetV(reg, t.lowIf(i, t.VDup(v[k])))
			} else {
				t.SetV(reg, t.op3(ir.OpVSet, ty, t.V(reg, ty), v[k], ir.Imm(lane)))
			}
		}
	}
	t.postIndex(i, base, regs*elem.Bytes())
}

// laneShape decodes the vector type and the lane of a single structure; all is
// true for the forms that load to all lanes. Words and doublewords are floats,
// which stay out of the host's general registers.
func laneShape(i decoder.Inst) (ty ir.Type, lane int, all bool) {
	index := i.Bit(30)<<3 | i.Bits(12, 10) // Q:S:size
	switch i.Bits(15, 14) {
	case 0:
		return ir.V16I8, int(index), false
	case 1:
		return ir.V8I16, int(index >> 1), false
	case 2:
		if i.Bit(10) == 1 {
			return ir.V2F64, int(index >> 3), false
		}
		return ir.V4F32, int(index >> 2), false
	}
	return [...]ir.Type{ir.V16I8, ir.V8I16, ir.V4F32, ir.V2F64}[i.Bits(11, 10)], 0, true
}
