package interp

// cas128 is an atomic compare-and-swap of a 16-byte aligned block.
//
//go:noescape
func cas128(p *[2]uint64, old, new [2]uint64) bool

// load128 reads a 16-byte aligned block atomically.
//
//go:noescape
func load128(p *[2]uint64) [2]uint64
