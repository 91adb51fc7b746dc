package store

import (
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// unused makes a file one that nobody has used for long.
func unused(t *testing.T, path string) {
	t.Helper()
	when := time.Now().Add(-2 * stale)
	if err := os.Chtimes(path, when, when); err != nil {
		t.Fatal(err)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func TestCleanKeepsTheNewest(t *testing.T) {
	dir := t.TempDir()
	old, kept := open(t, dir, [KeySize]byte{7}), open(t, dir, [KeySize]byte{8})
	unused(t, old.path)
	clean(dir, unix.AT_FDCWD)
	if exists(old.path) {
		t.Error("a file that nobody has used for long is still there")
	}
	if !exists(kept.path) {
		t.Error("a file of now is gone")
	}
}

// TestCleanKeepsWhatIsRead has a program that finds all of its code and image in files which
// another process has written long ago. They were removed as if nobody used them, and first
// of all when many other programs ran once.
func TestCleanKeepsWhatIsRead(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, testKey)
	s.Add(0, 0, []byte("record"), true)
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := s.WriteImage(s.End(), func() [][]byte { return [][]byte{{1}} }); err != nil {
		t.Fatal(err)
	}
	unused(t, s.path)
	unused(t, s.path+imageSuffix)
	reader := open(t, dir, testKey)
	if sections, _ := reader.Image(); sections == nil {
		t.Fatal("no image")
	}
	clean(dir, unix.AT_FDCWD)
	if !exists(s.path) || !exists(s.path+imageSuffix) {
		t.Error("a file that was just used is gone")
	}
}

// TestCleanHappens has enough new files that one of them cleans.
func TestCleanHappens(t *testing.T) {
	dir := t.TempDir()
	old := open(t, dir, testKey)
	unused(t, old.path)
	for n := range 40 * cleanOneIn { // 1 in 10^17 has none
		open(t, dir, [KeySize]byte{1, byte(n), byte(n >> 8)})
		if !exists(old.path) {
			return
		}
	}
	t.Error("a file that nobody has used for long is still there")
}
