package tier0

import (
	"emu/cpu"
	"emu/decoder"
)

// Loads and stores of SIMD&FP registers: a load clears the rest of the register.
var simdRules = []rule{
	{decoder.ClassFpsimd, "ldst_pos", ldstSIMDPos, false},
	{decoder.ClassFpsimd, "ldst_unscaled", ldstSIMDUnscaled, false},
	{decoder.ClassFpsimd, "ldst_immpre", ldstSIMDIndexed, false},
	{decoder.ClassFpsimd, "ldst_immpost", ldstSIMDIndexed, false},
	{decoder.ClassFpsimd, "ldst_regoff", ldstSIMDRegoff, false},
	{decoder.ClassFpsimd, "loadlit", ldrSIMDLiteral, false},
	{decoder.ClassFpsimd, "ldstpair_off", ldstSIMDPair, false},
	{decoder.ClassFpsimd, "ldstpair_pre", ldstSIMDPair, false},
	{decoder.ClassFpsimd, "ldstpair_post", ldstSIMDPair, false},
	{decoder.ClassFpsimd, "ldstnapair_offs", ldstSIMDPair, false},
}

// simdSize is log2 of the size of a single register in bytes, 0 to 4.
func simdSize(i decoder.Inst) uint32 { return i.Bit(23)<<2 | i.Bits(31, 30) }

func simdTransfer(s *cpu.State, i decoder.Inst, addr uint64) {
	v := &s.V[i.Rt()]
	if i.Bit(22) == 1 {
		*v = loadV(addr, simdSize(i))
		return
	}
	storeV(addr, simdSize(i), *v)
}

func loadV(addr uint64, size uint32) (v [2]uint64) {
	if size == 4 {
		v[0], v[1] = loadPair(addr)
		return v
	}
	v[0] = load(addr, size)
	return v
}

func storeV(addr uint64, size uint32, v [2]uint64) {
	if size == 4 {
		storePair(addr, v[0], v[1])
		return
	}
	store(addr, size, v[0])
}

// LDR, STR <V><t>, [<Xn|SP>{, #pimm}]
func ldstSIMDPos(_ *Machine, s *cpu.State, i decoder.Inst) {
	simdTransfer(s, i, s.X[i.Rn()]+uint64(i.Imm12())<<simdSize(i))
}

// LDUR, STUR <V><t>, [<Xn|SP>{, #simm}]
func ldstSIMDUnscaled(_ *Machine, s *cpu.State, i decoder.Inst) {
	simdTransfer(s, i, s.X[i.Rn()]+uint64(i.Imm9()))
}

// LDR, STR <V><t>, [<Xn|SP>, #simm]!; LDR, STR <V><t>, [<Xn|SP>], #simm
func ldstSIMDIndexed(_ *Machine, s *cpu.State, i decoder.Inst) {
	base, at := indexed(s, i, i.Imm9(), i.Bit(11) == 1)
	simdTransfer(s, i, at)
	s.X[i.Rn()] = base
}

// LDR, STR <V><t>, [<Xn|SP>, <Rm>{, extend {#amount}}]
func ldstSIMDRegoff(_ *Machine, s *cpu.State, i decoder.Inst) {
	simdTransfer(s, i, regoff(s, i, simdSize(i)))
}

// LDR <V><t>, <label>
func ldrSIMDLiteral(m *Machine, s *cpu.State, i decoder.Inst) {
	s.V[i.Rt()] = loadV(m.pc+uint64(i.Imm19()), 2+i.Bits(31, 30))
}

// LDP, STP, LDNP, STNP <V><t>, <V><t2>, [<Xn|SP>{, #imm}]{!}; [<Xn|SP>], #imm
func ldstSIMDPair(_ *Machine, s *cpu.State, i decoder.Inst) {
	size := 2 + i.Bits(31, 30)
	index := i.Bits(24, 23) // 0 no allocate, 1 post-index, 2 offset, 3 pre-index
	base, at := indexed(s, i, i.Imm7()<<size, index != 1)
	second := at + 1<<size
	if i.Bit(22) == 1 {
		v, w := loadV(at, size), loadV(second, size)
		s.V[i.Rt()], s.V[i.Rt2()] = v, w
	} else {
		storeV(at, size, s.V[i.Rt()])
		storeV(second, size, s.V[i.Rt2()])
	}
	if index&1 == 1 {
		s.X[i.Rn()] = base
	}
}
