package loader

import (
	"cmp"
	"debug/elf"
	"io"
	"slices"
	"strings"
)

// Symbols are the functions of an ELF file, to be found by their place in the file:
// that is what the guest's mappings tell of an address.
type Symbols struct {
	segments []filePart
	funcs    []function // sorted by address
}

type filePart struct{ off, addr, size uint64 }

type function struct {
	addr, size uint64
	name       string
}

// ReadSymbols reads the symbol tables of an ELF file, the full one and that of the
// dynamic linker. Files without either have no functions.
func ReadSymbols(r io.ReaderAt) (*Symbols, error) {
	f, err := elf.NewFile(r)
	if err != nil {
		return nil, err
	}
	s := &Symbols{}
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD {
			s.segments = append(s.segments, filePart{p.Off, p.Vaddr, p.Filesz})
		}
	}
	// Errors mean that there is no such table.
	full, _ := f.Symbols()
	dynamic, _ := f.DynamicSymbols()
	for _, sym := range append(full, dynamic...) {
		if isFunction(f, &sym) {
			s.funcs = append(s.funcs, function{sym.Value, sym.Size, sym.Name})
		}
	}
	// Of several names at an address the one with a size comes first, then the one
	// with the fewest underscores in front.
	slices.SortStableFunc(s.funcs, func(a, b function) int {
		return cmp.Or(cmp.Compare(a.addr, b.addr), cmp.Compare(b.size, a.size), cmp.Compare(underscores(a.name), underscores(b.name)))
	})
	s.funcs = slices.CompactFunc(s.funcs, func(a, b function) bool { return a.addr == b.addr })
	return s, nil
}

func underscores(name string) int { return len(name) - len(strings.TrimLeft(name, "_")) }

// isFunction reports whether sym names code. Labels of assembly have no type;
// names that begin with $ mark where code and data begin (AAELF64, mapping symbols).
func isFunction(f *elf.File, sym *elf.Symbol) bool {
	n := int(sym.Section)
	if sym.Name == "" || sym.Name[0] == '$' || n <= 0 || n >= len(f.Sections) {
		return false
	}
	switch elf.ST_TYPE(sym.Info) {
	case elf.STT_FUNC, elf.STT_GNU_IFUNC:
		return true
	case elf.STT_NOTYPE:
		return f.Sections[n].Flags&elf.SHF_EXECINSTR != 0
	}
	return false
}

// Find returns the function that holds the byte at offset off of the file, and how
// far into it that is.
func (s *Symbols) Find(off uint64) (name string, delta uint64, ok bool) {
	addr, ok := addrAt(s.segments, off)
	if !ok {
		return "", 0, false
	}
	n, exact := slices.BinarySearchFunc(s.funcs, addr, func(f function, a uint64) int { return cmp.Compare(f.addr, a) })
	if !exact {
		n--
	}
	if n < 0 {
		return "", 0, false
	}
	f := &s.funcs[n]
	if delta = addr - f.addr; f.size != 0 && delta >= f.size {
		return "", 0, false
	}
	return f.name, delta, true
}

// addrAt is the address in the file's own terms of what lies at an offset of it.
func addrAt(segments []filePart, off uint64) (addr uint64, ok bool) {
	at := slices.IndexFunc(segments, func(g filePart) bool { return off >= g.off && off-g.off < g.size })
	if at < 0 {
		return 0, false
	}
	return segments[at].addr + off - segments[at].off, true
}
