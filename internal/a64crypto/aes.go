package a64crypto

// The AES state is a column-major 4x4 matrix of bytes: byte i of the register
// is row i%4 of column i/4 (FIPS 197, 3.4).

// AESE adds the round key, then shifts rows and substitutes bytes.
func AESE(d, n Vec) Vec {
	in := toBytes(Vec{d[0] ^ n[0], d[1] ^ n[1]})
	var out [16]uint8
	for i := range out {
		out[i] = aesSbox[in[(i+4*(i%4))%16]]
	}
	return fromBytes(&out)
}

// AESD adds the round key, then undoes row shift and substitution.
func AESD(d, n Vec) Vec {
	in := toBytes(Vec{d[0] ^ n[0], d[1] ^ n[1]})
	var out [16]uint8
	for i := range out {
		out[i] = aesInvSbox[in[(i-4*(i%4)+16)%16]]
	}
	return fromBytes(&out)
}

// xtime multiplies each byte of x by 2 in the field of AES.
func xtime(x uint64) uint64 {
	const low7 = 0x7f7f7f7f7f7f7f7f
	return x&low7<<1 ^ x>>7&^0xfefefefefefefefe*0x1b
}

// rotateColumns moves each byte n rows up within its column.
func rotateColumns(x uint64, n int) uint64 {
	return uint64(rol(uint32(x), -8*n)) | uint64(rol(uint32(x>>32), -8*n))<<32
}

// mixColumns multiplies two columns by the circulant matrix (2 3 1 1).
func mixColumns(x uint64) uint64 {
	next := rotateColumns(x, 1)
	return xtime(x^next) ^ next ^ rotateColumns(x, 2) ^ rotateColumns(x, 3)
}

// invMixColumns multiplies two columns by the circulant matrix (14 11 13 9),
// which is (2 3 1 1) times (5 0 4 0).
func invMixColumns(x uint64) uint64 {
	return mixColumns(x ^ xtime(xtime(x^rotateColumns(x, 2))))
}

// AESMC mixes columns.
func AESMC(n Vec) Vec { return Vec{mixColumns(n[0]), mixColumns(n[1])} }

// AESIMC undoes AESMC.
func AESIMC(n Vec) Vec { return Vec{invMixColumns(n[0]), invMixColumns(n[1])} }
