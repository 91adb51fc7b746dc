package syscalls

import (
	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// The register set NT_ARM_SVE: struct user_sve_header, which the registers follow, either
// as NT_PRFPREG has them or, with svePtRegs, the vectors, the predicates, FPSR and FPCR.
const (
	svePtRegs    = 1 << 0                    // SVE_PT_REGS_SVE
	svePtInherit = vectorLengthInherit >> 16 // SVE_PT_VL_INHERIT

	svePtHead   = 16
	svePtP      = svePtHead + vectorsSize
	svePtStatus = (svePtP + predicatesSize + 15) &^ 15
	svePtSize   = svePtStatus + 16
	svePtMost   = 8768 // the same of the longest vectors there can be: ARCH_SVE_VQ_MAX

	statusInFP = vectorsSize // FPSR and FPCR in NT_PRFPREG
	statusSize = 8
)

// sveHeader is struct user_sve_header.
type sveHeader struct {
	Size, MaxSize uint32
	Length, Most  uint16
	Flags         uint16
	_             uint16
}

// sveSet is NT_ARM_SVE of a thread, with predicates only if they are not all zero: see
// sveRecord.
func sveSet(b *hostsig.Trace) []byte {
	if b.P != ([len(b.P)]uint16{}) {
		return longSVESet(b)
	}
	return append(svePtHeader(b, svePtHead+len(b.FP), 0), b.FP[:]...)
}

// longSVESet is the same with predicates in any case.
func longSVESet(b *hostsig.Trace) []byte {
	set := append(svePtHeader(b, svePtSize, svePtRegs), make([]byte, svePtSize-svePtHead)...)
	copy(set[svePtHead:], b.FP[:vectorsSize])
	copy(set[svePtP:], bytesOf(&b.P))
	copy(set[svePtStatus:], b.FP[statusInFP:statusInFP+statusSize])
	return set
}

// svePtHeader is how a set of size bytes begins.
func svePtHeader(b *hostsig.Trace, size int, flags uint16) []byte {
	if b.InheritVL {
		flags |= svePtInherit
	}
	h := sveHeader{Size: uint32(size), MaxSize: svePtSize, Length: vectorLength, Most: vectorLength, Flags: flags}
	return append(make([]byte, 0, size), bytesOf(&h)...)
}

// storeSVE writes NT_ARM_SVE. What content is too short for becomes zero (as since Linux 6.16; before,
// it was not the same each time), and so do the predicates that the short form has not.
func storeSVE(b *hostsig.Trace, content []byte) unix.Errno {
	var h sveHeader
	if copy(bytesOf(&h), content) < svePtHead {
		return unix.EINVAL
	}
	flags := uint64(h.Flags&^svePtRegs) << 16
	if !validVectorLength(uint64(h.Length), flags) {
		return unix.EINVAL
	}
	b.InheritVL = flags&vectorLengthInherit != 0
	b.FP, b.P = [len(b.FP)]byte{}, [len(b.P)]uint16{}
	b.Dirty |= hostsig.DirtyFP | hostsig.DirtySVE
	regs := content[svePtHead:]
	switch {
	case h.Flags&svePtRegs == 0:
		copy(b.FP[:], regs)
	case len(regs) > 0 && h.Length != vectorLength: // they are laid out for another length
		return unix.EIO
	default:
		regs = append(regs, make([]byte, max(0, svePtSize-len(content)))...)
		copy(b.FP[:vectorsSize], regs)
		copy(bytesOf(&b.P), regs[svePtP-svePtHead:])
		copy(b.FP[statusInFP:statusInFP+statusSize], regs[svePtStatus-svePtHead:])
	}
	return 0
}

// regsetSVE is PTRACE_GETREGSET and PTRACE_SETREGSET of NT_ARM_SVE into and from the iovec at data.
// How many of its bytes count is told by the longest vectors that there can be.
func (t *Task) regsetSVE(b *hostsig.Trace, set bool, iov [2]uint64, data uint64) unix.Errno {
	n := min(iov[1], svePtMost)
	switch {
	case !t.p.haveSVE(), n%vectorLength != 0:
		return unix.EINVAL
	case !set:
		content := sveSet(b)
		if e := t.p.copyOut(iov[0], content[:min(n, uint64(len(content)))]); e != 0 {
			return e
		}
	default:
		content := make([]byte, min(n, svePtSize))
		if e := t.p.copyIn(content, iov[0]); e != 0 {
			return e
		}
		if e := storeSVE(b, content); e != 0 {
			return e
		}
	}
	return save(t.p, data+8, n)
}
