package cpu

import "golang.org/x/sys/unix"

// A file's home is where its code goes when the guest leaves the choice to the
// system, as dynamic linkers do: the same file has the same address in every
// process, so that processes can share the code that was generated from it.
const (
	homes     = 0x7d00_0000_0000 // the first
	homeSize  = 2 << 20          // what one page of page table entries maps
	homeCount = 8192
	homeTries = 8
)

// home returns the number of r's home, if it is likely to become a shared object:
// a file mapped from its start and not for writing, as musl's linker has it, or
// memory without access, in which glibc's puts a file whose alignment exceeds a
// page. Nothing but its size tells then what will live there.
func (r *Region) home(size uint64) (slot uint64, ok bool) {
	var id uint64
	switch {
	case r.Flags == unix.MAP_PRIVATE && r.Offset == 0 && r.Prot&unix.PROT_WRITE == 0:
		id = r.Ino ^ r.Dev<<40
	case r.Flags == unix.MAP_PRIVATE|unix.MAP_ANONYMOUS && r.Prot == unix.PROT_NONE && size < homeCount/8*homeSize:
		id = size
	default:
		return 0, false
	}
	// Knuth, TAOCP 6.4: multiplicative hashing.
	return id * 0x9e3779b97f4a7c15 >> 32 % homeCount, true
}
