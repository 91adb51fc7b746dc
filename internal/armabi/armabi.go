// Package armabi converts what the kernel's interface has differently on arm64 and
// x86-64, without pointers and calls: generated code's system calls use it as well as
// those that are served in Go.
package armabi

import (
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// Four open(2) flags have different values on arm64 and x86-64: arm64's
// O_DIRECTORY, O_NOFOLLOW, O_DIRECT, O_LARGEFILE (bits 14 to 17) are x86-64's
// O_DIRECT, O_LARGEFILE, O_DIRECTORY, O_NOFOLLOW. Swapping the two pairs of bits
// converts either way.
const (
	openLowPair  = 3 << 14
	openHighPair = 3 << 16
)

// OpenFlags converts open flags between arm64 and x86-64, either way.
//
//go:nosplit
func OpenFlags(f uint64) uint64 {
	return f&^(openLowPair|openHighPair) | f&openLowPair<<2 | f&openHighPair>>2
}

// Bits that openat(2) ignores where openat2(2) fails: those that mean nothing, and
// those that mean nothing with O_PATH. They are the host's.
const (
	OpenKnown = unix.O_ACCMODE | unix.O_CREAT | unix.O_EXCL | unix.O_NOCTTY | unix.O_TRUNC | unix.O_APPEND | unix.O_NONBLOCK | unix.O_SYNC |
		unix.O_ASYNC | unix.O_DIRECT | hostLargeFile | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_NOATIME | unix.O_CLOEXEC | unix.O_PATH | unix.O_TMPFILE
	OpenPath      = unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_PATH | unix.O_CLOEXEC
	hostLargeFile = 0o100000
)

// Sizes of struct stat in bytes: arm64's (asm-generic/stat.h) and x86-64's.
const (
	StatSize     = 128
	HostStatSize = 144
)

// MadeUpMode is st_mode of the files in memory that stand for files of /proc, by which they are recognised: a mode
// that hardly any other file has.
const MadeUpMode = unix.S_IFREG | 0o1666

// Stat converts x86-64's struct stat to arm64's. From st_atime (offset 72) on they
// are the same.
//
//go:nosplit
func Stat(dst *[StatSize]byte, src *[HostStatSize]byte) {
	le := binary.LittleEndian
	*dst = [StatSize]byte{}
	le.PutUint64(dst[0:8], le.Uint64(src[0:8]))             // st_dev
	le.PutUint64(dst[8:16], le.Uint64(src[8:16]))           // st_ino
	le.PutUint32(dst[16:20], le.Uint32(src[24:28]))         // st_mode
	le.PutUint32(dst[20:24], uint32(le.Uint64(src[16:24]))) // st_nlink
	le.PutUint64(dst[24:32], le.Uint64(src[28:36]))         // st_uid, st_gid
	le.PutUint64(dst[32:40], le.Uint64(src[40:48]))         // st_rdev
	le.PutUint64(dst[48:56], le.Uint64(src[48:56]))         // st_size
	le.PutUint32(dst[56:60], le.Uint32(src[56:60]))         // st_blksize
	le.PutUint64(dst[64:72], le.Uint64(src[64:72]))         // st_blocks
	*(*[48]byte)(dst[72:120]) = *(*[48]byte)(src[72:120])   // times
}
