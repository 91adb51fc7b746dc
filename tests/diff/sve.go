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
		i := decoder.Decode(decoder.RandomWord(op, r.Uint32))
		fpcr := randomFPCR(r)
		for range min(perWord, n-len(cases)) {
			c := Case{Words: []uint32{i.Word}, In: RandomState(r)}
			SIMDCorners(&c.In, r)
			if r.IntN(4) == 0 { // the numbers that integers like
				for n := range c.In.V {
					c.In.V[n] = [2]uint64{Corner(r), Corner(r)}
				}
			}
			c.In.FPCR = fpcr
			predicates(&c.In, r)
			whileOperands(i, &c.In, r)
			cases = append(cases, c)
		}
	}
	return cases
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
