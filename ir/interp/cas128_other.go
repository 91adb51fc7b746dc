//go:build !amd64

package interp

import "sync"

// cas128 is a compare-and-swap of a 16-byte block. Without a host instruction for
// it, it is atomic only against other 16-byte operations of this package.
func cas128(p *[2]uint64, old, new [2]uint64) bool {
	wide.Lock()
	defer wide.Unlock()
	if *p != old {
		return false
	}
	*p = new
	return true
}

var wide sync.Mutex

// load128 reads a 16-byte block, atomically to the same extent.
func load128(p *[2]uint64) [2]uint64 {
	wide.Lock()
	defer wide.Unlock()
	return *p
}
