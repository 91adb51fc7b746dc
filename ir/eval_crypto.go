package ir

import "emu/internal/a64crypto"

func vecOf(v Val) a64crypto.Vec { return a64crypto.Vec{v.Lo, v.Hi} }

// crypto1, crypto2 and crypto3 evaluate an instruction of so many vectors.
func crypto1(f func(n a64crypto.Vec) a64crypto.Vec) EvalFunc {
	return func(_ *Env, _, _ Type, a, _, _ Val) Val {
		r := f(vecOf(a))
		return Val{r[0], r[1]}
	}
}

func crypto2(f func(d, n a64crypto.Vec) a64crypto.Vec) EvalFunc {
	return func(_ *Env, _, _ Type, a, b, _ Val) Val {
		r := f(vecOf(a), vecOf(b))
		return Val{r[0], r[1]}
	}
}

func crypto3(f func(d, n, m a64crypto.Vec) a64crypto.Vec) EvalFunc {
	return func(_ *Env, _, _ Type, a, b, c Val) Val {
		r := f(vecOf(a), vecOf(b), vecOf(c))
		return Val{r[0], r[1]}
	}
}

// sha1 evaluates a hash update, whose second operand is a word.
func sha1(f func(d a64crypto.Vec, e uint32, m a64crypto.Vec) a64crypto.Vec) EvalFunc {
	return func(_ *Env, _, _ Type, a, b, c Val) Val {
		r := f(vecOf(a), uint32(b.Lo), vecOf(c))
		return Val{r[0], r[1]}
	}
}

// sm3tt evaluates a round function whose third operand is the same in all lanes.
func sm3tt(f func(d, n, m a64crypto.Vec, i int) a64crypto.Vec) EvalFunc {
	return crypto3(func(d, n, m a64crypto.Vec) a64crypto.Vec { return f(d, n, m, 0) })
}

func evalCrc32(_ *Env, _, _ Type, a, b, c Val) Val {
	return Val{Lo: uint64(a64crypto.CRC32(uint32(a.Lo), b.Lo, int(c.Lo/8)))}
}

func evalCrc32C(_ *Env, _, _ Type, a, b, c Val) Val {
	return Val{Lo: uint64(a64crypto.CRC32C(uint32(a.Lo), b.Lo, int(c.Lo/8)))}
}
