package cpu

import "sync/atomic"

// PathRoot is what generated code's system calls have to know to look up absolute
// paths: where the guest's root directory is. The zero value leaves them to Go.
type PathRoot struct {
	dir    atomic.Int32  // what Dir returns, less PathsLeave
	linked atomic.Uint64 // by PathBit: symbolic links were met on such paths
}

// What Dir returns where there is no descriptor of the guest's root directory.
const (
	PathsLeave = -1 // paths are looked up in Go
	PathsHost  = -2 // the root directory is the host's
)

// SetDir sets the descriptor of the root directory, or one of the values above.
func (r *PathRoot) SetDir(fd int32) { r.dir.Store(fd - PathsLeave) }

// Dir returns what SetDir has set.
//
//go:nosplit
func (r *PathRoot) Dir() int32 { return r.dir.Load() + PathsLeave }

// Linked reports whether MetLink was told of a path with the same first name, or one
// with the same bit. Such paths are looked up with symbolic links at once: it is a
// matter of speed only.
//
//go:nosplit
func (r *PathRoot) Linked(path string) bool { return r.linked.Load()&pathBit(path) != 0 }

// MetLink notes that there is a symbolic link on a path.
//
//go:nosplit
func (r *PathRoot) MetLink(path string) { r.linked.Or(pathBit(path)) }

// pathBit is the bit of an absolute path's first name in PathRoot.linked.
//
//go:nosplit
func pathBit(s string) uint64 {
	h := uint64(len(s) / 64)
	for i := 1; i < len(s) && s[i] != '/'; i++ {
		h = h*31 + uint64(s[i])
	}
	return 1 << (h % 64)
}
