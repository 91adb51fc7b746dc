package diff

import "unsafe"

// loadWord reads eight bytes at an address that is not one of Go's.
//
//go:noinline
func loadWord(addr uint64) uint64 { return *(*uint64)(unsafe.Add(unsafe.Pointer(nil), addr)) }
