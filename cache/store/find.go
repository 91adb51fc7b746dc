package store

import (
	"encoding/binary"
	"math/bits"
)

// bucket returns the offset of pc's bucket (Knuth, TAOCP 6.4: multiplicative hashing).
func (s *Store) bucket(pc uint64) int64 {
	return bucketsAt + 4*int64(pc>>2*0x9e3779b97f4a7c15>>32&uint64(s.n-1))
}

// recordsAt is the offset of the first record.
func (s *Store) recordsAt() int64 { return runsAt(s.n) + runsFor(s.code) }

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

// Outdated reports whether a record of the same pc was written later.
func (r Record) Outdated() bool { return r.next&outdated != 0 }

// After returns the record that was written after r: what ran next, mostly. It need
// not be one that Find gives.
func (s *Store) After(r Record) (Record, bool) {
	return s.at((r.at + recordHead + int64(len(r.Data)) + 1<<unitShift - 1) &^ (1<<unitShift - 1))
}

// Since calls yield for the records from an offset on that Start, End or Image gave, in
// the order in which they were written, until it returns false. Not all need be whole.
func (s *Store) Since(at int64, yield func(Record) bool) {
	for r, ok := s.at(at); ok && yield(r); r, ok = s.After(r) {
	}
}

// Place names a record for Lookup: where it begins, in units, and its checksum.
func (s *Store) Place(r Record) (at, sum uint32) {
	return uint32(r.at >> unitShift), binary.LittleEndian.Uint32(s.data[r.at+4:])
}

// Lookup returns the record at a place, if it is that and whole.
func (s *Store) Lookup(at, sum uint32) (Record, bool) {
	r, ok := s.at(int64(at) << unitShift)
	if !ok || binary.LittleEndian.Uint32(s.data[r.at+4:]) != sum || !s.whole(r) {
		return r, false
	}
	return r, true
}

// At returns the record at a place, if there can be one; it need not be whole.
func (s *Store) At(at uint32) (Record, bool) { return s.at(int64(at) << unitShift) }

// Start is where the first record is.
func (s *Store) Start() int64 { return s.recordsAt() }

// End is the end of the records that there are now.
func (s *Store) End() int64 { return min(s.end(), s.size()) }

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

// First reports whether Find would give r first of those of its mode, at the cost of less memory to look at.
// It may say no although it would.
func (s *Store) First(r Record) bool { return r.next&outdated == 0 && s.whole(r) }

// whole reports whether a record is as it was written.
func (s *Store) whole(r Record) bool {
	h := s.data[r.at:]
	return Checksum(h[8:recordHead+len(r.Data)]) == binary.LittleEndian.Uint32(h[4:])
}

// Checksum tells a whole record from one that another process's writes have not
// reached in full. It multiplies as Wang Yi's wyhash does, 16 bytes at a time, of four
// parts in turn, as a product waits for the one before: a CRC takes several times as
// long, and so does setting up its tables at each start.
func Checksum(b []byte) uint32 {
	h := [4]uint64{uint64(len(b))}
	for ; len(b) >= 64; b = b[64:] {
		s := (*[64]byte)(b)
		h[0], h[1], h[2], h[3] = mix(s[:16], h[0]), mix(s[16:32], h[1]), mix(s[32:48], h[2]), mix(s[48:], h[3])
	}
	var tail [64]byte
	copy(tail[:], b)
	sum := uint64(0)
	for n := range h {
		sum = mix(tail[16*n:], sum^h[n])
	}
	return uint32(sum ^ sum>>32)
}

// mix takes 16 bytes into h.
func mix(b []byte, h uint64) uint64 {
	const k0, k1 = 0xa0761d6478bd642f, 0xe7037ed1a0b428db
	hi, lo := bits.Mul64(binary.LittleEndian.Uint64(b)^k0, binary.LittleEndian.Uint64(b[8:])^h^k1)
	return hi ^ lo
}
