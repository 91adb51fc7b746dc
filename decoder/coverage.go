package decoder

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// forSystem is the heading for encodings that are UNDEFINED to a program.
const forSystem = "(EL1 or Debug state only)"

// whyNotTranslated says for a heading why its encodings are not translated.
var whyNotTranslated = map[string]string{
	"base, general":      "UDF is there to be undefined.",
	"base, system":       "Halting is forbidden (HLT).",
	"FEAT_D128&FEAT_THE": "UNDEFINED unless TCR2_EL1.D128 is set (IsD128Enabled of the Arm ARM), which Linux leaves clear. The forms of 64 bits are translated.",
	"FEAT_SYSINSTR128":   "The operations with 128-bit operands, TLBIP among them, belong to EL1.",
	"FEAT_SYSREG128":     "All registers of 128 bits (PAR_EL1, RCWMASK_EL1, RCWSMASK_EL1, TTBR0_EL1 and their like) belong to EL1 and above.",
	forSystem:            "UNDEFINED to a program.",

	"FEAT_LS64":         "Optional, and no model has it: SIGILL, as on processors without (HWCAP3_LS64 is clear). Where it exists its accesses of 64 bytes are for device memory and fault in normal memory, which is all that a guest has here. qemu-aarch64 11 lacks them, too.",
	"FEAT_LS64_ACCDATA": "As above.",
	"FEAT_LS64_V":       "As above.",
	"FEAT_SVE2p1":       "Optional, and no model has it.",
	"FEAT_SVE_B16B16":   "Optional, and no model has it.",
	"FEAT_F64MM":        "UNDEFINED where vectors have fewer than 256 bits; here they have 128.",
	"FEAT_TME":          "Arm has withdrawn it from the architecture, no processor has it, and Linux never let programs use it (SCTLR_EL1.TME0 is clear). qemu lacks it, too.",
}

// UndefinedToPrograms reports encodings that are UNDEFINED to every program under
// Linux, whatever the processor: nothing is missing if they are not translated.
func (op Op) UndefinedToPrograms() bool {
	switch op {
	case UDF_only_perm_undef, HLT_EX_exception:
		return true
	}
	switch coverageGroup(op) {
	case forSystem, "FEAT_D128&FEAT_THE", "FEAT_SYSINSTR128", "FEAT_SYSREG128":
		return true
	}
	return false
}

// Coverage writes docs/a64-coverage.md: how many encodings of each feature are
// translated and verified, and which are not. The page derives from the table and
// from what the functions say, so it cannot be out of step with the code.
func Coverage(w io.Writer, translated, verified func(Op) bool) error {
	type group struct {
		total, done, verified int
		undefined             int
		missing, unverified   []string
	}
	groups := map[string]*group{}
	var names []string
	var sum group
	for op := Op(1); op < NumOps; op++ {
		name := coverageGroup(op)
		g := groups[name]
		if g == nil {
			g = &group{}
			groups[name] = g
			names = append(names, name)
		}
		g.total++
		sum.total++
		if translated(op) {
			g.done++
			sum.done++
			if verified(op) {
				g.verified++
				sum.verified++
			} else {
				g.unverified = append(g.unverified, op.String())
			}
			continue
		}
		g.missing = append(g.missing, op.String())
		if op.UndefinedToPrograms() {
			g.undefined++
			sum.undefined++
		}
	}
	slices.SortFunc(names, func(a, b string) int { return strings.Compare(coverageKey(a), coverageKey(b)) })

	var b strings.Builder
	b.WriteString("# A64 coverage\n\nThis page is generated from `decoder/*.tbl` and the translator's table.\n\n")
	fmt.Fprintf(&b, "%d of %d encodings outside SME are translated; %d more are UNDEFINED to programs under Linux; %d are missing.\n",
		sum.done, sum.total, sum.undefined, sum.total-sum.done-sum.undefined)
	fmt.Fprintf(&b, "%d are verified: `make nightly` ran at least 2,000 random and corner vectors of each, of SVE's at least 500, in the interpreter,\n"+
		"tier 1, tier 2 and qemu-aarch64, and registers, predicates, flags, FPSR and memory agree bit for bit.\n\n", sum.verified)
	b.WriteString("| feature | encodings | translated | verified | UNDEFINED | missing |\n|---|---:|---:|---:|---:|---:|\n")
	for _, n := range names {
		g := groups[n]
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d |\n", n, g.total, g.done, g.verified, g.undefined, len(g.missing)-g.undefined)
	}
	b.WriteString("\n## Not translated\n\nThese raise SIGILL. Names are those of Arm's machine-readable specification.\n")
	if sum.done == sum.total {
		b.WriteString("\nNone.\n")
	}
	for _, n := range names {
		if g := groups[n]; len(g.missing) > 0 {
			fmt.Fprintf(&b, "\n### %s\n\n", n)
			if why := whyNotTranslated[n]; why != "" {
				fmt.Fprintf(&b, "%s\n\n", why)
			}
			writeWrapped(&b, g.missing)
		}
	}
	b.WriteString("\n## Translated, with other tests\n\nThese cannot run with random operands, or no qemu-aarch64 has them: they have tests\nof their own, with expected values (translate, tests/isa_test.go).\n")
	for _, n := range names {
		if g := groups[n]; len(g.unverified) > 0 {
			fmt.Fprintf(&b, "\n### %s\n\n", n)
			writeWrapped(&b, g.unverified)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// coverageGroup is the feature expression an encoding is counted under.
func coverageGroup(op Op) string {
	r := RowOf(op)
	switch {
	case r.Privileged || r.DebugState:
		return forSystem
	case r.Features == "":
		return "base, " + r.Class.String()
	}
	return r.Features
}

// coverageKey sorts the base before the features, and the rest last.
func coverageKey(name string) string {
	switch {
	case strings.HasPrefix(name, "base"):
		return "0" + name
	case name == forSystem:
		return "2"
	}
	return "1" + name
}

func writeWrapped(b *strings.Builder, names []string) {
	column := 0
	for n, name := range names {
		if n < len(names)-1 {
			name += ","
		}
		if column > 0 && column+1+len(name) > 100 {
			b.WriteByte('\n')
			column = 0
		} else if column > 0 {
			b.WriteByte(' ')
			column++
		}
		b.WriteString(name)
		column += len(name)
	}
	b.WriteByte('\n')
}
