package decoder

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// forSystem is the heading for encodings that are UNDEFINED to a program.
const forSystem = "(EL1 or Debug state only)"

// Coverage writes docs/a64-coverage.md: how many encodings of each feature are
// translated, and which are not. The page derives from the table and from what
// translated says, so it cannot be out of step with the code.
func Coverage(w io.Writer, translated func(Op) bool) error {
	type group struct {
		total, done int
		missing     []string
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
			continue
		}
		g.missing = append(g.missing, op.String())
	}
	slices.SortFunc(names, func(a, b string) int { return strings.Compare(coverageKey(a), coverageKey(b)) })

	var b strings.Builder
	b.WriteString("# A64 coverage\n\nThis page is generated from `decoder/a64.tbl` and the translator's table.\n\n")
	fmt.Fprintf(&b, "%d of %d encodings outside SVE, SVE2 and SME are translated.\n\n", sum.done, sum.total)
	b.WriteString("| feature | encodings | translated | missing |\n|---|---:|---:|---:|\n")
	for _, n := range names {
		g := groups[n]
		fmt.Fprintf(&b, "| %s | %d | %d | %d |\n", n, g.total, g.done, len(g.missing))
	}
	b.WriteString("\n## Not translated\n\nThese raise SIGILL. Names are those of Arm's machine-readable specification.\n")
	if sum.done == sum.total {
		b.WriteString("\nNone.\n")
	}
	for _, n := range names {
		if g := groups[n]; len(g.missing) > 0 {
			fmt.Fprintf(&b, "\n### %s\n\n", n)
			writeWrapped(&b, g.missing)
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
