package syscalls

import (
	"debug/elf"
	"os"

	"emu/cpu"

	"golang.org/x/sys/unix"
)

// The note that holds a program's build id, and the longest that the kernel takes.
const (
	buildIDNote = 3 // NT_GNU_BUILD_ID
	buildIDMax  = 20
)

// buildID returns the build id of the ELF file that a region shows, nil if it has none.
func buildID(r *cpu.Region) []byte {
	if !fileBacked(r) {
		return nil
	}
	f, err := os.OpenFile(r.Path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	var st unix.Stat_t
	if unix.Fstat(int(f.Fd()), &st) != nil || st.Dev != r.Dev || st.Ino != r.Ino || st.Mode&unix.S_IFMT != unix.S_IFREG {
		return nil
	}
	file, err := elf.NewFile(f)
	if err != nil {
		return nil
	}
	for _, p := range file.Progs {
		const most = 64 << 10
		if p.Type != elf.PT_NOTE || p.Filesz > most {
			continue
		}
		notes := make([]byte, p.Filesz)
		if _, err := p.ReadAt(notes, 0); err != nil {
			continue
		}
		if id := buildIDAmong(notes, file); id != nil {
			return id
		}
	}
	return nil
}

// buildIDAmong finds a build id among the notes of a file (struct elf64_note: the sizes of name
// and descriptor, the type; both padded to 4 bytes).
func buildIDAmong(notes []byte, file *elf.File) []byte {
	const header = 12
	for len(notes) >= header {
		name, desc, kind := uint64(file.ByteOrder.Uint32(notes)), uint64(file.ByteOrder.Uint32(notes[4:])), file.ByteOrder.Uint32(notes[8:])
		at := header + (name+3)&^3
		end := at + (desc+3)&^3
		if at+desc > uint64(len(notes)) {
			return nil
		}
		if kind == buildIDNote && name == 4 && string(notes[header:header+4]) == "GNU\x00" && desc > 0 && desc <= buildIDMax {
			return notes[at : at+desc]
		}
		notes = notes[min(end, uint64(len(notes))):]
	}
	return nil
}
