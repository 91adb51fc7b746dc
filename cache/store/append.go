package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"sync"
	"sync/atomic"

	"emu/internal/place"

	"golang.org/x/sys/unix"
)

// first is in the next field of a record that waits, if no other one of its pc and mode
// can be in the file but by another process.
const first = 1

// Add keeps a record until the next Flush. What does not fit is dropped. again tells that
// this process may have added one of the same pc and mode before.
func (s *Store) Add(pc uint64, mode uint32, record []byte, again bool) {
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
		room, err := place.Bytes(place.Pending, pendingRoom, unix.MAP_PRIVATE|unix.MAP_NORESERVE)
		if err != nil {
			s.closed = true
			return
		}
		unix.Madvise(room, unix.MADV_WIPEONFORK) // see dropInherited
		s.room, s.pending = room, room[:0]
	}
	s.dirty.Store(true)
	at := len(s.pending)
	s.pending = append(s.pending, make([]byte, recordHead)...)
	h := s.pending[at:]
	if !again {
		binary.LittleEndian.PutUint32(h, first)
	}
	binary.LittleEndian.PutUint64(h[8:], pc)
	binary.LittleEndian.PutUint32(h[16:], mode)
	binary.LittleEndian.PutUint32(h[20:], uint32(len(record)))
	s.pending = append(s.pending, record...)
	binary.LittleEndian.PutUint32(s.pending[at+4:], Checksum(s.pending[at+8:]))
	for len(s.pending)%(1<<unitShift) != 0 {
		s.pending = append(s.pending, 0)
	}
	if len(s.pending) >= pendingSoon {
		s.flush()
	}
}

// Flush appends what was added to the file. A store that cannot (the file or the
// file system has no more room for it, the guest has changed its root) takes no more records.
func (s *Store) Flush() error {
	if !s.dirty.Load() {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.flush()
}

func (s *Store) flush() error {
	s.noFork.Lock()
	defer s.noFork.Unlock()
	s.dropInherited()
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

// Follow makes the store forget what was added before n changes, by one: in a forked
// child, whose parent writes that. The child cannot do so itself when it begins, for
// another goroutine may hold the lock, as it did in the parent. While noFork
// is held the process does not fork.
//
// Preconditions: nothing has been added yet.
func (s *Store) Follow(n *atomic.Uint32, noFork sync.Locker) {
	s.forks, s.noFork = n, noFork
	s.forked = n.Load()
}

// dropInherited forgets what was added before a fork. Preconditions: s.mu is held.
func (s *Store) dropInherited() {
	if n := s.forks.Load(); n != s.forked {
		s.pending, s.forked = s.room[:0], n
	}
}

// reopen opens the file for writing.
func (s *Store) reopen() (fd int, err error) {
	if fd, err = openFile(s.path, 0); err != nil {
		return -1, err
	}
	var st unix.Stat_t
	if err = unix.Fstat(fd, &st); err == nil && (st.Dev != s.dev || st.Ino != s.ino) {
		err = errors.New("the file is another one now")
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

var errFull = errors.New("the store is full")

func (s *Store) append(records []byte) error {
	fd, err := s.reopen()
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if err := unix.Flock(fd, unix.LOCK_EX); err != nil {
		return err
	}
	defer unix.Flock(fd, unix.LOCK_UN) // a mapping keeps the description open
	foreign := s.Foreign()
	records, older := s.unknown(records, foreign)
	end := s.end()
	stop := end + int64(len(records))
	if end < s.recordsAt() || end&(1<<unitShift-1) != 0 || stop > s.size() {
		os.Remove(s.path) // the next process begins a new one
		return errFull
	}
	if err := allowed(stop); err != nil {
		return err
	}
	if err := roomFor(fd, int64(len(records))); err != nil {
		return err
	}
	s.chain(records, end)
	if err := writeAt(fd, records, end); err != nil {
		return err
	}
	for _, r := range older {
		if err := writeAt(fd, binary.LittleEndian.AppendUint32(nil, r.next|outdated), r.at); err != nil {
			return err
		}
	}
	if !foreign {
		s.ownEnd.Store(stop) // before the file has it
	}
	return s.publish(fd, records, stop)
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
// Where nobody else has written, the record and heads tell without a look at the file that
// there are none.
func (s *Store) unknown(records []byte, foreign bool) (rest []byte, older []Record) {
	kept := 0
	for at := 0; at < len(records); {
		r := records[at:]
		r = r[:recordSize(r)]
		from := at
		at += len(r)
		known, before := false, len(older)
		pc := binary.LittleEndian.Uint64(r[8:])
		again := binary.LittleEndian.Uint32(r) != first
		if foreign || again && s.heads != nil && s.heads[(s.bucket(pc)-bucketsAt)/4] != 0 {
			s.Find(pc, func(old Record) bool {
				known = bytes.Equal(s.data[old.at+4:][:recordHead-4], r[4:recordHead])
				older = append(older, old)
				return !known
			})
		}
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
func (s *Store) publish(fd int, records []byte, end int64) error {
	w, err := s.writable(fd)
	if err != nil {
		return err
	}
	binary.LittleEndian.PutUint64(w[endOffset:], uint64(end))
	for at := 0; at < len(records); at += recordSize(records[at:]) {
		b := s.bucket(binary.LittleEndian.Uint64(records[at+8:]))
		binary.LittleEndian.PutUint32(w[b:], s.heads[(b-bucketsAt)/4])
	}
	return nil
}

// writable returns all before the records, mapped from the open file for writing. Preconditions:
// s.mu is held.
func (s *Store) writable(fd int) (table []byte, err error) {
	if s.table == nil {
		s.table, err = unix.Mmap(fd, 0, int(s.recordsAt()), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	}
	return s.table, err
}
