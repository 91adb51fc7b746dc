package translate

import (
	"emu/decoder"
	"emu/ir"
)

// SVE2 products of bottom or top elements that are twice as wide, of vectors and by element.
func sve2Products() [][]rule {
	return [][]rule{
		enc(long2(productParts(true), vectorM), decoder.SMULLB_Z_ZZ_, decoder.SMULLT_Z_ZZ_),
		enc(long2(productParts(false), vectorM), decoder.UMULLB_Z_ZZ_, decoder.UMULLT_Z_ZZ_),
		enc(long2(doubledProduct, vectorM), decoder.SQDMULLB_Z_ZZ_, decoder.SQDMULLT_Z_ZZ_),
		enc(long2Acc(productParts(true), ir.OpAdd, vectorM), decoder.SMLALB_Z_ZZZ_, decoder.SMLALT_Z_ZZZ_),
		enc(long2Acc(productParts(false), ir.OpAdd, vectorM), decoder.UMLALB_Z_ZZZ_, decoder.UMLALT_Z_ZZZ_),
		enc(long2Acc(productParts(true), ir.OpSub, vectorM), decoder.SMLSLB_Z_ZZZ_, decoder.SMLSLT_Z_ZZZ_),
		enc(long2Acc(productParts(false), ir.OpSub, vectorM), decoder.UMLSLB_Z_ZZZ_, decoder.UMLSLT_Z_ZZZ_),
		enc(long2Acc(doubledProduct, ir.OpSQAdd.Quiet(), vectorM), decoder.SQDMLALB_Z_ZZZ_, decoder.SQDMLALT_Z_ZZZ_),
		enc(long2Acc(doubledProduct, ir.OpSQSub.Quiet(), vectorM), decoder.SQDMLSLB_Z_ZZZ_, decoder.SQDMLSLT_Z_ZZZ_),
		enc(mixedProductAcc(ir.OpSQAdd.Quiet()), decoder.SQDMLALBT_Z_ZZZ_),
		enc(mixedProductAcc(ir.OpSQSub.Quiet()), decoder.SQDMLSLBT_Z_ZZZ_),

		enc(long2(productParts(true), longElementM),
			decoder.SMULLB_Z_ZZI_S, decoder.SMULLB_Z_ZZI_D, decoder.SMULLT_Z_ZZI_S, decoder.SMULLT_Z_ZZI_D),
		enc(long2(productParts(false), longElementM),
			decoder.UMULLB_Z_ZZI_S, decoder.UMULLB_Z_ZZI_D, decoder.UMULLT_Z_ZZI_S, decoder.UMULLT_Z_ZZI_D),
		enc(long2(doubledProduct, longElementM),
			decoder.SQDMULLB_Z_ZZI_S, decoder.SQDMULLB_Z_ZZI_D, decoder.SQDMULLT_Z_ZZI_S, decoder.SQDMULLT_Z_ZZI_D),
		enc(long2Acc(productParts(true), ir.OpAdd, longElementM),
			decoder.SMLALB_Z_ZZZI_S, decoder.SMLALB_Z_ZZZI_D, decoder.SMLALT_Z_ZZZI_S, decoder.SMLALT_Z_ZZZI_D),
		enc(long2Acc(productParts(false), ir.OpAdd, longElementM),
			decoder.UMLALB_Z_ZZZI_S, decoder.UMLALB_Z_ZZZI_D, decoder.UMLALT_Z_ZZZI_S, decoder.UMLALT_Z_ZZZI_D),
		enc(long2Acc(productParts(true), ir.OpSub, longElementM),
			decoder.SMLSLB_Z_ZZZI_S, decoder.SMLSLB_Z_ZZZI_D, decoder.SMLSLT_Z_ZZZI_S, decoder.SMLSLT_Z_ZZZI_D),
		enc(long2Acc(productParts(false), ir.OpSub, longElementM),
			decoder.UMLSLB_Z_ZZZI_S, decoder.UMLSLB_Z_ZZZI_D, decoder.UMLSLT_Z_ZZZI_S, decoder.UMLSLT_Z_ZZZI_D),
		enc(long2Acc(doubledProduct, ir.OpSQAdd.Quiet(), longElementM),
			decoder.SQDMLALB_Z_ZZZI_S, decoder.SQDMLALB_Z_ZZZI_D, decoder.SQDMLALT_Z_ZZZI_S, decoder.SQDMLALT_Z_ZZZI_D),
		enc(long2Acc(doubledProduct, ir.OpSQSub.Quiet(), longElementM),
			decoder.SQDMLSLB_Z_ZZZI_S, decoder.SQDMLSLB_Z_ZZZI_D, decoder.SQDMLSLT_Z_ZZZI_S, decoder.SQDMLSLT_Z_ZZZI_D),

		enc(long2(polynomialParts, vectorM), decoder.PMULLB_Z_ZZ_, decoder.PMULLT_Z_ZZ_),
		enc(polynomial128, decoder.PMULLB_Z_ZZ_Q, decoder.PMULLT_Z_ZZ_Q),
	}
}

// productParts is the product. Bytes are extended in place. Of 16-bit elements both halves of
// all products are computed, which the instruction for the other part mostly needs too, and of
// 32 bits the parts are moved to where the host multiplies them.
func productParts(signed bool) ofParts {
	high, long := ir.OpUMulH, ir.OpUMulL
	if signed {
		high, long = ir.OpSMulH, ir.OpSMulL
	}
	return func(t *Translator, ty ir.Type, a, b part) ir.Value {
		half := ty.Narrower()
		switch half {
		case ir.V16I8:
			return extendParts(ir.OpMul, signed)(t, ty, a, b)
		case ir.V8I16:
			if a.top != b.top {
				a, b = t.toBottom(a), t.toBottom(b)
			}
			interleave := ir.OpTrn1
			if a.top {
				interleave = ir.OpTrn2
			}
			low, up := t.op2(ir.OpMul, half, a.v, b.v), t.op2(high, half, a.v, b.v)
			return t.Bitcast(ty, t.op2(interleave, half, low, up))
		}
		return t.op2(long, ty, t.packPart(a), t.packPart(b))
	}
}

// toBottom moves a part to the bottom elements; what is in the top ones does not matter.
func (t *Translator) toBottom(a part) part {
	if !a.top {
		return a
	}
	half := t.TypeOf(a.v)
	v := t.Bitcast(half.Wider(), a.v)
	return part{t.Bitcast(half, t.LShrI(v, int(laneBits(half)))), false}
}

// packPart moves the elements of a part together, to the lower half of the vector.
func (t *Translator) packPart(a part) ir.Value {
	op := ir.OpUzp1
	if a.top {
		op = ir.OpUzp2
	}
	return t.op2(op, t.TypeOf(a.v), a.v, a.v)
}

// doubledProduct is that of SQDMULLB: only minimum times minimum saturates, and nothing else
// gives what that wraps to.
func doubledProduct(t *Translator, ty ir.Type, a, b part) ir.Value {
	v := productParts(true)(t, ty, a, b)
	return t.capMinimum(ty, t.Add(v, v))
}

// capMinimum turns lanes that are the minimum into the maximum.
func (t *Translator) capMinimum(ty ir.Type, v ir.Value) ir.Value {
	return t.Xor(v, t.ICmp(ir.EQ, v, t.splat(ty, 1<<(laneBits(ty)-1))))
}

// mixedProductAcc is SQDMLALBT, SQDMLSLBT <Zda>.<T>, <Zn>.<Tb>, <Zm>.<Tb>.
func mixedProductAcc(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		half := ty.Narrower()
		v := doubledProduct(t, ty, part{t.V(i.Rn(), half), false}, part{t.V(i.Rm(), half), true})
		t.SetV(i.Rd(), t.op2(op, ty, t.V(i.Rd(), ty), v))
	}
}

// polynomialParts is PMULLB, PMULLT of bytes and of words. The host multiplies 64 bits without
// carries, one pair at a time.
func polynomialParts(t *Translator, ty ir.Type, a, b part) ir.Value {
	if ty == ir.V8I16 {
		return t.op2(ir.OpPMulL, ty, t.packPart(a), t.packPart(b))
	}
	x, y := t.extendPart(ty, a, false), t.extendPart(ty, b, false)
	low := t.op2(ir.OpPMulL, ty, x, y)
	up := t.op2(ir.OpPMulL, ty, t.op1(ir.OpVHigh, ty, x), t.op1(ir.OpVHigh, ty, y))
	return t.op2(ir.OpVCombine, ty, low, up)
}

// PMULLB, PMULLT <Zd>.Q, <Zn>.D, <Zm>.D
func polynomial128(t *Translator, i decoder.Inst) {
	a, b := t.V(i.Rn(), ir.V2I64), t.V(i.Rm(), ir.V2I64)
	if isTop(i) {
		a, b = t.op1(ir.OpVHigh, ir.V2I64, a), t.op1(ir.OpVHigh, ir.V2I64, b)
	}
	t.SetV(i.Rd(), t.op2(ir.OpPMulL, ir.V2I64, a, b))
}
