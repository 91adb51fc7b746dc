package diff

import (
	"math/rand/v2"
	"strings"

	"emu/decoder"
)

// Operands of SVE's loads and stores.

func isSVEAccess(op decoder.Op) bool {
	return strings.HasPrefix(op.Group(), "mem_") && !strings.Contains(op.Group(), "prfm")
}

// isGather reports whether each element that an encoding loads or stores has an address of
// its own.
func isGather(op decoder.Op) bool {
	return isSVEAccess(op) && (strings.Contains(op.Group(), "gld") || strings.Contains(op.Group(), "sst"))
}

// isContiguous reports whether an encoding of SVE accesses memory through Rn alone.
func isContiguous(op decoder.Op) bool { return isSVEAccess(op) && !isGather(op) }

// memSize is log2 of the bytes in memory of an encoding's elements.
func memSize(op decoder.Op) int {
	name, _, _ := strings.Cut(op.String(), "_")
	return strings.Index("BHWD", name[len(name)-1:])
}

// vectorBytes is how many bytes the elements of a vector have in memory.
func vectorBytes(i decoder.Inst) uint64 { return 128 / uint64(i.ElementSize("Zt")) << memSize(i.Op) }

// immediate is the offset of LDNF1, in vectors.
func immediate(i decoder.Inst) uint64 { return uint64(decoder.SignExtend(i.Bits(19, 16), 4)) }

// atEnd is an address near the end of the page of memory.
func atEnd(r *rand.Rand) uint64 { return MemBase + MemPage - 1 - uint64(r.IntN(64)) }

// accessOperands points gathers and scatters at the memory, and LDNF1, which never faults.
// Other accesses get a base register that faults, for Retarget, and an index near zero.
func accessOperands(i decoder.Inst, s *State, r *rand.Rand) {
	group := i.Op.Group()
	switch {
	case isGather(i.Op):
		gatherOperands(i, s, r)
		return
	case !isContiguous(i.Op):
		return
	case strings.HasSuffix(group, "_ss"):
		s.X[i.Rm()%31] = uint64(r.IntN(64) - 32)
	}
	setBase(s, i, 0x3_0000_0000)
	if group != "mem_cldnf_si" || r.IntN(8) == 0 {
		return
	}
	at := MemBase - 16 + uint64(r.IntN(512))
	if r.IntN(2) == 0 {
		at = atEnd(r)
	}
	at -= immediate(i) * vectorBytes(i)
	if i.Rn() == 31 {
		at &^= 15
	}
	setBase(s, i, at)
}

// gatherOperands makes the elements' addresses mostly those of memory, in the same place now
// and then, and otherwise near its end.
func gatherOperands(i decoder.Inst, s *State, r *rand.Rand) {
	syntax := decoder.RowOf(i.Op).Syntax
	size := uint64(4)
	if i.ElementSize("Zt") == 64 {
		size = 8
	}
	msize := memSize(i.Op)
	vector, base, shift := i.Rn(), uint64(0), 0
	switch {
	case strings.Contains(syntax, "[Xn|sp"):
		vector = i.Rm()
		base = MemBase + 16*uint64(r.IntN(16))
		if xs, ok := i.Field("xs"); (!ok || xs == 1) && r.IntN(2) == 0 { // negative offsets
			base += 768
		}
		setBase(s, i, base)
		if strings.Contains(syntax, "#") {
			shift = msize
		}
	case strings.Contains(syntax, "imm5"):
		base = uint64(i.Bits(20, 16)) << msize
	case i.Rm() != 31:
		base = MemBase - uint64(r.IntN(1<<28))
		s.X[i.Rm()] = base
	}
	// How many elements a scatter has stored when it faults is its own business: here none
	// of which a case would tell.
	store, end := strings.Contains(i.Op.Group(), "sst"), r.IntN(10) == 0
	near := r.IntN(4) == 0
	spot := 256 + uint64(r.IntN(512))
	for n := range 16 / size {
		at := 256 + uint64(r.IntN(512))
		if near {
			at = spot + uint64(r.IntN(4))
		}
		if r.IntN(2) == 0 {
			at &^= 1<<msize - 1
		}
		at += MemBase
		if store && end || !store && r.IntN(10) == 0 {
			at = MemBase + MemPage - 12 + uint64(r.IntN(64))
		}
		lane := (at - base) >> shift
		half := &s.V[vector][n*size/8]
		switch {
		case size == 4:
			*half = *half&^(0xffff_ffff<<(n%2*32)) | lane&0xffff_ffff<<(n%2*32)
		case strings.Contains(syntax, "Mod"):
			*half = *half&^0xffff_ffff | lane&0xffff_ffff
		default:
			*half = lane
		}
	}
}

// faultsWrong reports first-fault and non-fault loads that qemu, up to 11 at least, gets
// wrong: it loads zeros where only elements in the upper half of the vector are active, and
// LDNF1 faults where its first active element reaches into a page that is missing. Where
// another one does that it is free to load none, as it does.
func faultsWrong(i decoder.Inst, s *State) bool {
	if g := i.Op.Group(); g != "mem_cldff_ss" && g != "mem_cldnf_si" {
		return false
	}
	p := s.P[i.Pg()]
	active := uint16(0)
	for n := uint(0); n < 16; n += i.ElementSize("Zt") / 8 {
		active |= p & (1 << n)
	}
	if active != 0 && active&0xff == 0 {
		return true
	}
	if i.Op.Group() != "mem_cldnf_si" {
		return false
	}
	n := vectorBytes(i)
	at := base(s, i) + immediate(i)*n
	return at%MemPage > MemPage-n && at&(1<<memSize(i.Op)-1) != 0
}
