package syscalls

import (
	"encoding/binary"

	"emu/cpu"

	"golang.org/x/sys/unix"
)

// pagesAtOnce is how many entries of pagemap are read at a time, and copyAtOnce how many
// bytes of memory.
const (
	pagesAtOnce = 1 << 16
	copyAtOnce  = 1 << 20
)

// ownMemory reads the process's memory whatever its protection, by files of /proc.
type ownMemory struct {
	mem, pagemap int  // -1 if they cannot be opened
	absent       bool // see Process.absent
	entries      []byte
	buf          []byte // copyAtOnce bytes
}

func openOwnMemory(p *Process) *ownMemory {
	m := &ownMemory{mem: -1, pagemap: -1, absent: p.absent.Load(), entries: make([]byte, 8*pagesAtOnce), buf: make([]byte, copyAtOnce)}
	if fd, err := p.openProc("self/mem", unix.O_RDONLY|unix.O_CLOEXEC); err == nil {
		m.mem = fd
	}
	if fd, err := p.openProc("self/pagemap", unix.O_RDONLY|unix.O_CLOEXEC); err == nil {
		m.pagemap = fd
	}
	return m
}

func (m *ownMemory) close() {
	for _, fd := range [...]int{m.mem, m.pagemap} {
		if fd >= 0 {
			unix.Close(fd)
		}
	}
}

// present returns a function that tells whether there is anything in a page, given its
// number, for n pages from at on, at most pagesAtOnce. Of private anonymous memory (touched)
// those that are nowhere are zero; of other memory they have to be looked at, unless threads
// of the guest would have to provide them (userfaultfd(2)), which stand still.
func (m *ownMemory) present(at, n uint64, touched bool) func(page uint64) bool {
	const inMemory, inSwap = 1 << 63, 1 << 62
	first := at / cpu.PageSize
	all := func(uint64) bool { return true }
	if !touched && !m.absent {
		return all
	}
	entries := m.entries[:8*n]
	if got, err := unix.Pread(m.pagemap, entries, int64(8*first)); err != nil || got != len(entries) {
		return all
	}
	return func(page uint64) bool {
		return binary.LittleEndian.Uint64(entries[8*(page-first):])&(inMemory|inSwap) != 0
	}
}

// read reads whole pages up to the first that cannot be read, and returns how many bytes.
func (m *ownMemory) read(at uint64, b []byte) int {
	if m.mem >= 0 {
		n, err := unix.Pread(m.mem, b, int64(at))
		if err != nil {
			return 0
		}
		return n &^ (cpu.PageSize - 1)
	}
	if across(unix.SYS_PROCESS_VM_READV, b[:cpu.PageSize], at) != 0 {
		return 0
	}
	return cpu.PageSize
}
