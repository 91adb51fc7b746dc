package loader

import (
	"debug/elf"
	"encoding/binary"
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

// elfHash is the System V ABI's symbol hash.
func elfHash(name string) uint32 {
	var h uint32
	for _, c := range []byte(name) {
		h = h<<4 + uint32(c)
		g := h & 0xf0000000
		h ^= g>>24 ^ g
	}
	return h
}

// vdsoImage builds the shared object: ELF header, program headers, hash,
// symbols, strings, version definitions, dynamic section, code.
func vdsoImage() (image []byte, sigreturn uint64) {
	le := binary.LittleEndian
	img := make([]byte, vdsoSize)
	strtab := []byte{0}
	str := func(s string) uint32 {
		at := len(strtab)
		strtab = append(append(strtab, s...), 0)
		return uint32(at)
	}
	soname, version := str(vdsoSoname), str(vdsoVersion)

	syms := make([]byte, 24) // the null symbol
	versym := []byte{0, 0}
	at := uint64(vdsoCodeOffset)
	le.PutUint32(img[at:], a64Nop)
	at += 4
	for _, f := range vdsoFuncs {
		if f.name == "__kernel_rt_sigreturn" {
			sigreturn = at
		}
		syms = le.AppendUint32(syms, str(f.name))
		syms = append(syms, byte(elf.STB_GLOBAL)<<4|byte(elf.STT_FUNC), 0)
		syms = le.AppendUint16(syms, 1) // any defined section
		syms = le.AppendUint64(syms, at)
		syms = le.AppendUint64(syms, uint64(4*len(f.code)))
		versym = le.AppendUint16(versym, 2)
		for _, w := range f.code {
			le.PutUint32(img[at:], w)
			at += 4
		}
	}
	codeEnd := at

	nsyms := len(vdsoFuncs) + 1
	hash := le.AppendUint32(nil, 1) // one bucket, all symbols chained
	hash = le.AppendUint32(hash, uint32(nsyms))
	hash = le.AppendUint32(hash, 1)
	hash = le.AppendUint32(hash, 0)
	for i := 1; i < nsyms; i++ {
		hash = le.AppendUint32(hash, uint32((i+1)%nsyms))
	}

	verdef := []byte{}
	def := func(flags, index uint16, name string, nameOff, next uint32) {
		for _, h := range []uint16{1, flags, index, 1} {
			verdef = le.AppendUint16(verdef, h)
		}
		for _, w := range []uint32{elfHash(name), 20, next, nameOff, 0} {
			verdef = le.AppendUint32(verdef, w)
		}
	}
	def(1, 1, vdsoSoname, soname, 28) // VER_FLG_BASE
	def(0, 2, vdsoVersion, version, 0)

	put := uint64(ehdrSize + 3*phdrSize)
	section := func(b []byte) uint64 {
		put = (put + 7) &^ 7
		here := put
		put += uint64(copy(img[put:], b))
		return here
	}
	hashAt, symAt, strAt, versymAt, verdefAt := section(hash), section(syms), section(strtab), section(versym), section(verdef)
	var dyn []byte
	for _, d := range [][2]uint64{
		{uint64(elf.DT_SONAME), uint64(soname)}, {uint64(elf.DT_HASH), hashAt}, {uint64(elf.DT_STRTAB), strAt}, {uint64(elf.DT_SYMTAB), symAt},
		{uint64(elf.DT_STRSZ), uint64(len(strtab))}, {uint64(elf.DT_SYMENT), 24}, {uint64(elf.DT_VERSYM), versymAt},
		{uint64(elf.DT_VERDEF), verdefAt}, {uint64(elf.DT_VERDEFNUM), 2}, {uint64(elf.DT_NULL), 0},
	} {
		dyn = le.AppendUint64(le.AppendUint64(dyn, d[0]), d[1])
	}
	dynAt := section(dyn)
	note := le.AppendUint32(le.AppendUint32(le.AppendUint32(nil, 6), 4), 0)
	note = append(note, "Linux\x00\x00\x00"...)
	note = le.AppendUint32(note, 0x060c00) // the kernel version that the system calls follow
	noteAt := section(note)
	if put > vdsoCodeOffset {
		panic("BUG: loader: the vDSO's tables run into its code")
	}

	copy(img, elf.ELFMAG)
	img[elf.EI_CLASS], img[elf.EI_DATA], img[elf.EI_VERSION] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)
	le.PutUint16(img[16:], uint16(elf.ET_DYN))
	le.PutUint16(img[18:], uint16(elf.EM_AARCH64))
	le.PutUint32(img[20:], uint32(elf.EV_CURRENT))
	le.PutUint64(img[32:], ehdrSize)
	le.PutUint16(img[52:], ehdrSize)
	le.PutUint16(img[54:], phdrSize)
	le.PutUint16(img[56:], 3)
	for i, p := range [][4]uint64{
		{uint64(elf.PT_LOAD), uint64(elf.PF_R | elf.PF_X), 0, codeEnd},
		{uint64(elf.PT_DYNAMIC), uint64(elf.PF_R), dynAt, uint64(len(dyn))},
		{uint64(elf.PT_NOTE), uint64(elf.PF_R), noteAt, uint64(len(note))},
	} {
		h := img[ehdrSize+i*phdrSize:]
		le.PutUint32(h, uint32(p[0]))
		le.PutUint32(h[4:], uint32(p[1]))
		for j, v := range []uint64{p[2], p[2], p[2], p[3], p[3], 8} {
			le.PutUint64(h[8+8*j:], v)
		}
	}
	return img, sigreturn
}

// MapVDSO maps the vDSO into the guest.
func MapVDSO(m *cpu.Memory) (*VDSO, error) {
	img, sigreturn := vdsoImage()
	at, errno := m.Map(0, vdsoSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS, -1, 0)
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
