package a64crypto

// sha256Rounds does four rounds (FIPS 180-4, 6.2.2) on a..d in x, e..h in y.
func sha256Rounds(x, y, w words) (words, words) {
	for i := range w {
		sigma0 := rol(x[0], -2) ^ rol(x[0], -13) ^ rol(x[0], -22)
		sigma1 := rol(y[0], -6) ^ rol(y[0], -11) ^ rol(y[0], -25)
		t := y[3] + sigma1 + choose(y[0], y[1], y[2]) + w[i]
		a := t + sigma0 + majority(x[0], x[1], x[2])
		x, y = words{a, x[0], x[1], x[2]}, words{x[3] + t, y[0], y[1], y[2]}
	}
	return x, y
}

// SHA256H does four rounds and gives a..d; d holds a..d, n holds e..h.
func SHA256H(d, n, m Vec) Vec {
	x, _ := sha256Rounds(split(d), split(n), split(m))
	return x.vec()
}

// SHA256H2 does four rounds and gives e..h; d holds e..h, n holds a..d.
func SHA256H2(d, n, m Vec) Vec {
	_, y := sha256Rounds(split(n), split(d), split(m))
	return y.vec()
}

// SHA256SU0 is the first half of the message schedule.
func SHA256SU0(d, n Vec) Vec {
	w := split(d)
	t := words{w[1], w[2], w[3], uint32(n[0])}
	for i := range w {
		w[i] += rol(t[i], -7) ^ rol(t[i], -18) ^ t[i]>>3
	}
	return w.vec()
}

// SHA256SU1 is the second half of the message schedule.
func SHA256SU1(d, n, m Vec) Vec {
	w, old, last := split(d), split(n), split(m)
	t0 := words{old[1], old[2], old[3], last[0]}
	t1 := words{last[2], last[3]}
	for i := range w {
		w[i] += t0[i] + (rol(t1[i], -17) ^ rol(t1[i], -19) ^ t1[i]>>10)
		if i < 2 {
			t1[i+2] = w[i]
		}
	}
	return w.vec()
}

func sha512Sigma0(x uint64) uint64 { return ror64(x, 28) ^ ror64(x, 34) ^ ror64(x, 39) }
func sha512Sigma1(x uint64) uint64 { return ror64(x, 14) ^ ror64(x, 18) ^ ror64(x, 41) }

// SHA512H does the part of two rounds (FIPS 180-4, 6.4.2) that depends on e..h.
func SHA512H(d, n, m Vec) Vec {
	hi := d[1] + sha512Sigma1(m[1]) + ((n[0]^n[1])&m[1] ^ n[1])
	e := hi + m[0]
	lo := d[0] + sha512Sigma1(e) + ((m[1]^n[0])&e ^ n[0])
	return Vec{lo, hi}
}

// SHA512H2 does the part of two rounds that depends on a..d.
func SHA512H2(d, n, m Vec) Vec {
	maj := func(x, y, z uint64) uint64 { return x&y | (x|y)&z }
	hi := d[1] + sha512Sigma0(m[0]) + maj(n[0], m[1], m[0])
	lo := d[0] + sha512Sigma0(hi) + maj(hi, m[0], m[1])
	return Vec{lo, hi}
}

// SHA512SU0 is the first half of the message schedule.
func SHA512SU0(d, n Vec) Vec {
	sigma := func(x uint64) uint64 { return ror64(x, 1) ^ ror64(x, 8) ^ x>>7 }
	return Vec{d[0] + sigma(d[1]), d[1] + sigma(n[0])}
}

// SHA512SU1 is the second half of the message schedule.
func SHA512SU1(d, n, m Vec) Vec {
	sigma := func(x uint64) uint64 { return ror64(x, 19) ^ ror64(x, 61) ^ x>>6 }
	return Vec{d[0] + sigma(n[0]) + m[0], d[1] + sigma(n[1]) + m[1]}
}
