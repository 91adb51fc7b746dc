package main

import (
	"bytes"
	"fmt"
	"strings"
)

// writeOps writes the Op constants and the rows.
func writeOps(b *bytes.Buffer, rows []*row) {
	b.WriteString("// One constant an encoding, in the order of the table.\nconst (\nUNALLOCATED Op = iota // no encoding, or UNDEFINED operand values\n")
	for _, r := range rows {
		fmt.Fprintf(b, "%s\n", r.name)
	}
	b.WriteString("\n// NumOps is the number of Op values, UNALLOCATED included.\nNumOps = iota\n)\n\n")

	sets := map[string]int{}
	var order []string
	for _, r := range rows {
		k := fieldSet(r)
		if _, ok := sets[k]; !ok {
			sets[k] = len(order)
			order = append(order, k)
		}
	}
	b.WriteString("// fieldSets holds the boxes of the encoding diagrams; many encodings share one.\nvar fieldSets = [...][]Field{\n")
	for _, k := range order {
		fmt.Fprintf(b, "{%s},\n", k)
	}
	b.WriteString("}\n\nvar rows = [NumOps]Row{\nUNALLOCATED: {Name: \"UNALLOCATED\"},\n")
	for _, r := range rows {
		fmt.Fprintf(b, "%s: {Name: %q, Class: %s, Group: %q, Mask: %#08x, Value: %#08x, fields: %d, Syntax: %q",
			r.name, r.name, className(r.class), r.group, r.mask, r.value, sets[fieldSet(r)], r.syntax)
		if r.should.mask != 0 {
			fmt.Fprintf(b, ", ShouldMask: %#08x, ShouldValue: %#08x", r.should.mask, r.should.value)
		}
		if len(r.excluded) > 0 {
			fmt.Fprintf(b, ", Excluded: %s", patterns(r.excluded))
		}
		if len(r.undefined) > 0 {
			fmt.Fprintf(b, ", Undefined: %s", patterns(r.undefined))
		}
		for _, m := range r.marks {
			fmt.Fprintf(b, ", %s: true", map[string]string{"el1": "Privileged", "debug": "DebugState"}[m])
		}
		if len(r.features) > 0 {
			fmt.Fprintf(b, ", Features: %q", strings.Join(r.features, "&"))
		}
		if len(r.cond) > 0 {
			b.WriteString(", CondFeatures: []CondFeature{")
			for _, c := range r.cond {
				fmt.Fprintf(b, "{Pattern{%#08x, %#08x}, %q},", c.when.mask, c.when.value, c.feature)
			}
			b.WriteString("}")
		}
		if len(r.aliases) > 0 {
			b.WriteString(", Aliases: []Alias{\n")
			for _, a := range r.aliases {
				b.WriteString("{")
				if len(a.when) > 0 {
					fmt.Fprintf(b, "When: %s, ", patterns(a.when))
				}
				if a.pred != "" {
					fmt.Fprintf(b, "Relation: %q, ", a.pred)
				}
				fmt.Fprintf(b, "Syntax: %q},\n", a.syntax)
			}
			b.WriteString("}")
		}
		b.WriteString("},\n")
	}
	b.WriteString("}\n")
}

// className is the Go constant of a class.
func className(class string) string {
	if class == "sve" {
		return "ClassSVE"
	}
	return "Class" + strings.ToUpper(class[:1]) + class[1:]
}

func fieldSet(r *row) string {
	var s []string
	for _, f := range r.fields {
		s = append(s, fmt.Sprintf("{%q, %d, %d}", f.name, f.hi, f.lo))
	}
	return strings.Join(s, ", ")
}

func patterns(ps []pattern) string {
	var s []string
	for _, p := range ps {
		s = append(s, fmt.Sprintf("{%#08x, %#08x}", p.mask, p.value))
	}
	return "[]Pattern{" + strings.Join(s, ", ") + "}"
}

// writeDecode writes the decision tree as flat arrays.
func writeDecode(b *bytes.Buffer, rows []*row) {
	t := buildTree(rows)

	// Candidates, list after list. The last of each list is marked.
	start := make([]int, len(t.lists))
	var cands, rejects []string
	rejectAt := map[string]int{}
	for i, l := range t.lists {
		start[i] = len(cands)
		for j, n := range l {
			r := rows[n]
			var ps []string
			for _, p := range append(append([]pattern{}, r.excluded...), r.undefined...) {
				ps = append(ps, fmt.Sprintf("{%#08x, %#08x}", p.mask, p.value))
			}
			key := strings.Join(ps, ",\n")
			at, ok := rejectAt[key]
			if !ok {
				at = len(rejects)
				rejects = append(rejects, ps...)
				rejectAt[key] = at
			}
			cands = append(cands, fmt.Sprintf("{%#08x, %#08x, %s, %d, %d, %t}", r.mask, r.value, r.name, at, len(ps), j == len(l)-1))
		}
	}
	// A child that is a node is its index in cells shifted left; the node's
	// first cell says which bits to test.
	base := make([]int, len(t.nodes))
	size := 0
	for i, n := range t.nodes {
		base[i] = size
		size += 1 + len(n.children)
	}
	fmt.Fprintf(b, "// treeRoot tests bits 31:21. In cells, a node is one cell width<<8|shift and then\n// its children: 0 for none, n>0 for the node at cells[n], n<0 for the candidates\n// from -n-1.\nvar cells = [...]int16{\n")
	if size > 32767 || len(cands) > 32766 {
		panic(fmt.Sprintf("BUG: tree too big for int16: %d cells, %d candidates", size, len(cands)))
	}
	for i, n := range t.nodes {
		fmt.Fprintf(b, "%#04x, // %d: %d bits from bit %d\n", n.width<<8|n.shift, base[i], n.width, n.shift)
		for j, c := range n.children {
			switch {
			case c > 0:
				fmt.Fprintf(b, "%d,", base[c])
			case c < 0:
				fmt.Fprintf(b, "%d,", -start[-c]-1)
			default:
				b.WriteString("0,")
			}
			if j%16 == 15 {
				b.WriteString("\n")
			}
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(b, "}\n\nvar candidates = [...]candidate{\n%s,\n}\n\nvar rejects = [...]Pattern{\n%s,\n}\n", strings.Join(cands, ",\n"), strings.Join(rejects, ",\n"))
}
