package store

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
)

var testKey = [KeySize]byte{1, 2, 3}

var testCode = Code{Start: 0x400000, Size: 1 << 16}

func open(t *testing.T, dir string, key [KeySize]byte) *Store {
	t.Helper()
	s, err := Open(dir, key, testCode)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func find(s *Store, pc uint64, mode uint32) (got []string) {
	s.Find(pc, func(r Record) bool {
		if r.Mode == mode {
			got = append(got, string(r.Data))
		}
		return true
	})
	return got
}

func TestRecordsReachOtherProcesses(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "code")
	a, b := open(t, dir, testKey), open(t, dir, testKey)
	a.Add(0x400000, 0, []byte("old"), true)
	if got := find(b, 0x400000, 0); got != nil {
		t.Errorf("before Flush: %q", got)
	}
	a.Add(0x400000, 1, []byte("another mode"), true)
	if err := a.Flush(); err != nil {
		t.Fatal(err)
	}
	a.Add(0x400000, 0, []byte("new"), true)
	if err := a.Flush(); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Store{a, b, open(t, dir, testKey)} {
		if got := find(s, 0x400000, 0); fmt.Sprint(got) != "[new old]" {
			t.Errorf("found %q", got)
		}
		if got := find(s, 0x400004, 0); got != nil {
			t.Errorf("at another pc: %q", got)
		}
	}
}

// Records follow each other in the order in which they were added.
func TestAfter(t *testing.T) {
	s := open(t, t.TempDir(), testKey)
	for i := range uint64(20) {
		s.Add(i*0x1000, uint32(i), bytes.Repeat([]byte{byte(i)}, int(i*i)), false)
		if i%6 == 0 {
			s.Flush()
		}
	}
	s.Add(7*0x1000, 1000, []byte("later"), true)
	s.Flush()
	var r Record
	s.Find(0, func(first Record) bool { r = first; return false })
	for i := range uint64(20) {
		if r.PC != i*0x1000 || r.Mode != uint32(i) || !bytes.Equal(r.Data, bytes.Repeat([]byte{byte(i)}, int(i*i))) {
			t.Fatalf("record %d: %+v", i, r)
		}
		if s.First(r) != (i != 7) {
			t.Errorf("record %d: first %v", i, s.First(r))
		}
		next, ok := s.After(r)
		if ok != (i < 20) {
			t.Fatalf("after record %d: %v %+v", i, ok, next)
		}
		r = next
	}
}

func TestKeysAreApart(t *testing.T) {
	dir := t.TempDir()
	a := open(t, dir, testKey)
	a.Add(4, 0, []byte("x"), true)
	a.Flush()
	if got := find(open(t, dir, [KeySize]byte{9}), 4, 0); got != nil {
		t.Errorf("found %q under another key", got)
	}
	// The same name with another key: the names are shorter than the keys.
	other := testKey
	other[KeySize-1] = 1
	if got := find(open(t, dir, other), 4, 0); got != nil {
		t.Errorf("found %q under a key that differs behind the name", got)
	}
}

// A file whose header is damaged is made anew: it was refused, in each run.
func TestDamagedHeader(t *testing.T) {
	dir := t.TempDir()
	for what, harm := range map[string]func(s *Store) error{
		"the magic is another": func(s *Store) error { return os.WriteFile(s.path, make([]byte, minSize), 0o600) },
		"no power of two":      func(s *Store) error { return overwrite(s.path, countOffset, 3) },
		"too much code":        func(s *Store) error { return overwrite(s.path, codeOffset+7, 1) },
		"too long":             func(s *Store) error { return os.Truncate(s.path, maxSize+1) },
	} {
		s := open(t, dir, testKey)
		s.Add(4, 0, []byte("x"), true)
		s.Flush()
		if err := harm(s); err != nil {
			t.Fatal(err)
		}
		again := open(t, dir, testKey)
		if got := find(again, 4, 0); got != nil {
			t.Errorf("%s: found %q", what, got)
		}
		again.Add(4, 0, []byte("y"), true)
		if err := again.Flush(); err != nil || fmt.Sprint(find(open(t, dir, testKey), 4, 0)) != "[y]" {
			t.Errorf("%s: %v, the new file is of no use", what, err)
		}
	}
}

func TestConcurrentWriters(t *testing.T) {
	dir := t.TempDir()
	const writers, records = 8, 500
	var wg sync.WaitGroup
	for w := range writers {
		s := open(t, dir, testKey)
		wg.Go(func() {
			for i := range records {
				s.Add(uint64(i)*4, uint32(w), fmt.Appendf(nil, "%d of %d", i, w), false)
				if i%7 == 0 {
					if err := s.Flush(); err != nil {
						t.Error(err)
					}
				}
			}
			s.Flush()
		})
	}
	wg.Wait()
	s := open(t, dir, testKey)
	for w := range writers {
		for i := range records {
			want := fmt.Sprintf("[%d of %d]", i, w)
			if got := fmt.Sprint(find(s, uint64(i)*4, uint32(w))); got != want {
				t.Fatalf("found %s, want %s", got, want)
			}
		}
	}
}

// Writers that made the same at the same time leave one record of it.
func TestSameRecords(t *testing.T) {
	dir := t.TempDir()
	a, b := open(t, dir, testKey), open(t, dir, testKey)
	for _, s := range []*Store{a, b} {
		for i := range uint64(50) {
			s.Add(i*4, 0, fmt.Appendf(nil, "same %d", i), true)
			s.Add(i*4, 1, fmt.Appendf(nil, "%p %d", s, i), true)
		}
	}
	a.Flush()
	before := binary.LittleEndian.Uint64(a.data[endOffset:])
	b.Flush()
	for i := range uint64(50) {
		if got := find(a, i*4, 0); len(got) != 1 || got[0] != fmt.Sprintf("same %d", i) {
			t.Errorf("record %d: %q", i, got)
		}
		if got := find(a, i*4, 1); len(got) != 2 {
			t.Errorf("records %d of each: %q", i, got)
		}
	}
	if grown := binary.LittleEndian.Uint64(a.data[endOffset:]) - before; grown == 0 || grown > before-uint64(a.recordsAt()) {
		t.Errorf("the second writer took %d bytes, the first %d", grown, before-uint64(a.recordsAt()))
	}
}

func TestDroppedRecordsAreNotWritten(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, testKey)
	var forks atomic.Uint32
	s.Follow(&forks, new(sync.Mutex))
	s.Add(8, 0, []byte("the parent's"), true)
	s.mu.Lock() // as the background compiler may at the time of a fork
	forks.Add(1)
	s.mu.Unlock()
	s.Add(12, 0, []byte("the child's"), true)
	s.Flush()
	if find(s, 8, 0) != nil || find(s, 12, 0) == nil {
		t.Error("the child kept a record, or closed the store")
	}
}

// atFork is what a store holds while it writes, of a process that forks just before it gets that.
type atFork struct {
	forks atomic.Uint32
	fork  bool
	s     *Store
	ends  []int64 // of the records, when it was got and when it was given back
}

func (a *atFork) Lock() {
	if a.fork {
		a.forks.Add(1)
	}
	a.ends = append(a.ends, a.s.End())
}

func (a *atFork) Unlock() { a.ends = append(a.ends, a.s.End()) }

// TestNoForkWhileRecordsAreWritten flushes as the background compiler may at the time of a fork. A
// child used to go on with its parent's records, of which it had nothing but zeros, and to end.
func TestNoForkWhileRecordsAreWritten(t *testing.T) {
	s := open(t, t.TempDir(), testKey)
	a := &atFork{s: s}
	s.Follow(&a.forks, a)
	s.Add(8, 0, []byte("before"), true)
	s.Flush()
	if len(a.ends) != 2 || a.ends[0] != s.Start() || a.ends[1] <= a.ends[0] {
		t.Errorf("ends of the records at each step: %d", a.ends)
	}
	a.fork = true
	s.Add(12, 0, []byte("the parent's"), true)
	s.Flush()
	if a.fork = false; s.End() != a.ends[1] {
		t.Error("a child wrote its parent's records")
	}
	s.Add(16, 0, []byte("the child's"), true)
	s.Flush()
	if find(s, 16, 0) == nil {
		t.Error("a child cannot write its own records")
	}
}

// overwrite changes a byte of a file.
func overwrite(path string, at int64, b byte) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteAt([]byte{b}, at)
	return err
}

// TestDamagedFiles changes each byte of a small store's records and buckets: what is
// found is either right or nothing.
func TestDamagedFiles(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, testKey)
	want := bytes.Repeat([]byte("abcd"), 8)
	s.Add(0x1000, 0, want, true)
	s.Add(0x1000, 0, want, true)
	s.Flush()
	raw, err := os.OpenFile(s.path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	end := int64(binary.LittleEndian.Uint64(s.data[endOffset:]))
	var offsets []int64
	for at := s.recordsAt(); at < end; at++ {
		offsets = append(offsets, at)
	}
	for i := range int64(4) {
		offsets = append(offsets, s.bucket(0x1000)+i)
	}
	for _, at := range offsets {
		old := s.data[at]
		for _, v := range []byte{0, 0xff, old ^ 1} {
			raw.WriteAt([]byte{v}, at)
			s.Find(0x1000, func(r Record) bool {
				if !bytes.Equal(r.Data, want) {
					t.Errorf("byte %d changed to %#x: found %q", at, v, r.Data)
				}
				if next, ok := s.After(r); ok && s.First(next) && !bytes.Equal(next.Data, want) {
					t.Errorf("byte %d changed to %#x: then comes %q", at, v, next.Data)
				}
				return true
			})
		}
		raw.WriteAt([]byte{old}, at)
	}
}

func TestFullStoreIsReplaced(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, testKey)
	big := make([]byte, maxRecord)
	var err error
	for i := 0; err == nil && i <= maxSize/maxRecord; i++ {
		s.Add(uint64(i)*4, 0, big, true)
		err = s.Flush()
		s.mu.Lock()
		if s.closed && err == nil {
			err = errFull
		}
		s.mu.Unlock()
	}
	if err == nil {
		t.Fatal("the store never filled")
	}
	fresh := open(t, dir, testKey)
	if fresh.ino == s.ino {
		t.Error("the full file is still there")
	}
	if len(find(fresh, 0, 0)) != 0 {
		t.Error("the new file is not empty")
	}
}

// A process that died while it made a file leaves a short one, which the next makes
// anew; and what readers and writers touch before there are records has no holes.
func TestHalfMadeFiles(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, testKey)
	if err := os.WriteFile(s.path, []byte(magic), 0o600); err != nil { // truncates
		t.Fatal(err)
	}
	again := open(t, dir, testKey)
	again.Add(4, 0, []byte("x"), true)
	if err := again.Flush(); err != nil || fmt.Sprint(find(again, 4, 0)) != "[x]" {
		t.Errorf("%v, found %q", err, find(again, 4, 0))
	}
	var st syscall.Stat_t
	if err := syscall.Stat(again.path, &st); err != nil || st.Blocks*512 < again.recordsAt() {
		t.Errorf("%v: %d bytes allocated, %d up to the records", err, st.Blocks*512, again.recordsAt())
	}
}

func TestForeignFilesAreRefused(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, testKey)
	for _, tt := range []struct {
		name string
		harm func() error
	}{
		{"others may write the file", func() error { return os.Chmod(s.path, 0o622) }},
		{"a link", func() error {
			os.Rename(s.path, s.path+"x")
			return os.Symlink(s.path+"x", s.path)
		}},
		{"others may write the directory", func() error { os.Remove(s.path); return os.Chmod(dir, 0o777) }},
	} {
		if err := tt.harm(); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir, testKey, testCode); err == nil {
			t.Errorf("%s: opened", tt.name)
		}
	}
}

// TestChecksum changes each byte of records of all lengths, and puts parts in each other's places.
func TestChecksum(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for n := range 260 {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rnd.Uint32())
		}
		want := Checksum(b)
		if Checksum(b) != want {
			t.Fatalf("of %d bytes: two checksums", n)
		}
		for i := range b {
			b[i] ^= 1 << (i % 8)
			if Checksum(b) == want {
				t.Errorf("of %d bytes: byte %d is not in it", n, i)
			}
			b[i] ^= 1 << (i % 8)
		}
		for i := 16; i+16 <= n; i += 16 {
			c := slices.Concat(b[16:i+16:i+16], b[:16], b[i+16:])
			if i > 16 && Checksum(c) == want {
				t.Errorf("of %d bytes: the first 16 may stand at %d", n, i)
			}
		}
		if zeros := make([]byte, n); Checksum(zeros) == Checksum(zeros[:n/2]) && n > 0 {
			t.Errorf("%d zeros are as good as %d", n, n/2)
		}
	}
}
