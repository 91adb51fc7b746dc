package syscalls

import (
	"fmt"
	"strings"

	"emu/cpu"

	"golang.org/x/sys/unix"
)

// maps prints the guest's address space as proc_pid_maps(5) describes.
func (p *Process) maps() []byte { return p.mapsText(p.Mem.Regions()) }

func (p *Process) mapsText(regions []cpu.Region) []byte {
	var b strings.Builder
	for _, r := range regions {
		b.WriteString(p.mapsLine(&r))
	}
	return []byte(b.String())
}

func (p *Process) mapsLine(r *cpu.Region) string {
	perm := []byte("---p")
	for i, f := range [...]int{unix.PROT_READ, unix.PROT_WRITE, unix.PROT_EXEC} {
		if r.Prot&f != 0 || r.Shadow && r.Prot&unix.PROT_READ != 0 && f == unix.PROT_WRITE {
			perm[i] = "rwx"[i]
		}
	}
	if r.Flags&unix.MAP_PRIVATE == 0 {
		perm[3] = 's'
	}
	line := fmt.Sprintf("%08x-%08x %s %08x %02x:%02x %d ", r.Start, r.End, perm, r.Offset, unix.Major(r.Dev), unix.Minor(r.Dev), r.Ino)
	switch {
	case r.Path != "":
		return fmt.Sprintf("%-73s%s\n", line, p.guestName(r.Path))
	case r.Flags&(unix.MAP_ANONYMOUS|unix.MAP_PRIVATE) == unix.MAP_ANONYMOUS:
		return fmt.Sprintf("%-73s/dev/zero (deleted)\n", line) // shmem_zero_setup in the kernel
	}
	return line + "\n"
}
