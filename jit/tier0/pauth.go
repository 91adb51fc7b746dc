package tier0

import (
	"emu/cpu"
	"emu/decoder"
	"emu/internal/a64crypto"
)

// What compilers sign return addresses with, for addresses of user space without a top byte and codes that are right;
// others are declined.

// pacBits are the bits of an address that are its code.
const pacBits = 0x7f << 48

// code is what a key makes of the address ptr for SP, 0 if the key is off, and where codes are.
func code(s *cpu.State, ptr uint64, key int) (code, mask uint64) {
	k := s.APKeys[key]
	mask = pacBits & s.PACEnabled[key]
	return a64crypto.PointerAuth{Fast: true}.ComputePAC(ptr, s.X[cpu.SP], a64crypto.PACKey{Lo: k[0], Hi: k[1]}) & mask, mask
}

// PACIASP, PACIBSP
func sign(key int) execFn {
	return func(m *Machine, s *cpu.State, _ decoder.Inst) {
		if !m.FastPAC || s.X[30]>>48 != 0 {
			m.declined = true
			return
		}
		c, _ := code(s, s.X[30], key)
		s.X[30] ^= c
	}
}

// AUTIASP, AUTIBSP
func authenticate(key int) execFn {
	return func(m *Machine, s *cpu.State, _ decoder.Inst) {
		ptr := s.X[30] &^ pacBits
		c, mask := code(s, ptr, key)
		result := s.X[30] ^ c
		if !m.FastPAC || ptr>>48 != 0 || result&mask != 0 {
			m.declined = true
			return
		}
		s.X[30] = result
	}
}
