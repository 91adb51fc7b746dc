//go:build !amd64

package tier0

// loadPair reads 16 bytes.
func loadPair(addr uint64) (lo, hi uint64) { return load(addr, 3), load(addr+8, 3) }

// storePair writes 16 bytes.
func storePair(addr, lo, hi uint64) {
	store(addr+8, 3, hi)
	store(addr, 3, lo)
}
