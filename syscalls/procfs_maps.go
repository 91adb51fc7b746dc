package syscalls

import (
	"fmt"
	"strconv"
	"strings"

	"emu/cpu"
	"emu/internal/hostsig"

	"golang.org/x/sys/unix"
)

// mapsOf is /proc/PID/maps of another process that this emu runs: as that process
// itself sees it.
func (p *Process) mapsOf(s string) ([]byte, bool) {
	number, file, _ := strings.Cut(strings.TrimPrefix(s, procPrefix), "/")
	pid, err := strconv.Atoi(number)
	if err != nil || file != "maps" && !(strings.HasPrefix(file, "task/") && strings.HasSuffix(file, "/maps")) || !sameProgram(pid) {
		return nil, false
	}
	table, ok := guestTable(pid)
	if !ok {
		return nil, false
	}
	read := func(addr uint64, b []byte) bool { return peekMemory(pid, addr, b) == 0 }
	var mem uint64
	if !read(hostsig.EntryAt(table, 0), bytesOf(&mem)) || mem == 0 {
		return nil, false
	}
	regions, ok := cpu.PeekRegions(mem, read)
	if !ok {
		return nil, false
	}
	return p.mapsText(regions), true
}

// guestTable is the address of the table of guest threads in another process that
// this emu runs.
func guestTable(pid int) (table uint64, ok bool) {
	at, _ := hostsig.TableAt()
	ok = peekMemory(pid, at, bytesOf(&table)) == 0 && table != 0
	return table, ok
}

// isGuest reports whether a thread of another process that this emu runs is the
// guest's. If that cannot be found out, it may be.
func isGuest(pid, tid int) bool {
	table, ok := guestTable(pid)
	var thread uint64
	return !ok || peekMemory(pid, hostsig.EntryAt(table, tid), bytesOf(&thread)) != 0 || thread != 0
}

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
	if r.Path == "" {
		return line + "\n"
	}
	return fmt.Sprintf("%-73s%s\n", line, p.guestName(r.Path))
}
