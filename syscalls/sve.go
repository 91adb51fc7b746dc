package syscalls

import (
	"encoding/binary"

	"emu/cpu"

	"golang.org/x/sys/unix"
)

// The scalable vectors (FEAT_SVE) as the kernel shows them: Linux
// Documentation/arch/arm64/sve.rst, arch/arm64/kernel/fpsimd.c and signal.c. The only
// length of vectors is that of the V registers, so that what SVE adds to them are the
// predicates and FFR, of 2 bytes each.

const (
	vectorLength    = cpu.VectorBytes
	maxVectorLength = 8192 // SVE_VL_MAX: the ABI allows for more than the architecture
	vectorsSize     = 32 * vectorLength
	predicateBytes  = vectorLength / 8
	predicatesSize  = (cpu.NumP + 1) * predicateBytes

	// Fields of the argument of prctl(PR_SVE_SET_VL), and of what it returns.
	vectorLengthMask    = 0xffff
	vectorLengthInherit = 1 << 17
	vectorLengthOnExec  = 1 << 18
)

// haveSVE reports whether programs are told that the guest's CPU has scalable vectors. Where they
// are not, and it has them (Config.Predicates), only signal frames know: system calls leave predicates alone.
func (p *Process) haveSVE() bool {
	const sve = 1 << 22
	return auxval(p.Auxv, atHWCAP)&sve != 0
}

// predicates are the registers that SVE adds, as cpu.State.P has them.
type predicates = [cpu.NumP + 1]uint64

// putPredicates stores P0 to P15 and FFR as they follow the Z registers in frames.
func putPredicates(b []byte, p *predicates) {
	for n, v := range p {
		binary.LittleEndian.PutUint16(b[n*predicateBytes:], uint16(v))
	}
}

// takePredicates reads what putPredicates stores.
func takePredicates(b []byte) (p predicates) {
	for n := range p {
		p[n] = uint64(binary.LittleEndian.Uint16(b[n*predicateBytes:]))
	}
	return p
}

// setVectorLength is prctl(PR_SVE_SET_VL). Of another length than there is the kernel makes
// the next one below it, or the least.
func (t *Task) setVectorLength(arg uint64) int64 {
	flags := arg &^ vectorLengthMask
	if !t.p.haveSVE() || !validVectorLength(arg&vectorLengthMask, flags) {
		return fail(unix.EINVAL)
	}
	t.inheritVL = flags&vectorLengthInherit != 0
	return t.vectorLength()
}

// validVectorLength checks what vec_set_vector_length of the kernel checks.
func validVectorLength(length, flags uint64) bool {
	return flags&^(vectorLengthInherit|vectorLengthOnExec) == 0 && length%vectorLength == 0 && length-1 < maxVectorLength
}

// getVectorLength is prctl(PR_SVE_GET_VL).
func (t *Task) getVectorLength() int64 {
	if !t.p.haveSVE() {
		return fail(unix.EINVAL)
	}
	return t.vectorLength()
}

// vectorLength is the length, with a flag if programs that the thread executes keep it.
// With one length this has no effect.
func (t *Task) vectorLength() int64 {
	if t.inheritVL {
		return vectorLength | vectorLengthInherit
	}
	return vectorLength
}

// The record of a signal frame: struct sve_context, which the registers follow if there
// are any.
const (
	sveMagic   = 0x53564501
	sveHead    = 16
	sveRegs    = sveHead + vectorsSize // the predicates
	sveSize    = (sveRegs + predicatesSize + 15) &^ 15
	sveStreams = 1 << 0 // SVE_SIG_FLAG_SM: they are those of FEAT_SME's streaming mode
)

// sveRecord fills in the record of the vectors, which begins as zeroes, and returns its size.
// The kernel leaves the registers away if the thread has not used any of SVE since its
// last system call, and all predicates are zero. Here it is enough that they are: then all
// else is in the record of the V registers, and the handler returns to the same either way.
func (t *Task) sveRecord(r []byte) (size int) {
	s, le := t.State, binary.LittleEndian
	size = sveHead
	if s.P != (predicates{}) {
		size = sveSize
		for n := range s.V {
			le.PutUint64(r[sveHead+vectorLength*n:], s.V[n][0])
			le.PutUint64(r[sveHead+vectorLength*n+8:], s.V[n][1])
		}
		putPredicates(r[sveRegs:], &s.P)
	}
	le.PutUint32(r[0:], sveMagic)
	le.PutUint32(r[4:], uint32(size))
	le.PutUint16(r[8:], vectorLength)
	return size
}

// sveLeave is the end of a signal handler: the predicates go back to what the record of its
// frame says, and are zero without one. The V registers come from their own record
// (restore_sve_fpsimd_context in the kernel). It reports whether the kernel would allow that.
func (t *Task) sveLeave(record []byte) bool {
	p, le := predicates{}, binary.LittleEndian
	switch {
	case record == nil:
	case !t.p.Predicates, len(record) < sveHead, le.Uint16(record[8:]) != vectorLength, le.Uint16(record[10:])&sveStreams != 0:
		return false
	case len(record) == sveHead:
	case len(record) < sveSize:
		return false
	default:
		p = takePredicates(record[sveRegs:])
	}
	t.State.P = p
	return true
}
