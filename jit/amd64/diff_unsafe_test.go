//go:build linux && amd64

package amd64_test

import "unsafe"

// address is where the guest's memory is.
func (n *bench) address() uint64 { return uint64(uintptr(unsafe.Pointer(&n.mem[0]))) }
