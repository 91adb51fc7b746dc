package tier0

import (
	"emu/cpu"
	"emu/decoder"
)

// Loads and stores of general registers. Bits 31:30 are the size, bits 23:22 opc.
var memoryRules = []rule{
	{decoder.ClassGeneral, "ldst_pos", ldstPos, false},
	{decoder.ClassGeneral, "ldst_unscaled", ldstUnscaled, false},
	{decoder.ClassGeneral, "ldst_immpre", ldstIndexed, false},
	{decoder.ClassGeneral, "ldst_immpost", ldstIndexed, false},
	{decoder.ClassGeneral, "ldst_regoff", ldstRegoff, false},
	{decoder.ClassGeneral, "loadlit", loadLiteral, false},
	{decoder.ClassGeneral, "ldstpair_off", ldstPair, false},
	{decoder.ClassGeneral, "ldstpair_pre", ldstPair, false},
	{decoder.ClassGeneral, "ldstpair_post", ldstPair, false},
	{decoder.ClassGeneral, "ldstnapair_offs", ldstPair, false},
}

// LDR*, STR* <Rt>, [<Xn|SP>{, #pimm}]
func ldstPos(_ *Machine, s *cpu.State, i decoder.Inst) {
	transfer(s, i, s.X[i.Rn()]+uint64(i.Imm12())<<i.Bits(31, 30))
}

// LDUR*, STUR* <Rt>, [<Xn|SP>{, #simm}]
func ldstUnscaled(_ *Machine, s *cpu.State, i decoder.Inst) {
	transfer(s, i, s.X[i.Rn()]+uint64(i.Imm9()))
}

// LDR*, STR* <Rt>, [<Xn|SP>, #simm]!; LDR*, STR* <Rt>, [<Xn|SP>], #simm. Where the
// base is also the register transferred, a load leaves the new base, as translated
// code does.
func ldstIndexed(_ *Machine, s *cpu.State, i decoder.Inst) {
	base, at := indexed(s, i, i.Imm9(), i.Bit(11) == 1)
	transfer(s, i, at)
	s.X[i.Rn()] = base
}

// indexed is the base after an access that changes it by off, and its address.
func indexed(s *cpu.State, i decoder.Inst, off int64, pre bool) (base, at uint64) {
	at = s.X[i.Rn()]
	base = at + uint64(off)
	if pre {
		at = base
	}
	return base, at
}

// LDR*, STR* <Rt>, [<Xn|SP>, <Rm>{, extend {#amount}}]
func ldstRegoff(_ *Machine, s *cpu.State, i decoder.Inst) {
	transfer(s, i, regoff(s, i, i.Bits(31, 30)))
}

// regoff is the address of the forms with a register offset, for an access of
// 1 << size bytes.
func regoff(s *cpu.State, i decoder.Inst, size uint32) uint64 {
	return s.X[i.Rn()] + extend(x(s, i.Rm()), i.Bits(15, 13))<<(i.Bit(12)*size)
}

// transfer loads or stores Rt as size and opc say: opc 0 stores, 1 loads and
// zero-extends, 2 and 3 sign-extend to 64 and 32 bits. Prefetches, which are of size 3
// and opc 2, do nothing.
func transfer(s *cpu.State, i decoder.Inst, addr uint64) {
	size, opc := i.Bits(31, 30), i.Bits(23, 22)
	if opc == 0 {
		store(addr, size, x(s, i.Rt()))
		return
	}
	if size == 3 && opc == 2 {
		return
	}
	v := load(addr, size)
	if opc >= 2 {
		unused := 64 - 8<<size
		v = uint64(int64(v<<unused) >> unused)
		if opc == 3 {
			v = uint64(uint32(v))
		}
	}
	setX(s, i.Rt(), v)
}

// LDR <Rt>, <label>; LDRSW <Xt>, <label>; PRFM <prfop>, <label>
func loadLiteral(m *Machine, s *cpu.State, i decoder.Inst) {
	addr := m.pc + uint64(i.Imm19())
	switch i.Bits(31, 30) {
	case 0:
		setX(s, i.Rt(), load(addr, 2))
	case 1:
		setX(s, i.Rt(), load(addr, 3))
	case 2:
		setX(s, i.Rt(), uint64(int32(load(addr, 2))))
	}
}

// LDP, STP, LDPSW, LDNP, STNP <Rt>, <Rt2>, [<Xn|SP>{, #imm}]{!}; [<Xn|SP>], #imm. Pairs
// are one access, but for LDPSW: FEAT_LSE2 makes them single-copy atomic within 16
// aligned bytes.
func ldstPair(_ *Machine, s *cpu.State, i decoder.Inst) {
	size := 2 + i.Bit(31)
	index := i.Bits(24, 23) // 0 no allocate, 1 post-index, 2 offset, 3 pre-index
	base, at := indexed(s, i, i.Imm7()<<size, index != 1)
	t, t2 := i.Rt(), i.Rt2()
	switch {
	case i.Bit(22) == 0 && size == 3:
		storePair(at, x(s, t), x(s, t2))
	case i.Bit(22) == 0:
		store(at, 3, uint64(uint32(x(s, t)))|x(s, t2)<<32)
	case i.Bit(30) == 1: // LDPSW
		v, w := load(at, 2), load(at+4, 2)
		setX(s, t, uint64(int32(v)))
		setX(s, t2, uint64(int32(w)))
	case size == 3:
		v, w := loadPair(at)
		setX(s, t, v)
		setX(s, t2, w)
	default:
		v := load(at, 3)
		setX(s, t, uint64(uint32(v)))
		setX(s, t2, v>>32)
	}
	if index&1 == 1 {
		s.X[i.Rn()] = base
	}
}
