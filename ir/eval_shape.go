package ir

func evalVDup(_ *Env, t, _ Type, a, _, _ Val) (r Val) {
	w, n := t.width()
	for k := range n {
		r.put(w, k, a.Lo)
	}
	return r
}

func evalVDupL(e *Env, t, at Type, a, b, _ Val) Val {
	w, _ := t.width()
	return evalVDup(e, t, at, Val{Lo: a.lane(w, int(b.Lo))}, Val{}, Val{})
}

func evalVGet(_ *Env, _, at Type, a, b, _ Val) Val {
	w, _ := at.width()
	return Val{Lo: a.lane(w, int(b.Lo))}
}

func evalVSet(_ *Env, t, _ Type, a, b, c Val) Val {
	w, _ := t.width()
	return a.with(w, int(c.Lo), b.Lo)
}

// with returns v with lane n of w bits replaced.
func (v Val) with(w uint, n int, x uint64) Val {
	var mask Val
	mask.put(w, n, ones(w))
	v.Lo, v.Hi = v.Lo&^mask.Lo, v.Hi&^mask.Hi
	v.put(w, n, x)
	return v
}

func evalVInsL(_ *Env, t, _ Type, a, b, c Val) Val {
	w, _ := t.width()
	return a.with(w, int(c.Lo>>4), b.lane(w, int(c.Lo&15)))
}

func evalVFrom(_ *Env, _, at Type, a, _, _ Val) Val   { return Val{Lo: a.Lo & maskOf(at)} }
func evalVLow(_ *Env, _, _ Type, a, _, _ Val) Val     { return Val{Lo: a.Lo} }
func evalVHigh(_ *Env, _, _ Type, a, _, _ Val) Val    { return Val{Lo: a.Hi} }
func evalVCombine(_ *Env, _, _ Type, a, b, _ Val) Val { return Val{a.Lo, b.Lo} }
func evalBsl(_ *Env, _, _ Type, a, b, c Val) Val {
	return Val{b.Lo&a.Lo | c.Lo&^a.Lo, b.Hi&a.Hi | c.Hi&^a.Hi}
}

// permute evaluates a shuffle: from tells for lane k of n which lane of
// first (below n) or second (n and above) it takes.
func permute(from func(k, n int) int) EvalFunc {
	return func(_ *Env, t, _ Type, a, b, _ Val) (r Val) {
		w, n := t.width()
		for k := range n {
			if j := from(k, n); j < n {
				r.put(w, k, a.lane(w, j))
			} else {
				r.put(w, k, b.lane(w, j-n))
			}
		}
		return r
	}
}

func zip1(k, n int) int { return k/2 + k%2*n }
func zip2(k, n int) int { return n/2 + k/2 + k%2*n }
func uzp1(k, _ int) int { return 2 * k }
func uzp2(k, _ int) int { return 2*k + 1 }
func trn1(k, n int) int { return k&^1 + k%2*n }
func trn2(k, n int) int { return k | 1 + k%2*n }

func evalExt(_ *Env, _, _ Type, a, b, c Val) (r Val) {
	for k := range 16 {
		if j := k + int(c.Lo); j < 16 {
			r.put(8, k, a.lane(8, j))
		} else {
			r.put(8, k, b.lane(8, j-16))
		}
	}
	return r
}

func evalTbl(_ *Env, _, _ Type, a, b, _ Val) (r Val) {
	for k := range 16 {
		if j := b.lane(8, k); j < 16 {
			r.put(8, k, a.lane(8, int(j)))
		}
	}
	return r
}

// Widening and narrowing: at is the narrow type of a widening operation, t the
// wide one, and the other way round.

func evalVSext(_ *Env, t, at Type, a, _, _ Val) (r Val) {
	w, _ := at.width()
	for k := range t.Lanes() {
		r.put(2*w, k, uint64(sext(a.lane(w, k), w)))
	}
	return r
}

func evalVZext(_ *Env, t, at Type, a, _, _ Val) (r Val) {
	w, _ := at.width()
	for k := range t.Lanes() {
		r.put(2*w, k, a.lane(w, k))
	}
	return r
}

func evalVTrunc(_ *Env, t, at Type, a, _, _ Val) (r Val) {
	w, n := at.width()
	for k := range n {
		r.put(w/2, k, a.lane(w, k))
	}
	return r
}
