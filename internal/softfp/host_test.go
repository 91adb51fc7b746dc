package softfp

import (
	"math"
	"math/rand/v2"
	"testing"
)

// corners are operands at which something changes, by format.
func corners(f Fmt) []uint64 {
	p := &formats[f]
	one := p.pow2(0, 0)
	ulp := uint64(1)
	pos := []uint64{
		0, ulp, 2, 3, p.fracMask(), p.fracMask() - 1, p.quietBit(), p.fracMask() + 1, p.fracMask() + 2,
		p.pow2(0, int(p.minExp)+1), p.pow2(0, int(p.minExp)+1) - 1,
		one - 1, one, one + 1, p.pow2(0, -1), p.pow2(0, -1) - 1, p.pow2(0, -1) + 1, p.pow2(0, 1), one | p.quietBit(), p.pow2(0, 1) | p.quietBit(),
		p.pow2(0, int(p.fracBits)), p.pow2(0, int(p.fracBits)) + 1, p.pow2(0, int(p.fracBits)) - 1,
		p.pow2(0, -int(p.minExp)), p.pow2(0, -int(p.minExp)-1) + 1, p.maxNormal(0), p.maxNormal(0) - 1, p.pow2(0, -int(p.minExp)+1),
		p.inf(0), p.inf(0) + 1, p.inf(0) | p.quietBit() | 5, p.inf(0) | p.quietBit(), p.inf(0) | p.fracMask(), p.inf(0) | p.quietBit() - 1,
	}
	for _, n := range []int{14, 15, 16, 30, 31, 32, 62, 63, 64} { // edges of the integers
		if n < -int(p.minExp) {
			pos = append(pos, p.pow2(0, n), p.pow2(0, n)-1, p.pow2(0, n)+1)
		}
	}
	all := pos
	for _, x := range pos {
		all = append(all, x|p.signBit())
	}
	return all
}

// operand is a random operand: a corner, any bits, a value of moderate size
// (so that sums cancel and overlap), or a tiny one.
func operand(r *rand.Rand, f Fmt, corner []uint64) uint64 {
	p := &formats[f]
	x := r.Uint64() & (p.signBit()<<1 - 1)
	sign := x & p.signBit()
	frac := x & p.fracMask()
	if r.IntN(3) == 0 { // few fraction bits: exact results, ties
		frac &= ^uint64(0) << (r.IntN(int(p.fracBits)))
	}
	switch r.IntN(8) {
	case 0, 1:
		return corner[r.IntN(len(corner))]
	case 2, 3:
		return x&^p.fracMask() | frac
	case 4, 5:
		return p.pow2(0, r.IntN(25)-12) | sign | frac
	case 6:
		return sign | frac // denormal
	}
	return p.pow2(0, -int(p.minExp)-r.IntN(4)) | sign | frac
}

// The host computes in round-to-nearest without flushing; its NaNs differ.
func TestHostArithmetic(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	c32, c64 := corners(F32), corners(F64)
	check := func(f Fmt, name string, got, want uint64, ops ...uint64) {
		if isNaN(f, got) && isNaN(f, want) || got == want {
			return
		}
		t.Errorf("%s format %d %#x = %#x, host has %#x", name, f, ops, got, want)
	}
	for range 300_000 {
		var e Env
		a, b, d := operand(r, F64, c64), operand(r, F64, c64), operand(r, F64, c64)
		x, y, z := math.Float64frombits(a), math.Float64frombits(b), math.Float64frombits(d)
		check(F64, "add", e.Add(F64, a, b), math.Float64bits(x+y), a, b)
		check(F64, "sub", e.Sub(F64, a, b), math.Float64bits(x-y), a, b)
		check(F64, "mul", e.Mul(F64, a, b), math.Float64bits(x*y), a, b)
		check(F64, "div", e.Div(F64, a, b), math.Float64bits(x/y), a, b)
		check(F64, "sqrt", e.Sqrt(F64, a), math.Float64bits(math.Sqrt(x)), a)
		check(F64, "fma", e.MulAdd(F64, d, a, b), math.Float64bits(math.FMA(x, y, z)), d, a, b)
		check(F32, "f64->f32", e.Convert(F32, F64, a), uint64(math.Float32bits(float32(x))), a)

		a, b = operand(r, F32, c32), operand(r, F32, c32)
		u, v := math.Float32frombits(uint32(a)), math.Float32frombits(uint32(b))
		check(F32, "add", e.Add(F32, a, b), uint64(math.Float32bits(u+v)), a, b)
		check(F32, "sub", e.Sub(F32, a, b), uint64(math.Float32bits(u-v)), a, b)
		check(F32, "mul", e.Mul(F32, a, b), uint64(math.Float32bits(u*v)), a, b)
		check(F32, "div", e.Div(F32, a, b), uint64(math.Float32bits(u/v)), a, b)
		check(F64, "f32->f64", e.Convert(F64, F32, a), math.Float64bits(float64(u)), a)

		i := int64(a<<32|b) >> r.IntN(64)
		check(F64, "scvtf", e.FixedToFP(F64, uint64(i), 64, 0, false), math.Float64bits(float64(i)), uint64(i))
		check(F32, "ucvtf", e.FixedToFP(F32, uint64(i), 64, 0, true), uint64(math.Float32bits(float32(uint64(i)))), uint64(i))
	}
}
