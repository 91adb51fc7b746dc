package diff

import (
	"math/rand/v2"

	"emu/cpu"
	"emu/decoder"

	"golang.org/x/sys/unix"
)

// TagMemory gives the memory of the cases random tags, and the addresses of their
// single instructions mostly those of the memory there. Neighbours often have the same
// tag, so that accesses of several granules succeed, too.
func TagMemory(cases []Case, r *rand.Rand) {
	for n := range cases {
		in := &cases[n].In
		tag := byte(0)
		for k := range in.Tags {
			if r.IntN(6) == 0 {
				tag = byte(r.IntN(16))
			}
			in.Tags[k] = tag
		}
		i := decoder.Decode(cases[n].Words[0])
		switch {
		case i.Op.Group() == "memcms":
			for _, reg := range []uint32{i.Rd(), i.Rs()} {
				if reg != 31 {
					in.X[reg] = in.tagAddress(in.X[reg], in.X[reg], r)
				}
			}
		case isSVEAccess(i.Op):
			in.tagElements(i, r)
		case isMemory(i.Op):
			setBase(in, i, in.tagAddress(base(in, i), base(in, i), r))
		}
	}
}

// SettleTags prepares two results of cases with tags, of which the first is qemu's, for
// their comparison, where qemu and the Arm ARM differ or the latter leaves a choice:
// qemu does not check LDAPUR and STLUR, and how far a copy or set got when it faults
// depends on the processor's way to do it.
func SettleTags(c *Case, qemu, ours *State) {
	if i := decoder.Decode(c.Words[0]); isSVEAccess(i.Op) {
		settleElements(i, &c.In, qemu, ours)
	}
	switch i := decoder.Decode(c.Words[0]); {
	case isGather(i.Op) && qemu.Sig == uint32(unix.SIGSEGV) && ours.Sig == qemu.Sig:
		qemu.Addr = ours.Addr // of several that fault
	case i.Op.Group() == "ldapstl_unscaled":
		if ours.Sig == uint32(unix.SIGSEGV) {
			*qemu = *ours
		}
	case i.Op.Group() == "memcms" && qemu.Sig == ours.Sig && qemu.Sig == uint32(unix.SIGSEGV):
		*qemu = *ours
	}
}

// tagAddress is an address with a top byte: mostly with the tag of what is at another.
func (s *State) tagAddress(addr, at uint64, r *rand.Rand) uint64 {
	top := uint64(r.IntN(256))
	if granule := (at - MemBase) / cpu.Granule; granule < uint64(len(s.Tags)) && r.IntN(8) != 0 {
		top = top&0xf0 | uint64(s.Tags[granule])
	}
	return addr&(1<<cpu.TagShift-1) | top<<cpu.TagShift
}
