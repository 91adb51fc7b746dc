package jit

import (
	"reflect"

	"emu/cache"
	"emu/jit/host"
)

// keeper hands out the memory of what blocks keep for as long as they are in the
// cache. A short program makes thousands of small blocks and then ends: one
// allocation for many of them costs less than one for each, also to the garbage
// collector, which frees a chunk when the last block in it is gone.
type keeper struct {
	blocks  slab[cache.Block]
	exits   slab[cache.Exit]
	entries slab[host.PCEntry]
	recipes slab[byte]
}

// block returns a Block with code's PCMap and room for its exits. The map is copied,
// unless it is that of a unit from a store: files stay mapped.
func (k *keeper) block(code *host.Code, u *unit) *cache.Block {
	b := &k.blocks.take(1)[0]
	b.Map = u.pcs
	if u.code == nil {
		b.Map.Entries = k.entries.copy(code.Map.Entries)
		b.Map.Recipes = k.recipes.copy(code.Map.Recipes)
	}
	b.Exits = k.exits.take(len(code.Exits))
	return b
}

// slab hands out pieces of chunks.
type slab[T any] struct{ chunk []T }

// chunkBytes is the size of a chunk: pieces of more than a quarter get their own.
const chunkBytes = 32 << 10

// take returns n zero elements that belong to the caller.
func (s *slab[T]) take(n int) []T {
	if n > len(s.chunk) {
		length := chunkBytes / int(reflect.TypeFor[T]().Size())
		if n > length/4 {
			return make([]T, n)
		}
		s.chunk = make([]T, length)
		populate(s.chunk)
	}
	piece := s.chunk[:n:n]
	s.chunk = s.chunk[n:]
	return piece
}

// copy is take with the elements of from.
func (s *slab[T]) copy(from []T) []T {
	piece := s.take(len(from))
	copy(piece, from)
	return piece
}
