package loader

import (
	"fmt"

	"emu/cpu"

	"golang.org/x/sys/unix"
)

// Auxiliary vector types (include/uapi/linux/auxvec.h, arch/arm64/.../auxvec.h).
const (
	atNull          = 0
	atPhdr          = 3
	atPhent         = 4
	atPhnum         = 5
	atPagesz        = 6
	atBase          = 7
	atFlags         = 8
	atEntry         = 9
	atUID           = 11
	atEUID          = 12
	atGID           = 13
	atEGID          = 14
	atPlatform      = 15
	atHwcap         = 16
	atClktck        = 17
	atSecure        = 23
	atRandom        = 25
	atHwcap2        = 26
	atHwcap3        = 29
	atExecfn        = 31
	atSysinfoEhdr   = 33
	atMinsigstksz   = 51
	minSigStackSize = 4720 // what arm64 kernels without SVE report
	userHz          = 100  // USER_HZ, of times(2)
)

// Start describes the process that an image starts as.
type Start struct {
	Argv, Envp            []string
	ExecFn                string // path given to execve, AT_EXECFN
	Platform              string // AT_PLATFORM
	HWCAP, HWCAP2, HWCAP3 uint64
	VDSO                  uint64 // AT_SYSINFO_EHDR, 0 without
	InterpBase            uint64 // AT_BASE, 0 for static programs
	Random                [16]byte
	StackSize             uint64 // RLIMIT_STACK, in bytes
	Secure                bool   // AT_SECURE: it has rights that who executed it has not
}

// Stack is the initial stack of a process.
type Stack struct {
	SP                                 uint64 // 16-byte aligned, argc there
	Low, High                          uint64 // the mapping
	ArgStart, ArgEnd, EnvStart, EnvEnd uint64 // strings, for /proc/self/cmdline and environ
	Auxv                               []byte // for /proc/self/auxv
}

// maxArgDivisor bounds argv and envp as the kernel does: a quarter of the stack.
const maxArgDivisor = 4

// NewStack maps a stack and fills it as create_elf_tables does in the kernel:
// strings at the top, then AT_RANDOM's bytes, the auxiliary vector, envp, argv
// and argc at SP.
func NewStack(m *cpu.Memory, img *Image, p *Start) (*Stack, error) {
	size := p.StackSize &^ (cpu.PageSize - 1)
	prot := unix.PROT_READ | unix.PROT_WRITE
	if img.ExecStack {
		prot |= unix.PROT_EXEC
	}
	if need := p.argBytes(); need > size/maxArgDivisor {
		return nil, fmt.Errorf("arguments and environment take %d bytes, a quarter of the stack is %d: %w", need, size/maxArgDivisor, unix.E2BIG)
	}
	low, errno := m.MapStack(size, prot)
	if errno != 0 {
		return nil, fmt.Errorf("stack of %d bytes: %w", size, errno)
	}
	st := &Stack{Low: low, High: low + size}
	w := stackWriter{top: st.High - 8} // the kernel leaves a null word above the file name
	execfn := w.push(p.ExecFn)
	st.EnvEnd = w.top
	envp := w.pushAll(p.Envp)
	st.EnvStart, st.ArgEnd = w.top, w.top
	argv := w.pushAll(p.Argv)
	st.ArgStart = w.top
	platform := w.push(p.Platform)
	w.top = w.top&^15 - uint64(len(p.Random))
	random := w.top
	copy(guest(random, random+uint64(len(p.Random))), p.Random[:])

	st.Auxv = p.auxv(img, random, execfn, platform)
	words := words64(nil, uint64(len(argv)))
	words = words64(words64(words, argv...), 0)
	words = words64(words64(words, envp...), 0)
	words = append(words, st.Auxv...)
	st.SP = (w.top - uint64(len(words))) &^ 15
	copy(guest(st.SP, st.SP+uint64(len(words))), words)
	return st, nil
}

// argBytes is what the strings and their pointers take.
func (p *Start) argBytes() (n uint64) {
	for _, list := range [][]string{p.Argv, p.Envp} {
		for _, s := range list {
			n += uint64(len(s)) + 1 + 8
		}
	}
	return n
}

// auxv is the auxiliary vector; the last three are addresses on the stack.
func (p *Start) auxv(img *Image, random, execfn, platform uint64) (words []byte) {
	secure := uint64(0)
	if p.Secure {
		secure = 1
	}
	if p.VDSO != 0 {
		words = words64(words, atSysinfoEhdr, p.VDSO)
	}
	for _, a := range [][2]uint64{
		{atMinsigstksz, minSigStackSize}, {atHwcap, p.HWCAP}, {atPagesz, cpu.PageSize}, {atClktck, userHz},
		{atPhdr, img.Phdr}, {atPhent, phdrSize}, {atPhnum, img.PhNum}, {atBase, p.InterpBase}, {atFlags, 0}, {atEntry, img.Entry},
		{atUID, uint64(unix.Getuid())}, {atEUID, uint64(unix.Geteuid())}, {atGID, uint64(unix.Getgid())}, {atEGID, uint64(unix.Getegid())},
		{atSecure, secure}, {atRandom, random}, {atHwcap2, p.HWCAP2}, {atHwcap3, p.HWCAP3}, {atExecfn, execfn}, {atPlatform, platform}, {atNull, 0},
	} {
		words = words64(words, a[0], a[1])
	}
	return words
}

// stackWriter pushes strings to a stack.
type stackWriter struct{ top uint64 }

// push returns where the string is, which a zero byte ends.
func (w *stackWriter) push(s string) uint64 {
	w.top -= uint64(len(s)) + 1
	b := guest(w.top, w.top+uint64(len(s))+1)
	copy(b, s)
	b[len(s)] = 0
	return w.top
}

// pushAll pushes the last string first, so that they lie in their order.
func (w *stackWriter) pushAll(list []string) []uint64 {
	at := make([]uint64, len(list))
	for i := len(list) - 1; i >= 0; i-- {
		at[i] = w.push(list[i])
	}
	return at
}
