package translate

import (
	"emu/decoder"
	"emu/ir"
)

// Advanced SIMD two-register miscellaneous (integer). The floating-point part
// is in simd_two_reg_misc_fp.go.
func simdTwoRegMisc() [][]rule {
	return [][]rule{
		enc(misc(lanes1(ir.OpAbs)), decoder.ABS_asimdmisc_R),
		enc(misc(lanes1(ir.OpNeg)), decoder.NEG_asimdmisc_R),
		enc(misc(lanes1(ir.OpCls)), decoder.CLS_asimdmisc_R),
		enc(misc(lanes1(ir.OpClz)), decoder.CLZ_asimdmisc_R),
		enc(miscBytes(ir.OpPopcnt), decoder.CNT_asimdmisc_R),
		enc(miscBytes(ir.OpNot), decoder.NOT_asimdmisc_R),
		enc(miscBytes(ir.OpRBit), decoder.RBIT_asimdmisc_R),
		enc(reverseIn(16), decoder.REV16_asimdmisc_R),
		enc(reverseIn(32), decoder.REV32_asimdmisc_R),
		enc(reverseIn(64), decoder.REV64_asimdmisc_R),

		enc(misc(compareZero(ir.EQ)), decoder.CMEQ_asimdmisc_Z),
		enc(misc(compareZero(ir.SGT)), decoder.CMGT_asimdmisc_Z),
		enc(misc(compareZero(ir.SGE)), decoder.CMGE_asimdmisc_Z),
		enc(misc(compareZero(ir.SLT)), decoder.CMLT_asimdmisc_Z),
		enc(misc(compareZero(ir.SLE)), decoder.CMLE_asimdmisc_Z),

		enc(miscSat(lanes1(ir.OpSQAbs)), decoder.SQABS_asimdmisc_R),
		enc(miscSat(lanes1(ir.OpSQNeg)), decoder.SQNEG_asimdmisc_R),
		enc(accumulateSat(ir.OpSUQAdd), decoder.SUQADD_asimdmisc_R),
		enc(accumulateSat(ir.OpUSQAdd), decoder.USQADD_asimdmisc_R),

		enc(addLongPairs(ir.OpSAddLP, false), decoder.SADDLP_asimdmisc_P),
		enc(addLongPairs(ir.OpUAddLP, false), decoder.UADDLP_asimdmisc_P),
		enc(addLongPairs(ir.OpSAddLP, true), decoder.SADALP_asimdmisc_P),
		enc(addLongPairs(ir.OpUAddLP, true), decoder.UADALP_asimdmisc_P),

		enc(extractNarrow(ir.OpVTrunc), decoder.XTN_asimdmisc_N),
		enc(extractNarrow(ir.OpSQXtN), decoder.SQXTN_asimdmisc_N),
		enc(extractNarrow(ir.OpUQXtN), decoder.UQXTN_asimdmisc_N),
		enc(extractNarrow(ir.OpSQXtUN), decoder.SQXTUN_asimdmisc_N),
		enc(shiftLeftLong, decoder.SHLL_asimdmisc_S),

		enc(estimate(ir.OpURecpE), decoder.URECPE_asimdmisc_R),
		enc(estimate(ir.OpURSqrtE), decoder.URSQRTE_asimdmisc_R),
	}
}

// misc is <op> <Vd>.<T>, <Vn>.<T>.
func misc(k unary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		t.setQ(i, k(t, ty, t.V(i.Rn(), ty)))
	}
}

// miscSat is the same for operations that saturate and keep zero.
func miscSat(k unary) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		t.SetV(i.Rd(), k(t, ty, t.lowIf(i, t.V(i.Rn(), ty))))
	}
}

// miscBytes is the same for bytes, where size is part of the opcode.
func miscBytes(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		t.setQ(i, t.op1(op, ir.V16I8, t.V(i.Rn(), ir.V16I8)))
	}
}

// reverseIn is REV16, REV32 and REV64: lanes in reverse order in each container.
func reverseIn(bits int) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		t.setQ(i, t.op2(ir.OpRev, ty, t.V(i.Rn(), ty), ir.Imm(bits)))
	}
}

func compareZero(c ir.Cond) unary {
	return func(t *Translator, ty ir.Type, a ir.Value) ir.Value {
		return t.op3(ir.OpICmp, ty, a, t.zero(ty), ir.Imm(int(c)))
	}
}

// accumulateSat is SUQADD and USQADD <Vd>.<T>, <Vn>.<T>.
func accumulateSat(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		d, n := t.lowIf(i, t.V(i.Rd(), ty)), t.lowIf(i, t.V(i.Rn(), ty))
		t.SetV(i.Rd(), t.op2(op, ty, d, n))
	}
}

// addLongPairs is SADDLP, UADDLP, SADALP and UADALP <Vd>.<Ta>, <Vn>.<Tb>.
func addLongPairs(op ir.Op, acc bool) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		wide := ty.Wider()
		v := t.op1(op, wide, t.V(i.Rn(), ty))
		if acc {
			v = t.op2(ir.OpAdd, wide, t.V(i.Rd(), wide), v)
		}
		t.setQ(i, v)
	}
}

// extractNarrow is XTN{2}, SQXTN{2}, UQXTN{2} and SQXTUN{2} <Vd>.<Tb>, <Vn>.<Ta>.
func extractNarrow(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		t.setNarrow(i, t.op1(op, ty, t.V(i.Rn(), ty.Wider())))
	}
}

// SHLL{2} <Vd>.<Ta>, <Vn>.<Tb>, #<esize>: every lane above a zero of its size.
func shiftLeftLong(t *Translator, i decoder.Inst) {
	ty := intVec(elemSize(i))
	zip := ir.OpZip1
	if quad(i) {
		zip = ir.OpZip2
	}
	t.SetV(i.Rd(), t.op2(zip, ty, t.zero(ty), t.V(i.Rn(), ty)))
}

// estimate is URECPE and URSQRTE <Vd>.<T>, <Vn>.<T>, T = 2S or 4S.
func estimate(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		t.setQ(i, t.op1(op, ir.V4I32, t.V(i.Rn(), ir.V4I32)))
	}
}
