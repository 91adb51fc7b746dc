package jit

import (
	"math/bits"

	"emu/cache"
	"emu/cache/store"
)

// imageTables are the sections of an image.
type imageTables struct {
	head   []imageHead // one
	tables cache.ImageTables
	chunks []imageChunk // the last one is the end
	spans  []imageSpan
	words  []byte   // what the spans hold
	locks  []uint32 // offsets of host.Lock fields from the chunk's start
	notes  []imageNote
	outs   []cache.ImageOut
	code   []byte
}

type imageHead struct {
	Lo, Hi uint64 // guest code
	Known  uint64 // how many processes have told how often units run, which were put in that order
}

// imageChunk says where a chunk begins in the tables.
type imageChunk struct {
	Spans, Words, Locks, Notes, Outs uint32
	Sum                              uint32 // of all that is in it but the words, which are compared with memory
}

// imageSpan is a range of guest code, in words from the image's first one.
type imageSpan struct{ At, N uint32 }

// imageNote is a distance to the notes of an indirect branch; the offset is from the chunk's start.
type imageNote struct {
	Off  uint32
	Tail uint32
	PC   uint64 // of the branch
}

func (t *imageTables) sections() [][]byte {
	return [][]byte{raw(t.head), raw(t.tables.Units), raw(t.tables.Edges), raw(t.tables.ByPC), raw(t.chunks), raw(t.spans), t.words,
		raw(t.locks), raw(t.notes), raw(t.outs), t.code, raw(t.tables.ByPage), raw(t.tables.Starts),
		usesSection: raw(make(imageUses, usesHead+len(t.tables.Units))), marksSection: make(imageMarks, marksHead+len(t.tables.Units))}
}

// What processes change of an image has an index in the sections.
const (
	usesSection = 13 + iota
	marksSection
)

func tablesOf(s [][]byte) (t imageTables) {
	t.head, t.chunks, t.spans, t.words = rows[imageHead](s[0]), rows[imageChunk](s[4]), rows[imageSpan](s[5]), s[6]
	t.tables = cache.ImageTables{Units: rows[cache.ImageUnit](s[1]), Edges: rows[cache.ImageEdge](s[2]), ByPC: rows[cache.ImagePC](s[3]),
		ByPage: rows[uint32](s[11]), Starts: rows[uint32](s[12])}
	t.locks, t.notes, t.outs, t.code = rows[uint32](s[7]), rows[imageNote](s[8]), rows[cache.ImageOut](s[9]), s[10]
	return t
}

// sum is the checksum of a chunk, 0 if the tables are damaged.
func (t *imageTables) sum(n int) (sum uint32) {
	from, to := t.bounds(n)
	u := t.tables.Units[from : to+1]
	first, end := &u[0], &u[to-from]
	a, b := &t.chunks[n], &t.chunks[n+1]
	for _, part := range [][]byte{raw(u), part(t.tables.Edges, first.Edges, end.Edges), part(t.spans, a.Spans, b.Spans),
		part(t.locks, a.Locks, b.Locks), part(t.notes, a.Notes, b.Notes), part(t.outs, a.Outs, b.Outs), part(t.code, first.Off, end.Off)} {
		if part == nil {
			return 0
		}
		sum = bits.RotateLeft32(sum, 5) ^ store.Checksum(part)
	}
	return sum | 1
}

// part is the memory of a part of a slice, not nil but if there is no such part.
func part[T any](s []T, from, to uint32) []byte {
	if from > to || uint64(to) > uint64(len(s)) {
		return nil
	}
	if from == to {
		return []byte{}
	}
	return raw(s[from:to])
}

// bounds are the units of a chunk.
func (t *imageTables) bounds(n int) (from, to int) {
	return n * cache.ImageChunkUnits, min((n+1)*cache.ImageChunkUnits, len(t.tables.Units)-1)
}
