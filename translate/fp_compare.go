package translate

import (
	"emu/decoder"
	"emu/ir"
)

// Floating-point compare, conditional compare and conditional select. The E
// forms raise Invalid Operation for quiet NaNs too.
func fpCompare() [][]rule {
	return [][]rule{
		enc(fcmp(false), decoder.FCMP_H_floatcmp, decoder.FCMP_S_floatcmp, decoder.FCMP_D_floatcmp),
		enc(fcmp(true), decoder.FCMPE_H_floatcmp, decoder.FCMPE_S_floatcmp, decoder.FCMPE_D_floatcmp),
		enc(fcmpZero(false), decoder.FCMP_HZ_floatcmp, decoder.FCMP_SZ_floatcmp, decoder.FCMP_DZ_floatcmp),
		enc(fcmpZero(true), decoder.FCMPE_HZ_floatcmp, decoder.FCMPE_SZ_floatcmp, decoder.FCMPE_DZ_floatcmp),
		enc(fccmp(false), decoder.FCCMP_H_floatccmp, decoder.FCCMP_S_floatccmp, decoder.FCCMP_D_floatccmp),
		enc(fccmp(true), decoder.FCCMPE_H_floatccmp, decoder.FCCMPE_S_floatccmp, decoder.FCCMPE_D_floatccmp),
		enc(fcsel, decoder.FCSEL_H_floatsel, decoder.FCSEL_S_floatsel, decoder.FCSEL_D_floatsel),
	}
}

// compareFlags is the flags of a compare of Rn with m.
func (t *Translator) compareFlags(i decoder.Inst, m ir.Value, signal bool) ir.Value {
	s := ir.Imm(0)
	if signal {
		s = ir.Imm(1)
	}
	return t.op3(ir.OpFCmpF, ir.Flags, t.V(i.Rn(), fpType(i)), m, s)
}

// fcmp is FCMP and FCMPE <V><n>, <V><m>.
func fcmp(signal bool) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		t.SetNZCV(t.compareFlags(i, t.V(i.Rm(), fpType(i)), signal))
	}
}

// fcmpZero is FCMP and FCMPE <V><n>, #0.0.
func fcmpZero(signal bool) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		t.SetNZCV(t.compareFlags(i, t.Const(fpType(i), 0), signal))
	}
}

// holds is the truth of the A64 condition in bits 15:12.
func (t *Translator) holds(i decoder.Inst) ir.Value {
	return t.op2(ir.OpFlagCond, ir.I1, t.GetNZCV(), ir.Imm(int(i.Bits(15, 12))))
}

// fccmp is FCCMP and FCCMPE <V><n>, <V><m>, #<nzcv>, <cond>. The compare is in an
// arm of its own: when the condition fails it must not raise exceptions.
func fccmp(signal bool) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		if i.Bits(15, 13) == 7 { // AL, NV
			fcmp(signal)(t, i)
			return
		}
		m := t.V(i.Rm(), fpType(i))
		t.If(t.holds(i))
		t.Yield(t.compareFlags(i, m, signal))
		t.Else()
		t.Yield(t.Const(ir.Flags, uint64(i.Bits(3, 0))))
		t.SetNZCV(t.End())
	}
}

// FCSEL <V><d>, <V><n>, <V><m>, <cond>
func fcsel(t *Translator, i decoder.Inst) {
	ty := fpType(i)
	t.SetV(i.Rd(), t.Select(t.holds(i), t.V(i.Rn(), ty), t.V(i.Rm(), ty)))
}
