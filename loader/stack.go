package loader

import (
	"encoding/binary"
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
	preserveArgv0   = 1    // AT_FLAGS_PRESERVE_ARGV0
	minSigStackSize = 4720 // what arm64 kernels without SVE report
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
	StackSize             uint64 // RLIMIT_STACK
	Secure, KeepArgv0     bool
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
	need := uint64(0)
	for _, list := range [][]string{p.Argv, p.Envp} {
		for _, s := range list {
			need += uint64(len(s)) + 1 + 8
		}
	}
	if need > size/maxArgDivisor {
		return nil, fmt.Errorf("arguments and environment take %d bytes, a quarter of the stack is %d: %w", need, size/maxArgDivisor, unix.E2BIG)
	}
	low, errno := m.MapStack(size, prot)
	if errno != 0 {
		return nil, fmt.Errorf("stack of %d bytes: %w", size, errno)
	}
	st := &Stack{Low: low, High: low + size}
	top := st.High - 8 // the kernel leaves a null word above the file name
	push := func(s string) uint64 {
		top -= uint64(len(s)) + 1
		b := guest(top, top+uint64(len(s))+1)
		copy(b, s)
		b[len(s)] = 0
		return top
	}
	execfn := push(p.ExecFn)
	strings := func(list []string) []uint64 {
		at := make([]uint64, len(list))
		for i := len(list) - 1; i >= 0; i-- {
			at[i] = push(list[i])
		}
		return at
	}
	st.EnvEnd = top
	envp := strings(p.Envp)
	st.EnvStart, st.ArgEnd = top, top
	argv := strings(p.Argv)
	st.ArgStart = top
	platform := push(p.Platform)
	top = top&^15 - 16
	random := top
	copy(guest(random, random+16), p.Random[:])

	flags, secure := uint64(0), uint64(0)
	if p.KeepArgv0 {
		flags = preserveArgv0
	}
	if p.Secure {
		secure = 1
	}
	auxv := [][2]uint64{
		{atSysinfoEhdr, p.VDSO}, {atMinsigstksz, minSigStackSize}, {atHwcap, p.HWCAP}, {atPagesz, cpu.PageSize}, {atClktck, 100},
		{atPhdr, img.Phdr}, {atPhent, phdrSize}, {atPhnum, img.PhNum}, {atBase, p.InterpBase}, {atFlags, flags}, {atEntry, img.Entry},
		{atUID, uint64(unix.Getuid())}, {atEUID, uint64(unix.Geteuid())}, {atGID, uint64(unix.Getgid())}, {atEGID, uint64(unix.Getegid())},
		{atSecure, secure}, {atRandom, random}, {atHwcap2, p.HWCAP2}, {atHwcap3, p.HWCAP3}, {atExecfn, execfn}, {atPlatform, platform}, {atNull, 0},
	}
	le := binary.LittleEndian
	var words []byte
	word := func(w uint64) { words = le.AppendUint64(words, w) }
	word(uint64(len(argv)))
	for _, a := range argv {
		word(a)
	}
	word(0)
	for _, e := range envp {
		word(e)
	}
	word(0)
	vector := len(words)
	for _, a := range auxv {
		if a[0] == atSysinfoEhdr && a[1] == 0 {
			continue
		}
		word(a[0])
		word(a[1])
	}
	st.Auxv = words[vector:]
	st.SP = (top - uint64(len(words))) &^ 15
	copy(guest(st.SP, st.SP+uint64(len(words))), words)
	return st, nil
}
