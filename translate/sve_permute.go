package translate

import (
	"emu/cpu"
	"emu/decoder"
	"emu/ir"
)

// SVE permutations of vectors by what is known when they are translated, and by indices.
func svePermutes() [][]rule {
	return [][]rule{
		enc(unpredicated(lanes2(ir.OpZip1)), decoder.ZIP1_Z_ZZ_),
		enc(unpredicated(lanes2(ir.OpZip2)), decoder.ZIP2_Z_ZZ_),
		enc(unpredicated(lanes2(ir.OpUzp1)), decoder.UZP1_Z_ZZ_),
		enc(unpredicated(lanes2(ir.OpUzp2)), decoder.UZP2_Z_ZZ_),
		enc(unpredicated(lanes2(ir.OpTrn1)), decoder.TRN1_Z_ZZ_),
		enc(unpredicated(lanes2(ir.OpTrn2)), decoder.TRN2_Z_ZZ_),

		enc(unpack(ir.OpVSext, lowHalf), decoder.SUNPKLO_Z_Z_),
		enc(unpack(ir.OpVSext, highHalf), decoder.SUNPKHI_Z_Z_),
		enc(unpack(ir.OpVZext, lowHalf), decoder.UUNPKLO_Z_Z_),
		enc(unpack(ir.OpVZext, highHalf), decoder.UUNPKHI_Z_Z_),

		enc(extDestructive, decoder.EXT_Z_ZI_DES),
		enc(extConstructive, decoder.EXT_Z_ZI_CON),
		enc(revVector, decoder.REV_Z_Z_),
		enc(insert0(func(t *Translator, i decoder.Inst, ty ir.Type) ir.Value {
			return t.VDup(t.narrowX(i.Rn(), ty.Lane())) // Rm stands where Rn does elsewhere
		}), decoder.INSR_Z_R_),
		enc(insert0(func(t *Translator, i decoder.Inst, ty ir.Type) ir.Value {
			return dupLowest(t, ty, t.V(i.Rn(), ty))
		}), decoder.INSR_Z_V_),
		enc(unpredicated(lookUpLanes), decoder.TBL_Z_ZZ_1),
	}
}

const (
	lowHalf  = false
	highHalf = true
)

// unpack is SUNPKLO and its kind <Zd>.<T>, <Zn>.<Tb>.
func unpack(extend ir.Op, high bool) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		v := t.V(i.Rn(), ty.Narrower())
		if high {
			v = t.op1(ir.OpVHigh, ty.Narrower(), v)
		}
		t.SetV(i.Rd(), t.op1(extend, ty, v))
	}
}

// EXT <Zdn>.B, <Zdn>.B, <Zm>.B, #<imm>, with Zm in bits 9:5
func extDestructive(t *Translator, i decoder.Inst) {
	t.ext(i, t.V(i.Rd(), ir.V16I8), t.V(i.Rn(), ir.V16I8))
}

// EXT <Zd>.B, { <Zn1>.B, <Zn2>.B }, #<imm>
func extConstructive(t *Translator, i decoder.Inst) {
	t.ext(i, t.V(i.Rn(), ir.V16I8), t.V((i.Rn()+1)&31, ir.V16I8))
}

// ext takes bytes from a and b behind it; a position behind a means its start.
func (t *Translator) ext(i decoder.Inst, a, b ir.Value) {
	at := int(i.Bits(20, 16)<<3 | i.Bits(12, 10))
	if at >= cpu.VectorBytes {
		at = 0
	}
	t.SetV(i.Rd(), t.op3(ir.OpExt, ir.V16I8, a, b, ir.Imm(at)))
}

// REV <Zd>.<T>, <Zn>.<T>
func revVector(t *Translator, i decoder.Inst) {
	size := uint(1) << elemSize(i)
	v := t.V(i.Rn(), ir.V16I8)
	t.SetV(i.Rd(), t.bytesFrom(v, func(to uint) uint {
		return cpu.VectorBytes - size - to/size*size + to%size
	}))
}

// insert0 is INSR <Zdn>.<T>, <R><m> or <V><m>: all lanes move up by one, and lane 0 becomes
// what x has in its top lane.
func insert0(x func(t *Translator, i decoder.Inst, ty ir.Type) ir.Value) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		from := ir.Imm(cpu.VectorBytes - ty.Lane().Bytes())
		t.SetV(i.Rd(), t.op3(ir.OpExt, ty, x(t, i, ty), t.V(i.Rd(), ty), from))
	}
}

// lookUpLanes is TBL <Zd>.<T>, { <Zn>.<T> }, <Zm>.<T>: the lanes of table that the lanes of
// index number, zero where there is none.
func lookUpLanes(t *Translator, ty ir.Type, table, index ir.Value) ir.Value {
	if ty != ir.V16I8 {
		index = t.byteIndices(ty, index, uint64(ty.Lanes()))
	}
	return t.Bitcast(ty, t.op2(ir.OpTbl, ir.V16I8, t.Bitcast(ir.V16I8, table), t.Bitcast(ir.V16I8, index)))
}

// byteIndices is the numbers of the bytes of the lanes that index numbers. Numbers from most
// on become that one.
func (t *Translator) byteIndices(ty ir.Type, index ir.Value, most uint64) ir.Value {
	size := uint(ty.Lane().Bytes())
	lane := t.op2(ir.OpUMin, ty, index, t.splat(ty, most))
	first := t.fill(t.ShlI(lane, int(sizeOf(ty))), size, 1)
	return t.op2(ir.OpAdd, ir.V16I8, first, t.bytesOfLane(size))
}

// bytesOfLane is the numbers of the bytes in each lane of size bytes.
func (t *Translator) bytesOfLane(size uint) ir.Value {
	x := uint64(0)
	for n := range uint(8) {
		x |= uint64(n%size) << (8 * n)
	}
	return t.Const128(ir.V16I8, x, x)
}

// fill repeats the low n bytes of each lane of size bytes in it, as a vector of bytes.
func (t *Translator) fill(v ir.Value, size, n uint) ir.Value {
	return t.bytesFrom(v, func(to uint) uint { return to/size*size + to%n })
}

// bytesFrom is the vector whose bytes are those of v that from tells.
func (t *Translator) bytesFrom(v ir.Value, from func(to uint) uint) ir.Value {
	var half [2]uint64
	for to := range uint(cpu.VectorBytes) {
		half[to/8] |= uint64(from(to)) << (to % 8 * 8)
	}
	return t.op2(ir.OpTbl, ir.V16I8, t.Bitcast(ir.V16I8, v), t.Const128(ir.V16I8, half[0], half[1]))
}
