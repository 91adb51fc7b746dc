package translate

import (
	"emu/decoder"
	"emu/ir"
)

// SVE2 cryptography: with vectors of 128 bits, that of Advanced SIMD. Of the destructive ones
// Zm is in bits 9:5.
func sve2Crypto() [][]rule {
	return [][]rule{
		enc(cryptoDN(ir.OpAESE, ir.V16I8), decoder.AESE_Z_ZZ_),
		enc(cryptoDN(ir.OpAESD, ir.V16I8), decoder.AESD_Z_ZZ_),
		enc(cryptoD(ir.OpAESMC), decoder.AESMC_Z_Z_),
		enc(cryptoD(ir.OpAESIMC), decoder.AESIMC_Z_Z_),
		enc(cryptoDN(ir.OpSM4E, ir.V4I32), decoder.SM4E_Z_ZZ_),
		enc(sm4Key, decoder.SM4EKEY_Z_ZZ_),
		enc(rax1, decoder.RAX1_Z_ZZ_),
	}
}

// cryptoD is AESMC, AESIMC <Zdn>.B, <Zdn>.B.
func cryptoD(op ir.Op) translateFunc {
	return func(t *Translator, i decoder.Inst) {
		t.SetV(i.Rd(), t.op1(op, ir.V16I8, t.V(i.Rd(), ir.V16I8)))
	}
}
