package loader

import (
	"debug/elf"
	"encoding/binary"
)

// Sizes and values of the vDSO's tables (System V ABI; symbol versions as in the
// Linux Standard Base).
const (
	symSize       = 24 // Elf64_Sym
	verdefEntry   = 28 // Elf64_Verdef and its one Elf64_Verdaux
	verdefAux     = 20 // Elf64_Verdef alone, where the Verdaux follows
	verFlagBase   = 1  // VER_FLG_BASE: the file itself
	versionBase   = 1  // indexes of the two versions
	versionLinux  = 2
	numVersions   = 2
	textSection   = 1        // the section of the functions
	shdrSize      = 64       // Elf64_Shdr
	noteVersion   = 0        // type of the note that tells the kernel's version
	kernelVersion = 0x060c00 // the one that the system calls follow
	vdsoHeaders   = 3        // program headers
)

// imageWriter collects the tables of a shared object and puts them behind its headers.
type imageWriter struct {
	img    []byte
	next   uint64 // where the next table goes
	strtab []byte
}

// str adds a string to the string table and returns its place there.
func (w *imageWriter) str(s string) uint32 {
	at := len(w.strtab)
	w.strtab = append(append(w.strtab, s...), 0)
	return uint32(at)
}

// table puts b behind what is there and returns its offset.
func (w *imageWriter) table(b []byte) uint64 {
	w.next = (w.next + 7) &^ 7
	here := w.next
	w.next += uint64(copy(w.img[w.next:], b))
	return here
}

// vdsoImage builds the shared object: ELF header, program headers, hash,
// symbols, strings, version definitions, dynamic section, note, code, section headers.
func vdsoImage() (image []byte, sigreturn uint64) {
	w := &imageWriter{img: make([]byte, vdsoSize), next: ehdrSize + vdsoHeaders*phdrSize, strtab: []byte{0}}
	soname, version := w.str(vdsoSoname), w.str(vdsoVersion)
	syms, versym, codeEnd, sigreturn := w.functions()
	hash, verdef := symbolHash(len(vdsoFuncs)+1), versions(soname, version)
	hashAt, symAt, strAt := w.table(hash), w.table(syms), w.table(w.strtab)
	versymAt, verdefAt := w.table(versym), w.table(verdef)
	var dyn []byte
	for _, d := range [][2]uint64{
		{uint64(elf.DT_SONAME), uint64(soname)}, {uint64(elf.DT_HASH), hashAt}, {uint64(elf.DT_STRTAB), strAt}, {uint64(elf.DT_SYMTAB), symAt},
		{uint64(elf.DT_STRSZ), uint64(len(w.strtab))}, {uint64(elf.DT_SYMENT), symSize}, {uint64(elf.DT_VERSYM), versymAt},
		{uint64(elf.DT_VERDEF), verdefAt}, {uint64(elf.DT_VERDEFNUM), numVersions}, {uint64(elf.DT_NULL), 0},
	} {
		dyn = words64(dyn, d[0], d[1])
	}
	dynAt := w.table(dyn)
	const owner = "Linux\x00"
	note := words32(nil, uint32(len(owner)), 4, noteVersion)
	note = words32(append(note, owner+"\x00\x00"...), kernelVersion)
	noteAt := w.table(note)
	if w.next > vdsoCodeOffset {
		panic("BUG: loader: the vDSO's tables run into its code")
	}
	w.headers([vdsoHeaders]segment{
		{typ: uint32(elf.PT_LOAD), flags: uint32(elf.PF_R | elf.PF_X), filesz: codeEnd},
		{typ: uint32(elf.PT_DYNAMIC), flags: uint32(elf.PF_R), off: dynAt, filesz: uint64(len(dyn))},
		{typ: uint32(elf.PT_NOTE), flags: uint32(elf.PF_R), off: noteAt, filesz: uint64(len(note))},
	})
	const dynsym, dynstr = 3, 4 // the sections' numbers
	w.sections(codeEnd, []section{
		textSection: {name: ".text", typ: elf.SHT_PROGBITS, flags: elf.SHF_EXECINSTR, at: vdsoCodeOffset, size: codeEnd - vdsoCodeOffset},
		2:           {name: ".hash", typ: elf.SHT_HASH, at: hashAt, size: uint64(len(hash)), link: dynsym, entry: 4},
		dynsym:      {name: ".dynsym", typ: elf.SHT_DYNSYM, at: symAt, size: uint64(len(syms)), link: dynstr, info: 1, entry: symSize},
		dynstr:      {name: ".dynstr", typ: elf.SHT_STRTAB, at: strAt, size: uint64(len(w.strtab))},
		5:           {name: ".gnu.version", typ: elf.SHT_GNU_VERSYM, at: versymAt, size: uint64(len(versym)), link: dynsym, entry: 2},
		6:           {name: ".gnu.version_d", typ: elf.SHT_GNU_VERDEF, at: verdefAt, size: uint64(len(verdef)), link: dynstr, info: numVersions},
		7:           {name: ".dynamic", typ: elf.SHT_DYNAMIC, flags: elf.SHF_WRITE, at: dynAt, size: uint64(len(dyn)), link: dynstr, entry: 16},
		8:           {name: ".note", typ: elf.SHT_NOTE, at: noteAt, size: uint64(len(note))},
	})
	return w.img, sigreturn
}

// section is a section header.
type section struct {
	name       string
	typ        elf.SectionType
	flags      elf.SectionFlag
	at, size   uint64
	link, info uint32
	entry      uint64
}

// sections writes the section headers and their names behind the code. Debuggers find the
// symbols by them, and libraries the kernel's version.
func (w *imageWriter) sections(at uint64, list []section) {
	le, align := binary.LittleEndian, uint64(8)
	names := []byte{0}
	var headers []byte
	add := func(s section, name uint32) {
		headers = words32(headers, name, uint32(s.typ))
		headers = words64(headers, uint64(s.flags), s.at, s.at, s.size)
		headers = words32(headers, s.link, s.info)
		headers = words64(headers, align, s.entry)
	}
	for i, s := range list {
		if i == 0 {
			headers = make([]byte, shdrSize)
			continue
		}
		s.flags |= elf.SHF_ALLOC
		add(s, uint32(len(names)))
		names = append(append(names, s.name...), 0)
	}
	const own = ".shstrtab"
	w.next = at
	nameAt := uint32(len(names))
	names = append(append(names, own...), 0)
	add(section{typ: elf.SHT_STRTAB, at: (at + align - 1) &^ (align - 1), size: uint64(len(names))}, nameAt)
	w.table(names)
	if w.next+align+uint64(len(headers)) > uint64(len(w.img)) {
		panic("BUG: loader: the vDSO's section headers do not fit behind its code")
	}
	le.PutUint64(w.img[40:], w.table(headers)) // e_shoff
	le.PutUint16(w.img[58:], shdrSize)
	le.PutUint16(w.img[60:], uint16(len(list)+1))
	le.PutUint16(w.img[62:], uint16(len(list))) // e_shstrndx
}

// functions writes the code and returns the symbols and their versions.
func (w *imageWriter) functions() (syms, versym []byte, codeEnd, sigreturn uint64) {
	le := binary.LittleEndian
	syms, versym = make([]byte, symSize), []byte{0, 0} // the null symbol
	at := uint64(vdsoCodeOffset)
	le.PutUint32(w.img[at:], a64Nop)
	at += 4
	for _, f := range vdsoFuncs {
		if f.name == "__kernel_rt_sigreturn" {
			sigreturn = at
		}
		syms = words32(syms, w.str(f.name))
		syms = append(syms, byte(elf.STB_GLOBAL)<<4|byte(elf.STT_FUNC), 0)
		syms = le.AppendUint16(syms, textSection)
		syms = words64(syms, at, uint64(4*len(f.code)))
		versym = le.AppendUint16(versym, versionLinux)
		for _, word := range f.code {
			le.PutUint32(w.img[at:], word)
			at += 4
		}
	}
	return syms, versym, at, sigreturn
}

// symbolHash is DT_HASH of n symbols: one bucket, all of them chained.
func symbolHash(n int) []byte {
	hash := words32(nil, 1, uint32(n), 1, 0)
	for i := 1; i < n; i++ {
		hash = words32(hash, uint32((i+1)%n))
	}
	return hash
}

// versions is DT_VERDEF: the file's own name and the version of all symbols, by their
// places in the string table.
func versions(soname, version uint32) []byte {
	var b []byte
	def := func(flags, index uint16, name string, nameOff, next uint32) {
		for _, h := range []uint16{1, flags, index, 1} {
			b = binary.LittleEndian.AppendUint16(b, h)
		}
		b = words32(b, elfHash(name), verdefAux, next, nameOff, 0)
	}
	def(verFlagBase, versionBase, vdsoSoname, soname, verdefEntry)
	def(0, versionLinux, vdsoVersion, version, 0)
	return b
}

// headers writes the ELF header and program headers for segments whose addresses are their
// offsets.
func (w *imageWriter) headers(segs [vdsoHeaders]segment) {
	le, img := binary.LittleEndian, w.img
	copy(img, elf.ELFMAG)
	img[elf.EI_CLASS], img[elf.EI_DATA], img[elf.EI_VERSION] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)
	le.PutUint16(img[16:], uint16(elf.ET_DYN))
	le.PutUint16(img[18:], uint16(elf.EM_AARCH64))
	le.PutUint32(img[20:], uint32(elf.EV_CURRENT))
	le.PutUint64(img[32:], ehdrSize) // e_phoff
	le.PutUint16(img[52:], ehdrSize)
	le.PutUint16(img[54:], phdrSize)
	le.PutUint16(img[56:], vdsoHeaders)
	for i, s := range segs {
		h := words32(nil, s.typ, s.flags)
		h = words64(h, s.off, s.off, s.off, s.filesz, s.filesz, 8)
		copy(img[ehdrSize+i*phdrSize:], h)
	}
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

func words32(b []byte, words ...uint32) []byte {
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

func words64(b []byte, words ...uint64) []byte {
	for _, w := range words {
		b = binary.LittleEndian.AppendUint64(b, w)
	}
	return b
}
