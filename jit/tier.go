package jit

import "fmt"

// Tier chooses how guest code runs.
type Tier int

// The tiers.
const (
	Auto   Tier = iota // tier 1 now; hot code goes to tier 2 once there is one
	Tier1              // one basic block a unit, compiled fast
	Interp             // the IR interpreter: slow, and the judge of the others
)

var tierNames = map[string]Tier{"auto": Auto, "1": Tier1, "interp": Interp}

// ParseTier reads the value of the -tier flag.
func ParseTier(s string) (Tier, error) {
	if t, ok := tierNames[s]; ok {
		return t, nil
	}
	return 0, fmt.Errorf("tier %q: want auto, 1 or interp (tier 2 does not exist yet)", s)
}
