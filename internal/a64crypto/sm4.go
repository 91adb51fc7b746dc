package a64crypto

// sm4Tau substitutes the four bytes of a word (GB/T 32907-2016, 6.2.1).
func sm4Tau(x uint32) uint32 {
	return uint32(sm4Sbox[x>>24])<<24 | uint32(sm4Sbox[x>>16&0xff])<<16 |
		uint32(sm4Sbox[x>>8&0xff])<<8 | uint32(sm4Sbox[x&0xff])
}

func sm4Rounds(state, keys Vec, l func(uint32) uint32) Vec {
	x := split(state)
	for _, k := range split(keys) {
		x = words{x[1], x[2], x[3], x[0] ^ l(sm4Tau(x[1]^x[2]^x[3]^k))}
	}
	return x.vec()
}

// SM4E does four rounds of encryption on d with the round keys n.
func SM4E(d, n Vec) Vec {
	return sm4Rounds(d, n, func(b uint32) uint32 { return b ^ rol(b, 2) ^ rol(b, 10) ^ rol(b, 18) ^ rol(b, 24) })
}

// SM4EKEY derives four round keys from n and the constants m.
func SM4EKEY(n, m Vec) Vec {
	return sm4Rounds(n, m, func(b uint32) uint32 { return b ^ rol(b, 13) ^ rol(b, 23) })
}
