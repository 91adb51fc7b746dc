package syscalls

import (
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// statSize is sizeof(struct stat) on arm64 (asm-generic/stat.h).
const statSize = 128

// convertStat converts x86-64's struct stat to arm64's. From st_atime (offset
// 72) on they are the same.
func convertStat(dst *[statSize]byte, src []byte) {
	le := binary.LittleEndian
	copy(dst[0:16], src[0:16])                          // st_dev, st_ino
	copy(dst[16:20], src[24:28])                        // st_mode
	le.PutUint32(dst[20:], uint32(le.Uint64(src[16:]))) // st_nlink
	copy(dst[24:32], src[28:36])                        // st_uid, st_gid
	copy(dst[32:40], src[40:48])                        // st_rdev
	copy(dst[48:56], src[48:56])                        // st_size
	copy(dst[56:60], src[56:60])                        // st_blksize
	copy(dst[64:72], src[64:72])                        // st_blocks
	copy(dst[72:120], src[72:120])                      // times
}

// stat makes a host call that fills a struct stat (argument i) and hands it to
// the guest.
func (t *Task) stat(nr uintptr, a *Args, i int) int64 {
	out := a[i]
	a[i] = uint64(t.th.ScratchAddr(scratchSmall))
	r := t.host(nr, a)
	a[i] = out
	if r < 0 {
		return r
	}
	var st [statSize]byte
	convertStat(&st, t.th.Scratch[scratchSmall:scratchSmall+144])
	return fail(t.p.copyOut(out, st[:]))
}

// sysFstat implements fstat(2).
func sysFstat(t *Task, a *Args) int64 { return t.stat(unix.SYS_FSTAT, a, 1) }

// sysNewfstatat implements fstatat(2).
func sysNewfstatat(t *Task, a *Args) int64 {
	defer t.closeTemp()
	if e := t.translatePaths(t.call.row, a); e != 0 {
		return fail(e)
	}
	return t.stat(unix.SYS_NEWFSTATAT, a, 2)
}
