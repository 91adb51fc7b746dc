package loader

import (
	"fmt"

	"emu/cpu"

	"golang.org/x/sys/unix"
)

// The vDSO is a small shared object that every arm64 process finds through
// AT_SYSINFO_EHDR (Documentation/ABI/stable/vdso, arch/arm64/kernel/vdso). Ours
// is assembled here, word by word.

// A64 words of the vDSO's functions.
const (
	a64Ret  = 0xd65f03c0 // ret
	a64Svc  = 0xd4000001 // svc #0
	a64Nop  = 0xd503201f
	a64BtiC = 0xd503245f // bti c

	a64SaveX0    = 0xaa0003e9 // mov x9, x0
	a64RestoreX0 = 0xaa0903e0 // mov x0, x9
	a64IsEFAULT  = 0xb100381f // cmn x0, #14
	a64SkipRet   = 0x54000040 // b.eq .+8
	a64SkipX9    = 0xb4000049 // cbz x9, .+8
	a64SkipX1    = 0xb4000041 // cbz x1, .+8
	a64TouchX9   = 0x3900013f // strb wzr, [x9]
	a64TouchX1   = 0x3900003f // strb wzr, [x1]
)

// branchBack is b .-4n.
func branchBack(n uint32) uint32 { return 0x14000000 | -n&(1<<26-1) }

// movX8 is mov x8, #n.
func movX8(n uint32) uint32 { return 0xd2800008 | n<<5 }

const (
	vdsoVersion     = "LINUX_2.6.39"
	vdsoSoname      = "linux-vdso.so.1"
	sysRtSigreturn  = 139
	sysClockGettime = 113
	sysClockGetres  = 114
	sysGettimeofday = 169
	vdsoCodeOffset  = 0x800
	vdsoSize        = cpu.PageSize
)

type vdsoFunc struct {
	name string
	code []uint32
}

var vdsoFuncs = []vdsoFunc{
	// The signal trampoline comes first: a NOP before it keeps unwinders, which
	// look up pc-1, inside of something that is not the function before.
	{"__kernel_rt_sigreturn", []uint32{movX8(sysRtSigreturn), a64Svc}},
	{"__kernel_clock_gettime", clockFunc(sysClockGettime)},
	{"__kernel_gettimeofday", []uint32{
		a64BtiC, a64SaveX0, a64RestoreX0, movX8(sysGettimeofday), a64Svc, a64IsEFAULT, a64SkipRet, a64Ret,
		a64SkipX9, a64TouchX9, a64SkipX1, a64TouchX1, branchBack(10)}},
	{"__kernel_clock_getres", clockFunc(sysClockGetres)},
}

// clockFunc is a function of a clock and a pointer. Generated code serves the call
// without a system call of the host's where it can. A pointer to nowhere makes the
// kernel's function fault, so this one touches what the call could not write.
func clockFunc(nr uint32) []uint32 {
	return []uint32{a64BtiC, a64SaveX0, a64RestoreX0, movX8(nr), a64Svc, a64IsEFAULT, a64SkipRet, a64Ret, a64TouchX1, branchBack(7)}
}

// VDSO is the mapped vDSO.
type VDSO struct {
	Base      uint64 // ELF header, AT_SYSINFO_EHDR
	Size      uint64
	SigReturn uint64 // __kernel_rt_sigreturn
}

// MapVDSO maps the vDSO into the guest, behind the stack: the kernel has it there on other machines, and the
// pages share a page table that each fork copies.
func MapVDSO(m *cpu.Memory) (*VDSO, error) {
	img, sigreturn := vdsoImage()
	at, errno := m.Map(m.StackTop(), vdsoSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS, -1, 0)
	if errno != 0 {
		return nil, fmt.Errorf("vDSO: %w", errno)
	}
	copy(guest(at, at+vdsoSize), img)
	if errno := m.Protect(at, vdsoSize, unix.PROT_READ|unix.PROT_EXEC); errno != 0 {
		return nil, fmt.Errorf("vDSO: %w", errno)
	}
	m.Name(at, "[vdso]")
	return &VDSO{Base: at, Size: vdsoSize, SigReturn: at + sigreturn}, nil
}
