package ir

// Lane arithmetic works on zero-extended lanes of w bits; results may have any
// upper bits, they are cut off where the lane is put back.

// sext sign-extends the low w bits of x.
func sext(x uint64, w uint) int64 { return int64(x<<(64-w)) >> (64 - w) }

// ones has the low w bits set, 1 <= w <= 64.
func ones(w uint) uint64 { return ^uint64(0) >> (64 - w) }

// lane returns lane n of w bits.
func (v Val) lane(w uint, n int) uint64 {
	at := w * uint(n)
	if at < 64 {
		return v.Lo >> at & ones(w)
	}
	return v.Hi >> (at - 64) & ones(w)
}

// put ors lane n of w bits, which is zero, with x.
func (v *Val) put(w uint, n int, x uint64) {
	at := w * uint(n)
	x &= ones(w)
	if at < 64 {
		v.Lo |= x << at
	} else {
		v.Hi |= x << (at - 64)
	}
}

// width is the lane width and number of lanes of t.
func (t Type) width() (w uint, n int) {
	i := &types[t]
	return uint(types[i.lane].bits), int(i.lanes)
}

// lanewise1 evaluates a lane-wise function of one operand.
func lanewise1(f func(w uint, x uint64) uint64) EvalFunc {
	return func(_ *Env, t, _ Type, a, _, _ Val) (r Val) {
		w, n := t.width()
		if n == 1 {
			return Val{Lo: f(w, a.Lo) & ones(w)}
		}
		for k := range n {
			r.put(w, k, f(w, a.lane(w, k)))
		}
		return r
	}
}

// lanewise2 evaluates a lane-wise function of two operands.
func lanewise2(f func(w uint, x, y uint64) uint64) EvalFunc {
	return func(_ *Env, t, _ Type, a, b, _ Val) (r Val) {
		w, n := t.width()
		if n == 1 {
			return Val{Lo: f(w, a.Lo, b.Lo) & ones(w)}
		}
		for k := range n {
			r.put(w, k, f(w, a.lane(w, k), b.lane(w, k)))
		}
		return r
	}
}

// saturating is lanewise2 for functions that report saturation in FPSR.QC.
func saturating(f func(w uint, x, y uint64) (uint64, bool)) EvalFunc {
	return func(e *Env, t, _ Type, a, b, _ Val) (r Val) {
		w, n := t.width()
		for k := range n {
			x, sat := f(w, a.lane(w, k), b.lane(w, k))
			if sat {
				e.FPSR |= fpsrQC
			}
			r.put(w, k, x)
		}
		return r
	}
}

// uniform evaluates a lane-wise function whose second and third operands are
// scalars shared by all lanes.
func uniform(f func(w uint, x, p, q uint64) uint64) EvalFunc {
	return func(_ *Env, t, _ Type, a, b, c Val) (r Val) {
		w, n := t.width()
		if n == 1 {
			return Val{Lo: f(w, a.Lo, b.Lo, c.Lo) & ones(w)}
		}
		for k := range n {
			r.put(w, k, f(w, a.lane(w, k), b.Lo, c.Lo))
		}
		return r
	}
}
