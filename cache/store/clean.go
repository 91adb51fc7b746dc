package store

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	maxTotal   = 512 << 20      // bytes that all files of a directory take
	stale      = 48 * time.Hour // after which a file goes that nobody has used
	usedWithin = time.Minute    // what a file's time of use is exact to
	cleanOneIn = 16             // files that are made
)

// inUse notes that a file is used now, in its time of modification: those of access are
// not kept where a file system is mounted with noatime, and not by mappings.
func inUse(path string, st *unix.Stat_t) {
	if now := time.Now(); now.Sub(time.Unix(st.Mtim.Unix())) > usedWithin {
		ts := unix.NsecToTimespec(now.UnixNano())
		unix.UtimesNanoAt(unix.AT_FDCWD, path, []unix.Timespec{ts, ts}, unix.AT_SYMLINK_NOFOLLOW)
	}
}

// makeRoom makes the file of a new store. Now and then it removes others first, and in any case if
// there is no room: to look at all that a directory has takes some milliseconds where the tests of
// builds have left thousands of files.
func makeRoom(path string, fd int, key [KeySize]byte, code Code) error {
	if rand.N(cleanOneIn) == 0 {
		clean(filepath.Dir(path), fd)
	}
	err := create(fd, key, code)
	if errors.Is(err, unix.ENOSPC) {
		clean(filepath.Dir(path), fd)
		err = create(fd, key, code)
	}
	return err
}

// clean removes files that nobody has used for long, those of emulators and options that
// are gone, and those whose last use is longest ago if all take too much: more than three eighths
// of the file system that fd is in, of which files may take half.
func clean(dir string, fd int) {
	limit := int64(maxTotal)
	var fs unix.Statfs_t
	if err := unix.Fstatfs(fd, &fs); err == nil {
		limit = min(limit, int64(fs.Blocks)*fs.Bsize/8*3)
	}
	list, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	var files []os.FileInfo
	for _, e := range list {
		if info, err := e.Info(); err == nil {
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(a, b os.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	total := int64(0)
	for _, f := range files {
		if st, ok := f.Sys().(*syscall.Stat_t); ok {
			total += st.Blocks * 512
		}
		if total > limit || time.Since(f.ModTime()) > stale {
			os.Remove(filepath.Join(dir, f.Name()))
		}
	}
}
