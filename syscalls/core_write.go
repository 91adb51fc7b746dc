package syscalls

import (
	"debug/elf"
	"encoding/binary"

	"emu/cpu"

	"golang.org/x/sys/unix"
)

// coreWriter writes a core file from its beginning to its end. What is left out of it
// reads as zero and takes no room.
type coreWriter struct {
	fd   int
	at   int64  // where the next byte goes
	end  int64  // where the last one that was written ends
	left uint64 // of RLIMIT_CORE, for which what is left out does not count
	err  error
}

// emit writes b, and reports whether there was room for all of it.
func (w *coreWriter) emit(b []byte) bool {
	fits := b[:min(uint64(len(b)), w.left)]
	for len(fits) > 0 {
		n, err := unix.Pwrite(w.fd, fits, w.at)
		if err == unix.EINTR {
			continue
		}
		if err == nil && n == 0 {
			err = unix.EIO
		}
		if err != nil {
			w.err = err
			return false
		}
		w.at += int64(n)
		w.end = w.at
		w.left -= uint64(n)
		fits, b = fits[n:], b[n:]
	}
	if len(b) != 0 {
		w.err = unix.EFBIG // RLIMIT_CORE
	}
	return len(b) == 0
}

// skip leaves n bytes out.
func (w *coreWriter) skip(n uint64) { w.at += int64(n) }

// writeCore writes the file: header, program headers, notes, memory, tags of memory. It
// reports whether all of it is there.
func (w *coreWriter) writeCore(p *Process, segments []coreSegment, notes []byte) bool {
	phdrs, end := coreProgramHeaders(segments, uint64(len(notes)))
	header, extension := coreHeader(len(phdrs), end)
	head, _ := binary.Append(nil, binary.LittleEndian, &header)
	head, _ = binary.Append(head, binary.LittleEndian, phdrs)
	if !w.emit(head) || !w.emit(notes) {
		return false
	}
	w.at = pageUp(w.at)
	m := openOwnMemory(p)
	defer m.close()
	for i := range segments {
		if !w.emitMemory(m, &segments[i]) {
			return false
		}
	}
	for i := range segments {
		if segments[i].tagged && !w.emitTags(m, p.Mem, &segments[i]) {
			return false
		}
	}
	if !w.emit(extension) {
		return false
	}
	if w.at > w.end {
		w.err = unix.Ftruncate(w.fd, w.at)
	}
	return w.err == nil
}

// pageUp is where the next page begins: ELF_EXEC_PAGESIZE is what segments are aligned to.
func pageUp(at int64) int64 { return (at + cpu.PageSize - 1) &^ (cpu.PageSize - 1) }

// Memory tags in a core (Documentation/arch/arm64/memory-tagging-extension.rst): two tags a
// byte, that of the lower address in the lower half.
const (
	ptTags      = 0x70000002 // PT_AARCH64_MEMTAG_MTE
	tagsPerPage = cpu.PageSize / cpu.Granule
	tagsSize    = tagsPerPage / 2 // bytes for a page
)

// coreProgramHeaders are the program headers of a core with so many bytes of notes; end is
// where the last segment ends.
func coreProgramHeaders(segments []coreSegment, notes uint64) (phdrs []elf.Prog64, end uint64) {
	n := 1 + len(segments)
	for i := range segments {
		if segments[i].tagged {
			n++
		}
	}
	at := uint64(binary.Size(elf.Header64{}) + n*binary.Size(elf.Prog64{}))
	phdrs = append(phdrs, elf.Prog64{Type: uint32(elf.PT_NOTE), Off: at, Filesz: notes, Align: 4})
	at = uint64(pageUp(int64(at + notes)))
	for i := range segments {
		s := &segments[i]
		phdrs = append(phdrs, elf.Prog64{
			Type: uint32(elf.PT_LOAD), Flags: progFlags(s.prot), Off: at, Vaddr: s.start, Filesz: s.dump, Memsz: s.end - s.start, Align: cpu.PageSize,
		})
		at += s.dump
	}
	for i := range segments {
		if s := &segments[i]; s.tagged {
			phdrs = append(phdrs, elf.Prog64{Type: ptTags, Off: at, Vaddr: s.start, Filesz: s.dump / cpu.PageSize * tagsSize, Memsz: s.dump})
			at += s.dump / cpu.PageSize * tagsSize
		}
	}
	return phdrs, at
}

// coreHeader is the ELF header of a core with n program headers. More than it has room to
// count are counted by a section header, which then lies at end.
func coreHeader(n int, end uint64) (h elf.Header64, extension []byte) {
	const many = 0xffff // PN_XNUM
	h = elf.Header64{
		Type: uint16(elf.ET_CORE), Machine: uint16(elf.EM_AARCH64), Version: uint32(elf.EV_CURRENT),
		Phoff: uint64(binary.Size(h)), Ehsize: uint16(binary.Size(h)), Phentsize: uint16(binary.Size(elf.Prog64{})), Phnum: uint16(min(n, many)),
	}
	copy(h.Ident[:], elf.ELFMAG)
	h.Ident[elf.EI_CLASS], h.Ident[elf.EI_DATA], h.Ident[elf.EI_VERSION] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)
	if n >= many {
		h.Shoff, h.Shentsize, h.Shnum = end, uint16(binary.Size(elf.Section64{})), 1
		extension, _ = binary.Append(nil, binary.LittleEndian, &elf.Section64{Size: 1, Info: uint32(n)})
	}
	return h, extension
}

func progFlags(prot int) (flags uint32) {
	for bit, flag := range map[int]elf.ProgFlag{unix.PROT_READ: elf.PF_R, unix.PROT_WRITE: elf.PF_W, unix.PROT_EXEC: elf.PF_X} {
		if prot&bit != 0 {
			flags |= uint32(flag)
		}
	}
	return flags
}

// emitMemory writes what is dumped of a segment.
func (w *coreWriter) emitMemory(m *ownMemory, s *coreSegment) bool {
	end := s.start + s.dump
	for at := s.start; at < end; {
		window := min(end-at, pagesAtOnce*cpu.PageSize)
		there := m.present(at, window/cpu.PageSize, s.touched)
		for window > 0 {
			n := uint64(0)
			for n*cpu.PageSize < window && there(at/cpu.PageSize+n) == there(at/cpu.PageSize) {
				n++
			}
			if n *= cpu.PageSize; !there(at / cpu.PageSize) {
				w.skip(n)
			} else if !w.copyMemory(m, at, n) {
				return false
			}
			at += n
			window -= n
		}
	}
	return true
}

// emitTags writes the tags of what is dumped of a segment.
func (w *coreWriter) emitTags(m *ownMemory, mem *cpu.Memory, s *coreSegment) bool {
	end := s.start + s.dump
	for at := s.start; at < end; {
		window := min(end-at, pagesAtOnce*cpu.PageSize)
		there := m.present(at, window/cpu.PageSize, s.touched)
		for stop := at + window; at < stop; at += cpu.PageSize {
			if !there(at / cpu.PageSize) {
				w.skip(tagsSize)
				continue
			}
			var packed [tagsSize]byte
			for i, tag := range mem.Tags(at, tagsPerPage) {
				packed[i/2] |= tag & 15 << (i % 2 * 4)
			}
			if !w.emit(packed[:]) {
				return false
			}
		}
	}
	return true
}

// copyMemory writes [at, at+n), but pages of zeroes and those that cannot be read.
func (w *coreWriter) copyMemory(m *ownMemory, at, n uint64) bool {
	for n > 0 {
		b := m.buf[:min(n, copyAtOnce)]
		got := m.read(at, b)
		if got == 0 {
			w.skip(cpu.PageSize) // behind the end of its file
			at, n = at+cpu.PageSize, n-cpu.PageSize
			continue
		}
		at, n = at+uint64(got), n-uint64(got)
		for b = b[:got]; len(b) > 0; {
			size := cpu.PageSize
			empty := isZero(b[:size])
			for size < len(b) && isZero(b[size:size+cpu.PageSize]) == empty {
				size += cpu.PageSize
			}
			if empty {
				w.skip(uint64(size))
			} else if !w.emit(b[:size]) {
				return false
			}
			b = b[size:]
		}
	}
	return true
}

// isZero reports whether a page holds nothing but zeroes.
func isZero(page []byte) bool { return *(*[cpu.PageSize]byte)(page) == [cpu.PageSize]byte{} }
