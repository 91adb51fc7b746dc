package cpu

import (
	"slices"
	"unsafe"
)

// Addr is where the Memory lies: what PeekRegions needs to know in another process.
func (m *Memory) Addr() uint64 { return uint64(uintptr(unsafe.Pointer(m))) }

// maxPeek bounds how many chunks are read of another process: more than vm.max_map_count
// allows.
const maxPeek = 1 << 14

// PeekRegions returns the regions of the Memory at addr in another process that runs
// this program, whose memory read copies from. That process may be changing them:
// what does not look like a list of regions is read again a few times.
func PeekRegions(addr uint64, read func(addr uint64, b []byte) bool) ([]Region, bool) {
	for range 20 {
		if list, ok := peekRegions(addr+uint64(unsafe.Offsetof(Memory{}.regions)), read); ok {
			return list, true
		}
	}
	return nil, false
}

// rawString and rawSlice are how Go lays out a string and a slice, whose pointers are
// another process's.
type (
	rawString struct{ data, length uint64 }
	rawSlice  struct{ data, length, capacity uint64 }
)

// peekRegions reads the regionList at an address.
func peekRegions(at uint64, read func(addr uint64, b []byte) bool) ([]Region, bool) {
	chunks, ok := peekChunks(at, read)
	if !ok {
		return nil, false
	}
	const size = uint64(unsafe.Sizeof(Region{}))
	var raw []byte
	for _, chunk := range chunks {
		if chunk.length > 2*maxChunk {
			return nil, false
		}
		b := make([]byte, chunk.length*size)
		if !read(chunk.data, b) {
			return nil, false
		}
		raw = append(raw, b...)
	}
	if again, ok := peekChunks(at, read); !ok || !slices.Equal(again, chunks) {
		return nil, false
	}
	list := make([]Region, uint64(len(raw))/size)
	paths := map[rawString]string{}
	var end uint64
	for i := range list {
		b, r := raw[uint64(i)*size:], &list[i]
		copyField(&r.Start, b, unsafe.Offsetof(r.Start))
		copyField(&r.End, b, unsafe.Offsetof(r.End))
		copyField(&r.Prot, b, unsafe.Offsetof(r.Prot))
		copyField(&r.Flags, b, unsafe.Offsetof(r.Flags))
		copyField(&r.Offset, b, unsafe.Offsetof(r.Offset))
		copyField(&r.Dev, b, unsafe.Offsetof(r.Dev))
		copyField(&r.Ino, b, unsafe.Offsetof(r.Ino))
		if r.Start < end || r.End <= r.Start || r.End > MaxAddr {
			return nil, false
		}
		end = r.End
		var name rawString
		copyField(&name, b, unsafe.Offsetof(r.Path))
		text, known := paths[name]
		if !known && name.length != 0 {
			const pathMax = 4096
			if name.length > pathMax {
				return nil, false
			}
			b := make([]byte, name.length)
			if !read(name.data, b) {
				return nil, false
			}
			text = string(b)
			paths[name] = text
		}
		r.Path = text
	}
	return list, true
}

// peekChunks reads where the chunks of the regionList at an address are.
func peekChunks(at uint64, read func(addr uint64, b []byte) bool) ([]rawSlice, bool) {
	var head rawSlice
	if !read(at+uint64(unsafe.Offsetof(regionList{}.chunks)), bytesAt(&head)) || head.length > maxPeek {
		return nil, false
	}
	chunks := make([]rawSlice, head.length)
	if len(chunks) == 0 {
		return nil, true
	}
	b := unsafe.Slice((*byte)(unsafe.Pointer(&chunks[0])), uintptr(len(chunks))*unsafe.Sizeof(chunks[0]))
	return chunks, read(head.data, b)
}

func bytesAt[T any](v *T) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v)) }

// copyField reads a field without pointers from a structure's bytes.
func copyField[T any](dst *T, b []byte, off uintptr) { copy(bytesAt(dst), b[off:]) }
