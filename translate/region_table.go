package translate

import (
	"slices"

	"emu/decoder"
)

// Tables of switches. All cases of a switch can be read from its table: of distances, which are added to a place in the
// code (GCC, clang), or of addresses (Go). Where it lies is mostly known from an ADRP and ADD, or ADR, that stand in
// front of the loop around the switch, and so may be far away: what sets the register last in the order of addresses
// is believed if the targets that were noted are all in the table. A wrong one costs time, as other guesses do.

const (
	maxTableEntries = 256
	// maxSetDistance is how many instructions in front of a switch are looked through for what sets a register.
	maxSetDistance = 1024
)

// switchCode is how a compiler's switch finds out where to go.
type switchCode struct {
	load   decoder.Inst // from the table
	loadPC uint64
	add    decoder.Inst // makes an address of a distance; the zero value if the table has addresses
	addPC  uint64
}

// table reads the targets of the switch s at pc in the order of its table.
func (r *region) table(pc uint64, s *switchCode) (list []uint64) {
	n := r.entries(pc)
	at, ok := r.valueOf(s.load.Rn(), s.loadPC)
	if n == 0 || !ok || r.profile.Load == nil {
		return nil
	}
	base := uint64(0)
	if s.add.Op != 0 {
		if base, ok = r.valueOf(s.base(), s.addPC); !ok {
			return nil
		}
	}
	size := 1 << s.load.Bits(31, 30)
	for ; n > 0; n-- {
		v, ok := r.profile.Load(at, size)
		to := s.target(base, v)
		if !ok || to&3 != 0 {
			return nil
		}
		if at += uint64(size); !slices.Contains(list, to) {
			list = append(list, to)
		}
	}
	return list
}

// base is the register that a distance is added to.
func (s *switchCode) base() uint32 {
	if s.add.Rm() == s.load.Rt() {
		return s.add.Rn()
	}
	return s.add.Rm()
}

// target is where the table's entry v leads.
func (s *switchCode) target(base, v uint64) uint64 {
	if opc := s.load.Bits(23, 22); opc != 1 { // LDRS
		v = uint64(decoder.SignExtend(uint32(v), 8<<s.load.Bits(31, 30)))
		if opc == 3 {
			v = uint64(uint32(v))
		}
	}
	switch {
	case s.add.Op == 0:
		return v
	case s.add.Rm() == s.load.Rt():
		return base + s.operand(v)
	}
	return v + s.operand(base)
}

// operand is what the ADD makes of the value x of its second register.
func (s *switchCode) operand(x uint64) uint64 {
	if s.add.Op == decoder.ADD_64_addsub_shift {
		return x << s.add.Bits(15, 10)
	}
	size := 8 << s.add.Bits(14, 13)
	if size < 64 {
		x &= 1<<size - 1
		if s.add.Bit(15) == 1 {
			x = uint64(int64(x<<(64-size)) >> (64 - size))
		}
	}
	return x << s.add.Bits(12, 10)
}

// entries is how many entries the table of the switch at pc has: its index was compared with the last one. It is 0 if
// that is not known.
func (r *region) entries(pc uint64) int {
	for k := uint64(1); k <= switchInsts; k++ {
		i := r.instAt(pc - 4*k)
		if (i.Op == decoder.SUBS_64S_addsub_imm || i.Op == decoder.SUBS_32S_addsub_imm) && i.Rd() == 31 {
			if n := i.Bits(21, 10) + 1; i.Bit(22) == 0 && n <= maxTableEntries {
				return int(n)
			}
			return 0
		}
	}
	return 0
}

// valueOf is the address that X[n] has at pc, if the last instruction in front of it that may have
// set that is an ADR, or an ADD to what an ADRP has set.
func (r *region) valueOf(n uint32, pc uint64) (v uint64, ok bool) {
	off := uint64(0) // of the ADD
	for range maxSetDistance {
		pc -= 4
		word, ok := r.fetch(pc)
		if !ok {
			return 0, false
		}
		if word&31 != n { // Rd
			continue
		}
		switch i := decoder.Decode(word); {
		case i.Op == decoder.ADR_only_pcreladdr && off == 0:
			return i.AdrTarget(pc), true
		case i.Op == decoder.ADRP_only_pcreladdr:
			return i.AdrTarget(pc) + off, true
		case i.Op == decoder.ADD_64_addsub_imm && i.Bit(22) == 0 && off == 0:
			n, off = i.Rn(), uint64(i.Bits(21, 10))
		}
	}
	return 0, false
}

// instAt is the instruction at pc, the zero value if there is none.
func (r *region) instAt(pc uint64) decoder.Inst {
	word, ok := r.fetch(pc)
	if !ok {
		return decoder.Inst{}
	}
	return decoder.Decode(word)
}
