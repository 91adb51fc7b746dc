package tier0

// loadPair reads 16 bytes with one access.
//
//go:noescape
func loadPair(addr uint64) (lo, hi uint64)

// storePair writes 16 bytes with one access.
//
//go:noescape
func storePair(addr, lo, hi uint64)
