package translate

import (
	"emu/decoder"
	"emu/ir"
)

// SVE gather loads and scatter stores: of elements that have each an address of its own, by
// a vector of bases or of offsets.
func sveGathers() []groupRule {
	return []groupRule{
		{decoder.ClassSVE, "mem_32b_gld_vs", gather(2, offset32(2, 22, false)), false},
		{decoder.ClassSVE, "mem_32b_gld_sv", gather(2, offset32(2, 22, true)), false},
		{decoder.ClassSVE, "mem_32b_gld_vi", gather(2, vectorBase(2)), false},
		{decoder.ClassSVE, "mem_32b_gldnt_vs", gatherNT(2, 13, vectorPlusScalar(2)), false},
		{decoder.ClassSVE, "mem_64b_gld_vs", gather(3, offset32(3, 22, false)), false},
		{decoder.ClassSVE, "mem_64b_gld_sv", gather(3, offset32(3, 22, true)), false},
		{decoder.ClassSVE, "mem_64b_gld_vs2", gather(3, offset64(false)), false},
		{decoder.ClassSVE, "mem_64b_gld_sv2", gather(3, offset64(true)), false},
		{decoder.ClassSVE, "mem_64b_gld_vi", gather(3, vectorBase(3)), false},
		{decoder.ClassSVE, "mem_64b_gldnt_vs", gatherNT(3, 14, vectorPlusScalar(3)), false},
	}
}

func sveScatters() []groupRule {
	return []groupRule{
		{decoder.ClassSVE, "mem_sst_vs_32b", scatter(2, offset32(2, 14, false)), false},
		{decoder.ClassSVE, "mem_sst_sv_32b", scatter(2, offset32(2, 14, true)), false},
		{decoder.ClassSVE, "mem_sst_vi_32b", scatter(2, vectorBase(2)), false},
		{decoder.ClassSVE, "mem_sst_vs_64b", scatter(3, offset32(3, 14, false)), false},
		{decoder.ClassSVE, "mem_sst_sv_64b", scatter(3, offset32(3, 14, true)), false},
		{decoder.ClassSVE, "mem_sst_vs2", scatter(3, offset64(false)), false},
		{decoder.ClassSVE, "mem_sst_sv2", scatter(3, offset64(true)), false},
		{decoder.ClassSVE, "mem_sst_vi_64b", scatter(3, vectorBase(3)), false},
		{decoder.ClassSVE, "mem_sstnt_32b_vs", scatter(2, vectorPlusScalar(2)), false},
		{decoder.ClassSVE, "mem_sstnt_64b_vs", scatter(3, vectorPlusScalar(3)), false},
	}
}

// elementAddress is where element k of an instruction is in memory, its size there being
// 1 << msize bytes.
type elementAddress func(t *Translator, i decoder.Inst, k int, msize uint32) address

// offset32 is [<Xn|SP>, <Zm>.<T>, <mod>{ #amount}]: the low 32 bits of the elements of Zm, of
// 1 << size bytes, are extended; with sign if bit xs is set.
func offset32(size uint32, xs uint, scaled bool) elementAddress {
	return func(t *Translator, i decoder.Inst, k int, msize uint32) address {
		off := t.VGet(t.V(i.Rm(), ir.V4I32), k<<(size-2))
		if i.Bit(xs) == 1 {
			off = t.Sext(ir.I64, off)
		} else {
			off = t.Zext(ir.I64, off)
		}
		if scaled {
			off = t.ShlI(off, int(msize))
		}
		return address{t.XSP(i.Rn()), off}
	}
}

// offset64 is [<Xn|SP>, <Zm>.D{, LSL #amount}].
func offset64(scaled bool) elementAddress {
	return func(t *Translator, i decoder.Inst, k int, msize uint32) address {
		off := t.VGet(t.V(i.Rm(), ir.V2I64), k)
		if scaled {
			off = t.ShlI(off, int(msize))
		}
		return address{t.XSP(i.Rn()), off}
	}
}

// element is element k of a register, zero-extended.
func (t *Translator) element(n uint32, k int, size uint32) ir.Value {
	return t.Zext(ir.I64, t.VGet(t.V(n, intVec(size)), k))
}

// vectorBase is [<Zn>.<T>{, #imm}].
func vectorBase(size uint32) elementAddress {
	return func(t *Translator, i decoder.Inst, k int, msize uint32) address {
		return address{t.element(i.Rn(), k, size), t.I64(uint64(i.Bits(20, 16)) << msize)}
	}
}

// vectorPlusScalar is [<Zn>.<T>{, <Xm>}].
func vectorPlusScalar(size uint32) elementAddress {
	return func(t *Translator, i decoder.Inst, k int, _ uint32) address {
		return address{t.element(i.Rn(), k, size), t.X(i.Rm())}
	}
}

// elementAddresses are those of all elements.
func (t *Translator) elementAddresses(i decoder.Inst, e memElements, at elementAddress) []address {
	a := make([]address, e.count())
	for k := range a {
		a[k] = at(t, i, k, e.msize)
	}
	return a
}

// gather is LD1B, LDFF1B and their kind { <Zt>.<T> }, <Pg>/Z, [...]
func gather(size uint32, at elementAddress) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		e := memElements{msz(i), size, i.Bit(14) == 0}
		a, p := t.elementAddresses(i, e, at), t.P(pg(i))
		if i.Bit(13) == 1 {
			t.gatherFirstFault(i, e, a, p)
			return
		}
		t.SetV(i.Rd(), t.gatherElements(e, a, p))
	}
}

// gatherNT is LDNT1B and its kind { <Zt>.<T> }, <Pg>/Z, [<Zn>.<T>{, <Xm>}]; elements are
// sign-extended unless a bit is set.
func gatherNT(size uint32, u uint, at elementAddress) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		e := memElements{msz(i), size, i.Bit(u) == 0}
		t.SetV(i.Rd(), t.gatherElements(e, t.elementAddresses(i, e, at), t.P(pg(i))))
	}
}

// gatherElements reads the elements that are active in a predicate; the others are zero.
// Mostly all are.
func (t *Translator) gatherElements(e memElements, a []address, p ir.Value) ir.Value {
	n, ty := 1<<e.msize, intVec(e.msize)
	whole := func() ir.Value {
		return t.sideBySide(ty, len(a), func(k int) ir.Value {
			return t.Bitcast(ty, t.VFrom(t.Load(partType(n), a[k].base, a[k].off)))
		})
	}
	var v ir.Value
	if t.isAllTrue(p, e.size) {
		v = whole()
	} else {
		t.If(t.areActive(p, e.size))
		t.Yield(whole())
		t.Else()
		t.Yield(t.sideBySide(ty, len(a), func(k int) ir.Value {
			return t.LoadP(ty, t.sum(a[k]), t.ifActive(p, k, e.size), n)
		}))
		v = t.End()
	}
	return t.extendElements(e, v)
}

// sideBySide is a vector of lane 0 of n vectors.
func (t *Translator) sideBySide(ty ir.Type, n int, lane0 func(k int) ir.Value) ir.Value {
	v := make([]ir.Value, n)
	for k := range v {
		v[k] = lane0(k)
	}
	for to := ty; len(v) > 1; v, to = v[:len(v)/2], intVec(sizeOf(to)+1) {
		for k := range len(v) / 2 {
			v[k] = t.op2(ir.OpZip1, to, t.Bitcast(to, v[2*k]), t.Bitcast(to, v[2*k+1]))
		}
	}
	return t.Bitcast(ty, v[0])
}

// scatter is ST1B and its kind { <Zt>.<T> }, <Pg>, [...]. Of elements at the same place the
// highest remains.
func scatter(size uint32, at elementAddress) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		e := memElements{msz(i), size, false}
		a, p := t.elementAddresses(i, e, at), t.P(pg(i))
		if t.tags >= tagsChecked { // all tags before the first access
			for k := range a {
				t.If(t.isActive(p, k, size))
				t.checkTags(t.sum(a[k]), 1<<e.msize, true)
				t.End()
			}
			t.unchecked = true
		}
		v := t.V(i.Rd(), partVec(1<<e.msize))
		store := func(k int) { t.Store(t.VGet(v, k<<(size-e.msize)), a[k].base, a[k].off) }
		if t.isAllTrue(p, size) {
			for k := range a {
				store(k)
			}
			return
		}
		t.If(t.areActive(p, size)) // as they are mostly
		for k := range a {
			store(k)
		}
		t.Else()
		for k := range a {
			t.If(t.isActive(p, k, size))
			store(k)
			t.End()
		}
		t.End()
	}
}
