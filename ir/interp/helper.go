package interp

import (
	"fmt"

	"emu/cpu"
	"emu/internal/a64crypto"
	"emu/ir"
)

// Helper evaluates HELPER for all engines.
func Helper(s *cpu.State, id ir.HelperID, a, b uint64) uint64 {
	first := ir.HelperQARMA5
	if id >= ir.HelperQARMA3 {
		first = ir.HelperQARMA3
	}
	if id-first >= cpu.NumAPKeys {
		panic(fmt.Sprintf("BUG: interp: there is no helper %d", id))
	}
	key := s.APKeys[id-first]
	auth := a64crypto.PointerAuth{QARMA3: first == ir.HelperQARMA3}
	return auth.ComputePAC(a, b, a64crypto.PACKey{Lo: key[0], Hi: key[1]})
}
