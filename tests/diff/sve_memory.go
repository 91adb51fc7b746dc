package diff

import (
	"math/rand/v2"
	"strings"

	"emu/cpu"
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

// registers is how many registers a load or store has, of which each is an element of a
// structure.
func registers(op decoder.Op) uint64 {
	if n := op.String()[2]; '2' <= n && n <= '4' {
		return uint64(n - '0')
	}
	return 1
}

// firstElement is where an access that is no gather starts.
func firstElement(i decoder.Inst, s *State) uint64 {
	at := base(s, i)
	switch g := i.Op.Group(); {
	case strings.HasSuffix(g, "_ss") && i.Rm() != 31:
		at += s.X[i.Rm()] << memSize(i.Op)
	case strings.HasSuffix(g, "_si"):
		at += uint64(decoder.SignExtend(i.Bits(19, 16), 4)) * vectorBytes(i) * registers(i.Op)
	}
	return at
}

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
	at -= firstElement(i, s) - base(s, i)
	if i.Rn() == 31 {
		at &^= 15
	}
	setBase(s, i, at)
}

// gatherForm says where a gather or scatter has its addresses: elements of a vector, of which
// the low 32 bits are extended if there is a box xs, shifted left, plus a base.
type gatherForm struct {
	vector uint32
	shift  int
	scalar bool // the base is Rn, not the immediate or Xm
	offset bool // there are offsets of 32 bits
	signed bool // to be extended with sign
}

func formOf(i decoder.Inst) gatherForm {
	syntax := decoder.RowOf(i.Op).Syntax
	xs, ok := i.Field("xs")
	f := gatherForm{i.Rn(), 0, strings.Contains(syntax, "[Xn|sp"), ok, ok && xs == 1}
	if f.scalar {
		f.vector = i.Rm()
		if strings.Contains(syntax, "#") {
			f.shift = memSize(i.Op)
		}
	}
	return f
}

// base is what is added to the elements of the vector.
func (f gatherForm) base(i decoder.Inst, s *State) uint64 {
	imm, ok := i.Field("imm5")
	switch {
	case f.scalar:
		return base(s, i)
	case ok:
		return uint64(imm) << memSize(i.Op)
	case i.Rm() == 31:
		return 0
	}
	return s.X[i.Rm()]
}

// address is that of the element at a byte of the vector.
func (f gatherForm) address(i decoder.Inst, s *State, at uint) uint64 {
	v := s.V[f.vector][at/8]
	switch {
	case f.signed:
		v = uint64(int64(int32(v >> (at % 8 * 8))))
	case f.offset || i.ElementSize("Zt") == 32:
		v = v >> (at % 8 * 8) & 0xffff_ffff
	}
	return f.base(i, s) + v<<f.shift
}

// gatherOperands makes the elements' addresses mostly those of memory, in the same place now
// and then, and otherwise near its end.
func gatherOperands(i decoder.Inst, s *State, r *rand.Rand) {
	f := formOf(i)
	switch _, imm := i.Field("imm5"); {
	case f.scalar:
		base := MemBase + 16*uint64(r.IntN(16))
		if (!f.offset || f.signed) && r.IntN(2) == 0 { // negative offsets
			base += 768
		}
		setBase(s, i, base)
	case !imm && i.Rm() != 31:
		s.X[i.Rm()] = MemBase - uint64(r.IntN(1<<28))
	}
	// How many elements a scatter has stored when it faults is its own business: here none
	// of which a case would tell.
	store, end := strings.Contains(i.Op.Group(), "sst"), r.IntN(10) == 0
	near := r.IntN(4) == 0
	spot := 256 + uint64(r.IntN(512))
	size := i.ElementSize("Zt") / 8
	for n := uint(0); n < 16; n += size {
		to := 256 + uint64(r.IntN(512))
		if near {
			to = spot + uint64(r.IntN(4))
		}
		if r.IntN(2) == 0 {
			to &^= 1<<memSize(i.Op) - 1
		}
		to += MemBase
		if store && end || !store && r.IntN(10) == 0 {
			to = MemBase + MemPage - 12 + uint64(r.IntN(64))
		}
		mask := ^uint64(0)
		if f.offset || size == 4 {
			mask = 0xffff_ffff << (n % 8 * 8)
		}
		lane := &s.V[f.vector][n/8]
		*lane = *lane&^mask | (to-f.base(i, s))>>f.shift<<(n%8*8)&mask
	}
}

// element is an element that an access reads or writes.
type element struct {
	bit        uint // of the predicate, and byte of the vector
	addr, size uint64
}

// activeElements are those of an access with a predicate.
func activeElements(i decoder.Inst, s *State) (list []element) {
	pg, ok := i.Field("Pg")
	if !ok || !isSVEAccess(i.Op) {
		return nil
	}
	size := uint64(1) << memSize(i.Op)
	e := element{0, firstElement(i, s), size * registers(i.Op)}
	for ; e.bit < 16; e.bit += i.ElementSize("Zt") / 8 {
		if isGather(i.Op) {
			e.addr = formOf(i).address(i, s, e.bit)
		}
		if s.P[pg]>>e.bit&1 != 0 {
			list = append(list, e)
		}
		e.addr += e.size
	}
	if i.Op.Group() == "mem_ld_dup" && len(list) > 0 {
		list[0].addr = base(s, i) + uint64(i.Bits(21, 16))*size
		return list[:1]
	}
	return list
}

// faultsWrong reports first-fault and non-fault loads that qemu, up to 11 at least, gets
// wrong: it loads zeros where only elements in the upper half of the vector are active, and
// LDNF1 faults where its first active element reaches into a page that is missing. Where
// another one does that it is free to load none, as it does, and also where all before a
// page's end are inactive.
func faultsWrong(i decoder.Inst, s *State) bool {
	group := i.Op.Group()
	if group != "mem_cldff_ss" && group != "mem_cldnf_si" {
		return false
	}
	active := activeElements(i, s)
	if len(active) > 0 && active[0].bit >= 8 {
		return true
	}
	at := firstElement(i, s)
	if group != "mem_cldnf_si" || len(active) == 0 || at%MemPage <= MemPage-vectorBytes(i) {
		return false
	}
	return at&(1<<memSize(i.Op)-1) != 0 || active[0].addr/MemPage != at/MemPage
}

// tagElements gives the addresses of an access tags, which are mostly right. Elements that
// are far from each other often have the same.
func (s *State) tagElements(i decoder.Inst, r *rand.Rand) {
	if !isGather(i.Op) {
		setBase(s, i, s.tagAddress(base(s, i), firstElement(i, s), r))
		return
	}
	_, immediate := i.Field("imm5")
	short := i.ElementSize("Zt") == 32
	if r.IntN(2) == 0 {
		for n := range s.Tags {
			s.Tags[n] = s.Tags[0]
			if immediate && short { // there is no room for another tag
				s.Tags[n] = 0
			}
		}
	}
	at := MemBase + 256 + uint64(r.IntN(512))
	switch {
	case formOf(i).scalar:
		setBase(s, i, s.tagAddress(base(s, i), at, r))
	case immediate && !short:
		for n := range s.V[i.Rn()] {
			lane := &s.V[i.Rn()][n]
			*lane = s.tagAddress(*lane, *lane, r)
		}
	case !immediate && i.Rm() != 31:
		s.X[i.Rm()] = s.tagAddress(s.X[i.Rm()], at, r)
	}
}

// settleElements makes qemu's result of an access in memory with tags that of the Arm ARM:
// qemu, from 7.2 to 11 at least, compares no tags where elements have predicates, but for
// LD1R, also those where it should not as the base is SP.
func settleElements(i decoder.Inst, in, qemu, ours *State) {
	group := i.Op.Group()
	switch {
	case i.Rn() != 31 || isGather(i.Op) && !formOf(i).scalar:
	case group == "mem_ld_dup":
		*qemu = *ours
		return
	case strings.HasSuffix(group, "_si"):
		return
	}
	name := i.Op.String()
	faults := !strings.HasPrefix(name, "LDNF")
	for _, e := range activeElements(i, in) {
		at, differs := in.differentTag(e)
		switch {
		case !differs:
		case faults:
			*qemu = *in
			qemu.PC, qemu.Sig, qemu.Addr = CodeStart, 11, at
			return
		case qemu.Sig != 5: // the first one faults for another reason
			return
		default: // as if it could not be read
			qemu.P[cpu.NumP] &= 1<<e.bit - 1
			for n := e.bit; n < 16; n++ {
				qemu.V[i.Rd()][n/8] &^= 0xff << (n % 8 * 8)
			}
			return
		}
		if strings.HasPrefix(name, "LDFF") {
			faults = false
		}
	}
}

// differentTag returns the first address of an element where the tag of memory is not that of
// the address.
func (s *State) differentTag(e element) (at uint64, differs bool) {
	for n := range e.size {
		at := (e.addr + n) & (1<<cpu.TagShift - 1)
		tag := byte(0)
		switch off := at - MemBase; {
		case off < MemSize:
			tag = s.Tags[off/cpu.Granule]
		case off >= MemPage:
			continue
		}
		if byte(e.addr>>cpu.TagShift)&15 != tag {
			return at, true
		}
	}
	return 0, false
}
