package translate

import (
	"emu/decoder"
	"emu/ir"
)

// Cryptographic extensions: AES, SHA-1, SHA-256, SHA-512, SHA-3, SM3 and SM4.
// PMULL is with the three-different forms.
func crypto() [][]rule {
	return [][]rule{
		enc(cryptoDN(ir.OpAESE, ir.V16I8), decoder.AESE_B_cryptoaes),
		enc(cryptoDN(ir.OpAESD, ir.V16I8), decoder.AESD_B_cryptoaes),
		enc(cryptoN(ir.OpAESMC), decoder.AESMC_B_cryptoaes),
		enc(cryptoN(ir.OpAESIMC), decoder.AESIMC_B_cryptoaes),

		enc(sha1Hash(ir.OpSHA1C), decoder.SHA1C_QSV_cryptosha3),
		enc(sha1Hash(ir.OpSHA1P), decoder.SHA1P_QSV_cryptosha3),
		enc(sha1Hash(ir.OpSHA1M), decoder.SHA1M_QSV_cryptosha3),
		enc(sha1FixedRotate, decoder.SHA1H_SS_cryptosha2),
		enc(cryptoDNM(ir.OpSHA1SU0, ir.V4I32), decoder.SHA1SU0_VVV_cryptosha3),
		enc(cryptoDN(ir.OpSHA1SU1, ir.V4I32), decoder.SHA1SU1_VV_cryptosha2),
		enc(cryptoDNM(ir.OpSHA256H, ir.V4I32), decoder.SHA256H_QQV_cryptosha3),
		enc(cryptoDNM(ir.OpSHA256H2, ir.V4I32), decoder.SHA256H2_QQV_cryptosha3),
		enc(cryptoDN(ir.OpSHA256SU0, ir.V4I32), decoder.SHA256SU0_VV_cryptosha2),
		enc(cryptoDNM(ir.OpSHA256SU1, ir.V4I32), decoder.SHA256SU1_VVV_cryptosha3),
		enc(cryptoDNM(ir.OpSHA512H, ir.V2I64), decoder.SHA512H_QQV_cryptosha512_3),
		enc(cryptoDNM(ir.OpSHA512H2, ir.V2I64), decoder.SHA512H2_QQV_cryptosha512_3),
		enc(cryptoDN(ir.OpSHA512SU0, ir.V2I64), decoder.SHA512SU0_VV2_cryptosha512_2),
		enc(cryptoDNM(ir.OpSHA512SU1, ir.V2I64), decoder.SHA512SU1_VVV2_cryptosha512_3),

		enc(eor3, decoder.EOR3_VVV16_crypto4),
		enc(bcax, decoder.BCAX_VVV16_crypto4),
		enc(rax1, decoder.RAX1_VVV2_cryptosha512_3),
		enc(xar, decoder.XAR_VVV2_crypto3_imm6),

		enc(sm3SS1, decoder.SM3SS1_VVV4_crypto4),
		enc(sm3Round(ir.OpSM3TT1A), decoder.SM3TT1A_VVV4_crypto3_imm2),
		enc(sm3Round(ir.OpSM3TT1B), decoder.SM3TT1B_VVV4_crypto3_imm2),
		enc(sm3Round(ir.OpSM3TT2A), decoder.SM3TT2A_VVV4_crypto3_imm2),
		enc(sm3Round(ir.OpSM3TT2B), decoder.SM3TT2B_VVV_crypto3_imm2),
		enc(cryptoDNM(ir.OpSM3PartW1, ir.V4I32), decoder.SM3PARTW1_VVV4_cryptosha512_3),
		enc(cryptoDNM(ir.OpSM3PartW2, ir.V4I32), decoder.SM3PARTW2_VVV4_cryptosha512_3),
		enc(cryptoDN(ir.OpSM4E, ir.V4I32), decoder.SM4E_VV4_cryptosha512_2),
		enc(sm4Key, decoder.SM4EKEY_VVV4_cryptosha512_3),
	}
}

// cryptoN is <op> <Vd>, <Vn>.
func cryptoN(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		t.SetV(i.Rd(), t.op1(op, ir.V16I8, t.V(i.Rn(), ir.V16I8)))
	}
}

// cryptoDN is <op> <Vd>, <Vn> where Vd is a source as well.
func cryptoDN(op ir.Op, ty ir.Type) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		t.SetV(i.Rd(), t.op2(op, ty, t.V(i.Rd(), ty), t.V(i.Rn(), ty)))
	}
}

// cryptoDNM is <op> <Vd>, <Vn>, <Vm> where Vd is a source as well.
func cryptoDNM(op ir.Op, ty ir.Type) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		t.SetV(i.Rd(), t.op3(op, ty, t.V(i.Rd(), ty), t.V(i.Rn(), ty), t.V(i.Rm(), ty)))
	}
}

// sha1Hash is SHA1C, SHA1P and SHA1M <Qd>, <Sn>, <Vm>.4S.
func sha1Hash(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		e := t.VGet(t.V(i.Rn(), ir.V4I32), 0)
		t.SetV(i.Rd(), t.op3(op, ir.V4I32, t.V(i.Rd(), ir.V4I32), e, t.V(i.Rm(), ir.V4I32)))
	}
}

// SHA1H <Sd>, <Sn>: rotated left by 30.
func sha1FixedRotate(t *Translator, i decoder.Inst) {
	t.SetV(i.Rd(), t.op2(ir.OpRor, ir.V4I32, t.vecLane0(i.Rn(), ir.V4I32), ir.Imm(2)))
}

// EOR3 <Vd>.16B, <Vn>.16B, <Vm>.16B, <Va>.16B
func eor3(t *Translator, i decoder.Inst) {
	v := t.Xor(t.V(i.Rn(), ir.V16I8), t.V(i.Rm(), ir.V16I8))
	t.SetV(i.Rd(), t.Xor(v, t.V(i.Ra(), ir.V16I8)))
}

// BCAX <Vd>.16B, <Vn>.16B, <Vm>.16B, <Va>.16B
func bcax(t *Translator, i decoder.Inst) {
	v := t.AndNot(t.V(i.Rm(), ir.V16I8), t.V(i.Ra(), ir.V16I8))
	t.SetV(i.Rd(), t.Xor(t.V(i.Rn(), ir.V16I8), v))
}

// RAX1 <Vd>.2D, <Vn>.2D, <Vm>.2D
func rax1(t *Translator, i decoder.Inst) {
	v := t.RorI(t.V(i.Rm(), ir.V2I64), 63)
	t.SetV(i.Rd(), t.Xor(t.V(i.Rn(), ir.V2I64), v))
}

// XAR <Vd>.2D, <Vn>.2D, <Vm>.2D, #<imm6>
func xar(t *Translator, i decoder.Inst) {
	v := t.Xor(t.V(i.Rn(), ir.V2I64), t.V(i.Rm(), ir.V2I64))
	t.SetV(i.Rd(), t.RorI(v, int(i.Bits(15, 10))))
}

// SM3SS1 <Vd>.4S, <Vn>.4S, <Vm>.4S, <Va>.4S
func sm3SS1(t *Translator, i decoder.Inst) {
	n, m, a := t.V(i.Rn(), ir.V4I32), t.V(i.Rm(), ir.V4I32), t.V(i.Ra(), ir.V4I32)
	t.SetV(i.Rd(), t.op3(ir.OpSM3SS1, ir.V4I32, n, m, a))
}

// sm3Round is SM3TT1A and alike <Vd>.4S, <Vn>.4S, <Vm>.S[<imm2>].
func sm3Round(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		m := t.op2(ir.OpVDupL, ir.V4I32, t.V(i.Rm(), ir.V4I32), ir.Imm(int(i.Bits(13, 12))))
		t.SetV(i.Rd(), t.op3(op, ir.V4I32, t.V(i.Rd(), ir.V4I32), t.V(i.Rn(), ir.V4I32), m))
	}
}

// SM4EKEY <Vd>.4S, <Vn>.4S, <Vm>.4S
func sm4Key(t *Translator, i decoder.Inst) {
	t.SetV(i.Rd(), t.op2(ir.OpSM4EKey, ir.V4I32, t.V(i.Rn(), ir.V4I32), t.V(i.Rm(), ir.V4I32)))
}
