package jit

import (
	"fmt"

	"emu/ir/opt"
)

// Tier chooses how guest code runs.
type Tier int

// The tiers.
const (
	Auto          Tier = iota // tier 1, and tier 2 for what is hot
	Tier1                     // one basic block a unit, compiled fast
	Tier2                     // regions with all passes, at the first execution
	Interp                    // the IR interpreter: slow, and the judge of the others
	InterpRegions             // the interpreter on the regions and passes of tier 2
)

// plan is how units are made: the row of a tier.
type plan struct {
	region   bool       // whole loops and functions instead of basic blocks
	passes   []opt.Pass // over the IR
	count    bool       // the code counts its executions
	template bool       // without IR, if the backend has templates for all of the unit
}

var (
	irPlan      = plan{}
	blockPlan   = plan{template: true}
	countedPlan = plan{count: true, template: true}
	regionPlan  = plan{region: true, passes: opt.Passes}
)

// tierRow is a tier as the user sees it and how it makes units.
type tierRow struct {
	name  string // value of -tier
	first *plan  // of a unit that is executed for the first time
	hot   *plan  // of one that is hot, nil: none gets hot
}

var tiers = [...]tierRow{
	Auto:          {"auto", &countedPlan, &regionPlan},
	Tier1:         {"1", &blockPlan, nil},
	Tier2:         {"2", &regionPlan, nil},
	Interp:        {"interp", &blockPlan, nil},
	InterpRegions: {"interp2", &regionPlan, nil},
}

func (t Tier) String() string { return tiers[t].name }

// interprets reports whether units are interpreted instead of compiled.
func (t Tier) interprets() bool { return t == Interp || t == InterpRegions }

// ParseTier reads the value of the -tier flag.
func ParseTier(s string) (Tier, error) {
	for t := range tiers {
		if tiers[t].name == s {
			return Tier(t), nil
		}
	}
	return 0, fmt.Errorf("tier %q: want auto, 1, 2, interp or interp2", s)
}
