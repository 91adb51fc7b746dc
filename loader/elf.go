// Package loader brings arm64 ELF programs into the guest's address space and
// builds the stack that they start on, as Linux's fs/binfmt_elf.c does.
package loader

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"emu/cpu"

	"golang.org/x/sys/unix"
)

// Image is an ELF file mapped into the guest.
type Image struct {
	Entry     uint64 // first instruction of this file
	Bias      uint64 // added to the file's addresses; 0 for fixed executables
	Start     uint64 // lowest mapped address
	End       uint64 // end of the highest segment, bss included
	Phdr      uint64 // where the program headers are in memory
	PhNum     uint64
	Interp    string // PT_INTERP, empty for static programs
	BTI       bool   // the GNU property note asks for branch target enforcement
	ExecStack bool   // PT_GNU_STACK asks for an executable stack
}

// FormatError is a file that the kernel would refuse with ENOEXEC, and why.
type FormatError struct{ Path, Reason string }

func (e *FormatError) Error() string { return e.Path + ": " + e.Reason }

// Unwrap makes the errno of execve(2) visible to errors.Is.
func (e *FormatError) Unwrap() error { return unix.ENOEXEC }

// The kernel refuses more program headers than fit into 64 KiB.
const maxPhdrs = 65536 / phdrSize

const (
	ehdrSize = 64
	phdrSize = 56
)

// peBases are where position-independent files go: the program, then the dynamic
// linker. Addresses that do not change let processes share generated code.
var peBases = [...]uint64{0x5500_0000_0000, 0x7cff_0000_0000}

type segment struct {
	typ, flags                       uint32
	off, vaddr, filesz, memsz, align uint64
}

func (s segment) prot() int {
	p := 0
	if s.flags&uint32(elf.PF_R) != 0 {
		p |= unix.PROT_READ
	}
	if s.flags&uint32(elf.PF_W) != 0 {
		p |= unix.PROT_WRITE
	}
	if s.flags&uint32(elf.PF_X) != 0 {
		p |= unix.PROT_EXEC
	}
	return p
}

// header reads and checks the ELF header and the program headers.
func header(path string, f io.ReaderAt) (typ elf.Type, entry, phoff uint64, segs []segment, err error) {
	bad := func(format string, a ...any) (elf.Type, uint64, uint64, []segment, error) {
		return 0, 0, 0, nil, &FormatError{path, fmt.Sprintf(format, a...)}
	}
	var h [ehdrSize]byte
	if n, err := f.ReadAt(h[:], 0); err != nil {
		if !errors.Is(err, io.EOF) {
			return 0, 0, 0, nil, fmt.Errorf("%s: %w", path, err)
		}
		if n < 4 || string(h[:4]) != elf.ELFMAG {
			return bad("not an ELF file")
		}
		return bad("truncated ELF header")
	}
	le := binary.LittleEndian
	switch {
	case string(h[:4]) != elf.ELFMAG:
		return bad("not an ELF file")
	case elf.Class(h[elf.EI_CLASS]) != elf.ELFCLASS64:
		return bad("%v, need ELFCLASS64: 32-bit programs are not supported", elf.Class(h[elf.EI_CLASS]))
	case elf.Data(h[elf.EI_DATA]) != elf.ELFDATA2LSB:
		return bad("%v: big-endian programs are not supported", elf.Data(h[elf.EI_DATA]))
	case elf.Machine(le.Uint16(h[18:])) != elf.EM_AARCH64:
		return bad("built for %v, not for arm64 (EM_AARCH64)", elf.Machine(le.Uint16(h[18:])))
	}
	typ = elf.Type(le.Uint16(h[16:]))
	entry, phoff = le.Uint64(h[24:]), le.Uint64(h[32:])
	phentsize, phnum := le.Uint16(h[54:]), int(le.Uint16(h[56:]))
	switch {
	case typ != elf.ET_EXEC && typ != elf.ET_DYN:
		return bad("%v is not an executable", typ)
	case phentsize != phdrSize:
		return bad("program header size %d, want %d", phentsize, phdrSize)
	case phnum < 1 || phnum > maxPhdrs:
		return bad("%d program headers", phnum)
	case phoff > 1<<62:
		return bad("program headers at offset %#x", phoff)
	}
	raw := make([]byte, phnum*phdrSize)
	if _, err := f.ReadAt(raw, int64(phoff)); err != nil {
		return bad("program headers at offset %#x lie outside of the file", phoff)
	}
	for ; len(raw) > 0; raw = raw[phdrSize:] {
		segs = append(segs, segment{
			typ: le.Uint32(raw), flags: le.Uint32(raw[4:]), off: le.Uint64(raw[8:]), vaddr: le.Uint64(raw[16:]),
			filesz: le.Uint64(raw[32:]), memsz: le.Uint64(raw[40:]), align: le.Uint64(raw[48:]),
		})
	}
	return typ, entry, phoff, segs, nil
}

// Load maps the program in f into m. path is used in errors only. On error the
// guest's address space may hold part of the file.
func Load(m *cpu.Memory, f *os.File, path string) (*Image, error) {
	typ, entry, phoff, segs, err := header(path, f)
	if err != nil {
		return nil, err
	}
	bad := func(format string, a ...any) (*Image, error) {
		return nil, &FormatError{path, fmt.Sprintf(format, a...)}
	}
	img := &Image{PhNum: uint64(len(segs)), ExecStack: true}
	lo, hi, align := uint64(1)<<63, uint64(0), uint64(cpu.PageSize)
	loads := 0
	for i, s := range segs {
		switch elf.ProgType(s.typ) {
		case elf.PT_LOAD:
			end := s.vaddr + s.memsz
			switch {
			case s.filesz > s.memsz:
				return bad("segment %d: file size %#x exceeds memory size %#x", i, s.filesz, s.memsz)
			case end < s.vaddr || end > cpu.MaxAddr:
				return bad("segment %d: addresses %#x-%#x are outside of the 47-bit address space", i, s.vaddr, end)
			case (s.vaddr-s.off)%cpu.PageSize != 0 && s.filesz != 0:
				return bad("segment %d: address %#x and offset %#x differ modulo the page size", i, s.vaddr, s.off)
			}
			if s.align > align && s.align&(s.align-1) == 0 && s.align <= 1<<30 {
				align = s.align
			}
			loads++
			lo, hi = min(lo, s.vaddr&^(cpu.PageSize-1)), max(hi, end)
		case elf.PT_INTERP:
			if img.Interp, err = interp(path, f, s); err != nil {
				return nil, err
			}
		case elf.PT_GNU_STACK:
			img.ExecStack = s.flags&uint32(elf.PF_X) != 0
		case elf.PT_GNU_PROPERTY:
			img.BTI = bti(f, s)
		}
	}
	if loads == 0 {
		return bad("no loadable segment")
	}
	if typ == elf.ET_DYN {
		if img.Bias, err = place(m, lo, hi, align); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	for i, s := range segs {
		if elf.ProgType(s.typ) != elf.PT_LOAD {
			continue
		}
		if err := mapSegment(m, f, s, img.Bias, typ == elf.ET_EXEC); err != nil {
			return nil, fmt.Errorf("%s: segment %d at %#x: %w", path, i, s.vaddr+img.Bias, err)
		}
		if phoff >= s.off && phoff < s.off+s.filesz {
			img.Phdr = phoff - s.off + s.vaddr + img.Bias
		}
	}
	img.Start, img.End, img.Entry = lo+img.Bias, hi+img.Bias, entry+img.Bias
	return img, nil
}

// interp reads the path in a PT_INTERP segment.
func interp(path string, f io.ReaderAt, s segment) (string, error) {
	if s.filesz < 2 || s.filesz > unix.PathMax {
		return "", &FormatError{path, fmt.Sprintf("interpreter path of %d bytes", s.filesz)}
	}
	b := make([]byte, s.filesz)
	if _, err := f.ReadAt(b, int64(s.off&(1<<63-1))); err != nil || b[len(b)-1] != 0 {
		return "", &FormatError{path, "interpreter path is not a string inside the file"}
	}
	for i, c := range b {
		if c == 0 {
			return string(b[:i]), nil
		}
	}
	return "", nil
}

// bti reports whether a PT_GNU_PROPERTY note has GNU_PROPERTY_AARCH64_FEATURE_1_BTI
// (System V ABI for AArch64, "Program Property").
func bti(f io.ReaderAt, s segment) bool {
	const (
		noteHeader   = 16 // namesz, descsz, type, "GNU\0"
		feature1And  = 0xc0000000
		feature1BTI  = 1
		maxNoteBytes = 1024
	)
	if s.filesz < noteHeader+16 || s.filesz > maxNoteBytes {
		return false
	}
	b := make([]byte, s.filesz)
	if _, err := f.ReadAt(b, int64(s.off&(1<<63-1))); err != nil || string(b[12:16]) != "GNU\x00" {
		return false
	}
	le := binary.LittleEndian
	for b = b[noteHeader:]; len(b) >= 12; {
		typ, size := le.Uint32(b), le.Uint32(b[4:])
		if typ == feature1And && size == 4 {
			return le.Uint32(b[8:])&feature1BTI != 0
		}
		skip := 8 + (uint64(size)+7)&^7
		if skip > uint64(len(b)) {
			return false
		}
		b = b[skip:]
	}
	return false
}

// Guard protects the image's code with BTI if it asks for that. The kernel does so
// for the dynamic linker, which sees to all else, and for static programs
// (arch_elf_adjust_prot in arch/arm64/kernel/process.c).
func (img *Image) Guard(m *cpu.Memory) {
	if !img.BTI {
		return
	}
	for _, r := range m.Regions() {
		if r.Start >= img.Start && r.End <= img.End && r.Prot&unix.PROT_EXEC != 0 {
			m.Protect(r.Start, r.End-r.Start, r.Prot|cpu.ProtBTI)
		}
	}
}

// place reserves room for a position-independent file and returns its bias.
func place(m *cpu.Memory, lo, hi, align uint64) (uint64, error) {
	size := hi - lo
	const flags = unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_NORESERVE
	at, errno := uint64(0), unix.EEXIST
	for i := 0; i < len(peBases) && errno == unix.EEXIST; i++ {
		at, errno = m.Map(peBases[i], size+align, unix.PROT_NONE, flags|unix.MAP_FIXED_NOREPLACE, -1, 0)
	}
	if errno == unix.EEXIST {
		at, errno = m.Map(0, size+align, unix.PROT_NONE, flags, -1, 0)
	}
	if errno != 0 {
		return 0, fmt.Errorf("no room for %d bytes: %w", size, errno)
	}
	base := (at + align - 1) &^ (align - 1)
	if base > at {
		m.Unmap(at, base-at)
	}
	end := (base + size + cpu.PageSize - 1) &^ (cpu.PageSize - 1)
	if stop := (at + size + align + cpu.PageSize - 1) &^ (cpu.PageSize - 1); stop > end {
		m.Unmap(end, stop-end)
	}
	return base - lo, nil
}
