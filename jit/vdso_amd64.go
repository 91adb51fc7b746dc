package jit

import (
	"debug/elf"
	"encoding/binary"
	"unsafe"

	"golang.org/x/sys/unix"
)

// atSysinfoEhdr is AT_SYSINFO_EHDR: the auxiliary vector's entry with the address
// of the vDSO.
const atSysinfoEhdr = 33

// maxVDSO bounds the vDSO's size: a kernel's has two or three pages.
const maxVDSO = 64 << 10

// findVDSO returns the addresses of the functions that the host's kernel has
// mapped into the process (vdso(7)), by name. There may be none.
func findVDSO() map[string]uintptr {
	aux, err := unix.Auxv()
	if err != nil {
		return nil
	}
	for _, a := range aux {
		if a[0] == atSysinfoEhdr && a[1] != 0 {
			return vdsoSymbols(a[1])
		}
	}
	return nil
}

func hostBytes(addr, n uintptr) []byte {
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&addr))), n)
}

// vdsoSymbols reads the dynamic symbols of the shared object in memory at base,
// which its one PT_LOAD segment maps whole.
func vdsoSymbols(base uintptr) map[string]uintptr {
	const ehdrSize, phdrSize, dynSize, symSize = 64, 56, 16, 24
	le := binary.LittleEndian
	head := hostBytes(base, ehdrSize)
	phoff, phnum := uintptr(le.Uint64(head[32:])), uintptr(le.Uint16(head[56:]))
	size, load, dynamic := uintptr(0), uint64(0), uint64(0)
	for i := range phnum {
		ph := hostBytes(base+phoff+i*phdrSize, phdrSize)
		switch elf.ProgType(le.Uint32(ph)) {
		case elf.PT_LOAD:
			load, size = le.Uint64(ph[16:]), uintptr(le.Uint64(ph[40:]))
		case elf.PT_DYNAMIC:
			dynamic = le.Uint64(ph[16:])
		}
	}
	if size == 0 || size > maxVDSO || dynamic == 0 {
		return nil
	}
	image := hostBytes(base, size)
	var tags [elf.DT_SYMENT + 1]uint64
	for d := image[dynamic-load:]; len(d) >= dynSize && le.Uint64(d) != uint64(elf.DT_NULL); d = d[dynSize:] {
		if tag := le.Uint64(d); tag < uint64(len(tags)) {
			tags[tag] = le.Uint64(d[8:]) - load
		}
	}
	sym, str := tags[elf.DT_SYMTAB], tags[elf.DT_STRTAB]
	if sym == 0 || str <= sym || str > uint64(size) {
		return nil // the string table follows the symbols in every vDSO
	}
	found := map[string]uintptr{}
	for s := image[sym:str]; len(s) >= symSize; s = s[symSize:] {
		at, section, value := uint64(le.Uint32(s)), le.Uint16(s[6:]), le.Uint64(s[8:])
		if section == 0 || str+at >= uint64(size) {
			continue
		}
		name := image[str+at:]
		for i, c := range name {
			if c == 0 {
				found[string(name[:i])] = base + uintptr(value-load)
				break
			}
		}
	}
	return found
}
