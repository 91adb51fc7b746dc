package translate

import (
	"emu/decoder"
	"emu/ir"
)

// SVE2 additions with carry, of numbers longer than a lane.
func sve2Carry() [][]rule {
	return [][]rule{
		enc(addCarry(false), decoder.ADCLB_Z_ZZZ_, decoder.ADCLT_Z_ZZZ_),
		enc(addCarry(true), decoder.SBCLB_Z_ZZZ_, decoder.SBCLT_Z_ZZZ_),
	}
}

// addCarry is ADCLB and its kind <Zda>.<T>, <Zn>.<T>, <Zm>.<T>: the bottom elements of Zda plus
// those of Zn, or the top ones, or plus their complements, plus bit 0 of the top elements of
// Zm. The sums go to the bottom elements, the carries to the top ones.
func addCarry(sub bool) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		wide := ir.V2I64
		d, n, m := t.V(i.Rd(), wide), t.V(i.Rn(), wide), t.V(i.Rm(), wide)
		if i.Bit(22) == 1 {
			t.SetV(i.Rd(), t.addCarry64(i, sub, d, n, m))
			return
		}
		// Words have the place of their carry above them.
		low := t.splat(wide, 1<<32-1)
		n = t.extendPart(wide, part{n, isTop(i)}, false)
		if sub {
			n = t.Xor(n, low)
		}
		carry := t.And(t.LShrI(m, 32), t.splat(wide, 1))
		t.SetV(i.Rd(), t.Add(t.Add(t.And(d, low), n), carry))
	}
}

// addCarry64 computes the sum of 64 bits, and its carry, which is that out of the top bit: both
// operands have it, or one has and the sum has not.
func (t *Translator) addCarry64(i decoder.Inst, sub bool, d, n, m ir.Value) ir.Value {
	wide := ir.V2I64
	if isTop(i) {
		n = t.op1(ir.OpVHigh, wide, n)
	}
	if sub {
		n = t.Not(n)
	}
	carry := t.And(t.op1(ir.OpVHigh, wide, m), t.splat(wide, 1))
	sum := t.Add(t.Add(d, n), carry)
	out := t.Or(t.And(d, n), t.AndNot(t.Or(d, n), sum))
	return t.op2(ir.OpVCombine, wide, sum, t.LShrI(out, 63))
}
