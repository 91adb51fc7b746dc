// Package store keeps records, by guest pc, in a file that processes share: units of
// generated code that one process compiled and the next would compile again. What
// a record holds is its user's affair; the store finds it, checks that it is whole
// and never gives a record back that was written under another key.
//
// # File
//
// A header page, then a power of two of buckets of 4 bytes, a table of counts
// (counts.go), then records. All integers are little-endian. A bucket holds where
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
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	magic       = "emucode2"
	headerSize  = 4096
	endOffset   = 64 // of the header's field with the end of the records
	countOffset = 72 // of the header's field with the number of buckets
	keyOffset   = 16
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
	maxTotal    = 512 << 20      // of what all files of a directory take
	stale       = 48 * time.Hour // after which a file goes that nobody has written
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

	forks *atomic.Uint32 // see Follow

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
	closed  bool        // to new records
}

// Open opens the store of key in a directory and makes both if there are none; it
// is made for about so many records. key names everything that records depend on
// besides the pc. What belongs to another user, or others may write, is refused:
// records are code.
func Open(dir string, key [KeySize]byte, records int) (*Store, error) {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, err
	}
	var st unix.Stat_t
	if err := unix.Lstat(dir, &st); err != nil {
		return nil, &os.PathError{Op: "lstat", Path: dir, Err: err}
	}
	if !private(&st, unix.S_IFDIR) {
		return nil, fmt.Errorf("%s: not a private directory of this user", dir)
	}
	s := &Store{forks: new(atomic.Uint32), path: filepath.Join(dir, fmt.Sprintf("%x", key[:8]))}
	f, err := os.OpenFile(s.path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := s.open(f, key, records); err != nil {
		return nil, fmt.Errorf("%s: %w", s.path, err)
	}
	return s, nil
}

// private reports whether a file is of a type, and this user's alone to write.
func private(st *unix.Stat_t, kind uint32) bool {
	return st.Mode&unix.S_IFMT == kind && st.Uid == uint32(os.Geteuid()) && st.Mode&0o022 == 0
}

func (s *Store) open(f *os.File, key [KeySize]byte, records int) error {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return err
	}
	if !private(&st, unix.S_IFREG) {
		return errors.New("not a private file of this user")
	}
	if st.Size < minSize {
		clean(filepath.Dir(s.path))
		if err := create(f, key, records); err != nil {
			return err
		}
		if err := unix.Fstat(int(f.Fd()), &st); err != nil {
			return err
		}
	}
	if st.Size > maxSize {
		return fmt.Errorf("%d bytes are not the size of a store", st.Size)
	}
	data, err := unix.Mmap(int(f.Fd()), 0, int(st.Size), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return err
	}
	if string(data[:len(magic)]) != magic || [KeySize]byte(data[keyOffset:keyOffset+KeySize]) != key {
		unix.Munmap(data)
		return errors.New("another format or key")
	}
	n := binary.LittleEndian.Uint32(data[countOffset:])
	if n < minBuckets || n > maxBuckets || n&(n-1) != 0 || countsAt(n)+8*countsFor(n) > st.Size {
		unix.Munmap(data)
		return errors.New("damaged")
	}
	s.dev, s.ino, s.data, s.n = st.Dev, st.Ino, data, n
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

// clean removes files that nobody has written for long, those of emulators and
// options that are no longer in use, and the oldest if all take too much.
func clean(dir string) {
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
		if total > maxTotal || time.Since(f.ModTime()) > stale {
			os.Remove(filepath.Join(dir, f.Name()))
		}
	}
}

// create writes the header and the buckets of a file that has no size yet, unless
// another process is faster. The size comes last: a file that has it is complete.
// The buckets are written, though they are zero: where a file has holes and the file
// system is full, touching it ends in SIGBUS. A store takes at most a quarter of what
// the file system has room for.
func create(f *os.File, key [KeySize]byte, records int) error {
	fd := int(f.Fd())
	if err := unix.Flock(fd, unix.LOCK_EX); err != nil {
		return err
	}
	defer unix.Flock(fd, unix.LOCK_UN) // the mapping keeps the description open
	if st, err := f.Stat(); err != nil || st.Size() >= minSize {
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
	for n < maxBuckets && int(n) < records && 16*int64(n) < size {
		n *= 2
	}
	head := make([]byte, countsAt(n)+8*countsFor(n))
	copy(head, magic)
	copy(head[keyOffset:], key[:])
	binary.LittleEndian.PutUint64(head[endOffset:], uint64(len(head)))
	binary.LittleEndian.PutUint32(head[countOffset:], n)
	if _, err := f.WriteAt(head, 0); err != nil {
		return err
	}
	return f.Truncate(size)
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

// bucket returns the offset of pc's bucket (Knuth, TAOCP 6.4: multiplicative hashing).
func (s *Store) bucket(pc uint64) int64 {
	return bucketsAt + 4*int64(pc>>2*0x9e3779b97f4a7c15>>32&uint64(s.n-1))
}

// recordsAt is the offset of the first record.
func (s *Store) recordsAt() int64 { return countsAt(s.n) + 8*countsFor(s.n) }

// Record is a record in the file. Data is a view of it: whoever keeps it copies it.
type Record struct {
	PC   uint64
	Mode uint32
	Data []byte
	at   int64
	next uint32
}

// Find calls yield for the records of pc, newest first, until it returns false.
func (s *Store) Find(pc uint64, yield func(Record) bool) {
	at := binary.LittleEndian.Uint32(s.data[s.bucket(pc):])
	for range 64 { // chains are short; a damaged one may be a ring
		r, ok := s.at(int64(at) << unitShift)
		if !ok || r.PC == pc && s.whole(r) && !yield(r) {
			return
		}
		at = r.next &^ outdated
	}
}

// Has reports whether there is a record of pc, whole or not.
func (s *Store) Has(pc uint64) bool {
	at := binary.LittleEndian.Uint32(s.data[s.bucket(pc):])
	for range 64 {
		r, ok := s.at(int64(at) << unitShift)
		if !ok || r.PC == pc {
			return ok
		}
		at = r.next &^ outdated
	}
	return false
}

// After returns the record that was written after r: what ran next, mostly. It need
// not be one that Find gives.
func (s *Store) After(r Record) (Record, bool) {
	return s.at((r.at + recordHead + int64(len(r.Data)) + 1<<unitShift - 1) &^ (1<<unitShift - 1))
}

// at is the record at an offset, if there can be one.
func (s *Store) at(head int64) (r Record, ok bool) {
	end := min(s.end(), s.size()) // holes follow
	if head < s.recordsAt() || head+recordHead > end {
		return r, false
	}
	h := s.data[head:]
	n := int64(binary.LittleEndian.Uint32(h[20:]))
	if n > maxRecord || head+recordHead+n > end {
		return r, false
	}
	return Record{
		PC: binary.LittleEndian.Uint64(h[8:]), Mode: binary.LittleEndian.Uint32(h[16:]), Data: h[recordHead : recordHead+n],
		at: head, next: binary.LittleEndian.Uint32(h),
	}, true
}

// First reports whether Find would give r first, at the cost of less memory to look at.
// It may say no although it would.
func (s *Store) First(r Record) bool { return r.next&outdated == 0 && s.whole(r) }

// whole reports whether a record is as it was written.
func (s *Store) whole(r Record) bool {
	h := s.data[r.at:]
	return checksum(h[8:recordHead+len(r.Data)]) == binary.LittleEndian.Uint32(h[4:])
}

// checksum tells a whole record from one that another process's writes have not
// reached in full. It multiplies as Wang Yi's wyhash does, 16 bytes at a time: a CRC
// takes several times as long, and so does setting up its tables at each start.
func checksum(b []byte) uint32 {
	const k0, k1 = 0xa0761d6478bd642f, 0xe7037ed1a0b428db
	h := uint64(len(b))
	for ; len(b) >= 16; b = b[16:] {
		hi, lo := bits.Mul64(binary.LittleEndian.Uint64(b)^k0, binary.LittleEndian.Uint64(b[8:])^h^k1)
		h = hi ^ lo
	}
	var tail [16]byte
	copy(tail[:], b)
	hi, lo := bits.Mul64(binary.LittleEndian.Uint64(tail[:])^k0, binary.LittleEndian.Uint64(tail[8:])^h^k1)
	h = hi ^ lo
	return uint32(h ^ h>>32)
}

// Add keeps a record until the next Flush. What does not fit is dropped.
func (s *Store) Add(pc uint64, mode uint32, record []byte) {
	if len(record) > maxRecord {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.dropInherited()
	if s.room == nil {
		room, err := unix.Mmap(-1, 0, pendingRoom, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
		if err != nil {
			s.closed = true
			return
		}
		s.room, s.pending = room, room[:0]
	}
	s.dirty.Store(true)
	at := len(s.pending)
	s.pending = append(s.pending, make([]byte, recordHead)...)
	h := s.pending[at:]
	binary.LittleEndian.PutUint64(h[8:], pc)
	binary.LittleEndian.PutUint32(h[16:], mode)
	binary.LittleEndian.PutUint32(h[20:], uint32(len(record)))
	s.pending = append(s.pending, record...)
	binary.LittleEndian.PutUint32(s.pending[at+4:], checksum(s.pending[at+8:]))
	for len(s.pending)%(1<<unitShift) != 0 {
		s.pending = append(s.pending, 0)
	}
	if len(s.pending) >= pendingSoon {
		s.flush()
	}
}

// Flush appends what was added to the file. A store that cannot (the file or the
// file system is full, the guest has changed its root) takes no more records.
func (s *Store) Flush() error {
	if !s.dirty.Load() {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropInherited()
	return s.flush()
}

func (s *Store) flush() error {
	if len(s.pending) == 0 {
		return nil
	}
	records := s.pending
	s.pending = s.room[:0]
	s.dirty.Store(false)
	err := s.append(records)
	s.closed = err != nil
	return err
}

// size is the file's size in bytes.
func (s *Store) size() int64 { return int64(len(s.data)) }

// Follow makes the store forget what was added before n changes, by one: in a forked
// child, whose parent writes that. The child cannot do so itself when it begins, for
// another goroutine may hold the lock, as it did in the parent.
//
// Preconditions: nothing has been added yet.
func (s *Store) Follow(n *atomic.Uint32) {
	s.forks = n
	s.forked = n.Load()
}

// dropInherited forgets what was added before a fork. Preconditions: s.mu is held.
func (s *Store) dropInherited() {
	if n := s.forks.Load(); n != s.forked {
		s.pending, s.forked = s.room[:0], n
	}
}

// reopen opens the file for writing.
func (s *Store) reopen() (*os.File, error) {
	f, err := os.OpenFile(s.path, os.O_RDWR|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	var st unix.Stat_t
	if err = unix.Fstat(int(f.Fd()), &st); err == nil && (st.Dev != s.dev || st.Ino != s.ino) {
		err = errors.New("the file is another one now")
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

var errFull = errors.New("the store is full")

func (s *Store) append(records []byte) error {
	f, err := s.reopen()
	if err != nil {
		return err
	}
	defer f.Close()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		return err
	}
	foreign := s.Foreign()
	records, older := s.unknown(records)
	end := s.end()
	stop := end + int64(len(records))
	if end < s.recordsAt() || end&(1<<unitShift-1) != 0 || stop > s.size() {
		os.Remove(s.path) // the next process begins a new one
		return errFull
	}
	if err := allowed(stop); err != nil {
		return err
	}
	s.chain(records, end)
	if _, err := f.WriteAt(records, end); err != nil {
		return err
	}
	for _, r := range older {
		if _, err := f.WriteAt(binary.LittleEndian.AppendUint32(nil, r.next|outdated), r.at); err != nil {
			return err
		}
	}
	if !foreign {
		s.ownEnd.Store(stop) // before the file has it
	}
	return s.publish(f, records, stop)
}

// chain links the records of a batch, which go to offset end, to each other and to
// those that are in the file, and leaves in heads which is the first of each chain.
// A head that lies before end is of another batch.
func (s *Store) chain(records []byte, end int64) {
	if s.heads == nil {
		s.heads = make([]uint32, s.n)
	}
	from := uint32(end >> unitShift)
	for at := 0; at < len(records); {
		h := records[at:]
		pc := binary.LittleEndian.Uint64(h[8:])
		b := s.bucket(pc)
		head := &s.heads[(b-bucketsAt)/4]
		next := *head
		if next < from {
			next = binary.LittleEndian.Uint32(s.data[b:])
		}
		binary.LittleEndian.PutUint32(h, next)
		for next >= from {
			older := records[int64(next-from)<<unitShift:]
			link := binary.LittleEndian.Uint32(older)
			if binary.LittleEndian.Uint64(older[8:]) == pc {
				binary.LittleEndian.PutUint32(older, link|outdated)
				break
			}
			next = link &^ outdated
		}
		*head = uint32((end + int64(at)) >> unitShift)
		at += recordSize(h)
	}
}

// recordSize is how much room the record at the start of h takes.
func recordSize(h []byte) int {
	return (recordHead + int(binary.LittleEndian.Uint32(h[20:])) + 1<<unitShift - 1) &^ (1<<unitShift - 1)
}

// unknown removes the records that another process has written meanwhile: those that
// run at the same time make the same. older are the other ones of the pcs that stay.
func (s *Store) unknown(records []byte) (rest []byte, older []Record) {
	kept := 0
	for at := 0; at < len(records); {
		r := records[at:]
		r = r[:recordSize(r)]
		from := at
		at += len(r)
		known, before := false, len(older)
		s.Find(binary.LittleEndian.Uint64(r[8:]), func(old Record) bool {
			known = bytes.Equal(s.data[old.at+4:][:recordHead-4], r[4:recordHead])
			older = append(older, old)
			return !known
		})
		if known {
			older = older[:before]
			continue
		}
		if kept != from {
			copy(records[kept:], r)
		}
		kept += len(r)
	}
	return records[:kept], older
}

// publish writes the new end and the buckets of a batch.
func (s *Store) publish(f *os.File, records []byte, end int64) error {
	w, err := unix.Mmap(int(f.Fd()), 0, int(s.recordsAt()), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return err
	}
	defer unix.Munmap(w)
	binary.LittleEndian.PutUint64(w[endOffset:], uint64(end))
	for at := 0; at < len(records); at += recordSize(records[at:]) {
		b := s.bucket(binary.LittleEndian.Uint64(records[at+8:]))
		binary.LittleEndian.PutUint32(w[b:], s.heads[(b-bucketsAt)/4])
	}
	return nil
}

// Close unmaps the file, without Flush.
func (s *Store) Close() error {
	if s.room != nil {
		unix.Munmap(s.room)
	}
	return unix.Munmap(s.data)
}
