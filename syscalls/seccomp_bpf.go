package syscalls

import (
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// Classic BPF (linux/bpf_common.h, linux/filter.h), the part that seccomp accepts.

// bpfInsn is struct sock_filter.
type bpfInsn struct {
	Code   uint16
	JT, JF uint8
	K      uint32
}

const (
	bpfInsnSize = 8
	bpfMaxInsns = 4096
	bpfMemWords = 16
)

// Opcodes: class, then size and mode, operation, or source.
const (
	bpfLdAbs = 0x20 // A = data[k]
	bpfLdImm = 0x00
	bpfLdMem = 0x60
	bpfLdLen = 0x80
	bpfLdxIm = 0x01
	bpfLdxMe = 0x61
	bpfLdxLe = 0x81
	bpfSt    = 0x02
	bpfStx   = 0x03
	bpfALU   = 0x04
	bpfJmp   = 0x05
	bpfRetK  = 0x06
	bpfRetA  = 0x16
	bpfTax   = 0x07
	bpfTxa   = 0x87

	bpfX = 0x08 // the second operand is X, else k

	bpfAdd = 0x00
	bpfSub = 0x10
	bpfMul = 0x20
	bpfDiv = 0x30
	bpfOr  = 0x40
	bpfAnd = 0x50
	bpfLsh = 0x60
	bpfRsh = 0x70
	bpfNeg = 0x80
	bpfXor = 0xa0

	bpfJa   = 0x00
	bpfJeq  = 0x10
	bpfJgt  = 0x20
	bpfJge  = 0x30
	bpfJset = 0x40
)

// seccompDataSize is sizeof(struct seccomp_data).
const seccompDataSize = 64

// seccompData is struct seccomp_data.
type seccompData [seccompDataSize]byte

func newSeccompData(nr int32, ip uint64, args []uint64) (d seccompData) {
	le := binary.LittleEndian
	le.PutUint32(d[0:], uint32(nr))
	le.PutUint32(d[4:], auditArch)
	le.PutUint64(d[8:], ip)
	for i, a := range args {
		le.PutUint64(d[16+8*i:], a)
	}
	return d
}

// bpfCheck verifies a filter as bpf_check_classic and seccomp_check_filter do:
// what passes ends, and reads only what is there and what it wrote.
func bpfCheck(prog []bpfInsn) unix.Errno {
	if len(prog) == 0 || len(prog) > bpfMaxInsns {
		return unix.EINVAL
	}
	for pc, in := range prog {
		if !bpfValid(in, len(prog)-pc-1) {
			return unix.EINVAL
		}
	}
	if last := prog[len(prog)-1].Code; last != bpfRetK && last != bpfRetA {
		return unix.EINVAL
	}
	return bpfCheckMemory(prog)
}

// bpfValid checks one instruction that rest others follow.
func bpfValid(in bpfInsn, rest int) bool {
	switch in.Code {
	case bpfLdAbs:
		return in.K < seccompDataSize && in.K%4 == 0
	case bpfLdImm, bpfLdxIm, bpfLdLen, bpfLdxLe, bpfRetK, bpfRetA, bpfTax, bpfTxa, bpfALU | bpfNeg:
		return true
	case bpfLdMem, bpfLdxMe, bpfSt, bpfStx:
		return in.K < bpfMemWords
	case bpfJmp | bpfJa:
		return uint64(in.K) < uint64(rest)
	}
	switch in.Code & 7 {
	case bpfALU:
		return bpfValidALU(in)
	case bpfJmp:
		switch in.Code &^ (7 | bpfX) {
		case bpfJeq, bpfJgt, bpfJge, bpfJset:
			return int(in.JT) < rest && int(in.JF) < rest
		}
	}
	return false
}

func bpfValidALU(in bpfInsn) bool {
	byK := in.Code&bpfX == 0
	switch in.Code &^ (7 | bpfX) {
	case bpfAdd, bpfSub, bpfMul, bpfAnd, bpfOr, bpfXor:
		return true
	case bpfDiv:
		return !byK || in.K != 0
	case bpfLsh, bpfRsh:
		return !byK || in.K < 32
	}
	return false
}

// bpfCheckMemory checks that no path loads a word of scratch memory that it has
// not stored. Jumps go forward only, so one walk is enough.
func bpfCheckMemory(prog []bpfInsn) unix.Errno {
	stored := make([]uint16, len(prog)) // by all paths that jump to an instruction
	for i := range stored {
		stored[i] = 1<<bpfMemWords - 1
	}
	valid := uint16(0)
	for pc, in := range prog {
		valid &= stored[pc]
		switch {
		case in.Code == bpfSt || in.Code == bpfStx:
			valid |= 1 << in.K
		case in.Code == bpfLdMem || in.Code == bpfLdxMe:
			if valid>>in.K&1 == 0 {
				return unix.EINVAL
			}
		case in.Code == bpfJmp|bpfJa:
			stored[pc+1+int(in.K)] &= valid
			valid = 1<<bpfMemWords - 1
		case in.Code&7 == bpfJmp:
			stored[pc+1+int(in.JT)] &= valid
			stored[pc+1+int(in.JF)] &= valid
			valid = 1<<bpfMemWords - 1
		}
	}
	return 0
}

// bpfRun evaluates a verified filter.
func bpfRun(prog []bpfInsn, d *seccompData) uint32 {
	var a, x uint32
	var mem [bpfMemWords]uint32
	for pc := 0; ; pc++ {
		in := prog[pc]
		operand := in.K
		if in.Code&bpfX != 0 {
			operand = x
		}
		switch in.Code {
		case bpfRetK:
			return in.K
		case bpfRetA:
			return a
		case bpfLdAbs:
			a = binary.LittleEndian.Uint32(d[in.K:])
		case bpfLdImm:
			a = in.K
		case bpfLdMem:
			a = mem[in.K]
		case bpfLdLen:
			a = seccompDataSize
		case bpfLdxIm:
			x = in.K
		case bpfLdxMe:
			x = mem[in.K]
		case bpfLdxLe:
			x = seccompDataSize
		case bpfSt:
			mem[in.K] = a
		case bpfStx:
			mem[in.K] = x
		case bpfTax:
			x = a
		case bpfTxa:
			a = x
		case bpfJmp | bpfJa:
			pc += int(in.K)
		default:
			if in.Code&7 == bpfJmp {
				if bpfHolds(in.Code&^(7|bpfX), a, operand) {
					pc += int(in.JT)
				} else {
					pc += int(in.JF)
				}
				continue
			}
			if op := in.Code &^ (7 | bpfX); op == bpfDiv && operand == 0 {
				return 0 // of X: the program ends with 0
			} else {
				a = bpfCompute(op, a, operand)
			}
		}
	}
}

func bpfHolds(op uint16, a, b uint32) bool {
	switch op {
	case bpfJeq:
		return a == b
	case bpfJgt:
		return a > b
	case bpfJge:
		return a >= b
	}
	return a&b != 0
}

func bpfCompute(op uint16, a, b uint32) uint32 {
	switch op {
	case bpfAdd:
		return a + b
	case bpfSub:
		return a - b
	case bpfMul:
		return a * b
	case bpfDiv:
		return a / b
	case bpfOr:
		return a | b
	case bpfAnd:
		return a & b
	case bpfXor:
		return a ^ b
	case bpfLsh:
		return a << (b & 31)
	case bpfRsh:
		return a >> (b & 31)
	}
	return -a
}
