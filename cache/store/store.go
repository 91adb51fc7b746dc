// Package store keeps records, by guest pc, in a file that processes share: units of
// generated code that one process compiled and the next would compile again. What
// a record holds is its user's affair; the store finds it, checks that it is whole
// and never gives a record back that was written under another key.
//
// # File
//
// A header page, then a power of two of buckets of 4 bytes, a table of counts
// (counts.go), one of runs (runs.go), then records. All integers are little-endian. A bucket holds where
// the newest record of its chain begins, 0 for none; a record begins with the next
// one of the chain. Places are counted in units of 16 bytes, in 31 bits. The last bit
// is set in a record when another one of the same pc is written.
//
// Readers map the file and take no lock. Writers append under flock(2), records
// first and then the buckets that lead to them; what a writer that died left is
// overwritten or never found. A checksum over each record stands in for trust in
// the order in which another process's writes arrive.
package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

const (
	magic       = "emucode4"
	headerSize  = 4096
	endOffset   = 64 // of the header's field with the end of the records
	countOffset = 72 // of the header's field with the number of buckets
	keyOffset   = 16
	bornOffset  = 48 // of the header's field with the time when the file was made
	startOffset = 80 // of the header's field with where the code begins
	codeOffset  = 88 // of the header's field with its size
	usesOffset  = 96 // of the header's field with how many processes have used the file
	bucketsAt   = headerSize
	minBuckets  = 1 << 10
	maxBuckets  = 1 << 18
	unitShift   = 4
	recordHead  = 24      // next, checksum, pc, mode, length
	outdated    = 1 << 31 // in next: a record of the same pc was written later
	maxRecord   = 1 << 20
	pendingSoon = 1 << 20 // bytes of new records that are written without waiting for Flush
	pendingRoom = pendingSoon + recordHead + maxRecord + headerSize
	minSize     = 1 << 20 // of a file
	maxSize     = 128 << 20
	mostFree    = 256 << 20 // of the file system is left free, or half of it if it is smaller
)

// KeySize is the size of a key in bytes.
const KeySize = 32

// Store is an open file. Its methods may be called concurrently. It holds no
// descriptor, which a guest could see and close.
type Store struct {
	path string
	dev  uint64
	ino  uint64
	data []byte // the file, mapped read-only
	n    uint32 // number of buckets
	code Code

	forks  *atomic.Uint32 // see Follow
	noFork sync.Locker    // held while records are written

	// foreign is set once the file may have records that this process has not written,
	// and ownEnd where its own end until then.
	foreign atomic.Bool
	ownEnd  atomic.Int64

	mu      sync.Mutex
	heads   []uint32    // by bucket: the place of the last record that this process has appended
	room    []byte      // address space for pending: memory comes as it is written
	pending []byte      // records to be appended; their next fields are open
	dirty   atomic.Bool // there are some
	forked  uint32      // forks when the first of them came
	table   []byte      // all before the records, writable, once something has been written there
	image   imageFile   // that Image has returned
	closed  bool        // to new records

	tally sync.Once // before the first AddRun
	runs  []byte    // of table, nil if it cannot be written
}

// Code is the guest code that a store is for, in bytes.
type Code struct{ Start, Size uint64 }

// unitBytes is about how many bytes of a program's code there are for each unit
// that it ever runs.
const unitBytes = 128

// Open opens the store of key in a directory and makes both if there are none, with room for
// records of code. key names everything that records depend on
// besides the pc. What belongs to another user, or others may write, is refused:
// records are code.
func Open(dir string, key [KeySize]byte, code Code) (*Store, error) {
	var st unix.Stat_t
	err := unix.Lstat(dir, &st)
	if err == unix.ENOENT {
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
			return nil, err
		}
		err = unix.Lstat(dir, &st)
	}
	if err != nil {
		return nil, &os.PathError{Op: "lstat", Path: dir, Err: err}
	}
	if !private(&st, unix.S_IFDIR) {
		return nil, fmt.Errorf("%s: not a private directory of this user", dir)
	}
	s := &Store{forks: new(atomic.Uint32), noFork: new(sync.Mutex), path: filepath.Join(dir, fmt.Sprintf("%x", key[:8]))}
	err = s.openPath(key, code)
	if errors.Is(err, errDamaged) { // the name is the key's: nobody else has use for the file
		s.Discard()
		err = s.openPath(key, code)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

var errDamaged = errors.New("not a store of this name's key, or damaged")

// Discard removes the file and its image, as they are damaged.
func (s *Store) Discard() {
	os.Remove(s.path)
	os.Remove(s.path + imageSuffix)
}

// Path is the file's name.
func (s *Store) Path() string { return s.path }

func (s *Store) openPath(key [KeySize]byte, code Code) error {
	fd, err := openFile(s.path, unix.O_CREAT)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if err := s.open(fd, key, code); err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	return nil
}

// private reports whether a file is of a type, and this user's alone to write.
func private(st *unix.Stat_t, kind uint32) bool {
	return st.Mode&unix.S_IFMT == kind && st.Uid == uint32(os.Geteuid()) && st.Mode&0o022 == 0
}

func (s *Store) open(fd int, key [KeySize]byte, code Code) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if !private(&st, unix.S_IFREG) {
		return errors.New("not a private file of this user")
	}
	if st.Size < minSize {
		if err := makeRoom(s.path, fd, key, code); err != nil {
			return err
		}
		if err := unix.Fstat(fd, &st); err != nil {
			return err
		}
	}
	if st.Size > maxSize {
		return errDamaged
	}
	data, err := unix.Mmap(fd, 0, int(st.Size), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return err
	}
	if string(data[:len(magic)]) != magic || [KeySize]byte(data[keyOffset:keyOffset+KeySize]) != key {
		unix.Munmap(data)
		return errDamaged
	}
	n := binary.LittleEndian.Uint32(data[countOffset:])
	code = Code{binary.LittleEndian.Uint64(data[startOffset:]), binary.LittleEndian.Uint64(data[codeOffset:])}
	if n < minBuckets || n > maxBuckets || n&(n-1) != 0 || code.Size > maxCode || runsAt(n)+runsFor(code) > st.Size {
		unix.Munmap(data)
		return errDamaged
	}
	inUse(s.path, &st)
	s.dev, s.ino, s.data, s.n, s.code = st.Dev, st.Ino, data, n, code
	s.ownEnd.Store(s.recordsAt())
	return nil
}

// end is the end of the records.
func (s *Store) end() int64 { return int64(binary.LittleEndian.Uint64(s.data[endOffset:])) }

// Foreign reports whether there may be records that another process has written: in
// the first run of a program there are none to look for.
func (s *Store) Foreign() bool {
	if !s.foreign.Load() && s.end() > s.ownEnd.Load() {
		s.foreign.Store(true)
	}
	return s.foreign.Load()
}

// create writes the header and the buckets of a file that has no size yet, unless
// another process is faster. The size comes last: a file that has it is complete.
// The buckets are written, though they are zero: where a file has holes and the file
// system is full, touching it ends in SIGBUS. A store takes at most a quarter of what
// the file system has room for.
func create(fd int, key [KeySize]byte, code Code) error {
	if err := unix.Flock(fd, unix.LOCK_EX); err != nil {
		return err
	}
	defer unix.Flock(fd, unix.LOCK_UN) // the mapping keeps the description open
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || st.Size >= minSize {
		return err
	}
	var fs unix.Statfs_t
	if err := unix.Fstatfs(fd, &fs); err != nil {
		return err
	}
	size := min(int64(fs.Blocks)*fs.Bsize/4, maxSize) &^ (headerSize - 1)
	if size < minSize {
		return unix.ENOSPC
	}
	if err := allowed(size); err != nil {
		return err
	}
	n := uint32(minBuckets)
	for n < maxBuckets && uint64(n) < code.Size/unitBytes && 16*int64(n) < size {
		n *= 2
	}
	code.Size = min(code.Size, maxCode, uint64(size))
	records := runsAt(n) + runsFor(code)
	if err := roomFor(fd, records); err != nil {
		return err
	}
	piece := make([]byte, min(records, 64<<10))
	head := piece[:headerSize]
	copy(head, magic)
	copy(head[keyOffset:], key[:])
	binary.LittleEndian.PutUint64(head[bornOffset:], uint64(time.Now().UnixNano()))
	binary.LittleEndian.PutUint64(head[endOffset:], uint64(records))
	binary.LittleEndian.PutUint32(head[countOffset:], n)
	binary.LittleEndian.PutUint64(head[startOffset:], code.Start)
	binary.LittleEndian.PutUint64(head[codeOffset:], code.Size)
	for at := int64(0); at < records; at += int64(len(piece)) {
		if err := writeAt(fd, piece[:min(int64(len(piece)), records-at)], at); err != nil {
			return err
		}
		clear(head)
	}
	return unix.Ftruncate(fd, size)
}

// allowed reports whether a file may have size bytes: exceeding the limit that a
// guest has set, or inherited, would send it SIGXFSZ.
func allowed(size int64) error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &limit); err != nil || limit.Cur < uint64(size) {
		return unix.EFBIG
	}
	return nil
}

// size is the file's size in bytes.
func (s *Store) size() int64 { return int64(len(s.data)) }

// Close unmaps the file and its image, without Flush.
func (s *Store) Close() error {
	if s.image.data != nil {
		unix.Munmap(s.image.data)
	}
	if s.room != nil {
		unix.Munmap(s.room)
	}
	if s.table != nil {
		unix.Munmap(s.table)
	}
	return unix.Munmap(s.data)
}
