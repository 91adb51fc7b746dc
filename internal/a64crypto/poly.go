package a64crypto

// PMUL multiplies the eight bytes of n and m as polynomials over GF(2) and
// keeps the low half of each product.
func PMUL(n, m uint64) uint64 {
	const low = 0x0101010101010101
	var r uint64
	for i := range 8 {
		// Byte lanes of n whose multiplier has bit i set, moved up by i.
		lanes := (m >> i & low) * 0xff
		keep := uint64(low) * (0xff >> i)
		r ^= n & lanes & keep << i
	}
	return r
}

// PMULL8 multiplies the eight bytes of n and m to eight 16-bit products.
func PMULL8(n, m uint64) Vec {
	return Vec{pmull8x4(uint32(n), uint32(m)), pmull8x4(uint32(n>>32), uint32(m>>32))}
}

// spread moves the four bytes of x to the low halves of 16-bit lanes.
func spread(x uint32) uint64 {
	v := uint64(x)
	v = (v | v<<16) & 0x0000ffff0000ffff
	return (v | v<<8) & 0x00ff00ff00ff00ff
}

func pmull8x4(n, m uint32) uint64 {
	x, y := spread(n), spread(m)
	var r uint64
	for i := range 8 {
		r ^= x << i & (y >> i & 0x0001000100010001 * 0xffff)
	}
	return r
}

// PMULL64 multiplies n and m to a 128-bit product.
func PMULL64(n, m uint64) Vec {
	var r Vec
	for i := range 64 {
		take := -(m >> i & 1)
		r[0] ^= n << i & take
		r[1] ^= n >> (64 - i) & take
	}
	return r
}
