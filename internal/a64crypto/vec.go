// Package a64crypto computes the A64 instructions that belong to no number
// system: AES, SHA-1, SHA-256, SHA-512, SM3, SM4, CRC-32 and pointer authentication, as the Arm ARM's pseudocode defines them.
//
// All functions are pure. Operands are named after the instruction's
// registers; a function whose instruction reads its destination takes that
// first, as d.
package a64crypto

import (
	"encoding/binary"
	"math/bits"
)

// Vec is a 128-bit vector register: bits 63:0, then bits 127:64.
type Vec = [2]uint64

// words are the four 32-bit elements of a vector, lowest first.
type words [4]uint32

func split(v Vec) words {
	return words{uint32(v[0]), uint32(v[0] >> 32), uint32(v[1]), uint32(v[1] >> 32)}
}

func (w *words) vec() Vec {
	return Vec{uint64(w[0]) | uint64(w[1])<<32, uint64(w[2]) | uint64(w[3])<<32}
}

func toBytes(v Vec) (b [16]uint8) {
	binary.LittleEndian.PutUint64(b[:8], v[0])
	binary.LittleEndian.PutUint64(b[8:], v[1])
	return b
}

func fromBytes(b *[16]uint8) Vec {
	return Vec{binary.LittleEndian.Uint64(b[:8]), binary.LittleEndian.Uint64(b[8:])}
}

func rol(x uint32, n int) uint32 { return bits.RotateLeft32(x, n) }

func ror64(x uint64, n int) uint64 { return bits.RotateLeft64(x, -n) }
