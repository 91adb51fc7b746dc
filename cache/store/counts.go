package store

import "golang.org/x/sys/unix"

// Counts say how often code at a pc ran in all processes together, so that what
// each of many short runs executes a little gets hot in the end.
//
// The table is 8 bytes an entry, with linear probing over a few entries; one that
// finds no place is not counted. Entries only grow, by compare-and-swap on the
// mapped file: neither readers nor writers take a lock.
//
//	63                          18 17              0
//	+-----------------------------+----------------+
//	|            pc >> 2          | count / 64     |   0: empty
//	+-----------------------------+----------------+
const (
	countBits    = 18
	countUnit    = 64
	maxCount     = 1<<countBits - 1
	countProbes  = 8
	countsShare  = 8  // buckets for each entry
	maxCountedPC = 48 // bits
)

// countsAt is the offset of the table in a file of n buckets.
func countsAt(n uint32) int64 { return bucketsAt + 4*int64(n) }

// countsFor is the number of its entries, a power of two.
func countsFor(n uint32) int64 { return int64(n / countsShare) }

// Count is how often pc ran, as far as it is known.
type Count struct {
	PC uint64
	N  uint64
}

// Count returns what AddCounts has been told of pc, rounded down.
func (s *Store) Count(pc uint64) uint64 {
	t := countTable(s.data[countsAt(s.n):runsAt(s.n)])
	if e := t.find(pc); e != nil {
		return e.load() & maxCount * countUnit
	}
	return 0
}

// AddCounts adds to the counts of pcs.
func (s *Store) AddCounts(counts []Count) error {
	fd, err := s.reopen()
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	w, err := unix.Mmap(fd, 0, int(runsAt(s.n)), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return err
	}
	defer unix.Munmap(w)
	t := countTable(w[countsAt(s.n):])
	for _, c := range counts {
		if c.PC>>maxCountedPC == 0 {
			t.add(c.PC, c.N/countUnit)
		}
	}
	return nil
}

// find returns pc's entry, nil if it has none.
func (t countTable) find(pc uint64) *countEntry {
	for i := range uint64(countProbes) {
		switch e := t.entry(countHash(pc) + i); e.load() >> countBits {
		case pc >> 2:
			return e
		case 0:
			return nil
		}
	}
	return nil
}

func (t countTable) add(pc, n uint64) {
	for i := uint64(0); i < countProbes && n > 0; {
		e := t.entry(countHash(pc) + i)
		old := e.load()
		switch old >> countBits {
		case 0, pc >> 2:
			if e.swap(old, pc>>2<<countBits|min(old&maxCount+n, maxCount)) {
				return
			}
		default:
			i++
		}
	}
}

func countHash(pc uint64) uint64 { return pc >> 2 * 0x9e3779b97f4a7c15 >> 32 } // as for buckets
