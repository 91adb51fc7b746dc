package a64crypto

// SM3 is GB/T 32905-2016. Its state words A..D (E..H) fill a register from the
// top, A (E) in bits 127:96.

// SM3SS1 is the intermediate SS1 in the top word, zeros below.
func SM3SS1(n, m, a Vec) Vec {
	x, y, z := uint32(n[1]>>32), uint32(m[1]>>32), uint32(a[1]>>32)
	return Vec{0, uint64(rol(rol(x, 12)+y+z, 7)) << 32}
}

func sm3TT1(d, n, m Vec, i int, f func(x, y, z uint32) uint32) Vec {
	x, w := split(d), split(m)
	ss2 := uint32(n[1]>>32) ^ rol(x[3], 12)
	t := f(x[1], x[3], x[2]) + x[0] + ss2 + w[i]
	out := words{x[1], rol(x[2], 9), x[3], t}
	return out.vec()
}

func sm3TT2(d, n, m Vec, i int, f func(x, y, z uint32) uint32) Vec {
	x, w := split(d), split(m)
	t := f(x[3], x[2], x[1]) + x[0] + uint32(n[1]>>32) + w[i]
	out := words{x[1], rol(x[2], 19), x[3], t ^ rol(t, 9) ^ rol(t, 17)}
	return out.vec()
}

// SM3TT1A updates A..D in rounds 0 to 15; i is the element of m.
func SM3TT1A(d, n, m Vec, i int) Vec { return sm3TT1(d, n, m, i, parity) }

// SM3TT1B updates A..D in rounds 16 to 63.
func SM3TT1B(d, n, m Vec, i int) Vec { return sm3TT1(d, n, m, i, majority) }

// SM3TT2A updates E..H in rounds 0 to 15.
func SM3TT2A(d, n, m Vec, i int) Vec { return sm3TT2(d, n, m, i, parity) }

// SM3TT2B updates E..H in rounds 16 to 63.
func SM3TT2B(d, n, m Vec, i int) Vec { return sm3TT2(d, n, m, i, choose) }

// sm3P1 is the permutation P1 of the message expansion.
func sm3P1(x uint32) uint32 { return x ^ rol(x, 15) ^ rol(x, 23) }

// SM3PARTW1 is the first half of the message expansion.
func SM3PARTW1(d, n, m Vec) Vec {
	t, last := split(Vec{d[0] ^ n[0], d[1] ^ n[1]}), split(m)
	for i := range 3 {
		t[i] = sm3P1(t[i] ^ rol(last[i+1], 15))
	}
	t[3] = sm3P1(t[3] ^ rol(t[0], 15))
	return t.vec()
}

// SM3PARTW2 is the second half of the message expansion.
func SM3PARTW2(d, n, m Vec) Vec {
	out, t, last := split(d), split(n), split(m)
	for i := range t {
		t[i] ^= rol(last[i], 7)
		out[i] ^= t[i]
	}
	out[3] ^= sm3P1(rol(t[0], 15))
	return out.vec()
}
