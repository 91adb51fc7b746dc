package diff

import (
	"encoding/binary"
	"math/rand/v2"
	"strings"

	"emu/decoder"
)

// RandomCase returns a case of one instruction with random operands: op's fields
// are random except for the offsets of direct branches and literal loads, which
// stay within the code and reach the memory. Loads and stores get a base register
// that faults; Retarget points it at the memory.
func RandomCase(op decoder.Op, r *rand.Rand) Case {
	var i decoder.Inst
	for ok := false; !ok; ok = !unpredictable(i) {
		i = decoder.Decode(reach(op, decoder.RandomWord(op, r.Uint32), r))
	}
	return Case{Words: []uint32{i.Word}, In: randomOperands(i, r)}
}

// randomOperands is a random state that suits the instruction.
func randomOperands(i decoder.Inst, r *rand.Rand) State {
	op := i.Op
	state := RandomState(r)
	in := &state
	switch group := op.Group(); {
	case group == "branch_reg":
		in.X[i.Rn()%31] = CodePage + uint64(r.IntN(512))*4 // before the instruction
	case strings.Contains(group, "comswap") && r.IntN(2) == 0: // what CAS looks for is there
		pattern := in.X[i.Rs()%31]
		in.X[(i.Rs()+1)%31] = pattern
		for n := 0; n < MemSize; n += 8 {
			binary.LittleEndian.PutUint64(in.Mem[n:], pattern)
		}
	case group == "memcms": // copies and sets within the memory
		in.X[i.Rd()%31] = MemBase + 256 + uint64(r.IntN(256))
		in.X[i.Rs()%31] = MemBase + 256 + uint64(r.IntN(256))
		if i.Bit(26) == 0 { // CPYF: what overlaps is UNKNOWN
			in.X[i.Rs()%31] += 256
		}
		in.X[i.Rn()%31] = uint64(r.IntN(250))
	case op == decoder.IRG_64I_dp_2src: // one tag is left at most
		in.X[i.Rm()%31] |= 0xffff &^ (1 << r.IntN(16))
	case group == "ldst_regoff":
		in.X[i.Rm()%31] = uint64(int64(r.IntN(256) - 128))
		if i.Bits(14, 13) == 2 { // UXTW and SXTW ignore the upper half
			in.X[i.Rm()%31] ^= uint64(r.Uint32()) << 32
		}
	}
	if isMemory(op) {
		setBase(in, i, 0x3_0000_0000)
	}
	return state
}

// isMemory reports whether the instruction accesses memory through Rn.
func isMemory(op decoder.Op) bool {
	for _, p := range []string{"ldst", "memop", "comswap", "rcwcomswap", "ldapstl", "ldiapp", "asisdls"} {
		if strings.HasPrefix(op.Group(), p) {
			return true
		}
	}
	return isContiguous(op)
}

// AccessesMemory reports whether the instruction loads or stores.
func AccessesMemory(op decoder.Op) bool {
	return isMemory(op) || isGather(op) || op.Group() == "memcms" || op.Group() == "loadlit"
}

func base(s *State, i decoder.Inst) uint64 {
	if i.Rn() == 31 {
		return s.SP
	}
	return s.X[i.Rn()]
}

func setBase(s *State, i decoder.Inst, v uint64) {
	if i.Rn() == 31 {
		s.SP = v
		return
	}
	s.X[i.Rn()] = v
}

// Retarget changes the base registers of the cases whose single instruction
// faulted so that its address lies in the memory, mostly aligned. results are
// those of the cases as they are.
func Retarget(cases []Case, results []State, r *rand.Rand) {
	for n := range cases {
		c := &cases[n]
		i := decoder.Decode(c.Words[0])
		if results[n].Sig != 11 || !isMemory(i.Op) {
			continue
		}
		target := MemBase + 256 + uint64(r.IntN(32))*16
		// qemu 7.2 does not check the alignment of LDAPR, as the Arm ARM asks.
		if !strings.HasPrefix(i.Op.String(), "LDAPR") && r.IntN(4) == 0 {
			target += uint64(r.IntN(16))
		}
		if isContiguous(i.Op) && (r.IntN(4) == 0 || i.Op.Group() == "mem_cldff_ss" && r.IntN(2) == 0) {
			target = atEnd(r)
		}
		to := base(&c.In, i) + target - results[n].Addr
		if i.Rn() == 31 { // qemu does not check the alignment of SP
			to &^= 15
		}
		setBase(&c.In, i, to)
	}
}

// reach replaces the offset of a direct branch or literal load by one that reaches
// the code page or the memory.
func reach(op decoder.Op, w uint32, r *rand.Rand) uint32 {
	words := uint32(1 + r.IntN(450)) // stays within the page, and is not a loop
	if r.IntN(2) == 0 {
		words = -words
	}
	set := func(hi, lo uint, v uint32) uint32 {
		mask := uint32(1)<<(hi-lo+1) - 1
		return w&^(mask<<lo) | v&mask<<lo
	}
	switch op.Group() {
	case "branch_imm":
		return set(25, 0, words)
	case "condbranch", "compbranch":
		return set(23, 5, words)
	case "testbranch":
		return set(18, 5, words)
	case "loadlit":
		from := int64(CodeStart)
		return set(23, 5, uint32((MemBase+int64(r.IntN(200))*4-from)/4))
	}
	return w
}

// unpredictable reports the CONSTRAINED UNPREDICTABLE overlaps of registers, about
// which implementations differ, and what is random.
func unpredictable(i decoder.Inst) bool {
	group := i.Op.Group()
	load := i.Bit(22) == 1
	general := i.Op.Class() == decoder.ClassGeneral
	switch {
	case group == "ldst_immpre" || group == "ldst_immpost":
		return general && i.Rn() == i.Rt() && i.Rn() != 31
	case strings.HasPrefix(group, "ldstpair") || group == "ldstnapair_offs":
		writeback := i.Bit(23) == 1 && group != "ldstnapair_offs"
		return load && i.Rt() == i.Rt2() ||
			general && writeback && i.Rn() != 31 && (i.Rn() == i.Rt() || i.Rn() == i.Rt2())
	case group == "ldstexclr" && !load:
		return i.Rs() == i.Rt() || i.Rs() == i.Rn() && i.Rn() != 31
	case group == "ldstexclp":
		if load {
			return i.Rt() == i.Rt2()
		}
		return i.Rs() == i.Rt() || i.Rs() == i.Rt2() || i.Rs() == i.Rn() && i.Rn() != 31
	case group == "memop_128":
		return i.Rt() == i.Rm()
	case i.Op == decoder.IRG_64I_dp_2src:
		return i.Rm() == 31 // no tag is excluded: the result is random
	case group == "comswappr":
		return i.Rs() == 30 || i.Rt() == 30 // the pair would end in the zero register
	}
	return false
}
