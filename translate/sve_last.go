package translate

import (
	"emu/cpu"
	"emu/decoder"
	"emu/ir"
)

// SVE instructions that move elements to where a predicate tells. Its bits are places of
// bytes: the number of zeros above and below them tells where elements start, and a look-up
// of bytes moves them.
func sveLasts() [][]rule {
	return [][]rule{
		enc(lastScalar(after), decoder.LASTA_V_P_Z_),
		enc(lastScalar(itself), decoder.LASTB_V_P_Z_),
		enc(lastGeneral(after), decoder.LASTA_R_P_Z_),
		enc(lastGeneral(itself), decoder.LASTB_R_P_Z_),
		enc(condLastVector(after), decoder.CLASTA_Z_P_ZZ_),
		enc(condLastVector(itself), decoder.CLASTB_Z_P_ZZ_),
		enc(condLastScalar(after), decoder.CLASTA_V_P_Z_),
		enc(condLastScalar(itself), decoder.CLASTB_V_P_Z_),
		enc(condLastGeneral(after), decoder.CLASTA_R_P_Z_),
		enc(condLastGeneral(itself), decoder.CLASTB_R_P_Z_),
		enc(compact, decoder.COMPACT_Z_P_Z_),
		enc(spliceDestructive, decoder.SPLICE_Z_P_ZZ_DES),
		enc(spliceConstructive, decoder.SPLICE_Z_P_ZZ_CON),
	}
}

// Which element LASTA and LASTB mean.
const (
	after  = true  // the one after the last active element, the first if that is the last of all
	itself = false // the last active element, the last of all if there is none
)

// lastByte is the number of the first byte of that element, in all bytes of a vector; p has
// bits of elements of size bytes only.
func (t *Translator) lastByte(p ir.Value, size uint, next bool) ir.Value {
	from := uint64(63) // less the leading zeros: the highest bit set, or -1
	if next {
		from += uint64(size)
	}
	at := t.AndI(t.Sub(t.I64(from), t.Op1(ir.OpClz, p)), uint64(cpu.VectorBytes-size))
	return t.VDup(t.Trunc(ir.I8, at))
}

// lastInAll is that element of v in all lanes.
func (t *Translator) lastInAll(v, p ir.Value, next bool) ir.Value {
	ty := t.TypeOf(v)
	size := uint(ty.Lane().Bytes())
	bytes := t.op2(ir.OpAdd, ir.V16I8, t.lastByte(p, size, next), t.bytesOfLane(size))
	return t.Bitcast(ty, t.op2(ir.OpTbl, ir.V16I8, t.Bitcast(ir.V16I8, v), bytes))
}

// lastAlone is that element of v in lane 0, and zero in the others: indices from 16 on, but
// not so many that adding to them comes around.
func (t *Translator) lastAlone(v, p ir.Value, next bool) ir.Value {
	ty := t.TypeOf(v)
	size := uint(ty.Lane().Bytes())
	const none = uint64(0x8080_8080_8080_8080)
	own := none<<(8*size) | 0x0706_0504_0302_0100&(1<<(8*size)-1)
	bytes := t.op2(ir.OpAdd, ir.V16I8, t.lastByte(p, size, next), t.Const128(ir.V16I8, own, none))
	return t.Bitcast(ty, t.op2(ir.OpTbl, ir.V16I8, t.Bitcast(ir.V16I8, v), bytes))
}

// lastScalar is LASTA, LASTB <V><d>, <Pg>, <Zn>.<T>.
func lastScalar(next bool) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		size := elemSize(i)
		t.SetV(i.Rd(), t.lastAlone(t.V(i.Rn(), intVec(size)), t.active(pg(i), size), next))
	}
}

// lastGeneral is LASTA, LASTB <R><d>, <Pg>, <Zn>.<T>.
func lastGeneral(next bool) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		size := elemSize(i)
		t.SetR(i.Rd(), t.VGet(t.lastInAll(t.V(i.Rn(), intVec(size)), t.active(pg(i), size), next), 0))
	}
}

// ifAny is v if an element is active in p, and other if none is.
func (t *Translator) ifAny(p, v, other ir.Value) ir.Value {
	return t.Select(t.ICmp(ir.NE, p, t.I64(0)), v, other)
}

// condLastVector is CLASTA, CLASTB <Zdn>.<T>, <Pg>, <Zdn>.<T>, <Zm>.<T>: without active elements Zdn
// stays.
func condLastVector(next bool) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		size := elemSize(i)
		ty, p := intVec(size), t.active(pg(i), size)
		t.SetV(i.Rd(), t.ifAny(p, t.lastInAll(t.V(i.Rn(), ty), p, next), t.V(i.Rd(), ty)))
	}
}

// condLastScalar is CLASTA, CLASTB <V><dn>, <Pg>, <V><dn>, <Zm>.<T>.
func condLastScalar(next bool) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		size := elemSize(i)
		ty, p := intVec(size), t.active(pg(i), size)
		t.SetV(i.Rd(), t.ifAny(p, t.lastAlone(t.V(i.Rn(), ty), p, next), t.vecLane0(i.Rd(), ty)))
	}
}

// condLastGeneral is CLASTA, CLASTB <R><dn>, <Pg>, <R><dn>, <Zm>.<T>.
func condLastGeneral(next bool) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		size := elemSize(i)
		ty, p := intVec(size), t.active(pg(i), size)
		last := t.Zext(ir.I64, t.VGet(t.lastInAll(t.V(i.Rn(), ty), p, next), 0))
		t.SetX(i.Rd(), t.ifAny(p, last, t.Zext(ir.I64, t.narrowX(i.Rd(), ty.Lane()))))
	}
}

// COMPACT <Zd>.<T>, <Pg>, <Zn>.<T>: the active elements, one behind the other, and zeroes.
func compact(t *Translator, i decoder.Inst) {
	ty := intVec(elemSize(i))
	v := t.zeroing(pg(i), t.V(i.Rn(), ty))
	mask := t.mask(pg(i), ty)
	if ty == ir.V2I64 {
		t.SetV(i.Rd(), t.op3(ir.OpBsl, ty, dupLowest(t, ty, mask), v, t.op1(ir.OpVHigh, ty, v)))
		return
	}
	// First each half for itself: down by one word if the lower one is not active.
	by := t.op2(ir.OpAndNot, ty, t.Const128(ty, 32, 32), mask)
	v = t.op2(ir.OpLshrV, ir.V2I64, t.Bitcast(ir.V2I64, v), t.Bitcast(ir.V2I64, by))
	// Then the upper half behind the words of the lower one.
	bytes := t.ShlI(t.Op1(ir.OpPopcnt, t.AndI(t.P(pg(i)), 0x11)), 2)
	from := t.op2(ir.OpSub, ir.V16I8, t.iota(ir.V16I8), t.VDup(t.Trunc(ir.I8, bytes)))
	high := t.Bitcast(ir.V16I8, t.op1(ir.OpVHigh, ir.V2I64, v))
	high = t.op2(ir.OpTbl, ir.V16I8, high, from)
	t.SetV(i.Rd(), t.op2(ir.OpOr, ir.V16I8, t.Bitcast(ir.V16I8, t.low(v)), high))
}

// SPLICE <Zdn>.<T>, <Pv>, <Zdn>.<T>, <Zm>.<T>, with Zm in bits 9:5
func spliceDestructive(t *Translator, i decoder.Inst) {
	t.splice(i, t.V(i.Rd(), ir.V16I8), t.V(i.Rn(), ir.V16I8))
}

// SPLICE <Zd>.<T>, <Pv>, { <Zn1>.<T>, <Zn2>.<T> }
func spliceConstructive(t *Translator, i decoder.Inst) {
	t.splice(i, t.V(i.Rn(), ir.V16I8), t.V((i.Rn()+1)&31, ir.V16I8))
}

// splice takes the elements of a from the first to the last active one, and fills up with the
// first ones of b.
func (t *Translator) splice(i decoder.Inst, a, b ir.Value) {
	size := elemSize(i)
	p := t.active(pg(i), size)
	first := t.Op1(ir.OpCtz, p)
	// Zeros above and below leave the bits between, and the last element has others behind
	// its first byte. Without an active element all are counted twice.
	n := t.Sub(t.Sub(t.I64(64+1<<size-1), t.Op1(ir.OpClz, p)), first)
	n = t.Op2(ir.OpSMax, n, t.I64(0))
	all := func(x ir.Value) ir.Value { return t.VDup(t.Trunc(ir.I8, x)) }
	numbers, count := t.iota(ir.V16I8), all(n)
	a = t.op2(ir.OpTbl, ir.V16I8, a, t.op2(ir.OpAdd, ir.V16I8, numbers, all(first)))
	b = t.op2(ir.OpTbl, ir.V16I8, b, t.op2(ir.OpSub, ir.V16I8, numbers, count))
	t.SetV(i.Rd(), t.op3(ir.OpBsl, ir.V16I8, compare(ir.UGT)(t, ir.V16I8, count, numbers), a, b))
}
