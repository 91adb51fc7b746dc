package a64crypto

import "math/bits"

// QARMA (R. Avanzi, "The QARMA Block Cipher Family", IACR ToSC 2017(1)) with a
// 64-bit state of sixteen 4-bit cells, as the Arm ARM's ComputePAC uses it:
// cell i is bits 4i+3:4i, which is the paper's cell 15-i.

// nibbles is a table of sixteen 4-bit entries: entry i is bits 4i+3:4i.
type nibbles uint64

const (
	qarmaSub    nibbles = 0xa12d5473e90cf86b // sigma 2, PACSub
	qarmaInvSub nibbles = 0x37c40f6291ba8de5 // its inverse, PACInvSub
	qarmaSub1   nibbles = 0x421bc089537f6eda // sigma 1, PACSub1, its own inverse

	cellShuffle     nibbles = 0xf4925e38a1c70b6d // entry i: the cell that moves to i
	cellInvShuffle  nibbles = 0xfa0527d841be9c63
	tweakShuffle    nibbles = 0x9a10fedc832b7654
	tweakInvShuffle nibbles = 0xba984ef7321065dc

	// Cells that have just been through the tweak's shift register, by position after
	// tweakShuffle and after tweakInvShuffle.
	tweakRotated    = 0xff0ff000f00f0f00
	tweakInvRotated = 0xf000ffff0f00000f
)

const (
	qarmaAlpha = 0xc0ac29b7c97c50dd
	cellLow    = 0x1111111111111111
	cellTop    = 0x8888888888888888
)

// qarmaRC are the round constants, digits of pi.
var qarmaRC = [...]uint64{
	0, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89, 0x452821e638d01377,
}

func (t nibbles) at(i int) uint64 { return uint64(t) >> (4 * i) & 15 }

// substitute replaces every cell of x by its table entry.
func (t nibbles) substitute(x uint64) uint64 {
	var r uint64
	for i := 0; i < 64; i += 4 {
		r |= t.at(int(x>>i&15)) << i
	}
	return r
}

// permute moves cells.
func (t nibbles) permute(x uint64) uint64 {
	var r uint64
	for i := range 16 {
		r |= x >> (4 * t.at(i)) & 15 << (4 * i)
	}
	return r
}

// rotateCells rotates every cell left by 1 or 2 bits.
func rotateCells(x uint64, n int) uint64 {
	low := uint64(cellLow) * (1<<n - 1)
	return x<<n&^low | x>>(4-n)&low
}

// mixCells is PACMult, the circulant matrix (0 1 2 1) of rotations over the
// four 16-bit rows; it is an involution.
func mixCells(x uint64) uint64 {
	return rotateCells(bits.RotateLeft64(x, 16)^bits.RotateLeft64(x, 48), 1) ^
		rotateCells(bits.RotateLeft64(x, 32), 2)
}

// nextTweak is TweakShuffle.
func nextTweak(x uint64) uint64 {
	x = tweakShuffle.permute(x)
	stepped := x>>1&^cellTop | (x^x>>1)&cellLow<<3
	return x&^tweakRotated | stepped&tweakRotated
}

// prevTweak is TweakInvShuffle.
func prevTweak(x uint64) uint64 {
	x = tweakInvShuffle.permute(x)
	stepped := x<<1&^cellLow | (x^x>>3)&cellLow
	return x&^tweakInvRotated | stepped&tweakInvRotated
}

// qarma enciphers data under the tweak modifier with the given number of
// forward rounds after the first, key0 being the whitening and key1 the core
// key (ComputePAC).
func qarma(data, modifier, key0, key1 uint64, rounds int, sub, invSub nibbles) uint64 {
	modk0 := key0&1<<63 | key0>>2<<1 | (key0>>63^key0>>1)&1
	tweak := modifier
	x := data ^ key0
	for i := 0; i <= rounds; i++ {
		x ^= key1 ^ tweak ^ qarmaRC[i]
		if i > 0 {
			x = mixCells(cellShuffle.permute(x))
		}
		x = sub.substitute(x)
		tweak = nextTweak(tweak)
	}
	x = sub.substitute(mixCells(cellShuffle.permute(x ^ modk0 ^ tweak)))
	x = mixCells(cellShuffle.permute(x)) ^ key1
	x = invSub.substitute(cellInvShuffle.permute(x))
	x = cellInvShuffle.permute(mixCells(x)) ^ key0 ^ tweak
	for i := rounds; i >= 0; i-- {
		x = invSub.substitute(x)
		if i > 0 {
			x = cellInvShuffle.permute(mixCells(x))
		}
		tweak = prevTweak(tweak)
		x ^= qarmaRC[i] ^ key1 ^ tweak ^ qarmaAlpha
	}
	return x ^ modk0
}
