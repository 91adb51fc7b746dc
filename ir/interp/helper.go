package interp

import (
	"fmt"
	"math/rand/v2"

	"emu/cpu"
	"emu/internal/a64crypto"
	"emu/ir"
)

// Helper evaluates HELPER for all engines.
func Helper(s *cpu.State, id ir.HelperID, a, b uint64) uint64 {
	switch id {
	case ir.HelperCheckTags:
		const write = 1 << 63
		return s.CheckTags(a, b&^write, b&write != 0)
	case ir.HelperFaults:
		e := ir.UnpackElements(b)
		return s.Faults(a, e.Count, e.Size, e.Step, e.Tags)
	case ir.HelperRandomTag:
		return cpu.RandomTag(rand.Uint64(), s.TagExclude|b) << cpu.TagShift
	case ir.HelperNextTag:
		return cpu.NextTag(a>>cpu.TagShift, b, s.TagExclude) << cpu.TagShift
	}
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
