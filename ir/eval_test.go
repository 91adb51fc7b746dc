package ir

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// reference computes one lane with exact integers: the operands as the signs say,
// the result wrapped, or saturated to a signed or unsigned lane.
type reference struct {
	op               Op
	xSigned, ySigned bool
	saturate         byte // 0, 's' or 'u'
	f                func(w uint, x, y *big.Int) *big.Int
}

func num(n int64) *big.Int { return big.NewInt(n) }

func add(x, y *big.Int) *big.Int            { return new(big.Int).Add(x, y) }
func sub(x, y *big.Int) *big.Int            { return new(big.Int).Sub(x, y) }
func mul(x, y *big.Int) *big.Int            { return new(big.Int).Mul(x, y) }
func floorShift(x *big.Int, n int) *big.Int { return new(big.Int).Rsh(x, uint(n)) } // floors

// shiftBy shifts left by n, or right by -n, with rounding if asked for.
func shiftBy(x *big.Int, n int8, round bool) *big.Int {
	if n >= 0 {
		return new(big.Int).Lsh(x, uint(n))
	}
	if round {
		x = add(x, new(big.Int).Lsh(num(1), uint(-int(n)-1)))
	}
	return floorShift(x, -int(n))
}

// low8 is the signed low byte of a lane.
func low8(y *big.Int) int8 { return int8(new(big.Int).And(y, num(0xff)).Int64()) }

func plainAdd(_ uint, x, y *big.Int) *big.Int { return add(x, y) }
func plainSub(_ uint, x, y *big.Int) *big.Int { return sub(x, y) }
func halfAdd(_ uint, x, y *big.Int) *big.Int  { return floorShift(add(x, y), 1) }
func halfAddR(_ uint, x, y *big.Int) *big.Int { return floorShift(add(add(x, y), num(1)), 1) }
func halfSub(_ uint, x, y *big.Int) *big.Int  { return floorShift(sub(x, y), 1) }
func absDiff(_ uint, x, y *big.Int) *big.Int  { return new(big.Int).Abs(sub(x, y)) }
func shl(_ uint, x, y *big.Int) *big.Int      { return shiftBy(x, low8(y), false) }
func shlR(_ uint, x, y *big.Int) *big.Int     { return shiftBy(x, low8(y), true) }

func dmulh(w uint, x, y *big.Int) *big.Int {
	return floorShift(mul(mul(x, y), num(2)), int(w))
}

func dmulhR(w uint, x, y *big.Int) *big.Int {
	return floorShift(add(mul(mul(x, y), num(2)), new(big.Int).Lsh(num(1), w-1)), int(w))
}

func mulHigh(w uint, x, y *big.Int) *big.Int { return floorShift(mul(x, y), int(w)) }

// capped is a shift amount of w bits at most.
func capped(w uint, y *big.Int) uint {
	if !y.IsUint64() || y.Uint64() > uint64(w) {
		return w
	}
	return uint(y.Uint64())
}

var references = []reference{
	{OpAdd, true, true, 0, plainAdd},
	{OpSub, false, true, 0, plainSub},
	{OpMul, true, false, 0, func(_ uint, x, y *big.Int) *big.Int { return mul(x, y) }},
	{OpSHAdd, true, true, 0, halfAdd},
	{OpUHAdd, false, false, 0, halfAdd},
	{OpSRHAdd, true, true, 0, halfAddR},
	{OpURHAdd, false, false, 0, halfAddR},
	{OpSHSub, true, true, 0, halfSub},
	{OpUHSub, false, false, 0, halfSub},
	{OpSAbd, true, true, 0, absDiff},
	{OpUAbd, false, false, 0, absDiff},
	{OpSShlV, true, true, 0, shl},
	{OpUShlV, false, true, 0, shl},
	{OpSRShlV, true, true, 0, shlR},
	{OpURShlV, false, true, 0, shlR},
	{OpSQAdd, true, true, 's', plainAdd},
	{OpUQAdd, false, false, 'u', plainAdd},
	{OpSQSub, true, true, 's', plainSub},
	{OpUQSub, false, false, 'u', plainSub},
	{OpSUQAdd, true, false, 's', plainAdd},
	{OpUSQAdd, false, true, 'u', plainAdd},
	{OpSQAbs, true, true, 's', func(_ uint, x, _ *big.Int) *big.Int { return new(big.Int).Abs(x) }},
	{OpSQNeg, true, true, 's', func(_ uint, x, _ *big.Int) *big.Int { return new(big.Int).Neg(x) }},
	{OpSQShlV, true, true, 's', shl},
	{OpUQShlV, false, true, 'u', shl},
	{OpSQRShlV, true, true, 's', shlR},
	{OpUQRShlV, false, true, 'u', shlR},
	{OpSQDMulH, true, true, 's', dmulh},
	{OpSQRDMulH, true, true, 's', dmulhR},
	{OpSMulH, true, true, 0, mulHigh},
	{OpUMulH, false, false, 0, mulHigh},
	{OpShlV, false, false, 0, func(w uint, x, y *big.Int) *big.Int { return new(big.Int).Lsh(x, capped(w, y)) }},
	{OpLshrV, false, false, 0, func(w uint, x, y *big.Int) *big.Int { return new(big.Int).Rsh(x, capped(w, y)) }},
	{OpAshrV, true, false, 0, func(w uint, x, y *big.Int) *big.Int { return new(big.Int).Rsh(x, capped(w, y)) }},
	{OpBExt, false, false, 0, func(w uint, x, y *big.Int) *big.Int {
		r, to := new(big.Int), 0
		for n := range int(w) {
			if y.Bit(n) != 0 {
				r.SetBit(r, to, x.Bit(n))
				to++
			}
		}
		return r
	}},
	{OpBDep, false, false, 0, func(w uint, x, y *big.Int) *big.Int {
		r, from := new(big.Int), 0
		for n := range int(w) {
			if y.Bit(n) != 0 {
				r.SetBit(r, n, x.Bit(from))
				from++
			}
		}
		return r
	}},
	{OpSMin, true, true, 0, func(_ uint, x, y *big.Int) *big.Int {
		if x.Cmp(y) < 0 {
			return x
		}
		return y
	}},
	{OpUMax, false, false, 0, func(_ uint, x, y *big.Int) *big.Int {
		if x.Cmp(y) > 0 {
			return x
		}
		return y
	}},
	{OpSDiv, true, true, 0, func(_ uint, x, y *big.Int) *big.Int {
		if y.Sign() == 0 {
			return num(0)
		}
		return new(big.Int).Quo(x, y)
	}},
	{OpURem, false, false, 0, func(_ uint, x, y *big.Int) *big.Int {
		if y.Sign() == 0 {
			return x
		}
		return new(big.Int).Rem(x, y)
	}},
}

func exact(x uint64, w uint, signed bool) *big.Int {
	if signed {
		return num(sext(x, w))
	}
	return new(big.Int).SetUint64(x & ones(w))
}

// fit wraps or saturates to a lane of w bits.
func fit(r *big.Int, w uint, saturate byte) (lane uint64, sat bool) {
	lo, hi := num(0), new(big.Int).Lsh(num(1), w)
	switch saturate {
	case 0:
		m := new(big.Int).And(r, sub(hi, num(1)))
		return m.Uint64(), false
	case 's':
		lo, hi = new(big.Int).Neg(new(big.Int).Lsh(num(1), w-1)), new(big.Int).Lsh(num(1), w-1)
	}
	if r.Cmp(lo) < 0 {
		return uint64(lo.Int64()) & ones(w), true
	}
	if r.Cmp(hi) >= 0 {
		return sub(hi, num(1)).Uint64() & ones(w), true
	}
	m := new(big.Int).And(r, new(big.Int).SetUint64(ones(w)))
	return m.Uint64(), false
}

// interesting gives lanes at which arithmetic turns.
func interesting(r *rand.Rand) Val {
	pick := func() uint64 {
		edges := [...]uint64{0, 1, ^uint64(0), 0x8000000080008080, 0x7fffffff7fff7f7f, 0x80, 0x7f, 0x8000000000000000, 0x7fffffffffffffff, 0x0102040810204080, 0xf8fff0ffe0ffc180}
		if r.IntN(2) == 0 {
			return r.Uint64()
		}
		return edges[r.IntN(len(edges))]
	}
	return Val{pick(), pick()}
}

func TestLanesAgainstExactIntegers(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, ref := range references {
		for _, ty := range []Type{V16I8, V8I16, V4I32, V2I64} {
			w, n := ty.width()
			for range 300 {
				a, b := interesting(r), interesting(r)
				var e Env
				have := ref.op.Info().Eval(&e, ty, ty, a, b, Val{})
				anySat := false
				for k := range n {
					x, y := a.lane(w, k), b.lane(w, k)
					want, sat := fit(ref.f(w, exact(x, w, ref.xSigned), exact(y, w, ref.ySigned)), w, ref.saturate)
					anySat = anySat || sat
					if have.lane(w, k) != want {
						t.Fatalf("%v %v of %#x and %#x is %#x, want %#x", ref.op, ty, x, y, have.lane(w, k), want)
					}
				}
				if anySat != (e.FPSR&fpsrQC != 0) {
					t.Fatalf("%v %v of %#x and %#x: QC is %v", ref.op, ty, a, b, !anySat)
				}
			}
		}
	}
}

// SQRDMLAH and SQRDMLSH in all widths.
func TestAccumulateAgainstExactIntegers(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, ty := range []Type{V16I8, V8I16, V4I32, V2I64} {
		w, n := ty.width()
		for range 3000 {
			a, b, c := interesting(r), interesting(r), interesting(r)
			for _, op := range []Op{OpSQRDMlAH, OpSQRDMlSH} {
				var e Env
				have, anySat := op.Info().Eval(&e, ty, ty, a, b, c), false
				for k := range n {
					acc, p := exact(a.lane(w, k), w, true), mul(exact(b.lane(w, k), w, true), exact(c.lane(w, k), w, true))
					if op == OpSQRDMlSH {
						p.Neg(p)
					}
					sum := add(add(new(big.Int).Lsh(acc, w), mul(p, num(2))), new(big.Int).Lsh(num(1), w-1))
					want, sat := fit(floorShift(sum, int(w)), w, 's')
					anySat = anySat || sat
					if have.lane(w, k) != want {
						t.Fatalf("%v %v of %#x, %#x and %#x is %#x, want %#x", op, ty, a, b, c, have, want)
					}
				}
				if anySat != (e.FPSR&fpsrQC != 0) {
					t.Fatalf("%v %v of %#x, %#x and %#x: QC is %v", op, ty, a, b, c, !anySat)
				}
			}
		}
	}
}

// Quiet twins compute the same and leave FPSR alone.
func TestQuietTwins(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	quiet := 0
	for op := range NumOps {
		if op.Loud() != op {
			quiet++
			if op.Loud().Quiet() != op {
				t.Errorf("%v is the twin of %v, which has %v", op, op.Loud(), op.Loud().Quiet())
			}
		}
		if !op.Has(SetsQC) {
			continue
		}
		quiet--
		for range 100 {
			a, b, c := interesting(r), interesting(r), Val{Lo: r.Uint64() % 16}
			at := V8I16
			ty := at
			if op.Info().Ret == "X" {
				if ty = at.Narrower(); len(op.Info().Args) == 2 {
					ty = at.Wider()
				}
			}
			var loud Env
			still := Env{FPSR: 1}
			x, y := op.Info().Eval(&loud, ty, at, a, b, c), op.Quiet().Info().Eval(&still, ty, at, a, b, c)
			if x != y || still.FPSR != 1 {
				t.Fatalf("%v: %#x, FPSR %#x, but %v is %#x", op.Quiet(), y, still.FPSR, op, x)
			}
		}
	}
	if quiet != 0 {
		t.Errorf("%d operations have no twin or no loud one", quiet)
	}
}

func TestAddWithCarry(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 3000 {
		for _, ty := range []Type{I32, I64} {
			w, _ := ty.width()
			x, y, c := interesting(r).Lo&ones(w), interesting(r).Lo&ones(w), uint64(r.IntN(2))
			unsigned := add(add(exact(x, w, false), exact(y, w, false)), num(int64(c)))
			signed := add(add(exact(x, w, true), exact(y, w, true)), num(int64(c)))
			sum, _ := fit(unsigned, w, 0)
			_, carry := fit(unsigned, w, 'u')
			_, overflow := fit(signed, w, 's')
			want := sum >> (w - 1) << 3
			if sum == 0 {
				want |= flagZ
			}
			if carry {
				want |= flagC
			}
			if overflow {
				want |= flagV
			}
			flags := Val{Lo: c << 1}
			if f := evalAdcF(nil, Flags, ty, Val{Lo: x}, Val{Lo: y}, flags); f.Lo != want {
				t.Fatalf("flags of %#x + %#x + %d: %04b, want %04b", x, y, c, f.Lo, want)
			}
			if s := evalAdc(nil, ty, ty, Val{Lo: x}, Val{Lo: y}, flags); s.Lo != sum {
				t.Fatalf("%#x + %#x + %d is %#x", x, y, c, s.Lo)
			}
			if s := evalSbcF(nil, Flags, ty, Val{Lo: x}, Val{Lo: ^y & ones(w)}, flags); s.Lo != want {
				t.Fatalf("flags of %#x - %#x with carry %d: %04b, want %04b", x, ^y&ones(w), c, s.Lo, want)
			}
		}
	}
}

// Known answers for what has no simple reference.
func TestKnownAnswers(t *testing.T) {
	v := func(lo, hi uint64) Val { return Val{lo, hi} }
	bytes := v(0x0706050403020100, 0x0f0e0d0c0b0a0908)
	other := v(0x1716151413121110, 0x1f1e1d1c1b1a1918)
	for _, c := range []struct {
		op      Op
		t, at   Type
		a, b, c Val
		want    Val
	}{
		{OpZip1, V16I8, V16I8, bytes, other, Val{}, v(0x1303120211011000, 0x1707160615051404)},
		{OpZip2, V4I32, V4I32, bytes, other, Val{}, v(0x1b1a19180b0a0908, 0x1f1e1d1c0f0e0d0c)},
		{OpUzp1, V8I16, V8I16, bytes, other, Val{}, v(0x0d0c090805040100, 0x1d1c191815141110)},
		{OpUzp2, V8I16, V8I16, bytes, other, Val{}, v(0x0f0e0b0a07060302, 0x1f1e1b1a17161312)},
		{OpTrn1, V2I64, V2I64, bytes, other, Val{}, v(0x0706050403020100, 0x1716151413121110)},
		{OpTrn2, V4I32, V4I32, bytes, other, Val{}, v(0x1716151407060504, 0x1f1e1d1c0f0e0d0c)},
		{OpExt, V16I8, V16I8, bytes, other, v(3, 0), v(0x0a09080706050403, 0x1211100f0e0d0c0b)},
		{OpTbl, V16I8, V16I8, bytes, v(0x10ff0f0003800201, 0), Val{}, v(0x00000f0003000201, 0)},
		{OpRev, V16I8, V16I8, bytes, v(32, 0), Val{}, v(0x0405060700010203, 0x0c0d0e0f08090a0b)},
		{OpRev, I64, I64, v(0x0102030405060708, 0), v(16, 0), Val{}, v(0x0201040306050807, 0)},
		{OpRev, I32, I32, v(0x01020304, 0), v(32, 0), Val{}, v(0x04030201, 0)},
		{OpExtr, I32, I32, v(0x12345678, 0), v(0x9abcdef0, 0), v(8, 0), v(0x789abcde, 0)},
		{OpExtr, I64, I64, v(1, 0), v(2, 0), v(0, 0), v(2, 0)},
		{OpUbfx, I32, I32, v(0x89abcdef, 0), v(8, 0), v(16, 0), v(0xabcd, 0)},
		{OpSbfx, I64, I64, v(0x89abcdef, 0), v(8, 0), v(16, 0), v(0xffffffffffffabcd, 0)},
		{OpBfi, I64, I64, v(^uint64(0), 0), v(0xabc, 0), v(4<<8|8, 0), v(0xfffffffffffffbcf, 0)},
		{OpShl, I32, I32, v(1, 0), v(33, 0), Val{}, v(2, 0)},
		{OpShl, V4I32, V4I32, v(1, 1), v(33, 0), Val{}, v(0, 0)},
		{OpAShr, V8I16, V8I16, v(0x8000, 0), v(99, 0), Val{}, v(0xffff, 0)},
		{OpRor, I32, I32, v(1, 0), v(1, 0), Val{}, v(0x80000000, 0)},
		{OpMulHiS, I64, I64, v(^uint64(0), 0), v(2, 0), Val{}, v(^uint64(0), 0)},
		{OpMulHiU, I64, I64, v(^uint64(0), 0), v(2, 0), Val{}, v(1, 0)},
		{OpSDiv, I64, I64, v(1<<63, 0), v(^uint64(0), 0), Val{}, v(1<<63, 0)},
		{OpSDiv, I32, I32, v(0x80000000, 0), v(0xffffffff, 0), Val{}, v(0x80000000, 0)},
		{OpExp, I64, I64, v(3, 0), v(5, 0), Val{}, v(243, 0)},
		{OpClz, I32, I32, v(0, 0), Val{}, Val{}, v(32, 0)},
		{OpCls, I64, I64, v(^uint64(0), 0), Val{}, Val{}, v(63, 0)},
		{OpCls, I32, I32, v(0x0fffffff, 0), Val{}, Val{}, v(3, 0)},
		{OpCtz, I32, I32, v(0, 0), Val{}, Val{}, v(32, 0)},
		{OpRBit, I32, I32, v(1, 0), Val{}, Val{}, v(0x80000000, 0)},
		{OpCrc32, I32, I32, v(0xffffffff, 0), v(0x61, 0), v(8, 0), v(0x174841bc, 0)}, // ^crc32("a")
		{OpPMulL, V2I64, V2I64, v(^uint64(0), 0), v(^uint64(0), 0), Val{}, v(0x5555555555555555, 0x5555555555555555)},
		{OpPMul, V16I8, V16I8, v(0xff, 0), v(0xff, 0), Val{}, v(0x55, 0)},
		{OpSQDMulL, V4I32, V8I16, v(0x8000, 0), v(0x8000, 0), Val{}, v(0x7fffffff, 0)},
		{OpSQXtN, V16I8, V8I16, v(0x007f00800000ff7f, 0xffff), Val{}, Val{}, v(0x000000ff7f7f0080, 0)},
		{OpUQXtN, V16I8, V8I16, v(0x00ff0100, 0), Val{}, Val{}, v(0xffff, 0)},
		{OpSQXtUN, V16I8, V8I16, v(0x00ffff000100, 0), Val{}, Val{}, v(0xff00ff, 0)},
		{OpSQShlU, V8I16, V8I16, v(0x7fffffff0001, 0), v(15, 0), Val{}, v(0xffff00008000, 0)},
		{OpSQRDMlAH, V4I32, V4I32, v(1, 0), v(0x40000000, 0), v(0x40000000, 0), v(0x20000001, 0)},
		{OpSQRDMlSH, V8I16, V8I16, v(0x8000, 0), v(0x7fff, 0), v(0x7fff, 0), v(0x8000, 0)},
		{OpLaneMask, V16I8, I64, v(0x8103, 0), Val{}, Val{}, v(0xffff, 0xff000000000000ff)},
		{OpLaneMask, V8I16, I64, v(0xc006, 0), Val{}, Val{}, v(0xffff0000, 0xffff000000000000)},
		{OpLaneMask, V4F32, I64, v(0x1fee1, 0), Val{}, Val{}, v(0x00000000ffffffff, 0xffffffff00000000)},
		{OpLaneMask, V2F64, I64, v(0x10100, 0), Val{}, Val{}, v(0, ^uint64(0))},
		{OpTopBits, I64, V16I8, v(0x80ff007f, 1<<63), Val{}, Val{}, v(0x800c, 0)},
		{OpTopBits, I64, V8F16, v(0x80008000, 1<<63), Val{}, Val{}, v(0x4005, 0)},
		{OpTopBits, I64, V4I32, v(0xffffffff_7fffffff, 1<<63), Val{}, Val{}, v(0x1010, 0)},
		{OpTopBits, I64, V2F64, v(1<<63, 0xff), Val{}, Val{}, v(1, 0)},
		{OpFExpA, V8F16, V8I16, v(0x0001_002f_0bff_003f, 0), Val{}, Val{}, v(0x0016_0589_7fd4_07d4, 0)},
		{OpFExpA, V4F32, V4I32, v(0x3fff_0000_1fd0, 0), Val{}, Val{}, v(0x7ffd3e0c_3f9837f0, 0)},
		{OpFExpA, V2F64, V2I64, v(0x3ff<<6|32, 0x1ffff), Val{}, Val{}, v(0x3ff6a09e667f3bcd, 0x7fffa7c1819e90d8)},
		{OpSDot, V4I32, V4I32, v(10, 0), v(0xff02ff01, 0), v(0x0103ff01, 0), v(10+1+1+6-1, 0)},
		{OpUSDot, V4I32, V4I32, v(0, 0), v(0xff, 0), v(0xff, 0), v(0xffffff01, 0)},
		{OpURecpE, V4I32, V4I32, v(0x80000000, 0), Val{}, Val{}, v(0xffffffffff800000, 0xffffffffffffffff)},
		{OpFlagCond, I1, Flags, v(0b1001, 0), v(10, 0), Val{}, v(1, 0)},
		{OpFlagCond, I1, Flags, v(0b0110, 0), v(8, 0), Val{}, v(0, 0)},
		{OpAddV, I8, V16I8, bytes, Val{}, Val{}, v(120, 0)},
		{OpSMinV, I16, V8I16, v(0x8000, 0), Val{}, Val{}, v(0x8000, 0)},
		{OpVInsL, V4I32, V4I32, bytes, other, v(2<<4|3, 0), v(0x0706050403020100, 0x0f0e0d0c1f1e1d1c)},
	} {
		var e Env
		if have := c.op.Info().Eval(&e, c.t, c.at, c.a, c.b, c.c); have != c.want {
			t.Errorf("%v %v: %#x, want %#x", c.op, c.t, have, c.want)
		}
	}
}
