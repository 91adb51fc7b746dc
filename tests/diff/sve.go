package diff

import (
	"math/rand/v2"
	"strings"

	"emu/cpu"
	"emu/decoder"
)

// OfSVE reports whether an encoding is one of SVE.
func OfSVE(op decoder.Op) bool { return op.Class() >= decoder.ClassSVE }

// predicates gives the state random predicate registers: all true or false, the first
// elements only, noise, and noise of elements with nothing in between. FFR is what loads leave
// there, the first elements.
func predicates(s *State, r *rand.Rand) {
	elements := [...]uint16{0xffff, 0x5555, 0x1111, 0x0101}[r.IntN(4)]
	for n := range cpu.NumP {
		switch r.IntN(8) {
		case 0, 1:
			s.P[n] = 0xffff
		case 2:
			s.P[n] = 0
		case 3:
			s.P[n] = uint16(1<<r.IntN(17) - 1)
		case 4:
			s.P[n] = uint16(r.Uint32())
		case 5:
			s.P[n] = uint16(1<<r.IntN(17)-1) & elements
		default:
			s.P[n] = uint16(r.Uint32()) & elements
		}
	}
	s.P[cpu.NumP] = uint16(1<<r.IntN(17) - 1)
}

// SVEVectors is Vectors for an encoding of SVE.
func SVEVectors(op decoder.Op, n int, r *rand.Rand) []Case {
	cases := make([]Case, 0, n)
	for len(cases) < n {
		i := decoder.Decode(nearWord(decoder.RandomWord(op, r.Uint32), r))
		if strings.HasSuffix(op.Group(), "_ss") && i.Rn() == i.Rm() && i.Rm() != 31 { // cannot be pointed at the memory
			continue
		}
		fpcr := randomFPCR(r)
		for range min(perWord, n-len(cases)) {
			c := Case{Words: []uint32{i.Word}, In: RandomState(r)}
			SIMDCorners(&c.In, r)
			integers(&c.In, r)
			c.In.FPCR = fpcr
			predicates(&c.In, r)
			whileOperands(i, &c.In, r)
			accessOperands(i, &c.In, r)
			cases = append(cases, c)
		}
	}
	return cases
}

// nearWord makes the position of an EXT mostly one in a vector of 128 bits.
func nearWord(w uint32, r *rand.Rand) uint32 {
	switch decoder.Decode(w).Op {
	case decoder.EXT_Z_ZI_DES, decoder.EXT_Z_ZI_CON:
		if r.IntN(4) != 0 {
			w &^= 0xf << 17
		}
	}
	return w
}

// integers mostly leaves the vectors as they are, and sometimes fills them with the numbers that
// integers like: corners, lanes that saturate, and amounts of shifts.
func integers(s *State, r *rand.Rand) {
	esize := 8 << r.IntN(4)
	least := uint64(1) << (esize - 1)
	var lane func() uint64
	switch r.IntN(8) {
	case 0, 1:
		esize, lane = 64, func() uint64 { return Corner(r) }
	case 2:
		lane = func() uint64 { return [...]uint64{least, least, least - 1, ^uint64(0), 0, least + 1, 1}[r.IntN(7)] }
	case 3:
		lane = func() uint64 { return uint64(r.IntN(2*esize+8) - esize - 4) }
	default:
		return
	}
	for n := range s.V {
		for half := range s.V[n] {
			s.V[n][half] = 0
			for at := 0; at < 64; at += esize {
				s.V[n][half] |= lane() & (^uint64(0) >> (64 - esize)) << at
			}
		}
	}
}

// whileOperands makes the numbers that a WHILE compares mostly neighbours.
func whileOperands(i decoder.Inst, s *State, r *rand.Rand) {
	if !strings.HasPrefix(i.Op.String(), "WHILE") || i.Rn() == 31 || i.Rm() == 31 || r.IntN(8) == 0 {
		return
	}
	s.X[i.Rm()] = s.X[i.Rn()] + uint64(r.IntN(41)) - 20
	if r.IntN(4) == 0 {
		s.X[i.Rm()] += uint64(r.Uint32()) << 32
	}
}
