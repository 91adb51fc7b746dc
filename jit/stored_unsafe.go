package jit

import "unsafe"

// appendRaw appends the memory of a slice of values without pointers.
func appendRaw[T any](r []byte, from []T) []byte {
	return append(r, raw(from)...)
}

// takeInto is the inverse of appendRaw: it appends n values to a slice and returns the rest
// of r, nil if r is too short. Only the same emulator reads what it wrote.
func takeInto[T any](to []T, r []byte, n uint32) ([]T, []byte) {
	var v T
	size := uint64(n) * uint64(unsafe.Sizeof(v))
	if r == nil || size > uint64(len(r)) {
		return to, nil
	}
	at := len(to)
	to = append(to, make([]T, n)...)
	if n > 0 {
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&to[at])), size), r)
	}
	return to, r[size:]
}

// view is takeInto without a copy: the n values lie in r, which is aligned for them.
func view[T any](r []byte, n uint32) ([]T, []byte) {
	var v T
	size := uint64(n) * uint64(unsafe.Sizeof(v))
	if r == nil || size > uint64(len(r)) {
		return nil, nil
	}
	if n == 0 {
		return nil, r
	}
	p := unsafe.Pointer(&r[0])
	if uintptr(p)%unsafe.Alignof(v) != 0 {
		panic("BUG: jit: a record is not aligned")
	}
	return unsafe.Slice((*T)(p), n), r[size:]
}

// raw is the memory of a slice of values without pointers.
func raw[T any](from []T) []byte {
	if len(from) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&from[0])), len(from)*int(unsafe.Sizeof(from[0])))
}

// rows is the inverse of raw: bytes that do not fill a value are left out.
func rows[T any](r []byte) []T {
	var v T
	list, _ := view[T](r, uint32(uint64(len(r))/uint64(unsafe.Sizeof(v))))
	return list
}
