package syscalls

// Four open(2) flags have different values on arm64 and x86-64: arm64's
// O_DIRECTORY, O_NOFOLLOW, O_DIRECT, O_LARGEFILE (bits 14 to 17) are x86-64's
// O_DIRECT, O_LARGEFILE, O_DIRECTORY, O_NOFOLLOW. Swapping the two pairs of bits
// converts either way.
const (
	openLowPair  = 3 << 14
	openHighPair = 3 << 16
)

// convertOpenFlags converts open flags between arm64 and x86-64, either way.
func convertOpenFlags(f uint64) uint64 {
	return f&^(openLowPair|openHighPair) | f&openLowPair<<2 | f&openHighPair>>2
}

// arm64's values, for -strace and path handling.
const (
	armO_DIRECTORY = 0o40000
	armO_NOFOLLOW  = 0o100000
	armO_DIRECT    = 0o200000
	armO_LARGEFILE = 0o400000
)
