package a64crypto

// EOR3 is n ^ m ^ a.
func EOR3(n, m, a Vec) Vec { return Vec{n[0] ^ m[0] ^ a[0], n[1] ^ m[1] ^ a[1]} }

// BCAX is n ^ (m &^ a).
func BCAX(n, m, a Vec) Vec { return Vec{n[0] ^ m[0]&^a[0], n[1] ^ m[1]&^a[1]} }

// RAX1 is n ^ (m rotated left by one), on 64-bit elements.
func RAX1(n, m Vec) Vec { return Vec{n[0] ^ ror64(m[0], 63), n[1] ^ ror64(m[1], 63)} }

// XAR is (n ^ m) rotated right by imm, on 64-bit elements.
func XAR(n, m Vec, imm int) Vec { return Vec{ror64(n[0]^m[0], imm), ror64(n[1]^m[1], imm)} }
