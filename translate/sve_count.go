package translate

import (
	"emu/cpu"
	"emu/decoder"
	"emu/ir"
)

// SVE instructions that count: the elements of a vector, by a pattern a constant here, and
// those that are active in a predicate.
func sveCounts() [][]rule {
	return [][]rule{
		enc(cnt, decoder.CNTB_R_S_, decoder.CNTH_R_S_, decoder.CNTW_R_S_, decoder.CNTD_R_S_),
		enc(addVL(cpu.VectorBytes), decoder.ADDVL_R_RI_),
		enc(addVL(cpu.VectorBytes/8), decoder.ADDPL_R_RI_),
		enc(rdvl, decoder.RDVL_R_I_),
		enc(cntp, decoder.CNTP_R_P_P_),

		enc(incr(false, 64, ofPattern), decoder.INCB_R_RS_, decoder.INCH_R_RS_, decoder.INCW_R_RS_, decoder.INCD_R_RS_),
		enc(incr(true, 64, ofPattern), decoder.DECB_R_RS_, decoder.DECH_R_RS_, decoder.DECW_R_RS_, decoder.DECD_R_RS_),
		enc(saturate(signed, up, 32, ofPattern), decoder.SQINCB_R_RS_SX, decoder.SQINCH_R_RS_SX, decoder.SQINCW_R_RS_SX, decoder.SQINCD_R_RS_SX),
		enc(saturate(signed, down, 32, ofPattern), decoder.SQDECB_R_RS_SX, decoder.SQDECH_R_RS_SX, decoder.SQDECW_R_RS_SX, decoder.SQDECD_R_RS_SX),
		enc(saturate(unsigned, up, 32, ofPattern), decoder.UQINCB_R_RS_UW, decoder.UQINCH_R_RS_UW, decoder.UQINCW_R_RS_UW, decoder.UQINCD_R_RS_UW),
		enc(saturate(unsigned, down, 32, ofPattern), decoder.UQDECB_R_RS_UW, decoder.UQDECH_R_RS_UW, decoder.UQDECW_R_RS_UW, decoder.UQDECD_R_RS_UW),
		enc(saturate(signed, up, 64, ofPattern), decoder.SQINCB_R_RS_X, decoder.SQINCH_R_RS_X, decoder.SQINCW_R_RS_X, decoder.SQINCD_R_RS_X),
		enc(saturate(signed, down, 64, ofPattern), decoder.SQDECB_R_RS_X, decoder.SQDECH_R_RS_X, decoder.SQDECW_R_RS_X, decoder.SQDECD_R_RS_X),
		enc(saturate(unsigned, up, 64, ofPattern), decoder.UQINCB_R_RS_X, decoder.UQINCH_R_RS_X, decoder.UQINCW_R_RS_X, decoder.UQINCD_R_RS_X),
		enc(saturate(unsigned, down, 64, ofPattern), decoder.UQDECB_R_RS_X, decoder.UQDECH_R_RS_X, decoder.UQDECW_R_RS_X, decoder.UQDECD_R_RS_X),
		enc(incrVector(ir.OpAdd, ofPattern), decoder.INCH_Z_ZS_, decoder.INCW_Z_ZS_, decoder.INCD_Z_ZS_),
		enc(incrVector(ir.OpSub, ofPattern), decoder.DECH_Z_ZS_, decoder.DECW_Z_ZS_, decoder.DECD_Z_ZS_),
		enc(incrVector(ir.OpSQAdd.Quiet(), ofPattern), decoder.SQINCH_Z_ZS_, decoder.SQINCW_Z_ZS_, decoder.SQINCD_Z_ZS_),
		enc(incrVector(ir.OpSQSub.Quiet(), ofPattern), decoder.SQDECH_Z_ZS_, decoder.SQDECW_Z_ZS_, decoder.SQDECD_Z_ZS_),
		enc(incrVector(ir.OpUQAdd.Quiet(), ofPattern), decoder.UQINCH_Z_ZS_, decoder.UQINCW_Z_ZS_, decoder.UQINCD_Z_ZS_),
		enc(incrVector(ir.OpUQSub.Quiet(), ofPattern), decoder.UQDECH_Z_ZS_, decoder.UQDECW_Z_ZS_, decoder.UQDECD_Z_ZS_),

		enc(incr(false, 64, ofPredicate), decoder.INCP_R_P_R_),
		enc(incr(true, 64, ofPredicate), decoder.DECP_R_P_R_),
		enc(saturate(signed, up, 32, ofPredicate), decoder.SQINCP_R_P_R_SX),
		enc(saturate(signed, down, 32, ofPredicate), decoder.SQDECP_R_P_R_SX),
		enc(saturate(unsigned, up, 32, ofPredicate), decoder.UQINCP_R_P_R_UW),
		enc(saturate(unsigned, down, 32, ofPredicate), decoder.UQDECP_R_P_R_UW),
		enc(saturate(signed, up, 64, ofPredicate), decoder.SQINCP_R_P_R_X),
		enc(saturate(signed, down, 64, ofPredicate), decoder.SQDECP_R_P_R_X),
		enc(saturate(unsigned, up, 64, ofPredicate), decoder.UQINCP_R_P_R_X),
		enc(saturate(unsigned, down, 64, ofPredicate), decoder.UQDECP_R_P_R_X),
		enc(incrVector(ir.OpAdd, ofPredicate), decoder.INCP_Z_P_Z_),
		enc(incrVector(ir.OpSub, ofPredicate), decoder.DECP_Z_P_Z_),
		enc(incrVector(ir.OpSQAdd.Quiet(), ofPredicate), decoder.SQINCP_Z_P_Z_),
		enc(incrVector(ir.OpSQSub.Quiet(), ofPredicate), decoder.SQDECP_Z_P_Z_),
		enc(incrVector(ir.OpUQAdd.Quiet(), ofPredicate), decoder.UQINCP_Z_P_Z_),
		enc(incrVector(ir.OpUQSub.Quiet(), ofPredicate), decoder.UQDECP_Z_P_Z_),
	}
}

const (
	signed   = true
	unsigned = false
	up       = false
	down     = true
)

// counter says how many elements an instruction counts, at most 256, as I64.
type counter func(t *Translator, i decoder.Inst) ir.Value

// ofPattern are the elements of a pattern times an immediate.
func ofPattern(t *Translator, i decoder.Inst) ir.Value {
	n := decoder.DecodePredCount(i.Bits(9, 5), cpu.VectorBytes>>elemSize(i))
	return t.I64(uint64(n) * uint64(i.Bits(19, 16)+1))
}

// ofPredicate are the true elements of Pm.
func ofPredicate(t *Translator, i decoder.Inst) ir.Value {
	return t.Op1(ir.OpPopcnt, t.active(pn(i), elemSize(i))) // Pm's field is that of Pn elsewhere
}

// CNTB and its kind <Xd>{, <pattern>{, MUL #imm}}
func cnt(t *Translator, i decoder.Inst) { t.SetX(i.Rd(), ofPattern(t, i)) }

// vlImm is the signed immediate of ADDVL, ADDPL and RDVL.
func vlImm(i decoder.Inst) int64 { return decoder.SignExtend(i.Bits(10, 5), 6) }

// addVL is ADDVL, ADDPL <Xd|SP>, <Xn|SP>, #imm in units of so many bytes.
func addVL(unit int64) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		t.SetXSP(i.Rd(), t.AddI(t.XSP(i.Rm()), uint64(vlImm(i)*unit))) // Rn lies where Rm does elsewhere
	}
}

// RDVL <Xd>, #imm
func rdvl(t *Translator, i decoder.Inst) {
	t.SetX(i.Rd(), t.I64(uint64(vlImm(i)*cpu.VectorBytes)))
}

// CNTP <Xd>, <Pg>, <Pn>.<T>
func cntp(t *Translator, i decoder.Inst) {
	v := t.elements(t.And(t.P(pg4(i)), t.P(pn(i))), elemSize(i))
	t.SetX(i.Rd(), t.Op1(ir.OpPopcnt, v))
}

// incr is INC, DEC <Xdn>, ...
func incr(dec bool, _ uint, n counter) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		v, by := t.X(i.Rd()), n(t, i)
		if dec {
			t.SetX(i.Rd(), t.Sub(v, by))
		} else {
			t.SetX(i.Rd(), t.Add(v, by))
		}
	}
}

// saturate is SQINC, SQDEC, UQINC, UQDEC <Xdn> of 32 or 64 bits; the result is extended.
func saturate(isSigned, dec bool, width uint, n counter) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		wide := width == 64
		v, by := t.R(wide, i.Rd()), n(t, i)
		if !wide {
			by = t.Trunc(ir.I32, by)
		}
		end := greatest(wide, isSigned)
		var sum, over ir.Value
		switch {
		case dec:
			sum = t.Sub(v, by)
			end++ // the least number
			over = t.ICmp(map[bool]ir.Cond{signed: ir.SGT, unsigned: ir.UGT}[isSigned], sum, v)
		default:
			sum = t.Add(v, by)
			over = t.ICmp(map[bool]ir.Cond{signed: ir.SLT, unsigned: ir.ULT}[isSigned], sum, v)
		}
		v = t.Select(over, t.Like(v, end), sum)
		if isSigned {
			v = t.Sext(ir.I64, v)
		}
		t.SetR(i.Rd(), v)
	}
}

// incrVector is the same of the lanes of Zdn.
func incrVector(op ir.Op, n counter) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		ty := intVec(elemSize(i))
		by := t.VDup(t.Trunc(ty.Lane(), n(t, i)))
		t.SetV(i.Rd(), t.op2(op, ty, t.V(i.Rd(), ty), by))
	}
}
