package a64crypto

func choose(x, y, z uint32) uint32   { return (y^z)&x ^ z }
func parity(x, y, z uint32) uint32   { return x ^ y ^ z }
func majority(x, y, z uint32) uint32 { return x&y | (x|y)&z }

// sha1Rounds does four rounds (FIPS 180-4, 6.1.2). d holds a..d, n holds e.
func sha1Rounds(d Vec, n uint32, m Vec, f func(x, y, z uint32) uint32) Vec {
	x, w := split(d), split(m)
	for i := range w {
		y := n + rol(x[0], 5) + f(x[1], x[2], x[3]) + w[i]
		n = x[3]
		x = words{y, x[0], rol(x[1], 30), x[2]}
	}
	return x.vec()
}

// SHA1C does four rounds with the choose function.
func SHA1C(d Vec, n uint32, m Vec) Vec { return sha1Rounds(d, n, m, choose) }

// SHA1P does four rounds with the parity function.
func SHA1P(d Vec, n uint32, m Vec) Vec { return sha1Rounds(d, n, m, parity) }

// SHA1M does four rounds with the majority function.
func SHA1M(d Vec, n uint32, m Vec) Vec { return sha1Rounds(d, n, m, majority) }

// SHA1SU0 is the first half of the message schedule.
func SHA1SU0(d, n, m Vec) Vec {
	return Vec{d[1] ^ d[0] ^ m[0], n[0] ^ d[1] ^ m[1]}
}

// SHA1SU1 is the second half of the message schedule.
func SHA1SU1(d, n Vec) Vec {
	t := split(Vec{d[0] ^ (n[0]>>32 | n[1]<<32), d[1] ^ n[1]>>32})
	out := words{rol(t[0], 1), rol(t[1], 1), rol(t[2], 1), rol(t[3], 1) ^ rol(t[0], 2)}
	return out.vec()
}
