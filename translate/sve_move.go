package translate

import (
	"emu/decoder"
	"emu/ir"
)

// SVE instructions that fill vectors: moves, copies of numbers and elements to all lanes,
// arithmetic sequences, selection and addresses.
func sveMoves() [][]rule {
	return [][]rule{
		enc(moveVector, decoder.MOVPRFX_Z_Z_),
		enc(movePredicated, decoder.MOVPRFX_Z_P_Z_),
		enc(selVectors, decoder.SEL_Z_P_ZZ_),

		enc(dupNumber(signedNumber), decoder.DUP_Z_I_),
		enc(dupNumber(floatNumber), decoder.FDUP_Z_I_),
		enc(copyNumber(signedNumber, true), decoder.CPY_Z_O_I_),
		enc(copyNumber(signedNumber, false), decoder.CPY_Z_P_I_),
		enc(copyNumber(floatNumber, false), decoder.FCPY_Z_P_I_),
		enc(dupIndexed, decoder.DUP_Z_ZI_),
		enc(dupRegister, decoder.DUP_Z_R_),
		enc(copyRegister, decoder.CPY_Z_P_R_),
		enc(mergingUnary(dupLowest), decoder.CPY_Z_P_V_),

		enc(index(immAt(5), immAt(16)), decoder.INDEX_Z_II_),
		enc(index(regAt(5), immAt(16)), decoder.INDEX_Z_RI_),
		enc(index(immAt(5), regAt(16)), decoder.INDEX_Z_IR_),
		enc(index(regAt(5), regAt(16)), decoder.INDEX_Z_RR_),

		enc(adr(signExtend(32)), decoder.ADR_Z_AZ_D_S32_SCALED),
		enc(adr(zeroExtend(32)), decoder.ADR_Z_AZ_D_U32_SCALED),
		enc(adr(nil), decoder.ADR_Z_AZ_SD_SAME_SCALED),
	}
}

// MOVPRFX <Zd>, <Zn>: a move, though only as part of the instruction behind it.
func moveVector(t *Translator, i decoder.Inst) { t.SetV(i.Rd(), t.V(i.Rn(), ir.V16I8)) }

// MOVPRFX <Zd>.<T>, <Pg>/<ZM>, <Zn>.<T>
func movePredicated(t *Translator, i decoder.Inst) {
	ty := intVec(elemSize(i))
	v := t.V(i.Rn(), ty)
	if i.Bit(16) == 1 {
		v = t.merge(pg(i), v, t.V(i.Rd(), ty))
	} else {
		v = t.zeroing(pg(i), v)
	}
	t.SetV(i.Rd(), v)
}

// SEL <Zd>.<T>, <Pv>, <Zn>.<T>, <Zm>.<T>
func selVectors(t *Translator, i decoder.Inst) {
	ty := intVec(elemSize(i))
	t.SetV(i.Rd(), t.merge(pg4(i), t.V(i.Rn(), ty), t.V(i.Rm(), ty)))
}

// number is the immediate of an instruction, for a lane of ty.
type number func(i decoder.Inst, ty ir.Type) uint64

func signedNumber(i decoder.Inst, _ ir.Type) uint64 { return uint64(i.SignedImm8()) }

func floatNumber(i decoder.Inst, ty ir.Type) uint64 {
	return decoder.VFPExpandImm(i.Bits(12, 5), laneBits(ty))
}

// dupNumber is DUP <Zd>.<T>, #<imm>{, LSL #8} and FDUP <Zd>.<T>, #<const>.
func dupNumber(x number) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		t.SetV(i.Rd(), t.splat(ty, x(i, ty)))
	}
}

// copyNumber is CPY <Zd>.<T>, <Pg>/<ZM>, #<imm>{, LSL #8} and FCPY <Zd>.<T>, <Pg>/M, #<const>.
func copyNumber(x number, zeroing bool) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty, g := intVec(elemSize(i)), i.Bits(19, 16)
		v := t.splat(ty, x(i, ty))
		if zeroing {
			v = t.zeroing(g, v)
		} else {
			v = t.merge(g, v, t.V(i.Rd(), ty))
		}
		t.SetV(i.Rd(), v)
	}
}

// DUP <Zd>.<T>, <Zn>.<T>[<imm>]: zeroes if the vector has no such element.
func dupIndexed(t *Translator, i decoder.Inst) {
	esize, n := i.TszIndex()
	v := t.zero(ir.V16I8)
	switch {
	case n*esize >= 128:
	case esize == 128:
		v = t.V(i.Rn(), ir.V16I8)
	default:
		ty := vecOfBits(esize)
		v = t.op2(ir.OpVDupL, ty, t.V(i.Rn(), ty), ir.Imm(int(n)))
	}
	t.SetV(i.Rd(), v)
}

// dupXSP is the low part of general register n, 31 = SP, in all lanes of ty.
func (t *Translator) dupXSP(n uint32, ty ir.Type) ir.Value {
	return t.VDup(t.Trunc(ty.Lane(), t.XSP(n)))
}

// DUP <Zd>.<T>, <R><n|SP>
func dupRegister(t *Translator, i decoder.Inst) {
	t.SetV(i.Rd(), t.dupXSP(i.Rn(), intVec(elemSize(i))))
}

// CPY <Zd>.<T>, <Pg>/M, <R><n|SP>
func copyRegister(t *Translator, i decoder.Inst) {
	ty := intVec(elemSize(i))
	t.SetV(i.Rd(), t.merge(pg(i), t.dupXSP(i.Rn(), ty), t.V(i.Rd(), ty)))
}

// dupLowest is lane 0 in all lanes: CPY <Zd>.<T>, <Pg>/M, <V><n>.
func dupLowest(t *Translator, ty ir.Type, a ir.Value) ir.Value {
	return t.op2(ir.OpVDupL, ty, a, ir.Imm(0))
}

// scalarOf is an operand of INDEX as a scalar of a lane's type.
type scalarOf func(t *Translator, i decoder.Inst, lane ir.Type) ir.Value

// immAt is the signed number of five bits from bit lsb on, regAt the register there.
func immAt(lsb uint) scalarOf {
	return func(t *Translator, i decoder.Inst, lane ir.Type) ir.Value {
		return t.Trunc(lane, t.I64(uint64(decoder.SignExtend(i.Word>>lsb&31, 5))))
	}
}

func regAt(lsb uint) scalarOf {
	return func(t *Translator, i decoder.Inst, lane ir.Type) ir.Value {
		return t.narrowX(i.Word>>lsb&31, lane)
	}
}

// index is INDEX <Zd>.<T>, base, step: lane n is base + n * step.
func index(base, step scalarOf) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		b, s := base(t, i, ty.Lane()), step(t, i, ty.Lane())
		var steps ir.Value
		if ty == ir.V2I64 { // without a product
			steps = t.op3(ir.OpVSet, ty, t.zero(ty), s, ir.Imm(1))
		} else {
			steps = t.op2(ir.OpMul, ty, t.VDup(s), t.iota(ty))
		}
		t.SetV(i.Rd(), t.op2(ir.OpAdd, ty, t.VDup(b), steps))
	}
}

// iota is the vector whose lanes are their numbers.
func (t *Translator) iota(ty ir.Type) ir.Value {
	esize, n := laneBits(ty), uint64(0)
	var half [2]uint64
	for at := uint(0); at < 128; at += esize {
		half[at/64] |= n << (at % 64)
		n++
	}
	return t.Const128(ty, half[0], half[1])
}

// adr is ADR <Zd>.<T>, [<Zn>.<T>, <Zm>.<T>{, <mod> <amount>}]; bit 22 is the size where the
// offset is not extended.
func adr(extend unary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := ir.V2I64
		if extend == nil && i.Bit(22) == 0 {
			ty = ir.V4I32
		}
		off := t.V(i.Rm(), ty)
		if extend != nil {
			off = extend(t, ty, off)
		}
		off = t.ShlI(off, int(i.Bits(11, 10)))
		t.SetV(i.Rd(), t.op2(ir.OpAdd, ty, t.V(i.Rn(), ty), off))
	}
}
