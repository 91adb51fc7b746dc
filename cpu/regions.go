package cpu

import (
	"iter"
	"slices"
)

// regionList is the guest's mappings, which do not overlap, in the order of their
// addresses. They lie in chunks, so that a change moves one chunk's and not all behind it:
// as a single slice, 30,000 mappings cost 270 us an mmap, most of which go below all others.
// A process with few mappings has one chunk.
type regionList struct {
	chunks [][]Region // none is empty or longer than maxChunk
}

// maxChunk is about the root of the number of mappings that the kernel allows
// (vm.max_map_count).
const maxChunk = 256

// cursor is a place in a regionList: that of a region, before the first or behind the last.
// It holds until the list changes.
type cursor struct{ chunk, index int }

// at returns the region at c, nil before the first and behind the last.
func (l *regionList) at(c cursor) *Region {
	if uint(c.chunk) >= uint(len(l.chunks)) {
		return nil
	}
	return &l.chunks[c.chunk][c.index]
}

func (l *regionList) next(c cursor) cursor {
	if c.index++; c.chunk < 0 || c.index == len(l.chunks[c.chunk]) {
		return cursor{c.chunk + 1, 0}
	}
	return c
}

func (l *regionList) prev(c cursor) cursor {
	switch {
	case c.index > 0:
		return cursor{c.chunk, c.index - 1}
	case c.chunk > 0:
		return cursor{c.chunk - 1, len(l.chunks[c.chunk-1]) - 1}
	}
	return cursor{-1, 0}
}

// first returns the place of the first region that ends after addr.
func (l *regionList) first(addr uint64) cursor {
	k := firstAfter(len(l.chunks), addr, func(i int) uint64 { return l.chunks[i][len(l.chunks[i])-1].End })
	if k == len(l.chunks) {
		return cursor{k, 0}
	}
	chunk := l.chunks[k]
	return cursor{k, firstAfter(len(chunk), addr, func(i int) uint64 { return chunk[i].End })}
}

// holding returns the region that addr is in, nil if there is none.
func (l *regionList) holding(addr uint64) *Region {
	if r := l.at(l.first(addr)); r != nil && r.Start <= addr {
		return r
	}
	return nil
}

// firstAfter returns the first of n rising numbers that is more than addr.
func firstAfter(n int, addr uint64, number func(i int) uint64) int {
	lo, hi := 0, n
	for lo < hi {
		if mid := (lo + hi) / 2; number(mid) > addr {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}

// all calls yield for all regions, which it may change but for their addresses.
func (l *regionList) all() iter.Seq[*Region] {
	return func(yield func(*Region) bool) {
		for _, chunk := range l.chunks {
			for i := range chunk {
				if !yield(&chunk[i]) {
					return
				}
			}
		}
	}
}

// within is all for those that have a part in [start, end).
func (l *regionList) within(start, end uint64) iter.Seq[*Region] {
	return func(yield func(*Region) bool) {
		for c := l.first(start); ; c = l.next(c) {
			if r := l.at(c); r == nil || r.Start >= end || !yield(r) {
				return
			}
		}
	}
}

// list returns a copy.
func (l *regionList) list() []Region { return slices.Concat(l.chunks...) }

// replace puts regions, at most three, in the place of those from one cursor to another,
// which first or next has returned.
func (l *regionList) replace(from, to cursor, with ...Region) {
	if from.chunk == len(l.chunks) { // behind the last: at the end of its chunk
		if len(l.chunks) == 0 {
			l.chunks = append(l.chunks, nil)
		}
		k := len(l.chunks) - 1
		from = cursor{k, len(l.chunks[k])}
		to = from
	}
	k, end := from.chunk, to.index
	if to.chunk > k {
		if end > 0 {
			l.chunks[to.chunk] = slices.Delete(l.chunks[to.chunk], 0, end)
		}
		l.chunks = slices.Delete(l.chunks, k+1, to.chunk)
		end = len(l.chunks[k])
	}
	l.chunks[k] = slices.Replace(l.chunks[k], from.index, end, with...)
	l.balance(k)
}

// balance splits chunk k if it is too long, and joins it with a neighbour if both are short.
func (l *regionList) balance(k int) {
	chunk := l.chunks[k]
	switch half := len(chunk) / 2; {
	case len(chunk) == 0:
		l.chunks = slices.Delete(l.chunks, k, k+1)
	case len(chunk) > maxChunk:
		l.chunks = slices.Insert(l.chunks, k+1, slices.Clone(chunk[half:]))
		l.chunks[k] = slices.Delete(chunk, half, len(chunk))
	case !l.join(k):
		l.join(k - 1)
	}
}

// join makes chunks k and k+1 one, if they are there and short.
func (l *regionList) join(k int) bool {
	if k < 0 || k+1 >= len(l.chunks) || len(l.chunks[k])+len(l.chunks[k+1]) > maxChunk/2 {
		return false
	}
	l.chunks[k] = append(l.chunks[k], l.chunks[k+1]...)
	l.chunks = slices.Delete(l.chunks, k+1, k+2)
	return true
}
