package cpu

import "unsafe"

// Addr is where the Memory lies: what PeekRegions needs to know in another process.
func (m *Memory) Addr() uint64 { return uint64(uintptr(unsafe.Pointer(m))) }

// maxPeek bounds what is read of another process: more than vm.max_map_count allows.
const maxPeek = 1 << 20

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

// rawSlice and rawRegion are how Go lays out a slice or a string, and a Region, whose
// pointers are another process's.
type rawSlice struct{ data, length uint64 }

func peekRegions(at uint64, read func(addr uint64, b []byte) bool) ([]Region, bool) {
	var head, again rawSlice
	if !read(at, bytesAt(&head)) || head.length > maxPeek {
		return nil, false
	}
	size := uint64(unsafe.Sizeof(Region{}))
	raw := make([]byte, head.length*size)
	if len(raw) > 0 && !read(head.data, raw) {
		return nil, false
	}
	if !read(at, bytesAt(&again)) || again != head {
		return nil, false
	}
	list := make([]Region, head.length)
	paths := map[rawSlice]string{}
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
		var name rawSlice
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

func bytesAt[T any](v *T) []byte { return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v)) }

// copyField reads a field without pointers from a structure's bytes.
func copyField[T any](dst *T, b []byte, off uintptr) { copy(bytesAt(dst), b[off:]) }
