package translate

import (
	"emu/decoder"
	"emu/ir"
)

// Flag manipulation (FEAT_FlagM, FEAT_FlagM2). The flags are taken apart and put
// together in the form of MRS NZCV: N bit 31, Z 30, C 29, V 28.

func flagRules() []rule {
	return []rule{
		{decoder.RMIF_only_rmif, rmif},
		{decoder.SETF8_only_setf, setf(8)},
		{decoder.SETF16_only_setf, setf(16)},
		{decoder.CFINV_M_pstate, cfinv},
		{decoder.AXFLAG_M_pstate, axflag},
		{decoder.XAFLAG_M_pstate, xaflag},
	}
}

const (
	bitN = 31
	bitZ = 30
	bitC = 29
	bitV = 28
)

func (t *Translator) packed() ir.Value { return t.Op1(ir.OpPackF, t.GetNZCV()) }

func (t *Translator) setPacked(v ir.Value) { t.SetNZCV(t.Op1(ir.OpUnpackF, v)) }

// RMIF <Xn>, #shift, #mask: bits 3:0 of Xn rotated right replace the flags that
// the mask names.
func rmif(t *Translator, i decoder.Inst) {
	mask := uint64(i.Bits(3, 0)) << bitV
	v := t.ShlI(t.RorI(t.X(i.Rn()), int(i.Bits(20, 15))), bitV)
	if mask != 15<<bitV {
		v = t.Or(t.AndI(v, mask), t.AndI(t.packed(), 15<<bitV&^mask))
	}
	t.setPacked(v)
}

// SETF8, SETF16 <Wn>: N and Z of the low bits, V where the bit above the sign
// differs from it, C unchanged.
func setf(bits int) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		n := t.X(i.Rn())
		sign := t.AndI(t.ShlI(n, bitN-(bits-1)), 1<<bitN)
		low := t.AndI(n, 1<<bits-1)
		zero := t.ShlI(t.Zext(ir.I64, t.ICmp(ir.EQ, low, ir.Imm(0))), bitZ)
		differ := t.Xor(t.LShrI(n, bits), t.LShrI(n, bits-1))
		over := t.AndI(t.ShlI(differ, bitV), 1<<bitV)
		carry := t.AndI(t.packed(), 1<<bitC)
		t.setPacked(t.Or(t.Or(sign, zero), t.Or(over, carry)))
	}
}

// CFINV
func cfinv(t *Translator, _ decoder.Inst) {
	t.setPacked(t.XorI(t.packed(), 1<<bitC))
}

// AXFLAG: Arm to alternative format. Z := Z | V, C := C & ~V, N := V := 0.
func axflag(t *Translator, _ decoder.Inst) {
	p := t.packed()
	zero := t.Or(p, t.ShlI(p, bitZ-bitV))
	carry := t.AndNot(p, t.ShlI(p, bitC-bitV))
	t.setPacked(t.Or(t.AndI(zero, 1<<bitZ), t.AndI(carry, 1<<bitC)))
}

// XAFLAG: alternative to Arm format. N := ~C & ~Z, Z := Z & C, C := C | Z,
// V := ~C & Z.
func xaflag(t *Translator, _ decoder.Inst) {
	p := t.packed()
	c, z := t.LShrI(p, bitC), t.LShrI(p, bitZ)
	n := t.Not(t.Or(c, z))
	bit := func(v ir.Value, n int) ir.Value { return t.ShlI(t.AndI(v, 1), n) }
	v := t.Or(bit(n, bitN), bit(t.And(z, c), bitZ))
	t.setPacked(t.Or(v, t.Or(bit(t.Or(c, z), bitC), bit(t.AndNot(z, c), bitV))))
}
