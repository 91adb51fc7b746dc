package translate

import (
	"emu/decoder"
	"emu/ir"
)

// Advanced SIMD three same extra, with the forms by element: dot products,
// matrix products, BFloat16, rounding doubling multiply-accumulate.
func simdThreeSameExtra() [][]rule {
	return [][]rule{
		enc(same3SatAcc(ir.OpSQRDMlAH), decoder.SQRDMLAH_asimdsame2_only),
		enc(same3SatAcc(ir.OpSQRDMlSH), decoder.SQRDMLSH_asimdsame2_only),

		enc(dot(ir.OpSDot), decoder.SDOT_asimdsame2_D),
		enc(dot(ir.OpUDot), decoder.UDOT_asimdsame2_D),
		enc(dot(ir.OpUSDot), decoder.USDOT_asimdsame2_D),
		enc(dotElement(ir.OpSDot), decoder.SDOT_asimdelem_D),
		enc(dotElement(ir.OpUDot), decoder.UDOT_asimdelem_D),
		enc(dotElement(ir.OpUSDot), decoder.USDOT_asimdelem_D),
		enc(dotSignedUnsigned, decoder.SUDOT_asimdelem_D),
		enc(dot(ir.OpSMMLA), decoder.SMMLA_asimdsame2_G),
		enc(dot(ir.OpUMMLA), decoder.UMMLA_asimdsame2_G),
		enc(dot(ir.OpUSMMLA), decoder.USMMLA_asimdsame2_G),

		enc(bfDot, decoder.BFDOT_asimdsame2_D),
		enc(bfDotElement, decoder.BFDOT_asimdelem_E),
		enc(bfMatrix, decoder.BFMMLA_asimdsame2_E),
		enc(bfMultiplyAdd, decoder.BFMLAL_asimdsame2_F_),
		enc(bfMultiplyAddElement, decoder.BFMLAL_asimdelem_F),
	}
}

// same3SatAcc is SQRDMLAH and SQRDMLSH <Vd>.<T>, <Vn>.<T>, <Vm>.<T>.
func same3SatAcc(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		d, n := t.lowIf(i, t.V(i.Rd(), ty)), t.lowIf(i, t.V(i.Rn(), ty))
		t.SetV(i.Rd(), t.op3(op, ty, d, n, t.V(i.Rm(), ty)))
	}
}

// dot is <op> <Vd>.<Ta>, <Vn>.<Tb>, <Vm>.<Tb> with bytes summed in words.
func dot(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		n, m := t.V(i.Rn(), ir.V16I8), t.V(i.Rm(), ir.V16I8)
		t.setQ(i, t.op3(op, ir.V4I32, t.V(i.Rd(), ir.V4I32), n, m))
	}
}

// groupElement is the indexed group of four bytes, or pair of halfwords, in all
// groups.
func (t *Translator) groupElement(i decoder.Inst, ty ir.Type) ir.Value {
	return t.Bitcast(ty, t.dupElementOf(i, ir.V4I32))
}

// dotElement is <op> <Vd>.<Ta>, <Vn>.<Tb>, <Vm>.4B[<index>].
func dotElement(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		d, n := t.V(i.Rd(), ir.V4I32), t.V(i.Rn(), ir.V16I8)
		t.setQ(i, t.op3(op, ir.V4I32, d, n, t.groupElement(i, ir.V16I8)))
	}
}

// SUDOT <Vd>.<Ta>, <Vn>.<Tb>, <Vm>.4B[<index>]: Vn is signed, Vm is not.
func dotSignedUnsigned(t *Translator, i decoder.Inst) {
	d, n := t.V(i.Rd(), ir.V4I32), t.V(i.Rn(), ir.V16I8)
	t.setQ(i, t.op3(ir.OpUSDot, ir.V4I32, d, t.groupElement(i, ir.V16I8), n))
}

// BFDOT <Vd>.<Ta>, <Vn>.<Tb>, <Vm>.<Tb>
func bfDot(t *Translator, i decoder.Inst) { t.bfDot(i, t.V(i.Rm(), ir.V8I16)) }

// BFDOT <Vd>.<Ta>, <Vn>.<Tb>, <Vm>.2H[<index>]
func bfDotElement(t *Translator, i decoder.Inst) { t.bfDot(i, t.groupElement(i, ir.V8I16)) }

// bfDot needs no care for the upper half: BFloat16 dot products raise nothing.
func (t *Translator) bfDot(i decoder.Inst, m ir.Value) {
	d, n := t.V(i.Rd(), ir.V4F32), t.V(i.Rn(), ir.V8I16)
	t.setQ(i, t.op3(ir.OpBFDot, ir.V4F32, d, n, m))
}

// BFMMLA <Vd>.4S, <Vn>.8H, <Vm>.8H
func bfMatrix(t *Translator, i decoder.Inst) {
	n, m := t.V(i.Rn(), ir.V8I16), t.V(i.Rm(), ir.V8I16)
	t.SetV(i.Rd(), t.op3(ir.OpBFMMLA, ir.V4F32, t.V(i.Rd(), ir.V4F32), n, m))
}

// bfWiden is the even (bottom) or odd (top) BFloat16 lanes as single precision:
// a BFloat16 is the upper half of a single.
func (t *Translator) bfWiden(v ir.Value, top bool) ir.Value {
	v = t.Bitcast(ir.V4I32, v)
	if top {
		v = t.op2(ir.OpAnd, ir.V4I32, v, t.splat(ir.V4I32, 0xffff_0000))
	} else {
		v = t.op2(ir.OpShl, ir.V4I32, v, ir.Imm(16))
	}
	return t.Bitcast(ir.V4F32, v)
}

// bfEven moves the odd (top) BFloat16 lanes to the even ones.
func (t *Translator) bfEven(v ir.Value, top bool) ir.Value {
	v = t.Bitcast(ir.V4I32, v)
	if top {
		v = t.op2(ir.OpLShr, ir.V4I32, v, ir.Imm(16))
	}
	return t.Bitcast(ir.V8I16, v)
}

// BFMLALB, BFMLALT <Vd>.4S, <Vn>.8H, <Vm>.8H
func bfMultiplyAdd(t *Translator, i decoder.Inst) {
	t.bfMultiplyAdd(i, t.V(i.Rm(), ir.V4I32), quad(i))
}

// BFMLALB, BFMLALT <Vd>.4S, <Vn>.8H, <Vm>.H[<index>]
func bfMultiplyAddElement(t *Translator, i decoder.Inst) {
	t.bfMultiplyAdd(i, t.dupElementOf(i, ir.V8I16), quad(i))
}

// bfMultiplyAdd adds to Vd the products of the even or the odd (top) lanes of Vn and m.
func (t *Translator) bfMultiplyAdd(i decoder.Inst, m ir.Value, top bool) {
	d, n := t.V(i.Rd(), ir.V4F32), t.V(i.Rn(), ir.V4I32)
	if t.alternate() {
		t.SetV(i.Rd(), t.op3(ir.OpBFMLAL, ir.V4F32, d, t.bfEven(n, top), t.bfEven(m, top)))
		return
	}
	t.SetV(i.Rd(), t.op3(ir.OpFMA, ir.V4F32, d, t.bfWiden(n, top), t.bfWiden(m, top)))
}
