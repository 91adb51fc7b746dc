package softfp

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// The arithmetic of finite numbers against exact rational arithmetic, rounded as IEEE
// 754-2008 defines it (4.3, 7.4 to 7.6) by an implementation that shares nothing with
// the package's: operands as in Berkeley TestFloat, results and flags bit for bit, in
// all formats and rounding modes. Infinities and NaNs are for the other judges.

// rational is the value of a finite number.
func rational(f Fmt, x uint64) *big.Rat {
	p := &formats[f]
	frac, exp := int64(x&p.fracMask()), int(x>>p.fracBits&p.expMask())
	if exp != 0 {
		frac |= 1 << p.fracBits
	} else {
		exp = 1
	}
	v := new(big.Rat).SetInt64(frac)
	v.Mul(v, power2(exp-1+int(p.minExp)-int(p.fracBits)))
	if x&p.signBit() != 0 {
		v.Neg(v)
	}
	return v
}

func power2(n int) *big.Rat {
	v := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(n, -n))))
	if n < 0 {
		v.Inv(v)
	}
	return v
}

// roundingUp reports whether the magnitude between n and n + 1 rounds to the latter;
// half compares the part above n with one half, exact tells that there is none.
func roundingUp(mode Rounding, negative bool, n *big.Int, half int, exact bool) bool {
	switch {
	case exact:
		return false
	case mode == TieEven:
		return half > 0 || half == 0 && n.Bit(0) == 1
	case mode == TieAway:
		return half >= 0
	case mode == PosInf:
		return !negative
	case mode == NegInf:
		return negative
	case mode == ToOdd:
		return n.Bit(0) == 0
	}
	return false
}

// parts splits a magnitude into an integer and what roundingUp wants to know.
func parts(v *big.Rat) (n *big.Int, half int, exact bool) {
	n, rest := new(big.Int).QuoRem(v.Num(), v.Denom(), new(big.Int))
	return n, new(big.Int).Lsh(rest, 1).Cmp(v.Denom()), rest.Sign() == 0
}

// nearestTo rounds v, which is not zero, to a number of the format. root asks for the
// square root of v.
func nearestTo(f Fmt, mode Rounding, v *big.Rat, root bool) (bits uint64, flags uint32) {
	p := &formats[f]
	negative := v.Sign() < 0
	v = new(big.Rat).Abs(v)
	exp := v.Num().BitLen() - v.Denom().BitLen() // of v, or one more
	if v.Cmp(power2(exp)) < 0 {
		exp--
	}
	if root {
		exp >>= 1
	}
	tiny := exp < int(p.minExp)
	unit := max(exp, int(p.minExp)) - int(p.fracBits)
	var n *big.Int
	var half int
	var exact bool
	if root {
		// In units of half of the last place, squared: the root's last bit is the half.
		v.Mul(v, power2(-2*(unit-1)))
		whole, _, integral := parts(v)
		n = new(big.Int).Sqrt(whole)
		exact = integral && new(big.Int).Mul(n, n).Cmp(whole) == 0
		half = -1
		if n.Bit(0) == 1 {
			half = 1
			if exact {
				half, exact = 0, false
			}
		}
		n.Rsh(n, 1)
	} else {
		n, half, exact = parts(v.Mul(v, power2(-unit)))
	}
	if roundingUp(mode, negative, n, half, exact) {
		n.Add(n, big.NewInt(1))
	}
	if !exact {
		flags = IXC
		if tiny {
			flags |= UFC
		}
	}
	bits = uint64(unit+int(p.fracBits)-int(p.minExp))<<p.fracBits + n.Uint64()
	sign := uint64(0)
	if negative {
		sign = p.signBit()
	}
	if bits >= p.inf(0) {
		toInf := mode == TieEven || mode == TieAway || mode == PosInf && !negative || mode == NegInf && negative
		if toInf {
			return p.inf(0) | sign, OFC | IXC
		}
		return p.inf(0) - 1 | sign, OFC | IXC
	}
	return bits | sign, flags
}

// sumOf rounds the exact value of a sum, of which signs tells those of its terms.
func sumOf(f Fmt, mode Rounding, v *big.Rat, signs ...bool) (uint64, uint32) {
	if v.Sign() != 0 {
		return nearestTo(f, mode, v, false)
	}
	negative := mode == NegInf
	if signs[0] == signs[1] {
		negative = signs[0]
	}
	if negative {
		return formats[f].signBit(), 0
	}
	return 0, 0
}

// signed is zero with a sign, or v rounded.
func signed(f Fmt, mode Rounding, v *big.Rat, negative bool) (uint64, uint32) {
	return sumOf(f, mode, v, negative, negative)
}

func exactOperand(r *rand.Rand, f Fmt, corner []uint64) uint64 {
	p := &formats[f]
	for {
		if x := operand(r, f, corner); x&p.inf(0) != p.inf(0) {
			return x
		}
	}
}

func TestExactArithmetic(t *testing.T) {
	count := 12_000
	if testing.Short() {
		count = 3_000
	}
	r := rand.New(rand.NewPCG(51, 52))
	for f := F16; f <= F64; f++ {
		p, corner := &formats[f], corners(f)
		for mode := TieEven; mode <= ToZero; mode++ {
			for range count {
				a, b, d := exactOperand(r, f, corner), exactOperand(r, f, corner), exactOperand(r, f, corner)
				x, y, z := rational(f, a), rational(f, b), rational(f, d)
				na, nb, nd := a&p.signBit() != 0, b&p.signBit() != 0, d&p.signBit() != 0
				check := func(name string, do func(e *Env) uint64, want uint64, flags uint32) {
					e := Env{FPCR: uint32(mode) << RModeShift}
					if got := do(&e); got != want || e.FPSR != flags {
						t.Fatalf("%s format %d mode %d %#x %#x %#x: %#x flags %#x, want %#x flags %#x", name, f, mode, a, b, d, got, e.FPSR, want, flags)
					}
				}
				product := new(big.Rat).Mul(x, y)
				want, flags := sumOf(f, mode, new(big.Rat).Add(x, y), na, nb)
				check("add", func(e *Env) uint64 { return e.Add(f, a, b) }, want, flags)
				want, flags = sumOf(f, mode, new(big.Rat).Sub(x, y), na, !nb)
				check("sub", func(e *Env) uint64 { return e.Sub(f, a, b) }, want, flags)
				want, flags = signed(f, mode, product, na != nb)
				check("mul", func(e *Env) uint64 { return e.Mul(f, a, b) }, want, flags)
				want, flags = sumOf(f, mode, new(big.Rat).Add(z, product), nd, na != nb)
				check("fma", func(e *Env) uint64 { return e.MulAdd(f, d, a, b) }, want, flags)
				if y.Sign() != 0 {
					want, flags = signed(f, mode, new(big.Rat).Quo(x, y), na != nb)
					check("div", func(e *Env) uint64 { return e.Div(f, a, b) }, want, flags)
				}
				if x.Sign() > 0 {
					want, flags = nearestTo(f, mode, x, true)
					check("sqrt", func(e *Env) uint64 { return e.Sqrt(f, a) }, want, flags)
				}
				for to := F16; to <= F64; to++ {
					if to != f {
						want, flags = signed(to, mode, x, na)
						check("convert", func(e *Env) uint64 { return e.Convert(to, f, a) }, want, flags)
					}
				}
				if f == F64 {
					want, flags = signed(F32, ToOdd, x, na)
					check("convert to odd", func(e *Env) uint64 { return e.ConvertRounding(F32, F64, a, ToOdd) }, want, flags)
				}
				if f == F32 {
					want, flags = signed(BF16, mode, x, na)
					check("convert to BFloat16", func(e *Env) uint64 { return e.ConvertBF(a) }, want, flags)
				}
			}
		}
	}
}

// integerOf rounds v to an integer of width bits, saturating.
func integerOf(v *big.Rat, mode Rounding, unsigned bool, width int) (uint64, uint32) {
	n, half, exact := parts(new(big.Rat).Abs(v))
	if roundingUp(mode, v.Sign() < 0, n, half, exact) {
		n.Add(n, big.NewInt(1))
	}
	if v.Sign() < 0 {
		n.Neg(n)
	}
	low, high := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(width))
	if !unsigned {
		high.Rsh(high, 1)
		low.Neg(high)
	}
	high.Sub(high, big.NewInt(1))
	flags := uint32(0)
	switch {
	case n.Cmp(low) < 0:
		n, flags = low, IOC
	case n.Cmp(high) > 0:
		n, flags = high, IOC
	case !exact:
		flags = IXC
	}
	mask := new(big.Int).Lsh(big.NewInt(1), uint(width))
	return n.And(n, mask.Sub(mask, big.NewInt(1))).Uint64(), flags
}

func TestExactIntegerConversions(t *testing.T) {
	count := 10_000
	if testing.Short() {
		count = 2_000
	}
	r := rand.New(rand.NewPCG(53, 54))
	for f := F16; f <= F64; f++ {
		corner := corners(f)
		for mode := TieEven; mode <= TieAway; mode++ {
			for range count {
				a := exactOperand(r, f, corner)
				width := 16 << r.IntN(3)
				fbits := r.IntN(width+1) * r.IntN(2)
				unsigned := r.IntN(2) == 0
				e := Env{}
				want, flags := integerOf(new(big.Rat).Mul(rational(f, a), power2(fbits)), mode, unsigned, width)
				if got := e.ToFixed(f, a, fbits, unsigned, mode, width); got != want || e.FPSR != flags {
					t.Fatalf("to %d bits, %d of fraction, unsigned %t, format %d mode %d %#x: %#x flags %#x, want %#x flags %#x",
						width, fbits, unsigned, f, mode, a, got, e.FPSR, want, flags)
				}
				if mode == TieAway {
					continue
				}
				x := r.Uint64() >> r.IntN(64) << r.IntN(64)
				v := new(big.Int).SetUint64(x & (1<<(width-1)<<1 - 1))
				if !unsigned {
					v.SetInt64(int64(x<<(64-width)) >> (64 - width))
				}
				e = Env{FPCR: uint32(mode) << RModeShift}
				want, flags = signed(f, mode, new(big.Rat).Mul(new(big.Rat).SetInt(v), power2(-fbits)), false)
				if got := e.FixedToFP(f, x, width, fbits, unsigned); got != want || e.FPSR != flags {
					t.Fatalf("from %d bits, %d of fraction, unsigned %t, format %d mode %d %#x: %#x flags %#x, want %#x flags %#x",
						width, fbits, unsigned, f, mode, x, got, e.FPSR, want, flags)
				}
			}
		}
	}
}

// Every half, in every mode: to integral, root and conversions.
func TestExactHalves(t *testing.T) {
	p := &formats[F16]
	for a := range uint64(1 << 16) {
		if a&p.inf(0) == p.inf(0) {
			continue
		}
		x, negative := rational(F16, a), a&p.signBit() != 0
		for mode := TieEven; mode <= TieAway; mode++ {
			e := Env{}
			n, half, exact := parts(new(big.Rat).Abs(x))
			if roundingUp(mode, negative, n, half, exact) {
				n.Add(n, big.NewInt(1))
			}
			v := new(big.Rat).SetInt(n)
			if negative {
				v.Neg(v)
			}
			want, _ := signed(F16, mode, v, negative)
			flags := uint32(IXC)
			if exact {
				flags = 0
			}
			if got := e.RoundInt(F16, a, mode, true); got != want || e.FPSR != flags {
				t.Fatalf("to integral, mode %d %#x: %#x flags %#x, want %#x flags %#x", mode, a, got, e.FPSR, want, flags)
			}
			if mode == TieAway || negative || x.Sign() == 0 {
				continue
			}
			e = Env{FPCR: uint32(mode) << RModeShift}
			want, flags = nearestTo(F16, mode, x, true)
			if got := e.Sqrt(F16, a); got != want || e.FPSR != flags {
				t.Fatalf("sqrt, mode %d %#x: %#x flags %#x, want %#x flags %#x", mode, a, got, e.FPSR, want, flags)
			}
		}
	}
}
