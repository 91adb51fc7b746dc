package loader

import (
	"fmt"
	"os"

	"emu/cpu"

	"golang.org/x/sys/unix"
)

// mapSegment maps the file's part of a segment and zero pages for the rest (elf_load in
// fs/binfmt_elf.c), which are writable whatever the segment is. Where segments share pages, the later one has them. fresh says that nothing
// has been reserved for the segment.
func mapSegment(m *cpu.Memory, f *os.File, s segment, bias uint64, fresh bool) error {
	if s.memsz == 0 {
		return nil
	}
	const page = cpu.PageSize
	addr := s.vaddr + bias
	start, fileEnd, end := addr&^(page-1), addr+s.filesz, addr+s.memsz
	prot := s.prot()
	mapped := start
	if s.filesz > 0 {
		if err := mapAt(m, start, fileEnd, prot, 0, int(f.Fd()), int64(s.off-(addr-start)), fresh); err != nil {
			return err
		}
		mapped = (fileEnd + page - 1) &^ (page - 1)
	}
	if end > mapped {
		bss := unix.PROT_READ | unix.PROT_WRITE | prot&unix.PROT_EXEC
		if err := mapAt(m, mapped, end, bss, unix.MAP_ANONYMOUS, -1, 0, fresh); err != nil {
			return err
		}
	}
	// The kernel clears the whole rest of the page (padzero), and glibc's dynamic
	// linker allocates its first objects there.
	if s.filesz > 0 && end > fileEnd && fileEnd < mapped && prot&unix.PROT_WRITE != 0 {
		return zero(fileEnd, mapped)
	}
	return nil
}

// mapAt maps [start, end), over other segments if need be: the kernel has MAP_FIXED for all but
// the first. MAP_FIXED_NOREPLACE comes first where it is likely to do, as it takes the host one
// system call instead of two.
func mapAt(m *cpu.Memory, start, end uint64, prot, flags, fd int, off int64, fresh bool) error {
	flags |= unix.MAP_PRIVATE
	errno := unix.EEXIST
	if fresh {
		_, errno = m.Map(start, end-start, prot, flags|unix.MAP_FIXED_NOREPLACE, fd, off)
	}
	if errno == unix.EEXIST {
		_, errno = m.Map(start, end-start, prot, flags|unix.MAP_FIXED, fd, off)
	}
	switch errno {
	case 0:
		return nil
	case unix.ENOMEM:
		if from, to, ok := m.Obstacle(start, end); ok {
			return fmt.Errorf("the addresses %#x-%#x are needed, and %#x-%#x are the emulator's own (was it linked by `make build`?)", start, end, from, to)
		}
	}
	return fmt.Errorf("mapping %d bytes at %#x: %w", end-start, start, errno)
}
