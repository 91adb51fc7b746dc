package store

import (
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// Runs say how many processes have run code at a pc at all, as far as that: what several ran once is
// worth compiling, although none of them ran it twice.
//
// The table is 2 bits for every 8 bytes of the store's code. A number that is lost, as two processes write it at
// once, comes with the next process; neither readers nor writers take a lock.
const (
	// MaxRuns is what Runs counts up to.
	MaxRuns  = 1<<runBits - 1
	runBits  = 2
	runBytes = 8        // of code for a number
	maxCode  = 64 << 20 // bytes of a file's code that numbers are kept for
)

// runsAt is the offset of the table in a file of n buckets.
func runsAt(n uint32) int64 { return countsAt(n) + 8*countsFor(n) }

// runsFor is its size in bytes, a multiple of a word's.
func runsFor(code Code) int64 {
	const wordCode = runBytes * wordRuns
	return int64((code.Size+wordCode-1)/wordCode) * runWordSize
}

// run returns which number of the table is pc's. ok is false if it has none.
func (s *Store) run(pc uint64) (i uint64, ok bool) {
	if pc -= s.code.Start; pc >= s.code.Size { // which wraps for what lies before
		return 0, false
	}
	return pc / runBytes, true
}

// Runs returns how often AddRun was called for pc, or the instruction beside it, at most MaxRuns.
func (s *Store) Runs(pc uint64) int {
	i, ok := s.run(pc)
	if !ok {
		return 0
	}
	word, shift := runTable(s.data[runsAt(s.n):s.recordsAt()]).at(i)
	return int(word.load() >> shift & MaxRuns)
}

// AddRun notes that this process has run code at pc.
func (s *Store) AddRun(pc uint64) {
	i, ok := s.run(pc)
	if !ok {
		return
	}
	s.tally.Do(s.mapRuns)
	if s.runs == nil {
		return // the code stays cold
	}
	word, shift := runTable(s.runs).at(i)
	if old := word.load(); old>>shift&MaxRuns < MaxRuns {
		word.swap(old, old+1<<shift)
	}
}

// mapRuns maps the table for writing, if it can be.
func (s *Store) mapRuns() {
	if table := s.mapTables(); table != nil {
		s.runs = table[runsAt(s.n):s.recordsAt()]
	}
}

// mapTables maps all before the records for writing. It returns nil if that cannot be.
func (s *Store) mapTables() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.noFork.Lock()
	defer s.noFork.Unlock()
	fd, err := s.reopen()
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	table, err := s.writable(fd)
	if err != nil {
		return nil
	}
	return table
}

// AddUse notes that this process has used the store, and returns how many have.
func (s *Store) AddUse() (n uint32) {
	if table := s.mapTables(); table != nil {
		n = binary.LittleEndian.Uint32(table[usesOffset:]) + 1
		binary.LittleEndian.PutUint32(table[usesOffset:], n)
	}
	return n
}
