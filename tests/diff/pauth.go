package diff

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"emu/cpu"
	"emu/decoder"
	"emu/internal/a64crypto"
)

// Keys are those of pointer authentication, as cpu.State.APKeys has them.
type Keys = [cpu.NumAPKeys][2]uint64

// Keyed reports whether the encoding signs or authenticates pointers.
func Keyed(op decoder.Op) bool {
	return strings.Contains(op.Features(), "FEAT_PAuth") && !strings.HasPrefix(op.String(), "XPAC")
}

// WithKeys is the same Engine for a guest with these keys.
func (e *Engine) WithKeys(keys *Keys) *Engine {
	other := *e
	other.keys = keys
	return &other
}

// Under is the same Emulator, with the guest that executes the cases executed by another
// guest program, whose last argument it is.
func (e *Emulator) Under(program ...string) *Emulator {
	return &Emulator{e.argv, append(program, e.runner...)}
}

// QemuKeys finds out the keys of a guest under qemu-aarch64 -seed N: the first that a
// pointer was signed with by key IA, to signed, among those that qemu's generator of
// random numbers can have given it at its start.
func QemuKeys(seed uint64, auth a64crypto.PointerAuth, pointer, modifier, signed uint64) (*Keys, error) {
	const words = 4096 // what else the start may have taken
	rng := newTwister(seed)
	var stream [words]uint32
	for n := range stream {
		stream[n] = rng.next()
	}
	long := func(n int) uint64 { return uint64(stream[n]) | uint64(stream[n+1])<<32 }
	for at := range words - 4*cpu.NumAPKeys {
		if auth.Add(pointer, modifier, a64crypto.PACKey{Lo: long(at), Hi: long(at + 2)}) != signed {
			continue
		}
		keys := new(Keys)
		for k := range keys {
			keys[k] = [2]uint64{long(at + 4*k), long(at + 4*k + 2)}
		}
		return keys, nil
	}
	return nil, fmt.Errorf("no key among the first %d random words signs %#x as %#x", words, pointer, signed)
}

// twister is the generator MT19937 (Matsumoto and Nishimura, Mersenne Twister, ACM TOMACS
// 1998; seeding by an array: their version of 2002), of which qemu takes its numbers.
type twister struct {
	state [624]uint32
	index int
}

func newTwister(seed uint64) *twister {
	m := new(twister)
	s := &m.state
	s[0] = 19650218
	for n := 1; n < len(s); n++ {
		s[n] = 1812433253*(s[n-1]^s[n-1]>>30) + uint32(n)
	}
	key := [2]uint32{uint32(seed), uint32(seed >> 32)}
	i, j := 1, 0
	step := func() {
		if i++; i == len(s) {
			s[0] = s[len(s)-1]
			i = 1
		}
	}
	for range s {
		s[i] = (s[i] ^ (s[i-1]^s[i-1]>>30)*1664525) + key[j] + uint32(j)
		j = (j + 1) % len(key)
		step()
	}
	for range len(s) - 1 {
		s[i] = (s[i] ^ (s[i-1]^s[i-1]>>30)*1566083941) - uint32(i)
		step()
	}
	s[0] = 1 << 31
	m.index = len(s)
	return m
}

func (m *twister) next() uint32 {
	s := &m.state
	if m.index == len(s) {
		for n := range s {
			y := s[n]&(1<<31) | s[(n+1)%len(s)]&(1<<31-1)
			s[n] = s[(n+397)%len(s)] ^ y>>1 ^ -(y&1)&0x9908b0df
		}
		m.index = 0
	}
	y := s[m.index]
	m.index++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

// KeyedVectors returns n cases of an encoding that signs or authenticates, with pointers
// of user and kernel, canonical and not. Half of those that authenticate get what the
// instruction before them has signed.
func KeyedVectors(op decoder.Op, n int, r *rand.Rand) []Case {
	const unmapped = 0x3_0000_0000
	var cases []Case
	for len(cases) < n {
		c := RandomCase(op, r)
		i := decoder.Decode(c.Words[0])
		in := &c.In
		for _, reg := range []uint32{i.Rd(), i.Rn(), 17, 30} {
			if reg < 31 {
				in.X[reg] = pointer(r)
			}
			if reg == 31 {
				continue
			}
			switch op.Group() { // one in 128 authenticates
			case "branch_reg":
				in.X[reg] &^= 3
			case "ldst_pac":
				in.X[reg] = in.X[reg]>>48<<48 | unmapped
			}
		}
		if signer, reg, ok := signerOf(i); ok && r.IntN(2) == 0 {
			switch group := op.Group(); group {
			case "branch_reg":
				in.X[reg] = CodePage + uint64(r.IntN(500))*4 // not a case's own words
			case "ldst_pac":
				in.X[reg] = MemBase + 512
			}
			if r.IntN(8) == 0 {
				in.X[reg] |= uint64(r.IntN(128)) << 56
			}
			c.Words = []uint32{signer, i.Word}
		}
		cases = append(cases, c)
	}
	return cases
}

func pointer(r *rand.Rand) uint64 {
	p := r.Uint64()
	switch r.IntN(4) {
	case 0:
		return p & (1<<48 - 1)
	case 1:
		return p | 0xffff<<48
	case 2:
		return p &^ (0xff << 48)
	}
	return p
}

// signsWrong reports that qemu signs a pointer otherwise than the Arm ARM, whose AddPAC
// extends it by bit 55 where TCR_EL1.TBI0 or TBI1 is set, and qemu by bit 63 where the top
// byte of this very pointer is not ignored: pointers of the kernel with bit 63 clear.
func signsWrong(i decoder.Inst, in *State) bool {
	name, _, _ := strings.Cut(i.Op.String(), "_")
	if !strings.HasPrefix(name, "PAC") || name == "PACGA" {
		return false
	}
	reg := i.Rd()
	if i.Op.Group() == "hints" {
		reg = 30
		if strings.HasSuffix(name, "1716") {
			reg = 17
		}
	}
	return reg != 31 && in.X[reg]>>55&1 == 1 && in.X[reg]>>63 == 0
}

// signerOf is the instruction that signs what i authenticates, and the register in which
// the pointer is; ok is false if i does not authenticate, or what no instruction signs.
func signerOf(i decoder.Inst) (word, reg uint32, ok bool) {
	const pac = 0xdac10000 // PACIA, with the key in bits 11:10, and Z, a zero modifier, in bit 13
	const zero = 1<<13 | 31<<5
	switch name := i.Op.String(); {
	case strings.HasPrefix(name, "AUT") && i.Op.Group() == "hints":
		reg = 30
		if strings.Contains(name, "1716") {
			reg = 17
		}
		return i.Word &^ (1 << 7), reg, true
	case strings.HasPrefix(name, "AUT"):
		return i.Word &^ (1 << 12), i.Rd(), i.Rd() != 31
	case strings.HasPrefix(name, "RETA"):
		return 0xd503233f | i.Bit(10)<<6, 30, true // PACIASP, PACIBSP
	case strings.HasPrefix(name, "LDRA"):
		return pac | (2+i.Bit(23))<<10 | zero | i.Rn(), i.Rn(), i.Rn() != 31
	case strings.HasPrefix(name, "BRA"), strings.HasPrefix(name, "BLRA"):
		modifier := uint32(zero)
		if i.Bit(24) == 1 {
			modifier = i.Rd() << 5
		}
		return pac | i.Bit(10)<<10 | modifier | i.Rn(), i.Rn(), i.Rn() != 31
	}
	return 0, 0, false
}
