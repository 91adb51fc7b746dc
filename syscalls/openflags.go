package syscalls

// arm64's values, for -strace and path handling.
const (
	armO_DIRECTORY = 0o40000
	armO_NOFOLLOW  = 0o100000
	armO_DIRECT    = 0o200000
	armO_LARGEFILE = 0o400000
)
