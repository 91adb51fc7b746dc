package ir

import (
	"math"

	"emu/internal/softfp"
)

// format is the soft floating-point format of a scalar or lane type.
func format(t Type) softfp.Fmt { return softfp.F16 + softfp.Fmt(t.Lane()-F16) }

// float1 evaluates a lane-wise floating-point function of one operand.
func float1(f func(e *Env, f softfp.Fmt, x uint64) uint64) EvalFunc {
	return func(e *Env, t, _ Type, a, _, _ Val) (r Val) {
		w, n := t.width()
		for k := range n {
			r.put(w, k, f(e, format(t), a.lane(w, k)))
		}
		return r
	}
}

// float2 evaluates a lane-wise floating-point function of two operands.
func float2(f func(e *Env, f softfp.Fmt, x, y uint64) uint64) EvalFunc {
	return func(e *Env, t, _ Type, a, b, _ Val) (r Val) {
		w, n := t.width()
		for k := range n {
			r.put(w, k, f(e, format(t), a.lane(w, k), b.lane(w, k)))
		}
		return r
	}
}

func evalFMA(e *Env, t, _ Type, a, b, c Val) (r Val) {
	w, n := t.width()
	for k := range n {
		r.put(w, k, e.MulAdd(format(t), a.lane(w, k), b.lane(w, k), c.lane(w, k)))
	}
	return r
}

// evalFNeg and evalFAbs change the sign bit of NaNs too, whatever FPCR.AH says: the
// operations are pure, and the translator takes others then.
func evalFNeg(_ *Env, t, _ Type, a, _, _ Val) Val {
	s := signBits(t)
	return Val{a.Lo ^ s.Lo, a.Hi ^ s.Hi}
}

func evalFAbs(_ *Env, t, _ Type, a, _, _ Val) Val {
	s := signBits(t)
	return Val{a.Lo &^ s.Lo, a.Hi &^ s.Hi}
}

func signBits(t Type) (r Val) {
	w, n := t.width()
	for k := range n {
		r.put(w, k, 1<<(w-1))
	}
	return r
}

// rounding is the mode that an ir.Round operand selects.
func rounding(e *Env, r uint64) softfp.Rounding {
	if Round(r) == RoundFPCR {
		return e.Rounding()
	}
	return [...]softfp.Rounding{
		RoundEven: softfp.TieEven,
		RoundUp:   softfp.PosInf,
		RoundDown: softfp.NegInf,
		RoundZero: softfp.ToZero,
		RoundAway: softfp.TieAway,
	}[r]
}

func evalFRound(e *Env, t, _ Type, a, b, c Val) (r Val) {
	w, n := t.width()
	for k := range n {
		r.put(w, k, e.RoundInt(format(t), a.lane(w, k), rounding(e, b.Lo), c.Lo != 0))
	}
	return r
}

// roundWithin evaluates FRINT32 and FRINT64.
func roundWithin(size int) EvalFunc {
	return func(e *Env, t, _ Type, a, b, _ Val) (r Val) {
		w, n := t.width()
		for k := range n {
			r.put(w, k, e.RoundIntN(format(t), a.lane(w, k), rounding(e, b.Lo), size))
		}
		return r
	}
}

// The four outcomes of a comparison that an FCond may hold for.
const (
	relLess = 1 << iota
	relEqual
	relGreater
	relUnordered
)

var fcondRelations = [16]uint8{
	FFalse: 0,
	FOEQ:   relEqual,
	FOGT:   relGreater,
	FOGE:   relGreater | relEqual,
	FOLT:   relLess,
	FOLE:   relLess | relEqual,
	FONE:   relLess | relGreater,
	FORD:   relLess | relEqual | relGreater,
	FUNO:   relUnordered,
	FUEQ:   relUnordered | relEqual,
	FUGT:   relUnordered | relGreater,
	FUGE:   relUnordered | relGreater | relEqual,
	FULT:   relUnordered | relLess,
	FULE:   relUnordered | relLess | relEqual,
	FUNE:   relUnordered | relLess | relGreater,
	FTrue:  relUnordered | relLess | relEqual | relGreater,
}

func evalFCmp(e *Env, _, at Type, a, b, c Val) (r Val) {
	w, n := at.width()
	wanted, signal := fcondRelations[c.Lo&15], c.Lo&uint64(FSignal) != 0
	for k := range n {
		rel := uint8(relUnordered)
		switch e.Compare(format(at), a.lane(w, k), b.lane(w, k), signal) {
		case softfp.Less:
			rel = relLess
		case softfp.Equal:
			rel = relEqual
		case softfp.Greater:
			rel = relGreater
		}
		if rel&wanted == 0 {
			continue
		}
		if n == 1 {
			return Val{Lo: 1}
		}
		r.put(w, k, ones(w))
	}
	return r
}

func evalFCmpF(e *Env, _, at Type, a, b, c Val) Val {
	return Val{Lo: uint64(e.Compare(format(at), a.Lo, b.Lo, c.Lo != 0))}
}

// convert applies f to the lanes that both types have: all of a scalar or of
// equally wide lanes, the low half otherwise.
func convert(t, at Type, a Val, f func(x uint64) uint64) (r Val) {
	from, n := at.width()
	to, m := t.width()
	for k := range min(n, m) {
		r.put(to, k, f(a.lane(from, k)))
	}
	return r
}

func evalFCvt(e *Env, t, at Type, a, _, _ Val) Val {
	return convert(t, at, a, func(x uint64) uint64 { return e.Convert(format(t), format(at), x) })
}

func evalFCvtIEEE(e *Env, t, at Type, a, _, _ Val) Val {
	fpcr := e.FPCR
	e.FPCR &^= softfp.AHP
	r := evalFCvt(e, t, at, a, Val{}, Val{})
	e.FPCR = fpcr
	return r
}

func evalFCvtXN(e *Env, t, at Type, a, _, _ Val) Val {
	return convert(t, at, a, func(x uint64) uint64 {
		return e.ConvertRounding(format(t), format(at), x, softfp.ToOdd)
	})
}

// toFixed evaluates FTOSI and FTOUI.
func toFixed(unsigned bool) EvalFunc {
	return func(e *Env, t, at Type, a, b, c Val) Val {
		w, _ := t.width()
		return convert(t, at, a, func(x uint64) uint64 {
			return e.ToFixed(format(at), x, int(c.Lo), unsigned, rounding(e, b.Lo), int(w))
		})
	}
}

// fromFixed evaluates SITOF and UITOF.
func fromFixed(unsigned bool) EvalFunc {
	return func(e *Env, t, at Type, a, b, _ Val) Val {
		w, _ := at.width()
		return convert(t, at, a, func(x uint64) uint64 {
			return e.FixedToFP(format(t), x, int(w), int(b.Lo), unsigned)
		})
	}
}

func evalFScale(e *Env, t, _ Type, a, b, _ Val) (r Val) {
	w, n := t.width()
	for k := range n {
		r.put(w, k, e.Scale(format(t), a.lane(w, k), sext(b.lane(w, k), w)))
	}
	return r
}

func evalFLogB(e *Env, _, at Type, a, _, _ Val) Val {
	return convert(at, at, a, func(x uint64) uint64 { return e.LogB(format(at), x) })
}

func evalFExpA(_ *Env, t, _ Type, a, _, _ Val) Val {
	return convert(t, t, a, func(x uint64) uint64 { return softfp.ExpA(format(t), x) })
}

func evalFJCvt(e *Env, _, _ Type, a, _, _ Val) Val {
	r, _ := e.ToFixedJS(a.Lo)
	return Val{Lo: uint64(r)}
}

func evalFJCvtF(e *Env, _, _ Type, a, _, _ Val) Val {
	if _, exact := e.ToFixedJS(a.Lo); exact {
		return Val{Lo: flagZ}
	}
	return Val{}
}

// libm evaluates a function of the host's library in double precision and raises
// no flags: there is no A64 instruction to follow.
func libm(f func(x, y float64) float64) EvalFunc {
	return float2(func(e *Env, t softfp.Fmt, x, y uint64) uint64 {
		quiet := Env{FPCR: e.FPCR}
		wide := func(x uint64) float64 { return math.Float64frombits(quiet.Convert(softfp.F64, t, x)) }
		return quiet.Convert(t, softfp.F64, math.Float64bits(f(wide(x), wide(y))))
	})
}

func evalBFCvt(e *Env, t, at Type, a, _, _ Val) Val { return convert(t, at, a, e.ConvertBF) }

func evalBFDot(e *Env, _, _ Type, a, b, c Val) (r Val) {
	for k := range 4 {
		r.put(32, k, e.DotAddBF(a.lane(32, k),
			b.lane(16, 2*k), b.lane(16, 2*k+1), c.lane(16, 2*k), c.lane(16, 2*k+1)))
	}
	return r
}

func evalBFMMLA(e *Env, _, _ Type, a, b, c Val) (r Val) {
	for k := range 4 {
		row, column := k/2*4, k%2*4
		sum := a.lane(32, k)
		for j := 0; j < 4; j += 2 {
			sum = e.DotAddBF(sum, b.lane(16, row+j), b.lane(16, row+j+1), c.lane(16, column+j), c.lane(16, column+j+1))
		}
		r.put(32, k, sum)
	}
	return r
}

func evalBFMLAL(e *Env, _, _ Type, a, b, c Val) (r Val) {
	for k := range 4 {
		r.put(32, k, e.MulAddBF(a.lane(32, k), b.lane(16, 2*k), c.lane(16, 2*k)))
	}
	return r
}

func evalFMLAL(e *Env, _, _ Type, a, b, c Val) (r Val) {
	for k := range 4 {
		r.put(32, k, e.MulAddH(a.lane(32, k), b.lane(16, k), c.lane(16, k)))
	}
	return r
}
